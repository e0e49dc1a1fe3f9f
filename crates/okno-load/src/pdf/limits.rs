//! What one file may cost: no PDF runs for ever.

use std::time::{Duration, Instant};

/// Drawing operations of a document: chosen, far above what a document of text needs, and reached in seconds.
const OPERATIONS: usize = 50_000_000;
/// Letters of a document: chosen, several times the longest novels.
const GLYPHS: usize = 30_000_000;
/// Time for a document, in case that the counts are not enough: fonts may be slow to read.
const TIME: Duration = Duration::from_mins(1);

/// Letters of a page: a map has a tenth of them.
const PAGE_GLYPHS: usize = 2_000_000;
/// Pieces of lines of a document, each of which takes a hundred bytes and its text.
const FRAGMENTS: usize = 4_000_000;
/// Bytes of the content of one page that is made of several parts.
const CONTENT: usize = 128 << 20;

/// Images that are taken out: a scanned book of this many pages is a shelf.
const PICTURES: usize = 2000;
/// Bytes of all of them. The same image may be drawn on every page.
const PICTURE_BYTES: usize = 256 << 20;

/// Bytes of comments and values of fields: the same one may be named by every page.
const WORDS: usize = 16 << 20;

/// What is left of them.
#[derive(Debug)]
pub(super) struct PdfLimits {
    operations: usize,
    glyphs: usize,
    page_glyphs: usize,
    fragments: usize,
    pictures: usize,
    picture_bytes: usize,
    words: usize,
    until: Instant,
    pub exceeded: bool,
}

impl PdfLimits {
    pub fn new() -> Self {
        Self {
            operations: OPERATIONS,
            glyphs: GLYPHS,
            page_glyphs: PAGE_GLYPHS,
            fragments: FRAGMENTS,
            pictures: PICTURES,
            picture_bytes: PICTURE_BYTES,
            words: WORDS,
            until: Instant::now() + TIME,
            exceeded: false,
        }
    }

    /// Whether another operation may be read.
    pub fn operation(&mut self) -> bool {
        self.operations = self.operations.saturating_sub(1);
        // The clock costs more than most operations.
        let late = self.operations.is_multiple_of(4096) && Instant::now() > self.until;
        self.exceeded |= self.operations == 0 || late;
        !self.exceeded
    }

    /// Whether another image may be taken out. Beyond the limit they are left where they are; the text is still read.
    pub fn picture(&mut self) -> bool {
        self.pictures = self.pictures.saturating_sub(1);
        self.pictures > 0 && Instant::now() < self.until
    }

    /// Whether an image of this size may be kept.
    pub fn picture_of(&mut self, bytes: usize) -> bool {
        let left = self.picture_bytes.checked_sub(bytes);
        self.picture_bytes = left.unwrap_or(self.picture_bytes);
        left.is_some()
    }

    /// Whether so many bytes of words that are not drawn may be kept. Beyond the limit they are left out.
    pub fn words(&mut self, bytes: usize) -> bool {
        let left = self.words.checked_sub(bytes);
        self.words = left.unwrap_or(self.words);
        left.is_some()
    }

    /// A page begins.
    pub fn page(&mut self) {
        self.page_glyphs = PAGE_GLYPHS;
    }

    /// Whether content of this length may be read.
    pub fn content(&mut self, length: usize) -> bool {
        self.exceeded |= length > CONTENT;
        !self.exceeded
    }

    /// Takes note of the pieces of lines of a page.
    pub fn fragments(&mut self, count: usize) {
        self.fragments = self.fragments.saturating_sub(count);
        self.exceeded |= self.fragments == 0;
    }

    /// Whether another letter may be read.
    pub fn glyph(&mut self) -> bool {
        self.glyphs = self.glyphs.saturating_sub(1);
        self.page_glyphs = self.page_glyphs.saturating_sub(1);
        self.exceeded |= self.glyphs == 0 || self.page_glyphs == 0;
        !self.exceeded
    }
}
