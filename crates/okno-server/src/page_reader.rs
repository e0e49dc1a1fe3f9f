//! Pages of files are drawn and measured in another process: a file that makes its renderer abort, take all memory or
//! never end costs that process, not the server.
//!
//! The process is this program (`okno read-page`), with a limit on memory. The file comes to its standard input, with
//! the text of the page before it; the answer is taken from its standard output, up to a limit.

use okno::deadline;
use okno::load::{BoundedCommand, PageFailure};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::ops::Range;
use std::time::Duration;
use utoipa::ToSchema;

/// A rectangle on a page, in shares of the page's width and height, from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PageMark {
    /// The left edge, 0 to 1.
    pub left: f64,
    /// The upper edge, 0 to 1.
    pub top: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// Where a span is on a page, as the process says it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct MeasuredSpan {
    pub boxes: Vec<PageMark>,
    pub letters: usize,
    pub found: usize,
}

/// Draws and measures pages in another process.
#[derive(Debug, Clone)]
pub struct PageReader {
    command: BoundedCommand,
    draws: bool,
}

impl PageReader {
    /// Reads pages with a command that may take this long; `draws` says whether it can draw them.
    pub fn new(command: Vec<OsString>, time: Duration, draws: bool) -> Self {
        Self { command: BoundedCommand { command, time }, draws }
    }

    /// Whether pages can be drawn.
    pub fn draws(&self) -> bool {
        self.draws
    }

    /// A picture of a page, as PNG.
    pub(crate) fn picture(&self, file: &[u8], page: usize, width: u32) -> Result<Vec<u8>, PageFailure> {
        let picture = self.run(&["picture".into(), page.to_string(), width.to_string()], "", file)?;
        if picture.starts_with(b"\x89PNG") { Ok(picture) } else { Err(PageFailure::Ended) }
    }

    /// Where a span of the text of a page is on the page.
    pub(crate) fn marks(
        &self,
        file: &[u8],
        page: usize,
        text: &str,
        span: &Range<usize>,
    ) -> Result<MeasuredSpan, PageFailure> {
        let arguments = ["marks".into(), page.to_string(), span.start.to_string(), span.end.to_string()];
        let answer = self.run(&arguments, text, file)?;
        serde_json::from_slice(&answer).map_err(|_| PageFailure::Ended)
    }

    /// Sends the length of the text as eight bytes, the text and the file.
    fn run(&self, arguments: &[String], text: &str, file: &[u8]) -> Result<Vec<u8>, PageFailure> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let length = (text.len() as u64).to_le_bytes();
        let input = [&length[..], text.as_bytes(), file];
        let answer = self.command.run(&arguments, &input, || deadline::check().is_err());
        answer.map_err(|failure| PageFailure::of(&failure, self.command.time.as_secs()))
    }
}
