//! Search: a question in, contexts out – the same answer the command line gives.

use crate::answering::searching;
use crate::app::{App, ServedIndex};
use crate::audit::AuditNote;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, Params};
use crate::limits::RequestLimits;
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use okno::retrieve::QueryRequest;
use okno::{Answer, Query, RequestError, search_several, shapes};
use serde::Deserialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use utoipa::IntoParams;

/// Which indexes are asked.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Indexes {
    /// The index, or several with commas between; the first when none is named
    pub index: Option<String>,
}

/// The query of a request, within the limits of a server.
pub(crate) fn query_of(limits: &RequestLimits, request: &QueryRequest) -> Result<Query, ApiError> {
    request.within(&limits.query).map_err(okno::Error::from)?;
    let filter = request.filter.as_ref().map_or(0, |filter| filter.to_string().chars().count());
    if filter > limits.filter {
        let limit = limits.filter;
        return Err(okno::Error::from(RequestError::TooMuch { field: "filter", given: filter, limit }).into());
    }
    Ok(request.query()?)
}

/// Asks indexes; with several, their answers become one.
pub(crate) fn answer(indexes: &[Arc<ServedIndex>], query: &Query) -> Result<Answer, ApiError> {
    let complete = |served: &Arc<ServedIndex>| {
        let mut query = query.clone();
        (served.index.complete)(&mut query).map(|()| query)
    };
    let queries = indexes.iter().map(complete).collect::<okno::Result<Vec<Query>>>()?;
    let answer = search_several(indexes.iter().map(|served| served.engine()).zip(&queries))?;
    answer.ok_or_else(|| Problem::NothingServed.into())
}

/// Find the passages that answer a question
#[utoipa::path(post, path = "/api/v1/search", tag = "search", params(Indexes), request_body = QueryRequest,
    responses((status = 200, body = shapes::FullAnswer<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn search(
    app: SeenApp,
    Params(which): Params<Indexes>,
    note: AuditNote,
    JsonBody(request, bytes): JsonBody<QueryRequest>,
) -> Result<Response, ApiError> {
    let indexes = app.several(which.index.as_deref())?;
    let query = query_of(&app.limits, &request)?;
    note.question(&request.question);
    let used = Arc::clone(&*app);
    let (asked, wanted) = (indexes.clone(), query.clone());
    let work = move || cached(&used, &indexes, &query, request.explain, &bytes);
    let found = searching(&app, &asked, &[wanted], work).await?;
    if note.is_wanted() {
        note.documents(returned(&found).iter().map(String::as_str));
    }
    Ok(([(header::CONTENT_TYPE, "application/json")], found).into_response())
}

/// The documents of an answer that may have been kept, from its JSON.
fn returned(answer: &[u8]) -> Vec<String> {
    #[derive(Deserialize)]
    struct SentAnswer {
        contexts: Vec<SentContext>,
    }
    #[derive(Deserialize)]
    struct SentContext {
        doc_id: String,
    }
    let answer: Option<SentAnswer> = serde_json::from_slice(answer).ok();
    answer.into_iter().flat_map(|answer| answer.contexts).map(|context| context.doc_id).collect()
}

/// The answer as it is sent, kept for the same question to the same state.
fn cached(
    app: &App,
    indexes: &[Arc<ServedIndex>],
    query: &Query,
    explain: bool,
    request: &[u8],
) -> Result<Bytes, ApiError> {
    let key = key(indexes, request)?;
    if let Some(kept) = app.cache.get(&key) {
        app.metrics.cache_hits.fetch_add(1, Ordering::Relaxed);
        return Ok(kept);
    }
    app.metrics.cache_misses.fetch_add(1, Ordering::Relaxed);
    let answer = answer(indexes, query)?;
    let shape = shapes::FullAnswer::new(&answer, explain);
    let bytes = Bytes::from(shape.to_json()?);
    // A step that failed may succeed next time: the model may be back.
    if answer.steps.iter().all(|taken| taken.failed.is_none()) {
        app.cache.keep(key, &bytes);
    }
    Ok(bytes)
}

/// Everything an answer depends on: which indexes in which state, what the requester may see of them, the day (a
/// question may say `last week`), and the request.
fn key(indexes: &[Arc<ServedIndex>], request: &[u8]) -> Result<Vec<u8>, ApiError> {
    let mut key = (crate::jobs::now() / 86_400).to_le_bytes().to_vec();
    for served in indexes {
        let snapshot = served.engine().snapshot()?;
        // An index that was deleted and made again counts its generations anew.
        key.extend(snapshot.identity().unwrap_or(0).to_le_bytes());
        key.extend(snapshot.generation().to_le_bytes());
        key.extend(format!("{:?}", served.engine().access()).as_bytes());
        key.push(0);
        key.extend(served.index.name.as_bytes());
        key.push(0);
    }
    key.extend(request);
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    #[test]
    fn a_request_is_checked_before_it_is_read() {
        let request = |json: serde_json::Value| serde_json::from_value::<QueryRequest>(json).expect("a request");
        let code = |json| query_of(&RequestLimits::default(), &request(json)).err().map(|error| error.code());
        assert_eq!(code(serde_json::json!({"question": "tea", "window": 2})), None);
        assert_eq!(code(serde_json::json!({"question": " "})), Some(Code::NoQuestion));
        assert_eq!(code(serde_json::json!({"question": "tea", "window": 2, "expand": "auto"})), Some(Code::BadOption));
        assert_eq!(code(serde_json::json!({"question": "tea", "expand": "window:4000000"})), Some(Code::TooMuch));
        assert_eq!(code(serde_json::json!({"question": "tea", "transform": ["rewire"]})), Some(Code::BadOption));
        assert_eq!(code(serde_json::json!({"question": "tea", "filter": "year ="})), Some(Code::BadFilter));
        let long = format!("year = {}", "1".repeat(11_000));
        assert_eq!(code(serde_json::json!({"question": "tea", "filter": long})), Some(Code::TooMuch));
    }
}
