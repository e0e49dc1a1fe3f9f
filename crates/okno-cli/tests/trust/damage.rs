//! Bytes of an index that changed on disk: what is damaged is named and left out, what is not goes on, and nothing
//! changed is returned as genuine.

use super::{Server, World, contexts, counts, number, text};
use serde_json::{Value, json};
use std::io::Read;
use std::os::unix::fs::FileExt;
use zstd::stream::read::Decoder;

pub const DOCUMENTS: usize = 40;

pub fn world() -> World {
    let world = World::new();
    for number in 0..DOCUMENTS {
        world.write(&format!("notes/n{number:02}.md"), note(number));
    }
    world.index(["notes"]);
    world
}

/// Long enough to have pages of its own.
pub fn note(number: usize) -> String {
    let sentence = format!("Keeper{number:02} counted the lamps of pier{number:02} and wrote every one of them down. ");
    format!("# Note {number}\n\n{}", sentence.repeat(60))
}

/// Where `data.mdb` holds these words.
pub fn places(world: &World, words: &str) -> Vec<usize> {
    let bytes = std::fs::read(world.path(".okno/data.mdb")).unwrap();
    let windows = bytes.windows(words.len()).enumerate();
    windows.filter(|(_, window)| *window == words.as_bytes()).map(|(at, _)| at).collect()
}

/// Where `data.mdb` holds the compressed text of a document that says these words.
pub fn text_place(world: &World, words: &str) -> usize {
    let bytes = std::fs::read(world.path(".okno/data.mdb")).unwrap();
    let begins = |at: &usize| bytes[*at..].starts_with(&COMPRESSED);
    let says = |at: &usize| {
        let mut text = String::new();
        let read = Decoder::new(&bytes[*at..]).unwrap().single_frame().read_to_string(&mut text);
        read.is_ok() && text.contains(words)
    };
    (0..bytes.len()).filter(begins).find(says).unwrap()
}

/// What texts that zstd compressed begin with.
const COMPRESSED: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();

/// Changes bytes of `data.mdb` in place, as a bad disk would.
pub fn overwrite_at(world: &World, at: usize, others: &[u8]) {
    let file = std::fs::File::options().write(true).open(world.path(".okno/data.mdb")).unwrap();
    file.write_all_at(others, at as u64).unwrap();
}

/// Changes the text that says these words.
fn overwrite(world: &World, words: &str, others: &[u8]) {
    overwrite_at(world, text_place(world, words) + 4, others);
}

fn damaged(value: &Value) -> Vec<String> {
    value["damaged"]
        .as_array()
        .map(|names| names.iter().map(|name| name.as_str().unwrap().into()).collect())
        .unwrap_or_default()
}

/// Was broken: `search` cited the changed text, `index` said unchanged, `copy` said all equal.
#[test]
fn changed_text_is_not_returned_and_not_copied_and_its_file_is_read_again() {
    let world = world();
    overwrite(&world, "Keeper07 counted the lamps", b"Keeper07 stole   the lamps");
    let answer = world.search(&["Keeper07 pier07"]);
    assert!(contexts(&answer).iter().all(|context| text(context, "doc_id") != "n07.md"), "{answer}");
    assert_eq!(damaged(&answer), ["n07.md"]);
    assert!(!contexts(&answer).is_empty(), "the rest answers");
    world.okno(["search", "Keeper07"]).succeeds().says(&["damaged", "n07.md", "okno index"]);
    world.okno(["--lang", "zh", "search", "Keeper07"]).succeeds().says(&["损坏", "n07.md"]);
    assert_eq!(damaged(&world.status()), ["n07.md"]);
    let copy = world.path("copy");
    world.okno(["copy", "--from", ".okno", "--to", copy.to_str().unwrap()]).refuses().says(&["n07.md", "damaged"]);
    assert!(!copy.exists() || world.okno(["--index", "copy", "documents"]).out.is_empty());
    let report = world.index(Vec::<&str>::new());
    assert_eq!((number(&report, "repaired"), counts(&report)), (1, [1, 0, 0, DOCUMENTS - 1]));
    assert_eq!(damaged(&world.status()), Vec::<String>::new());
    assert_eq!(world.found("Keeper07 pier07")[0], "n07.md");
    assert_eq!(world.text("n07.md"), note(7));
    world.okno(["copy", "--from", ".okno", "--to", copy.to_str().unwrap()]).succeeds();
}

/// Was broken: every command failed.
#[test]
fn one_unreadable_document_leaves_the_others_alone() {
    let world = world();
    // Not UTF-8 any more.
    overwrite(&world, "Keeper11 counted", b"\xff\xff\xff\xff");
    assert_eq!(damaged(&world.status()), ["n11.md"]);
    assert_eq!(world.found("Keeper12 pier12")[0], "n12.md");
    let answer = world.search(&["Keeper11 pier11"]);
    assert_eq!(damaged(&answer), ["n11.md"]);
    assert!(contexts(&answer).iter().all(|context| text(context, "doc_id") != "n11.md"), "{answer}");
    assert_eq!(number(&world.index(["notes"]), "repaired"), 1);
    assert_eq!(world.found("Keeper11 pier11")[0], "n11.md");
    assert_eq!(counts(&world.index(["notes"])), [0, 0, 0, DOCUMENTS]);
}

#[test]
fn a_damaged_document_whose_file_is_gone_leaves_the_index() {
    let world = world();
    overwrite(&world, "Keeper11 counted", b"\xff\xff\xff\xff");
    world.delete("notes/n11.md");
    assert_eq!(counts(&world.index(["notes"])), [0, 0, 1, DOCUMENTS - 1]);
    assert_eq!(damaged(&world.status()), Vec::<String>::new());
}

/// Was broken: a server that had the index open returned what the file held by then.
#[test]
fn text_that_changes_under_a_running_server_is_not_returned() {
    let world = world();
    let server = Server::start(&world, &[]);
    let ask = |question: &str| {
        let (status, answer) = server.post("/api/v1/search", &json!({"question": question, "budget": 300}));
        assert_eq!(status, 200, "{answer}");
        answer
    };
    assert_eq!(text(&contexts(&ask("Keeper20 pier20"))[0], "doc_id"), "n20.md");
    overwrite(&world, "Keeper20 counted the lamps", b"Keeper20 stole   the lamps");
    // Other words: the answer to the same ones is kept.
    let answer = ask("What did Keeper20 of pier20 do?");
    assert!(!answer.to_string().contains("stole"), "{answer}");
    assert_eq!(damaged(&answer), ["n20.md"]);
    let (_, status) = server.get("/api/v1/status");
    assert!(status.contains("\"damaged\":[\"n20.md\"]"), "{status}");
    let (_, job) = server.post("/api/v1/jobs/index", &json!({}));
    let job = server.ended(job["id"].as_str().unwrap());
    assert_eq!(job["result"]["repaired"], 1, "{job}");
    assert_eq!(text(&contexts(&ask("Keeper20, pier20?"))[0], "doc_id"), "n20.md");
}
