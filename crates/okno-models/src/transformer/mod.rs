//! Transformers: texts become tokens, tokens become vectors, vectors become what was asked for.
//!
//! ```text
//! embed:   texts → prefix → tokens → batches of equal length → network → pooling → one vector each
//! rerank:  question and passages → tokens → network → one score each
//! ```
//!
//! The network is an ONNX file run by rten on the CPU. Texts are batched only with texts of *exactly* their own number of tokens: then
//! nothing is padded, and no text's vector depends on what stood beside it. Batches run one per core; a single one uses all of them.

mod batches;
mod cross_encoder;
mod embedder;
mod encoder;
mod late;
mod network;
mod tokens;

pub use batches::MOST_TOKENS;
pub use cross_encoder::CrossEncoder;
pub use embedder::TransformerEmbedder;
pub use encoder::Encoder;
pub use late::LateInteraction;

use crate::registry::{Card, Kind, WEIGHTS};
use crate::shelf::Model;
use crate::{Error, Result};

/// Runs a model once, to see whether its weights can be used at all; what was learnt goes into the card.
pub fn try_out(model: &Model) -> Result<Card> {
    let mut card = model.card.clone();
    card.quantized |= card.kind != Kind::Ocr && network::is_dynamic(&model.file(WEIGHTS))?;
    match card.kind {
        Kind::Embedder => {
            let length = Encoder::open(model)?.vectors(&["ok"], "", None)?.dimensions;
            if card.dimensions.is_some_and(|known| known != length) {
                let reason = format!("vectors have {length} components, expected {}", card.dimensions.unwrap_or(0));
                return Err(Error::Weights { path: model.folder.clone(), reason });
            }
            card.dimensions = Some(length);
        }
        Kind::Reranker => {
            CrossEncoder::open(model)?.try_scores("ok", &["ok"])?;
        }
        Kind::Ocr => {}
    }
    Ok(card)
}
