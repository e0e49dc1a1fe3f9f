//! What every [`Loader`] must do: one suite, run by each implementation, by the tests of ours and by the fuzzer.
//!
//! In comes a loader with a file's name and bytes, out comes what it made of them – after every law was asked: blocks
//! ordered, disjoint, not empty, on character boundaries and covering every non-blank character; pages in order from
//! the first byte; images inside the text; the same bytes, the same documents. An error is an answer; a panic is not,
//! nor one that was caught.

use super::{Loaded, Loader, Sink, SkipReason, Source};
use okno_document::Block;

/// What a loader gave: documents, and each place that was left out with its reason.
#[derive(Debug, Default)]
pub struct Collected {
    /// The documents, in order; each keeps the laws.
    pub documents: Vec<Loaded>,
    /// Places and reasons.
    pub skipped: Vec<(String, SkipReason)>,
}

impl Sink for Collected {
    fn document(&mut self, loaded: Loaded) {
        assert_blocks(&loaded.text, &loaded.blocks);
        assert_places(&loaded);
        self.documents.push(loaded);
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        let internal = matches!(reason, SkipReason::InternalError { .. } | SkipReason::PartsFailed { .. });
        assert!(!internal, "{place}: {reason}");
        self.skipped.push((place.to_owned(), reason));
    }
}

/// Asks every law of one file.
pub fn check(loader: &dyn Loader, name: &str, content: &[u8]) -> Collected {
    let once = load(loader, name, content);
    assert_eq!(once.documents, load(loader, name, content).documents, "{name}: not deterministic");
    once
}

/// Loads content with one loader and asks the laws of what comes; an error counts as skipped.
pub fn load(loader: &dyn Loader, name: &str, content: &[u8]) -> Collected {
    let mut collected = Collected::default();
    if let Err(reason) = loader.load(&Source::memory(name, content), &mut collected) {
        collected.skip(name, reason);
    }
    collected
}

/// Blocks are ordered, disjoint, not empty, on character boundaries, and cover every non-blank character.
fn assert_blocks(text: &str, blocks: &[Block]) {
    let mut at = 0;
    for block in blocks {
        let range = block.span.range();
        assert!(range.start >= at && range.end > range.start, "{block:?} after {at}");
        assert!(text[at..range.start].trim().is_empty(), "not covered: {:?}", &text[at..range.start]);
        at = range.end;
    }
    assert!(text[at..].trim().is_empty(), "not covered: {:?}", &text[at..]);
}

/// Pages begin at the beginning, in order, on character boundaries; images stand in the text.
fn assert_places(loaded: &Loaded) {
    assert!(loaded.pages.first().is_none_or(|page| page.start == 0), "{:?}", loaded.pages);
    assert!(loaded.pages.is_sorted_by_key(|page| page.start), "{:?}", loaded.pages);
    assert!(loaded.pages.iter().all(|page| loaded.text.is_char_boundary(page.start as usize)), "{:?}", loaded.pages);
    for image in &loaded.images {
        assert!(loaded.text.get(image.span.range()).is_some(), "{image:?}");
    }
}
