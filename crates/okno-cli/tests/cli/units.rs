//! Derived units: given from a file, searched in place of what they stand for, never returned as text.

use super::*;

const TRAINS: &str = "# Trains\n\nThe Cornwall Ranger ticket is valid on every train west of Plymouth. It costs 18 \
    pounds.\n\n# Food\n\nPasties are sold at the station.\n";

/// Four questions for the first section, a summary for the second.
fn units() -> String {
    let question = |text: &str| json!({"document": "uk.md", "start": 0, "end": 99, "layer": "question", "text": text});
    let mut lines: Vec<String> = [
        "Which pass lets me roam the south-west by rail?",
        "How much is a rover pass?",
        "Where does the pass hold good?",
        "What may I ride with it?",
    ]
    .map(|text| question(text).to_string())
    .into();
    lines.push(
        json!({"document": "uk.md", "start": 101, "end": 140, "layer": "summary", "text": "Snacks for travellers"})
            .to_string(),
    );
    lines.join("\n")
}

fn world() -> World {
    let world = World::new();
    world.write("docs/uk.md", TRAINS).write("docs/other.md", "# Other\n\nNothing about travel.\n");
    world.index(["docs"]);
    world.write("units.jsonl", units());
    world
}

#[test]
fn a_question_finds_the_passage_it_was_made_from_once_with_the_childs_score() {
    let world = world();
    let report = world.okno(["import-units", "--json", "units.jsonl"]).succeeds().json();
    assert_eq!(report, json!({"documents": 1, "units": {"question": 4, "summary": 1}, "skipped": []}));
    let answer = world.search(&["a pass to roam the south-west", "--recipe", "question", "--explain"]);
    let found = contexts(&answer);
    assert_eq!(found.len(), 1, "four questions of one passage are one target");
    assert_eq!(found[0]["text"], TRAINS[..99].trim_end(), "the passage, not the question");
    let traces = found[0]["hits"][0]["trace"].as_array().unwrap();
    assert!(traces.len() >= 2 && traces[0]["text"].as_str().unwrap().contains("south-west"), "{traces:?}");
    let answer = world.search(&["snacks", "--recipe", "summary"]);
    assert_eq!(contexts(&answer)[0]["text"], "# Food\n\nPasties are sold at the station.");
    assert_eq!(world.status()["units"], json!({"question": 4, "summary": 1}));
    let explained = world.okno(["search", "snacks", "--recipe", "summary", "--explain"]).succeeds();
    assert!(explained.out.contains("“Snacks for travellers”"), "{}", explained.out);
}

#[test]
fn units_are_listed_as_they_are_imported_and_replaced_by_layer() {
    let world = world();
    world.okno(["import-units", "units.jsonl"]).succeeds().says(&["1 summary, 4 question units for 1 documents"]);
    let listed = world.okno(["units", "--json"]).succeeds();
    assert_eq!(listed.lines().len(), 5);
    let again = world.okno_reading(["import-units", "--json", "-"], &listed.out).succeeds().json();
    assert_eq!(again["units"], json!({"question": 4, "summary": 1}));
    assert_eq!(world.okno(["units", "--json"]).succeeds().out, listed.out, "a round trip changes nothing");
    let one = json!({"document": "uk.md", "layer": "question", "text": "Only this one?"}).to_string();
    world.okno_reading(["import-units", "-"], &one).succeeds();
    assert_eq!(world.status()["units"], json!({"question": 1, "summary": 1}));
    // An unchanged document keeps them, a changed one does not.
    assert_eq!(counts(&world.index(["docs"]))[..3], [0, 0, 0]);
    assert_eq!(world.status()["units"], json!({"question": 1, "summary": 1}));
    world.write("docs/uk.md", TRAINS.replace("18 pounds", "19 pounds"));
    assert_eq!(counts(&world.index(["docs"]))[..3], [0, 1, 0]);
    assert_eq!(world.status()["units"], json!({}));
}

#[test]
fn a_line_that_cannot_be_used_is_named_and_the_others_count() {
    let world = world();
    let lines = format!(
        "{}\nnonsense\n{{\"document\": \"gone.md\", \"layer\": \"summary\", \"text\": \"x\"}}\n{{\"document\": \
         \"uk.md\", \"start\": 9, \"end\": 9999, \"layer\": \"summary\", \"text\": \"x\"}}\n",
        units()
    );
    world.write("units.jsonl", lines);
    let ran = world.okno(["import-units", "units.jsonl"]).succeeds();
    ran.says(&["line 6", "line 7", "gone.md", "line 8", "9999", "1 summary, 4 question"]);
}

#[test]
fn a_recipe_without_its_units_says_how_to_get_them() {
    let world = world();
    world.okno(["search", "pass", "--recipe", "question"]).refuses().says(&["`question`", "okno import-units"]);
    world
        .okno(["search", "pass", "--recipe", "question", "--lang", "zh"])
        .ends_with(1)
        .says(&["没有", "okno import-units"]);
    let answer = world.search(&["Cornwall Ranger", "--recipe", "ensemble"]);
    assert_eq!(contexts(&answer)[0]["doc_id"], "uk.md", "an ensemble does without");
}

#[test]
fn a_table_is_found_by_what_it_is_about_and_returned_whole() {
    let world = World::new();
    let table = "| City | Fare |\n|---|---|\n| Truro | 20 |\n| Penzance | 30 |";
    world.write(
        "docs/fares.md",
        format!("# Fares\n\nSome words.\n\nTable 1: fares by city\n\n{table}\n\nMore words.\n"),
    );
    world.write("docs/票价.md", "# 票价\n\n| 城市 | 票价 |\n|---|---|\n| 北京 | 20 |\n");
    world.index(["docs"]);
    let answer = world.search(&["which cities and fares are there", "--recipe", "table", "-k", "1"]);
    assert_eq!(contexts(&answer)[0]["text"], table);
    let answer = world.search(&["城市票价", "--recipe", "table", "-k", "1"]);
    assert_eq!(contexts(&answer)[0]["doc_id"], "票价.md");
}

#[test]
fn a_passage_is_as_relevant_as_the_text_made_about_it() {
    // Only the passage itself was looked at: what a summary had found was called irrelevant and hidden.
    let world = world();
    let line = json!({"document": "other.md", "layer": "summary", "text": "Monthly rent and deposit of a flat"});
    world.okno_reading(["import-units", "-"], &line.to_string()).succeeds();
    let answer = world.search(&["rent and deposit of the flat", "--recipe", "summary"]);
    assert_eq!((&answer["nothing_relevant"], &contexts(&answer)[0]["doc_id"]), (&json!(false), &json!("other.md")));
}

#[test]
fn a_name_that_several_documents_have_gets_no_units() {
    let world = world();
    world.write("more/uk.md", "# Elsewhere\n\nAnother text.\n");
    world.index(["more"]);
    let ran = world.okno(["import-units", "units.jsonl"]).succeeds();
    ran.says(&["several documents are called `uk.md`", "0 units for 0 documents"]);
}
