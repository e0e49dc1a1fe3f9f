//! An encoder: tokenizer and network together, from texts to unit vectors or to the vectors of their tokens.

use super::batches::{MOST_TOKENS, batches};
use super::network::{Output, TransformerNetwork};
use super::tokens::{ModelTokenizer, Tokens};
use crate::registry::Pooling;
use crate::shelf::Model;
use crate::{Error, NetworkFailure, Result};
use okno::embed::normalize;
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;

/// The names the token vectors have in ONNX files of the hub.
const TOKEN_VECTORS: [&str; 2] = ["last_hidden_state", "token_embeddings"];

/// A transformer that makes vectors.
pub struct Encoder {
    name: String,
    tokenizer: ModelTokenizer,
    network: TransformerNetwork,
    pooling: Pooling,
    most_tokens: usize,
}

/// The vectors of some texts.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitVectors {
    /// One after the other, each of length 1; zeros for texts without content.
    pub vectors: Vec<f32>,
    /// The components of one.
    pub dimensions: usize,
    /// How many tokens each text has, without special tokens.
    pub tokens: Vec<usize>,
}

/// The vectors of a text's tokens, each of length 1.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenVectors {
    /// One after the other.
    pub vectors: Vec<f32>,
    /// The components of one.
    pub dimensions: usize,
}

impl Encoder {
    /// Opens a model of the shelf.
    pub fn open(model: &Model) -> Result<Self> {
        // Dynamic int8 scales depend on the whole batch, so each text is run alone.
        let most_tokens = if model.card.quantized { 1 } else { MOST_TOKENS };
        let network = TransformerNetwork::open(model, &TOKEN_VECTORS)?;
        let tokenizer = ModelTokenizer::open(model)?;
        Ok(Self { name: model.card.name.clone(), tokenizer, network, pooling: model.card.pooling, most_tokens })
    }

    /// Batches of another size, for measurements.
    #[must_use]
    pub fn with_batches(mut self, most_tokens: usize) -> Self {
        self.most_tokens = most_tokens;
        self
    }

    /// The unit vectors of texts, each read with a prefix before it. A text of blanks has a vector of zeros.
    pub fn vectors(&self, texts: &[&str], prefix: &str, stop: Option<&AtomicBool>) -> Result<UnitVectors> {
        let tokens = self.tokens(texts, prefix)?;
        let outputs = self.run(&tokens, stop)?;
        let dimensions = outputs.iter().flatten().map(|output| output.width).next().unwrap_or(0);
        let mut vectors = vec![0.0; texts.len() * dimensions];
        for (output, vector) in outputs.iter().zip(vectors.chunks_exact_mut(dimensions.max(1))) {
            if let Some(output) = output {
                pool(output, self.pooling, vector);
                normalize(vector);
            }
        }
        let tokens = tokens.iter().map(|tokens| tokens.is_text.iter().filter(|is_text| **is_text).count()).collect();
        Ok(UnitVectors { vectors, dimensions, tokens })
    }

    /// The vectors of the tokens of texts, without special tokens.
    pub fn token_vectors(&self, texts: &[&str], prefix: &str) -> Result<Vec<TokenVectors>> {
        let tokens = self.tokens(texts, prefix)?;
        let outputs = self.run(&tokens, None)?;
        Ok(outputs.into_iter().zip(&tokens).map(|(output, tokens)| of_text(output, tokens)).collect())
    }

    fn tokens(&self, texts: &[&str], prefix: &str) -> Result<Vec<Tokens>> {
        let of = |text: &&str| {
            if text.trim().is_empty() { Ok(Tokens::default()) } else { self.tokenizer.of(&format!("{prefix}{text}")) }
        };
        let failed = |failure| Error::Network { name: self.name.clone(), failure };
        texts.par_iter().map(of).collect::<Result<_, NetworkFailure>>().map_err(failed)
    }

    fn run(&self, tokens: &[Tokens], stop: Option<&AtomicBool>) -> Result<Vec<Option<Output>>> {
        let lengths: Vec<usize> = tokens.iter().map(Tokens::len).collect();
        self.network.run(tokens, &batches(&lengths, self.most_tokens), stop)
    }
}

/// The text's vector, of its tokens'. A network that pools by itself gives one row.
fn pool(output: &Output, pooling: Pooling, vector: &mut [f32]) {
    let rows = output.values.chunks_exact(output.width);
    let count = match pooling {
        Pooling::Cls => 1,
        Pooling::Mean => rows.len(),
    };
    for row in rows.take(count) {
        for (sum, value) in vector.iter_mut().zip(row) {
            *sum += value / count as f32;
        }
    }
}

fn of_text(output: Option<Output>, tokens: &Tokens) -> TokenVectors {
    let Some(Output { values, width }) = output else { return TokenVectors { vectors: Vec::new(), dimensions: 1 } };
    let mut vectors: Vec<f32> = values
        .chunks_exact(width)
        .zip(&tokens.is_text)
        .filter(|(_, is_text)| **is_text)
        .flat_map(|(row, _)| row.iter().copied())
        .collect();
    vectors.chunks_exact_mut(width).for_each(normalize);
    TokenVectors { vectors, dimensions: width }
}
