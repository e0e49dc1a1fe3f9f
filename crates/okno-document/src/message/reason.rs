//! Errors whose types only their makers know: a plug-in's, a library's.

use super::{Lang, Message, Word};
use serde::{Serialize, Serializer};
use std::fmt;

/// Why a plug-in failed – a loader, an embedder, a language model –, in its own words: a message whose type only the
/// plug-in knows.
///
/// A plug-in with typed errors turns them into reasons; one that only passes on what a service said gives its text,
/// which is the same in every language and has the code `other`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    code: &'static str,
    english: String,
    chinese: String,
}

impl Reason {
    /// The reason that a message gives.
    pub fn of(message: &(impl Message + ?Sized)) -> Self {
        Self { code: message.code(), english: message.text(Lang::En), chinese: message.text(Lang::Zh) }
    }

    /// A reason in both languages.
    pub fn new(code: &'static str, english: impl Into<String>, chinese: impl Into<String>) -> Self {
        Self { code, english: english.into(), chinese: chinese.into() }
    }
}

impl From<String> for Reason {
    fn from(words: String) -> Self {
        Self { code: "other", chinese: words.clone(), english: words }
    }
}

impl From<&str> for Reason {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl Message for Reason {
    fn code(&self) -> &'static str {
        self.code
    }

    fn text(&self, lang: Lang) -> String {
        match lang {
            Lang::En => self.english.clone(),
            Lang::Zh => self.chinese.clone(),
        }
    }
}

impl Word for Reason {
    fn word(&self, lang: Lang) -> String {
        self.text(lang)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english)
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.english)
    }
}

/// An error of a library whose types are nobody else's business, as the source of one that has a kind.
#[derive(Debug)]
pub struct Opaque(Box<dyn std::error::Error + Send + Sync>);

impl Opaque {
    /// Hides an error's type.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Opaque {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl Word for Opaque {
    fn word(&self, _: Lang) -> String {
        self.to_string()
    }
}
