//! Indexes of earlier versions: `formats/N` was made by a program of format N from `tea.md`, `土豆.md` and
//! `lines.jsonl`, and stays.

use okno::{Engine, Query};
use std::path::Path;

/// A copy of the index that a program of this format made; opening one writes lock files beside it.
fn kept(format: u32) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/formats/{format}"));
    copy_folder(&from, copy.path());
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// What came back: document, bytes, and the best score.
fn found(engine: &Engine, question: &str) -> Vec<(String, u32, u32, f32)> {
    let answer = engine.search(&Query::new(question)).unwrap();
    let one = |context: &okno::Context| {
        (context.document.clone(), context.span.start, context.span.end, context.hits[0].score)
    };
    answer.contexts.iter().map(one).collect()
}

#[test]
fn an_index_of_format_5_answers_as_it_did() {
    let index = kept(5);
    let engine = Engine::open(index.path()).unwrap();
    assert_eq!(found(&engine, "How hot should water for black tea be?"), [("tea.md".to_owned(), 40, 196, 3.260_631_8)]);
    assert_eq!(found(&engine, "土豆丝要泡多久？"), [("土豆.md".to_owned(), 0, 127, 3.75)]);
}

#[test]
fn an_index_of_format_5_is_brought_up_to_date_without_embedding_again() {
    let index = kept(5);
    let engine = Engine::open(index.path()).unwrap();
    let hashes: Vec<String> = engine
        .snapshot()
        .unwrap()
        .records()
        .unwrap()
        .iter()
        .map(|(_, record)| format!("{:032x}", record.hash))
        .collect();
    let files = tempfile::tempdir().unwrap();
    std::fs::write(files.path().join("tea.md"), TEA).unwrap();
    let fresh = Engine::create(files.path().join("index")).unwrap();
    fresh.index(&[files.path().join("tea.md")]).unwrap();
    let again = fresh.named("tea.md").unwrap();
    // The upper half is what is split and embedded; the lower one holds the path.
    let body = |hash: u128| format!("{:016x}", hash >> 64);
    assert!(hashes.iter().any(|hash| hash.starts_with(&body(again[0].1.hash))), "{hashes:?}");
}

#[test]
fn an_index_of_format_5_gets_an_identity_and_checksums_when_it_is_opened() {
    let index = kept(5);
    let engine = Engine::open(index.path()).unwrap();
    let question = "How hot should water for black tea be?";
    let before = (found(&engine, question), engine.snapshot().unwrap().numbers());
    let identity = engine.snapshot().unwrap().identity();
    assert!(identity.is_some());
    assert_eq!(engine.check().unwrap(), vec![]);
    let everything: [&Path; 0] = [];
    engine.index(&everything).unwrap();
    assert_eq!((found(&engine, question), engine.snapshot().unwrap().numbers()), before, "nothing else changed");
    assert_eq!(engine.check().unwrap(), vec![]);
    assert_eq!(engine.snapshot().unwrap().identity(), identity, "given once");
    drop(engine);
    // Vectors have checksums now, too.
    let data = index.path().join("data.mdb");
    let mut bytes = std::fs::read(&data).unwrap();
    let text = &TEA.as_bytes()[..40];
    let at = (0..bytes.len() - text.len()).rev().find(|&at| &bytes[at..at + text.len()] == text).unwrap();
    bytes[at - 50] ^= 1;
    std::fs::write(&data, bytes).unwrap();
    assert_eq!(Engine::open(index.path()).unwrap().check().unwrap().len(), 1);
}

const TEA: &str = include_str!("formats/tea.md");
