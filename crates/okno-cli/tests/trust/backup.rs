//! `okno backup` and `okno restore`: what comes back is what was there, and nothing else comes back.

use super::damage::{overwrite_at, text_place, world};
use super::support::{Many, sample};
use super::{Ran, World, number, text};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

const MANY: Many = Many { files: 100, lines: 300 };

const QUESTIONS: [&str; 3] = ["Why do new people come in every day?", "素菜怎么做", "How hot should water for tea be?"];

fn restored(world: &World, file: &str, folder: &str) -> Ran {
    world.okno(["--index", folder, "restore", file])
}

fn search(world: &World, index: &str, question: &str) -> Value {
    let mut answer = world.okno(["--index", index, "search", "--json", question]).succeeds().json();
    answer.as_object_mut().unwrap().remove("seconds");
    answer
}

/// What an earlier backup or restoring left behind.
fn has_draft(world: &World, file: &str, folder: &str) -> bool {
    world.path(&format!("{file}.part")).exists() || world.path(folder).join(".restoring").exists()
}

#[test]
fn a_restored_index_answers_as_the_one_that_was_backed_up() {
    let world = World::with_sample();
    let told = world.okno(["backup", "--json", "one.backup"]).succeeds().json();
    let documents = world.documents();
    assert_eq!(number(&told, "documents"), documents.len());
    assert_eq!(number(&told, "bytes") as u64, std::fs::metadata(world.path("one.backup")).unwrap().len());
    world.okno(["backup", "one.backup"]).succeeds().says(&["documents in `one.backup`"]);
    world.okno(["--lang", "zh", "backup", "one.backup"]).succeeds().says(&["已备份"]);
    restored(&world, "one.backup", "copy").succeeds().says(&["restored to `copy` and checked"]);
    assert!(!has_draft(&world, "one.backup", "copy"));
    world.okno(["--index", "copy", "check"]).succeeds();
    for question in QUESTIONS {
        assert_eq!(search(&world, "copy", question), search(&world, ".okno", question));
    }
    let other = World::new();
    std::fs::create_dir(other.path(".okno")).unwrap();
    other.okno(["restore", world.path("one.backup").to_str().unwrap()]).succeeds();
    assert_eq!(other.documents(), documents);
    for name in documents.keys() {
        assert_eq!(other.text(name), world.text(name), "{name}");
    }
    // It is an index like any other.
    let (here, there) = (world.index([sample()]), other.index([sample()]));
    assert_eq!(number(&there, "unchanged"), number(&here, "unchanged"), "{there}");
}

/// Documents of two versions while a writer replaces one by the other: a backup holds each of them once, whole.
#[test]
fn a_backup_made_while_a_writer_works_is_one_generation() {
    let world = World::new();
    MANY.write(&world, 0);
    world.index(["many"]);
    let (mut during, mut version) = (0, 0);
    let begun = Instant::now();
    while during < 3 {
        assert!(begun.elapsed() < Duration::from_mins(2), "no backup ran beside a writer");
        version += 1;
        MANY.write(&world, version);
        let mut writer = world.start(["index", "many"]);
        while writer.try_wait().unwrap().is_none() {
            world.okno(["backup", "one.backup"]).succeeds();
            during += usize::from(writer.try_wait().unwrap().is_none());
        }
        assert!(Ran::from(writer.wait_with_output().unwrap()).status.success());
        let other = World::new();
        other.okno(["restore", world.path("one.backup").to_str().unwrap()]).succeeds();
        assert_eq!(other.names(), world.names());
        assert_eq!(MANY.versions(&other, 20).len(), MANY.words(0).into_iter().step_by(20).count());
        other.okno(["check"]).succeeds();
    }
}

#[test]
fn a_backup_of_which_any_byte_changed_is_refused() {
    let world = world();
    world.okno(["backup", "one.backup"]).succeeds();
    let whole = std::fs::read(world.path("one.backup")).unwrap();
    let refused = |what: &str, bytes: &[u8]| {
        world.write("bad.backup", bytes);
        let ran = restored(&world, "bad.backup", "copy");
        assert_eq!(ran.status.code(), Some(1), "{what}: {ran:?}");
        ran.refuses().says(&["bad.backup", "backup"]);
        assert!(!world.path("copy").exists(), "{what}");
    };
    let last = whole.len() - 1;
    for at in (0..whole.len()).step_by(whole.len() / 30).chain(last - 40..=last) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        refused(&format!("byte {at}"), &bytes);
    }
    for length in [0, 1, 39, 40, 4096, whole.len() / 2, last - 40, last] {
        refused(&format!("{length} bytes"), &whole[..length]);
    }
    refused("more bytes", &[&whole[..], b"\0"].concat());
    refused("a page less", &whole[4096..]);
    world.write("bad.backup", &whole);
    world.okno(["--lang", "zh", "--index", "copy", "restore", "notes/n01.md"]).refuses().says(&["不是备份"]);
    restored(&world, "bad.backup", "copy").succeeds();
}

#[test]
fn damage_is_not_backed_up() {
    let world = world();
    world.okno(["backup", "one.backup"]).succeeds();
    let before = std::fs::read(world.path("one.backup")).unwrap();
    overwrite_at(&world, text_place(&world, "Keeper07 counted"), b"Keeper07 stole  ");
    // The vectors of another: no search would notice.
    overwrite_at(&world, text_place(&world, "# Note 5\n") - 100, &[7; 40]);
    let ran = world.okno(["backup", "one.backup"]).refuses();
    ran.says(&["faults: 2", "okno check --repair"]);
    world.okno(["--lang", "zh", "backup", "one.backup"]).refuses().says(&["索引已损坏"]);
    assert_eq!(std::fs::read(world.path("one.backup")).unwrap(), before, "the earlier backup stays");
    assert!(!has_draft(&world, "one.backup", ".okno"));
    world.okno(["check", "--repair"]).succeeds();
    world.okno(["backup", "one.backup"]).succeeds();
}

#[test]
fn a_backup_is_restored_only_where_nothing_is() {
    let world = world();
    world.okno(["backup", "one.backup"]).succeeds();
    restored(&world, "one.backup", ".okno").refuses().says(&["not empty"]);
    restored(&world, "one.backup", "notes").refuses().says(&["not empty", "--index"]);
    restored(&world, "one.backup", "one.backup").refuses();
    restored(&world, "none.backup", "copy").ends_with(1).says(&["none.backup"]);
    world.okno(["--store", "milvus://127.0.0.1:1/x", "backup", "x"]).refuses().says(&["okno copy"]);
    world.okno(["check"]).succeeds();
    assert!(!world.path("notes/data.mdb").exists());
}

/// Kills a command after each of these moments; whether one was still running.
fn killed(world: &World, arguments: &[&str], run: Duration, look: &dyn Fn()) -> usize {
    let mut running = 0;
    for attempt in 0..10 {
        let mut child = world.start(arguments);
        std::thread::sleep(run.mul_f64((f64::from(attempt) * 0.618_034) % 1.0));
        child.kill().unwrap();
        running += usize::from(child.wait_with_output().unwrap().status.code().is_none());
        look();
    }
    running
}

fn duration(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

#[test]
fn a_killed_backup_leaves_the_earlier_one_or_a_whole_one() {
    let world = World::new();
    MANY.write(&world, 0);
    world.index(["many"]);
    let run = duration(|| drop(world.okno(["backup", "one.backup"]).succeeds()));
    let whole = std::fs::read(world.path("one.backup")).unwrap();
    let same = |path: &Path| assert!(std::fs::read(path).unwrap() == whole, "half a backup has the final name");
    let first = world.path("first.backup");
    let running = killed(&world, &["backup", "first.backup"], run, &|| {
        if first.exists() {
            same(&first);
            std::fs::remove_file(&first).unwrap();
        }
    });
    let again = killed(&world, &["backup", "one.backup"], run, &|| same(&world.path("one.backup")));
    assert!(running + again > 0, "nothing was killed in time");
    world.okno(["backup", "first.backup"]).succeeds();
    assert!(!has_draft(&world, "first.backup", ".okno"), "what was left behind is removed");
}

#[test]
fn a_killed_restoring_leaves_no_index_or_a_whole_one() {
    let world = World::new();
    MANY.write(&world, 0);
    world.index(["many"]);
    world.okno(["backup", "one.backup"]).succeeds();
    let run = duration(|| drop(restored(&world, "one.backup", "first").succeeds()));
    let running = killed(&world, &["--index", "copy", "restore", "one.backup"], run, &|| {
        let ran = world.okno(["--index", "copy", "check"]);
        if ran.status.success() {
            world.delete("copy");
        } else {
            ran.refuses().says(&["no index at"]);
        }
    });
    assert!(running > 0, "nothing was killed in time");
    restored(&world, "one.backup", "copy").succeeds();
    let told = world.okno(["--index", "copy", "status", "--json"]).succeeds().json();
    assert_eq!(number(&told, "documents"), world.names().len());
    assert!(!has_draft(&world, "one.backup", "copy"));
    assert!(!text(&search(&world, "copy", "secret word")["contexts"][0], "text").is_empty());
}
