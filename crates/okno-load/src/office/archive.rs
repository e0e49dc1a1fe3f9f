//! The parts of an archive, by name, within bounds: a small file must not inflate to fill the memory.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::super::{DamagedPart, SkipReason};
use super::damaged;
use okno_document::message::Bytes;

/// One part; chosen, well above the XML of a long book.
const LARGEST_PART: u64 = 128 << 20;
/// All parts that are read; chosen with the memory of a small machine in mind.
const LARGEST_WHOLE: u64 = 256 << 20;
/// More parts are no document.
const MOST_PARTS: usize = 50_000;

/// An open archive.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
}

impl<'a> Archive<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, SkipReason> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| damaged(DamagedPart::Archive { words: error.to_string() }))?;
        if zip.len() > MOST_PARTS {
            return Err(SkipReason::TooManyParts { parts: zip.len(), limit: MOST_PARTS });
        }
        Ok(Self { zip, left: LARGEST_WHOLE })
    }

    /// Whether there is a part of this name.
    pub fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// The names of all parts.
    pub fn names(&self) -> Vec<String> {
        self.zip.file_names().flatten().map(std::borrow::Cow::into_owned).collect()
    }

    /// The text of a part; nothing when there is none, or when it is too large or damaged.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.read(name).ok().map(|bytes| decoded(&bytes))
    }

    /// The text of a part that must be there.
    pub fn required(&mut self, name: &str) -> Result<String, SkipReason> {
        self.read(name).map(|bytes| decoded(&bytes))
    }

    /// The bytes of a part.
    pub fn read(&mut self, name: &str) -> Result<Vec<u8>, SkipReason> {
        let unreadable = |words: String| damaged(DamagedPart::Part { name: name.to_owned(), words });
        let file = self.zip.by_name(name).map_err(|error| unreadable(error.to_string()))?;
        if file.encrypted() {
            return Err(SkipReason::Encrypted);
        }
        let limit = LARGEST_PART.min(self.left);
        let mut bytes = Vec::new();
        let read = file.take(limit + 1).read_to_end(&mut bytes);
        self.left = self.left.saturating_sub(bytes.len() as u64);
        if bytes.len() as u64 > limit {
            return Err(too_large());
        }
        // A part that is cut short still has a beginning.
        if bytes.is_empty() {
            read.map_err(|error| unreadable(error.to_string()))?;
        }
        Ok(bytes)
    }

    /// Inflates every part once, and keeps none: for readers that do not ask how much there is.
    pub fn check(&mut self) -> Result<(), SkipReason> {
        for at in 0..self.zip.len() {
            let Ok(file) = self.zip.by_index(at) else { continue };
            let read = std::io::copy(&mut file.take(self.left + 1), &mut std::io::sink()).unwrap_or(0);
            self.left = self.left.checked_sub(read).ok_or_else(too_large)?;
        }
        Ok(())
    }
}

fn too_large() -> SkipReason {
    SkipReason::Inflates { limit: Bytes(LARGEST_WHOLE) }
}

/// XML in UTF-8 or, rarely, UTF-16.
fn decoded(bytes: &[u8]) -> String {
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, mark)) => encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}
