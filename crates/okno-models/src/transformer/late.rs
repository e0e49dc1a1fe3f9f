//! Late interaction: each token of the question is compared with its best match in the passage.
//!
//! The score of a passage is the mean, over the question's tokens, of the largest cosine with one of the passage's
//! tokens (`MaxSim`). Any encoder can be used this way, also one that was trained for something else. Measured
//! (`docs/models.md`), the gain was within the confidence intervals and it took thirty times as long, so it is off by
//! default.

use super::encoder::{Encoder, TokenVectors};
use crate::Result;
use crate::registry::{Card, ModelKind};
use crate::shelf::Model;
use okno::retrieve::{RerankError, Reranker};
use okno_document::message::Reason;

/// A transformer of the shelf as a reranker.
pub struct LateInteraction {
    identity: String,
    card: Card,
    encoder: Encoder,
}

impl LateInteraction {
    /// Opens an embedder of the shelf.
    pub fn open(model: &Model) -> Result<Self> {
        let model = model.clone().of_kind(ModelKind::Embedder)?;
        Ok(Self { identity: format!("maxsim:{}", model.identity()), encoder: Encoder::open(&model)?, card: model.card })
    }

    fn try_scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>> {
        // Without prefixes: the tokens of an instruction match everywhere.
        let question = self.encoder.token_vectors(&[question], "")?.remove(0);
        let passages = self.encoder.token_vectors(passages, &self.card.passage_prefix)?;
        Ok(passages.iter().map(|passage| max_sim(&question, passage)).collect())
    }
}

/// The mean over the question's tokens of the largest cosine; 0 where there are no tokens.
fn max_sim(question: &TokenVectors, passage: &TokenVectors) -> f32 {
    let rows = question.vectors.chunks_exact(question.dimensions);
    if rows.len() == 0 || passage.vectors.is_empty() {
        return 0.0;
    }
    let count = rows.len();
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let best = |row: &[f32]| {
        let cosines = passage.vectors.chunks_exact(passage.dimensions).map(|other| cosine(row, other));
        cosines.fold(-1.0, f32::max)
    };
    rows.map(best).sum::<f32>() / count as f32
}

impl Reranker for LateInteraction {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        self.try_scores(question, passages).map_err(|error| RerankError::new(Reason::of(&error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_finds_its_best_counterpart() {
        let vectors = |vectors: &[f32]| TokenVectors { vectors: vectors.to_vec(), dimensions: 2 };
        let question = vectors(&[1.0, 0.0, 0.0, 1.0]);
        assert!((max_sim(&question, &vectors(&[0.0, 1.0, 1.0, 0.0])) - 1.0).abs() < 1e-6);
        assert!((max_sim(&question, &vectors(&[1.0, 0.0])) - 0.5).abs() < 1e-6);
        assert_eq!((max_sim(&question, &vectors(&[])), max_sim(&vectors(&[]), &question)), (0.0, 0.0));
    }
}
