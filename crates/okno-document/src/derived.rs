//! Derived units: texts made about a run of sentences, searched in its place.
//!
//! A summary, a question that the passage answers, a table's description, an image's caption, a sentence that places a
//! chunk in its document: each
//! has a text of its own that is searched, and a target that is returned. The text is never returned
//! as source text. Several may share one target; a ranking then counts the best of them.

use super::Structure;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A text that stands for a run of sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Derived {
    /// What kind of text it is.
    pub kind: DerivedKind,
    /// The first sentence it stands for.
    pub first: u32,
    /// One past the last.
    pub end: u32,
    /// What is searched.
    pub text: String,
}

impl Derived {
    /// The sentences it stands for.
    pub fn sentences(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// What a [`Derived`] text is: the name of its layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DerivedKind {
    /// What the passage says, in fewer words.
    Summary,
    /// A question that the passage answers.
    Question,
    /// What a table is about.
    Table,
    /// What is to be seen in an image.
    Image,
    /// Where a chunk belongs in its document. Stored units name their kind by its place in this list: new kinds come
    /// last.
    Context,
}

impl DerivedKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Summary, Self::Question, Self::Table, Self::Image, Self::Context];

    /// The name of its layer.
    pub fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Question => "question",
            Self::Table => "table",
            Self::Image => "image",
            Self::Context => "context",
        }
    }
}

impl fmt::Display for DerivedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DerivedKind {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or(())
    }
}

impl Structure {
    /// The sentences that a span of the text touches; empty where it touches none.
    pub fn touching(&self, span: super::Span) -> Range<usize> {
        let first = self.sentences.partition_point(|sentence| sentence.span.end <= span.start);
        let end = self.sentences.partition_point(|sentence| sentence.span.start < span.end);
        first..end.max(first)
    }
}
