//! Our own files, changed at random for a few seconds: nothing panics, hangs or breaks the laws of documents. The
//! program `mutate_files` (in `examples`) does the same for any folder and as long as one likes.
#![cfg(all(feature = "office", feature = "mail", feature = "pdf"))]

mod mutation;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use mutation::{Fate, Original, files, read};

/// Rounds that are always done; more while there is time.
const ROUNDS: u64 = 300;
const SECONDS: u64 = 5;
/// One file may take so long; without optimisation, and beside other tests.
const LONGEST: Duration = Duration::from_secs(30);

#[test]
fn changed_files_do_no_harm() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let files: Vec<PathBuf> = files(&[folder]).into_iter().filter(|path| path.extension().is_some()).collect();
    let originals: Vec<Original> = files.iter().map(|path| Original::new(std::fs::read(path).unwrap())).collect();
    let begun = Instant::now();
    for round in 0.. {
        if round >= ROUNDS && begun.elapsed().as_secs() >= SECONDS {
            break;
        }
        let at = round as usize % files.len();
        let changed = originals[at].changed(files.len(), &|at| originals[at].bytes.clone(), 1, round);
        let name = files[at].file_name().unwrap().to_string_lossy();
        let since = Instant::now();
        if let Fate::Failed(reason) = read(&name, &changed) {
            panic!("round {round}, {name}: {reason}");
        }
        assert!(since.elapsed() < LONGEST, "round {round}, {name} took {:?}", since.elapsed());
    }
}
