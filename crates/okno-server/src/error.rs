//! Errors as they are sent, in one shape: `{"error": {"code", "message", "hint"}}`.
//!
//! [`ApiError`] is what the server found wrong itself ([`Problem`]) or what the engine reports. An engine's error says
//! what happened; its code and its hint – advice for users of the API and of the page – are made here, by matching on
//! the value.

use crate::code::Code;
use crate::problem::Problem;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use okno::RequestError;
use okno::generate::GenerateError;
use okno_document::message::{Lang, Message};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use utoipa::{PartialSchema, ToSchema};

/// Why a request was not answered. Cheap to clone: responses carry a copy for [`crate::language::translate`].
#[derive(Debug, Clone)]
pub struct ApiError(Arc<Cause>);

#[derive(Debug)]
enum Cause {
    Request(Problem),
    Engine(okno::Error),
    Evaluation(okno_evaluate::Error),
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
    #[schema(schema_with = Code::schema)]
    pub code: Code,
    /// For people: what happened. In Chinese where `Accept-Language` prefers that, else in English.
    pub message: String,
    /// What to do next, where that can be said.
    pub hint: Option<String>,
}

impl ApiError {
    /// The code.
    pub fn code(&self) -> Code {
        match &*self.0 {
            Cause::Request(problem) => problem.code(),
            Cause::Engine(error) => engine_code(error),
            Cause::Evaluation(error) => evaluation_code(error),
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        self.code().status()
    }

    /// As it is sent, in this language.
    pub fn info(&self, lang: Lang) -> ErrorInfo {
        let (message, hint) = match &*self.0 {
            Cause::Request(problem) => problem.texts(lang),
            Cause::Engine(error) => (error.text(lang), engine_hint(error).map(|hint| hint.in_language(lang))),
            Cause::Evaluation(error) => (error.text(lang), evaluation_hint(error).map(|hint| hint.in_language(lang))),
        };
        ErrorInfo { code: self.code(), message, hint }
    }

    /// The seconds after which a request that came too early may come again.
    fn wait(&self) -> Option<u64> {
        match &*self.0 {
            Cause::Request(Problem::RateLimited { seconds } | Problem::UploadQuota { seconds }) => Some(*seconds),
            _ => None,
        }
    }

    /// The bytes of the answer, in this language.
    pub fn body(&self, lang: Lang) -> Vec<u8> {
        // Three texts can always be written.
        serde_json::to_vec(&ErrorBody { error: self.info(lang) }).unwrap_or_default()
    }
}

/// In English: what happened, then what to do next.
impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorInfo { message, hint, .. } = self.info(Lang::En);
        match hint {
            Some(hint) => write!(f, "{message}; {hint}"),
            None => f.write_str(&message),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status();
        let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let mut response = (status, kind, self.body(Lang::En)).into_response();
        if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::CONFLICT) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if let Some(seconds) = self.wait() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self(Arc::new(Cause::Request(problem)))
    }
}

impl From<okno::Error> for ApiError {
    fn from(error: okno::Error) -> Self {
        Self(Arc::new(Cause::Engine(error)))
    }
}

impl From<okno_evaluate::Error> for ApiError {
    fn from(error: okno_evaluate::Error) -> Self {
        Self(Arc::new(Cause::Evaluation(error)))
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(cause: serde_json::Error) -> Self {
        Problem::NotSerializable { cause }.into()
    }
}

/// The code of an engine's error. What is not the caller's doing is the server's, or the machine's.
fn engine_code(error: &okno::Error) -> Code {
    use okno::Error as E;
    match error {
        E::Request(RequestError::NoQuestion) => Code::NoQuestion,
        E::Request(RequestError::TooMuch { .. }) => Code::TooMuch,
        E::Request(_) | E::Options(_) => Code::BadOption,
        E::Filter(_) => Code::BadFilter,
        E::UnknownField { .. } => Code::UnknownField,
        E::Layer(_) => Code::BadLayer,
        E::NoUnits(_) => Code::NoUnits,
        E::Recipe(_) => Code::BadRecipe,
        E::Unreadable { .. } => Code::Unreadable,
        E::NoRoot { .. } => Code::NoRoot,
        E::NoDocument(_) => Code::NoDocument,
        E::Locked(_) => Code::IndexBusy,
        E::ReadOnly(_) => Code::IndexReadOnly,
        E::Replaced(_) => Code::IndexReplaced,
        E::Generate(GenerateError::TooLong { .. }) => Code::PromptTooLong,
        E::Generate(GenerateError::Busy { .. }) => Code::ModelBusy,
        E::Generate(_) => Code::ModelFailed,
        E::Embedding { .. } => Code::EmbedderFailed,
        E::TimedOut => Code::Timeout,
        _ => Code::Internal,
    }
}

fn evaluation_code(error: &okno_evaluate::Error) -> Code {
    use okno_evaluate::Error as E;
    match error {
        E::Engine(error) => engine_code(error),
        E::QuestionSet { .. } => Code::BadQuestionSet,
        _ => Code::BadEvaluation,
    }
}

/// Advice in English and Chinese.
struct Hint(&'static str, &'static str);

impl Hint {
    fn in_language(&self, lang: Lang) -> String {
        let Self(english, chinese) = self;
        match lang {
            Lang::En => (*english).to_owned(),
            Lang::Zh => (*chinese).to_owned(),
        }
    }
}

/// What a user of the API or of the page can do about an engine's error.
fn engine_hint(error: &okno::Error) -> Option<Hint> {
    use okno::Error as E;
    Some(match error {
        E::NoDocument(_) => Hint("`GET /api/v1/documents` lists the documents", "`GET /api/v1/documents` 列出了各文档"),
        E::Filter(_) | E::UnknownField { .. } => {
            Hint("`GET /api/v1/fields` lists fields and their values", "`GET /api/v1/fields` 列出了各字段及其取值")
        }
        E::Recipe(_) => Hint("`GET /api/v1/recipes` lists the recipes", "`GET /api/v1/recipes` 列出了各方案"),
        E::NoUnits(_) => Hint(
            "choose another recipe; `GET /api/v1/recipes` says what each needs",
            "请选择其他方案；`GET /api/v1/recipes` 说明了各方案所需的单元",
        ),
        E::NoRoot { .. } => Hint("`GET /api/v1/status` lists `roots`", "`GET /api/v1/status` 列出了 `roots`"),
        E::Locked(_) => Hint("try again when the writer has finished", "请在写入完成后重试"),
        E::Generate(GenerateError::TooLong { .. }) => Hint("send a smaller `budget`", "请减小 `budget`"),
        E::Generate(GenerateError::Busy { .. }) => Hint("try again in a moment", "请稍后重试"),
        E::Unreadable { .. } => {
            Hint("check that the path exists and that the server may read it", "请检查路径是否存在、服务是否有权读取")
        }
        E::Damaged { .. } | E::KeyValue { .. } | E::Lexical { .. } => Hint(
            "check the disk's free space and permissions; a damaged index has to be built again",
            "请检查磁盘空间和权限；损坏的索引需要重建",
        ),
        _ => return None,
    })
}

fn evaluation_hint(error: &okno_evaluate::Error) -> Option<Hint> {
    use okno_evaluate::Error as E;
    match error {
        E::Engine(error) => engine_hint(error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_for_users_of_the_api_in_both_languages() {
        let error = ApiError::from(okno::Error::NoDocument("tea.md".into()));
        let info = error.info(Lang::En);
        assert_eq!((error.status().as_u16(), info.code), (404, Code::NoDocument));
        assert!(info.message.starts_with("no document `tea.md`"), "{}", info.message);
        assert_eq!(info.hint.as_deref(), Some("`GET /api/v1/documents` lists the documents"));
        assert_eq!(error.info(Lang::Zh).hint.as_deref(), Some("`GET /api/v1/documents` 列出了各文档"));
    }

    #[test]
    fn a_problem_is_told_in_both_languages() {
        let error = ApiError::from(Problem::NoIndex { name: "x".into(), known: vec!["home".into(), "work".into()] });
        assert_eq!(error.to_string(), "no index `x`; the indexes are `home`, `work`");
        assert_eq!(error.info(Lang::Zh).message, "没有索引 `x`");
        assert_eq!(error.info(Lang::Zh).hint.as_deref(), Some("可用的索引：`home`、`work`"));
        assert_eq!(error.into_response().status(), StatusCode::NOT_FOUND);
    }
}
