//! What a model does for a question: each step alone, in the whole search, and when the model is away.

use okno::generate::{Completion, GenerateError, Generator, Request, Usage};
use okno::understand::model::Step;
use okno::understand::{Because, Route};
use okno::{Answer, Engine, Query};
use std::ops::ControlFlow;
use std::sync::Arc;
use tempfile::TempDir;

/// Answers by the field it is asked for.
struct Model(&'static [(&'static str, &'static str)]);

impl Generator for Model {
    fn identity(&self) -> &'static str {
        "test/model"
    }

    fn generate(
        &self,
        request: &Request,
        _: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        let fields = &request.schema.as_ref().unwrap()["properties"];
        let away = || GenerateError::Away { model: "test/model".into(), reason: "no route to host".into() };
        let (_, text) = self.0.iter().find(|(known, _)| fields.get(known).is_some()).ok_or_else(away)?;
        Ok(Completion { text: (*text).to_owned(), usage: Usage { prompt: 9, completion: 1 }, ..Completion::default() })
    }
}

fn place() -> (TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let documents = folder.path().join("d");
    std::fs::create_dir(&documents).unwrap();
    for (name, category, text) in [
        ("tea.md", "drink", "Green tea is brewed at eighty degrees. Black tea needs boiling water."),
        ("coffee.md", "drink", "Ground beans are steeped for four minutes in a press."),
        ("tax.md", "law", "The duty on spirits is due on the first of March."),
        ("bees.md", "animal", "A queen lays two thousand eggs a day in early summer."),
    ] {
        std::fs::write(documents.join(name), format!("---\ncategory: {category}\n---\n{text}\n")).unwrap();
    }
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[documents]).unwrap();
    (folder, engine)
}

fn search(model: Option<Model>, steps: &[Step], question: &str) -> Answer {
    let (_folder, mut engine) = place();
    let model = model.map(|model| Arc::new(model) as Arc<dyn Generator>);
    engine.reconfigure(|builder| builder.generator(model)).unwrap();
    engine.search(&Query::new(question).transform(steps.to_vec())).unwrap()
}

/// What was returned, and what it was worth.
fn returned(answer: &Answer) -> Vec<(&str, &str, f32)> {
    answer.contexts.iter().map(|context| (context.document.as_str(), context.text.as_str(), context.score)).collect()
}

fn documents(answer: &Answer) -> Vec<&str> {
    answer.contexts.iter().map(|context| context.document.as_str()).collect()
}

#[test]
fn a_rewritten_question_is_searched_in_place_of_the_question() {
    let model = Model(&[("question", r#"{"question": "duty on spirits due date"}"#)]);
    let answer = search(Some(model), &[Step::Rewrite], "When must I pay for the booze?");
    assert_eq!(documents(&answer)[0], "tax.md");
    assert!(!answer.nothing_relevant(), "it has to do with the rewritten question");
    assert_eq!(
        (answer.steps[0].step, answer.steps[0].gave.as_slice()),
        (Step::Rewrite, &["duty on spirits due date".to_owned()][..])
    );
    assert_eq!(answer.question, "When must I pay for the booze?");
}

#[test]
fn every_part_of_a_question_finds_its_own() {
    let model = Model(&[(
        "questions",
        r#"{"questions": ["How many eggs does a queen lay?", "How long are ground beans steeped?"]}"#,
    )]);
    let answer = search(Some(model), &[Step::Decompose], "Compare a hive with a press.");
    let found = documents(&answer);
    assert!(found.contains(&"bees.md") && found.contains(&"coffee.md"), "{found:?}");
    // One ranking per leg, layer and form of the question.
    assert_eq!(answer.stage.rankings.len(), 3 * answer.recipe.rankings().len());
}

#[test]
fn a_hypothetical_passage_gives_the_vector_only() {
    let model = Model(&[("passage", r#"{"passage": "A queen lays two thousand eggs a day."}"#)]);
    let (_folder, mut engine) = place();
    engine.reconfigure(|builder| builder.generator(Some(Arc::new(model)))).unwrap();
    let query =
        Query::new("Which offspring count is usual?").transform(vec![Step::Hyde]).legs(vec![okno::store::Leg::Dense]);
    assert_eq!(documents(&engine.search(&query).unwrap())[0], "bees.md");
}

#[test]
fn saying_the_same_again_changes_nothing() {
    let model = Model(&[
        ("questions", r#"{"questions": ["How hot is water for black tea?", "How hot is water for black tea?"]}"#),
        ("question", r#"{"question": "How hot is water for black tea?"}"#),
    ]);
    let steps = [Step::MultiQuery, Step::StepBack, Step::Rewrite];
    let (helped, plain) = (
        search(Some(model), &steps, "How hot is water for black tea?"),
        search(None, &[], "How hot is water for black tea?"),
    );
    assert_eq!(returned(&helped), returned(&plain));
    assert!(plain.steps.is_empty() && helped.steps.len() == 3);
}

#[test]
fn a_filter_by_the_model_is_checked_against_the_index() {
    const SAYS: &str = r#"{"conditions": [
        {"words": "drinks", "field": "category", "operator": "=", "value": "drink"},
        {"words": "cheap", "field": "price", "operator": "<", "value": 3}], "query": "boiling water"}"#;
    let answer = search(Some(Model(&[("conditions", SAYS)])), &[Step::Filter], "cheap drinks with boiling water");
    assert_eq!(answer.understood.filter.as_ref().unwrap().to_string(), "category = drink");
    assert_eq!((answer.stage.matching, answer.understood.refused.len()), (Some(2), 1));
    assert_eq!(answer.understood.refused[0].words, "price < 3");
}

#[test]
fn a_route_by_the_model() {
    let answer =
        search(Some(Model(&[("route", r#"{"route": "lexical", "reason": "a code"}"#)])), &[Step::Route], "black tea");
    assert_eq!((answer.routing.route, answer.routing.because), (Route::Lexical, Because::Model));
}

#[test]
fn hits_that_have_nothing_to_do_with_it_are_dropped_before_they_grow() {
    let question = "How hot is water for black tea in a press?";
    let all = search(None, &[], question);
    assert!(documents(&all).contains(&"tea.md"));
    let answer = search(Some(Model(&[("irrelevant", r#"{"irrelevant": [1, 2]}"#)])), &[Step::PostFilter], question);
    assert_eq!((answer.steps[0].step, answer.steps[0].gave.len()), (Step::PostFilter, 2));
    assert!(!documents(&answer).contains(&"tea.md"), "both of its sentences were dropped: {:?}", answer.steps);
}

#[test]
fn a_model_that_is_away_changes_nothing_and_it_is_said() {
    let question = "How hot is water for black tea?";
    let plain = search(None, &[], question);
    for (model, reason) in [(Some(Model(&[])), "no route to host"), (None, "no language model is set")] {
        let answer = search(model, &Step::ALL, question);
        assert_eq!(returned(&answer), returned(&plain));
        assert_eq!(answer.steps.len(), Step::ALL.len());
        let said = |taken: &okno::understand::model::Taken| {
            // Without tables nobody is asked for a query.
            let reason = if taken.step == Step::Sql && reason.starts_with("no route") { "no tables" } else { reason };
            taken.failed.as_ref().is_some_and(|why| why.to_string().contains(reason))
        };
        assert!(answer.steps.iter().all(said), "{:?}", answer.steps);
    }
}

#[test]
fn a_recipe_says_which_steps_are_taken() {
    let (_folder, mut engine) = place();
    let mut recipes = engine.recipes().clone();
    recipes.get_mut("auto").unwrap().transform = vec![Step::Rewrite];
    let model = Model(&[("question", r#"{"question": "eggs of a queen"}"#)]);
    engine.reconfigure(|builder| builder.recipes(recipes).generator(Some(Arc::new(model)))).unwrap();
    assert_eq!(engine.search(&Query::new("royal output")).unwrap().steps[0].gave, ["eggs of a queen"]);
    assert!(engine.search(&Query::new("royal output").transform(vec![])).unwrap().steps.is_empty());
}
