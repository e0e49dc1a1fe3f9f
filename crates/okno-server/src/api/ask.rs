//! Ask: an answer in words, streamed as it is written or whole.

use super::search::{Indexes, query_of};
use super::stream::{SentEvent, until_end};
use crate::answering::{ReplyPiece, found, whole, written};
use crate::audit::AuditNote;
use crate::conversation::{SentMessage, made_whole, turns};
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, Params};
use crate::language::Preferred;
use crate::requester::SeenApp;
use axum::Json;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::{StreamExt, stream};
use okno::retrieve::QueryRequest;
use okno::shapes;
use okno_document::message::Lang;
use serde::Deserialize;
use std::convert::Infallible;
use tokio::sync::mpsc;
use utoipa::ToSchema;

/// A question to be answered in words.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Replying {
    /// The question and how to find what answers it.
    #[serde(flatten)]
    pub asking: QueryRequest,
    /// The conversation before the question: `user` and `assistant` by turns. A question that points back ("and how
    /// long?") is made whole with it – by the language model where there is one, else by rule.
    #[serde(default)]
    pub messages: Vec<SentMessage>,
    /// Which language model answers, one of those that `GET /api/v1/models` lists; the usual one where none is named.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the answer comes as it is written.
    #[serde(default = "streamed")]
    pub stream: bool,
}

fn streamed() -> bool {
    true
}

/// Answer a question in words, with citations
///
/// Streamed as server-sent events: `asked_as` (after `messages`: the question as it was typed and as it is asked),
/// `contexts` (what was found, as a search returns it), `text` (`{"text": "…"}`, piece by piece), then `done` (the
/// whole answer with its citations) or `error`. With `"stream": false` the whole answer as JSON. Without a language
/// model the best passages are quoted, 400 tokens unless `budget` says otherwise.
#[utoipa::path(post, path = "/api/v1/ask", tag = "search", params(Indexes), request_body = Replying,
    responses((status = 200, body = Object), (status = 200, content_type = "text/event-stream", body = SentEvent),
        (status = "4XX", body = ErrorBody), (status = "5XX", description = "The model failed", body = ErrorBody)))]
pub async fn ask(
    app: SeenApp,
    Params(which): Params<Indexes>,
    Preferred(lang): Preferred,
    note: AuditNote,
    JsonBody(replying, _): JsonBody<Replying>,
) -> Result<Response, ApiError> {
    let indexes = app.several(which.index.as_deref())?;
    // Refused as it is before a model is asked.
    let query = query_of(&app.limits, &replying.asking)?;
    let model = app.picked(replying.model.as_deref(), &indexes)?;
    let mut query = query.to_answer(model.generator.is_some());
    let made = made_whole(&app, &query.text, turns(&replying.messages), &model).await?;
    query.text.clone_from(&made.question);
    note.question(&query.text);
    let answer = found(&app, &indexes, query).await?;
    note.documents(answer.contexts.iter().map(|context| &*context.document));
    if !replying.stream {
        let mut reply = shapes::reply(&whole(&app, indexes, answer, model).await?);
        if !replying.messages.is_empty() {
            reply["asked_as"] = serde_json::json!(made);
        }
        return Ok(Json(reply).into_response());
    }
    let contexts = event("contexts", &shapes::FullAnswer::new(&answer, replying.asking.explain));
    let pieces = written(&app, indexes, answer, model).await?;
    let asked_as = (!replying.messages.is_empty()).then(|| event("asked_as", &made));
    let events = stream::iter(asked_as.into_iter().chain([contexts]))
        .chain(stream::unfold(pieces, next).map(move |piece| told(&piece, lang)));
    let events = until_end(&app, events).map(Ok::<_, Infallible>);
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

async fn next(mut pieces: mpsc::Receiver<ReplyPiece>) -> Option<(ReplyPiece, mpsc::Receiver<ReplyPiece>)> {
    Some((pieces.recv().await?, pieces))
}

fn told(piece: &ReplyPiece, lang: Lang) -> Event {
    match piece {
        ReplyPiece::Text(text) => event("text", &serde_json::json!({ "text": text })),
        ReplyPiece::End(reply) => match reply.as_ref() {
            Ok(reply) => event("done", &shapes::reply(reply)),
            Err(error) => event("error", &ErrorBody { error: error.info(lang) }),
        },
    }
}

/// An event with JSON in it; our own shapes can always be written.
fn event(name: &str, data: &impl serde::Serialize) -> Event {
    Event::default().event(name).json_data(data).unwrap_or_default()
}
