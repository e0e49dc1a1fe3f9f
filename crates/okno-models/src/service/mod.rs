//! Services with `OpenAI`'s protocol: chat and embeddings over HTTP.
//!
//! ```text
//! Options (address, key, model, patience) → Chat: Request → pieces of text → Completion
//!                                         → Embeddings: texts → vectors
//! ```
//!
//! [`preset`] has the usual providers, [`Options`] the settings of one. [`Chat`] streams; [`Embeddings`] sends batches;
//! [`Cached`] keeps the answers of any model. Below them, `connection` has time-outs, retries with back-off and a limit
//! on concurrent requests, and `events` parses a stream. Three guarantees: a key is never printed, logged or part of an
//! error; a retry never repeats text that was passed on already; every error says what to do.

mod cache;
mod chat;
mod connection;
mod embeddings;
mod events;
mod fault;
mod gate;
mod key;
mod made_by;
mod options;
pub mod preset;
mod quirks;
mod reason;
mod retry;
mod thinking;
mod wire;

pub use cache::{Cached, DEFAULT_CACHE_SIZE};
pub use chat::Chat;
pub use embeddings::Embeddings;
pub use key::ServiceKey;
pub use made_by::{MadeBy, NotAService, OWN, SERVICE};
pub use options::{Options, Patience};
pub use preset::{PRESETS, ProviderPreset};
pub use reason::{Seconds, ServiceReason, StatusAdvice};
