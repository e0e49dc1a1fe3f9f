//! MCP: the same engine for agents, over standard input and output or at `/mcp` of the server.
//!
//! An agent pays for every word it reads, so answers are plain text with a place in front of each passage – enough to
//! cite it, and to open more of it – and every tool that returns text takes a budget. An error says what to do next, as
//! everywhere.

mod resources;
mod text;
mod tools;

pub use tools::Tools;

use crate::app::{App, ServerParts};
use crate::limits::RequestLimits;
use crate::run::ServeError;
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;

/// Serves one agent over standard input and output until it closes them.
pub fn stdio(parts: ServerParts) -> Result<(), ServeError> {
    if parts.indexes.is_empty() {
        return Err(ServeError::NoIndex);
    }
    let app = Arc::new(App::new(parts, RequestLimits::default(), Vec::new()));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let failed = |error: &dyn std::fmt::Display| ServeError::Mcp { cause: error.to_string() };
        let service = Tools::local(app).serve(rmcp::transport::stdio()).await.map_err(|error| failed(&error))?;
        service.waiting().await.map_err(|error| failed(&error))?;
        Ok(())
    });
    // Reading standard input blocks a thread that cannot be woken; all other work is done.
    runtime.shutdown_background();
    served
}

/// The service at `/mcp`: every request by itself, answered with JSON, so that nothing outlives its request.
pub(crate) fn http(app: &Arc<App>) -> StreamableHttpService<Tools, LocalSessionManager> {
    // The server's own guard has looked at host, origin and key already.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(app.limits.body)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let tools = Tools::remote(Arc::clone(app));
    StreamableHttpService::new(move || Ok(tools.clone()), Arc::default(), config)
}
