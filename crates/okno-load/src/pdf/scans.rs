//! Pages that show images and no letters come in; out goes the text that is read in them.
//!
//! A page that is one image, as it was taken out, is read from that image. Any other – an image that is not taken out,
//! several of them, one that is shown turned – is drawn first, if the reader can have pages drawn, and read from the
//! drawing.

use std::time::{Duration, Instant};

use super::super::{ImageReader, PageFailure};
use super::placing::PageExtras;

/// What drawing the pages of a file may take beside the time for each: a few that are given up.
const TIME: Duration = Duration::from_mins(1);
/// What each page may take in the mean: a colour scan of 600 dots per inch takes as long on a busy machine.
const PAGE_TIME: Duration = Duration::from_secs(5);
/// Pages that time is given for: those of the longest scanned books.
const TIMED_PAGES: usize = 2000;

/// Reads the pages of one file.
pub(super) struct ScanReader<'r> {
    pdf: &'r [u8],
    reader: &'r dyn ImageReader,
    /// What is left of the time for drawing, and all of it.
    left: Duration,
    all: Duration,
}

/// What a page gave.
#[derive(Debug, PartialEq)]
pub(super) enum ScannedPage {
    /// The text of the drawn page.
    Drawn(String),
    /// The texts of its images, where they have any.
    Images(Vec<Option<String>>),
    /// Nothing, because nobody draws pages.
    NoDrawer,
    /// Nothing, because it was not drawn.
    NotDrawn(PageFailure),
}

impl<'r> ScanReader<'r> {
    pub fn new(pdf: &'r [u8], pages: usize, reader: &'r dyn ImageReader) -> Self {
        let all = TIME + PAGE_TIME * pages.min(TIMED_PAGES) as u32;
        Self { pdf, reader, left: all, all }
    }

    /// Reads a page, counted from 0.
    pub fn read(&mut self, at: usize, page: &PageExtras) -> ScannedPage {
        let drawn = if page.is_one_image() { None } else { self.drawn(at) };
        match drawn {
            Some(Ok(Some(text))) => return ScannedPage::Drawn(text),
            Some(Err(failure)) if page.pictures.is_empty() => return ScannedPage::NotDrawn(failure),
            None if page.pictures.is_empty() => return ScannedPage::NoDrawer,
            _ => {}
        }
        ScannedPage::Images(page.pictures.iter().map(|picture| self.reader.read(&picture.bytes)).collect())
    }

    /// What is read on a drawn page; `None` if nobody draws pages.
    fn drawn(&mut self, at: usize) -> Option<Result<Option<String>, PageFailure>> {
        let drawer = self.reader.page_drawer()?;
        if self.left.is_zero() {
            return Some(Err(PageFailure::TooLong { seconds: self.all.as_secs() }));
        }
        let begun = Instant::now();
        let picture = drawer.draw(self.pdf, at + 1);
        self.left = self.left.saturating_sub(begun.elapsed());
        Some(picture.map(|picture| self.reader.read(&picture)))
    }
}
