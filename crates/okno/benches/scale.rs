//! How search grows with the index: building and measuring one size, each in a process of its own.
//!
//! ```text
//! cargo bench --bench scale -- build INDEX CORPUS.jsonl SENTENCES      the first documents with this many sentences
//! cargo bench --bench scale -- keep INDEX                              the file `layout`, as the first search keeps it
//! cargo bench --bench scale -- measure INDEX QUERIES.jsonl [FILTER]    opening, searching, memory
//! cargo bench --bench scale -- recall INDEX QUERIES.jsonl              what an approximate scan finds of an exact one
//! cargo bench --bench scale -- answers INDEX QUERIES.jsonl             how many questions get one of their `answers`
//! ```
//!
//! `--exact` and `--approximate` choose the scan that is measured. Each prints one JSON object; `benches/scale.py` runs
//! them over several sizes, and draws. Times are processor time of this process: a busy machine, which shares its
//! caches and memory, still makes them longer.

use cpu_time::{ProcessTime, ThreadTime};
use okno::document::{Filter, Layer, Span};
use okno::embed::{BuiltIn, EmbedError, Embedder, Role, normalize};
use okno::store::{Ask, Leg, Run, Scan, Scored};
use okno::{Engine, Query};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn main() {
    // One thread: what is measured is the work, not the machine.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("nobody else has set it");
    let has = |flag: &str| std::env::args().any(|argument| argument == flag);
    let scan = match (has("--exact"), has("--approximate")) {
        (true, _) => Scan::Exact,
        (_, true) => Scan::Approximate,
        _ => Scan::Auto,
    };
    let given: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    match given.as_slice() {
        ["build", index, corpus, sentences] => {
            println!("{}", build(index, corpus, sentences.parse().expect("a number")));
        }
        ["keep", index] => keep(index),
        ["measure", index, queries] => println!("{}", measure(index, queries, None, scan)),
        ["measure", index, queries, filter] => println!("{}", measure(index, queries, Some(filter), scan)),
        ["recall", index, queries] => println!("{}", recall(index, queries)),
        ["answers", index, queries] => println!("{}", answers(index, queries)),
        _ => eprintln!("nothing to measure without `build INDEX CORPUS SENTENCES` or `measure INDEX QUERIES [FILTER]`"),
    }
}

fn build(index: &str, corpus: &str, sentences: usize) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let part = folder.path().join("corpus.jsonl");
    copy_first(Path::new(corpus), &part, sentences);
    let engine = Engine::create(index).expect("a new index");
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let report = engine.index(&[part]).expect("indexing");
    json!({
        "sentences": report.sentences,
        "documents": report.added,
        "text_bytes": report.bytes,
        "index_bytes": engine.bytes().expect("a size"),
        "cpu_s": cpu.elapsed().as_secs_f64(),
        "wall_s": wall.elapsed().as_secs_f64(),
        "peak_bytes": memory("VmHWM"),
    })
}

/// Keeps the layout, as the first `okno search` does.
fn keep(index: &str) {
    let engine = Engine::open(index).expect("an index");
    engine.snapshot().expect("a generation");
    engine.keep_layout().expect("a store");
}

/// The first lines of a corpus that have this many sentences together.
fn copy_first(from: &Path, to: &Path, sentences: usize) {
    let lines = BufReader::new(std::fs::File::open(from).expect("a corpus")).lines();
    let mut to = std::io::BufWriter::new(std::fs::File::create(to).expect("room for a part of it"));
    let mut count = 0;
    for line in lines.map_while(Result::ok) {
        if count >= sentences {
            break;
        }
        let document: Value = serde_json::from_str(&line).expect("JSON");
        let text = document["text"].as_str().expect("a text");
        count += okno::split::sentences(text, Span::new(0, text.len())).len();
        writeln!(to, "{line}").expect("room");
    }
}

fn measure(index: &str, queries: &str, filter: Option<&str>, scan: Scan) -> Value {
    let questions = questions(queries.as_ref());
    let embedder = Arc::new(Remembering::default());
    for question in &questions {
        embedder.embed(&[question], Role::Query).expect("the built-in model embeds anything");
    }
    let before = memory("RssAnon");
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let engine = Engine::builder().embedder(embedder).scan(scan).open(index).expect("an index");
    engine.snapshot().expect("a generation");
    let open = cpu.elapsed();
    engine.search(&Query::new(questions[0].as_str())).expect("searching");
    let (first, first_wall) = (cpu.elapsed(), wall.elapsed());
    let all = times(&engine, &questions, None);
    let memory_used = (memory("RssAnon") - before, memory("RssFile"));
    let filtered = filter.map(|filter| times(&engine, &questions, Some(filter)));
    json!({
        "open_ms": milliseconds(open),
        "first_search_ms": milliseconds(first),
        "first_search_wall_ms": milliseconds(first_wall),
        "anonymous_bytes": memory_used.0,
        "mapped_bytes": memory_used.1,
        "search": summary(all),
        "filtered": filtered.map(summary),
    })
}

/// The share of what an exact scan ranks first that an approximate one ranks first too, for each layer of `auto`.
fn recall(index: &str, queries: &str) -> Value {
    let mut engine = Engine::open(index).expect("an index");
    let [exact, approximate] = [Scan::Exact, Scan::Approximate].map(|scan| {
        engine.reconfigure(|builder| builder.scan(scan)).expect("the same embedder");
        engine.snapshot().expect("a generation")
    });
    let questions = questions(queries.as_ref());
    let layers = [Layer::Sentence, Layer::Window(2), Layer::Paragraph];
    let rankings = layers.map(|layer| (Leg::Dense, layer));
    let mut found = [[0.0; 2]; 3];
    for question in &questions {
        let mut vector = engine.embedder().embed(&[question], Role::Query).expect("the model embeds anything");
        normalize(&mut vector);
        let ask = Ask {
            text: question,
            vector: &vector,
            rankings: &rankings,
            allowed: None,
            sections: None,
            fields: None,
            depth: 200,
        };
        let [exact, approximate] = [&exact, &approximate].map(|snapshot| snapshot.search(&ask).expect("searching"));
        for (at, (exact, approximate)) in exact.iter().zip(&approximate).enumerate() {
            for (shares, depth) in found[at].iter_mut().zip([10, 200]) {
                *shares += shared(exact, approximate, depth) / questions.len() as f64;
            }
        }
    }
    let named =
        layers.iter().zip(found).map(|(layer, [ten, all])| (layer.to_string(), json!({"at_10": ten, "at_200": all})));
    Value::Object(named.collect())
}

/// With an exact scan and with an approximate one, how many questions have one of their `answers` in 500 tokens; and
/// how many have the same contexts with both.
fn answers(index: &str, queries: &str) -> Value {
    let mut engine = Engine::open(index).expect("an index");
    let lines = std::fs::read_to_string(queries).expect("questions");
    let asked: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("a question")).collect();
    let [exact, approximate] = [Scan::Exact, Scan::Approximate].map(|scan| {
        engine.reconfigure(|builder| builder.scan(scan)).expect("the same embedder");
        let texts = |asked: &Value| {
            let query = Query::new(asked["question"].as_str().expect("a question")).budget(500);
            let contexts = engine.search(&query).expect("searching").contexts;
            contexts.into_iter().map(|context| context.text).collect::<Vec<String>>()
        };
        asked.iter().map(texts).collect::<Vec<_>>()
    });
    let answered = |found: &[Vec<String>]| {
        let has_one = |(asked, texts): &(&Value, &Vec<String>)| {
            let given = asked["answers"].as_array().into_iter().flatten().filter_map(Value::as_str);
            given.into_iter().any(|answer| texts.iter().any(|text| text.contains(answer)))
        };
        asked.iter().zip(found).filter(has_one).count()
    };
    let same = exact.iter().zip(&approximate).filter(|(exact, approximate)| exact == approximate).count();
    json!({
        "questions": asked.len(),
        "answered_exact": answered(&exact),
        "answered_approximate": answered(&approximate),
        "same_contexts": same,
    })
}

fn shared(exact: &[Scored], approximate: &[Scored], depth: usize) -> f64 {
    let wanted = &exact[..exact.len().min(depth)];
    let runs: HashSet<Run> = approximate.iter().take(depth).map(|unit| unit.run).collect();
    wanted.iter().filter(|unit| runs.contains(&unit.run)).count() as f64 / wanted.len().max(1) as f64
}

/// Processor time of each search, after one round that counts for nothing.
fn times(engine: &Engine, questions: &[String], filter: Option<&str>) -> Vec<Duration> {
    let filter = filter.map(|filter| Filter::parse(filter).expect("a filter"));
    let run = |question: &String| {
        let query = Query::new(question.as_str()).filter(filter.clone());
        let begun = ThreadTime::now();
        std::hint::black_box(engine.search(&query).expect("searching"));
        begun.elapsed()
    };
    questions.iter().take(20).map(run).for_each(drop);
    questions.iter().map(run).collect()
}

fn summary(mut times: Vec<Duration>) -> Value {
    times.sort();
    let at = |share: f64| milliseconds(times[((times.len() - 1) as f64 * share) as usize]);
    json!({"p50_ms": at(0.5), "p95_ms": at(0.95), "most_ms": at(1.0), "questions": times.len()})
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn questions(path: &Path) -> Vec<String> {
    let lines = std::fs::read_to_string(path).expect("questions");
    let question = |line: &str| serde_json::from_str::<Value>(line).ok()?["question"].as_str().map(str::to_owned);
    lines.lines().filter_map(question).collect()
}

/// A field of `/proc/self/status`, in bytes; 0 on systems without it.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The built-in model, asked for each text once: embedding the question is not part of what is measured.
#[derive(Default)]
struct Remembering {
    model: BuiltIn,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl Embedder for Remembering {
    fn identity(&self) -> &str {
        self.model.identity()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<f32>, EmbedError> {
        let [text] = texts else { return self.model.embed(texts, role) };
        let mut known = self.known.lock().expect("no search panics");
        if let Some(vector) = known.get(*text) {
            return Ok(vector.clone());
        }
        let vector = self.model.embed(texts, role)?;
        known.insert((*text).to_owned(), vector.clone());
        Ok(vector)
    }
}
