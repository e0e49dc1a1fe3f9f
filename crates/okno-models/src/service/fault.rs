//! What went wrong with one try: what to tell, and whether another may help.

use super::options::Options;
use okno::generate::GenerateError;
use serde_json::Value;
use std::time::Duration;

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Away,
    Busy,
    Refused,
    TooLong,
    Garbled,
    Stopped,
}

/// One failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: Kind,
    pub reason: String,
    /// Whether another try may help, and would not repeat anything.
    pub again: bool,
    /// How long the service asked to wait.
    pub wait: Option<Duration>,
}

/// Longer messages of services are cut: some send a whole page.
const LONGEST_REASON: usize = 300;

impl Fault {
    pub fn new(kind: Kind, reason: impl Into<String>) -> Self {
        let again = matches!(kind, Kind::Away | Kind::Busy | Kind::Garbled);
        Self { kind, reason: reason.into(), again, wait: None }
    }

    /// The same, with no further try.
    pub fn finally(mut self) -> Self {
        self.again = false;
        self
    }

    /// The same after a part of the answer was given, which cannot be taken back: whatever the reason, the answer broke off, and
    /// nobody may ask again – neither for less nor without a parameter.
    pub fn in_the_middle(mut self) -> Self {
        if matches!(self.kind, Kind::TooLong | Kind::Refused) {
            self.kind = Kind::Garbled;
            self.reason = format!("it broke off in the middle: {}", self.reason);
        }
        self.finally()
    }

    /// A connection that failed.
    pub fn of_transport(error: &ureq::Error, options: &Options) -> Self {
        use std::io::ErrorKind::{ConnectionRefused, ConnectionReset, UnexpectedEof};
        let (host, table) = (options.host(), options.table);
        match error {
            ureq::Error::Timeout(which) => Self::of_time(*which, options),
            ureq::Error::HostNotFound => {
                Self::new(Kind::Away, format!("there is no host `{host}` – check `{table}.base_url` and the network"))
                    .finally()
            }
            ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::InvalidProxyUrl => Self::new(
                Kind::Refused,
                format!("`{host}` is no address – `{table}.base_url` looks like `http://localhost:8080/v1`"),
            ),
            ureq::Error::Io(io) if io.kind() == ConnectionRefused => Self::new(
                Kind::Away,
                format!("nothing listens at `{host}` – start the server, or check `{table}.base_url`"),
            ),
            ureq::Error::Io(io) if matches!(io.kind(), ConnectionReset | UnexpectedEof) => {
                Self::new(Kind::Garbled, "the connection was cut in the middle of the answer")
            }
            ureq::Error::Io(io) => Self::new(Kind::Away, shortened(&io.to_string())),
            ureq::Error::Protocol(_) => Self::new(Kind::Garbled, format!("`{host}` broke off, or does not speak HTTP")),
            other => Self::new(Kind::Away, shortened(&other.to_string())),
        }
    }

    fn of_time(which: ureq::Timeout, options: &Options) -> Self {
        let (what, limit) = match which {
            ureq::Timeout::Connect | ureq::Timeout::Resolve => ("no connection", options.patience.connect),
            ureq::Timeout::Global | ureq::Timeout::PerCall => ("no whole answer", options.patience.whole),
            _ => ("no word", options.patience.silence),
        };
        let (seconds, table) = (limit.as_secs_f32(), options.table);
        Self::new(
            Kind::Away,
            format!("{what} within {seconds} s – is it overloaded? `{table}.timeout` sets how long to wait"),
        )
    }

    /// An answer that is an error: by its status, and by what it says.
    pub fn of_answer(status: u16, body: &str, options: &Options) -> Self {
        let said = said(body);
        let reason = quoted(&said, options);
        Self::new(kind(status, &said), format!("{status}: {reason}{}", advice(status, options)))
    }

    /// An answer that is none, in our words and its own.
    pub fn of_garble(what: &str, body: &str, options: &Options) -> Self {
        Self::new(Kind::Garbled, format!("{} in `{}`", quoted(what, options), quoted(body, options)))
    }

    /// The error that a generator gives.
    pub fn for_generator(self, model: &str) -> GenerateError {
        let (model, reason) = (model.to_owned(), self.reason);
        match self.kind {
            Kind::Away => GenerateError::Away { model, reason },
            Kind::Busy => GenerateError::Busy { model, reason, retry_after: self.wait },
            Kind::Refused => GenerateError::Refused { model, reason },
            Kind::TooLong => GenerateError::TooLong { model, reason },
            Kind::Garbled => GenerateError::Garbled { model, reason },
            Kind::Stopped => GenerateError::Stopped,
        }
    }
}

fn kind(status: u16, said: &str) -> Kind {
    match status {
        // Some say so with 500, some with 200 inside a stream.
        _ if is_about_length(said) => Kind::TooLong,
        408 | 500..=599 => Kind::Away,
        429 => Kind::Busy,
        _ => Kind::Refused,
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

fn advice(status: u16, options: &Options) -> String {
    let (key, table) = (&options.key_variable, options.table);
    match (status, &options.key) {
        (401 | 403, Some(_)) if !key.is_empty() => format!(" – check the key in `{key}`"),
        (401 | 403, None) if !key.is_empty() => format!(" – it wants a key: set `{key}`"),
        (401 | 403, _) => format!(" – it wants a key: name its variable in `{table}.key_env`"),
        (404, _) => {
            format!(" – check `{table}.name`, and that `{table}.base_url` ends as the service's does (`/v1`)")
        }
        (300..=399, _) => format!(" – it is elsewhere: check `{table}.base_url`"),
        _ => String::new(),
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

    fn of(status: u16, body: &str) -> Fault {
        Fault::of_answer(status, body, &Options::at("http://h/v1", Some(super::super::Key::new("sk-0123456789"))))
    }

    #[test]
    fn a_status_and_what_is_said_make_a_kind() {
        assert_eq!(of(429, "{}").kind, Kind::Busy);
        assert_eq!(of(503, "busy").kind, Kind::Away);
        assert_eq!(of(404, r#"{"error":"no model"}"#).kind, Kind::Refused);
        for said in [
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            r#"{"message":"Range of input length should be [1, 30720]"}"#,
        ] {
            assert_eq!((of(400, said).kind, of(400, said).again), (Kind::TooLong, false), "{said}");
        }
    }

    #[test]
    fn a_key_that_the_service_repeats_is_taken_out() {
        let fault = of(401, r#"{"error":{"message":"Incorrect API key provided: sk-0123456789."}}"#);
        assert_eq!(
            fault.reason,
            "401: Incorrect API key provided: [key]. – it wants a key: name its variable in `model.key_env`"
        );
        assert!(!fault.again);
    }

    #[test]
    fn a_page_instead_of_an_answer_is_cut() {
        assert!(of(502, &"<html>  bad\n".repeat(1000)).reason.chars().count() < LONGEST_REASON + 10);
    }
}
