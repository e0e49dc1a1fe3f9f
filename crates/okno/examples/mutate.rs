//! Fuzzing with nothing but the toolchain: files are changed at random, and every law of loaders and splitters is
//! asked of them.
//!
//! ```text
//! cargo run --release --workspace --example mutate -- SECONDS OUT FILE-OR-FOLDER…
//! ```
//!
//! In come files that are read well; out come, in the folder OUT, the changed ones that made a loader or splitter
//! panic or run for longer than [`SLOW`], each with a line that says why. `cargo fuzz` (folder `fuzz/`) asks the same
//! laws and finds its way by coverage; this needs no nightly compiler. The same seed (`SEED`, from the environment)
//! gives the same changes.

#[path = "../../../fuzz/laws.rs"]
mod laws;
#[path = "../../../fuzz/words.rs"]
mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use words::WORDS;

/// No file of this size needs so long, in CPU time, though all loaders and splitters together read it some fifty
/// times. A build without optimisation takes about ten times as long as one with.
const SLOW: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 });

/// Longer texts teach no more and take longer.
const LARGEST: usize = 1 << 15;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, out, from @ ..] = given.as_slice() else {
        return eprintln!("mutate SECONDS OUT FILE-OR-FOLDER…");
    };
    let mut seeds = Vec::new();
    for path in from {
        collect(Path::new(path), &mut seeds);
    }
    assert!(!seeds.is_empty(), "no files in {from:?}");
    std::fs::create_dir_all(out).expect("a folder for what is found");
    std::panic::set_hook(Box::new(|about| eprintln!("{about}")));
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let (rounds, found) = hunt(&seeds, Duration::from_secs(seconds.parse().expect("seconds")), Path::new(out), seed);
    println!("{} files, {rounds} rounds, {found} found", seeds.len());
    std::process::exit(i32::from(found > 0));
}

fn collect(path: &Path, seeds: &mut Vec<Vec<u8>>) {
    if path.is_dir() {
        let mut inside: Vec<PathBuf> = std::fs::read_dir(path).expect("a folder").flatten().map(|e| e.path()).collect();
        inside.sort();
        return inside.iter().for_each(|path| collect(path, seeds));
    }
    let mut bytes = std::fs::read(path).expect("a file");
    // The beginning of a text is a text; the beginning of an archive is none.
    if std::str::from_utf8(&bytes).is_ok() {
        bytes.truncate(LARGEST);
    }
    if !bytes.is_empty() && bytes.len() <= 4 * LARGEST {
        seeds.push(bytes);
    }
}

/// Rounds made and files found.
fn hunt(seeds: &[Vec<u8>], time: Duration, out: &Path, seed: u64) -> (u64, u64) {
    let (begun, mut rounds, mut found, mut random) = (Instant::now(), 0, 0, Random(seed.max(1)));
    while begun.elapsed() < time {
        rounds += 1;
        let bytes = changed(seeds, &mut random);
        if let Some(why) = fault(&bytes) {
            found += 1;
            std::fs::write(out.join(format!("{seed}-{rounds}")), &bytes).expect("room for it");
            eprintln!("{seed}-{rounds}: {why}");
        }
    }
    (rounds, found)
}

/// Which law these bytes break.
fn fault(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let laws: [(&str, &dyn Fn()); 3] =
        [("load", &|| laws::load(bytes)), ("inside", &|| laws::inside(bytes)), ("split", &|| laws::split(&text))];
    laws.iter().find_map(|(name, law)| {
        let begun = cpu_time::ThreadTime::now();
        let kept = catch_unwind(AssertUnwindSafe(law)).is_ok();
        match begun.elapsed() {
            _ if !kept => Some(format!("{name} panics")),
            took if took > SLOW => Some(format!("{name} took {took:?}")),
            _ => None,
        }
    })
}

/// One of the files after a few changes, sometimes the start of one with the end of another.
fn changed(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    if random.below(8) == 0 {
        let other = &seeds[random.below(seeds.len())];
        bytes.truncate(random.below(bytes.len()));
        bytes.extend(&other[random.below(other.len())..]);
    }
    for _ in 0..=random.below(12) {
        change(&mut bytes, random);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let end = (at + random.below(64)).min(bytes.len());
    let new = match random.below(7) {
        0 => vec![random.below(256) as u8],
        1 if at < bytes.len() => {
            bytes[at] ^= 1 << random.below(8);
            return;
        }
        2 => {
            bytes.drain(at..end);
            return;
        }
        3 => bytes[at..end].repeat(1 + random.below(40)),
        4 if random.below(4) == 0 => {
            bytes.truncate(at);
            return;
        }
        _ => WORDS[random.below(WORDS.len())].repeat(1 + random.below(3) * random.below(100)).into_bytes(),
    };
    bytes.splice(at..at, new);
}

/// Xorshift: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize % end.max(1)
    }
}
