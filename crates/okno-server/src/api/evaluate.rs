//! Evaluation over HTTP: a run is a job, its figures are kept by name, its report is a page of its own.

use super::documents::{json, sent};
use crate::app::{App, Place};
use crate::extract::{Body, Name, Params, Which};
use crate::fault::{ErrorBody, Fault};
use crate::jobs::{Job, JobKind, JobView};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use okno::evaluate::report::Report;
use okno::evaluate::run::{Asking, Candidate, Cell, Outcome, Run, built_in_for, run as ask};
use okno::evaluate::runs::Runs;
use okno::evaluate::set::{Indexed, Library, QuestionSet};
use okno::evaluate::{Comparison, make};
use okno::retrieve::Recipe;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use utoipa::ToSchema;

/// Where chance begins unless told otherwise: as on the command line.
const SEED: u64 = 20;

/// Questions made from the documents, at most.
const MOST_MADE: usize = 1000;

/// Reports kept in memory; each is at most 900 kB.
const REPORTS: usize = 20;

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
    /// Keep the figures under this name.
    pub name: Option<String>,
    /// Where chance begins.
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

/// Reports by the job that made them, the newest last.
#[derive(Debug, Default)]
pub struct Reports(Mutex<VecDeque<(String, Arc<str>)>>);

impl Reports {
    fn keep(&self, id: String, page: String) {
        // Whoever panicked left whole reports behind.
        let mut reports = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        reports.push_back((id, page.into()));
        if reports.len() > REPORTS {
            reports.pop_front();
        }
    }

    fn get(&self, id: &str) -> Option<Arc<str>> {
        let reports = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        reports.iter().find(|(known, _)| known == id).map(|(_, page)| Arc::clone(page))
    }
}

/// Measure recipes on questions with known answers; the job's result has the figures, `/api/v1/reports/{job}` the page
#[utoipa::path(post, path = "/api/v1/eval", tag = "evaluate", params(Which), request_body = Evaluating,
    responses((status = 202, body = JobView), (status = "4XX", body = ErrorBody)))]
pub async fn eval(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
    Body(evaluating, _): Body<Evaluating>,
) -> Result<(StatusCode, Json<JobView>), Fault> {
    let place = Arc::clone(app.place(which.index.as_deref())?);
    check(&evaluating)?;
    let asked = (Arc::clone(&place), evaluating.clone());
    app.pool.run(move || prepared(&asked.0, &asked.1)).await?;
    let job = app.jobs.add(JobKind::Eval, &place.index.name);
    let (working, used) = (Arc::clone(&job), Arc::clone(&app));
    tokio::spawn(async move {
        working.start();
        let inner = Arc::clone(&working);
        working.end(crate::pool::blocking(move || measured(&used, &place, &evaluating, &inner)).await);
    });
    Ok((StatusCode::ACCEPTED, Json(job.view())))
}

fn check(evaluating: &Evaluating) -> Result<(), Fault> {
    if evaluating.budgets.is_empty() || evaluating.budgets.len() > 10 || evaluating.budgets.contains(&0) {
        return Err(
            Fault::bad("bad_option", "expected 1 to 10 budgets, each above 0").hint("send `\"budgets\": [500]`")
        );
    }
    match (&evaluating.questions, evaluating.make) {
        (Some(questions), None) if !questions.is_empty() => Ok(()),
        (None, Some(count)) if (1..=MOST_MADE).contains(&count) => Ok(()),
        _ => Err(Fault::bad("bad_question_set", format!("expected `questions`, or `make` from 1 to {MOST_MADE}"))),
    }
}

/// What can be found wrong before the work begins is told at once.
fn prepared(place: &Place, evaluating: &Evaluating) -> Result<(), Fault> {
    if let Some(name) = &evaluating.name {
        Runs::beside(place.engine().beside()).check_new(name)?;
    }
    candidates(place, &evaluating.recipes)?;
    if evaluating.questions.is_some() {
        let snapshot = place.engine().snapshot()?;
        questions(evaluating, &mut Indexed::new(&*snapshot), &*snapshot)?;
    }
    Ok(())
}

fn candidates(place: &Place, names: &[String]) -> Result<Vec<Candidate>, Fault> {
    let engine = place.engine();
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

/// The questions as a set. A set is read from a file, as on the command line, so that one code says what is wrong with it.
fn questions(
    evaluating: &Evaluating,
    library: &mut dyn Library,
    snapshot: &dyn okno::store::Snapshot,
) -> Result<QuestionSet, Fault> {
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
                return Err(Fault::bad("bad_question_set", "no question could be made of these documents")
                    .hint("they need headings, definitions, lists or figures; or send `questions`"));
            }
            for made in made {
                let line = serde_json::to_string(&made).map_err(|error| Fault::internal(error.to_string()))?;
                let _ = writeln!(lines, "{line}");
            }
        }
    }
    Ok(QuestionSet::from_lines("questions", &lines, library)?)
}

fn measured(app: &App, place: &Place, evaluating: &Evaluating, job: &Job) -> Result<serde_json::Value, Fault> {
    let engine = place.engine();
    let snapshot = engine.snapshot()?;
    let mut library = Indexed::new(&*snapshot);
    let set = questions(evaluating, &mut library, &*snapshot)?;
    let candidates = candidates(place, &evaluating.recipes)?;
    let name = evaluating.name.as_deref().unwrap_or_default();
    let asking =
        Asking { set: &set, candidates: &candidates, budgets: &evaluating.budgets, seed: evaluating.seed, name };
    let outcome = ask(engine, &asking, &mut library, &|done, total| job.step(done as u64, total as u64))?;
    app.reports.keep(job.view().id, page(evaluating, &outcome, &set, &library));
    if evaluating.name.is_some() {
        Runs::beside(engine.beside()).save(&outcome.run)?;
    }
    serde_json::to_value(Figures::new(&outcome.run)).map_err(|error| Fault::internal(error.to_string()))
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

/// The figures of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct Figures<'a> {
    /// Its name, empty when it is not kept.
    pub name: &'a str,
    /// When it was made, in seconds since 1970.
    pub made: u64,
    /// The questions' name.
    pub set: &'a str,
    /// What makes two sets the same.
    pub fingerprint: &'a str,
    /// How many questions.
    pub questions: usize,
    /// Where chance began.
    pub seed: u64,
    /// What recipes are ordered by.
    pub measure: &'static str,
    /// One per recipe and budget.
    pub cells: Vec<CellView<'a>>,
    /// The best recipe against each of the others, at each budget.
    pub comparisons: Vec<ComparisonView>,
}

/// A recipe at a budget.
#[derive(Debug, Serialize, ToSchema)]
pub struct CellView<'a> {
    /// The recipe.
    pub recipe: &'a str,
    /// Tokens it could spend.
    pub budget: usize,
    /// The means of all measures.
    #[schema(value_type = Object)]
    pub scores: &'a okno::evaluate::Scores,
    /// Milliseconds a question took.
    #[schema(value_type = Object)]
    pub latency_ms: okno::evaluate::run::Latency,
}

/// A comparison with what it means in words.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparisonView {
    /// The figures.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub figures: Comparison,
    /// In English.
    pub english: String,
    /// In Chinese.
    pub chinese: String,
}

impl<'a> Figures<'a> {
    fn new(run: &'a Run) -> Self {
        let measure = run.main_measure();
        let cell = |cell: &'a Cell| CellView {
            recipe: &cell.recipe,
            budget: cell.budget,
            scores: &cell.scores,
            latency_ms: cell.latency,
        };
        let told =
            |figures: Comparison| ComparisonView { english: figures.english(), chinese: figures.chinese(), figures };
        let compared = run.budgets().into_iter().flat_map(|budget| run.comparisons(measure, budget));
        Self {
            name: &run.name,
            made: run.made,
            set: &run.set,
            fingerprint: &run.fingerprint,
            questions: run.questions.len(),
            seed: run.seed,
            measure: measure.name(),
            cells: run.cells.iter().map(cell).collect(),
            comparisons: compared.map(told).collect(),
        }
    }
}

/// Runs that were kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunList {
    /// By name.
    #[schema(value_type = Vec<Figures<'static>>)]
    pub runs: Vec<serde_json::Value>,
}

/// The runs that were kept
#[utoipa::path(get, path = "/api/v1/runs", tag = "evaluate", params(Which),
    responses((status = 200, body = RunList), (status = "4XX", body = ErrorBody)))]
pub async fn runs(State(app): State<Arc<App>>, Params(which): Params<Which>) -> Result<impl IntoResponse, Fault> {
    let place = Arc::clone(app.place(which.index.as_deref())?);
    let work = move || {
        let kept = Runs::beside(place.engine().beside());
        let figures = |name: &String| {
            let run = kept.load(name)?;
            serde_json::to_value(Figures::new(&run)).map_err(|error| Fault::internal(error.to_string()))
        };
        json(&RunList { runs: kept.names()?.iter().map(figures).collect::<Result<_, _>>()? })
    };
    Ok(sent(app.pool.run(work).await?))
}

/// A run that was kept, or that there is none.
fn kept(runs: &Runs, name: &str) -> Result<Run, Fault> {
    if !runs.names()?.iter().any(|known| known == name) {
        let message = format!("no run `{}`", name.escape_debug());
        return Err(Fault::missing("no_run", message).hint("`GET /api/v1/runs` lists them"));
    }
    Ok(runs.load(name)?)
}

/// The figures of a run
#[utoipa::path(get, path = "/api/v1/runs/{name}", tag = "evaluate", params(("name" = String, Path, description = "The run"), Which),
    responses((status = 200, body = Figures<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn run(
    State(app): State<Arc<App>>,
    Name(name): Name,
    Params(which): Params<Which>,
) -> Result<impl IntoResponse, Fault> {
    let place = Arc::clone(app.place(which.index.as_deref())?);
    let work = move || json(&Figures::new(&kept(&Runs::beside(place.engine().beside()), &name)?));
    Ok(sent(app.pool.run(work).await?))
}

/// Forget a run
#[utoipa::path(delete, path = "/api/v1/runs/{name}", tag = "evaluate", params(("name" = String, Path, description = "The run"), Which),
    responses((status = 204), (status = "4XX", body = ErrorBody)))]
pub async fn remove(
    State(app): State<Arc<App>>,
    Name(name): Name,
    Params(which): Params<Which>,
) -> Result<StatusCode, Fault> {
    let place = Arc::clone(app.place(which.index.as_deref())?);
    let work = move || {
        let runs = Runs::beside(place.engine().beside());
        kept(&runs, &name)?;
        Ok(runs.remove(&name)?)
    };
    app.pool.run(work).await.map(|()| StatusCode::NO_CONTENT)
}

/// A report holds text of documents: nothing of it may run, or reach this server.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

/// The page of a run, by the job that made it; kept while the server runs
#[utoipa::path(get, path = "/api/v1/reports/{id}", tag = "evaluate", params(("id" = String, Path, description = "The job")),
    responses((status = 200, content_type = "text/html", body = String), (status = "4XX", body = ErrorBody)))]
pub async fn report(State(app): State<Arc<App>>, Name(id): Name) -> Result<Response, Fault> {
    let page = app.reports.get(&id).ok_or_else(|| {
        Fault::missing("no_report", format!("no report of a job `{}`", id.escape_debug()))
            .hint("reports are kept while the server runs; run the evaluation again")
    })?;
    let mut response = Html(page.to_string()).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX));
    Ok(response)
}
