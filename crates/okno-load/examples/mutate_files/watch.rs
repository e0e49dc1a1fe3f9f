//! A process that reads inputs, and what is done when it dies or hangs.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::figures::{Figures, InputResult};
use super::plan::FileRounds;
use super::{Options, SECONDS, input};

/// Runs a process until its rounds are done or it dies; `slice` is what is left.
pub fn watch(options: &Options, files: &[PathBuf], slice: &mut FileRounds, known: &Mutex<Figures>) {
    let mut process = start(options, slice);
    let lines = lines(&mut process);
    let mut current: Option<(u64, Instant)> = None;
    let mut used = 0;
    let why = loop {
        match lines.recv_timeout(Duration::from_secs(SECONDS)) {
            Ok(line) => {
                if line.starts_with("begin") {
                    let round = line.split('\t').nth(1).and_then(|round| round.parse().ok());
                    current = round.map(|round| (round, Instant::now()));
                    continue;
                }
                used = processor_seconds(&process).unwrap_or(0);
                if let Some((round, _)) = current.take() {
                    slice.rounds.start = round + 1;
                    note(options, files, slice.file, round, &line, known);
                }
            }
            // On a busy machine a process may have waited for its turn.
            Err(RecvTimeoutError::Timeout)
                if processor_seconds(&process).is_some_and(|now| now < used + SECONDS)
                    && current.is_none_or(|(_, begun)| begun.elapsed().as_secs() < SECONDS * 30) => {}
            Err(RecvTimeoutError::Timeout) => break "hung",
            Err(RecvTimeoutError::Disconnected) if slice.rounds.is_empty() => {
                let _ = process.wait();
                return;
            }
            Err(RecvTimeoutError::Disconnected) => break "died",
        }
    };
    let _ = process.kill();
    let ended = process.wait().map(|status| status.to_string()).unwrap_or_default();
    let round = current.map_or(slice.rounds.start, |(round, _)| round);
    found(options, files, slice.file, round, &format!("{why} ({ended})"), known);
    slice.rounds.start = round + 1;
}

fn start(options: &Options, slice: &FileRounds) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let numbers = [options.inputs, options.seed, slice.file as u64, slice.rounds.start, slice.rounds.end];
    let [inputs, seed, rest @ ..] = numbers.map(|number| number.to_string());
    command.args(["--inputs", &inputs, "--seed", &seed, "--child"]).args(rest).args(&options.from);
    command.stdout(Stdio::piped()).spawn().expect("a process")
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

/// Takes note of the line behind an input.
fn note(options: &Options, files: &[PathBuf], file: usize, round: u64, line: &str, known: &Mutex<Figures>) {
    let fields: Vec<&str> = line.split('\t').collect();
    let [fate, micros, memory, code, reason] = fields[..] else { return };
    let time = Duration::from_micros(micros.parse().unwrap_or(0));
    let result = InputResult { refused: (fate != "read").then_some(code), time, memory: memory.parse().unwrap_or(0) };
    known.lock().expect("no job panicked").note(files, file, round, &result);
    if fate == "failed" {
        found(options, files, file, round, reason, known);
    } else if time.as_secs() >= SECONDS {
        found(options, files, file, round, &format!("took {time:?}"), known);
    } else if fate == "refused" && options.inputs == 0 {
        println!("refused {}: {reason}", files[file].display());
    }
}

/// Keeps an input that something is wrong with.
fn found(options: &Options, files: &[PathBuf], file: usize, round: u64, why: &str, known: &Mutex<Figures>) {
    let mut kept = String::new();
    if let Some(out) = &options.out {
        let name = files[file].file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = out.join(format!("{round}-{name}"));
        let bytes = input(options, files, file, round);
        let written = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&path, bytes));
        kept = written.map_or_else(|error| error.to_string(), |()| path.display().to_string());
    }
    let line = format!("round {round}, {}: {why} {kept}", files[file].display());
    eprintln!("{line}");
    known.lock().expect("no job panicked").found.push(line);
}
