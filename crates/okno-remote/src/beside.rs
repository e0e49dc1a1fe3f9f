//! A server beside the embedded store: the same documents, the same questions, and what each costs the client.
//!
//! Prints how many of the ten best units are the same for each ranking, coverage and context at 500 tokens, processor
//! time of this process per unit put and per question, round trips, and the server's time.

use crate::suite::{ServerUnderTest, new_name};
use crate::{Meter, RemoteStore};
use cpu_time::ProcessTime;
use okno::document::Layer;
use okno::embed::{BuiltIn, Embedder, Role, normalize};
use okno::retrieve::built_in;
use okno::store::{Ask, Leg, Manifest, PreparedDocument, Snapshot, Store};
use okno::{Engine, Query};
use okno_evaluate::measure::Measure;
use okno_evaluate::run::{Candidate, RunRequest, run};
use okno_evaluate::set::{Indexed, QuestionSet};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

type AnyResult<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const RANKINGS: [(Leg, Layer); 6] = [
    (Leg::Lexical, Layer::Sentence),
    (Leg::Lexical, Layer::Window(2)),
    (Leg::Lexical, Layer::Paragraph),
    (Leg::Dense, Layer::Sentence),
    (Leg::Dense, Layer::Window(2)),
    (Leg::Dense, Layer::Paragraph),
];

/// How many units a question asks each ranking for.
const DEPTH: usize = 200;

/// Measures a server: `arguments` are a corpus as JSON lines or as the folder of an index, questions as JSON lines, how
/// often the documents are put, under other names, for a larger index, and the name of an index that is kept: where it
/// holds documents, these are asked and none are put.
pub fn beside(server: &ServerUnderTest, arguments: &[String]) -> AnyResult<()> {
    let [corpus, questions, rest @ ..] = arguments else {
        return Err("usage: beside SERVER CORPUS.jsonl|INDEX QUESTIONS.jsonl [TIMES [NAME]]".into());
    };
    let times: usize = rest.first().map_or(Ok(1), |times| times.parse())?;
    let folder = tempfile::tempdir()?;
    let local = if Path::new(corpus).is_dir() {
        Engine::open(corpus)?
    } else {
        let local = Engine::create(folder.path().join(".okno"))?;
        local.index(&[corpus])?;
        local
    };
    let (kept, embedder) = (rest.get(1), BuiltIn::default());
    let name = kept.cloned().unwrap_or_else(new_name);
    let store = (server.open)(&name, &Manifest::new(embedder.identity(), embedder.dimensions()));
    if store.snapshot()?.numbers().is_empty() {
        put(&*local.snapshot()?, &store, times)?;
    }
    let meter = store.meter();
    let remote = Engine::builder().embedder(Arc::new(embedder)).over("beside", Box::new(store))?;
    let set = QuestionSet::read(Path::new(questions), &mut Indexed::new(&*local.snapshot()?))?;
    if times == 1 {
        overlap(&local, &remote, &set)?;
        quality(&local, &remote, &set)?;
    }
    store_cost(&remote, &set)?;
    cost(&local, &remote, &set, &meter)?;
    if kept.is_none() {
        (server.drop)(&name);
    }
    Ok(())
}

/// Puts the documents of an index on the server.
fn put(source: &dyn Snapshot, store: &RemoteStore, times: usize) -> AnyResult<()> {
    let numbers = source.numbers();
    let (mut sentences, mut paragraphs) = (0, 0);
    let (began, mut cpu) = (Instant::now(), Duration::ZERO);
    let mut writer = store.writer()?;
    for time in 0..times {
        for &number in &numbers {
            // Read one by one, so that the documents of the source are no part of the memory; nor is reading them of
            // the time.
            let document = again(prepared(source, number)?, time);
            sentences += document.structure.sentences.len();
            paragraphs += document.structure.paragraphs.len();
            let used = ProcessTime::now();
            writer.put(&document)?;
            cpu += used.elapsed();
        }
        let used = ProcessTime::now();
        writer.commit()?;
        cpu += used.elapsed();
    }
    let used = ProcessTime::now();
    writer.finish()?;
    cpu += used.elapsed();
    let (took, units) = (began.elapsed(), 2 * sentences + paragraphs);
    if let Some(bytes) = store.bytes()? {
        println!("disk, one copy: {:.2} kB per sentence", bytes as f64 / 1e3 / sentences.max(1) as f64);
    }
    let sent = store.meter().traffic();
    println!("put: {:.0} bytes sent per unit in {} requests", sent.sent as f64 / units.max(1) as f64, sent.requests);
    println!("{} documents, {sentences} sentences, {units} units; memory so far {}", numbers.len() * times, peak());
    println!("put: {:.4} ms of client CPU per unit, {:.4} ms of wall time", per(cpu, units), per(took, units));
    Ok(())
}

/// The same document under another name, and with another first character: copies are searched once.
fn again(mut document: PreparedDocument, time: usize) -> PreparedDocument {
    if time == 0 {
        return document;
    }
    document.record.id.root = format!("{}-{time}", document.record.id.root);
    let other = |first: char| match first.len_utf8() {
        3 => char::from_u32(0x4E00 + time as u32).unwrap_or(first),
        _ => first,
    };
    let mut rest = document.text.chars();
    document.text = match rest.next() {
        Some(first) if first.is_ascii() => format!("{}{}", char::from(33 + (time % 90) as u8), rest.as_str()),
        Some(first) => format!("{}{}", other(first), rest.as_str()),
        None => String::new(),
    };
    document
}

fn prepared(source: &dyn Snapshot, number: u32) -> AnyResult<PreparedDocument> {
    Ok(PreparedDocument {
        record: source.record(number)?,
        text: source.text(number)?.to_owned(),
        structure: (*source.structure(number)?).clone(),
        derived: source.derived(number)?.to_vec(),
        vectors: source.vectors(number)?,
    })
}

fn per(time: Duration, count: usize) -> f64 {
    time.as_secs_f64() * 1e3 / count.max(1) as f64
}

/// How many of the ten best units of each ranking are the same.
fn overlap(local: &Engine, remote: &Engine, set: &QuestionSet) -> AnyResult<()> {
    let (one, other) = (local.snapshot()?, remote.snapshot()?);
    let mut shared = [(0usize, 0usize); RANKINGS.len()];
    for question in &set.questions {
        let (ours, theirs) =
            (ten_best(&*one, local.embedder(), &question.text)?, ten_best(&*other, local.embedder(), &question.text)?);
        for ((ours, theirs), (same, all)) in ours.iter().zip(&theirs).zip(&mut shared) {
            *same += ours.intersection(theirs).count();
            *all += ours.len();
        }
    }
    for ((leg, layer), (same, all)) in RANKINGS.iter().zip(shared) {
        println!("top 10, {leg:?} {layer}: {:.2} % the same", 100.0 * same as f64 / all as f64);
    }
    let (same, all) = shared.iter().fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    println!("top 10, all rankings: {:.2} % the same", 100.0 * same as f64 / all as f64);
    Ok(())
}

fn ten_best(
    snapshot: &dyn Snapshot,
    embedder: &dyn Embedder,
    text: &str,
) -> AnyResult<Vec<HashSet<(String, u32, u32)>>> {
    let mut vector = embedder.embed(&[text], Role::Query)?;
    normalize(&mut vector);
    // As deep as a question: an approximate search that is asked for ten looks at fewer.
    let ask =
        Ask { text, vector: &vector, rankings: &RANKINGS, allowed: None, sections: None, fields: None, depth: DEPTH };
    let mut rankings = Vec::new();
    for ranking in snapshot.search(&ask)? {
        let named = ranking.iter().take(10).map(|scored| {
            Ok((snapshot.record(scored.run.document)?.id.name().to_owned(), scored.run.anchor, scored.run.end))
        });
        rankings.push(named.collect::<okno::Result<_>>()?);
    }
    Ok(rankings)
}

fn quality(local: &Engine, remote: &Engine, set: &QuestionSet) -> AnyResult<()> {
    let recipes = built_in()?;
    let recipe = recipes.get("auto").ok_or("no recipe `auto`")?.clone();
    let candidates = [Candidate { name: "auto".to_owned(), recipe }];
    for (name, engine) in [("embedded", local), ("server", remote)] {
        let snapshot = engine.snapshot()?;
        let asking = RunRequest { set, candidates: &candidates, budgets: &[500], seed: 1, name };
        let outcome = run(engine, &asking, &mut Indexed::new(&*snapshot), &|_, _| {})?;
        let scores = &outcome.run.cells[0].scores;
        let of = |measure| 100.0 * scores.get(measure);
        println!("{name}: coverage@500 {:.2} %, context@500 {:.2} %", of(Measure::Coverage), of(Measure::Context));
    }
    Ok(())
}

/// Processor time of what a question asks of the store: everything that the embedded pipeline does not do anyway.
fn store_cost(remote: &Engine, set: &QuestionSet) -> AnyResult<()> {
    let mut used = Duration::ZERO;
    for question in &set.questions {
        let text = question.text.as_str();
        let mut vector = remote.embedder().embed(&[text], Role::Query)?;
        normalize(&mut vector);
        let began = ProcessTime::now();
        let snapshot = remote.snapshot()?;
        let ask = Ask {
            text,
            vector: &vector,
            rankings: &RANKINGS,
            allowed: None,
            sections: None,
            fields: None,
            depth: DEPTH,
        };
        let found = snapshot.search(&ask)?;
        let documents: HashSet<u32> = found.iter().flatten().map(|scored| scored.run.document).collect();
        snapshot.expect(&documents.into_iter().collect::<Vec<_>>())?;
        used += began.elapsed();
    }
    println!("the store alone: {:.3} ms of client CPU per question", per(used, set.questions.len()));
    Ok(())
}

/// Processor time per question of both. Each question is asked of one and then of the other: a server on the same
/// machine leaves cold caches to whatever runs next, and both pay for that alike. The first pass fills the client's
/// own.
fn cost(local: &Engine, remote: &Engine, set: &QuestionSet, meter: &Meter) -> AnyResult<()> {
    let count = set.questions.len();
    for pass in ["first", "second"] {
        let (mut cpu, mut wall) = ([Duration::ZERO; 2], [Duration::ZERO; 2]);
        let before = meter.traffic();
        for question in &set.questions {
            for (at, engine) in [local, remote].into_iter().enumerate() {
                let (began, used) = (Instant::now(), ProcessTime::now());
                engine.search(&Query::new(question.text.as_str()).budget(500))?;
                cpu[at] += used.elapsed();
                wall[at] += began.elapsed();
            }
        }
        let after = meter.traffic();
        let each = |traffic: u64| traffic as f64 / count as f64;
        let [(own, own_wall), (theirs, wall)] = [0, 1].map(|at| (per(cpu[at], count), per(wall[at], count)));
        println!("{pass} pass, embedded: {own:.3} ms of client CPU per question, {own_wall:.2} ms of wall time");
        println!(
            "{pass} pass, server: {theirs:.3} ms, {wall:.2} ms, {:.2} round trips, {:.2} requests, {:.1} kB sent, \
             {:.1} kB received; {:.3} ms beyond embedded",
            each(after.round_trips - before.round_trips),
            each(after.requests - before.requests),
            each(after.sent - before.sent) / 1e3,
            each(after.received - before.received) / 1e3,
            theirs - own
        );
    }
    println!("memory at most: {}", peak());
    Ok(())
}

/// The most memory this process held, as the system tells it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown here".to_owned(), |line| line.trim().to_owned())
}
