//! Okno: *index small, return big*.
//!
//! Search over sentences of your own documents; get back the span of source text that answers –
//! exact, no part twice, cited, within a token budget – in Chinese and English.
//!
//! ```
//! # fn main() -> okno::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! # let notes = folder.path().join("notes");
//! # std::fs::create_dir(&notes)?;
//! # std::fs::write(notes.join("tea.md"), "# Tea\n\nGreen tea is brewed at 80 °C. Black tea needs boiling water.")?;
//! use okno::{Engine, Query};
//!
//! let engine = Engine::create(folder.path().join(".okno"))?;
//! engine.index(&[notes])?;
//! let answer = engine.search(&Query::new("How hot should water for black tea be?"))?;
//! let best = &answer.contexts[0];
//! assert_eq!(best.document, "tea.md");
//! assert!(best.text.contains("Black tea needs boiling water."));
//! # Ok(())
//! # }
//! ```

pub mod answer;
pub mod config;
pub mod embed;
mod engine;
pub mod enrich;
mod error;
pub mod fetch;
pub mod generate;
mod packed;
pub mod reasons;
pub mod retrieve;
pub mod rules;
pub mod shapes;
pub mod split;
pub mod store;
pub mod text;
pub mod understand;

pub use okno_document as document;
pub use okno_document::message;
pub use okno_load as load;

pub use engine::{DeriveOptions, DerivePlan, DeriveProgress, DeriveReport, Maker};
pub use engine::{Engine, ImportReport, IndexOptions, IndexReport, Progress, ReembedReport, Silent, Skipped};
pub use error::{Error, Result};
pub use retrieve::{Answer, Context, Query};
