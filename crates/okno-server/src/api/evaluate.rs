//! Evaluation over HTTP: a run is a job that can be stopped; its results are kept beside the index, as the command line
//! keeps them.

use super::runs::{Figures, ReportKept};
use crate::app::ServedIndex;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, Params, Which};
use crate::jobs::{Job, JobKind, JobOrigin, JobView};
use crate::language::Preferred;
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::Json;
use axum::http::StatusCode;
use okno::Progress;
use okno::retrieve::Recipe;
use okno_evaluate::make;
use okno_evaluate::report::Report;
use okno_evaluate::run::{Candidate, Outcome, RunRequest, built_in_for, run_unless};
use okno_evaluate::runs::Runs;
use okno_evaluate::set::{Indexed, Library, QuestionSet};
use serde::Deserialize;
use std::fmt::Write;
use std::sync::Arc;
use utoipa::ToSchema;

/// The default seed: as on the command line.
const SEED: u64 = 20;

/// Questions made from the documents, at most.
const MOST_MADE: usize = 1000;

/// What to measure.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "questions": [{"question": "How is black tea made?", "doc_id": "tea.md", "answers": ["boiling water"]}],
    "recipes": ["auto", "chunks"], "budgets": [200]
}))]
pub struct Evaluating {
    /// The questions, each as a line of a question set: `question`, and `doc_id` with `answers` or `start` and `end`.
    #[schema(value_type = Option<Vec<Object>>)]
    pub questions: Option<Vec<serde_json::Value>>,
    /// Instead of questions: make so many from the documents themselves.
    #[schema(minimum = 1, maximum = 1000)]
    pub make: Option<usize>,
    /// The recipes to measure; all that the index can answer with when left out.
    #[serde(default)]
    pub recipes: Vec<String>,
    /// Tokens of context; every recipe is asked once per budget.
    #[serde(default = "budgets")]
    #[schema(example = json!([500, 1000, 2000]))]
    pub budgets: Vec<usize>,
    /// Keep figures and report under this name. A run without a name gets one that begins with `unnamed-`; of those
    /// only the last 20 are kept.
    pub name: Option<String>,
    /// The seed of the random numbers.
    #[serde(default = "seed")]
    pub seed: u64,
    /// Whether the report opens in Chinese.
    #[serde(default)]
    pub chinese: bool,
}

fn budgets() -> Vec<usize> {
    vec![500, 1000, 2000]
}

fn seed() -> u64 {
    SEED
}

/// Measure recipes on questions with known answers
///
/// The job's result has the figures and the run's name; `/api/v1/reports/{name}` is its page.
#[utoipa::path(post, path = "/api/v1/eval", tag = "evaluate", params(Which), request_body = Evaluating,
    responses((status = 202, body = JobView), (status = "4XX", body = ErrorBody)))]
pub async fn eval(
    app: SeenApp,
    Params(which): Params<Which>,
    Preferred(lang): Preferred,
    JsonBody(evaluating, _): JsonBody<Evaluating>,
) -> Result<(StatusCode, Json<JobView>), ApiError> {
    let served = app.served(which.index.as_deref())?;
    check(&evaluating)?;
    let asked = (Arc::clone(&served), evaluating.clone());
    app.pool.run(move || prepared(&asked.0, &asked.1)).await?;
    let origin = JobOrigin { requester: app.requester.clone(), files: Vec::new(), lang };
    let job = app.jobs.add(JobKind::Eval, &served.index.name, origin);
    let working = Arc::clone(&job);
    tokio::spawn(async move {
        working.start();
        let inner = Arc::clone(&working);
        working.end(crate::pool::blocking(move || measured(&served, &evaluating, &inner)).await);
    });
    Ok((StatusCode::ACCEPTED, Json(job.view())))
}

fn check(evaluating: &Evaluating) -> Result<(), ApiError> {
    if evaluating.budgets.is_empty() || evaluating.budgets.len() > 10 || evaluating.budgets.contains(&0) {
        return Err(Problem::BadBudgets.into());
    }
    match (&evaluating.questions, evaluating.make) {
        (Some(questions), None) if !questions.is_empty() => Ok(()),
        (None, Some(count)) if (1..=MOST_MADE).contains(&count) => Ok(()),
        _ => Err(Problem::NoQuestions { most: MOST_MADE }.into()),
    }
}

/// What can be found wrong before the work begins is told at once.
fn prepared(served: &ServedIndex, evaluating: &Evaluating) -> Result<(), ApiError> {
    let name = evaluating.name.clone().unwrap_or_else(|| Runs::unnamed(0, ""));
    Runs::beside(served.engine().beside()).check_new(&name)?;
    candidates(served, &evaluating.recipes)?;
    if evaluating.questions.is_some() {
        let snapshot = served.engine().snapshot()?;
        questions(evaluating, &mut Indexed::new(&*snapshot), &*snapshot)?;
    }
    Ok(())
}

fn candidates(served: &ServedIndex, names: &[String]) -> Result<Vec<Candidate>, ApiError> {
    let engine = served.engine();
    if names.is_empty() {
        return Ok(built_in_for(engine)?);
    }
    let snapshot = engine.snapshot()?;
    let candidate = |name: &String| {
        let recipe = Recipe::named(name, snapshot.manifest(), engine.recipes())?;
        Ok(Candidate { name: name.clone(), recipe })
    };
    names.iter().map(candidate).collect()
}

/// The questions as a set. A set is read from a file, as on the command line, so that one code says what is wrong with
/// it.
fn questions(
    evaluating: &Evaluating,
    library: &mut dyn Library,
    snapshot: &dyn okno::store::Snapshot,
) -> Result<QuestionSet, ApiError> {
    let mut lines = String::new();
    match (&evaluating.questions, evaluating.make) {
        (Some(questions), _) => {
            for question in questions {
                let _ = writeln!(lines, "{question}");
            }
        }
        (None, count) => {
            let (made, _) = make::questions(snapshot, count.unwrap_or(100), evaluating.seed)?;
            if made.is_empty() {
                return Err(Problem::NoQuestionsMade.into());
            }
            for made in made {
                let line = serde_json::to_string(&made)?;
                let _ = writeln!(lines, "{line}");
            }
        }
    }
    Ok(QuestionSet::from_lines("questions", &lines, library)?)
}

fn measured(served: &ServedIndex, evaluating: &Evaluating, job: &Job) -> Result<serde_json::Value, ApiError> {
    let (engine, view) = (served.engine(), job.view());
    let snapshot = engine.snapshot()?;
    let mut library = Indexed::new(&*snapshot);
    let set = questions(evaluating, &mut library, &*snapshot)?;
    let candidates = candidates(served, &evaluating.recipes)?;
    let name = &evaluating.name.clone().unwrap_or_else(|| Runs::unnamed(view.created, &view.id));
    let asking =
        RunRequest { set: &set, candidates: &candidates, budgets: &evaluating.budgets, seed: evaluating.seed, name };
    let told = |done: usize, total: usize| job.step(done as u64, total as u64);
    let Some(outcome) = run_unless(engine, &asking, &mut library, &told, &|| job.stop())? else {
        return Ok(serde_json::json!({ "stopped": true }));
    };
    let runs = Runs::beside(engine.beside());
    runs.save(&outcome.run)?;
    runs.save_report(name, &page(evaluating, &outcome, &set, &library))?;
    Ok(serde_json::to_value(Figures::new(&outcome.run, ReportKept::Yes))?)
}

fn page(evaluating: &Evaluating, outcome: &Outcome, set: &QuestionSet, library: &dyn Library) -> String {
    let budgets: Vec<String> = evaluating.budgets.iter().map(ToString::to_string).collect();
    let recipes = outcome.run.recipes().join(",");
    let command = format!(
        "okno eval questions.jsonl --recipes {recipes} --budget {} --seed {}",
        budgets.join(","),
        evaluating.seed
    );
    Report { outcome, set, texts: library.texts(), command: &command, chinese: evaluating.chinese, judged: &[] }.html()
}
