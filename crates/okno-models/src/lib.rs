//! Models: local networks and services.
//!
//! [`registry`] lists the models that are known by name, [`shelf`] keeps their weights on disk, [`transformer`] runs
//! them as embedders and rerankers. [`service`] is the client of models behind an API; `ocr` reads the text in images.

mod error;
#[cfg(feature = "ocr")]
pub mod ocr;
pub mod registry;
pub mod service;
pub mod shelf;
pub mod transformer;

pub use error::{Error, HubFailure, NetworkFailure, PackageFlaw, PathList, Result, WeightPackages, WeightsFlaw};

/// Where models are pulled from: `OKNO_HUB`, or the public hub.
pub fn hub() -> String {
    let own = std::env::var("OKNO_HUB").ok().filter(|address| !address.is_empty());
    own.unwrap_or_else(|| shelf::HUB.to_owned())
}
