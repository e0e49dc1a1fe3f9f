//! The engine over HTTP: a documented API for programs, a page for people, MCP for agents.
//!
//! Ready-made parts come in – open indexes and, if there is one, a language model – and a running server comes out. Nothing is
//! assembled here: which folder, which model, which key is the command line's to say. A request is read at the rim
//! (`api`, `mcp`), the blocking work of the engine runs in a pool as wide as the machine (`pool`), and the same shapes
//! leave that the command line prints ([`okno::shapes`]).
//!
//! Reads never wait for writes: a search takes the last committed generation. Writes are jobs, one at a time for each index.

mod allowed;
mod answering;
mod api;
mod app;
mod cache;
mod chat;
mod extract;
mod fault;
mod guard;
mod jobs;
mod limits;
mod mcp;
mod metrics;
mod observe;
#[cfg(feature = "otel")]
mod otel;
mod page;
mod pool;
mod run;
mod uploads;

pub use api::openapi;
pub use app::{Complete, Index, IndexingOptions, Parts};
pub use limits::Limits;
pub use mcp::stdio as mcp_stdio;
pub use observe::{LogFormat, Logging, log};
pub use run::{ServeError, Settings, interrupted, serve};
