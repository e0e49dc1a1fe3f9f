//! Derived units and query steps with a real, tiny model: set `OKNO_TEST_CHAT_URL` (`.ci/serve-model.sh` starts one).
//! What is tested is that everything is made or reported and the search goes on, not that such a model writes anything
//! good.

mod skipped;

use okno::document::DerivedKind;
use okno::understand::model::Step;
use okno::{DeriveOptions, Engine, Maker, Query, Silent};
use okno_models::service::{Chat, Options, Patience};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// A model that is given little room: a tiny one on one CPU fills any room with words.
fn real() -> Option<Chat> {
    let url = skipped::chat_url()?;
    let patience = Patience::within(Duration::from_mins(10));
    let options = Options { patience, max_tokens: Some(80), concurrency: 1, ..Options::at(&url, None) };
    Some(Chat::connect(options).unwrap())
}

fn place() -> (TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    std::fs::create_dir(&notes).unwrap();
    std::fs::write(
        notes.join("tea.md"),
        "# Tea\n\nGreen tea is brewed at eighty degrees. Black tea needs boiling water.\n",
    )
    .unwrap();
    let engine = Engine::create(folder.path().join(".okno")).unwrap();
    engine.index(&[notes]).unwrap();
    (folder, engine)
}

#[test]
fn a_real_model_makes_units_or_the_report_says_why_not() {
    let Some(model) = real() else { return };
    let (_folder, engine) = place();
    let report = engine.derive_units(Maker::Model(&model), &DeriveOptions::default(), &Silent).unwrap();
    println!("{report:?}");
    assert!(report.usage.prompt > 0 && report.usage.completion > 0 && report.left == 0 && !report.stopped);
    let made = |kind| report.units.get(&kind).copied().unwrap_or(0);
    assert!([0, 1].contains(&made(DerivedKind::Summary)) && [0, 4].contains(&made(DerivedKind::Question)));
    assert_eq!(report.units.len() + report.failed.len(), 2, "each kind was made or reported");
    for unit in &*engine.snapshot().unwrap().derived(engine.snapshot().unwrap().numbers()[0]).unwrap() {
        println!("{}: {}", unit.kind, unit.text);
    }
}

#[test]
fn a_search_with_a_real_models_passage_goes_on_whatever_it_says() {
    let Some(model) = real() else { return };
    let (_folder, mut engine) = place();
    engine.reconfigure(|builder| builder.generator(Some(Arc::new(model)))).unwrap();
    let query = Query::new("How hot is water for black tea?").transform(vec![Step::Hyde]);
    let answer = engine.search(&query).unwrap();
    println!("{:?}", answer.steps);
    assert_eq!((answer.steps.len(), answer.steps[0].step), (1, Step::Hyde));
    assert_ne!(answer.steps[0].gave.is_empty(), answer.steps[0].failed.is_none(), "given or failed, never both");
    assert!(answer.contexts[0].text.contains("Black tea needs boiling water."));
}
