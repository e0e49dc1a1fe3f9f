//! A failed attempt: what went wrong, and whether a retry may help.

use super::options::Options;
use super::reason::{Seconds, ServiceReason, StatusAdvice};
use okno::generate::GenerateError;
use serde_json::Value;
use std::time::Duration;

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    Away,
    Busy,
    Refused,
    TooLong,
    Garbled,
    Stopped,
}

/// One failure.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceFault {
    pub kind: FaultKind,
    pub reason: ServiceReason,
    /// Whether a retry may help, and would not repeat anything.
    pub again: bool,
    /// How long the service asked to wait.
    pub wait: Option<Duration>,
}

/// Longer messages of services are cut: some send a whole page.
const LONGEST_REASON: usize = 300;

impl ServiceFault {
    pub fn new(kind: FaultKind, reason: ServiceReason) -> Self {
        let again = matches!(kind, FaultKind::Away | FaultKind::Busy | FaultKind::Garbled);
        Self { kind, reason, again, wait: None }
    }

    /// The same without a retry.
    pub fn finally(mut self) -> Self {
        self.again = false;
        self
    }

    /// The same after a part of the answer was passed on, which cannot be taken back: whatever the reason, the answer
    /// broke off, and it is not requested again, neither shorter nor without a parameter.
    pub fn in_the_middle(mut self) -> Self {
        if matches!(self.kind, FaultKind::TooLong | FaultKind::Refused) {
            self.kind = FaultKind::Garbled;
            self.reason = ServiceReason::BrokeOff { reason: Box::new(self.reason) };
        }
        self.finally()
    }

    /// A connection that failed.
    pub fn of_transport(error: &ureq::Error, options: &Options) -> Self {
        use std::io::ErrorKind::{ConnectionRefused, ConnectionReset, UnexpectedEof};
        let (host, table) = (options.host().to_owned(), options.table.clone());
        let transport =
            |error: &dyn std::error::Error| ServiceReason::Transport { cause: shortened(&error.to_string()) };
        match error {
            ureq::Error::Timeout(which) => Self::of_time(*which, options),
            ureq::Error::HostNotFound => Self::new(FaultKind::Away, ServiceReason::NoHost { host, table }).finally(),
            ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::InvalidProxyUrl => {
                Self::new(FaultKind::Refused, ServiceReason::BadAddress { host, table })
            }
            ureq::Error::Io(io) if io.kind() == ConnectionRefused => {
                Self::new(FaultKind::Away, ServiceReason::NothingListens { host, table })
            }
            ureq::Error::Io(io) if matches!(io.kind(), ConnectionReset | UnexpectedEof) => {
                Self::new(FaultKind::Garbled, ServiceReason::ConnectionCut)
            }
            ureq::Error::Io(io) => Self::new(FaultKind::Away, transport(io)),
            ureq::Error::Protocol(_) => Self::new(FaultKind::Garbled, ServiceReason::NotHttp { host }),
            other => Self::new(FaultKind::Away, transport(other)),
        }
    }

    fn of_time(which: ureq::Timeout, options: &Options) -> Self {
        let (patience, table) = (&options.patience, options.table.clone());
        let reason = match which {
            ureq::Timeout::Connect | ureq::Timeout::Resolve => {
                ServiceReason::ConnectTimeout { limit: Seconds(patience.connect), table }
            }
            ureq::Timeout::Global | ureq::Timeout::PerCall => {
                ServiceReason::AnswerTimeout { limit: Seconds(patience.whole), table }
            }
            _ => ServiceReason::SilenceTimeout { limit: Seconds(patience.silence), table },
        };
        Self::new(FaultKind::Away, reason)
    }

    /// An answer that is an error: by its status, and by what it says.
    pub fn of_answer(status: u16, body: &str, options: &Options) -> Self {
        let text = said(body);
        let (said, advice) = (quoted(&text, options), advice(status, options));
        Self::new(kind(status, &text), ServiceReason::Status { status, said, advice })
    }

    /// An answer that cannot be parsed.
    pub fn of_garble(error: &serde_json::Error, body: &str, options: &Options) -> Self {
        let (cause, body) = (quoted(&error.to_string(), options), quoted(body, options));
        Self::new(FaultKind::Garbled, ServiceReason::NotParsable { cause, body })
    }

    /// What the service itself said, where it refused a request.
    pub fn refusal(&self) -> Option<&str> {
        match (&self.reason, self.kind) {
            (ServiceReason::Status { said, .. }, FaultKind::Refused) => Some(said),
            _ => None,
        }
    }

    /// The error that a generator gives.
    pub fn for_generator(self, model: &str) -> GenerateError {
        let (model, reason) = (model.to_owned(), self.reason.into());
        match self.kind {
            FaultKind::Away => GenerateError::Away { model, reason },
            FaultKind::Busy => GenerateError::Busy { model, reason, retry_after: self.wait },
            FaultKind::Refused => GenerateError::Refused { model, reason },
            FaultKind::TooLong => GenerateError::TooLong { model, reason },
            FaultKind::Garbled => GenerateError::Garbled { model, reason },
            FaultKind::Stopped => GenerateError::Stopped,
        }
    }
}

fn kind(status: u16, said: &str) -> FaultKind {
    match status {
        // Some say so with 500, some with 200 inside a stream.
        _ if is_about_length(said) => FaultKind::TooLong,
        408 | 500..=599 => FaultKind::Away,
        429 => FaultKind::Busy,
        _ => FaultKind::Refused,
    }
}

/// How services say that a prompt is too long: `OpenAI`, vLLM, llama.cpp, `DashScope`, Ollama.
const TOO_LONG: [&str; 8] = [
    "context_length_exceeded",
    "maximum context length",
    "exceed_context_size",
    "context size",
    "context window",
    "range of input length",
    "prompt is too long",
    "input is too long",
];

fn is_about_length(said: &str) -> bool {
    let said = said.to_lowercase();
    TOO_LONG.iter().any(|words| said.contains(words))
}

fn advice(status: u16, options: &Options) -> StatusAdvice {
    let (variable, table) = (options.key_variable.clone(), options.table.clone());
    match (status, &options.key) {
        (401 | 403, Some(_)) if !variable.is_empty() => StatusAdvice::CheckKey { variable },
        (401 | 403, None) if !variable.is_empty() => StatusAdvice::SetKey { variable },
        (401 | 403, _) => StatusAdvice::NameKey { table },
        (404, _) => StatusAdvice::CheckModel { table },
        (300..=399, _) => StatusAdvice::Moved { table },
        _ => StatusAdvice::Nothing,
    }
}

/// The message and code of `{"error": {"message": …, "code": …}}` in its several shapes, or the text itself.
fn said(body: &str) -> String {
    let Ok(json) = serde_json::from_str::<Value>(body) else { return body.to_owned() };
    let error = json.get("error").unwrap_or(&json);
    let text = |name: &str| error.get(name).and_then(Value::as_str);
    let parts: Vec<&str> =
        [error.as_str(), text("message"), text("detail"), text("code"), text("type")].into_iter().flatten().collect();
    if parts.is_empty() { body.to_owned() } else { parts.join(", ") }
}

/// What a service said, fit to be told: one line without the key, not too long.
fn quoted(said: &str, options: &Options) -> String {
    options.key.as_ref().map_or_else(|| shortened(said), |key| shortened(&key.scrub(said)))
}

/// One line, not too long.
fn shortened(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.chars().count() <= LONGEST_REASON {
        flat
    } else {
        flat.chars().take(LONGEST_REASON).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str) -> ServiceFault {
        ServiceFault::of_answer(
            status,
            body,
            &Options::at("http://h/v1", Some(super::super::ServiceKey::new("sk-0123456789"))),
        )
    }

    #[test]
    fn a_status_and_what_is_said_make_a_kind() {
        assert_eq!(of(429, "{}").kind, FaultKind::Busy);
        assert_eq!(of(503, "busy").kind, FaultKind::Away);
        assert_eq!(of(404, r#"{"error":"no model"}"#).kind, FaultKind::Refused);
        for said in [
            r#"{"error":{"message":"Its maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#,
            r#"{"error":{"code":400,"message":"exceeds the context size","type":"exceed_context_size_error"}}"#,
            r#"{"message":"Range of input length should be [1, 30720]"}"#,
        ] {
            assert_eq!((of(400, said).kind, of(400, said).again), (FaultKind::TooLong, false), "{said}");
        }
    }

    #[test]
    fn a_key_that_the_service_repeats_is_taken_out() {
        let fault = of(401, r#"{"error":{"message":"Incorrect API key provided: sk-0123456789."}}"#);
        assert_eq!(
            fault.reason.to_string(),
            "401: Incorrect API key provided: [key].; it requires a key: name its variable in `model.key_env`"
        );
        assert!(!fault.again);
    }

    #[test]
    fn a_page_instead_of_an_answer_is_cut() {
        assert!(of(502, &"<html>  bad\n".repeat(1000)).reason.to_string().chars().count() < LONGEST_REASON + 10);
    }
}
