//! OCR that also sees scans which cannot be taken out of their PDF: their pages are drawn by this program (`okno
//! read-page`) in a process with limits on memory and time, so that no file decides what it takes.

use crate::program::limited;
use okno::load::{BoundedCommand, ImageReader, PageDrawer, PageFailure};
use okno_models::ocr::Ocr;
use std::time::Duration;

/// How wide pages are drawn (pixels). OCR makes the longer side of an image 2,000 pixels long where it is longer: a
/// page on its side has just these, and one that stands has more, so that no drawing is coarser than what OCR looks at.
const WIDTH: u32 = 2000;
/// Bytes of memory that drawing a page may take: a page of A4 in colour, scanned with 600 dots per inch, takes a
/// quarter of it as JPEG 2000, and the largest file an eighth.
const MEMORY: u64 = 1 << 30;
/// How long drawing a page may take: painting is given up after 20 seconds.
const TIME: Duration = Duration::from_secs(30);

/// OCR with a program that draws pages.
pub struct PageOcr {
    ocr: Ocr,
    identity: String,
    command: BoundedCommand,
}

impl PageOcr {
    /// Has pages drawn by this program.
    ///
    /// # Errors
    /// When the file of this program is not known.
    pub fn new(ocr: Ocr) -> anyhow::Result<Self> {
        // What was indexed by OCR alone is read again: it lacks these pages.
        let identity = format!("{}+pages", ocr.identity());
        Ok(Self { ocr, identity, command: BoundedCommand { command: limited(MEMORY, "read-page")?, time: TIME } })
    }
}

impl ImageReader for PageOcr {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn read(&self, image: &[u8]) -> Option<String> {
        self.ocr.read(image)
    }

    fn page_drawer(&self) -> Option<&dyn PageDrawer> {
        Some(self)
    }
}

impl PageDrawer for PageOcr {
    fn draw(&self, pdf: &[u8], page: usize) -> Result<Vec<u8>, PageFailure> {
        let arguments = ["picture".into(), page.to_string().into(), WIDTH.to_string().into()];
        // No text of the page comes before the file.
        let input = [&[0; 8][..], pdf];
        let picture = self.command.run(&arguments, &input, || false);
        let picture = picture.map_err(|failure| PageFailure::of(&failure, TIME.as_secs()))?;
        if picture.starts_with(b"\x89PNG") { Ok(picture) } else { Err(PageFailure::Ended) }
    }
}
