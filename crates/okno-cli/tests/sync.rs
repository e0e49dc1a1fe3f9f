//! An index follows its files: what is the same is left alone, what changed is read again, what is gone goes.

mod support;

use serde_json::{Value, json};
use support::{World, contexts, counts, number, sample, skipped, text};

const NONE: [&str; 0] = [];

fn three_notes() -> World {
    let world = World::new();
    world.write("notes/tea.md", "# Tea\n\nGreen tea wants water of seventy degrees.");
    world.write("notes/soup.md", "# Soup\n\nLeek soup wants patience and butter.");
    world.write("notes/deep/bread.txt", "Rye bread keeps for a week in linen.");
    assert_eq!(counts(&world.index(["notes"])), [3, 0, 0, 0]);
    world
}

/// What answers a few questions, without scores.
fn answers(world: &World) -> Vec<Value> {
    let questions = ["green tea", "soup with butter", "how long does bread keep"].map(str::to_owned);
    let mut answers = world.ask_all(&questions, &["--budget", "100"]);
    for context in answers.iter_mut().flat_map(|answer| answer["contexts"].as_array_mut().unwrap()) {
        context.as_object_mut().unwrap().remove("score");
    }
    answers
}

#[test]
fn a_second_run_over_the_same_files_changes_nothing() {
    let world = three_notes();
    let before = (world.documents(), answers(&world));
    assert_eq!(counts(&world.index(["notes"])), [0, 0, 0, 3]);
    assert_eq!((world.documents(), answers(&world)), before);
}

#[test]
fn a_new_date_alone_is_no_change() {
    let world = three_notes();
    let file = std::fs::File::options().append(true).open(world.path("notes/tea.md")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(31_536_001)).unwrap();
    assert_eq!(counts(&world.index(["notes"])), [0, 0, 0, 3]);
    // Was broken: the metadata kept the old date.
    assert_eq!(world.documents()["tea.md"]["metadata"]["modified"], "1971-01-01");
}

#[test]
fn a_date_of_its_own_is_not_the_date_of_the_file() {
    let world = World::new();
    world.write("notes/a.md", "---\nmodified: 2020-02-02\n---\nSomething.");
    world.index(["notes"]);
    let file = std::fs::File::options().append(true).open(world.path("notes/a.md")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    world.index(["notes"]);
    assert_eq!(world.documents()["a.md"]["metadata"]["modified"], "2020-02-02");
}

#[test]
fn added_changed_and_deleted_files_are_followed() {
    let world = three_notes();
    world.write("notes/tea.md", "# Tea\n\nBlack tea wants boiling water.");
    world.write("notes/rice.md", "# Rice\n\nRice wants rest under a towel.");
    world.delete("notes/soup.md");
    assert_eq!(counts(&world.index(["notes"])), [1, 1, 1, 1]);
    assert_eq!(world.names(), ["deep/bread.txt", "rice.md", "tea.md"]);
    assert_eq!(world.text("tea.md"), "# Tea\n\nBlack tea wants boiling water.");
    assert_eq!(world.found("towel rest")[0], "rice.md");
    for gone in ["leek butter patience", "seventy degrees green"] {
        let answer = world.search(&[gone]).to_string();
        assert!(!answer.contains("Leek") && !answer.contains("seventy degrees."), "{answer}");
    }
}

#[test]
fn a_renamed_file_is_found_under_its_new_name_only() {
    let world = three_notes();
    std::fs::rename(world.path("notes/tea.md"), world.path("notes/green.md")).unwrap();
    std::fs::rename(world.path("notes/deep"), world.path("notes/shallow")).unwrap();
    assert_eq!(counts(&world.index(["notes"])), [2, 0, 2, 1]);
    assert_eq!(world.names(), ["green.md", "shallow/bread.txt", "soup.md"]);
    let answer = world.search(&["green tea water"]);
    assert_eq!(text(&contexts(&answer)[0], "doc_id"), "green.md");
    assert_eq!(contexts(&answer)[0]["copies"], json!([]), "the old name is not cited");
}

#[test]
fn an_emptied_or_broken_file_is_reported_and_its_old_text_not_returned() {
    let world = three_notes();
    world.write("notes/tea.md", "");
    let report = world.index(["notes"]);
    assert_eq!(skipped(&report).keys().collect::<Vec<_>>(), ["tea.md"]);
    assert!(
        !world.search(&["green tea seventy degrees"]).to_string().contains("seventy degrees."),
        "a text that is no longer there"
    );
    world.write("notes/tea.md", "White tea wants nothing.");
    world.index(["notes"]);
    assert_eq!(world.text("tea.md"), "White tea wants nothing.");
}

#[test]
fn two_roots_do_not_know_of_each_other() {
    let world = World::new();
    world.write("a/one.md", "The first folder has a fox.").write("b/one.md", "The second folder has an owl.");
    world.write("b/two.md", "The second folder has a crow.");
    world.index(["a"]);
    world.index(["b"]);
    assert_eq!(number(&world.status(), "documents"), 3, "indexing B never removes what indexing A added");
    world.delete("a/one.md").delete("b/two.md");
    assert_eq!(counts(&world.index(["b"])), [0, 0, 1, 1]);
    assert_eq!(number(&world.status(), "documents"), 2, "only B was brought up to date");
    assert!(world.search(&["fox"]).to_string().contains("fox."));
    assert_eq!(counts(&world.index(NONE)), [0, 0, 1, 1]);
    assert_eq!(world.status()["roots"].as_array().unwrap().len(), 2);
}

#[test]
fn part_of_a_root_brings_only_itself_up_to_date() {
    let world = three_notes();
    world.write("notes/tea.md", "Changed, but not asked for.");
    world.write("notes/deep/bread.txt", "Rye bread keeps for ten days in linen.");
    world.write("notes/deep/roll.txt", "Rolls do not keep.");
    assert_eq!(counts(&world.index(["notes/deep"])), [1, 1, 0, 0]);
    assert_eq!(world.names(), ["deep/bread.txt", "deep/roll.txt", "soup.md", "tea.md"], "named as parts of their root");
    assert!(world.text("tea.md").contains("seventy"));
    world.delete("notes/deep/roll.txt").delete("notes/soup.md");
    assert_eq!(counts(&world.index(["notes/deep"])), [0, 0, 1, 1]);
    assert_eq!(counts(&world.index(["notes/tea.md"])), [0, 1, 0, 0], "a single file of a root");
    assert_eq!(world.names(), ["deep/bread.txt", "soup.md", "tea.md"]);
    assert_eq!(world.status()["roots"].as_array().unwrap().len(), 1);
}

#[test]
fn a_folder_around_a_root_absorbs_it() {
    let world = World::new();
    world
        .write("all/notes/tea.md", "Green tea.")
        .write("all/notes/soup.md", "Leek soup.")
        .write("all/top.md", "The top.");
    world.index(["all/notes"]);
    world.index(["all"]);
    assert_eq!(world.names(), ["notes/soup.md", "notes/tea.md", "top.md"]);
    assert_eq!(world.status()["roots"], json!([world.path("all").canonicalize().unwrap()]));
    assert_eq!(counts(&world.index(NONE)), [0, 0, 0, 3]);
}

/// Was broken: what was removed by hand came back under its new name.
#[test]
fn what_was_removed_stays_removed_when_its_root_is_absorbed() {
    for inner in ["all/notes", "all/notes/deep", "all/notes/deep/tea.md"] {
        let world = World::new();
        world.write("all/notes/deep/tea.md", "Green tea.").write("all/notes/deep/soup.md", "Leek soup.");
        world.index([inner]);
        world.okno(["remove", if inner == "all/notes" { "deep/tea.md" } else { "tea.md" }]).succeeds();
        world.index(["all"]);
        assert_eq!(world.names(), ["notes/deep/soup.md"], "{inner}");
        world.write("all/notes/deep/tea.md", "Black tea.");
        world.index(["all"]);
        assert_eq!(world.names().len(), 2, "{inner}: other content is another document");
    }
}

/// Was broken: a file of a part of a root was described by its path in that part.
#[test]
fn a_part_of_a_root_describes_its_files_as_the_whole_does() {
    let world = three_notes();
    world.write("notes/deep/bread.txt", "Rye bread keeps for ten days.");
    world.index(["notes/deep"]);
    assert_eq!(world.documents()["deep/bread.txt"]["metadata"]["path"], "deep/bread.txt");
}

/// Was broken: the inner folder kept a root of its own that was in no list, and every document came twice.
#[test]
fn a_folder_and_a_part_of_it_given_together_are_one_root() {
    for order in [["all/notes", "all"], ["all", "all/notes"], ["all", "all"]] {
        let world = World::new();
        world.write("all/notes/tea.md", "Green tea.").write("all/top.md", "The top.");
        assert_eq!(number(&world.index(order), "added"), 2, "{order:?}");
        assert_eq!(world.names(), ["notes/tea.md", "top.md"], "{order:?}");
        world.delete("all/notes/tea.md");
        world.index(NONE);
        assert_eq!(world.names(), ["top.md"], "{order:?}");
    }
}

#[test]
fn the_index_inside_the_indexed_folder_is_not_a_document() {
    let world = World::new();
    world.write("notes/tea.md", "Green tea.");
    for _ in 0..2 {
        let ran = world.okno(["index", "notes", "--index", "notes/search", "--json"]).succeeds();
        assert_eq!(skipped(&ran.json()).len(), 0);
    }
    assert_eq!(world.okno(["documents", "--index", "notes/search"]).succeeds().out.lines().count(), 1);
    world.index(["."]);
    let names = world.names();
    assert!(
        names.contains(&"notes/tea.md".to_owned()) && !names.iter().any(|name| name.starts_with(".okno")),
        "{names:?}"
    );
}

fn line(id: &str, text: &str) -> String {
    json!({ "doc_id": id, "text": text }).to_string() + "\n"
}

#[test]
fn lines_of_a_jsonl_file_are_followed_one_by_one() {
    let world = World::new();
    let (fox, owl, crow) =
        (line("d1", "A fox in the barn."), line("d2", "An owl in the tree."), line("d3", "A crow on the roof."));
    world.write("news.jsonl", format!("{fox}{owl}"));
    assert_eq!(counts(&world.index(["news.jsonl"])), [2, 0, 0, 0]);
    world.write("news.jsonl", format!("{fox}{owl}{crow}"));
    assert_eq!(counts(&world.index(["news.jsonl"])), [1, 0, 0, 2]);
    let hen = line("d2", "A hen in the tree.");
    world.write("news.jsonl", format!("{crow}{hen}{fox}"));
    assert_eq!(counts(&world.index(["news.jsonl"])), [0, 1, 0, 2], "their order does not matter");
    world.write("news.jsonl", format!("{fox}{crow}"));
    assert_eq!(counts(&world.index(["news.jsonl"])), [0, 0, 1, 2]);
    assert_eq!(world.names(), ["d1", "d3"]);
    assert!(!world.search(&["hen tree owl"]).to_string().contains("tree."));
}

#[test]
fn identical_copies_are_returned_once_and_cite_each_place() {
    let world = World::new();
    let same = "The lighthouse keeper counts the waves at night.";
    world.write("notes/a.md", same).write("notes/b.md", same).write("notes/deep/c.md", same);
    world.write("notes/other.md", "Something about harbours and ropes.");
    world.index(["notes"]);
    let answer = world.search(&["lighthouse keeper waves"]);
    let found: Vec<&Value> = contexts(&answer).iter().filter(|context| text(context, "text") == same).collect();
    assert_eq!(found.len(), 1);
    let mut places: Vec<String> = serde_json::from_value(found[0]["copies"].clone()).unwrap();
    places.push(text(found[0], "doc_id"));
    places.sort();
    assert_eq!(places, ["a.md", "b.md", "deep/c.md"]);
    let ran = world.okno(["search", "lighthouse keeper waves"]).succeeds();
    assert!(ran.out.contains("(also in "), "{}", ran.out);

    world.delete("notes/a.md");
    world.index(NONE);
    let answer = world.search(&["lighthouse keeper waves"]);
    assert_eq!(contexts(&answer)[0]["copies"].as_array().unwrap().len(), 1);
}

#[test]
fn a_root_that_is_gone_keeps_its_documents_and_says_so() {
    let world = World::new();
    world.write("stick/tea.md", "Green tea.").write("notes/soup.md", "Leek soup.");
    world.index(["stick", "notes"]);
    std::fs::rename(world.path("stick"), world.path("unplugged")).unwrap();
    let report = world.index(NONE);
    let (place, reason) = skipped(&report).into_iter().next().unwrap();
    assert!(place.ends_with("stick") && reason.contains("gone; its documents are kept"), "{reason}");
    assert_eq!(world.names(), ["soup.md", "tea.md"]);
    world.okno(["index", "stick"]).refuses().says(&["cannot read `stick`"]);

    // The advice works as given, although the folder is gone.
    assert_eq!(world.okno(["remove", "--root", &place, "--json"]).succeeds().json(), json!({"removed": 1}));
    assert_eq!(world.names(), ["soup.md"]);
}

#[test]
fn a_removed_document_is_not_counted_when_its_file_goes() {
    let world = three_notes();
    world.okno(["remove", "tea.md"]).succeeds();
    world.delete("notes/tea.md");
    assert_eq!(number(&world.index(["notes"]), "removed"), 0);
}

#[test]
fn ignored_files_are_left_out_and_leave_when_they_become_ignored() {
    let world = three_notes();
    world.write("notes/.gitignore", "soup.md\n").write("notes/.oknoignore", "deep/\n");
    assert_eq!(counts(&world.index(["notes"])), [0, 0, 2, 1]);
    assert_eq!(world.names(), ["tea.md"]);
}

/// The order of files on disk and of commands must not show in the answers.
#[test]
fn an_index_grown_in_steps_answers_like_one_made_at_once() {
    let steps = World::new();
    let copy = |name: &str| {
        steps.write(&format!("all/{name}"), std::fs::read(sample().join(name)).unwrap());
        steps.index(["all"]);
    };
    steps.write("all/zh/老渡口.txt", "Something else first.").write("all/gone.md", "To be deleted.");
    for name in ["zh/老渡口.txt", "en/handbook.md", "zh/recipes/红烧排骨.md", "en/product-faq.md", "news.jsonl"]
    {
        copy(name);
    }
    steps.delete("all/gone.md");
    steps.index(["all"]);
    let once = World::new();
    for name in ["news.jsonl", "en/handbook.md", "en/product-faq.md", "zh/老渡口.txt", "zh/recipes/红烧排骨.md"]
    {
        once.write(&format!("all/{name}"), std::fs::read(sample().join(name)).unwrap());
    }
    once.index(["all"]);
    assert_eq!(steps.names(), once.names());
    for question in [
        "What is the number of the kit meant for deep lakes?",
        "排骨要炖多久？",
        "桥通了以后，三爷说船为什么还要走动？",
    ] {
        let answer = |world: &World| -> Vec<(String, String)> {
            contexts(&world.search(&[question, "--budget", "300"]))
                .iter()
                .map(|c| (text(c, "doc_id"), text(c, "text")))
                .collect()
        };
        assert_eq!(answer(&steps), answer(&once), "{question}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_stay_apart() {
    use std::os::unix::ffi::OsStrExt;
    // Both became the same name: one was lost, and every run found the other changed.
    let world = World::new();
    world.write("docs/plain.md", "Plain text.");
    for (name, text) in [(&b"a\xfe.md"[..], "First text."), (&b"a\xff.md"[..], "Second text, longer.")] {
        std::fs::write(world.path("docs").join(std::ffi::OsStr::from_bytes(name)), text).unwrap();
    }
    assert_eq!(counts(&world.index(["docs"]))[..3], [3, 0, 0]);
    assert_eq!(world.names(), ["a%FE.md", "a%FF.md", "plain.md"]);
    assert_eq!(counts(&world.index(["docs"]))[..3], [0, 0, 0], "nothing changed");
}

#[test]
fn documents_come_from_standard_input() {
    let world = three_notes();
    let lines = "{\"id\": \"faq-1\", \"text\": \"A kettle holds two litres.\", \"metadata\": {\"kind\": \"tool\"}}\n\
                 {\"id\": \"faq-2\"}\n\n{\"id\": \"faq-3\", \"text\": \"A cup holds a quarter.\"}\n";
    let report = world.okno_reading(["--json", "index", "--stdin"], lines).succeeds().json();
    assert_eq!(counts(&report), [2, 0, 0, 0]);
    assert_eq!(skipped(&report).keys().collect::<Vec<_>>(), ["-:2"]);
    assert_eq!(world.found("How much does a kettle hold?")[0], "faq-1");
    // The same id is replaced, and files are indexed beside them.
    let changed = lines.replace("two litres", "three litres");
    assert_eq!(counts(&world.okno_reading(["--json", "index", "--stdin"], &changed).succeeds().json()), [0, 1, 0, 1]);
    assert_eq!(counts(&world.index(["notes"])), [0, 0, 0, 3]);
    assert_eq!(world.names().len(), 5);
    world.okno(["remove", "faq-1"]).succeeds();
    assert_eq!(world.names().len(), 4);
    world.okno(["index", "--stdin", "notes"]).ends_with(2);
}
