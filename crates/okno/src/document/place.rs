//! Places in a text that are not text themselves: where a page begins, where an image stands.
//!
//! A page is only an offset. The text of a document runs on over its page ends, so windows do too; a citation asks
//! afterwards which pages it is on.

use super::Span;
use serde::{Deserialize, Serialize};

/// A page of a document, a slide of a presentation, or a moment of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// What is printed on it: `7`, `iv`, `00:12:30`.
    pub label: String,
    /// The byte of the document's text where it begins; it lasts until the next one. An empty page begins where the next one does.
    pub start: u32,
}

/// An image, at its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its place in the text: the reference (`![alt](src)`), or the line that stands for it.
    pub span: Span,
    /// What it shows, as the author wrote it for those who cannot see it; possibly empty.
    pub alt: String,
    /// Its caption or title; possibly empty.
    pub caption: String,
    /// Where its bytes are.
    pub source: ImageSource,
}

/// Where the bytes of an image are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// A path, relative to the document's folder, or an address: as it is written in the document.
    Reference(String),
    /// The name of a part inside the document's own file (`word/media/image1.png`).
    Inside(String),
    /// The bytes themselves.
    Bytes(Vec<u8>),
}
