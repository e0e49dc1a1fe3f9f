//! Ask: an answer in words, streamed as it is written or whole.

use super::search::{Asking, Indexes, query_of};
use super::stream::{SentEvent, until_end};
use crate::answering::{Piece, found, whole, written};
use crate::app::App;
use crate::extract::{Body, Params};
use crate::fault::{ErrorBody, Fault};
use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::{StreamExt, stream};
use okno::shapes;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use utoipa::ToSchema;

/// A question to be answered in words.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Replying {
    /// The question and how to find what answers it.
    #[serde(flatten)]
    pub asking: Asking,
    /// Whether the answer comes as it is written.
    #[serde(default = "streamed")]
    pub stream: bool,
}

fn streamed() -> bool {
    true
}

/// Answer a question in words, with citations
///
/// Streamed as server-sent events: `contexts` (what was found, as a search returns it), `text` (`{"text": "…"}`, piece by piece),
/// then `done` (the whole answer with its citations) or `error`. With `"stream": false` the whole answer as JSON. Without a
/// language model the answer is made of the documents' own sentences.
#[utoipa::path(post, path = "/api/v1/ask", tag = "search", params(Indexes), request_body = Replying,
    responses((status = 200, body = Object), (status = 200, content_type = "text/event-stream", body = SentEvent),
        (status = "4XX", body = ErrorBody), (status = "5XX", description = "The model failed", body = ErrorBody)))]
pub async fn ask(
    State(app): State<Arc<App>>,
    Params(which): Params<Indexes>,
    Body(replying, _): Body<Replying>,
) -> Result<Response, Fault> {
    let places = app.several(which.index.as_deref())?;
    let query = query_of(&replying.asking)?;
    let options = places.first().map(|place| place.index.replies.clone()).unwrap_or_default();
    let answer = found(&app, &places, query).await?;
    if !replying.stream {
        return Ok(Json(shapes::reply(&whole(&app, places, answer, options).await?)).into_response());
    }
    let contexts = event("contexts", &shapes::Answer::new(&answer, replying.asking.explain));
    let pieces = written(&app, places, answer, options).await?;
    let events = stream::iter([contexts]).chain(stream::unfold(pieces, next).map(|piece| told(&piece)));
    let events = until_end(&app, events).map(Ok::<_, Infallible>);
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

async fn next(mut pieces: mpsc::Receiver<Piece>) -> Option<(Piece, mpsc::Receiver<Piece>)> {
    Some((pieces.recv().await?, pieces))
}

fn told(piece: &Piece) -> Event {
    match piece {
        Piece::Text(text) => event("text", &serde_json::json!({ "text": text })),
        Piece::End(reply) => match reply.as_ref() {
            Ok(reply) => event("done", &shapes::reply(reply)),
            Err(fault) => event("error", &ErrorBody { error: fault.info() }),
        },
    }
}

/// An event with JSON in it; our own shapes can always be written.
fn event(name: &str, data: &impl serde::Serialize) -> Event {
    Event::default().event(name).json_data(data).unwrap_or_default()
}
