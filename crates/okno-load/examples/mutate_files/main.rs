//! Reads the files of folders whole or changed, and tells which make a loader panic, abort, hang or take too much.
//!
//! ```text
//! cargo run --release -p okno-load --example mutate_files -- FOLDER…                       every file as it is
//! cargo run --release -p okno-load --example mutate_files -- --inputs 1000000 FOLDER…      changed at random
//!     --seed N   other changes      --out FOLDER   what was found is kept there      --jobs N   processes at once
//! ```
//!
//! Files are read in processes of their own, each with 1 GiB of memory at most and [`SECONDS`] of processor time for
//! one input. A process that dies or hangs is replaced, and the input that it was reading is what was found. Inputs
//! are shared out by time (`plan`): every file gets some, and those that are read fast get many. A table of the formats
//! is printed at the end. The exit status is 1 where anything was found.

#[path = "../../tests/counting/mod.rs"]
mod counting;
mod figures;
#[path = "../../tests/mutation/mod.rs"]
mod mutation;
mod plan;
mod watch;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use cpu_time::ThreadTime;
use figures::Figures;
use mutation::{Fate, Original, files, read};
use plan::FileRounds;

/// Processor time for one input; without optimisation, ten times as much.
const SECONDS: u64 = if cfg!(debug_assertions) { 100 } else { 10 };
/// Larger files are not read.
const LARGEST: u64 = 64 << 20;

/// What was asked for.
#[derive(Clone)]
struct Options {
    /// How many changed inputs; 0 for every file as it is.
    inputs: u64,
    seed: u64,
    jobs: u64,
    out: Option<PathBuf>,
    /// What a child does; none for the parent.
    child: Option<FileRounds>,
    from: Vec<PathBuf>,
}

fn main() {
    let options = options();
    let files = files(&options.from);
    if files.is_empty() {
        eprintln!("mutate_files [--inputs N] [--seed N] [--jobs N] [--out FOLDER] FILE-OR-FOLDER…");
        std::process::exit(2);
    }
    match &options.child {
        Some(slice) => child(&options, &files, slice),
        None => std::process::exit(i32::from(parent(&options, &files) > 0)),
    }
}

fn options() -> Options {
    let mut given = std::env::args().skip(1);
    let mut options = Options { inputs: 0, seed: 1, jobs: 1, out: None, child: None, from: Vec::new() };
    while let Some(word) = given.next() {
        match word.as_str() {
            "--inputs" => options.inputs = number(&mut given),
            "--seed" => options.seed = number(&mut given),
            "--jobs" => options.jobs = number(&mut given),
            "--child" => {
                let (file, first, last) = (number(&mut given), number(&mut given), number(&mut given));
                options.child = Some(FileRounds { file: file as usize, rounds: first..last });
            }
            "--out" => options.out = given.next().map(PathBuf::from),
            _ => options.from.push(PathBuf::from(word)),
        }
    }
    options
}

fn number(given: &mut impl Iterator<Item = String>) -> u64 {
    given.next().and_then(|word| word.parse().ok()).expect("a number")
}

fn bytes(files: &[PathBuf], file: usize) -> Vec<u8> {
    let small = files[file].metadata().is_ok_and(|about| about.len() <= LARGEST);
    if small { std::fs::read(&files[file]).unwrap_or_default() } else { Vec::new() }
}

/// The input of a round: the file as it is, or changed.
fn input(options: &Options, files: &[PathBuf], file: usize, round: u64) -> Vec<u8> {
    if options.inputs == 0 {
        return bytes(files, file);
    }
    Original::new(bytes(files, file)).changed(files.len(), &|at| bytes(files, at), seed(options, file), round)
}

/// Files have changes of their own.
fn seed(options: &Options, file: usize) -> u64 {
    options.seed.wrapping_add((file as u64) << 32)
}

/// Reads the inputs of one file and writes a line before and after each.
fn child(options: &Options, files: &[PathBuf], slice: &FileRounds) {
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", line.replace(['\n', '\r'], " ")).and_then(|()| out.flush()).expect("the parent reads");
    };
    let name = files[slice.file].file_name().unwrap_or_default().to_string_lossy().into_owned();
    let original = Original::new(bytes(files, slice.file));
    for round in slice.rounds.clone() {
        say(format!("begin\t{round}"));
        let input = match options.inputs {
            0 => original.bytes.clone(),
            _ => original.changed(files.len(), &|at| bytes(files, at), seed(options, slice.file), round),
        };
        let begun = ThreadTime::now();
        let (fate, memory) = counting::measured(|| read(&name, &input));
        let micros = begun.elapsed().as_micros();
        let (fate, code, reason) = match fate {
            Fate::Read(letters) => ("read", "", letters.to_string()),
            Fate::Refused(code, reason) => ("refused", code, reason),
            Fate::Failed(reason) => ("failed", "failed", reason),
        };
        say(format!("{fate}\t{micros}\t{memory}\t{code}\t{}", reason.replace('\t', " ")));
    }
}

fn parent(options: &Options, files: &[PathBuf]) -> usize {
    let begun = Instant::now();
    let known = Mutex::new(Figures::default());
    work(options, files, plan::first_rounds(files.len(), options.inputs.max(1)), &known);
    let costs = known.lock().expect("no job panicked").costs(files.len());
    work(options, files, plan::other_rounds(&costs, options.inputs), &known);
    let known = known.into_inner().expect("no job panicked");
    known.print();
    println!("{} files, {:?}", files.len(), begun.elapsed());
    known.found.len()
}

/// Does all rounds of a plan, in several processes at once.
fn work(options: &Options, files: &[PathBuf], plan: Vec<FileRounds>, known: &Mutex<Figures>) {
    let left = Mutex::new(plan.into_iter());
    let next = || left.lock().expect("no job panicked").next();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(mut slice) = next() {
                    while !slice.rounds.is_empty() {
                        watch::watch(options, files, &mut slice, known);
                    }
                }
            });
        }
    });
}
