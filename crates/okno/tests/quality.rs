//! Quality that may not fall: every recipe on the sample's 80 questions, beside a committed table.
//!
//! `coverage` counts the questions whose answer lies whole inside the returned contexts. When a
//! change moves a figure on purpose, run with `OKNO_WRITE_QUALITY=1` and commit the new table.

use okno::retrieve::built_in;
use okno::{Answer, Engine, Query};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const BUDGET: usize = 300;

/// A question more or less is noise.
const NOISE: usize = 1;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

struct Question {
    text: String,
    document: String,
    answer: String,
}

fn questions() -> Vec<Question> {
    let file = std::fs::read_to_string(here("../okno-cli/sample/questions.jsonl")).unwrap();
    file.lines()
        .map(|line| {
            let json: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |json: &serde_json::Value| json.as_str().unwrap().to_owned();
            Question {
                text: text(&json["question"]),
                document: text(&json["doc_id"]),
                answer: text(&json["answers"][0]),
            }
        })
        .collect()
}

/// White space aside: HTML is rendered, so line breaks of the source are not those of the text.
fn holds(answer: &Answer, question: &Question) -> bool {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = flat(&question.answer);
    answer.contexts.iter().any(|context| context.document == question.document && flat(&context.text).contains(&wanted))
}

fn no_text_twice(answer: &Answer) {
    let mut spans: Vec<_> = answer.contexts.iter().map(|c| (c.document.clone(), c.span)).collect();
    spans.sort();
    assert!(spans.windows(2).all(|w| w[0].0 != w[1].0 || w[0].1.end <= w[1].1.start), "{}", answer.question);
    assert!(answer.tokens() <= BUDGET, "{}", answer.question);
}

#[test]
fn no_recipe_gets_worse() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::create(folder.path().join("index")).unwrap();
    let report = engine.index(&[here("../okno-cli/sample/documents")]).unwrap();
    assert!(report.skipped.is_empty(), "{:?}", report.skipped);
    let questions = questions();
    let mut covered = BTreeMap::new();
    for name in built_in().unwrap().into_keys() {
        let found = |question: &&Question| {
            let query =
                Query { recipe: Some(name.clone()), budget: Some(BUDGET), ..Query::new(question.text.as_str()) };
            let answer = engine.search(&query).unwrap();
            no_text_twice(&answer);
            holds(&answer, question)
        };
        covered.insert(name.clone(), questions.iter().filter(found).count());
    }
    compare(&covered, questions.len());
}

fn compare(covered: &BTreeMap<String, usize>, questions: usize) {
    let path = here("tests/quality.json");
    if std::env::var_os("OKNO_WRITE_QUALITY").is_some() {
        std::fs::write(&path, serde_json::to_string_pretty(covered).unwrap() + "\n").unwrap();
    }
    let committed: BTreeMap<String, usize> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (recipe, found) in covered {
        println!("{recipe:10} {found} of {questions} within {BUDGET} tokens, committed {}", committed[recipe]);
    }
    assert_eq!(committed.keys().collect::<Vec<_>>(), covered.keys().collect::<Vec<_>>());
    for (recipe, found) in covered {
        assert!(found + NOISE >= committed[recipe], "{recipe} covered {} questions, now {found}", committed[recipe]);
    }
}
