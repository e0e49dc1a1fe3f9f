//! A run: several recipes, the same questions, one row per question, recipe and budget.
//!
//! A recipe packs its contexts for the budget it is given, so it is asked once per budget and judged at that budget.
//! Questions are asked one after the other, so that the time of one is the time of one.

use super::compare::RecipeComparison;
use super::measure::{Measure, MeasureRow, Scores};
use super::score::{self, Returned};
use super::set::{Library, Question, QuestionSet};
use crate::{Error, Result};
use okno::document::{DerivedKind, Layer};
use okno::retrieve::{Recipe, built_in};
use okno::store::Snapshot;
use okno::{Context, Engine, Query};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A recipe under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What tables call it.
    pub name: String,
    /// The recipe.
    pub recipe: Recipe,
}

/// What is asked, and how.
#[derive(Debug)]
pub struct RunRequest<'a> {
    /// The questions.
    pub set: &'a QuestionSet,
    /// The recipes.
    pub candidates: &'a [Candidate],
    /// Tokens of context, each judged by itself.
    pub budgets: &'a [usize],
    /// Where chance begins, for every interval.
    pub seed: u64,
    /// The run's name.
    pub name: &'a str,
}

/// A run with the contexts that were returned, by cell and question.
#[derive(Debug)]
pub struct Outcome {
    /// The figures.
    pub run: EvaluationRun,
    /// For each cell, for each question, what was returned.
    pub contexts: Vec<Vec<Vec<Returned>>>,
}

/// The figures of a run, and what is needed to repeat it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRun {
    /// Its name.
    pub name: String,
    /// When it was made, in seconds since 1970.
    pub made: u64,
    /// The version of this program.
    pub version: String,
    /// The questions' name.
    pub set: String,
    /// What makes two sets the same.
    pub fingerprint: String,
    /// The embedder of the index.
    pub embedder: String,
    /// Documents in the index.
    pub documents: usize,
    /// Sentences in the index.
    pub sentences: usize,
    /// Where chance began.
    pub seed: u64,
    /// The questions' names, in the order of every cell's rows.
    pub questions: Vec<String>,
    /// One per recipe and budget.
    pub cells: Vec<RunCell>,
}

/// One recipe at one budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunCell {
    /// The recipe's name.
    pub recipe: String,
    /// What it was.
    pub settings: Recipe,
    /// Tokens it could spend.
    pub budget: usize,
    /// The means.
    pub scores: Scores,
    /// How long a question took.
    pub latency: Latency,
    /// What each question measured.
    pub rows: Vec<MeasureRow>,
    /// Questions that were searched without a step that the recipe asks of a language model.
    #[serde(default)]
    pub unhelped: usize,
    /// Verdicts that a judge could not give; they are in no mean.
    #[serde(default)]
    pub judge_failed: usize,
}

/// Milliseconds that questions took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Half took less.
    pub p50: f64,
    /// All but one in twenty took less.
    pub p95: f64,
}

impl Latency {
    /// The percentiles of these times, by nearest rank.
    pub fn of(mut milliseconds: Vec<f64>) -> Self {
        milliseconds.sort_unstable_by(f64::total_cmp);
        let rank = |share: f64| ((milliseconds.len() as f64 * share).ceil() as usize).saturating_sub(1);
        let at = |share: f64| milliseconds.get(rank(share)).copied().unwrap_or(0.0);
        Self { p50: at(0.5), p95: at(0.95) }
    }
}

impl From<&Context> for Returned {
    fn from(context: &Context) -> Self {
        Self { document: context.document.clone(), start: context.start, end: context.end, text: context.text.clone() }
    }
}

/// The built-in recipes that an index can answer with: those over derived units need units.
pub fn built_in_for(engine: &Engine) -> Result<Vec<Candidate>> {
    let snapshot = engine.snapshot()?;
    let mut candidates = Vec::new();
    for name in built_in()?.into_keys() {
        let recipe = Recipe::named(&name, snapshot.manifest(), engine.recipes())?;
        // Without contexts, `contextual` is `auto` under another name.
        let context = Layer::Derived(DerivedKind::Context);
        let empty = recipe.layers.contains(&context) && !snapshot.derived_counts().contains_key(&DerivedKind::Context);
        if !empty && is_answerable(engine, &*snapshot, &recipe)? {
            candidates.push(Candidate { name, recipe });
        }
    }
    Ok(candidates)
}

/// The built-in recipes that an index cannot answer with, each with the layers of units it lacks.
pub fn left_out(engine: &Engine) -> Result<Vec<(String, String)>> {
    let snapshot = engine.snapshot()?;
    let mut left_out = Vec::new();
    for name in built_in()?.into_keys() {
        let recipe = Recipe::named(&name, snapshot.manifest(), engine.recipes())?;
        let probe = Query::new("?").recipe_value(recipe);
        match engine.search_in(&*snapshot, &probe) {
            Err(okno::Error::NoUnits(layers)) => left_out.push((name, layers)),
            other => drop(other?),
        }
    }
    Ok(left_out)
}

/// Whether an index has what a recipe searches; asking is the one way of telling that cannot disagree with asking.
pub(super) fn is_answerable(engine: &Engine, snapshot: &dyn Snapshot, recipe: &Recipe) -> Result<bool> {
    let probe = Query::new("?").recipe_value(recipe.clone());
    match engine.search_in(snapshot, &probe) {
        Ok(_) => Ok(true),
        Err(okno::Error::NoUnits(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The query of a question, answered by a recipe within a budget.
pub fn query(question: &Question, recipe: &Recipe, budget: usize) -> Query {
    Query::new(question.text.as_str()).recipe_value(recipe.clone()).filter(question.filter.clone()).budget(budget)
}

/// Asks every question of every recipe at every budget, telling `progress` after each how many of how many are done.
pub fn run(
    engine: &Engine,
    asking: &RunRequest<'_>,
    library: &mut dyn Library,
    progress: &dyn Fn(usize, usize),
) -> Result<Outcome> {
    let outcome = run_unless(engine, asking, library, progress, &|| false)?;
    // Only `stop` ends a run early, and this one never does.
    outcome.ok_or_else(|| Error::Stopped)
}

/// The same, looking at `stop` before each question; `None` when it said so: half a run compares nothing.
pub fn run_unless(
    engine: &Engine,
    asking: &RunRequest<'_>,
    library: &mut dyn Library,
    progress: &dyn Fn(usize, usize),
    stop: &dyn Fn() -> bool,
) -> Result<Option<Outcome>> {
    let snapshot = engine.snapshot()?;
    let (mut cells, mut contexts) = (Vec::new(), Vec::new());
    let each = asking.set.questions.len();
    let total = asking.candidates.len() * asking.budgets.len() * each;
    for candidate in asking.candidates {
        for &budget in asking.budgets {
            let before = cells.len() * each;
            let go_on = |done: usize| {
                progress(before + done, total);
                !stop()
            };
            let asked = ask(engine, &*snapshot, asking.set, &candidate.recipe, budget, &go_on)?;
            let Some((returned, latency, unhelped)) = asked else { return Ok(None) };
            load_texts(&returned, library)?;
            let rows = judge(asking.set, &returned, budget, library);
            cells.push(RunCell {
                recipe: candidate.name.clone(),
                settings: candidate.recipe.clone(),
                budget,
                scores: Scores::of(&rows),
                latency,
                rows,
                unhelped,
                judge_failed: 0,
            });
            contexts.push(returned);
        }
    }
    let records = snapshot.records()?;
    let run = EvaluationRun {
        name: asking.name.to_owned(),
        made: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        set: asking.set.name.clone(),
        fingerprint: asking.set.fingerprint(),
        embedder: snapshot.manifest().embedder.clone(),
        documents: records.len(),
        sentences: records.iter().map(|(_, record)| record.sentences as usize).sum(),
        seed: asking.seed,
        questions: asking.set.questions.iter().map(|question| question.id.clone()).collect(),
        cells,
    };
    Ok(Some(Outcome { run, contexts }))
}

/// What every question returned, how long that took, and how many were searched without a step of their recipe.
type SearchOutcome = (Vec<Vec<Returned>>, Latency, usize);

/// Asks all questions, one after the other, after one that is not timed: the first search of a layer reads it.
/// `go_on` is told how many are done.
fn ask(
    engine: &Engine,
    snapshot: &dyn Snapshot,
    set: &QuestionSet,
    recipe: &Recipe,
    budget: usize,
    go_on: &dyn Fn(usize) -> bool,
) -> Result<Option<SearchOutcome>> {
    let search = |question: &Question| engine.search_in(snapshot, &query(question, recipe, budget));
    set.questions.first().map(search).transpose()?;
    let (mut returned, mut milliseconds, mut unhelped) = (Vec::new(), Vec::new(), 0);
    for question in &set.questions {
        if !go_on(returned.len()) {
            return Ok(None);
        }
        let begun = Instant::now();
        let answer = search(question)?;
        milliseconds.push(begun.elapsed().as_secs_f64() * 1e3);
        unhelped += usize::from(answer.steps.iter().any(|taken| taken.failed.is_some()));
        returned.push(answer.contexts.iter().map(Returned::from).collect());
    }
    // All are asked: nothing is left to be stopped.
    go_on(returned.len());
    Ok(Some((returned, Latency::of(milliseconds), unhelped)))
}

/// Exactness needs the text of every document that was returned.
fn load_texts(returned: &[Vec<Returned>], library: &mut dyn Library) -> Result<()> {
    for context in returned.iter().flatten() {
        if !library.texts().contains_key(&context.document) {
            library.find(&context.document)?;
        }
    }
    Ok(())
}

fn judge(set: &QuestionSet, returned: &[Vec<Returned>], budget: usize, library: &dyn Library) -> Vec<MeasureRow> {
    let texts = library.texts();
    let pairs: Vec<_> = set.questions.iter().zip(returned).collect();
    pairs.into_par_iter().map(|(question, contexts)| score::row(&question.gold, contexts, budget, texts)).collect()
}

impl EvaluationRun {
    /// One recipe at one budget.
    pub fn cell(&self, recipe: &str, budget: usize) -> Option<&RunCell> {
        self.cells.iter().find(|cell| cell.recipe == recipe && cell.budget == budget)
    }

    /// The recipes, in the order they were asked.
    pub fn recipes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for cell in &self.cells {
            if !names.contains(&cell.recipe.as_str()) {
                names.push(&cell.recipe);
            }
        }
        names
    }

    /// The budgets, ascending.
    pub fn budgets(&self) -> Vec<usize> {
        let mut budgets: Vec<usize> = self.cells.iter().map(|cell| cell.budget).collect();
        budgets.sort_unstable();
        budgets.dedup();
        budgets
    }

    /// What recipes are ordered by: coverage, or gain where only documents are known.
    pub fn main_measure(&self) -> Measure {
        let spans = self.cells.iter().any(|cell| cell.scores.0.contains_key(&Measure::Coverage));
        if spans { Measure::Coverage } else { Measure::Ndcg }
    }

    /// The cells of a budget, best first: by the main measure, then by readable context, then by fewer tokens.
    pub fn ranked(&self, budget: usize) -> Vec<&RunCell> {
        let main = self.main_measure();
        let mut cells: Vec<&RunCell> = self.cells.iter().filter(|cell| cell.budget == budget).collect();
        let key = |cell: &RunCell| {
            [cell.scores.get(main), cell.scores.get(Measure::Context), -cell.scores.get(Measure::Tokens)]
        };
        cells.sort_by(|a, b| {
            key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal).then(a.recipe.cmp(&b.recipe))
        });
        cells
    }

    /// The best recipe against each of the others, at one budget.
    pub fn comparisons(&self, measure: Measure, budget: usize) -> Vec<RecipeComparison> {
        let ranked = self.ranked(budget);
        let Some((best, others)) = ranked.split_first() else { return Vec::new() };
        let against = |other: &&RunCell| {
            let pairs: Vec<(MeasureRow, MeasureRow)> =
                best.rows.iter().copied().zip(other.rows.iter().copied()).collect();
            RecipeComparison::of([&best.recipe, &other.recipe], measure, budget, &pairs, self.seed)
        };
        others.iter().map(against).collect()
    }

    /// A cell of this run against a cell of another, over the questions both have.
    pub fn against(
        &self,
        own: &RunCell,
        other: &EvaluationRun,
        theirs: &RunCell,
        measure: Measure,
    ) -> RecipeComparison {
        let places: HashMap<&str, usize> = other.questions.iter().enumerate().map(|(i, id)| (id.as_str(), i)).collect();
        let pairs: Vec<(MeasureRow, MeasureRow)> = (self.questions.iter().zip(&own.rows))
            .filter_map(|(id, row)| Some((*row, *theirs.rows.get(*places.get(id.as_str())?)?)))
            .collect();
        let names = [format!("{}/{}", self.name, own.recipe), format!("{}/{}", other.name, theirs.recipe)];
        RecipeComparison::of([&names[0], &names[1]], measure, own.budget, &pairs, self.seed)
    }
}
