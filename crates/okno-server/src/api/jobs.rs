//! Jobs over HTTP: begun, looked at, followed, stopped.

use super::stream::until_end;
use crate::allowed;
use crate::app::{App, ServedIndex};
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, Name, Params, Which};
use crate::jobs::{Job, JobKind, JobOrigin, JobView};
use crate::language::Preferred;
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::Json;
use axum::http::StatusCode;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::{Stream, StreamExt, stream};
use okno::shapes::IndexSummary;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

/// What to index.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Indexing {
    /// Files and folders that the index follows already, or from folders the server was started to allow; without any,
    /// all that the index follows, and its uploads.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// Bring an index up to date
#[utoipa::path(post, path = "/api/v1/jobs/index", tag = "jobs", params(Which), request_body = Indexing,
    responses((status = 202, body = JobView), (status = "4XX", body = ErrorBody)))]
pub async fn index(
    app: SeenApp,
    Params(which): Params<Which>,
    Preferred(lang): Preferred,
    JsonBody(indexing, _): JsonBody<Indexing>,
) -> Result<(StatusCode, Json<JobView>), ApiError> {
    let served = app.served(which.index.as_deref())?;
    let asked = (Arc::clone(&*app), Arc::clone(&served));
    let paths = app.pool.run(move || allowed::paths(&asked.0, &asked.1, &indexing.paths)).await?;
    let origin = JobOrigin { requester: app.requester.clone(), files: Vec::new(), lang };
    let job = begin(&app, served, paths, origin);
    Ok((StatusCode::ACCEPTED, Json(job.view())))
}

/// Begins a job that indexes these paths; without any, all that the index follows and its uploads.
pub(crate) fn begin(app: &App, served: Arc<ServedIndex>, paths: Vec<PathBuf>, origin: JobOrigin) -> Arc<Job> {
    let job = app.jobs.add(JobKind::Index, &served.index.name, origin);
    let working = Arc::clone(&job);
    tokio::spawn(async move {
        let turn = Arc::clone(&served.writing).lock_owned().await;
        working.start();
        let inner = Arc::clone(&working);
        let work = move || {
            let _turn = turn;
            indexed(&served, paths, &inner)
        };
        working.end(crate::pool::blocking(work).await);
    });
    job
}

fn indexed(served: &ServedIndex, mut paths: Vec<PathBuf>, job: &Job) -> Result<serde_json::Value, ApiError> {
    let engine = served.whole_engine();
    let options = (served.index.options)()?;
    let mut report = okno::IndexReport::default();
    let uploads = served.uploads.folder();
    // Uploads may be outside every root the index follows yet.
    if paths.is_empty() && uploads.is_dir() {
        report = engine.index_with(&[uploads], &options, job)?;
        paths = engine.snapshot()?.roots().iter().map(PathBuf::from).filter(|root| root != uploads).collect();
    }
    if !report.stopped {
        add(&mut report, engine.index_with(&paths, &options, job)?);
    }
    Ok(serde_json::to_value(IndexSummary::new(&report, engine.folder()))?)
}

/// Two runs told as one.
fn add(report: &mut okno::IndexReport, next: okno::IndexReport) {
    report.added += next.added;
    report.changed += next.changed;
    report.removed += next.removed;
    report.unchanged += next.unchanged;
    report.sentences += next.sentences;
    report.bytes += next.bytes;
    report.repaired += next.repaired;
    report.skipped.extend(next.skipped);
    report.stopped |= next.stopped;
}

/// Jobs, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobList {
    /// The jobs.
    pub jobs: Vec<JobView>,
}

/// List the jobs since the server began
#[utoipa::path(get, path = "/api/v1/jobs", tag = "jobs",
    responses((status = 200, body = JobList), (status = "4XX", body = ErrorBody)))]
pub async fn list(app: SeenApp) -> Result<Json<JobList>, ApiError> {
    let hidden = app.partly_hidden().await?;
    Ok(Json(JobList { jobs: app.jobs.all().iter().filter_map(|job| app.view(job, &hidden)).collect() }))
}

/// A job that the requester may see, and of which indexes they do not see everything.
async fn seen_job(app: &SeenApp, id: &str) -> Result<(Arc<Job>, BTreeSet<String>), ApiError> {
    let (job, hidden) = (app.jobs.get(id)?, app.partly_hidden().await?);
    if app.view(&job, &hidden).is_none() {
        return Err(Problem::NoJob { id: id.escape_debug().to_string() }.into());
    }
    Ok((job, hidden))
}

fn seen_view(app: &SeenApp, job: &Job, hidden: &BTreeSet<String>) -> Result<Json<JobView>, ApiError> {
    let view = app.view(job, hidden);
    view.map(Json).ok_or_else(|| Problem::NoJob { id: String::new() }.into())
}

/// How far a job is
#[utoipa::path(get, path = "/api/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path, description = "The job")),
    responses((status = 200, body = JobView), (status = "4XX", body = ErrorBody)))]
pub async fn get(app: SeenApp, Name(id): Name) -> Result<Json<JobView>, ApiError> {
    let (job, hidden) = seen_job(&app, &id).await?;
    seen_view(&app, &job, &hidden)
}

/// Stop a job
///
/// Indexing stops after its next commit, which stays; an evaluation stops at its next question and keeps nothing.
#[utoipa::path(delete, path = "/api/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path, description = "The job")),
    responses((status = 202, body = JobView), (status = "4XX", body = ErrorBody)))]
pub async fn cancel(app: SeenApp, Name(id): Name) -> Result<(StatusCode, Json<JobView>), ApiError> {
    let (job, hidden) = seen_job(&app, &id).await?;
    job.cancel();
    Ok((StatusCode::ACCEPTED, seen_view(&app, &job, &hidden)?))
}

/// One event of a job that is followed, for the description.
#[derive(Debug, ToSchema)]
#[allow(dead_code)] // describes what is sent
pub struct JobEvent {
    /// Whether more will come.
    event: JobEventName,
    /// The whole job, as JSON.
    data: JobView,
}

/// Whether more will come.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
#[allow(dead_code)] // describes what is sent
pub enum JobEventName {
    /// The job goes on.
    Progress,
    /// The last event: nothing more will happen.
    End,
}

/// Progress is sent at most this often: nobody can watch a bar more closely.
const TICK: Duration = Duration::from_millis(100);

/// Follow a job: server-sent events `progress`, each the whole job, and `end` when nothing more will happen
#[utoipa::path(get, path = "/api/v1/jobs/{id}/events", tag = "jobs",
    params(("id" = String, Path, description = "The job")),
    responses((status = 200, content_type = "text/event-stream", body = JobEvent), (status = "4XX", body = ErrorBody)))]
pub async fn events(
    app: SeenApp,
    Name(id): Name,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let (job, hidden) = seen_job(&app, &id).await?;
    let (seen, watched) = (app.clone(), Arc::clone(&job));
    // The job is held as long as it is followed, so that its sender lives.
    let views = stream::unfold(Some((job.follow(), job, true)), |following| async {
        let (mut views, job, first) = following?;
        if !first {
            tokio::time::sleep(TICK).await;
            views.changed().await.ok()?;
        }
        let view = views.borrow_and_update().clone();
        let over = view.state.is_over();
        Some((view, (!over).then_some((views, job, false))))
    });
    let shown = views.filter_map(move |view| std::future::ready(seen.shown(&watched, view, &hidden)));
    let events = until_end(&app, shown).map(|view| {
        let name = if view.state.is_over() { "end" } else { "progress" };
        Ok(Event::default().event(name).json_data(&view).unwrap_or_default())
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}
