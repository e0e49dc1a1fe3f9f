//! Text as every stage sees it: scripts and languages, and the terms a text is found by.

pub mod names;
pub mod spelling;
pub mod terms;

pub use okno_document::text::*;
