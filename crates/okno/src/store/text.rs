//! The text of a document, lent by its store or shared with it.

use std::ops::Deref;
use std::sync::Arc;

/// The text of a document: a part of a file that is read in place, or a copy that others may use too.
#[derive(Debug)]
pub enum DocumentText<'s> {
    /// Read in place.
    Lent(&'s str),
    /// Unpacked for whoever asks.
    Shared(Arc<str>),
}

impl Deref for DocumentText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Lent(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl<'s> From<&'s str> for DocumentText<'s> {
    fn from(text: &'s str) -> Self {
        Self::Lent(text)
    }
}
