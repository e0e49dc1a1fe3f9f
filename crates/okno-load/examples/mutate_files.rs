//! Reads the files of folders whole and changed, and tells which make a loader panic, abort, hang or take too much.
//!
//! ```text
//! cargo run --release -p okno-load --example mutate_files -- FOLDER…                    every file as it is
//! cargo run --release -p okno-load --example mutate_files -- --seconds 600 FOLDER…      changed at random
//!     --seed N   other changes      --out FOLDER   what was found is kept there      --jobs N   processes at once
//! ```
//!
//! Files are read in processes of their own, each with [`MEMORY`] at most and [`SECONDS`] of
//! processor time for one file. A process that
//! dies or hangs is replaced, and the file that it was reading is what was found. The exit status is 1 where anything
//! was found.

#[path = "../tests/mutation/mod.rs"]
mod mutation;

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mutation::{Fate, files, mutated, read};

/// One file may take so much memory.
const MEMORY: usize = 1 << 30;
/// And so much time; without optimisation, ten times as much.
const SECONDS: u64 = if cfg!(debug_assertions) { 100 } else { 10 };
/// Rounds that a process is asked for at a time.
const ROUNDS: u64 = 2000;
/// Larger files are not read.
const LARGEST: u64 = 64 << 20;

/// Counts what is taken, and ends the process where it is too much.
struct Bounded;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

fn take(bytes: usize) {
    let taken = TAKEN.fetch_add(bytes, Ordering::Relaxed) + bytes;
    if taken > MEMORY {
        // Nothing may be allocated here.
        let _ = std::io::stderr().write_all(b"more than 1 GiB of memory\n");
        std::process::abort();
    }
}

// SAFETY: every call is handed on to the allocator of the system unchanged.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

/// What was asked for.
#[derive(Clone)]
struct Options {
    seconds: u64,
    seed: u64,
    jobs: u64,
    out: Option<PathBuf>,
    /// Rounds of a child; none for the parent.
    child: Option<(u64, u64)>,
    from: Vec<PathBuf>,
}

fn main() {
    let options = options();
    let files = files(&options.from);
    if files.is_empty() {
        eprintln!("mutate_files [--seconds N] [--seed N] [--jobs N] [--out FOLDER] FILE-OR-FOLDER…");
        std::process::exit(2);
    }
    match options.child {
        Some((first, last)) => child(&options, &files, first..last),
        None => std::process::exit(i32::from(parent(&options, &files) > 0)),
    }
}

fn options() -> Options {
    let mut given = std::env::args().skip(1);
    let mut options = Options { seconds: 0, seed: 1, jobs: 1, out: None, child: None, from: Vec::new() };
    while let Some(word) = given.next() {
        match word.as_str() {
            "--seconds" => options.seconds = number(&mut given),
            "--seed" => options.seed = number(&mut given),
            "--jobs" => options.jobs = number(&mut given),
            "--child" => options.child = Some((number(&mut given), number(&mut given))),
            "--out" => options.out = given.next().map(PathBuf::from),
            _ => options.from.push(PathBuf::from(word)),
        }
    }
    options
}

fn number(given: &mut impl Iterator<Item = String>) -> u64 {
    given.next().and_then(|word| word.parse().ok()).expect("a number")
}

/// The file of a round: as it is, or changed.
fn input(options: &Options, files: &[PathBuf], round: u64) -> (usize, Vec<u8>) {
    let bytes = |at: usize| {
        let small = files[at].metadata().is_ok_and(|about| about.len() <= LARGEST);
        if small { std::fs::read(&files[at]).unwrap_or_default() } else { Vec::new() }
    };
    if options.seconds == 0 {
        let at = round as usize % files.len();
        return (at, bytes(at));
    }
    mutated(files.len(), &bytes, options.seed, round)
}

/// Reads files and writes a line before and after each.
fn child(options: &Options, files: &[PathBuf], rounds: std::ops::Range<u64>) {
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", line.replace(['\n', '\r'], " ")).and_then(|()| out.flush()).expect("the parent reads");
    };
    for round in rounds {
        let (at, bytes) = input(options, files, round);
        let name = files[at].file_name().unwrap_or_default().to_string_lossy().into_owned();
        say(format!("begin\t{round}\t{at}"));
        match read(&name, &bytes) {
            Fate::Read(letters) => say(format!("read\t{round}\t{at}\t{letters}")),
            Fate::Refused(code, reason) => say(format!("refused\t{round}\t{at}\t{code}\t{reason}")),
            Fate::Failed(reason) => say(format!("failed\t{round}\t{at}\t{reason}")),
        }
    }
}

/// What all processes together know.
#[derive(Default)]
struct Known {
    read: u64,
    refused: BTreeMap<String, Vec<String>>,
    found: Vec<String>,
    slowest: (Duration, u64),
}

fn parent(options: &Options, files: &[PathBuf]) -> usize {
    let begun = Instant::now();
    let last = if options.seconds == 0 { files.len() as u64 } else { u64::MAX };
    let next = Arc::new(AtomicU64::new(0));
    let known = Arc::new(Mutex::new(Known::default()));
    let jobs = (0..options.jobs.max(1)).map(|_| {
        let (options, files, next, known) = (options.clone(), files.to_vec(), Arc::clone(&next), Arc::clone(&known));
        std::thread::spawn(move || {
            let late = || options.seconds > 0 && begun.elapsed() > Duration::from_secs(options.seconds);
            loop {
                let first = next.fetch_add(ROUNDS, Ordering::Relaxed);
                if first >= last || late() {
                    return;
                }
                let mut rounds = first..last.min(first + ROUNDS);
                while !rounds.is_empty() && !late() {
                    watch(&options, &files, &mut rounds, &known, &late);
                }
            }
        })
    });
    let jobs: Vec<_> = jobs.collect();
    for job in jobs {
        job.join().expect("a job");
    }
    let known = known.lock().expect("no job panicked");
    for (reason, names) in &known.refused {
        let changed = options.seconds > 0;
        println!("refused {:6}  {reason}{}", names.len(), if changed { String::new() } else { names.join("\n    ") });
    }
    let (slowest, round) = known.slowest;
    let refused: usize = known.refused.values().map(Vec::len).sum();
    println!(
        "{} files, {} read, {refused} refused, {} found; slowest {slowest:?} (round {round}); {:?}",
        files.len(),
        known.read,
        known.found.len(),
        begun.elapsed()
    );
    known.found.iter().for_each(|line| println!("FOUND {line}"));
    known.found.len()
}

/// Runs a process until its rounds are done or it dies; `rounds` is what is left.
fn watch(
    options: &Options,
    files: &[PathBuf],
    rounds: &mut std::ops::Range<u64>,
    known: &Mutex<Known>,
    late: &dyn Fn() -> bool,
) {
    let mut process = start(options, rounds);
    let lines = lines(&mut process);
    let mut current: Option<(u64, Instant)> = None;
    let mut used = 0;
    loop {
        let why = match lines.recv_timeout(Duration::from_secs(SECONDS)) {
            Ok(line) => {
                used = processor_seconds(&process).unwrap_or(0);
                current = note(options, files, &line, current, known);
                rounds.start = current.map_or(rounds.start, |(round, _)| round);
                if !late() {
                    continue;
                }
                let _ = process.kill();
                let _ = process.wait();
                return;
            }
            // On a busy machine a process may have waited for its turn.
            Err(RecvTimeoutError::Timeout)
                if processor_seconds(&process).is_some_and(|now| now < used + SECONDS)
                    && current.is_some_and(|(_, begun)| begun.elapsed().as_secs() < SECONDS * 30) =>
            {
                continue;
            }
            Err(RecvTimeoutError::Timeout) => "hung",
            Err(RecvTimeoutError::Disconnected) => "died",
        };
        let _ = process.kill();
        let ended = process.wait().map(|status| status.to_string()).unwrap_or_default();
        match current {
            Some((round, _)) => {
                found(options, files, round, &format!("{why} ({ended})"), known);
                rounds.start = round + 1;
            }
            None => rounds.start = rounds.end,
        }
        return;
    }
}

fn start(options: &Options, rounds: &std::ops::Range<u64>) -> Child {
    let numbers = [options.seconds, options.seed, rounds.start, rounds.end].map(|number| number.to_string());
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--seconds", &numbers[0], "--seed", &numbers[1], "--child", &numbers[2], &numbers[3]])
        .args(&options.from)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

/// Seconds of processor time that a process has used, where the system tells (Linux, at 100 ticks a second).
fn processor_seconds(process: &Child) -> Option<u64> {
    let about = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).ok()?;
    let fields: Vec<&str> = about.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100)
}

fn lines(process: &mut Child) -> Receiver<String> {
    let (send, receive) = channel();
    let out = process.stdout.take().expect("it is piped");
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}

/// Takes note of a line of a process; the round that it is in now.
fn note(
    options: &Options,
    files: &[PathBuf],
    line: &str,
    current: Option<(u64, Instant)>,
    known: &Mutex<Known>,
) -> Option<(u64, Instant)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let (Some(what), Some(round)) = (fields.first(), fields.get(1).and_then(|round| round.parse().ok())) else {
        return current;
    };
    let mut all = known.lock().expect("no job panicked");
    if let Some((_, begun)) = current.filter(|_| *what != "begin") {
        all.slowest = all.slowest.max((begun.elapsed(), round));
    }
    match *what {
        "begin" => return Some((round, Instant::now())),
        "read" => all.read += 1,
        "refused" => {
            let name = fields.get(2).and_then(|at| files.get(at.parse::<usize>().ok()?));
            let extension = name.and_then(|name| name.extension()).unwrap_or_default().to_string_lossy().into_owned();
            let shown = name.map(|name| format!("\n    {}: {}", name.display(), fields.get(4).unwrap_or(&"")));
            let reason = format!("{extension} {}", fields.get(3).unwrap_or(&""));
            all.refused.entry(reason).or_default().push(shown.unwrap_or_default());
        }
        _ => {
            drop(all);
            found(options, files, round, fields.last().unwrap_or(&""), known);
        }
    }
    None
}

/// Keeps an input that something is wrong with.
fn found(options: &Options, files: &[PathBuf], round: u64, why: &str, known: &Mutex<Known>) {
    let (at, bytes) = input(options, files, round);
    let name = files[at].file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut kept = String::new();
    if let Some(out) = &options.out {
        let path = out.join(format!("{round}-{name}"));
        let written = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&path, bytes));
        kept = written.map_or_else(|error| error.to_string(), |()| shown(&path));
    }
    let line = format!("round {round}, {}: {why} {kept}", files[at].display());
    eprintln!("{line}");
    known.lock().expect("no job panicked").found.push(line);
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
