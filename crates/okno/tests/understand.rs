//! Questions that state a filter, through the whole engine; and every example of `docs/filters.md`.

use okno::document::{Date, Filter};
use okno::store::Leg;
use okno::understand::{Because, Route};
use okno::{Answer, Engine, Query};
use std::fmt::Write as _;

const DOCS: &str = include_str!("../../../docs/filters.md");
const TODAY: Date = Date { year: 2024, month: 3, day: 13 };

/// An index of these lines, each metadata and text.
fn indexed(lines: &[(serde_json::Value, &str)]) -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let mut file = String::new();
    for (i, (meta, text)) in lines.iter().enumerate() {
        let line =
            serde_json::json!({"doc_id": format!("d{i}"), "title": format!("第{i}篇"), "text": text, "meta": meta});
        writeln!(file, "{line}").unwrap();
    }
    std::fs::write(folder.path().join("lines.jsonl"), file).unwrap();
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[folder.path().join("lines.jsonl")]).unwrap();
    (folder, engine)
}

/// The index that the table in the documentation speaks of.
fn library() -> (tempfile::TempDir, Engine) {
    let recipe = |category: &str, difficulty: u8, minutes: u8, author: &str| {
        serde_json::json!(
        {"category": category, "difficulty": difficulty, "minutes": minutes, "author": author})
    };
    let report = |year: i32, quarter: &str, published: &str| {
        serde_json::json!(
        {"document_type": "财报", "year": year, "quarter": quarter, "published": published})
    };
    indexed(&[
        (recipe("素菜", 1, 20, "Jane Austen"), "土豆切丝，下锅快炒。做法很简单。"),
        (recipe("荤菜", 5, 90, "李明"), "排骨焯水。配一道素菜更好，也可以先喝汤。"),
        (recipe("汤羹", 2, 12, "李明"), "水开后淋入蛋液，撒上葱花。Jane Austen 也喜欢。"),
        (recipe("主食", 3, 40, "李明"), "米饭焖二十分钟，新手也能做好。"),
        (report(2023, "Q1", "2023-04-27"), "AI业务收入占比为百分之八。"),
        (report(2023, "Q2", "2023-07-28"), "AI业务收入占比升至百分之十一。管理层认为AI是长期机会。"),
        (report(2024, "Q1", "2024-02-29"), "与2023年第二季度相比，AI业务翻了一番。"),
    ])
}

fn ask(engine: &Engine, question: &str) -> Answer {
    engine.search(&Query::new(question).today(TODAY)).unwrap()
}

fn blocks(language: &str) -> impl Iterator<Item = &str> {
    let fenced = DOCS.split("```").skip(1).step_by(2);
    fenced.filter_map(move |block| block.strip_prefix(language)).flat_map(str::lines).filter(|line| !line.is_empty())
}

#[test]
fn every_filter_in_the_documentation_is_read_and_round_trips() {
    let filters: Vec<&str> = blocks("filter\n").collect();
    assert!(filters.len() >= 15, "{filters:?}");
    for written in filters {
        let filter = Filter::parse(written).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Filter::parse(&filter.to_string()).unwrap(), filter, "{written}");
        assert_eq!(Filter::from_json(&filter.to_json()).unwrap(), filter, "{written}");
    }
    let json: Vec<&str> = blocks("json\n").collect();
    assert_eq!(json.len(), 4);
    for written in json {
        Filter::from_json(&serde_json::from_str(written).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn every_question_in_the_documentation_is_read_as_it_says() {
    let (_folder, engine) = library();
    let table = DOCS.split("| question | filter | searched for |\n|---|---|---|\n").nth(1).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 10);
    for row in rows {
        let [_, question, filter, searched, _] = row.as_slice() else { panic!("{row:?}") };
        let understood = ask(&engine, question).understood;
        let (filter, offered) = filter.split_once(" (offered: ").unwrap_or((filter, ""));
        let applied = understood.filter.as_ref().map_or("–".to_owned(), |filter| format!("`{filter}`"));
        assert_eq!(applied, filter, "{question}");
        assert!(
            understood.offered.iter().all(|reading| offered.contains(&reading.filter.as_ref().unwrap().to_string())),
            "{question}"
        );
        assert_eq!(offered.is_empty(), understood.offered.is_empty(), "{question}");
        assert!(searched.is_empty() || understood.text == *searched, "{question}: {}", understood.text);
    }
}

#[test]
fn only_documents_that_match_what_was_read_are_returned() {
    let (_folder, engine) = library();
    let documents = |question: &str| {
        let mut names: Vec<String> = ask(&engine, question).contexts.into_iter().map(|c| c.document).collect();
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(documents("请总结一下2023年第二季度财报中关于AI的论述"), ["d5"]);
    assert_eq!(documents("推荐几道素菜"), ["d0"]);
    assert_eq!(documents("今天喝什么汤"), ["d2"]);
    assert_eq!(documents("适合新手"), ["d0", "d2"]);
}

#[test]
fn it_can_be_switched_off() {
    let (_folder, engine) = library();
    let query = Query::new("推荐几道素菜").auto_filter(false);
    let answer = engine.search(&query).unwrap();
    assert!(answer.understood.filter.is_none() && answer.understood.offered.is_empty());
    assert_eq!((answer.contexts[0].document.as_str(), answer.stage.matching), ("d1", None), "where the word is said");
}

#[test]
fn a_filter_under_which_nothing_is_found_is_withdrawn_and_said() {
    let (_folder, engine) = library();
    // By words alone there is nothing about trains in the report of that quarter, but the question has an answer
    // elsewhere.
    let query = Query::new("2023年第二季度财报中的排骨").legs(vec![Leg::Lexical]).min_relevance(0.0);
    let answer = engine.search(&query).unwrap();
    assert!(answer.understood.withdrawn && answer.understood.filter.is_none());
    assert_eq!(answer.understood.offered.len(), 2);
    assert!(answer.contexts.iter().any(|context| context.text.contains("排骨")));
}

#[test]
fn beside_what_is_relevant_noise_is_left_out_unless_it_is_asked_for() {
    let (_folder, engine) = indexed(&[
        (serde_json::json!({}), "The canal was dug between 1801 and 1817 to carry coal to the harbour."),
        (serde_json::json!({}), "蛋很贵，coal 也贵。"),
    ]);
    let query = Query::new("When was the canal dug to carry coal to the harbour?").legs(vec![Leg::Lexical]);
    let (usual, all) = (engine.search(&query).unwrap(), engine.search(&query.clone().min_relevance(0.0)).unwrap());
    assert!(usual.contexts.iter().all(|context| context.relevance >= 0.02), "{:?}", usual.contexts);
    assert!(usual.relevance >= okno::retrieve::RELEVANT && usual.contexts.len() < all.contexts.len());
}

#[test]
fn readings_stay_inside_the_filter_that_was_given() {
    let (_folder, engine) = library();
    let query = Query::new("推荐几道素菜").filter(Filter::parse("author = 李明").unwrap());
    let answer = engine.search(&query).unwrap();
    assert_eq!(answer.understood.filter, None, "no dish of that author is one");
    assert!(
        answer.contexts.iter().all(|context| context.metadata.get("author").is_some_and(|a| a.to_string() == "李明"))
    );
}

#[test]
fn a_quoted_phrase_comes_first() {
    let (_folder, engine) = indexed(&[
        (serde_json::json!({}), "The red fox and the quick fox met a fox. A fox is red and quick."),
        (serde_json::json!({}), "It was a long winter. One morning the quick red fox came back."),
        (serde_json::json!({}), "Red, quick: a fox. Quick and red is the fox."),
    ]);
    let answer = ask(&engine, "where is the \"quick red fox\"?");
    assert!(answer.contexts[0].text.contains("quick red fox"), "{:?}", answer.contexts);
    assert_eq!(answer.routing.phrases, ["quick red fox"]);
    let plain = engine.search(&Query::new("where is the \"quick red fox\"?").route(Route::Hybrid)).unwrap();
    assert!(plain.routing.phrases.is_empty());
}

#[test]
fn codes_go_by_words_and_by_meaning_where_words_find_nothing() {
    let (_folder, engine) = indexed(&[
        (serde_json::json!({}), "Order part FK-07 from the store."),
        (serde_json::json!({}), "Order part FK-08 from the store."),
    ]);
    let answer = ask(&engine, "FK-07");
    assert_eq!((answer.routing.route, answer.routing.because), (Route::Lexical, Because::Code));
    assert_eq!(answer.contexts[0].document, "d0");
    let unknown = ask(&engine, "zz-9x");
    assert_eq!(unknown.routing.route, Route::Hybrid, "nothing by words: the usual way");
}
