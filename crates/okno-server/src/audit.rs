//! The audit log: one JSON line for every request that needs a key, or would need one if there were keys. It says
//! when, with which key, what was asked for, how it ended and which documents were returned or changed. Off by default.
//!
//! A note travels with the request, and the parts that know write into it: the guard the key, the handlers documents
//! and question. The line is written when the answer begins, or when the request is dropped before.

use crate::guard::is_public;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use okno_document::Date;
use serde::Serialize;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the audit log is written, and what is in it.
#[derive(Debug, Clone)]
pub struct AuditSettings {
    /// The file; lines are added to it.
    pub file: PathBuf,
    /// Whether questions are written as well.
    pub questions: bool,
}

/// The open audit log.
#[derive(Debug)]
pub struct AuditLog {
    file: Mutex<File>,
    questions: bool,
}

impl AuditLog {
    /// Opens the file, or makes one that only its owner may read.
    pub fn open(settings: &AuditSettings) -> std::io::Result<Self> {
        let mut options = File::options();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self { file: Mutex::new(options.open(&settings.file)?), questions: settings.questions })
    }

    fn write(&self, line: &AuditLine) {
        let written = serde_json::to_vec(line).map_err(std::io::Error::from).and_then(|mut bytes| {
            bytes.push(b'\n');
            // In one call: lines of other processes stay whole.
            self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&bytes)
        });
        if let Err(error) = written {
            tracing::error!(%error, route = line.route, "the audit log cannot be written");
        }
    }
}

/// What is known of a request.
#[derive(Debug, Default, Serialize)]
struct AuditLine {
    time: String,
    /// The name of the key; none where no key was shown, or an unknown one.
    key: Option<String>,
    method: String,
    route: String,
    path: String,
    /// How it was answered; none if the client went away before.
    status: Option<u16>,
    documents: BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
}

/// What the parts of the server add to the line of a request. Does nothing where there is no audit log.
#[derive(Debug, Clone, Default)]
pub struct AuditNote(Option<(Arc<Mutex<AuditLine>>, bool)>);

impl AuditNote {
    /// Whether somebody wants to know.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Says whose key was shown.
    pub fn key(&self, name: &str) {
        self.change(|line, _| line.key = Some(name.to_owned()));
    }

    /// Says which documents were returned or changed.
    pub fn documents<'d>(&self, names: impl IntoIterator<Item = &'d str>) {
        self.change(|line, _| line.documents.extend(names.into_iter().map(str::to_owned)));
    }

    /// Says what was asked; written only where questions are.
    pub fn question(&self, question: &str) {
        self.change(|line, questions| line.question = questions.then(|| question.to_owned()));
    }

    /// The note of a request that came over HTTP.
    pub fn of(parts: &Parts) -> Self {
        parts.extensions.get::<Self>().cloned().unwrap_or_default()
    }

    fn change(&self, change: impl FnOnce(&mut AuditLine, bool)) {
        if let Some((line, questions)) = &self.0 {
            change(&mut lock(line), *questions);
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AuditNote {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}

fn lock(line: &Mutex<AuditLine>) -> MutexGuard<'_, AuditLine> {
    // Every change is whole.
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the line when it is dropped, however the request ends.
struct UnwrittenLine {
    log: Arc<AuditLog>,
    line: Arc<Mutex<AuditLine>>,
}

impl Drop for UnwrittenLine {
    fn drop(&mut self) {
        self.log.write(&lock(&self.line));
    }
}

/// Notes a request in the audit log.
pub async fn audit(State(log): State<Arc<AuditLog>>, mut request: Request, next: Next) -> Response {
    if is_public(request.uri().path()) {
        return next.run(request).await;
    }
    let line = Arc::new(Mutex::new(AuditLine {
        time: now(),
        method: request.method().to_string(),
        route: request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned(),
        path: request.uri().path().to_owned(),
        ..AuditLine::default()
    }));
    request.extensions_mut().insert(AuditNote(Some((Arc::clone(&line), log.questions))));
    let unwritten = UnwrittenLine { log, line };
    let response = next.run(request).await;
    lock(&unwritten.line).status = Some(response.status().as_u16());
    response
}

/// `2026-11-16T12:55:51Z`.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let (day, rest) = (Date::from_unix(seconds.cast_signed()), seconds % 86_400);
    format!("{day}T{:02}:{:02}:{:02}Z", rest / 3600, rest % 3600 / 60, rest % 60)
}
