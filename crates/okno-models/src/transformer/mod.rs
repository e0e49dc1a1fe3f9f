//! Transformers: texts become tokens, tokens become vectors, vectors become what was asked for.
//!
//! ```text
//! embed:   texts → prefix → tokens → batches of equal length → network → pooling → one vector each
//! rerank:  question and passages → tokens → network → one score each
//! ```
//!
//! The network is an ONNX file run by rten on the CPU. Texts are batched only with texts of *exactly* their own number
//! of tokens: then nothing is padded, and no text's vector depends on what stood beside it. Batches run one per core; a
//! single one uses all of them.

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

use crate::registry::{Card, ModelKind, WEIGHTS};
use crate::shelf::Model;
use crate::{Error, Result, WeightsFlaw};

/// Runs a model once, to check that its weights can be used; returns its card with what was found out.
pub fn try_out(model: &Model) -> Result<Card> {
    let mut card = model.card.clone();
    card.quantized |= card.kind != ModelKind::Ocr && network::is_dynamic(&model.file(WEIGHTS))?;
    match card.kind {
        ModelKind::Embedder => {
            let length = Encoder::open(model)?.vectors(&["ok"], "", None)?.dimensions;
            if let Some(expected) = card.dimensions.filter(|known| *known != length) {
                let flaw = WeightsFlaw::Dimensions { got: length, expected };
                return Err(Error::Weights { path: model.folder.clone(), flaw });
            }
            card.dimensions = Some(length);
        }
        ModelKind::Reranker => {
            CrossEncoder::open(model)?.try_scores("ok", &["ok"])?;
        }
        ModelKind::Ocr => {}
    }
    Ok(card)
}
