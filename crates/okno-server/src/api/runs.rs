//! Saved runs: their figures by name, and the page of each.

use super::documents::{json, sent};
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Name, Params, Which};
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use okno_evaluate::RecipeComparison;
use okno_evaluate::run::{EvaluationRun, RunCell};
use okno_evaluate::runs::Runs;
use serde::Serialize;
use utoipa::ToSchema;

/// The figures of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct Figures<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether `/api/v1/reports/{name}` has its page.
    pub report: bool,
    /// When it was made, in seconds since 1970.
    pub made: u64,
    /// The questions' name.
    pub set: &'a str,
    /// What makes two sets the same.
    pub fingerprint: &'a str,
    /// How many questions.
    pub questions: usize,
    /// The seed of the random numbers.
    pub seed: u64,
    /// What recipes are ordered by.
    pub measure: &'static str,
    /// One per recipe and budget.
    pub cells: Vec<CellView<'a>>,
    /// The best recipe against each of the others, at each budget.
    pub comparisons: Vec<ComparisonView>,
}

/// Whether the report of a run was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportKept {
    /// It can be opened.
    Yes,
    /// It was deleted, or never made.
    No,
}

impl ReportKept {
    fn of(runs: &Runs, name: &str) -> Self {
        if runs.has_report(name) { Self::Yes } else { Self::No }
    }
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
    pub scores: &'a okno_evaluate::Scores,
    /// Milliseconds a question took.
    #[schema(value_type = Object)]
    pub latency_ms: okno_evaluate::run::Latency,
}

/// A comparison with what it means in words.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparisonView {
    /// The figures.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub figures: RecipeComparison,
    /// In English.
    pub english: String,
    /// In Chinese.
    pub chinese: String,
}

impl<'a> Figures<'a> {
    /// The figures of a run.
    pub fn new(run: &'a EvaluationRun, report: ReportKept) -> Self {
        let measure = run.main_measure();
        let cell = |cell: &'a RunCell| CellView {
            recipe: &cell.recipe,
            budget: cell.budget,
            scores: &cell.scores,
            latency_ms: cell.latency,
        };
        let told = |figures: RecipeComparison| ComparisonView {
            english: figures.english(),
            chinese: figures.chinese(),
            figures,
        };
        let compared = run.budgets().into_iter().flat_map(|budget| run.comparisons(measure, budget));
        Self {
            name: &run.name,
            report: report == ReportKept::Yes,
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
pub async fn runs(app: SeenApp, Params(which): Params<Which>) -> Result<impl IntoResponse, ApiError> {
    let Some(kept) = beside(&app, &which).await? else { return Ok(sent(json(&RunList { runs: Vec::new() })?)) };
    let work = move || {
        let figures = |name: &String| {
            let run = kept.load(name)?;
            Ok::<_, ApiError>(serde_json::to_value(Figures::new(&run, ReportKept::of(&kept, name)))?)
        };
        json(&RunList { runs: kept.names()?.iter().map(figures).collect::<Result<_, _>>()? })
    };
    Ok(sent(app.pool.run(work).await?))
}

/// The runs of an index. They were made of all documents and hold their names and texts: whoever does not see all of
/// these sees no runs.
async fn beside(app: &SeenApp, which: &Which) -> Result<Option<Runs>, ApiError> {
    let served = app.served(which.index.as_deref())?;
    let hidden = app.partly_hidden().await?.contains(&served.index.name);
    Ok((!hidden).then(|| Runs::beside(served.engine().beside())))
}

/// The same for a run that is asked for by name.
async fn of_run(app: &SeenApp, which: &Which, name: &str) -> Result<Runs, ApiError> {
    beside(app, which).await?.ok_or_else(|| Problem::NoRun { name: name.escape_debug().to_string() }.into())
}

/// A run that was kept, or an error.
fn kept(runs: &Runs, name: &str) -> Result<EvaluationRun, ApiError> {
    if !runs.names()?.iter().any(|known| known == name) {
        return Err(Problem::NoRun { name: name.escape_debug().to_string() }.into());
    }
    Ok(runs.load(name)?)
}

/// The figures of a run
#[utoipa::path(get, path = "/api/v1/runs/{name}", tag = "evaluate",
    params(("name" = String, Path, description = "The run"), Which),
    responses((status = 200, body = Figures<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn run(app: SeenApp, Name(name): Name, Params(which): Params<Which>) -> Result<impl IntoResponse, ApiError> {
    let runs = of_run(&app, &which, &name).await?;
    let work = move || json(&Figures::new(&kept(&runs, &name)?, ReportKept::of(&runs, &name)));
    Ok(sent(app.pool.run(work).await?))
}

/// Delete a run and its report
#[utoipa::path(delete, path = "/api/v1/runs/{name}", tag = "evaluate",
    params(("name" = String, Path, description = "The run"), Which),
    responses((status = 204), (status = "4XX", body = ErrorBody)))]
pub async fn remove(app: SeenApp, Name(name): Name, Params(which): Params<Which>) -> Result<StatusCode, ApiError> {
    let runs = of_run(&app, &which, &name).await?;
    let work = move || {
        kept(&runs, &name)?;
        Ok(runs.remove(&name)?)
    };
    app.pool.run(work).await.map(|()| StatusCode::NO_CONTENT)
}

/// A report holds text of documents: nothing of it may run, or reach this server.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

/// The page of a run; the last 50 are kept
#[utoipa::path(get, path = "/api/v1/reports/{name}", tag = "evaluate",
    params(("name" = String, Path, description = "The run"), Which),
    responses((status = 200, content_type = "text/html", body = String), (status = "4XX", body = ErrorBody)))]
pub async fn report(app: SeenApp, Name(name): Name, Params(which): Params<Which>) -> Result<Response, ApiError> {
    let no_report = Problem::NoReport { name: name.escape_debug().to_string() };
    let Some(runs) = beside(&app, &which).await? else { return Err(no_report.into()) };
    let work = move || {
        let page = if runs.has_report(&name) { runs.report(&name)? } else { None };
        page.ok_or_else(|| no_report.into())
    };
    let mut response = Html(app.pool.run(work).await?).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX));
    Ok(response)
}
