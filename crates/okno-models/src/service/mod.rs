//! Services that speak as `OpenAI` does: chat and embeddings over HTTP, wherever they run.
//!
//! ```text
//! Options (address, key, model, patience) → Chat: Request → pieces of text → Completion
//!                                         → Embeddings: texts → vectors
//! ```
//!
//! [`preset`] knows the usual providers, [`Options`] says what is asked of one. [`Chat`] streams; [`Embeddings`] sends batches;
//! [`Cached`] keeps what any model answered. Below them: `Line` is the connection – time-outs, retries with
//! back-off, a limit on requests at once – and `events` cuts a stream into pieces. Three things are promised: a key is never
//! printed, logged or part of an error; a retry never repeats text that was given already; whatever fails says what to do.

mod cache;
mod chat;
mod embeddings;
mod events;
mod fault;
mod gate;
mod key;
mod line;
mod made_by;
mod options;
pub mod preset;
mod quirks;
mod retry;
mod thinking;
mod wire;

pub use cache::{Cached, DEFAULT_CACHE_SIZE};
pub use chat::Chat;
pub use embeddings::Embeddings;
pub use key::Key;
pub use made_by::{MadeBy, NotAService, OWN, SERVICE};
pub use options::{Options, Patience};
pub use preset::{PRESETS, Preset};
