//! The chat API of `OpenAI`, so that chat clients answer from the index by changing a URL.
//!
//! The last message of the user is the question, made whole with those before it; the answer cites `[1]` and ends with
//! the list of sources, because most clients show text and nothing else. Programs find the citations in `citations`.
//! `okno` is the first index, `okno/INDEX` any; `:MODEL` behind it picks the language model that answers.

use crate::answering::{ReplyPiece, found, whole, written};
use crate::api;
use crate::app::App;
use crate::audit::AuditNote;
use crate::conversation::{SentMessage, made_whole, turns};
use crate::error::{ApiError, ErrorBody};
use crate::extract::JsonBody;
use crate::language::Preferred;
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::{StreamExt, stream};
use okno::answer::{Citation, Reply};
use okno::retrieve::QueryRequest;
use okno_document::message::Lang;
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The model's name; an index may follow behind a `/`, and a language model behind a `:`.
const NAME: &str = "okno";

/// The routes under `/v1`.
pub fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(complete)).routes(routes!(models))
}

/// The models that chat clients may name: the first index, and each by its name; then with each other language model
#[utoipa::path(get, path = "/v1/models", tag = "chat",
    responses((status = 200, body = Object), (status = "4XX", body = ErrorBody)))]
async fn models(State(app): State<Arc<App>>) -> Json<Value> {
    let names = app.whole_indexes().iter().map(|served| format!("{NAME}/{}", served.index.name));
    let indexes: Vec<String> = std::iter::once(NAME.to_owned()).chain(names).collect();
    let picked = app.model_names().flat_map(|model| indexes.iter().map(move |index| format!("{index}:{model}")));
    let names: Vec<String> = indexes.iter().cloned().chain(picked).collect();
    let model = |id: &String| json!({"id": id, "object": "model", "created": 0, "owned_by": NAME});
    Json(json!({"object": "list", "data": names.iter().map(model).collect::<Vec<_>>()}))
}

/// What a client sends; unknown fields are ignored, as other services do.
#[derive(Debug, Deserialize, ToSchema)]
struct Completing {
    /// `okno`, or `okno/INDEX` for one of several indexes; with `:MODEL` the language model of that name answers.
    #[serde(default)]
    model: String,
    /// The conversation so far.
    messages: Vec<SentMessage>,
    /// Whether the answer comes as it is written.
    #[serde(default)]
    stream: bool,
    /// 0 for the likeliest words.
    temperature: Option<f32>,
    /// Tokens of the answer, at most.
    max_tokens: Option<usize>,
    /// The same by its newer name.
    max_completion_tokens: Option<usize>,
}

/// Answer a chat as `OpenAI` does, from the index
///
/// The last message of the user is the question; one that points back ("and how long?") is made whole with those before
/// it. Streamed as chunks when `stream` is set; the sources stand below the text, and as places in `citations`.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "chat", request_body = Completing,
    responses((status = 200, body = Object), (status = 200, content_type = "text/event-stream", body = api::SentEvent),
        (status = "4XX", body = ErrorBody), (status = "5XX", description = "The model failed", body = ErrorBody)))]
async fn complete(
    app: SeenApp,
    Preferred(lang): Preferred,
    note: AuditNote,
    JsonBody(completing, _): JsonBody<Completing>,
) -> Result<Response, ApiError> {
    let (index, model) = wanted(&app, &completing.model);
    let indexes = app.several(index)?;
    let mut model = app.picked(model, &indexes)?;
    let mut turns = turns(&completing.messages);
    let asked = turns.pop().ok_or(Problem::NoUserMessage)?.question;
    // Refused as it is before a model is asked.
    api::query_of(&app.limits, &QueryRequest::new(&asked))?;
    let options = &mut model.options;
    options.temperature = completing.temperature.or(options.temperature);
    options.max_tokens = completing.max_completion_tokens.or(completing.max_tokens).or(options.max_tokens);
    let whole_question = made_whole(&app, &asked, turns, &model).await?;
    let query = api::query_of(&app.limits, &QueryRequest::new(whole_question.question))?;
    let query = query.to_answer(model.generator.is_some());
    note.question(&query.text);
    let answer = found(&app, &indexes, query).await?;
    note.documents(answer.contexts.iter().map(|context| &*context.document));
    let head = Head::new(if completing.model.is_empty() { NAME } else { &completing.model }, lang);
    if !completing.stream {
        return Ok(Json(head.whole(&whole(&app, indexes, answer, model).await?)).into_response());
    }
    let pieces = written(&app, indexes, answer, model).await?;
    let chunks = stream::unfold(pieces, |mut pieces| async { Some((pieces.recv().await?, pieces)) });
    let events = chunks.flat_map(move |piece| stream::iter(head.chunks(&piece)));
    let events = api::until_end(&app, events).map(Ok::<_, Infallible>);
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// The index and the language model that `okno/INDEX:MODEL` names, each where it does. Other names are taken for
/// `okno`: many clients send that of a model they know. An index may have a `:` in its name.
fn wanted<'a>(app: &App, named: &'a str) -> (Option<&'a str>, Option<&'a str>) {
    let Some(rest) = named.strip_prefix(NAME) else { return (None, None) };
    match (rest.strip_prefix('/'), rest.strip_prefix(':')) {
        (Some(index), _) if app.whole_index(Some(index)).is_ok() => (Some(index), None),
        (Some(rest), _) => {
            rest.rsplit_once(':').map_or((Some(rest), None), |(index, model)| (Some(index), Some(model)))
        }
        (None, model) => (None, model),
    }
}

/// What every part of a completion repeats.
#[derive(Debug, Clone)]
struct Head {
    id: String,
    created: u64,
    model: String,
    /// The language of errors.
    lang: Lang,
}

impl Head {
    fn new(model: &str, lang: Lang) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let created = crate::jobs::now();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Self { id: format!("chatcmpl-{created}-{number}"), created, model: model.to_owned(), lang }
    }

    fn whole(&self, reply: &Reply) -> Value {
        let message = json!({"role": "assistant", "content": format!("{}{}", reply.text, sources(&reply.citations))});
        let choice = json!({"index": 0, "message": message, "finish_reason": reason(reply)});
        json!({"id": self.id, "object": "chat.completion", "created": self.created, "model": self.model,
            "choices": [choice], "usage": usage(reply), "citations": citations(reply)})
    }

    /// A piece as the events of a stream: the sources come as a last piece of text, then the end.
    fn chunks(&self, piece: &ReplyPiece) -> Vec<Event> {
        match piece {
            ReplyPiece::Text(text) => vec![sent(&self.chunk(&json!({"role": "assistant", "content": text}), None))],
            ReplyPiece::End(reply) => match reply.as_ref() {
                Ok(reply) => {
                    let mut last = self.chunk(&json!({}), Some(reason(reply)));
                    (last["usage"], last["citations"]) = (usage(reply), citations(reply).into());
                    let sources = self.chunk(&json!({"content": sources(&reply.citations)}), None);
                    vec![sent(&sources), sent(&last), Event::default().data("[DONE]")]
                }
                Err(error) => vec![sent(&json!({"error": error.info(self.lang)})), Event::default().data("[DONE]")],
            },
        }
    }

    fn chunk(&self, delta: &Value, reason: Option<&str>) -> Value {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        json!({"id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "choices": [choice]})
    }
}

fn sent(data: &Value) -> Event {
    Event::default().data(data.to_string())
}

fn reason(reply: &Reply) -> &'static str {
    if reply.cut { "length" } else { "stop" }
}

fn usage(reply: &Reply) -> Value {
    let (prompt, completion) = (reply.usage.prompt, reply.usage.completion);
    json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
}

fn citations(reply: &Reply) -> Vec<Value> {
    reply.citations.iter().map(Citation::to_json).collect()
}

/// The places that were cited, each once: number, name, lines or page. Names are untrusted: they stay on their line,
/// and are code, which is no markup and can be copied as it is.
pub fn sources(citations: &[Citation]) -> String {
    let mut places: Vec<&Citation> = citations.iter().collect();
    places.sort_by_key(|citation| (citation.number, citation.start));
    places.dedup_by_key(|citation| (citation.number, citation.start));
    let mut out = if places.is_empty() { String::new() } else { "\n".to_owned() };
    for citation in places {
        let plain = |c: char| if c.is_control() || c == '`' { ' ' } else { c };
        let name = format!("`{}`", citation.document.chars().map(plain).collect::<String>());
        let (first, last) = citation.lines;
        let _ = match citation.pages {
            Some((page, _)) => write!(out, "\n[{}] {name}, p. {page}", citation.number),
            None if first == last => write!(out, "\n[{}] {name}, line {first}", citation.number),
            None => write!(out, "\n[{}] {name}, lines {first}–{last}", citation.number),
        };
    }
    out
}
