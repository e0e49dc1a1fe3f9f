//! Several processes at one index: one writes, all others read the last whole generation.
#![cfg(unix)]

mod support;

use std::process::Child;
use std::time::Duration;
use support::{Many, Ran, World, contexts, counts, number, signal, text, wait_until};

/// Two commits in the middle of a run.
const MANY: Many = Many { files: 100, lines: 1000 };

/// An index of the first version, and a folder with the second.
fn outdated() -> World {
    let world = World::new();
    MANY.write(&world, 0);
    world.index(["many"]);
    MANY.write(&world, 1);
    world
}

/// Starts a run that has the writer's lock and is far from its end.
fn begun(world: &World) -> Child {
    // The file is made again by the next writer, which takes the lock at once.
    world.delete(".okno/writer.lock");
    let child = world.start(["index", "many"]);
    wait_until("the writer has begun", || world.path(".okno/writer.lock").exists());
    std::thread::sleep(Duration::from_millis(10));
    child
}

fn is_running(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_none()
}

fn total() -> usize {
    MANY.files + MANY.lines
}

#[test]
fn searching_works_while_another_process_indexes() {
    let world = outdated();
    let mut child = world.start(["index", "many"]);
    let (name, old, new) = {
        let (name, old) = MANY.words(0).swap_remove(total() - 1);
        (name, old, MANY.words(1).swap_remove(total() - 1).1)
    };
    let flags = ["--recipe", "window", "--expand", "none", "-k", "10"];
    let (mut searches, mut generation, mut seen_new) = (0, 0, false);
    while is_running(&mut child) {
        let status = world.status();
        assert_eq!(number(&status, "documents"), total(), "a document that is replaced is never missing");
        assert!(number(&status, "generation") >= generation, "time does not run backwards");
        generation = number(&status, "generation");
        let answers = world.ask_all(&[old.clone(), new.clone()], &flags);
        let holds = |at: usize, word: &str| {
            contexts(&answers[at]).iter().any(|c| text(c, "text") == format!("The secret word here is {word}."))
        };
        let (has_old, has_new) = (holds(0, &old), holds(1, &new));
        // Both questions of one run see one generation: the document as it was, or as it is, never both and never
        // neither.
        assert!(
            has_old != has_new || (generation != number(&world.status(), "generation")),
            "old {has_old}, new {has_new}"
        );
        assert!(has_new || !seen_new, "what was seen stays");
        seen_new |= has_new;
        searches += 1;
    }
    let ran = Ran::from(child.wait_with_output().unwrap()).succeeds();
    ran.says(&[&format!("{} changed", total())]);
    assert!(searches > 0, "the run was over before anybody could search");
    assert!(world.text(&name).contains(&new));
}

#[test]
fn a_first_run_can_be_watched() {
    let world = World::new();
    MANY.write(&world, 0);
    let mut child = world.start(["index", "many"]);
    let mut documents = 0;
    while is_running(&mut child) {
        let ran = world.okno(["status", "--json"]);
        if ran.status.success() {
            let now = number(&ran.json(), "documents");
            assert!(now >= documents, "documents only come");
            documents = now;
            world.okno(["search", "secret", "--budget", "20"]).succeeds();
            world.okno(["documents"]).succeeds();
        } else {
            ran.refuses().says(&["no index at"]);
        }
    }
    Ran::from(child.wait_with_output().unwrap()).succeeds();
    assert_eq!(number(&world.status(), "documents"), total());
}

#[test]
fn a_second_writer_is_told_to_wait_and_the_first_is_not_disturbed() {
    let world = outdated();
    let mut child = begun(&world);
    // Stopped, it holds its lock for as long as this takes.
    signal(&child, "STOP");
    for command in [["index", "many"], ["remove", "line0001"]] {
        let ran = world.okno(command);
        if is_running(&mut child) && ran.status.success() {
            signal(&child, "CONT");
            panic!("{command:?} wrote beside another writer");
        }
        ran.refuses().says(&["another process is writing", "searching works meanwhile", "try again"]);
    }
    world.okno(["--lang", "zh", "index", "many"]).ends_with(1).says(&["另一个进程正在写入索引"]);
    signal(&child, "CONT");
    Ran::from(child.wait_with_output().unwrap()).succeeds();
    assert_eq!(counts(&world.index(["many"])), [0, 0, 0, MANY.files + MANY.lines]);
}

#[test]
fn a_killed_writer_leaves_no_lock() {
    let world = outdated();
    for attempt in 0..4 {
        let mut child = begun(&world);
        child.kill().unwrap();
        child.wait().unwrap();
        world.okno(["remove", &format!("line000{attempt}")]).succeeds().says(&["1 removed"]);
        world.index(["many"]);
        MANY.write(&world, attempt);
    }
}

#[test]
fn a_killed_reader_disturbs_nobody() {
    let world = outdated();
    for _ in 0..5 {
        let mut reader = world.start(["search", "--queries", "/dev/stdin"]);
        reader.kill().unwrap();
        reader.wait().unwrap();
    }
    world.index(["many"]);
    assert_eq!(number(&world.status(), "documents"), total());
}

/// Several programs make the same index at the same moment: one writes, the others say so, and nothing is broken.
#[test]
fn indexes_that_begin_together_do_not_break_each_other() {
    for _ in 0..4 {
        let world = World::new();
        let folders = ["a", "b", "c", "d"];
        for folder in folders {
            for i in 0..20 {
                world.write(&format!("{folder}/{folder}{i}.md"), format!("Note {i} of folder {folder}."));
            }
        }
        let children: Vec<Child> = folders.iter().map(|folder| world.start(["index", folder])).collect();
        let mut written = 0;
        for child in children {
            let ran = Ran::from(child.wait_with_output().unwrap());
            if ran.status.success() {
                written += 1;
            } else {
                ran.refuses().says(&["another process is writing"]);
            }
        }
        assert!(written > 0, "somebody must win");
        assert_eq!(number(&world.status(), "documents"), 20 * written);
        world.index(folders);
        assert_eq!(number(&world.status(), "documents"), 80);
    }
}

#[test]
fn many_readers_at_once() {
    let world = outdated();
    let children: Vec<Child> = (0..12).map(|_| world.start(["search", "secret", "--json", "--budget", "40"])).collect();
    let answers: Vec<String> =
        children.into_iter().map(|child| Ran::from(child.wait_with_output().unwrap()).succeeds().out).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "all see the same");
}
