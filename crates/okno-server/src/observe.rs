//! Watching requests: each is counted, timed, logged on one line, and answered within its time.

use crate::app::App;
use crate::fault::Fault;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Instant;

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object a line.
    Json,
}

/// Writes the log to standard error from now on; `OKNO_LOG` says how much (`info`, `okno_server=debug` …).
pub fn log(format: LogFormat) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("OKNO_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,okno_server=info"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false);
    // A second call changes nothing: the first writer stays.
    let _ = match format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
}

/// Counts, times and logs a request, and ends one that takes too long.
pub async fn observe(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
    let uploading =
        request.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/"));
    let limit = if uploading { app.limits.upload_time } else { app.limits.time };
    let mut response = match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => late(),
    };
    let (status, took) = (response.status(), begun.elapsed());
    app.metrics.count(method.as_str(), &route, status.as_u16(), took);
    tracing::info!(%method, route, status = status.as_u16(), ms = took.as_secs_f64() * 1e3, "request");
    protect(&mut response);
    response
}

fn late() -> Response {
    Fault::new(StatusCode::GATEWAY_TIMEOUT, "timeout", "the request took too long")
        .hint("ask for less, or start a job")
        .into_response()
}

/// Headers that every answer has: nothing is guessed, framed, kept or told to other sites.
fn protect(response: &mut Response) {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}
