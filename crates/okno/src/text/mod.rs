//! Text as every stage sees it: scripts and languages, and the terms a text is found by.

pub mod names;
pub mod spelling;
pub mod terms;
mod untagged;

pub use okno_document::text::*;
