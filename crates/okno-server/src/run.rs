//! The running server: who may reach it, what is in front of every request, how it ends.

use crate::app::{App, Parts};
use crate::guard::{Guard, guard};
use crate::limits::Limits;
use crate::{api, mcp, observe, page};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::{from_fn, from_fn_with_state};
use std::future::{Future, poll_fn};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tower_http::cors::CorsLayer;

/// Where and for whom a server runs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address; anything but loopback needs a key.
    pub host: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// The key that requests must show.
    pub key: Option<String>,
    /// Origins whose pages may ask.
    pub cors: Vec<String>,
    /// Folders from which files may be indexed, beside the roots of the indexes.
    pub allowed: Vec<PathBuf>,
    /// What a request may cost.
    pub limits: Limits,
}

/// Why a server did not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Reachable for others, and no key.
    #[error("`{0}` is reachable for others – set a key (`OKNO_API_KEY` or `--api-key-file`), or stay on 127.0.0.1")]
    NoKey(IpAddr),
    /// A key that anybody would guess.
    #[error("the API key has {0} characters – use 16 or more, e.g. of `openssl rand -hex 16`")]
    ShortKey(usize),
    /// An origin that is none.
    #[error("`{0}` is no origin – expected something like `https://notes.example`")]
    Origin(String),
    /// No index was given.
    #[error("there is no index to serve")]
    NoIndex,
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {source} – choose another `--port`")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The machine refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Talking to an MCP client failed.
    #[error("MCP: {0}")]
    Mcp(String),
}

/// A key shorter than this can be guessed.
const SHORTEST_KEY: usize = 16;

/// How long the end waits for work that nobody waits for.
const LAST_WORK: Duration = Duration::from_secs(10);

/// Serves until told to end, then finishes what is being written. `ready` is told the address.
pub fn serve(
    parts: Parts,
    settings: &Settings,
    ready: impl FnOnce(SocketAddr),
    end: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let guard = check(settings)?;
    if parts.indexes.is_empty() {
        return Err(ServeError::NoIndex);
    }
    let cors = settings.cors.iter().map(|origin| origin_of(origin)).collect::<Result<Vec<_>, _>>()?;
    let app = Arc::new(App::new(parts, settings.limits.clone(), settings.allowed.clone()));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("okno").build()?;
    let served = runtime.block_on(async {
        let address = SocketAddr::new(settings.host, settings.port);
        let listener =
            tokio::net::TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        // Looked at once before anybody knows the address: whoever does may ask to end at once.
        let mut end = Box::pin(end);
        let early = poll_fn(|context| Poll::Ready(end.as_mut().poll(context).is_ready())).await;
        ready(listener.local_addr()?);
        let ending = Arc::clone(&app);
        let signal = async move {
            if !early {
                end.await;
            }
            tracing::info!("ending: finishing what is being written");
            ending.ending.send_replace(true);
        };
        let router = router(&app, guard, cors);
        axum::serve(listener, router).with_graceful_shutdown(signal).await?;
        app.jobs.finish().await;
        Ok(())
    });
    // Whatever still runs only reads, or is about to end: a removal whose asker has gone.
    runtime.shutdown_timeout(LAST_WORK);
    served
}

/// Waits until somebody asks the program to end: Ctrl-C, or the system's own way.
pub async fn interrupted() {
    let typed = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // Without the signal only Ctrl-C ends it.
        if let Ok(mut asked) = signal(SignalKind::terminate()) {
            tokio::select! { _ = typed => (), _ = asked.recv() => () }
            return;
        }
    }
    let _ = typed.await;
}

fn check(settings: &Settings) -> Result<Guard, ServeError> {
    let loopback = settings.host.is_loopback();
    match &settings.key {
        None if !loopback => return Err(ServeError::NoKey(settings.host)),
        Some(key) if key.len() < SHORTEST_KEY => return Err(ServeError::ShortKey(key.len())),
        _ => {}
    }
    Ok(Guard { loopback, key: settings.key.as_deref().map(Arc::from), origins: settings.cors.clone() })
}

/// Every route behind every check, from the outside in: watching, sites let in, guard, limits.
fn router(app: &Arc<App>, rules: Guard, origins: Vec<HeaderValue>) -> Router {
    let routes = Router::new()
        .merge(api::router(Arc::clone(app)))
        .nest_service("/mcp", mcp::http(app))
        .fallback(page::fallback)
        .method_not_allowed_fallback(page::not_allowed)
        .layer(DefaultBodyLimit::max(app.limits.body))
        .layer(from_fn_with_state(Arc::new(rules), guard));
    let routes = if origins.is_empty() { routes } else { routes.layer(cors(origins)) };
    routes.layer(from_fn_with_state(Arc::clone(app), observe::observe)).layer(from_fn(known_method))
}

fn cors(origins: Vec<HeaderValue>) -> CorsLayer {
    CorsLayer::new().allow_origin(origins).allow_methods([Method::GET, Method::POST, Method::DELETE]).allow_headers([
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
        HeaderName::from_static("x-api-key"),
    ])
}

/// An origin is a scheme and a host, and nothing behind them.
fn origin_of(origin: &str) -> Result<HeaderValue, ServeError> {
    let plain = origin.split_once("://").is_some_and(|(_, rest)| !rest.is_empty() && !rest.contains('/'));
    let value = HeaderValue::from_str(origin).ok().filter(|_| plain);
    value.ok_or_else(|| ServeError::Origin(origin.to_owned()))
}

/// Methods outside the standard are refused before they become a label of a counter.
async fn known_method(request: axum::extract::Request, next: axum::middleware::Next) -> axum::response::Response {
    const KNOWN: [Method; 7] =
        [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS, Method::PATCH];
    if KNOWN.contains(request.method()) { next.run(request).await } else { page::not_allowed().await }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The routes that the router really has: its own account of itself lists them.
    fn routed() -> BTreeSet<String> {
        let app = Arc::new(App::new(Parts { indexes: vec![], generator: None }, Limits::default(), vec![]));
        let rules = Guard { loopback: true, key: None, origins: vec![] };
        let told = format!("{:?}", router(&app, rules, vec![]));
        told.split('"').filter(|part| part.starts_with('/')).map(str::to_owned).collect()
    }

    #[test]
    fn every_route_is_described_and_every_described_route_is_there() {
        let mut routed = routed();
        // MCP describes itself, in its own protocol; whatever else is asked for is the page, or nothing.
        routed.retain(|path| !path.starts_with("/mcp") && path != "/" && !path.contains("fallback"));
        let described: BTreeSet<String> = api::openapi().paths.paths.into_keys().collect();
        assert_eq!(routed, described);
        for path in ["/api/v1/images/{hash}", "/api/v1/ask", "/v1/chat/completions", "/metrics"] {
            assert!(routed.contains(path), "{path} was once left out");
        }
    }
}
