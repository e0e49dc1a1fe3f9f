//! The line to a service: one request at a time through the gate, tried again where that may help.

use super::fault::{Fault, Kind};
use super::gate::Gate;
use super::options::Options;
use super::retry;
use serde_json::Value;
use std::fmt;
use std::io::Read;
use std::time::{Duration, Instant, SystemTime};
use ureq::http::{Response, header};
use ureq::{Agent, Body};

/// No answer is longer: a service that sends without end is not read without end.
pub const LONGEST_ANSWER: u64 = 64 << 20;

/// A connection to a service, shared by all its users.
pub struct Line {
    pub options: Options,
    agent: Agent,
    gate: Gate,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Line({})", self.options.host())
    }
}

impl Line {
    pub fn new(options: Options) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would carry the key and the documents to a place nobody named.
            .max_redirects(0)
            // A compressed stream comes in blocks, not as it is said.
            .accept_encoding("identity")
            .user_agent(concat!("okno/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(options.patience.connect))
            .timeout_recv_response(Some(options.patience.silence))
            .timeout_per_read(Some(options.patience.silence))
            .build();
        Self { agent: Agent::new_with_config(config), gate: Gate::new(options.concurrency), options }
    }

    /// Sends a body and reads the answer, again and again while that may help and there is time.
    pub fn ask<T>(
        &self,
        part: &str,
        body: &Value,
        mut read: impl FnMut(Response<Body>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.patiently(|left| read(self.send(part, Some(body), left)?))
    }

    /// Asks for a part without sending anything.
    pub fn get(&self, part: &str) -> Result<String, Fault> {
        self.patiently(|left| self.text(self.send(part, None, left)?))
    }

    fn patiently<T>(&self, mut one: impl FnMut(Duration) -> Result<T, Fault>) -> Result<T, Fault> {
        let _place = self.gate.enter();
        let deadline = Instant::now() + self.options.patience.whole;
        let mut tries = 1;
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            let fault = match one(left) {
                Ok(done) => return Ok(done),
                Err(fault) => fault,
            };
            let pause = retry::pause(self.options.patience.pause, tries, fault.wait, retry::chance());
            if !fault.again || tries >= self.options.patience.tries || Instant::now() + pause >= deadline {
                return Err(fault);
            }
            std::thread::sleep(pause);
            tries += 1;
        }
    }

    /// One exchange up to the headers; an answer that is an error is one.
    fn send(&self, part: &str, body: Option<&Value>, left: Duration) -> Result<Response<Body>, Fault> {
        let url = self.options.url(part);
        let bearer = self.options.key.as_ref().map(super::Key::bearer);
        let response = if let Some(body) = body {
            let mut request = self.agent.post(url).config().timeout_global(Some(left)).build();
            if let Some(bearer) = &bearer {
                request = request.header(header::AUTHORIZATION, bearer);
            }
            request.content_type("application/json").send(body.to_string())
        } else {
            let mut request = self.agent.get(url).config().timeout_global(Some(left)).build();
            if let Some(bearer) = &bearer {
                request = request.header(header::AUTHORIZATION, bearer);
            }
            request.call()
        };
        let response = response.map_err(|error| Fault::of_transport(&error, &self.options))?;
        if response.status().is_success() { Ok(response) } else { Err(self.error(response)) }
    }

    fn error(&self, response: Response<Body>) -> Fault {
        let status = response.status().as_u16();
        let said = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let wait = retry::retry_after(said(header::RETRY_AFTER), said(header::DATE), SystemTime::now());
        let body = self.text(response).unwrap_or_default();
        Fault { wait, ..Fault::of_answer(status, &body, &self.options) }
    }

    /// The first model that the service lists.
    pub fn served(&self) -> Result<String, Fault> {
        let lacks = |kind, what| Fault::new(kind, format!("{what} – name one in `{}.name`", self.options.table));
        let list: Value = serde_json::from_str(&self.get("models")?)
            .map_err(|_| lacks(Kind::Garbled, "its list of models is no JSON"))?;
        let first = list["data"].as_array().and_then(|models| models.first()).and_then(|model| model["id"].as_str());
        first.map(str::to_owned).ok_or_else(|| lacks(Kind::Refused, "it lists no model"))
    }

    /// The whole text of an answer.
    pub fn text(&self, response: Response<Body>) -> Result<String, Fault> {
        let mut bytes = Vec::new();
        let mut reader = response.into_body().into_reader().take(LONGEST_ANSWER);
        reader.read_to_end(&mut bytes).map_err(|error| Fault::of_transport(&error.into(), &self.options))?;
        String::from_utf8(bytes).map_err(|_| Fault::new(Kind::Garbled, "the answer is not UTF-8"))
    }
}
