//! Speed of the parts and of a search, on one core.
//!
//! ```text
//! cargo bench --bench speed                                        the sample, repeated to 3,000 and 50,000 sentences
//! cargo bench --bench speed -- CORPUS.jsonl QUERIES.jsonl          your own
//! ```
//!
//! Times are medians of wall time inside one process, after a first round; a busy machine makes them
//! longer, so compare ratios inside one run.

use okno::document::Span;
use okno::embed::{BuiltIn, Embedder, Role};
use okno::split::{count_tokens, sentences};
use okno::{Engine, Query};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() {
    // One thread: what is measured is the work, not the machine.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("nobody else has set it");
    let given: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).map(PathBuf::from).collect();
    if let [corpus, queries] = given.as_slice() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        search(&Engine::create(folder.path().join("index")).expect("a new index"), corpus, &questions(queries));
        return;
    }
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-cli/sample");
    parts(&sample.join("documents"));
    for sentences in [3_000, 50_000] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let corpus = folder.path().join("corpus.jsonl");
        std::fs::write(&corpus, repeated(&sample.join("documents"), sentences)).expect("room for the corpus");
        search(
            &Engine::create(folder.path().join("index")).expect("a new index"),
            &corpus,
            &questions(&sample.join("questions.jsonl")),
        );
    }
}

fn questions(path: &Path) -> Vec<String> {
    let lines = std::fs::read_to_string(path).expect("questions");
    let question =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).ok()?["question"].as_str().map(str::to_owned);
    lines.lines().filter_map(question).collect()
}

fn texts(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the sample").flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "md" || kind == "txt") {
            found.push(std::fs::read_to_string(path).expect("text"));
        }
    }
}

/// The sample again and again, each time with a word of its own in every paragraph, up to about this many sentences.
fn repeated(folder: &Path, sentences: usize) -> String {
    let mut originals = Vec::new();
    texts(folder, &mut originals);
    originals.sort();
    let (mut lines, mut round, mut count) = (String::new(), 0, 0);
    while count < sentences {
        for (i, text) in originals.iter().enumerate() {
            let text = text.replace("\n\n", &format!(" n{round}.\n\n"));
            count += okno::split::sentences(&text, Span::new(0, text.len())).len();
            lines += &(serde_json::json!({"doc_id": format!("{round}-{i}"), "text": text}).to_string() + "\n");
            round += 1;
        }
    }
    lines
}

fn search(engine: &Engine, corpus: &Path, questions: &[String]) {
    let begun = Instant::now();
    let report = engine.index(&[corpus]).expect("indexing");
    let indexing = begun.elapsed().as_secs_f64();
    let run = |question: &String| {
        let begun = Instant::now();
        std::hint::black_box(engine.search(&Query::new(question.as_str())).expect("searching"));
        begun.elapsed().as_secs_f64() * 1e3
    };
    for question in questions {
        run(question);
    }
    let mut times: Vec<f64> = (0..3).flat_map(|_| questions.iter().map(run)).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{:>7} sentences: indexed in {indexing:.2} s ({:.1} MB), search p50 {:.2} ms, p95 {:.2} ms, index {:.1} MB",
        report.sentences,
        report.bytes as f64 / 1e6,
        at(0.5),
        at(0.95),
        engine.bytes().expect("a size").unwrap_or_default() as f64 / 1e6,
    );
}

fn parts(folder: &Path) {
    let mut originals = Vec::new();
    texts(folder, &mut originals);
    let text = originals.join("\n\n").repeat(20);
    let megabytes = text.len() as f64 / 1e6;
    let (seconds, spans) = timed(|| sentences(&text, Span::new(0, text.len())));
    println!("split into sentences   {:>9.0} MB/s", megabytes / seconds);
    let (seconds, _) = timed(|| count_tokens(&text));
    println!("count tokens           {:>9.0} MB/s", megabytes / seconds);
    let pieces: Vec<&str> = spans.iter().map(|span| span.of(&text)).collect();
    let (seconds, _) = timed(|| BuiltIn::default().embed(&pieces, Role::Passage));
    println!("embed                  {:>9.0} sentences/s", pieces.len() as f64 / seconds);
}

/// The least time of five runs, and what came of the last.
fn timed<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut least = f64::MAX;
    for _ in 0..5 {
        let begun = Instant::now();
        std::hint::black_box(work());
        least = least.min(begun.elapsed().as_secs_f64());
    }
    (least, work())
}
