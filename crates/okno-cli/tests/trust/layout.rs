//! What opening an index computes is kept for the next process. Answers are the same with it, without it and with any
//! byte of it changed, and damage of the index is noticed all the same.

use super::damage::{overwrite_at, places, text_place, world};
use super::histories::RandomNumbers;
use super::{World, contexts, text};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

const QUESTIONS: [&str; 3] = ["Keeper07 pier07", "Who counted the lamps of pier23?", "What does Note 31 say?"];

/// An index whose files have not changed for some seconds; what is newer is not believed to stay as it is.
fn settled() -> World {
    let world = world();
    std::thread::sleep(Duration::from_secs(4));
    world
}

fn layout(world: &World) -> PathBuf {
    world.path(".okno/layout")
}

fn answers(world: &World) -> Vec<Value> {
    let answers: Vec<Value> = QUESTIONS.iter().map(|question| world.search(&[question])).collect();
    assert_eq!(text(&contexts(&answers[0])[0], "doc_id"), "n07.md");
    answers
}

#[test]
fn a_kept_layout_changes_no_answer_whatever_is_in_it() {
    let fresh = world();
    fresh.search(&[QUESTIONS[0]]);
    assert!(!layout(&fresh).exists(), "its files have just been written");
    let world = settled();
    let computed = world.search(&[QUESTIONS[0]]);
    let kept = std::fs::read(layout(&world)).expect("the first search keeps it");
    let told = answers(&world);
    assert_eq!(told[0], computed);
    assert_eq!(std::fs::read(layout(&world)).unwrap(), kept, "and no later one");
    world.okno(["check"]).succeeds();
    world.okno(["show", "n07.md"]).succeeds();
    let documents = world.documents();
    let mut random = RandomNumbers(5);
    for number in 0..24 {
        let mut bytes = kept.clone();
        if number % 4 == 0 {
            bytes.truncate(random.below(kept.len()));
        } else {
            let end = if number % 4 == 1 { 96 } else { kept.len() };
            bytes[random.below(end)] ^= 1 << random.below(8);
        }
        std::fs::write(layout(&world), bytes).unwrap();
        assert_eq!(answers(&world), told, "change {number}");
        assert_eq!(std::fs::read(layout(&world)).unwrap().len(), kept.len(), "made again");
    }
    std::fs::remove_file(layout(&world)).unwrap();
    assert_eq!((answers(&world), world.documents()), (told, documents));
    world.write("notes/n07.md", "# Note 7\n\nKeeper07 left pier07.").index(["notes"]);
    let answer = world.search(&[QUESTIONS[0]]);
    let first = text(&contexts(&answer)[0], "text");
    assert!(first.ends_with("Keeper07 left pier07."), "it was that of another generation: {first}");
}

#[test]
fn damage_is_noticed_although_a_layout_was_kept() {
    let world = settled();
    answers(&world);
    // In the record, which is in front of the sentences, and these in front of the text.
    let end = text_place(&world, "Keeper07");
    let record = places(&world, "n07.md").into_iter().filter(|&at| at < end).max().expect("the name of a document");
    overwrite_at(&world, record, b"n97.md");
    let answer = world.search(&[QUESTIONS[0]]);
    assert_eq!(answer["damaged"], serde_json::json!(["n07.md"]));
    assert!(contexts(&answer).iter().all(|context| !text(context, "doc_id").ends_with("7.md")), "{answer}");
    overwrite_at(&world, record, b"n07.md");
    answers(&world);
    let lexical = std::fs::read_dir(world.path(".okno/lexical")).unwrap().map(|entry| entry.unwrap().path());
    let postings = lexical
        .filter(|path| path.extension().is_some_and(|kind| kind == "idx"))
        .max_by_key(|path| std::fs::metadata(path).unwrap().len());
    let postings = postings.unwrap();
    let mut bytes = std::fs::read(&postings).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 16;
    std::fs::write(&postings, bytes).unwrap();
    world.okno(["search", QUESTIONS[0]]).refuses().says(&["lexical"]);
    world.index(["notes"]);
    answers(&world);
}
