//! Documents that gave little text for their size: they are read, and nobody should take them for read.

use super::left_out::LeftOut;
use super::{Sink, SkipReason, Source};
use okno_document::message::Bytes;
use okno_document::{Loaded, Value};

/// Smaller files hold little anyway.
const LEAST_SIZE: u64 = 256 << 10;
/// One letter in so many bytes is little. A page of text in PDF takes 50 bytes for a letter with its fonts, a
/// presentation of photographs 5,000; chosen between.
const BYTES_PER_LETTER: u64 = 2000;
/// Letters that are enough for any file that is read at once; more need not be counted.
const ENOUGH: usize = (super::MAX_FILE_SIZE / BYTES_PER_LETTER) as usize * 2;
/// Fewer pages are seen at once.
const LEAST_PAGES: usize = 4;
/// Kinds of documents that people write as text. Pictures and recordings are found by their names.
const WRITTEN: [&str; 11] = ["pdf", "doc", "docx", "ppt", "pptx", "odt", "odp", "xlsx", "ods", "epub", "rtf"];

/// Passes on what a loader gives, and counts it.
pub(super) struct Watched<'s> {
    out: &'s mut dyn Sink,
    documents: usize,
    letters: usize,
    written: bool,
    pages: usize,
    pages_with_text: usize,
    told: bool,
}

impl<'s> Watched<'s> {
    pub fn new(out: &'s mut dyn Sink) -> Self {
        Self { out, documents: 0, letters: 0, written: false, pages: 0, pages_with_text: 0, told: false }
    }

    /// What to say about a file that gave one document, and little of it.
    pub fn little_text(&self, source: &Source<'_>) -> Option<SkipReason> {
        if self.told || self.documents != 1 || !self.written {
            return None;
        }
        if self.pages >= LEAST_PAGES && self.pages_with_text * 2 < self.pages {
            return Some(SkipReason::FewPages { read: self.pages_with_text, pages: self.pages });
        }
        let size = match source.content {
            Some(content) => content.len() as u64,
            None => source.path.metadata().map_or(0, |about| about.len()),
        };
        let little = size >= LEAST_SIZE && (self.letters as u64).saturating_mul(BYTES_PER_LETTER) < size;
        little.then_some(SkipReason::LittleText { letters: self.letters, size: Bytes(size) })
    }

    fn count(&mut self, loaded: &Loaded) {
        self.documents += 1;
        self.letters += loaded.text.chars().filter(|c| c.is_alphanumeric()).take(ENOUGH).count();
        self.written =
            matches!(loaded.metadata.get("type"), Some(Value::Text(kind)) if WRITTEN.contains(&kind.as_str()));
        self.pages = loaded.pages.len();
        let ends = loaded.pages.iter().skip(1).map(|page| page.start as usize).chain([loaded.text.len()]);
        let text = |(page, end): (&okno_document::Page, usize)| {
            loaded.text.get(page.start as usize..end).is_some_and(|text| text.contains(char::is_alphanumeric))
        };
        self.pages_with_text = loaded.pages.iter().zip(ends).filter(|pair| text(*pair)).count();
    }
}

impl Sink for Watched<'_> {
    fn document(&mut self, loaded: Loaded) {
        // A file of many documents is a collection, and its documents were counted on their own.
        if loaded.id.is_none() {
            self.count(&loaded);
        }
        self.out.document(loaded);
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        self.told = true;
        self.out.skip(place, reason);
    }

    fn left_out(&mut self, place: &str, what: LeftOut) {
        self.out.left_out(place, what);
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::Collected;
    use super::super::rendering::Rendering;
    use super::super::{Guarded, Loader};
    use super::*;
    use okno_document::Metadata;
    use std::path::Path;

    /// Slides of which some have words.
    struct Slides(Vec<&'static str>);

    impl Loader for Slides {
        fn accepts(&self, _: &Path, _: &[u8]) -> bool {
            true
        }

        fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
            let mut rendering = Rendering::default();
            for (at, words) in self.0.iter().enumerate() {
                rendering.page((at + 1).to_string());
                rendering.paragraph(words);
            }
            out.document(rendering.finish(source, "pptx", Metadata::default())?);
            Ok(())
        }
    }

    fn reasons(slides: Vec<&'static str>, size: usize) -> Vec<SkipReason> {
        let mut got = Collected::default();
        let bytes = vec![0; size];
        Guarded::new(&Slides(slides)).load(&Source::memory("a.pptx", &bytes), &mut got).unwrap();
        assert_eq!(got.documents.len(), 1);
        got.skipped.into_iter().map(|(_, reason)| reason).collect()
    }

    #[test]
    fn little_text_is_told_beside_the_document() {
        assert_eq!(reasons(vec!["words", "", "", "", ""], 10), [SkipReason::FewPages { read: 1, pages: 5 }]);
        assert_eq!(reasons(vec!["words", "more", "more", "", ""], 10), []);
        let size = Bytes(1 << 20);
        assert_eq!(reasons(vec!["words"], 1 << 20), [SkipReason::LittleText { letters: 5, size }]);
    }
}
