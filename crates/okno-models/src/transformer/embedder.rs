//! A transformer as an [`Embedder`].
//!
//! Opening one reads its card only; the weights are read when the first text comes, so that commands which embed
//! nothing cost nothing. A sentence's vector has the length [`weight`] of its tokens: in a run of sentences, a long one
//! says more than a short one.

use super::encoder::Encoder;
use crate::registry::{Card, ModelKind};
use crate::shelf::Model;
use crate::{Error, Result, WeightsFlaw};
use okno::embed::{EmbedError, Embedder, Role};
use okno_document::message::Reason;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// A local transformer that embeds.
pub struct TransformerEmbedder {
    model: Model,
    identity: String,
    dimensions: usize,
    encoder: OnceLock<Result<Encoder>>,
    stop: Option<Arc<AtomicBool>>,
}

impl TransformerEmbedder {
    /// Opens an embedder of the shelf.
    pub fn open(model: Model) -> Result<Self> {
        let model = model.of_kind(ModelKind::Embedder)?;
        let unusable = || Error::Weights { path: model.folder.clone(), flaw: WeightsFlaw::NoDimensions };
        let dimensions = model.card.dimensions.ok_or_else(unusable)?;
        Ok(Self { identity: model.identity(), dimensions, encoder: OnceLock::new(), stop: None, model })
    }

    /// Stops embedding, with an error, once this is set.
    #[must_use]
    pub fn stopped_by(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = Some(stop);
        self
    }

    fn encoder(&self) -> Result<&Encoder, EmbedError> {
        self.encoder.get_or_init(|| outside_of_the_pool(|| Encoder::open(&self.model))).as_ref().map_err(embed_error)
    }
}

/// Runs what works in parallel itself on a thread and a pool of its own.
///
/// Many questions are searched by the workers of one pool, and the first of them opens the network while it holds the
/// lock. A worker that waits for parallel work meanwhile takes up the next question, which needs the same lock: it
/// would wait for itself. Joining a thread takes up nothing.
fn outside_of_the_pool<T: Send>(open: impl FnOnce() -> T + Send) -> T {
    let opened = std::thread::scope(|scope| {
        let own = || match rayon::ThreadPoolBuilder::new().build() {
            Ok(pool) => pool.install(open),
            Err(_) => open(),
        };
        scope.spawn(own).join()
    });
    opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn embed_error(error: &Error) -> EmbedError {
    EmbedError::new(Reason::of(error))
}

/// What a sentence of this many tokens weighs in a run of sentences: between all alike and by the token. Other
/// powers made no difference beyond noise (`docs/models.md`, `examples/choose.rs`).
fn weight(tokens: usize) -> f32 {
    (tokens as f32).sqrt()
}

fn prefix(card: &Card, role: Role) -> &str {
    match role {
        Role::Query => &card.query_prefix,
        Role::Passage => &card.passage_prefix,
    }
}

impl Embedder for TransformerEmbedder {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<f32>, EmbedError> {
        if texts.iter().all(|text| text.trim().is_empty()) {
            return Ok(vec![0.0; texts.len() * self.dimensions]);
        }
        let made = self.encoder()?.vectors(texts, prefix(&self.model.card, role), self.stop.as_deref());
        let mut made = made.map_err(|error| embed_error(&error))?;
        if made.dimensions != self.dimensions {
            let flaw = WeightsFlaw::Dimensions { got: made.dimensions, expected: self.dimensions };
            return Err(embed_error(&Error::Weights { path: self.model.folder.clone(), flaw }));
        }
        for (vector, tokens) in made.vectors.chunks_exact_mut(self.dimensions).zip(made.tokens) {
            let weight = weight(tokens);
            for x in vector {
                *x *= weight;
            }
        }
        Ok(made.vectors)
    }
}
