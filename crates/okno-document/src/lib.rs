//! The vocabulary: what a document is, and the words every other stage speaks.
//!
//! A document's text is stored once; a sentence, a paragraph, a section, a window, a citation are
//! [`Span`]s of it. [`Block`]s are what a loader saw (headings, paragraphs, list items …);
//! [`Structure`] is what search needs of them: sentences in order, and which paragraph and section
//! each belongs to. [`Metadata`] is typed, and [`Filter`] is the one language that asks about it.

mod access;
mod catalogue;
mod date;
mod derived;
mod filter;
mod layer;
pub mod message;
mod metadata;
mod period;
mod place;
mod span;
mod structure;
pub mod table;
pub mod text;

pub use access::{ALLOW, Access, group_names};
pub use catalogue::{Catalogue, Field, FieldKind, Gathering, Meaning};
pub use date::Date;
pub use derived::{Derived, DerivedKind};
pub use filter::number;
pub use filter::{Comparison, Filter, FilterError, FilterFault, Pointer};
pub use layer::{Layer, LayerError, Size};
pub use layer::{characters, chunks};
pub use metadata::{Metadata, Value};
pub use period::Period;
pub use place::{Image, ImageHash, ImageSource, MediaType, Page, Picture, Seen};
pub use span::{CodePoints, Span};
pub use structure::{Section, Sentence, Structure};

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One piece of a document as its loader saw it, in reading order.
///
/// Blocks do not overlap and together cover every non-blank character of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Where it is.
    pub span: Span,
}

/// What a [`Block`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockKind {
    /// A heading of this level, 1 being the top; its span holds the marks too (`## Title`).
    Heading(u8),
    /// Running text.
    Paragraph,
    /// One item of a list, without the items nested in it.
    ListItem,
    /// Program text.
    Code,
    /// A table: header and rows.
    Table,
    /// Metadata written in front of the text; never searched as text.
    FrontMatter,
    /// Marks that are not text: a comment, a template tag, a rule. Neither searched nor returned.
    Markup,
}

/// What a loader makes of one source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The source's own name for the document (a JSONL line's `doc_id`); otherwise its path is its name.
    pub id: Option<String>,
    /// The title, possibly empty.
    pub title: String,
    /// `zh`, `en` …, given or detected.
    pub language: Option<String>,
    /// The canonical text: for text, Markdown and JSONL the decoded text unchanged.
    pub text: String,
    /// The structure the loader saw.
    pub blocks: Vec<Block>,
    /// Typed metadata.
    pub metadata: Metadata,
    /// The pages, in order: the first begins at byte 0. Empty for formats without pages.
    pub pages: Vec<Page>,
    /// The images, in the order of their places in the text.
    pub images: Vec<Image>,
}

/// Where a document comes from, which is also who it is: the indexed root, the path below it, and
/// for files that hold many documents the source's own name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DocumentId {
    /// The folder or file that was indexed, as an absolute path.
    pub root: String,
    /// The path below the root, with `/`; the file's name when the root is a file.
    pub path: String,
    /// The source's own name, for files that hold many documents.
    pub member: Option<String>,
}

impl DocumentId {
    /// The name shown to people and programs: the member's own name, or else the relative path.
    pub fn name(&self) -> &str {
        self.member.as_deref().unwrap_or(&self.path)
    }

    /// Whether a person may mean this document by a name: its own, its path, or its whole path.
    pub fn is_called(&self, name: &str) -> bool {
        self.name() == name || self.path == name || self.whole_path() == std::path::Path::new(name)
    }

    /// This id, and those the document has in roots that lie inside its own root: `/a` + `b/c.md` is `/a/b` + `c.md`,
    /// and `/a/b/c.md` alone.
    pub fn in_inner_roots(&self) -> Vec<Self> {
        let mut ids = vec![self.clone()];
        let cuts = self.path.char_indices().filter(|&(_, c)| c == '/').map(|(at, _)| (at, at + 1));
        let name = self.path.rfind('/').map_or(0, |at| at + 1);
        let whole = (self.path != self.root).then_some((self.path.len(), name));
        for (end, start) in cuts.chain(whole) {
            let root = format!("{}/{}", self.root.trim_end_matches('/'), &self.path[..end]);
            // A member of an archive is named by the path of the archive, which is shorter there.
            let within = |member: &String| match member.strip_prefix(&self.path) {
                Some(inner) if inner.starts_with('/') => format!("{}{inner}", &self.path[start..]),
                _ => member.clone(),
            };
            ids.push(Self { root, path: self.path[start..].to_owned(), member: self.member.as_ref().map(within) });
        }
        ids
    }

    /// Where the file is.
    pub fn whole_path(&self) -> std::path::PathBuf {
        let root = std::path::Path::new(&self.root);
        if self.root == self.path {
            return root.to_owned();
        }
        // A root that is a file is its own path.
        if root.file_name().is_some_and(|name| name == self.path.as_str()) && !root.is_dir() {
            root.to_owned()
        } else {
            root.join(&self.path)
        }
    }
}

/// A document as the store keeps it, without its text, structure and vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Who it is.
    pub id: DocumentId,
    /// The title, possibly empty.
    pub title: String,
    /// `zh`, `en` …
    pub language: Option<String>,
    /// Typed metadata.
    pub metadata: Metadata,
    /// A hash of text, title and metadata: the same hash, the same document.
    pub hash: u128,
    /// Bytes of text.
    pub bytes: u64,
    /// How many sentences.
    pub sentences: u32,
}

impl Record {
    /// Whether its fields match a filter.
    pub fn matches(&self, filter: &Filter) -> bool {
        filter.matches(&|field: &str| self.field(field))
    }

    /// A field that a filter may ask about: metadata, or what every document has.
    pub fn field(&self, name: &str) -> Option<Cow<'_, Value>> {
        let text = |text: &str| Some(Cow::Owned(Value::Text(text.to_owned())));
        match (self.metadata.get(name), name) {
            (Some(value), _) => Some(Cow::Borrowed(value)),
            (None, "title") => text(&self.title),
            (None, "language") => self.language.as_deref().and_then(text),
            (None, "path") => text(&self.id.path),
            (None, "doc_id") => text(self.id.name()),
            (None, _) => None,
        }
    }
}
