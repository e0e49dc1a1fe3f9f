//! What can go wrong, in one shape: `{"error": {"code", "message", "hint"}}`.
//!
//! Codes are stable and meant for programs; messages are the engine's own. The engine says what to do next behind a dash:
//! that part becomes the hint.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use okno::generate::GenerateError;
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// Every code there is: programs branch on them, and the page has its own sentence for each, in both languages.
pub const CODES: [&str; 45] = [
    "ambiguous_name",
    "bad_body",
    "bad_evaluation",
    "bad_filter",
    "bad_form",
    "bad_hash",
    "bad_json",
    "bad_layer",
    "bad_name",
    "bad_option",
    "bad_parameter",
    "bad_path",
    "bad_place",
    "bad_question_set",
    "bad_recipe",
    "cannot_write",
    "cross_origin",
    "embedder_failed",
    "index_busy",
    "internal",
    "model_busy",
    "model_failed",
    "no_document",
    "no_files",
    "no_image",
    "no_index",
    "no_job",
    "no_key",
    "no_method",
    "no_question",
    "no_report",
    "no_root",
    "no_route",
    "no_run",
    "no_units",
    "not_json",
    "overloaded",
    "path_not_allowed",
    "prompt_too_long",
    "timeout",
    "too_large",
    "too_much",
    "unknown_field",
    "unreadable",
    "wrong_host",
];

/// Why a request was not answered.
#[derive(Debug, Clone)]
pub struct Fault {
    status: StatusCode,
    code: &'static str,
    message: String,
    hint: Option<String>,
}

/// An error as it is sent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorInfo,
}

/// What went wrong.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErrorInfo {
    /// For programs: stays the same.
    #[schema(schema_with = described)]
    pub code: &'static str,
    /// For people: what happened.
    pub message: String,
    /// What to do next, where that can be said.
    pub hint: Option<String>,
}

/// A code, as the description says it: one of those there are.
fn described() -> utoipa::openapi::schema::Object {
    use utoipa::openapi::schema::{ObjectBuilder, Type};
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(CODES)).build()
}

impl Fault {
    /// A fault of this status and code.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        debug_assert!(CODES.contains(&code), "`{code}` is not among `CODES`");
        Self { status, code, message: message.into(), hint: None }
    }

    /// A request that cannot be understood.
    pub fn bad(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// Something that is not there.
    pub fn missing(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// A mistake of ours, or of the machine.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// The same with what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// As it is sent.
    pub fn info(&self) -> ErrorInfo {
        ErrorInfo { code: self.code, message: self.message.clone(), hint: self.hint.clone() }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hint {
            Some(hint) => write!(f, "{} – {hint}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ErrorBody { error: self.info() })).into_response();
        if matches!(self.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::CONFLICT) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<okno::Error> for Fault {
    fn from(error: okno::Error) -> Self {
        told(kind(&error), &error)
    }
}

impl From<okno_evaluate::Error> for Fault {
    fn from(error: okno_evaluate::Error) -> Self {
        use okno_evaluate::Error as E;
        match error {
            E::Engine(error) => error.into(),
            E::QuestionSet { .. } => told((StatusCode::BAD_REQUEST, "bad_question_set"), &error),
            _ => told((StatusCode::BAD_REQUEST, "bad_evaluation"), &error),
        }
    }
}

fn told((status, code): (StatusCode, &'static str), error: &impl ToString) -> Fault {
    let message = error.to_string();
    match message.split_once(" – ") {
        Some((what, next)) => Fault::new(status, code, what).hint(next),
        None => Fault::new(status, code, message),
    }
}

/// Status and code of an error of the engine. What is not the caller's doing is ours, or the machine's.
fn kind(error: &okno::Error) -> (StatusCode, &'static str) {
    use okno::Error as E;
    const BAD: StatusCode = StatusCode::BAD_REQUEST;
    match error {
        E::Filter(_) => (BAD, "bad_filter"),
        E::UnknownField { .. } => (BAD, "unknown_field"),
        E::Layer(_) => (BAD, "bad_layer"),
        E::NoUnits(_) => (BAD, "no_units"),
        E::Recipe(_) => (BAD, "bad_recipe"),
        E::Options(_) => (BAD, "bad_option"),
        E::Unreadable { .. } => (BAD, "unreadable"),
        E::NoRoot { .. } => (StatusCode::NOT_FOUND, "no_root"),
        E::NoDocument(_) => (StatusCode::NOT_FOUND, "no_document"),
        E::Locked(_) => (StatusCode::CONFLICT, "index_busy"),
        E::Generate(GenerateError::TooLong { .. }) => (BAD, "prompt_too_long"),
        E::Generate(GenerateError::Busy { .. }) => (StatusCode::SERVICE_UNAVAILABLE, "model_busy"),
        E::Generate(_) => (StatusCode::BAD_GATEWAY, "model_failed"),
        E::Embedding { .. } => (StatusCode::BAD_GATEWAY, "embedder_failed"),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_s_advice_becomes_the_hint() {
        let fault = Fault::from(okno::Error::NoDocument("tea.md".into()));
        let info = fault.info();
        assert_eq!((fault.status().as_u16(), info.code), (404, "no_document"));
        assert_eq!(info.message, "no document `tea.md` in the index");
        assert_eq!(info.hint.as_deref(), Some("`okno documents` lists them"));
    }
}
