//! What can be said about any text: its scripts and its language.

mod language;
pub mod script;

pub use language::{detect_language, primary_language};
pub use script::is_chinese;
