//! Observing requests: each is counted, timed, logged on one line, traced if a collector is set, and ended after its
//! time limit.

use crate::app::App;
use crate::error::ApiError;
use crate::problem::Problem;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Instant;
use tracing::Instrument;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object a line.
    Json,
}

/// Keeps the log; what was traced and not sent yet goes out when this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Logging {
    #[cfg(feature = "otel")]
    _traces: Option<crate::otel::Traces>,
}

/// Writes the log to standard error from now on; `OKNO_LOG` says how much (`info`, `okno_server=debug` …). With the
/// feature `otel` and `OTEL_EXPORTER_OTLP_ENDPOINT`, traces go there too.
pub fn log(format: LogFormat) -> Logging {
    let filter = EnvFilter::try_from_env("OKNO_LOG").unwrap_or_else(|_| EnvFilter::new("warn,okno_server=info"));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let subscriber = tracing_subscriber::registry().with(lines.with_filter(filter));
    // A second call changes nothing: the first writer stays.
    #[cfg(not(feature = "otel"))]
    {
        let _ = subscriber.try_init();
        Logging {}
    }
    #[cfg(feature = "otel")]
    {
        let (spans, traces) = crate::otel::traces().unzip();
        let _ = subscriber.with(spans).try_init();
        Logging { _traces: traces }
    }
}

/// Counts, times and logs a request, and ends one that takes too long.
pub async fn observe(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
    let uploading =
        request.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/"));
    let limit = if uploading { app.limits.upload_time } else { app.limits.time };
    let span = tracing::debug_span!("request", otel.name = format!("{method} {route}"), otel.kind = "server",
        http.request.method = %method, http.route = route, http.response.status_code = tracing::field::Empty);
    let mut response = match tokio::time::timeout(limit, next.run(request).instrument(span.clone())).await {
        Ok(response) => response,
        Err(_) => ApiError::from(Problem::Timeout).into_response(),
    };
    let (status, took) = (response.status(), begun.elapsed());
    span.record("http.response.status_code", status.as_u16());
    app.metrics.count(method.as_str(), &route, status.as_u16(), took);
    tracing::info!(%method, route, status = status.as_u16(), ms = took.as_secs_f64() * 1e3, "request");
    protect(&mut response);
    response
}

/// Security headers of every answer: no sniffing, framing, caching or referrers.
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
