//! Documents: listed, read whole or in part, put, removed.

use crate::app::ServedIndex;
use crate::audit::AuditNote;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, Name, Params, Which};
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::Json;
use axum::http::header;
use axum::response::IntoResponse;
use okno::document::{ALLOW, Filter, Metadata, Record, Value};
use okno::load::GivenDocument;
use okno::retrieve::matching;
use okno::shapes::{self, WholeDocument, slice};
use okno::store::DocumentNumber;
use okno::{Engine, Silent};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use utoipa::{IntoParams, ToSchema};

/// Documents of one page by default.
const PAGE: usize = 100;

/// Documents of one page at most.
const LARGEST_PAGE: usize = 1000;

/// How a document is named in a path.
pub(super) const NAME: &str = "The document's name; `/` is written `%2F`";

/// Which documents.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Listing {
    /// The index; the first when none is named
    pub index: Option<String>,
    /// Only documents that match, e.g. `category = 素菜`
    pub filter: Option<String>,
    /// How many to pass over
    pub offset: Option<usize>,
    /// How many at most, up to 1000
    pub limit: Option<usize>,
}

/// Documents of an index.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentList<'a> {
    /// How many there are in all, of those that match.
    pub total: usize,
    /// This page of them, in the order they were indexed.
    pub documents: Vec<shapes::Document<'a>>,
}

/// A JSON answer made where its borrowed parts live.
pub(crate) fn json(value: &impl Serialize) -> Result<Vec<u8>, ApiError> {
    Ok(serde_json::to_vec(value)?)
}

/// The bytes of a JSON answer.
pub(crate) fn sent(bytes: Vec<u8>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], bytes)
}

/// List documents
#[utoipa::path(get, path = "/api/v1/documents", tag = "documents", params(Listing),
    responses((status = 200, body = DocumentList<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn list(app: SeenApp, Params(listing): Params<Listing>) -> Result<impl IntoResponse, ApiError> {
    let served = app.served(listing.index.as_deref())?;
    Ok(sent(app.pool.run(move || listed(&served, &listing)).await?))
}

fn listed(served: &ServedIndex, listing: &Listing) -> Result<Vec<u8>, ApiError> {
    let filter = listing.filter.as_deref().filter(|filter| !filter.trim().is_empty());
    let filter = filter.map(Filter::parse).transpose().map_err(okno::Error::from)?;
    let snapshot = served.engine().snapshot()?;
    let wanted = filter.map(|filter| matching(&*snapshot, &filter)).transpose()?;
    // Both lists ascend by number.
    let is_wanted = |number: &DocumentNumber| wanted.as_ref().is_none_or(|wanted| wanted.binary_search(number).is_ok());
    let records: Vec<&Record> =
        snapshot.records()?.iter().filter(|(number, _)| is_wanted(number)).map(|(_, record)| record).collect();
    let limit = listing.limit.unwrap_or(PAGE).min(LARGEST_PAGE);
    let page = records.iter().skip(listing.offset.unwrap_or(0)).take(limit);
    json(&DocumentList {
        total: records.len(),
        documents: page.map(|record| shapes::Document::from(*record)).collect(),
    })
}

/// A document with its text and structure
#[utoipa::path(get, path = "/api/v1/documents/{name}", tag = "documents",
    params(("name" = String, Path, description = NAME, example = "tea.md"), Which),
    responses((status = 200, body = WholeDocument<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn get(
    app: SeenApp,
    Name(name): Name,
    note: AuditNote,
    Params(which): Params<Which>,
) -> Result<impl IntoResponse, ApiError> {
    let served = app.served(which.index.as_deref())?;
    note.documents([&*name]);
    let work = move || {
        let snapshot = served.engine().snapshot()?;
        let (number, record) = named(served.engine(), &name)?;
        let (text, structure) = (snapshot.text(number)?, snapshot.structure(number)?);
        json(&WholeDocument::new(&record, &text, &text, &structure))
    };
    Ok(sent(app.pool.run(work).await?))
}

/// The document of a name; one that documents of several roots have is refused, as on the command line.
pub(crate) fn named(engine: &Engine, name: &str) -> Result<(DocumentNumber, Record), ApiError> {
    let mut named = engine.named(name)?;
    let paths: BTreeSet<String> =
        named.iter().map(|(_, record)| record.id.whole_path().display().to_string()).collect();
    if paths.len() > 1 {
        return Err(Problem::AmbiguousName { name: name.to_owned(), paths: paths.into_iter().collect() }.into());
    }
    Ok(named.swap_remove(0))
}

/// Which part of a text.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TextRange {
    /// The index; the first when none is named
    pub index: Option<String>,
    /// First code point
    pub start: Option<usize>,
    /// One past the last code point
    pub end: Option<usize>,
}

/// A part of a document's text.
#[derive(Debug, Serialize, ToSchema)]
pub struct TextPart<'a> {
    /// The document's name.
    pub doc_id: &'a str,
    /// The first code point.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// How many code points the whole text has.
    pub characters: usize,
    /// The text.
    pub text: &'a str,
}

/// A part of a document's text; what lies outside the text is left out
#[utoipa::path(get, path = "/api/v1/documents/{name}/text", tag = "documents",
    params(("name" = String, Path, description = NAME, example = "tea.md"), TextRange),
    responses((status = 200, body = TextPart<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn text(
    app: SeenApp,
    Name(name): Name,
    note: AuditNote,
    Params(part): Params<TextRange>,
) -> Result<impl IntoResponse, ApiError> {
    let served = app.served(part.index.as_deref())?;
    note.documents([&*name]);
    let work = move || {
        let (number, record) = named(served.engine(), &name)?;
        let snapshot = served.engine().snapshot()?;
        json(&text_part(&record, &snapshot.text(number)?, part.start, part.end))
    };
    Ok(sent(app.pool.run(work).await?))
}

/// The part of a text between two code points.
pub(crate) fn text_part<'a>(
    record: &'a Record,
    text: &'a str,
    start: Option<usize>,
    end: Option<usize>,
) -> TextPart<'a> {
    let characters = text.chars().count();
    let end = end.unwrap_or(characters).min(characters);
    let start = start.unwrap_or(0).min(end);
    TextPart { doc_id: record.id.name(), start, end, characters, text: slice(text, Some(start), Some(end)) }
}

/// A document that is not a file.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PutDocument {
    /// Its text, read as Markdown.
    #[schema(min_length = 1, example = "Green tea is brewed at 80 °C.")]
    pub text: String,
    /// Its title; the first heading when there is none.
    pub title: Option<String>,
    /// `zh`, `en` …; detected when there is none.
    pub language: Option<String>,
    /// Its metadata: texts, numbers, truth values, dates, and lists of them.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

/// What putting a document did.
#[derive(Debug, Serialize, ToSchema)]
pub struct PutReport {
    /// The document's name.
    pub doc_id: String,
    /// Whether there was none of this name before.
    pub added: bool,
    /// Whether it is another than before.
    pub changed: bool,
}

/// Add a document that is not a file, or replace the one that was added under this name
#[utoipa::path(put, path = "/api/v1/documents/{name}", tag = "documents", request_body = PutDocument,
    params(("name" = String, Path, description = NAME, example = "tea-1"), Which),
    responses((status = 200, body = PutReport), (status = "4XX", body = ErrorBody)))]
pub async fn put(
    app: SeenApp,
    Name(name): Name,
    note: AuditNote,
    Params(which): Params<Which>,
    JsonBody(body, _): JsonBody<PutDocument>,
) -> Result<Json<PutReport>, ApiError> {
    let served = app.served(which.index.as_deref())?;
    note.documents([&*name]);
    in_turn(Arc::clone(&served.writing), move || Ok(Json(put_into(&served, name, body)?))).await
}

fn put_into(served: &ServedIndex, name: String, body: PutDocument) -> Result<PutReport, ApiError> {
    let PutDocument { text, title, language, metadata } = body;
    // Whoever does not see a document cannot replace it either.
    if served.engine().named(&name).is_err() && served.whole_engine().named(&name).is_ok() {
        return Err(Problem::NameTaken { name }.into());
    }
    // Permissions that cannot be read permit nobody.
    let nobody = |field: &str| (field == ALLOW).then(|| Value::List(Vec::new()));
    let typed = |(field, value): (String, serde_json::Value)| {
        let value = Value::from_json(&value).or_else(|| nobody(&field))?;
        Some((field, value))
    };
    let typed = metadata.into_iter().filter_map(typed);
    let document = GivenDocument { id: name.clone(), text, title, language, metadata: Metadata(typed.collect()) };
    let report =
        served.whole_engine().add_with(&mut std::iter::once(Ok(document)), &(served.index.options)()?, &Silent)?;
    match report.skipped.into_iter().next() {
        Some(skipped) => Err(Problem::BadDocument { name, reason: Box::new(skipped.reason) }.into()),
        None => Ok(PutReport { doc_id: name, added: report.added > 0, changed: report.changed > 0 }),
    }
}

/// Waits for the turn to write, then does the work.
async fn in_turn<T: Send + 'static>(
    writing: Arc<Mutex<()>>,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let turn = tokio::time::timeout(PATIENCE, writing.lock_owned()).await;
    let turn = turn.map_err(|_| ApiError::from(Problem::IndexBusy))?;
    // Not in the pool: what is being written is finished even if the client disconnects.
    crate::pool::blocking(move || {
        let _turn = turn;
        work()
    })
    .await
}

/// What was removed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Removed {
    /// How many documents.
    pub removed: usize,
}

/// How long a request waits for a job that is writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Remove a document; an uploaded file is deleted, any other file is indexed again only when its content changes
#[utoipa::path(delete, path = "/api/v1/documents/{name}", tag = "documents",
    params(("name" = String, Path, description = NAME), Which),
    responses((status = 200, body = Removed), (status = "4XX", body = ErrorBody)))]
pub async fn remove(
    app: SeenApp,
    Name(name): Name,
    note: AuditNote,
    Params(which): Params<Which>,
) -> Result<Json<Removed>, ApiError> {
    let served = app.served(which.index.as_deref())?;
    note.documents([&*name]);
    in_turn(Arc::clone(&served.writing), move || Ok(Json(Removed { removed: removed(&served, &name)? }))).await
}

fn removed(served: &ServedIndex, name: &str) -> Result<usize, ApiError> {
    let engine = served.engine();
    let (_, record) = named(engine, name)?;
    let file = record.id.whole_path();
    if record.id.member.is_some() || !served.uploads.holds(&file) {
        return Ok(engine.remove(&[name.to_owned()])?);
    }
    // An upload is ours: with its file gone, indexing forgets it, and the same file may come again.
    std::fs::remove_file(&file).map_err(okno::Error::from)?;
    Ok(served.whole_engine().index_with(&[served.uploads.folder()], &(served.index.options)()?, &Silent)?.removed)
}
