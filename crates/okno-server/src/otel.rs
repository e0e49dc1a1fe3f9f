//! Traces for OpenTelemetry: a request, the stages of its search and its calls of a model, as spans of one trace.
//!
//! Spans come in from `tracing`; they go out in batches as OTLP over HTTP (protobuf), to the collector that
//! `OTEL_EXPORTER_OTLP_ENDPOINT` names. Without the variable nothing is sent. The batch has a thread of its own, so the
//! client may block; ours is the one that the rest of the program uses, which spares a second HTTP stack.

use axum::body::Bytes;
use axum::http::{Request, Response};
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

/// Where traces are sent, by the names that OpenTelemetry gives; the second is for traces alone.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

/// A collector that does not answer within this is away: OpenTelemetry's own default.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is being sent; the rest goes out when this is dropped.
#[derive(Debug)]
pub struct Traces(SdkTracerProvider);

impl Drop for Traces {
    fn drop(&mut self) {
        // Nobody is left to tell: a collector that is away has no traces, that is all.
        let _ = self.0.shutdown();
    }
}

/// Where spans go in, and what sends them; `None` where no collector is named, or its address is none.
pub fn traces<S>() -> Option<(impl Layer<S>, Traces)>
where
    S: tracing::Subscriber + for<'s> LookupSpan<'s> + Send + Sync,
{
    ENDPOINTS.iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))?;
    let exporter = SpanExporter::builder().with_http().with_http_client(OtlpClient::new()).build();
    let exporter = exporter.inspect_err(|error| eprintln!("no traces are sent: {error}")).ok()?;
    let resource = Resource::builder().with_attribute(service()).build();
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    let ours =
        Targets::new().with_target("okno", tracing::Level::DEBUG).with_target("okno_server", tracing::Level::DEBUG);
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("okno")).with_filter(ours);
    Some((layer, Traces(provider)))
}

/// The name traces are found under, unless the environment gives another.
fn service() -> opentelemetry::KeyValue {
    let name = std::env::var("OTEL_SERVICE_NAME").unwrap_or_else(|_| "okno".to_owned());
    opentelemetry::KeyValue::new("service.name", name)
}

/// The client that sends batches.
#[derive(Debug)]
struct OtlpClient(ureq::Agent);

impl OtlpClient {
    fn new() -> Self {
        let config = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).http_status_as_error(false).build();
        Self(config.into())
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let answer = self.0.run(Request::from_parts(parts, body.to_vec()))?;
        let (parts, mut body) = answer.into_parts();
        Ok(Response::from_parts(parts, body.read_to_vec()?.into()))
    }
}

impl HttpClient for OtlpClient {
    // What `async_trait` makes of an `async fn`, written out: one function does not need the crate.
    fn send_bytes<'client, 'future>(
        &'client self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'future>>
    where
        'client: 'future,
        Self: 'future,
    {
        Box::pin(std::future::ready(self.send(request)))
    }
}
