//! Weights and networks: what needs a model runs here.

#[cfg(feature = "ocr")]
pub mod ocr;
