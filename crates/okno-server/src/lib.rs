//! The engine over HTTP: a documented API for programs, a page for people, MCP for agents.
//!
//! The server is given open indexes and, optionally, language models; which folder, which model and which key is
//! decided by the command line. `api` and `mcp` read requests, the blocking work of the engine runs in a pool with a
//! thread per core (`pool`), and answers have the same JSON shapes that the command line prints ([`okno::shapes`]).
//!
//! Reads never wait for writes: a search takes the last committed generation. Writes are jobs, one at a time for each
//! index.

mod accepted_keys;
mod allowed;
mod answering;
mod api;
mod app;
mod audit;
mod cache;
mod chat;
mod code;
mod connections;
mod conversation;
mod dify;
mod error;
mod extract;
mod guard;
mod jobs;
mod keys;
mod language;
mod limits;
mod mcp;
mod metrics;
mod models;
mod observe;
#[cfg(feature = "otel")]
mod otel;
mod page;
mod page_reader;
mod pool;
mod probe;
mod problem;
mod rate;
mod requester;
mod roles;
mod run;
mod tls;
mod uploads;

pub use api::openapi;
pub use app::{Complete, IndexingOptions, NamedIndex, ServerParts};
pub use audit::AuditSettings;
pub use keys::{KeyDay, KeyFile, KeyRole, KeysError, NamedKey};
pub use limits::RequestLimits;
pub use mcp::stdio as mcp_stdio;
pub use models::NamedModel;
pub use observe::{LogFormat, Logging, log};
pub use page_reader::PageReader;
pub use probe::{UploadProbe, UploadRefused};
pub use rate::{NotARate, RateLimit};
pub use run::{ServeError, ServeSettings, interrupted, serve};
pub use tls::{TlsError, TlsFiles};
