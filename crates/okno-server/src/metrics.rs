//! Counters in the text format of Prometheus: requests by route and status, how long they took, what the indexes hold.

use crate::requester::SeenApp;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds in seconds: a search takes some milliseconds, an answer in words some seconds.
const BOUNDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// What was counted since the server began.
#[derive(Debug, Default)]
pub struct Metrics {
    routes: Mutex<BTreeMap<RouteLabels, Times>>,
    /// Answers that were kept from before.
    pub cache_hits: AtomicU64,
    /// Answers that had to be found.
    pub cache_misses: AtomicU64,
}

/// Method, route as it is written in the API, status.
type RouteLabels = (String, String, u16);

#[derive(Debug, Clone, Default)]
struct Times {
    count: u64,
    seconds: f64,
    buckets: [u64; BOUNDS.len()],
}

impl Metrics {
    /// Counts a request.
    pub fn count(&self, method: &str, route: &str, status: u16, took: Duration) {
        // Whoever panicked left whole numbers behind.
        let mut routes = self.routes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let times = routes.entry((method.to_owned(), route.to_owned(), status)).or_default();
        let seconds = took.as_secs_f64();
        times.count += 1;
        times.seconds += seconds;
        for (bucket, _) in times.buckets.iter_mut().zip(BOUNDS).filter(|(_, bound)| seconds <= *bound) {
            *bucket += 1;
        }
    }
}

/// All counters as text.
pub fn text(app: &SeenApp) -> String {
    let mut out = String::new();
    requests(&mut out, &app.metrics);
    let hits = app.metrics.cache_hits.load(Ordering::Relaxed);
    let misses = app.metrics.cache_misses.load(Ordering::Relaxed);
    family(&mut out, "okno_cache_hits_total", "counter", "Searches answered from the cache.");
    line(&mut out, "okno_cache_hits_total", "", hits as f64);
    family(&mut out, "okno_cache_misses_total", "counter", "Searches that had to be found.");
    line(&mut out, "okno_cache_misses_total", "", misses as f64);
    family(&mut out, "okno_waiting_requests", "gauge", "Requests that wait for a core.");
    line(&mut out, "okno_waiting_requests", "", app.pool.waiting() as f64);
    family(&mut out, "okno_running_jobs", "gauge", "Jobs that are queued or running.");
    line(&mut out, "okno_running_jobs", "", app.jobs.running() as f64);
    indexes(&mut out, app);
    out
}

fn requests(out: &mut String, metrics: &Metrics) {
    const NAME: &str = "okno_http_request_seconds";
    let routes = metrics.routes.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    family(out, NAME, "histogram", "How long requests took until their answer began, by route and status.");
    for ((method, route, status), times) in &routes {
        let labels = format!("method=\"{method}\",route=\"{}\",status=\"{status}\"", escaped(route));
        for (count, bound) in times.buckets.iter().zip(BOUNDS) {
            line(out, &format!("{NAME}_bucket"), &format!("{labels},le=\"{bound}\""), *count as f64);
        }
        line(out, &format!("{NAME}_bucket"), &format!("{labels},le=\"+Inf\""), times.count as f64);
        line(out, &format!("{NAME}_sum"), &labels, times.seconds);
        line(out, &format!("{NAME}_count"), &labels, times.count as f64);
    }
}

/// What the indexes hold; one that cannot be read has no line.
fn indexes(out: &mut String, app: &SeenApp) {
    let figures = app.indexes().into_iter().filter_map(|served| {
        let snapshot = served.engine().snapshot().ok()?;
        let totals = snapshot.totals().ok()?;
        let figures = [totals.documents as f64, totals.sentences as f64, snapshot.generation() as f64];
        Some((escaped(&served.index.name), figures))
    });
    let figures: Vec<(String, [f64; 3])> = figures.collect();
    let names = [
        ("okno_documents", "Documents of an index."),
        ("okno_sentences", "Sentences of an index."),
        ("okno_generation", "Commits of an index."),
    ];
    for (at, (name, help)) in names.into_iter().enumerate() {
        family(out, name, "gauge", help);
        for (index, values) in &figures {
            line(out, name, &format!("index=\"{index}\""), values[at]);
        }
    }
}

fn family(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(out: &mut String, name: &str, labels: &str, value: f64) {
    let _ =
        if labels.is_empty() { writeln!(out, "{name} {value}") } else { writeln!(out, "{name}{{{labels}}} {value}") };
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_fall_into_every_bucket_that_holds_them() {
        let metrics = Metrics::default();
        metrics.count("GET", "/api/v1/status", 200, Duration::from_millis(2));
        metrics.count("GET", "/api/v1/status", 200, Duration::from_mins(1));
        let mut text = String::new();
        requests(&mut text, &metrics);
        let labels = "method=\"GET\",route=\"/api/v1/status\",status=\"200\"";
        for line in [
            format!("okno_http_request_seconds_bucket{{{labels},le=\"0.001\"}} 0"),
            format!("okno_http_request_seconds_bucket{{{labels},le=\"0.0025\"}} 1"),
            format!("okno_http_request_seconds_bucket{{{labels},le=\"30\"}} 1"),
            format!("okno_http_request_seconds_bucket{{{labels},le=\"+Inf\"}} 2"),
            format!("okno_http_request_seconds_count{{{labels}}} 2"),
        ] {
            assert!(text.contains(&line), "{line}\n{text}");
        }
    }
}
