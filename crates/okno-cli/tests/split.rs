//! `okno split` as its user sees it.

mod support;

use serde_json::{Value, json};
use support::World;

const PAGE: &str = "# Tea\n\nGreen tea. Black tea!\n\n## Water\n\n水要烧开。别急。\n";

/// Every splitter by its name, with sizes that cut a short text too.
const ALL: &[&str] = &[
    "sentence",
    "sentences:2",
    "window:1",
    "paragraph",
    "section",
    "chunk:20c/5c",
    "words:3/1",
    "chars:10/4",
    "recursive:20c/8c",
    "tokens:8t/2t",
    "markdown",
    "html",
    "semantic:50p/40c",
    "hierarchy:40c/15c",
    "code:30c",
];

#[test]
fn people_see_code_points_lines_and_a_preview() {
    let world = World::new();
    world.write("tea.md", PAGE);
    let ran = world.okno(["split", "tea.md", "--splitter", "markdown", "--lines"]).succeeds();
    let lines: Vec<&str> = ran.out.lines().map(str::trim).collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].starts_with("0–28")
            && lines[0].contains("lines 1–3")
            && lines[0].ends_with("[Tea] # Tea  Green tea. Black tea!")
    );
    assert!(lines[1].contains("[Tea > Water] ## Water"));
    ran.says(&["2 pieces, split by `markdown`"]);
    world.okno(["split", "tea.md", "--lang", "zh"]).succeeds().says(&["6 段"]);
}

#[test]
fn programs_get_spans_headings_and_parents() {
    let world = World::new();
    world.write("tea.md", PAGE);
    let split = |splitter: &str| world.okno(["split", "tea.md", "--json", "--splitter", splitter]).succeeds().json();
    let spans = [[0, 5], [7, 17], [18, 28], [30, 38], [40, 45], [45, 48]];
    assert_eq!(split("sentence"), json!({"id": "tea.md", "spans": spans}));
    assert_eq!(split("markdown")["headings"], json!([["Tea"], ["Tea", "Water"]]));
    assert_eq!(split("hierarchy:30c/12c")["parents"], json!([null, 0, 0, 0, null, 4, 4]));
    let whole: String = PAGE.chars().skip(7).take(10).collect();
    assert_eq!(whole, "Green tea.", "offsets are code points of the text");
}

#[test]
fn json_lines_give_one_line_each_whatever_is_wrong_with_one() {
    let world = World::new();
    let lines = [
        r#"{"id": "a", "text": "One. Two.", "lang": "en"}"#,
        r#"{"id": 7, "text": ""}"#,
        "not json",
        r#"{"id": "a", "text": "同一个名字。也可以。"}"#,
        r#"{"id": "b"}"#,
    ];
    world.write("in.jsonl", lines.join("\n"));
    let ran = world.okno(["split", "in.jsonl"]).ends_with(1).says(&["2 lines"]);
    let found = ran.lines();
    assert_eq!(found[0], json!({"id": "a", "spans": [[0, 4], [5, 9]]}));
    assert_eq!(found[1], json!({"id": 7, "spans": []}));
    assert_eq!((&found[2]["line"], &found[2]["id"]), (&json!(3), &Value::Null));
    assert_eq!(found[3], json!({"id": "a", "spans": [[0, 6], [6, 10]]}));
    assert!(found[4]["error"].as_str().unwrap().contains("`text`"));
}

#[test]
fn nothing_one_word_and_standard_input_are_texts_too() {
    let world = World::new();
    world
        .write("empty.txt", "")
        .write("blank.md", " \n\n")
        .write("page.html", "<h1>A</h1><p>One. Two.</p><h2>B</h2><p>Three.</p>");
    for splitter in ALL {
        for file in ["empty.txt", "blank.md"] {
            let found = world.okno(["split", file, "--json", "--splitter", splitter]).succeeds().json();
            assert_eq!(found, json!({"id": file, "spans": []}), "{splitter}");
        }
    }
    let page = world.okno(["split", "page.html", "--json", "--splitter", "html"]).succeeds().json();
    assert_eq!(page["headings"], json!([["A"], ["A", "B"]]));
    let ran = world.okno_reading(["split", "-", "--json"], "One. 二。").succeeds();
    assert_eq!(ran.json()["spans"], json!([[0, 4], [5, 7]]));
}

#[test]
fn a_preset_is_the_chunks_of_the_index() {
    let world = World::new();
    world.write("long.txt", "A sentence of some length stands here. ".repeat(40));
    let ran = world.okno(["split", "long.txt", "--preset", "faq"]).succeeds().says(&["`chunk:250c/100c`"]);
    assert!(ran.out.lines().count() > 7);
}

#[test]
fn what_cannot_work_is_refused_in_both_languages() {
    let world = World::new();
    world.write("a.txt", "text").write("folder/b.txt", "text");
    let refused = |flags: &[&str]| world.okno(["split"].iter().chain(flags)).refuses();
    refused(&["a.txt", "--splitter", "sentenc"]).says(&["`sentenc`", "`recursive:3000c/300c`"]);
    refused(&["a.txt", "--splitter", "recursive:300c/300c"]).says(&["overlap 300", "try half of it"]);
    refused(&["a.txt", "--splitter", "chars:0"]).says(&["size of 0", "400/200"]);
    world
        .okno(["split", "a.txt", "--splitter", "chars:10/10", "--lang", "zh"])
        .ends_with(1)
        .says(&["重叠 10", "试试一半"]);
    refused(&["missing.txt"]).says(&["missing.txt"]);
    refused(&["folder"]).says(&["folder"]);
}
