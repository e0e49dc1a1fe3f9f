//! Cross-encoders: the network reads question and passage together, and says in one number how well they fit.

use super::batches::{MOST_TOKENS, batches};
use super::network::TransformerNetwork;
use super::tokens::{ModelTokenizer, Tokens};
use crate::registry::ModelKind;
use crate::shelf::Model;
use crate::{Error, NetworkFailure, Result};
use okno::retrieve::{RerankError, Reranker};
use okno_document::message::Reason;
use rayon::prelude::*;

/// A cross-encoder from an ONNX file.
pub struct CrossEncoder {
    name: String,
    identity: String,
    tokenizer: ModelTokenizer,
    network: TransformerNetwork,
    most_tokens: usize,
}

impl CrossEncoder {
    /// Opens a reranker of the shelf.
    pub fn open(model: &Model) -> Result<Self> {
        let model = model.clone().of_kind(ModelKind::Reranker)?;
        let network = TransformerNetwork::open(&model, &["logits"])?;
        let most_tokens = if model.card.quantized { 1 } else { MOST_TOKENS };
        let tokenizer = ModelTokenizer::open(&model)?;
        Ok(Self { identity: model.identity(), name: model.card.name, tokenizer, network, most_tokens })
    }

    /// How well each passage answers, from 0 to 1.
    pub fn try_scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>> {
        let failed = |failure| Error::Network { name: self.name.clone(), failure };
        let of = |passage: &&str| self.tokenizer.of_pair(question, passage);
        let tokens: Vec<Tokens> = passages.par_iter().map(of).collect::<Result<_, NetworkFailure>>().map_err(failed)?;
        let lengths: Vec<usize> = tokens.iter().map(Tokens::len).collect();
        let outputs = self.network.run(&tokens, &batches(&lengths, self.most_tokens), None)?;
        let score = |output: Option<_>| output.map(|output: super::network::Output| probability(&output.values));
        outputs
            .into_iter()
            .map(|output| score(output).flatten().ok_or_else(|| failed(NetworkFailure::NoScore)))
            .collect()
    }
}

/// One number is the logit of *yes*; of two, the second is.
fn probability(logits: &[f32]) -> Option<f32> {
    let logit = match logits {
        [yes] => *yes,
        [no, yes] => yes - no,
        _ => return None,
    };
    Some(1.0 / (1.0 + (-logit).exp())).filter(|p| p.is_finite())
}

impl Reranker for CrossEncoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        self.try_scores(question, passages).map_err(|error| RerankError::new(Reason::of(&error)))
    }
}
