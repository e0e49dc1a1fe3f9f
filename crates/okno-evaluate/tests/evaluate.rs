//! Our figures are those of the scoring script that every system is measured with.
//!
//! `evaluate/` holds documents of the sample, questions on them, contexts as hostile as contexts get – too long for
//! every budget, repeated, cut inside words, of the wrong document, not what they claim to be – and the script's
//! numbers for them.

use okno_evaluate::measure::{Measure, MeasureRow, Scores};
use okno_evaluate::score::{Returned, row};
use okno_evaluate::set::{Corpus, Library, QuestionSet};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/evaluate").join(name)
}

fn json_lines(name: &str) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(here(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn figures_equal_those_of_the_scoring_script() {
    let mut corpus = Corpus::read(&here("corpus.jsonl")).unwrap();
    let set = QuestionSet::read(&here("queries.jsonl"), &mut corpus).unwrap();
    let answers: HashMap<String, Vec<Returned>> = json_lines("contexts.jsonl")
        .into_iter()
        .map(|mut line| {
            (line["qid"].as_str().unwrap().into(), serde_json::from_value(line["contexts"].take()).unwrap())
        })
        .collect();
    let expected: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(here("expected.json")).unwrap()).unwrap();
    let near = |name: &str, value: f64| {
        let wanted = expected[name].as_f64().unwrap();
        assert!((wanted - value).abs() < 1e-9, "{name}: the script says {wanted}, we say {value}");
    };
    let mut cut = 0;
    for budget in [500, 1000, 2000] {
        let rows: Vec<MeasureRow> = set
            .questions
            .iter()
            .map(|question| {
                let contexts = answers.get(&question.id).map(Vec::as_slice).unwrap_or_default();
                row(&question.gold, contexts, budget, corpus.texts())
            })
            .collect();
        let scores = Scores::of(&rows);
        for measure in [Measure::Coverage, Measure::Context, Measure::All, Measure::Precision, Measure::Duplicate] {
            near(&format!("{}@{budget}", measure.name()), scores.get(measure));
        }
        for measure in
            [Measure::Recall1, Measure::Recall5, Measure::Recall10, Measure::Mrr, Measure::Exact, Measure::Fragments]
        {
            near(measure.name(), scores.get(measure));
        }
        cut += rows.iter().filter(|row| row.get(Measure::Tokens) == Some(budget as f64)).count();
    }
    assert_eq!(set.questions.len() as u64, expected["questions"].as_u64().unwrap());
    assert!(cut > 20, "only {cut} contexts were cut by a budget: the fixture proves too little");
}
