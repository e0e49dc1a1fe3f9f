//! The shapes in which results leave the process: one JSON for the command line, HTTP and MCP.
//!
//! An [`crate::Answer`], a [`crate::document::Record`] come in; plain structures of names, numbers and borrowed
//! text come out, ready to be serialised. Offsets are Unicode code points, end exclusive, here and everywhere
//! outside. Nothing is decided in here: a field is what the engine says, under the name programs know it by.
//!
//! With the feature `schema` every shape can describe itself for `OpenAPI`.

mod answer;
mod document;
mod recipes;
mod reply;
mod understood;

pub use answer::{Explained, FoundBy, FullAnswer, FullContext, FullHit, PlainContext, RankingSize, Reranking};
pub use document::{
    Document, DocumentSection, IndexSummary, KeptImage, PlacedImage, SkippedFile, WholeDocument, slice, units,
};
pub use recipes::{missing, recipes};
pub use reply::reply;
pub use understood::{QuestionReading, SpelledWord, UnderstoodQuestion};
