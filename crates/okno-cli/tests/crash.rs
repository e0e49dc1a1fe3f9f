//! A run that is killed keeps what it committed, and the next one goes on from there.
//!
//! The program is killed at moments spread over the whole run: before the index exists, while files are
//! read, during commits and while segments are merged. Whatever the moment, the next process must find
//! one whole generation, and running the same command again must end where an undisturbed run ends.
#![cfg(unix)]

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};
use support::{Many, Ran, World, contexts, counts, sample, signal, text, wait_until};

/// Enough for a commit in the middle (every 500 documents) and for a run of some hundred milliseconds.
const MANY: Many = Many { files: 150, lines: 360 };

/// Moments spread evenly over a run without repeating a pattern: the golden ratio's multiples.
fn moment(attempt: usize, run: Duration) -> Duration {
    run.mul_f64((attempt as f64 * 0.618_034) % 1.0)
}

/// Starts `index`, kills it after a while; whether it was still running.
fn killed_after(world: &World, delay: Duration) -> bool {
    let mut child = world.start(["index", "many"]);
    std::thread::sleep(delay);
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let running = output.status.code().is_none();
    // Killed or not, it must not have panicked before.
    let _ = Ran::from(output);
    running
}

/// How long an undisturbed run takes.
fn whole_run(world: &World) -> Duration {
    let begun = Instant::now();
    world.index(["many"]);
    begun.elapsed()
}

/// Everything that can be seen of an index, without what depends on the order of work.
fn state(world: &World) -> (BTreeMap<String, Value>, BTreeMap<String, usize>) {
    let documents = world.documents().into_iter().map(|(name, mut document)| {
        // Both describe the file and the folder, not what was indexed.
        document.as_object_mut().unwrap().remove("root");
        document["metadata"].as_object_mut().unwrap().remove("modified");
        (name, document)
    });
    (documents.collect(), MANY.versions(world, 40))
}

#[test]
fn a_killed_first_run_leaves_no_index_or_a_whole_one() {
    let clean = World::new();
    MANY.write(&clean, 0);
    let run = whole_run(&clean);
    let expected = state(&clean);
    for attempt in 0..6 {
        let world = World::new();
        MANY.write(&world, 0);
        killed_after(&world, moment(attempt, run));
        let ran = world.okno(["status"]);
        if ran.status.success() {
            let listed = world.documents();
            // Every document that is listed can be found by its word, and nothing else can.
            let found = MANY.versions(&world, 50);
            assert!(found.keys().all(|name| listed.contains_key(name)), "found but not listed");
            let asked = MANY.words(0).into_iter().step_by(50).filter(|(name, _)| listed.contains_key(name)).count();
            assert_eq!(found.len(), asked, "listed but not found");
        } else {
            ran.refuses().says(&["no index at"]);
        }
        world.index(["many"]);
        if attempt % 3 == 0 {
            assert_eq!(state(&world), expected, "as if nothing had happened");
        }
    }
}

#[test]
fn killed_fifty_times_the_index_is_consistent_and_ends_as_a_clean_one() {
    let world = World::new();
    MANY.write(&world, 0);
    world.index(["many"]);
    let clean = World::new();
    let mut expected = Vec::new();
    for version in 0..2 {
        MANY.write(&clean, version);
        clean.index(["many"]);
        expected.push(state(&clean));
    }
    MANY.write(&world, 1);
    let run = whole_run(&world);
    let names: Vec<String> = expected[0].0.keys().cloned().collect();
    let (mut kills, mut attempt, mut version) = (0, 0, 0);
    while kills < 50 {
        MANY.write(&world, version);
        // Several kills in a row: a run that goes on from a killed one is killed as well.
        for _ in 0..5 {
            attempt += 1;
            assert!(attempt < 300, "the runs end before they can be killed");
            if !killed_after(&world, moment(attempt, run)) {
                break;
            }
            kills += 1;
            assert_eq!(world.names(), names, "a committed document is missing, or one is there that never was");
            let found = MANY.versions(&world, 75);
            assert_eq!(found.len(), names.len().div_ceil(75), "a document cannot be found by its word");
            let (name, seen) = found.iter().nth(kills % found.len()).unwrap();
            let own = &MANY.words(*seen).into_iter().find(|(other, _)| other == name).unwrap().1;
            assert_eq!(world.text(name), Many::text(own), "text and postings are of one generation");
        }
        world.index(["many"]);
        if kills % 5 == 0 {
            assert_eq!(state(&world), expected[version], "as if nothing had happened");
        }
        version = 1 - version;
    }
    MANY.write(&world, 0);
    world.index(["many"]);
    assert_eq!(state(&world), expected[0]);
    assert_eq!(counts(&world.index(["many"])), [0, 0, 0, MANY.files + MANY.lines], "nothing is left to do");
}

/// Real text in both languages: the answers themselves, not only the words, are those of a clean run.
#[test]
fn after_kills_the_answers_are_those_of_a_clean_run() {
    let copy = |world: &World| {
        for name in [
            "en/handbook.md",
            "en/product-faq.md",
            "en/qx-link-spec.md",
            "news.jsonl",
            "zh/老渡口.txt",
            "zh/青巒島旅遊指南.md",
        ] {
            world.write(&format!("many/{name}"), std::fs::read(sample().join(name)).unwrap());
        }
    };
    let questions: Vec<String> = std::fs::read_to_string(sample().join("../questions.jsonl"))
        .unwrap()
        .lines()
        .step_by(8)
        .map(|line| text(&serde_json::from_str(line).unwrap(), "question"))
        .collect();
    let answers = |world: &World| -> Vec<Vec<(String, String)>> {
        let answers = world.ask_all(&questions, &["--budget", "300"]);
        answers
            .iter()
            .map(|answer| contexts(answer).iter().map(|c| (text(c, "doc_id"), text(c, "text"))).collect())
            .collect()
    };
    let clean = World::new();
    copy(&clean);
    let run = whole_run(&clean);
    let world = World::new();
    copy(&world);
    for attempt in 0..6 {
        killed_after(&world, moment(attempt, run));
    }
    world.index(["many"]);
    assert_eq!(answers(&world), answers(&clean));
}

/// One file of many lines: committed twice before its end, and marked as read only then.
const LINES: Many = Many { files: 0, lines: 1400 };

/// A first run that has committed once and is far from its end.
fn committed_once(world: &World) -> Child {
    LINES.write(world, 0);
    let child = world.start(["index", "many"]);
    wait_until("the first commit", || {
        let list = std::fs::read_to_string(world.path(".okno/lexical/segments")).unwrap_or_default();
        // Behind its checksum; the key-value store commits right after.
        let list: Value = serde_json::from_str(list.lines().nth(1).unwrap_or_default()).unwrap_or_default();
        list["generation"].as_u64().is_some_and(|generation| generation > 0)
    });
    std::thread::sleep(Duration::from_millis(10));
    child
}

/// Whether some, not all, lines are in the index. Then makes the file short, and looks that they leave with it.
fn leave_with_their_lines(world: &World) -> bool {
    let listed = world.names().len();
    Many { files: 0, lines: 3 }.write(world, 0);
    world.index(["many"]);
    assert_eq!(world.names(), ["line0000", "line0001", "line0002"], "after {listed} were committed");
    0 < listed && listed < LINES.lines
}

/// Was broken: documents committed before their file was marked as read stayed for ever once they were gone from it.
#[test]
fn documents_of_a_killed_run_leave_with_their_lines() {
    let killed = |_| {
        let world = World::new();
        let mut child = committed_once(&world);
        child.kill().unwrap();
        child.wait().unwrap();
        leave_with_their_lines(&world)
    };
    assert!((0..5).any(killed), "no run was killed between two commits");
}

#[test]
fn documents_of_a_killed_run_leave_with_their_file() {
    let world = World::new();
    let mut child = committed_once(&world);
    child.kill().unwrap();
    child.wait().unwrap();
    world.delete("many").write("many/only.md", "Only this is left.");
    world.index(["many"]);
    assert_eq!(world.names(), ["only.md"]);
}

#[test]
fn documents_of_an_interrupted_run_leave_with_their_lines() {
    let interrupted = |_| {
        let world = World::new();
        let child = committed_once(&world);
        signal(&child, "INT");
        child.wait_with_output().unwrap();
        leave_with_their_lines(&world)
    };
    assert!((0..5).any(interrupted), "no run was interrupted between two commits");
}

#[test]
fn interrupting_stops_after_a_commit_and_the_next_run_goes_on() {
    let clean = World::new();
    MANY.write(&clean, 0);
    clean.index(["many"]);
    let world = World::new();
    MANY.write(&world, 0);
    let child = world.start(["index", "many"]);
    // The lock is taken after the signal's handler is in place.
    wait_until("the writer has begun", || world.path(".okno/writer.lock").exists());
    signal(&child, "INT");
    let ran = Ran::from(child.wait_with_output().unwrap());
    let ran = ran.ends_with(1).says(&["stopping after the current commit", "run the same command again"]);
    assert_eq!(ran.out, "");
    let listed = world.documents();
    assert!(listed.len() < MANY.files + MANY.lines, "it stopped before the end");
    let found = MANY.versions(&world, 10);
    assert!(found.keys().all(|name| listed.contains_key(name)));
    let [added, changed, removed, _] = counts(&world.index(["many"]));
    assert_eq!(
        (added, changed, removed),
        (MANY.files + MANY.lines - listed.len(), 0, 0),
        "only what was left to do is done"
    );
    assert_eq!(state(&world), state(&clean));
}
