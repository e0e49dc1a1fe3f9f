//! Files of many formats, as a user has them: loaded, indexed, found, cited with their pages.

mod support;

use serde_json::json;
use std::path::{Path, PathBuf};
use support::{World, contexts, skipped, text};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-load/tests/files").join(name)
}

fn with_files(names: &[&str]) -> World {
    let world = World::new();
    for name in names {
        world.write(&format!("docs/{name}"), std::fs::read(file(name)).unwrap());
    }
    world
}

#[test]
fn load_shows_text_structure_and_metadata() {
    let world = World::new();
    let path = file("columns.pdf");
    let loaded = world.okno(["load", path.to_str().unwrap(), "--json"]).succeeds().json();
    assert_eq!(loaded["title"], "Two Columns");
    assert_eq!(loaded["metadata"]["pages"], 3);
    let characters: Vec<char> = loaded["text"].as_str().unwrap().chars().collect();
    let slice = |value: &serde_json::Value| {
        let at = |key: &str| value[key].as_u64().unwrap() as usize;
        characters[at("start")..at("end")].iter().collect::<String>()
    };
    let blocks = loaded["blocks"].as_array().unwrap();
    let heading = blocks.iter().find(|block| block["kind"] == "heading").unwrap();
    assert_eq!((heading["level"].as_u64(), slice(heading).as_str()), (Some(1), "# Index Small, Return Big"));
    let table = blocks.iter().find(|block| block["kind"] == "table").unwrap();
    assert_eq!(table["rows"][0], json!(["window", "0.81", "500"]));
    assert_eq!(table["caption"], "Table 1: Coverage by method.");
    let ran = world.okno(["load", path.to_str().unwrap()]).succeeds();
    assert!(ran.out.contains("author: Ann Lee") && ran.out.contains("3 pages"), "{}", ran.out);
}

#[test]
fn a_context_knows_its_pages() {
    let world = with_files(&["columns.pdf", "roadmap.pptx", "handbook.docx"]);
    world.index(["docs"]);
    let answer = world.search(&["coverage of the auto method", "--budget", "60"]);
    let best = &contexts(&answer)[0];
    assert_eq!(
        (text(best, "doc_id").as_str(), &best["page"], &best["page_end"]),
        ("columns.pdf", &json!(2), &json!(2))
    );
    let answer = world.search(&["Where is the well-known sentence finished?", "--window", "1"]);
    let crossing = contexts(&answer).iter().find(|context| context["page"] != context["page_end"]);
    let crossing = crossing.expect("a window goes on over the end of a page");
    assert_eq!((&crossing["page"], &crossing["page_end"]), (&json!(1), &json!(2)));
    let answer = world.search(&["How are knives kept?"]);
    assert!(contexts(&answer)[0].get("page").is_none(), "a Word document has no pages");
    let ran = world.okno(["search", "coverage of the auto method", "--budget", "60"]).succeeds();
    assert!(ran.out.contains("p. 2 · "), "{}", ran.out);
}

#[test]
fn every_file_that_cannot_be_read_has_its_reason_in_both_languages() {
    let world = with_files(&["protected.pdf", "scanned.pdf", "chinese-cid.pdf"]);
    world.write("docs/empty.pdf", "").write("docs/broken.docx", "PK\u{3}\u{4}");
    let report = world.index(["docs"]);
    assert_eq!(skipped(&report).len(), 4, "{report}");
    let ran = world.okno(["index", "docs", "--lang", "zh"]);
    for part in ["有密码保护", "没有文字层", "空文件", "文件已损坏"] {
        assert!(ran.err.contains(part), "`{part}` is missing in {}", ran.err);
    }
    assert_eq!(world.names(), ["chinese-cid.pdf"]);
}

#[test]
fn one_document_per_line_when_asked_for() {
    let world = World::new();
    world.write("news/a.txt", "第一条新闻。\n第二条新闻。\n");
    world.okno(["index", "news"]).succeeds().says(&["1 added"]);
    world.okno(["index", "news", "--lines"]).succeeds().says(&["2 added", "1 removed"]);
    // The index remembers it.
    world.write("news/b.txt", "第三条新闻。\n");
    world.okno(["index"]).succeeds().says(&["1 added"]);
    assert_eq!(world.names(), ["a.txt:1", "a.txt:2", "b.txt:1"]);
}
