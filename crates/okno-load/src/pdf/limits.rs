//! What one file may cost: no PDF runs for ever.

use std::time::{Duration, Instant};

/// Drawing operations of a document: chosen, far above what a document of text needs, and reached in seconds.
const OPERATIONS: usize = 50_000_000;
/// Letters of a document: chosen, several times the longest novels.
const GLYPHS: usize = 30_000_000;
/// Time for a document, in case that the counts are not enough: fonts may be slow to read.
const TIME: Duration = Duration::from_mins(1);

/// Images that are taken out: a scanned book of this many pages is a shelf.
const PICTURES: usize = 2000;

/// What is left of them.
#[derive(Debug)]
pub(super) struct Limits {
    operations: usize,
    glyphs: usize,
    pictures: usize,
    until: Instant,
    pub exceeded: bool,
}

impl Limits {
    pub fn new() -> Self {
        Self {
            operations: OPERATIONS,
            glyphs: GLYPHS,
            pictures: PICTURES,
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

    /// Whether another letter may be read.
    pub fn glyph(&mut self) -> bool {
        self.glyphs = self.glyphs.saturating_sub(1);
        self.exceeded |= self.glyphs == 0;
        !self.exceeded
    }
}
