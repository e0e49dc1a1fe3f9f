//! How much one request may ask for. Chosen, not measured: far above what people send, far below what would hurt.

use crate::connections::ConnectionLimits;
use okno::retrieve::QueryLimits;
use std::time::Duration;

/// What a request may cost.
#[derive(Debug, Clone)]
pub struct RequestLimits {
    /// Bytes of a JSON body: a question set of some thousand questions fits.
    pub body: usize,
    /// Bytes of one upload request, all files together.
    pub upload: usize,
    /// How long a request may take before its answer begins.
    pub time: Duration,
    /// The same for uploads, which a slow line may stretch.
    pub upload_time: Duration,
    /// Requests that may wait for a core; more are told to come back later.
    pub waiting: usize,
    /// Answers in words that may be written at once: each waits for a model, not for a core.
    pub answers: usize,
    /// Bytes of answers kept for questions that come again.
    pub cache: usize,
    /// Bytes of pictures of pages that are kept: some hundred pages of text.
    pub pictures: usize,
    /// What one question may ask for.
    pub query: QueryLimits,
    /// Recipes of one comparison, at most: more do not fit side by side.
    pub recipes: usize,
    /// Characters of a filter.
    pub filter: usize,
    /// Connections, and how long clients may take.
    pub connections: ConnectionLimits,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            body: 2 << 20,
            upload: 256 << 20,
            time: Duration::from_mins(1),
            upload_time: Duration::from_mins(10),
            waiting: 256,
            answers: 8,
            cache: 32 << 20,
            pictures: 64 << 20,
            query: QueryLimits::default(),
            recipes: 8,
            filter: 10_000,
            connections: ConnectionLimits::default(),
        }
    }
}

/// Characters of a question: more is a document.
pub(crate) const LONGEST_QUESTION: usize = 8_000;
