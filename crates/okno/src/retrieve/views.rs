//! What the pure middle knows of the documents that were hit.
//!
//! Their sentences, and their texts as far as somebody looks at them: of most hits, which may be in hundreds of
//! documents, nobody does. Where a text cannot be read there are blanks in its place, and the answer that was made from
//! them is not given ([`refuse_unread`]).

use super::fuse::Hit;
use crate::document::{self, Span, Structure};
use crate::store::{DocumentNumber, DocumentText, Snapshot};
use crate::{Error, Result};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// What the pure middle knows of a document.
#[derive(Debug)]
pub struct View<'s> {
    /// Its sentences.
    pub structure: Arc<Structure>,
    /// Its text.
    pub text: ViewText<'s>,
}

/// The documents that were hit.
pub type Views<'s> = FxHashMap<DocumentNumber, View<'s>>;

/// The documents of these hits.
pub fn views<'s>(snapshot: &'s dyn Snapshot, hits: &[Hit]) -> Result<Views<'s>> {
    let documents: BTreeSet<DocumentNumber> = hits.iter().map(|hit| hit.run.document).collect();
    snapshot.expect(&documents.iter().copied().collect::<Vec<_>>())?;
    let view = |number| {
        let structure = snapshot.structure(number)?;
        let unread = UnreadText { snapshot, number, structure: Arc::clone(&structure) };
        let text = ViewText { read: OnceLock::new(), unread: Some(unread), failed: OnceLock::new() };
        Ok((number, View { structure, text }))
    };
    documents.into_iter().map(view).collect()
}

/// The same documents with the characters of each sentence in place of its tokens, blanks up to the next one
/// included; and how many characters a token has there.
pub fn in_characters(mut views: Views<'_>) -> (Views<'_>, f32) {
    let (mut tokens, mut characters) = (0, 0);
    for view in views.values_mut() {
        let structure = Arc::make_mut(&mut view.structure);
        let costs = document::characters(&view.text, structure.sentences.iter().map(|sentence| sentence.span));
        for (sentence, cost) in structure.sentences.iter_mut().zip(costs) {
            tokens += u64::from(std::mem::replace(&mut sentence.tokens, cost as u32));
            characters += cost as u64;
        }
    }
    (views, (characters as f32 / tokens.max(1) as f32).max(1.0))
}

/// Fails where a text that somebody looked at could not be read.
pub fn refuse_unread(views: Views<'_>) -> Result<()> {
    let failed = views.into_values().find_map(|view| view.text.failed.into_inner());
    failed.map_or(Ok(()), Err)
}

/// The text of a document, read when somebody first looks at it.
pub struct ViewText<'s> {
    read: OnceLock<DocumentText<'s>>,
    unread: Option<UnreadText<'s>>,
    failed: OnceLock<Error>,
}

/// Where a text is.
struct UnreadText<'s> {
    snapshot: &'s dyn Snapshot,
    number: DocumentNumber,
    structure: Arc<Structure>,
}

impl<'s> ViewText<'s> {
    fn read(&self) -> DocumentText<'s> {
        let Some(UnreadText { snapshot, number, structure }) = &self.unread else { return "".into() };
        snapshot.text(*number).unwrap_or_else(|error| {
            // Nobody else has set it: this is called once.
            let _ = self.failed.set(error);
            DocumentText::Shared(" ".repeat(end_of(structure)).into())
        })
    }
}

/// Where the last of what a structure speaks of ends.
fn end_of(structure: &Structure) -> usize {
    let headings = structure.sections.iter().flat_map(|section| &section.path).copied();
    let spans = structure.sentences.iter().map(|sentence| sentence.span).chain(headings);
    spans.map(|span: Span| span.range().end).max().unwrap_or(0)
}

impl Deref for ViewText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.read.get_or_init(|| self.read())
    }
}

impl fmt::Debug for ViewText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.read.get().fmt(f)
    }
}

impl<'s> From<&'s str> for ViewText<'s> {
    fn from(text: &'s str) -> Self {
        Self { read: OnceLock::from(DocumentText::from(text)), unread: None, failed: OnceLock::new() }
    }
}
