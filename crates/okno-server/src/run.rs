//! The running server: which addresses it listens on, the layers around every request, how it ends.

use crate::accepted_keys::AcceptedKeys;
use crate::app::{App, ServerParts};
use crate::audit::{AuditLog, AuditSettings, audit};
use crate::guard::{AccessGuard, guard};
use crate::keys::{KeyFile, KeysError};
use crate::limits::RequestLimits;
use crate::rate::{Buckets, RateLimit};
use crate::tls::{CurrentCertificate, TlsError, TlsFiles};
use crate::{api, connections, language, mcp, observe, page};
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
use tokio::net::{TcpListener, TcpSocket};
use tower_http::cors::CorsLayer;

/// Where a server listens, and who may use it.
#[derive(Debug, Clone)]
pub struct ServeSettings {
    /// The address; anything but loopback needs a key.
    pub host: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// A key that may do everything.
    pub key: Option<String>,
    /// The file of named keys; where it exists, requests must show one of them, or the key above.
    pub keys: Option<KeyFile>,
    /// The header in which a proxy says the groups of whoever sends a request; any client of that proxy must be unable
    /// to send it.
    pub groups_header: Option<String>,
    /// Origins whose pages may send requests.
    pub cors: Vec<String>,
    /// Folders from which files may be indexed, beside the roots of the indexes.
    pub allowed: Vec<PathBuf>,
    /// How many requests a key may send.
    pub rate: Option<RateLimit>,
    /// How many bytes a key may upload.
    pub upload_quota: Option<RateLimit>,
    /// The certificate; without one there is no TLS.
    pub tls: Option<TlsFiles>,
    /// The audit log, where one is kept.
    pub audit: Option<AuditSettings>,
    /// What a request may cost.
    pub limits: RequestLimits,
}

okno_document::messages! {
    /// Why a server did not run.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum ServeError {
        /// The address can be reached from other machines, and no key is set.
        NoKey {
            /// The address.
            host: String,
        } = "no_key" => (
            "`{host}` can be reached from other machines, so an API key is required",
            "`{host}` 可从其他机器访问，因此必须设置 API 密钥"
        ),
        /// A key that can be guessed.
        ShortKey {
            /// How many characters it has.
            length: usize,
            /// How many it needs.
            least: usize,
        } = "short_key" => (
            "the API key has {length} characters; at least {least} are required",
            "API 密钥只有 {length} 个字符，至少需要 {least} 个"
        ),
        /// The file of keys cannot be used.
        Keys {
            /// Why.
            cause: KeysError,
        } = "bad_keys" => ("{cause}", "{cause}"),
        /// The certificate cannot be used.
        Tls {
            /// Why.
            cause: TlsError,
        } = "bad_certificate" => ("{cause}", "{cause}"),
        /// The audit log cannot be opened.
        Audit {
            /// The file.
            path: PathBuf,
            /// Why.
            cause: std::io::Error,
        } = "no_audit_log" => (
            "cannot write the audit log to `{path}`: {cause}; choose another file",
            "无法将审计日志写入 `{path}`：{cause}；请换一个文件"
        ),
        /// An origin that is not one.
        Origin {
            /// As it was given.
            origin: String,
        } = "bad_origin" => (
            "`{origin}` is not a valid origin; expected something like `https://notes.example`",
            "`{origin}` 不是有效的来源，应类似 `https://notes.example`"
        ),
        /// A header that cannot be one.
        Header {
            /// As it was given.
            header: String,
        } = "bad_header" => (
            "`{header}` cannot be the name of a header; expected something like `X-Groups`",
            "`{header}` 不能作为标头名称，应类似 `X-Groups`"
        ),
        /// No index was given.
        NoIndex = "no_index" => ("there is no index to serve", "没有可供服务的索引"),
        /// Another program listens on the port.
        PortInUse {
            /// The port.
            port: u16,
        } = "port_in_use" => ("port {port} is in use", "端口 {port} 已被占用"),
        /// The address cannot be listened on.
        Listen {
            /// Address and port.
            address: String,
            /// Why.
            cause: std::io::Error,
        } = "cannot_listen" => ("cannot listen on {address}: {cause}", "无法监听 {address}：{cause}"),
        /// The runtime cannot be started, or the connection broke.
        Io {
            /// Why.
            cause: std::io::Error,
        } = "io" => ("{cause}", "{cause}"),
        /// Talking to an MCP client failed.
        Mcp {
            /// What the protocol's library reports.
            cause: String,
        } = "mcp" => ("the MCP connection failed: {cause}", "MCP 连接失败：{cause}"),
    }
}

impl From<std::io::Error> for ServeError {
    fn from(cause: std::io::Error) -> Self {
        Self::Io { cause }
    }
}

fn cannot_listen(address: SocketAddr, cause: std::io::Error) -> ServeError {
    match cause.kind() {
        std::io::ErrorKind::AddrInUse => ServeError::PortInUse { port: address.port() },
        _ => ServeError::Listen { address: address.to_string(), cause },
    }
}

/// Connections that the system holds until they are accepted; it may hold fewer. Of those for which there is no room
/// each waits a second: with the usual 128 a burst of some hundred clients did.
const BACKLOG: u32 = 1024;

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Elsewhere it would let two servers have one port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A key shorter than this can be guessed.
const SHORTEST_KEY: usize = 16;

/// How long the end waits for work that nobody waits for any more.
const LAST_WORK: Duration = Duration::from_secs(2);

/// Serves until `end` resolves, then finishes what is being written. `ready` is called with the address.
pub fn serve(
    parts: ServerParts,
    settings: &ServeSettings,
    ready: impl FnOnce(SocketAddr),
    end: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let guard = check(settings)?;
    if parts.indexes.is_empty() {
        return Err(ServeError::NoIndex);
    }
    let opened = |audit: &AuditSettings| {
        AuditLog::open(audit).map_err(|cause| ServeError::Audit { path: audit.file.clone(), cause })
    };
    let log = settings.audit.as_ref().map(opened).transpose()?;
    let cors = settings.cors.iter().map(|origin| origin_of(origin)).collect::<Result<Vec<_>, _>>()?;
    let certificate = settings.tls.clone().map(CurrentCertificate::new).transpose();
    let certificate = certificate.map_err(|cause| ServeError::Tls { cause })?;
    let mut app = App::new(parts, settings.limits.clone(), settings.allowed.clone());
    app.uploads = settings.upload_quota.map(Buckets::new);
    let app = Arc::new(app);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("okno").build()?;
    let served = runtime.block_on(async {
        let address = SocketAddr::new(settings.host, settings.port);
        let listener = listen(address).map_err(|cause| cannot_listen(address, cause))?;
        // Polled once before the address is announced, so that an end signal sent right after that is not missed.
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
            // Beside the last requests, and no longer than they: what was committed by then stays.
            let _ = tokio::time::timeout(ending.limits.connections.grace, ending.jobs.finish()).await;
        };
        let router = router(&app, guard, cors, log);
        let serving =
            connections::serve(listener, certificate, router, &app.limits.connections, app.ending.subscribe());
        tokio::join!(signal, serving);
        Ok(())
    });
    // What still runs only reads, or is about to end: a removal whose client has disconnected.
    runtime.shutdown_timeout(LAST_WORK);
    served
}

/// Waits until the program is asked to end: Ctrl-C, or SIGTERM.
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

fn check(settings: &ServeSettings) -> Result<AccessGuard, ServeError> {
    let loopback = settings.host.is_loopback();
    if let Some(length) = settings.key.as_ref().map(String::len).filter(|length| *length < SHORTEST_KEY) {
        return Err(ServeError::ShortKey { length, least: SHORTEST_KEY });
    }
    let keys = AcceptedKeys::new(settings.key.as_deref(), settings.keys.clone());
    let keys = keys.map_err(|cause| ServeError::Keys { cause })?;
    if !loopback && !keys.is_usable() {
        return Err(ServeError::NoKey { host: settings.host.to_string() });
    }
    let bad = |header: &String| ServeError::Header { header: header.clone() };
    let header = settings.groups_header.as_ref().map(|header| header.parse().map_err(|_| bad(header)));
    Ok(AccessGuard {
        loopback,
        keys,
        origins: settings.cors.clone(),
        groups_header: header.transpose()?,
        rate: settings.rate.map(Buckets::new),
    })
}

/// Every route behind every check, from the outside in: language, methods, audit log, observation, allowed origins,
/// guard, limits.
fn router(app: &Arc<App>, rules: AccessGuard, origins: Vec<HeaderValue>, log: Option<AuditLog>) -> Router {
    let routes = Router::new()
        .merge(api::router(Arc::clone(app)))
        .nest_service("/mcp", mcp::http(app))
        .fallback(page::fallback)
        .method_not_allowed_fallback(page::not_allowed)
        .layer(DefaultBodyLimit::max(app.limits.body))
        .layer(from_fn_with_state(Arc::new(rules), guard));
    let routes = if origins.is_empty() { routes } else { routes.layer(cors(origins)) };
    let routes = routes.layer(from_fn_with_state(Arc::clone(app), observe::observe));
    let routes = match log {
        Some(log) => routes.layer(from_fn_with_state(Arc::new(log), audit)),
        None => routes,
    };
    routes.layer(from_fn(known_method)).layer(from_fn(language::translate))
}

fn cors(origins: Vec<HeaderValue>) -> CorsLayer {
    let methods = [Method::GET, Method::POST, Method::PUT, Method::DELETE];
    CorsLayer::new().allow_origin(origins).allow_methods(methods).allow_headers([
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
        HeaderName::from_static("x-api-key"),
    ])
}

/// An origin is a scheme and a host, and nothing behind them.
fn origin_of(origin: &str) -> Result<HeaderValue, ServeError> {
    let plain = origin.split_once("://").is_some_and(|(_, rest)| !rest.is_empty() && !rest.contains('/'));
    let value = HeaderValue::from_str(origin).ok().filter(|_| plain);
    value.ok_or_else(|| ServeError::Origin { origin: origin.to_owned() })
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

    /// The routes that the router really has, from its `Debug` output.
    fn routed() -> BTreeSet<String> {
        let app = Arc::new(App::new(
            ServerParts { indexes: vec![], generator: None, models: vec![], pages: None },
            RequestLimits::default(),
            vec![],
        ));
        let keys = AcceptedKeys::new(None, None).expect("no file");
        let rules = AccessGuard { loopback: true, keys, origins: vec![], groups_header: None, rate: None };
        let told = format!("{:?}", router(&app, rules, vec![], None));
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
