//! Connections: how many there may be, how long a client may take, and how they end with the server.
//!
//! A client that sends half of its headers, or keeps a connection open without a request, is let go after a time. So
//! is one that does not take what is written to it. Where as many connections are open as there may be, a further
//! client is told to come back later, and gets no more than that. When the server ends, requests under way may finish
//! for a while; then what is left is dropped, whatever clients do.

use crate::error::ApiError;
use crate::language;
use crate::problem::Problem;
use crate::tls::CurrentCertificate;
use axum::Router;
use axum::http::{HeaderValue, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;

/// What clients may take.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// Connections at once; more are answered with 503.
    pub connections: usize,
    /// How long a client may take to send the headers of a request, and how long a connection may be idle between two.
    pub headers: Duration,
    /// How long a client may take nothing of what is written to it.
    pub stalled: Duration,
    /// How long requests under way and jobs may go on when the server ends.
    pub grace: Duration,
}

impl Default for ConnectionLimits {
    /// Chosen, not measured: far longer than any client on a working line needs.
    fn default() -> Self {
        Self {
            connections: 1024,
            headers: Duration::from_secs(20),
            stalled: Duration::from_mins(1),
            grace: Duration::from_secs(10),
        }
    }
}

/// How long to wait after the system gave no connection: it may have no more file handles.
const ACCEPT_AGAIN: Duration = Duration::from_millis(500);

/// Connections over the limit that are told so at once; more are closed without an answer.
const REFUSED_AT_ONCE: usize = 256;

/// How long such a client may take to send its headers, and to take the answer.
const REFUSED_WITHIN: Duration = Duration::from_secs(2);

/// What those over the limit get, whatever they ask for.
fn refusing() -> Router {
    async fn refuse() -> Response {
        let mut response = ApiError::from(Problem::TooManyConnections).into_response();
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
    Router::new().fallback(refuse).layer(from_fn(language::translate))
}

/// Serves connections until `ending` is true, then for the time of grace those that are still there.
pub async fn serve(
    listener: TcpListener,
    certificate: Option<CurrentCertificate>,
    router: Router,
    limits: &ConnectionLimits,
    mut ending: watch::Receiver<bool>,
) {
    let short = ConnectionLimits { headers: REFUSED_WITHIN, stalled: REFUSED_WITHIN, ..limits.clone() };
    // Who is served, and who is told to come back later.
    let kinds = [(limits.connections, router, limits.clone()), (REFUSED_AT_ONCE, refusing(), short)]
        .map(|(most, router, limits)| (Arc::new(Semaphore::new(most)), router, limits));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ending.wait_for(|ending| *ending) => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        let free = |(free, router, limits): &(Arc<Semaphore>, Router, ConnectionLimits)| {
            Arc::clone(free).try_acquire_owned().ok().map(|permit| (permit, router.clone(), limits.clone()))
        };
        if let Some((permit, router, limits)) = kinds.iter().find_map(free) {
            let acceptor = certificate.as_ref().map(CurrentCertificate::acceptor);
            let connection = connection(stream, acceptor, router, limits, ending.clone());
            connections.spawn(async move {
                connection.await;
                drop(permit);
            });
        }
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    let end = Instant::now() + limits.grace;
    while let Ok(Some(_)) = timeout_at(end, connections.join_next()).await {}
    connections.shutdown().await;
}

async fn connection(
    stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    limits: ConnectionLimits,
    ending: watch::Receiver<bool>,
) {
    // Without it small answers wait for the acknowledgement of the last; where it cannot be set they do.
    let _ = stream.set_nodelay(true);
    let stream = WatchedStream::new(stream, limits.stalled);
    let Some(acceptor) = acceptor else { return requests(stream, router, limits, ending).await };
    // A client that does not finish the handshake is let go like one that does not finish its headers.
    if let Ok(Ok(stream)) = timeout(limits.headers, acceptor.accept(stream)).await {
        requests(stream, router, limits, ending).await;
    }
}

/// Answers the requests of a connection.
async fn requests<S>(stream: S, router: Router, limits: ConnectionLimits, mut ending: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let stream = TokioIo::new(stream);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.headers);
    let connection = builder.serve_connection(stream, TowerToHyperService::new(router));
    tokio::pin!(connection);
    tokio::select! {
        // How a connection ends – closed, cut, too slow – is the client's affair.
        _ = connection.as_mut() => return,
        _ = ending.wait_for(|ending| *ending) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// A stream whose writes fail when the other side takes nothing for a time.
struct WatchedStream {
    stream: TcpStream,
    stalled: Duration,
    /// Runs while a write waits.
    timer: Option<Pin<Box<Sleep>>>,
}

impl WatchedStream {
    fn new(stream: TcpStream, stalled: Duration) -> Self {
        Self { stream, stalled, timer: None }
    }

    fn watched<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.stalled)));
        match timer.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watched(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watched(context, ended)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watched(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
