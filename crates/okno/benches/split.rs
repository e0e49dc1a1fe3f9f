//! Speed of every splitter, on one core, and what hostile texts cost.
//!
//! ```text
//! cargo bench --bench split                       the sample, repeated
//! cargo bench --bench split -- FILE…              your own files, Markdown
//! cargo bench --bench split -- hostile 64         one line, only marks, only accents … from 4 KB to 64 MB
//! cargo bench --bench split -- hostile 64 accents line   only the kinds whose names hold one of these words
//! ```
//!
//! Times are CPU time of this process where the system tells it (Linux), else wall time; reading the text as Markdown
//! is part of them for the splitters that need blocks. Hostile texts show nanoseconds for each byte at 4 KB, 64 KB, 1
//! MB and so on – the same in every column when time is linear – and the most memory a splitter took beside the text,
//! in bytes for each of its bytes.

use okno::document::Span;
use okno::split::{Split, Splitter, Text, sentences};
use std::hint::black_box;
use std::path::Path;

/// What the sources use, and the sizes of their defaults.
const SPLITTERS: &[&str] = &[
    "sentence",
    "sentences:3",
    "paragraph",
    "chunk:400c/200c",
    "words:200/40",
    "chars:400/200",
    "recursive:3000c/300c",
    "recursive:500c/50c",
    "tokens:512t/64t",
    "markdown",
    "html",
    "semantic:95p/3000c",
    "hierarchy:3000c/500c",
    "code:1500c",
];

/// What long texts are made of.
const UNITS: &[(&str, &str)] = &[
    ("one word", "a"),
    ("one line of words", "word "),
    ("one line of sentences", "He left. "),
    ("one line of Chinese", "你好，世界。"),
    ("only full stops", "."),
    ("only Chinese marks", "。！？"),
    ("only accents", "\u{301}"),
    ("only brackets", "(《"),
    ("only line feeds", "\n"),
    ("only headings", "# a\n"),
];

/// A slow text is measured on no more than this.
const ENOUGH: usize = 8 << 20;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    match given.as_slice() {
        [] => speed("the sample", &sample()),
        [word, most, kinds @ ..] if word == "hostile" => hostile(most.parse().expect("megabytes"), kinds),
        files => files.iter().for_each(|file| speed(file, &std::fs::read_to_string(file).expect("text in UTF-8"))),
    }
}

fn sample() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-cli/sample/documents");
    let mut found = Vec::new();
    collect(&folder, &mut found);
    found.sort();
    found.join("\n\n").repeat(20)
}

fn collect(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the sample").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "md" || kind == "txt") {
            found.push(std::fs::read_to_string(path).expect("text"));
        }
    }
}

fn speed(name: &str, text: &str) {
    let text = &text[..text.floor_char_boundary(ENOUGH)];
    let megabytes = text.len() as f64 / 1e6;
    println!("{name}: {megabytes:.1} MB, {:.1} million characters", text.chars().count() as f64 / 1e6);
    let (seconds, count) = least(|| sentences(text, Span::new(0, text.len())).len());
    line("sentences(), no blocks", megabytes / seconds, count);
    for name in SPLITTERS {
        let splitter: Splitter = name.parse().expect("a splitter");
        // Characters, words and separators look at no blocks.
        let bare = matches!(
            splitter,
            Splitter::Words { .. } | Splitter::Characters { .. } | Splitter::Recursive { .. } | Splitter::Code(_)
        );
        let read = || if bare { Text { text, blocks: Vec::new().into() } } else { Text::markdown(text) };
        let (seconds, count) = least(|| splitter.split(&read()).expect("pieces").len());
        line(name, megabytes / seconds, count);
    }
}

fn line(name: &str, speed: f64, count: usize) {
    println!("  {name:24} {speed:>8.1} MB per CPU s  {count:>8} pieces");
}

/// Each splitter on each kind of text, from 4 KB in steps of 16, and at so many megabytes.
fn hostile(most: usize, kinds: &[String]) {
    let wanted = |kind: &str| kinds.is_empty() || kinds.iter().any(|word| kind.contains(word.as_str()));
    let sizes = std::iter::successors(Some(4096), |size| Some(size * 16)).take_while(|&size| size < most << 20);
    let sizes: Vec<usize> = sizes.chain([most << 20]).collect();
    for name in SPLITTERS {
        let splitter: Splitter = name.parse().expect("a splitter");
        for (kind, unit) in UNITS.iter().filter(|(kind, _)| wanted(kind)) {
            let mut row = format!("{name:22} {kind:22}");
            let mut most = 0.0;
            for size in &sizes {
                let text = unit.repeat(size / unit.len());
                let before = forget_peak();
                let (seconds, _) = once(|| splitter.split(&Text::markdown(&text)).expect("pieces").len());
                row += &format!(" {:>7.1}", seconds * 1e9 / text.len() as f64);
                most = (memory("VmHWM") - before).max(0.0) / text.len() as f64;
            }
            println!("{row}  ns per byte, {most:>5.1} bytes per byte");
        }
    }
}

/// What is in memory now; the most that was is forgotten, where the system allows it (Linux).
fn forget_peak() -> f64 {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    memory("VmHWM")
}

/// A line of what the system tells about this process, in bytes; 0 where it does not.
fn memory(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}

/// The least CPU time of three runs, and what came of the last.
fn least(work: impl Fn() -> usize) -> (f64, usize) {
    let runs = [once(&work), once(&work), once(&work)];
    (runs.iter().map(|run| run.0).fold(f64::MAX, f64::min), runs[2].1)
}

fn once(work: impl Fn() -> usize) -> (f64, usize) {
    let begun = cpu_time::ThreadTime::now();
    let count = black_box(work());
    (begun.elapsed().as_secs_f64(), count)
}
