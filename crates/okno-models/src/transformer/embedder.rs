//! A transformer as an [`Embedder`].
//!
//! Opening one reads its card only; the weights are read when the first text comes, so that commands which embed nothing cost nothing.
//! A sentence's vector has the length [`weight`] of its tokens: in a run of sentences, a long one says more than a short one.

use super::encoder::Encoder;
use crate::registry::{Card, Kind};
use crate::shelf::Model;
use crate::{Error, Result};
use okno::embed::{EmbedError, Embedder, Role};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// A local transformer that embeds.
pub struct TransformerEmbedder {
    model: Model,
    identity: String,
    dimensions: usize,
    encoder: OnceLock<Result<Encoder, String>>,
    stop: Option<Arc<AtomicBool>>,
}

impl TransformerEmbedder {
    /// Opens an embedder of the shelf.
    pub fn open(model: Model) -> Result<Self> {
        let model = model.of_kind(Kind::Embedder)?;
        let unusable = || Error::Weights {
            path: model.folder.clone(),
            reason: "its card does not say how long its vectors are – add it again".to_owned(),
        };
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
        let opened = self.encoder.get_or_init(|| Encoder::open(&self.model).map_err(|error| error.to_string()));
        opened.as_ref().map_err(|reason| EmbedError(reason.clone()))
    }
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
        let mut made = made.map_err(|error| EmbedError(error.to_string()))?;
        if made.dimensions != self.dimensions {
            return Err(EmbedError(format!(
                "vectors have {} components, expected {}",
                made.dimensions, self.dimensions
            )));
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
