//! Quality that may not fall: every recipe on the sample's questions, beside a committed table.
//!
//! The table (`quality.json`) holds each recipe's scores and the questions it missed, so that a change is judged
//! question by question: what it loses may exceed what it gains by one standard error of such a count, √(lost +
//! gained), and no more. Scores that are means of shares may fall by [`BAND`]. When a change moves figures on
//! purpose, write the table anew and commit it: `OKNO_WRITE_QUALITY=1 cargo test -p okno --test quality`.

use okno::Engine;
use okno_evaluate::measure::Measure;
use okno_evaluate::run::{EvaluationRun, RunCell, RunRequest, built_in_for, run};
use okno_evaluate::set::{Gold, Indexed, QuestionSet};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Tokens of context. Few tell recipes apart on a small sample: at 2,000 most of them find nearly everything.
const BUDGETS: [usize; 1] = [300];

/// Three questions of 200: what sentence rules, tokenizer and ties move without anybody meaning to.
const BAND: f64 = 0.015;

const SCORES: [Measure; 5] = [Measure::Context, Measure::All, Measure::Mrr, Measure::Ndcg, Measure::Precision];

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The committed table.
#[derive(Debug, Serialize, Deserialize)]
struct Table {
    /// The questions it is about.
    fingerprint: String,
    /// By recipe, by budget.
    recipes: BTreeMap<String, BTreeMap<usize, Line>>,
}

/// A recipe at a budget.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    coverage: f64,
    scores: BTreeMap<Measure, f64>,
    /// The questions whose answer was not wholly returned.
    missed: String,
}

fn sample() -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::create(folder.path().join("index")).unwrap();
    let roots = [here("../okno-cli/sample/documents"), here("../okno-cli/sample/messy")];
    let report = engine.index(&roots).unwrap();
    assert!(report.skipped.is_empty(), "{:?}", report.skipped);
    (folder, engine)
}

fn questions(library: &mut Indexed<'_>) -> QuestionSet {
    // Reading finds every answer exactly once in its document, or names the line.
    QuestionSet::read(&here("../okno-cli/sample/questions.jsonl"), library).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_questions_are_as_promised() {
    let (_folder, engine) = sample();
    let snapshot = engine.snapshot().unwrap();
    let set = questions(&mut Indexed::new(&*snapshot));
    let han = |text: &str| text.chars().filter(|c| ('\u{3400}'..='\u{9fff}').contains(c)).count();
    let chinese =
        set.questions.iter().filter(|question| han(&question.text) * 4 > question.text.chars().count()).count();
    let count = set.questions.len();
    assert!(count >= 200 && chinese >= 100 && count - chinese >= 100, "{chinese} of {count} are Chinese");
    for (kind, least) in
        [("fact", 60), ("paraphrase", 30), ("list", 12), ("broad", 15), ("multi", 12), ("code", 10), ("cross", 6)]
    {
        let found = set.kinds().get(kind).copied().unwrap_or(0);
        assert!(found >= least, "{found} questions of kind `{kind}`, {least} were promised");
    }
    let distinct: BTreeSet<&str> = set.questions.iter().map(|question| question.text.as_str()).collect();
    assert_eq!(distinct.len(), count, "a question is asked twice");
    let several = |gold: &Gold| matches!(gold, Gold::Spans { excerpts, .. } if excerpts.len() > 1);
    assert!(
        set.questions.iter().filter(|question| several(&question.gold)).count() >= 12,
        "questions with several spans"
    );
}

#[test]
fn no_recipe_gets_worse() {
    let (_folder, engine) = sample();
    let snapshot = engine.snapshot().unwrap();
    let mut library = Indexed::new(&*snapshot);
    let set = questions(&mut library);
    let candidates = built_in_for(&engine).unwrap();
    let asking = RunRequest { set: &set, candidates: &candidates, budgets: &BUDGETS, seed: 20, name: "gate" };
    let run = run(&engine, &asking, &mut library, &|_, _| ()).unwrap().run;
    for cell in &run.cells {
        let place = format!("{} @{}", cell.recipe, cell.budget);
        assert!(cell.scores.get(Measure::Exact) >= 1.0, "{place}: a context is no slice of its document");
        assert!(cell.scores.get(Measure::Duplicate) == 0.0, "{place}: text was returned twice");
        let over = cell.rows.iter().filter(|row| row.get(Measure::Tokens) > Some(cell.budget as f64)).count();
        assert_eq!(over, 0, "{place}: over the budget");
    }
    compare(&run);
}

fn missed(run: &EvaluationRun, cell: &RunCell) -> BTreeSet<String> {
    let lacks = |at: &usize| cell.rows[*at].get(Measure::Coverage) < Some(1.0);
    (0..run.questions.len()).filter(lacks).map(|at| run.questions[at].clone()).collect()
}

fn table(run: &EvaluationRun) -> Table {
    let round = |value: f64| (value * 1e4).round() / 1e4;
    let mut recipes: BTreeMap<String, BTreeMap<usize, Line>> = BTreeMap::new();
    for cell in &run.cells {
        let line = Line {
            coverage: round(cell.scores.get(Measure::Coverage)),
            scores: SCORES.iter().map(|&measure| (measure, round(cell.scores.get(measure)))).collect(),
            missed: missed(run, cell).into_iter().collect::<Vec<_>>().join(" "),
        };
        recipes.entry(cell.recipe.clone()).or_default().insert(cell.budget, line);
    }
    Table { fingerprint: run.fingerprint.clone(), recipes }
}

fn compare(run: &EvaluationRun) {
    let path = here("tests/quality.json");
    if std::env::var_os("OKNO_WRITE_QUALITY").is_some() {
        std::fs::write(&path, serde_json::to_string_pretty(&table(run)).unwrap() + "\n").unwrap();
    }
    let refresh = "write it anew: OKNO_WRITE_QUALITY=1 cargo test -p okno --test quality";
    let committed: Table = serde_json::from_str(&std::fs::read_to_string(&path).unwrap())
        .unwrap_or_else(|error| panic!("tests/quality.json: {error} – {refresh}"));
    assert_eq!(committed.fingerprint, run.fingerprint, "the table is about other questions – {refresh}");
    assert_eq!(
        committed.recipes.keys().collect::<Vec<_>>(),
        table(run).recipes.keys().collect::<Vec<_>>(),
        "{refresh}"
    );
    let mut worse = Vec::new();
    for cell in &run.cells {
        worse.extend(falls(run, cell, &committed.recipes[&cell.recipe][&cell.budget]));
    }
    assert!(worse.is_empty(), "worse beyond noise:\n{}\nif that was meant, {refresh}", worse.join("\n"));
}

/// What fell by more than noise.
fn falls(run: &EvaluationRun, cell: &RunCell, committed: &Line) -> Vec<String> {
    let place = format!("{} @{}", cell.recipe, cell.budget);
    let before: BTreeSet<String> = committed.missed.split_whitespace().map(str::to_owned).collect();
    let now = missed(run, cell);
    let (lost, gained) = (now.difference(&before).count(), before.difference(&now).count());
    println!(
        "{place:16} covers {:.3}, was {:.3}: {lost} lost, {gained} gained",
        cell.scores.get(Measure::Coverage),
        committed.coverage
    );
    let mut falls = Vec::new();
    if beyond_noise(lost, gained) {
        let names: Vec<&str> = now.difference(&before).map(String::as_str).collect();
        falls.push(format!("{place}: lost {lost} ({}), gained {gained}", names.join(" ")));
    }
    for (measure, was) in &committed.scores {
        let is = cell.scores.get(*measure);
        if is < was - BAND {
            falls.push(format!("{place}: {} fell from {was:.4} to {is:.4}", measure.name()));
        }
    }
    falls
}

/// More lost than gained by over one question, and by over one standard error of the count.
fn beyond_noise(lost: usize, gained: usize) -> bool {
    lost as f64 - gained as f64 > ((lost + gained) as f64).sqrt().max(1.0)
}

#[test]
fn the_noise_band_lets_a_question_pass_and_no_landslide() {
    for (lost, gained, fails) in
        [(0, 0, false), (1, 0, false), (2, 0, true), (3, 2, false), (6, 3, false), (9, 3, true), (0, 9, false)]
    {
        assert_eq!(beyond_noise(lost, gained), fails, "{lost} lost, {gained} gained");
    }
}
