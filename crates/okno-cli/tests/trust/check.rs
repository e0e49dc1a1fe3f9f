//! `okno check` finds what searching does not look at, and `--repair` mends what can be mended.

use super::damage::{DOCUMENTS, note, overwrite_at, places, text_place, world};
use super::{World, counts, number, text};
use serde_json::Value;

fn faults(world: &World) -> Vec<String> {
    let ran = world.okno(["check", "--json"]);
    let told = ran.json();
    let codes: Vec<String> = told["faults"].as_array().unwrap().iter().map(|fault| text(fault, "code")).collect();
    assert_eq!(ran.status.code(), Some(i32::from(!codes.is_empty())), "{ran:?}");
    codes
}

fn repaired(world: &World) -> Value {
    world.okno(["check", "--repair", "--json"]).succeeds().json()
}

#[test]
fn a_whole_index_has_no_faults() {
    let world = world();
    world.okno(["check"]).succeeds().says(&["the index is what was stored"]);
    world.okno(["--lang", "zh", "check"]).succeeds().says(&["索引与存入时一致"]);
    world.okno(["check", "--repair"]).succeeds();
    let empty = World::new();
    empty.write("none/.keep", "").okno(["index", "none"]);
    empty.okno(["check"]).succeeds();
}

/// Vectors are not looked at by searches.
#[test]
fn changed_vectors_are_found_and_made_again() {
    let world = world();
    // The vectors stand between the sentences and the text, whose place is known.
    let at = text_place(&world, "# Note 5\n");
    overwrite_at(&world, at - 100, &[7; 40]);
    assert_eq!(faults(&world), ["damaged_document"]);
    world.okno(["check"]).ends_with(1).says(&["n05.md", "okno check --repair"]);
    world.okno(["copy", "--from", ".okno", "--to", "copy"]).refuses().says(&["n05.md"]);
    let told = repaired(&world);
    assert_eq!((number(&told, "read_again"), &told["lost"]), (1, &Value::Array(vec![])));
    assert_eq!(faults(&world), Vec::<String>::new());
    assert_eq!(world.text("n05.md"), note(5));
    assert_eq!(counts(&world.index(["notes"])), [0, 0, 0, DOCUMENTS]);
}

#[test]
fn a_damaged_lexical_index_is_built_again() {
    let world = world();
    let file = std::fs::read_dir(world.path(".okno/lexical"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|own| own == "idx"))
        .unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&file, bytes).unwrap();
    let found = faults(&world);
    assert!(found.iter().all(|code| code.contains("lexical")) && !found.is_empty(), "{found:?}");
    repaired(&world);
    assert_eq!(faults(&world), Vec::<String>::new());
    assert_eq!(world.found("Keeper07 pier07")[0], "n07.md");
}

/// Was broken: where the name of the table of documents changed, an empty one was made, and `index` said that all files
/// were unchanged; without the next number, new documents took the place of others.
#[test]
fn a_table_or_a_value_that_lost_its_name_is_damage() {
    for name in ["documents", "manifest", "generation", "next"] {
        let world = world();
        for at in places(&world, name) {
            // Keys stay in order.
            overwrite_at(&world, at + name.len() - 1, &[name.as_bytes()[name.len() - 1] ^ 1]);
        }
        for command in ["check", "index", "status"] {
            world.okno([command]).refuses().says(&["is damaged"]);
        }
    }
}

#[test]
fn what_cannot_be_made_again_is_named() {
    let world = world();
    let at = text_place(&world, "Keeper11 counted");
    overwrite_at(&world, at, b"\xff\xff");
    world.delete("notes/n11.md").write("notes/other.md", "Another note.");
    let ran = world.okno(["check", "--repair"]).ends_with(1).says(&["lost: n11.md", "bring their files back"]);
    assert_eq!(ran.out, "");
    assert_eq!(faults(&world), Vec::<String>::new());
    world.write("notes/n11.md", note(11));
    assert_eq!(counts(&world.index(["notes"])), [1, 0, 0, DOCUMENTS]);
}

/// 200 bytes changed at places spread over the file, one at a time: each is noticed, or changes nothing that is
/// returned. Places in LMDB's own tree may make the whole index unreadable; then every command says so.
#[test]
fn no_changed_byte_is_returned_as_genuine() {
    let world = world();
    let file = world.path(".okno/data.mdb");
    let whole = std::fs::read(&file).unwrap();
    let expected: Vec<String> = (0..DOCUMENTS).map(note).collect();
    for at in (8192..whole.len()).step_by((whole.len() - 8192) / 60) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x21;
        std::fs::write(&file, &bytes).unwrap();
        for number in [0, 7, 23] {
            let ran = world.okno(["show", "--json", &format!("n{number:02}.md")]);
            assert!(ran.status.code().is_some(), "byte {at}: {ran:?}");
            if ran.status.success() {
                assert_eq!(text(&ran.json(), "text"), expected[number], "byte {at}");
            }
        }
    }
}
