//! Filters through the whole engine: however few documents match, as many as were asked for are
//! returned, both legs see the same ones, and headings are filters too.

use okno::document::Filter;
use okno::retrieve::Expansion;
use okno::store::Leg;
use okno::{Answer, Engine, Error, Query};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// An index of these files.
fn indexed(files: &[(&str, &str)]) -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join("documents").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[folder.path().join("documents")]).unwrap();
    (folder, engine)
}

/// Single sentences, as found.
fn sentences(engine: &Engine, question: &str, filter: &str, legs: Option<Vec<Leg>>, k: usize) -> Answer {
    let filter = Some(Filter::parse(filter).unwrap());
    let query =
        Query::new(question).recipe("window").expand(Expansion::None).k(k).budget(1_000_000).legs(legs).filter(filter);
    engine.search(&query).unwrap()
}

fn documents(answer: &Answer) -> BTreeSet<String> {
    answer.contexts.iter().map(|context| context.document.clone()).collect()
}

const RECIPES: usize = 2000;

/// Recipes of one sentence each. Every second one is `素菜`, every 20th is quick, one in a thousand is for guests.
fn recipes() -> (tempfile::TempDir, Engine) {
    let mut lines = String::new();
    for i in 0..RECIPES {
        let category = if i % 2 == 0 { "素菜" } else { "荤菜" };
        let meta = serde_json::json!(
            {"category": category, "minutes": if i % 20 == 0 { 10 } else { 40 }, "guests": i % 1000 == 7, "number": i});
        let line = serde_json::json!(
            {"doc_id": format!("r{i}"), "title": "", "text": format!("第 {i} 道菜的做法是先备料再下锅。"), "meta": meta});
        writeln!(lines, "{line}").unwrap();
    }
    indexed(&[("recipes.jsonl", &lines)])
}

#[test]
fn however_few_match_as_many_as_asked_for_are_returned_by_every_leg() {
    let (_folder, engine) = recipes();
    for (filter, matching) in [
        ("category = 素菜", RECIPES / 2),
        ("minutes <= 10", RECIPES / 20),
        ("guests = true", RECIPES / 1000),
        ("number > 1000 and number in [3, 1001, 1999]", 2),
        ("category = 汤", 0),
    ] {
        for k in [3, 150] {
            for legs in [None, Some(vec![Leg::Dense]), Some(vec![Leg::Lexical])] {
                let answer = sentences(&engine, "这道菜的做法是什么", filter, legs.clone(), k);
                let found = documents(&answer);
                assert_eq!(found.len(), k.min(matching), "{filter}, k = {k}, {legs:?}");
                assert_eq!(answer.stage.matching, Some(matching), "{filter}");
                let filter = Filter::parse(filter).unwrap();
                let holds =
                    |c: &okno::Context| filter.matches(&|field| c.metadata.get(field).map(std::borrow::Cow::Borrowed));
                assert!(answer.contexts.iter().all(holds), "{filter}");
            }
        }
    }
    let found = |leg| documents(&sentences(&engine, "备料下锅的做法", "minutes <= 10", Some(vec![leg]), RECIPES));
    assert_eq!(found(Leg::Dense), found(Leg::Lexical));
    assert_eq!(found(Leg::Dense).len(), RECIPES / 20);
}

const TWO_RECIPES: [(&str, &str); 2] = [
    (
        "a.md",
        "---\ncategory: 素菜\n---\n\n# 土豆丝\n\n土豆丝要脆。\n\n## 原料\n\n土豆两个。\n\n### 调料\n\n盐和醋。\n\n## 操作\n\n土豆切丝，下锅快炒。\n",
    ),
    ("b.md", "# 排骨\n\n## 原料\n\n排骨一斤，土豆一个。\n\n## 操作\n\n排骨焯水，土豆切块。\n"),
];

#[test]
fn a_heading_is_a_filter_for_the_sections_under_it() {
    let (_folder, engine) = indexed(&TWO_RECIPES);
    let texts = |filter: &str, legs: Option<Vec<Leg>>| -> BTreeSet<String> {
        sentences(&engine, "土豆怎么切丝", filter, legs, 100).contexts.into_iter().map(|c| c.text).collect()
    };
    let set = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<BTreeSet<_>>();
    let under = set(&["## 原料\n\n土豆两个。\n\n### 调料\n\n盐和醋。", "## 原料\n\n排骨一斤，土豆一个。"]);
    assert_eq!(texts("\"Header 2\" == \"原料\"", None), under);
    assert_eq!(texts("“header 2” ＝ 原料", Some(vec![Leg::Dense])), under, "each leg by itself too");
    let lexical = texts("\"Header 2\" = 原料", Some(vec![Leg::Lexical]));
    assert!(!lexical.is_empty() && lexical.iter().all(|text| !text.contains("切")), "{lexical:?}");
    assert_eq!(texts("\"Header 3\" = 调料", None), set(&["### 调料\n\n盐和醋。"]));
    assert_eq!(texts("heading = 操作 and category = 素菜", None), set(&["## 操作\n\n土豆切丝，下锅快炒。"]));
    let rest = set(&["# 排骨", "## 操作\n\n排骨焯水，土豆切块。"]);
    assert_eq!(texts("\"Header 1\" = 排骨 and \"Header 2\" not in [原料]", None), rest);
    assert!(texts("\"Header 2\" = 尾声", None).is_empty());
}

#[test]
fn every_recipe_obeys_a_filter_on_headings() {
    let (_folder, engine) = indexed(&TWO_RECIPES);
    for recipe in ["auto", "section", "window", "neighbors", "parent"] {
        let filter = Some(Filter::parse("\"Header 2\" = 操作").unwrap());
        let query = Query::new("土豆").recipe(recipe).filter(filter);
        let answer = engine.search(&query).unwrap();
        let hits: Vec<_> = answer.contexts.iter().flat_map(|c| c.hits.iter()).collect();
        assert_eq!(answer.stage.matching, Some(2));
        assert!(recipe == "neighbors" || recipe == "parent" || !hits.is_empty(), "{recipe}");
        for context in answer.contexts.iter().filter(|_| recipe == "auto" || recipe == "section") {
            assert!(
                context.headings.contains(&"操作".to_owned()) && !context.text.contains("原料"),
                "{recipe}: {context:?}"
            );
        }
    }
}

#[test]
fn a_level_of_headings_that_nobody_has_is_refused_and_names_those_there_are() {
    let (_folder, engine) = indexed(&TWO_RECIPES);
    let query = Query::new("土豆").filter(Filter::parse("\"Header 5\" = x").unwrap());
    match engine.search(&query) {
        Err(Error::UnknownField { field, known }) => {
            assert_eq!((field.as_str(), known.0.join(", ").as_str()), ("Header 5", "Header 1, Header 2, Header 3"));
        }
        other => panic!("{other:?}"),
    }
}
