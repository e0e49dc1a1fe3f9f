//! The connection to a service: requests pass a limit on concurrency and are retried where that may help.

use super::fault::{FaultKind, ServiceFault};
use super::gate::Gate;
use super::options::Options;
use super::reason::ServiceReason;
use super::retry;
use serde_json::Value;
use std::fmt;
use std::io::Read;
use std::time::{Duration, Instant, SystemTime};
use ureq::http::{Response, header};
use ureq::{Agent, Body};

/// Longer answers are cut off, so that an endless one ends.
pub const LONGEST_ANSWER: u64 = 64 << 20;

/// A connection to a service, shared by all its users.
pub struct Connection {
    pub options: Options,
    agent: Agent,
    gate: Gate,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({})", self.options.host())
    }
}

impl Connection {
    pub fn new(options: Options) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would send the key and the documents to an address that is not configured.
            .max_redirects(0)
            // A compressed stream arrives in blocks, not as it is written.
            .accept_encoding("identity")
            .user_agent(concat!("okno/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(options.patience.connect))
            .timeout_recv_response(Some(options.patience.silence))
            .timeout_per_read(Some(options.patience.silence))
            .build();
        Self { agent: Agent::new_with_config(config), gate: Gate::new(options.concurrency), options }
    }

    /// Sends a body and reads the answer, with retries while they may help and there is time.
    pub fn ask<T>(
        &self,
        part: &str,
        body: &Value,
        mut read: impl FnMut(Response<Body>) -> Result<T, ServiceFault>,
    ) -> Result<T, ServiceFault> {
        self.with_retries(|left| read(self.send(part, Some(body), left)?))
    }

    /// Asks for a part without sending anything.
    pub fn get(&self, part: &str) -> Result<String, ServiceFault> {
        self.with_retries(|left| self.text(self.send(part, None, left)?))
    }

    fn with_retries<T>(&self, mut one: impl FnMut(Duration) -> Result<T, ServiceFault>) -> Result<T, ServiceFault> {
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

    /// One exchange up to the headers; an error status is an error.
    fn send(&self, part: &str, body: Option<&Value>, left: Duration) -> Result<Response<Body>, ServiceFault> {
        let url = self.options.url(part);
        let bearer = self.options.key.as_ref().map(super::ServiceKey::bearer);
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
        let response = response.map_err(|error| ServiceFault::of_transport(&error, &self.options))?;
        if response.status().is_success() { Ok(response) } else { Err(self.error(response)) }
    }

    fn error(&self, response: Response<Body>) -> ServiceFault {
        let status = response.status().as_u16();
        let said = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let wait = retry::retry_after(said(header::RETRY_AFTER), said(header::DATE), SystemTime::now());
        let body = self.text(response).unwrap_or_default();
        ServiceFault { wait, ..ServiceFault::of_answer(status, &body, &self.options) }
    }

    /// The first model that the service lists.
    pub fn served(&self) -> Result<String, ServiceFault> {
        let table = || self.options.table.clone();
        let list: Value = serde_json::from_str(&self.get("models")?)
            .map_err(|_| ServiceFault::new(FaultKind::Garbled, ServiceReason::BadModelList { table: table() }))?;
        let first = list["data"].as_array().and_then(|models| models.first()).and_then(|model| model["id"].as_str());
        let none = || ServiceFault::new(FaultKind::Refused, ServiceReason::NoModels { table: table() });
        first.map(str::to_owned).ok_or_else(none)
    }

    /// The whole text of an answer.
    pub fn text(&self, response: Response<Body>) -> Result<String, ServiceFault> {
        let mut bytes = Vec::new();
        let mut reader = response.into_body().into_reader().take(LONGEST_ANSWER);
        reader.read_to_end(&mut bytes).map_err(|error| ServiceFault::of_transport(&error.into(), &self.options))?;
        String::from_utf8(bytes).map_err(|_| ServiceFault::new(FaultKind::Garbled, ServiceReason::NotUtf8))
    }
}
