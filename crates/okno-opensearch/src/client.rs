//! The client: blocking requests over HTTP to whichever node answers.
//!
//! A request that fails because a node is away goes to the next one at once; where all are away, or the cluster is
//! busy or blocked, it is retried with growing pauses for as long as [`PATIENCE`]; where it has no manager, for as long
//! as [`ELECTION`]. Every request may be repeated: rows have ids of ours, and a deletion that was done finds nothing.

use crate::address::{ClusterAddress, Credentials};
use crate::failure::{ClusterFailure, FailedAttempt, OLDEST};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use okno::error::RemoteError;
use okno::{Error, Result};
use okno_remote::{Backoff, Meter, failed, read_version};
use serde::Deserialize;
use serde_json::Value;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::{Method, Request, header};

/// How long a request is retried: longer than a cluster takes to replace a node.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long the first connection is retried: short, because the address may be mistyped.
const FIRST_PATIENCE: Duration = Duration::from_secs(5);

/// How long a cluster may be without a manager: elections take a few seconds.
const ELECTION: Duration = Duration::from_secs(12);

/// How often a cluster that fails is asked whether it has a manager, and how long it may take to tell.
const ASKED_EVERY: Duration = Duration::from_secs(2);

/// The time limit of one attempt to read or write.
const TIMEOUT: Duration = Duration::from_secs(25);

/// The time limit of a deletion, which may concern many rows.
pub const LONG_TIMEOUT: Duration = Duration::from_mins(10);

/// A connection to a cluster, shared by all readers and writers.
pub struct ClusterClient {
    agent: Agent,
    scheme: &'static str,
    hosts: Vec<String>,
    /// The host that answered last.
    current: AtomicUsize,
    authorization: Option<String>,
    place: String,
    pub meter: Meter,
    patience: Duration,
    /// Major and minor version of the server.
    pub version: (u32, u32),
}

/// A request that may be repeated.
pub struct ClusterRequest<'b> {
    pub method: Method,
    /// With what follows the host.
    pub path: String,
    /// `None`: nothing is sent.
    pub body: Option<&'b [u8]>,
    pub timeout: Duration,
}

impl ClusterRequest<'_> {
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, timeout: TIMEOUT }
    }

    pub fn post(path: impl Into<String>, body: &[u8]) -> ClusterRequest<'_> {
        ClusterRequest { method: Method::POST, path: path.into(), body: Some(body), timeout: TIMEOUT }
    }
}

impl ClusterClient {
    /// Connects, and checks that the server can do what is needed.
    pub fn connect(address: &ClusterAddress) -> Result<Self> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would send the key and the documents to an address that is not configured.
            .max_redirects(0)
            .user_agent(concat!("okno/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(3)))
            // Answers are small, and a cluster is near: unpacking them would take longer than receiving them.
            .accept_encoding("identity")
            .build();
        let mut client = Self {
            agent: Agent::new_with_config(config),
            scheme: if address.tls { "https" } else { "http" },
            hosts: address.hosts.clone(),
            current: AtomicUsize::new(0),
            authorization: address.credentials.as_ref().map(authorization),
            place: address.to_string(),
            meter: Meter::default(),
            patience: FIRST_PATIENCE,
            version: OLDEST,
        };
        client.version = client.check_version()?;
        client.patience = PATIENCE;
        Ok(client)
    }

    fn check_version(&self) -> Result<(u32, u32)> {
        let told: Value = self.ask(&ClusterRequest::get("/"), |body| json(body))?;
        let version = told["version"]["number"].as_str().unwrap_or_default();
        if told["version"]["distribution"] != "opensearch" {
            let found =
                if version.is_empty() { "another server".to_owned() } else { format!("Elasticsearch {version}") };
            return Err(self.failed(ClusterFailure::NotOpenSearch { found }));
        }
        match read_version(version) {
            Some(found) if found < OLDEST => {
                let (found, needed) = (format!("OpenSearch {version}"), format!("{}.{}", OLDEST.0, OLDEST.1));
                Err(self.failed(RemoteError::TooOld { found, needed }))
            }
            // A version that cannot be parsed is of a custom build: a call that it lacks fails later.
            found => Ok(found.unwrap_or(OLDEST)),
        }
    }

    /// The address, for messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// An error of this cluster.
    pub fn failed(&self, reason: impl Into<RemoteError>) -> Error {
        failed(&self.place, reason)
    }

    /// One round trip: sends a request and reads its answer, with retries. `read` says whether the answer is one.
    pub fn ask<T>(
        &self,
        request: &ClusterRequest<'_>,
        mut read: impl FnMut(&[u8]) -> std::result::Result<T, FailedAttempt>,
    ) -> Result<T> {
        self.retrying(|| read(&self.answer(request)?))
    }

    /// The same for requests whose answer is a status: `true` if it is done, `false` where `unless` is the status.
    pub fn ask_status(&self, request: &ClusterRequest<'_>, unless: u16) -> Result<bool> {
        self.retrying(|| match self.send(request)? {
            (200..300, _) => Ok(true),
            (status, _) if status == unless => Ok(false),
            (status, body) => Err(of_body(status, &body)),
        })
    }

    /// Tries until it succeeds, fails for good, or the time is over.
    pub fn retrying<T>(&self, mut attempt: impl FnMut() -> std::result::Result<T, FailedAttempt>) -> Result<T> {
        self.meter.count(1);
        let (mut backoff, mut away, mut watch) = (Backoff::new(self.patience), 0, ManagerWatch::default());
        loop {
            let failure = match attempt() {
                Ok(done) => return Ok(done),
                Err(failure) => failure,
            };
            if failure.is_away {
                self.current.fetch_add(1, Ordering::Relaxed);
                away += 1;
            }
            let Some(pause) = backoff.next().filter(|_| failure.again) else {
                return Err(self.failed(failure.reason));
            };
            if failure.may_lack_manager()
                && let Some(reason) = watch.look(|| self.lost_quorum())
            {
                return Err(self.failed(reason));
            }
            // The next node is asked at once, until all were.
            if !failure.is_away || away % self.hosts.len() == 0 {
                std::thread::sleep(pause);
            }
        }
    }

    /// Asks every node for its manager. `None` where one has a manager, or none answers.
    fn lost_quorum(&self) -> Option<ClusterFailure> {
        let path = "/_cluster/health?cluster_manager_timeout=1s&timeout=1s&filter_path=status";
        let request = ClusterRequest { timeout: ASKED_EVERY, ..ClusterRequest::get(path) };
        let mut answering = 0;
        for host in &self.hosts {
            match self.send_to(host, &request) {
                Ok((503, _)) => answering += 1,
                Ok(_) => return None,
                Err(_) => {}
            }
        }
        (answering > 0).then_some(ClusterFailure::NoQuorum { answering, nodes: self.hosts.len() })
    }

    /// One attempt: the body of the answer, which is no error.
    pub fn answer(&self, request: &ClusterRequest<'_>) -> std::result::Result<Vec<u8>, FailedAttempt> {
        match self.send(request)? {
            (200..300, body) => Ok(body),
            (status, body) => Err(of_body(status, &body)),
        }
    }

    /// One attempt: the status and the whole body.
    fn send(&self, request: &ClusterRequest<'_>) -> std::result::Result<(u16, Vec<u8>), FailedAttempt> {
        self.send_to(&self.hosts[self.current.load(Ordering::Relaxed) % self.hosts.len()], request)
    }

    fn send_to(&self, host: &str, request: &ClusterRequest<'_>) -> std::result::Result<(u16, Vec<u8>), FailedAttempt> {
        let mut built =
            Request::builder().method(&request.method).uri(format!("{}://{host}{}", self.scheme, request.path));
        if let Some(authorization) = &self.authorization {
            built = built.header(header::AUTHORIZATION, authorization);
        }
        let unreachable = |error: ureq::Error| FailedAttempt::unreachable(&format!("{host}: {error}"));
        let built = built.header(header::CONTENT_TYPE, "application/x-ndjson");
        let built = built.body(request.body.unwrap_or_default()).map_err(|error| unreachable(error.into()))?;
        let configured = self.agent.configure_request(built).timeout_global(Some(request.timeout)).build();
        let answer = self.agent.run(configured).map_err(unreachable)?;
        let (status, mut body) = (answer.status().as_u16(), Vec::new());
        let mut reader = answer.into_body().into_reader();
        reader.read_to_end(&mut body).map_err(|error| unreachable(error.into()))?;
        self.meter.count_bytes(request.body.map_or(0, <[u8]>::len), body.len());
        Ok((status, body))
    }
}

/// Whether a cluster that fails has no manager, looked at now and then.
#[derive(Default)]
struct ManagerWatch {
    /// When it was looked at last.
    looked: Option<Instant>,
    /// Since when it has none.
    since: Option<Instant>,
}

impl ManagerWatch {
    /// Why to give up: it has had no manager for as long as [`ELECTION`].
    fn look(&mut self, lost: impl FnOnce() -> Option<ClusterFailure>) -> Option<ClusterFailure> {
        if self.looked.is_some_and(|looked| looked.elapsed() < ASKED_EVERY) {
            return None;
        }
        let lost = lost();
        let now = Instant::now();
        self.looked = Some(now);
        self.since = lost.as_ref().map(|_| self.since.unwrap_or(now));
        lost.filter(|_| self.since.is_some_and(|since| since.elapsed() >= ELECTION))
    }
}

/// What an answer says.
pub fn json<'b, A: Deserialize<'b>>(body: &'b [u8]) -> std::result::Result<A, FailedAttempt> {
    serde_json::from_slice(body).map_err(|error| FailedAttempt::unreadable(&error))
}

fn of_body(status: u16, body: &[u8]) -> FailedAttempt {
    let told: Value = serde_json::from_slice(body).unwrap_or_default();
    FailedAttempt::of_answer(status, &told["error"])
}

fn authorization(credentials: &Credentials) -> String {
    match credentials {
        Credentials::User { name, password } => format!("Basic {}", BASE64.encode(format!("{name}:{password}"))),
        Credentials::Key(key) => format!("ApiKey {key}"),
    }
}
