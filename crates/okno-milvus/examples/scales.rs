//! Scales written out as rows, against asking for sentences only and adding up their neighbours on the client.
//!
//! ```text
//! cargo run --release -p okno-milvus --example scales -- SERVER CORPUS.jsonl QUESTIONS.jsonl
//! ```
//!
//! Prints what a question costs the client each way – processor time and bytes fetched – and how many of the ten best
//! windows the second way finds. Only what both must do is measured: the second way is an experiment and no part of the
//! store.

use cpu_time::ProcessTime;
use okno::document::Layer;
use okno::embed::{Embedder, Role, normalize};
use okno::store::copy::copy;
use okno::store::{Ask, EmbeddedStore, Leg, Manifest, Run, Scored, Snapshot, Store};
use okno::text::terms;
use okno::{Engine, embed::BuiltIn};
use okno_evaluate::set::{Indexed, QuestionSet};
use okno_milvus::Address;
use okno_remote::RemoteStore;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const DEPTH: usize = 200;
const WINDOW: usize = 2;
const SCALES: [Layer; 3] = [Layer::Sentence, Layer::Window(WINDOW as u32), Layer::Paragraph];

/// What one way costs.
#[derive(Default)]
struct Cost {
    cpu: Duration,
    wall: Duration,
    bytes: usize,
    documents: usize,
}

impl Cost {
    fn print(&self, name: &str, questions: usize) {
        let each = |time: Duration| time.as_secs_f64() * 1e3 / questions as f64;
        println!(
            "{name}: {:.2} ms of client CPU, {:.1} ms of wall time, {:.1} kB of rows and vectors, \
             {:.1} documents read whole, per question",
            each(self.cpu),
            each(self.wall),
            self.bytes as f64 / 1e3 / questions as f64,
            self.documents as f64 / questions as f64
        );
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [server, corpus, questions] = arguments.as_slice() else {
        return Err("usage: scales SERVER CORPUS.jsonl QUESTIONS.jsonl".into());
    };
    let folder = tempfile::tempdir()?;
    let set = {
        let engine = Engine::create(folder.path())?;
        engine.index(&[corpus])?;
        QuestionSet::read(Path::new(questions), &mut Indexed::new(&*engine.snapshot()?))?
    };
    let embedder = BuiltIn::default();
    let host = server.split("://").last().unwrap_or(server);
    let address: Address = format!("milvus://{host}/scales_{}", std::process::id()).parse()?;
    let manifest = Manifest::new(embedder.identity(), embedder.dimensions());
    let store = okno_milvus::open_or_create(&address, &manifest)?;
    copy(&EmbeddedStore::open(folder.path())?, &store, &mut |_, _| {})?;
    let (mut rows, mut neighbours, mut found) = (Cost::default(), Cost::default(), 0);
    for question in &set.questions {
        let mut vector = embedder.embed(&[&question.text], Role::Query)?;
        normalize(&mut vector);
        let best = written_out(&store, &question.text, &vector, &mut rows)?;
        let other = added_up(&store, &question.text, &vector, &mut neighbours)?;
        found += best.intersection(&other).count();
    }
    let count = set.questions.len();
    rows.print("scales as rows", count);
    neighbours.print("neighbours added up here", count);
    println!("ten best windows found by the second way: {:.1} %", 10.0 * found as f64 / count as f64);
    okno_milvus::drop_index(&address)?;
    Ok(())
}

/// Where the ten best windows are.
type Best = HashSet<(u32, u32)>;

/// Keeps the time of some work.
fn timed<T>(cost: &mut Cost, work: impl FnOnce(&mut Cost) -> Result<T>) -> Result<T> {
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let done = work(cost);
    cost.cpu += cpu.elapsed();
    cost.wall += wall.elapsed();
    done
}

/// As the store does it: a ranking of each scale by each leg.
fn written_out(store: &RemoteStore, text: &str, vector: &[f32], cost: &mut Cost) -> Result<Best> {
    timed(cost, |cost| {
        let rankings: Vec<_> = SCALES.iter().flat_map(|&layer| [(Leg::Dense, layer), (Leg::Lexical, layer)]).collect();
        let ask = Ask { text, vector, rankings: &rankings, allowed: None, sections: None, fields: None, depth: DEPTH };
        let found = store.snapshot()?.search(&ask)?;
        // A key, a place and a score.
        cost.bytes += found.iter().map(Vec::len).sum::<usize>() * 20;
        Ok(found[2].iter().take(10).map(|scored| (scored.run.document, scored.run.anchor)).collect())
    })
}

/// Sentences only; then the documents they are in, whole, and every window and paragraph around them scored here.
fn added_up(store: &RemoteStore, text: &str, vector: &[f32], cost: &mut Cost) -> Result<Best> {
    timed(cost, |cost| {
        let rankings = [(Leg::Dense, Layer::Sentence), (Leg::Lexical, Layer::Sentence)];
        let ask = Ask { text, vector, rankings: &rankings, allowed: None, sections: None, fields: None, depth: DEPTH };
        let snapshot = store.snapshot()?;
        let found = snapshot.search(&ask)?;
        cost.bytes += found.iter().map(Vec::len).sum::<usize>() * 20;
        let numbers: BTreeSet<u32> = found.iter().flatten().map(|scored| scored.run.document).collect();
        let mut windows = Vec::new();
        for &number in &numbers {
            cost.documents += 1;
            windows.extend(around(&*snapshot, number, found.iter().flatten(), vector, cost)?);
        }
        windows.sort_unstable_by(|one: &(f32, Run), other| other.0.total_cmp(&one.0));
        Ok(windows.iter().take(10).map(|(_, run)| (run.document, run.anchor)).collect())
    })
}

/// The windows of a document that hold a sentence that was found, with their cosines; and its words counted again, for
/// the other leg.
fn around<'s>(
    snapshot: &dyn Snapshot,
    document: u32,
    found: impl Iterator<Item = &'s Scored>,
    vector: &[f32],
    cost: &mut Cost,
) -> Result<Vec<(f32, Run)>> {
    let (vectors, structure, text) =
        (snapshot.vectors(document)?, snapshot.structure(document)?, snapshot.text(document)?);
    let (dimensions, sentences) = (vector.len(), structure.sentences.len());
    // A byte for each component and four for the scale of a row, as base64.
    cost.bytes += (sentences + structure.sections.len()) * (dimensions + 4) * 4 / 3;
    let near = |sentence: usize| sentence.saturating_sub(WINDOW)..(sentence + WINDOW + 1).min(sentences);
    let own = found.filter(|scored| scored.run.document == document).map(|scored| scored.run.anchor as usize);
    let centres: BTreeSet<usize> = own.flat_map(near).collect();
    let mut scored = Vec::new();
    for centre in centres {
        let run = near(centre);
        let section = structure.section_number(centre) * dimensions;
        let mut sum = vectors.sections[section..section + dimensions].to_vec();
        for row in vectors.sentences[run.start * dimensions..run.end * dimensions].chunks_exact(dimensions) {
            sum.iter_mut().zip(row).for_each(|(total, x)| *total += x);
        }
        normalize(&mut sum);
        std::hint::black_box(
            structure.sentences[run.clone()].iter().map(|own| terms::count(own.span.of(&text))).sum::<u32>(),
        );
        let cosine = sum.iter().zip(vector).map(|(x, y)| x * y).sum();
        scored.push((cosine, Run { document, first: run.start as u32, end: run.end as u32, anchor: centre as u32 }));
    }
    Ok(scored)
}
