//! The checksums of a stored document: whether its bytes are those that were written.
//!
//! They stand in a table of their own, so that documents keep the form they always had: one sum for what is in front
//! of the vectors (lengths, record, sentences), one for the derived texts, one for each of the two sets of vectors,
//! and one for every [`BLOCK`] bytes of the text. What is in front and the derived texts are checked when an index is
//! opened, because everything else is laid out by them; the text is checked by its hash when it is first asked for, and
//! again, block by block, where a part of it is returned, because the file may change while it is open; vectors only
//! when an index is checked as a whole or copied: they rank, and nothing of them is returned.

use super::blob::{self, StoredParts};
use crate::document::Span;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of text under one sum: a returned passage is seldom longer, and a sum for each takes a fifth of a percent.
const BLOCK: usize = 4096;

/// Sums in front of those of the text.
const FIXED: usize = 4;

/// The sums of a packed document; `None` when the bytes cannot be one.
pub fn of(bytes: &[u8]) -> Option<Vec<u8>> {
    let parts = blob::stored_parts(bytes)?;
    let blocks = parts.text.chunks(BLOCK).map(xxh3_64);
    Some(fixed(&parts).into_iter().chain(blocks).flat_map(u64::to_le_bytes).collect())
}

fn fixed(parts: &StoredParts<'_>) -> [u64; FIXED] {
    [parts.front, parts.derived, parts.vectors, parts.derived_vectors].map(xxh3_64)
}

/// Stored sums, read in place.
#[derive(Debug, Clone, Copy)]
pub struct Sums<'a>(&'a [u8]);

impl<'a> Sums<'a> {
    /// The sums that [`of`] made.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes that they were read from.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    fn get(self, at: usize) -> Option<u64> {
        let bytes = self.0.get(at * 8..at * 8 + 8)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }

    /// Whether everything but text and vectors is as it was written.
    pub fn fit_layout(self, parts: &StoredParts<'_>) -> bool {
        self.get(0) == Some(xxh3_64(parts.front)) && self.get(1) == Some(xxh3_64(parts.derived))
    }

    /// Whether the vectors are as they were written.
    pub fn fit_vectors(self, parts: &StoredParts<'_>) -> bool {
        self.get(2) == Some(xxh3_64(parts.vectors)) && self.get(3) == Some(xxh3_64(parts.derived_vectors))
    }

    /// Whether the blocks of a text that hold a part of this span are as they were written; of one that is compressed,
    /// all blocks.
    pub fn fit_text(self, parts: &StoredParts<'_>, span: Span) -> bool {
        let text = parts.text;
        let span = if parts.is_compressed { Span::new(0, text.len()) } else { span };
        let blocks = span.start as usize / BLOCK..(span.end as usize).div_ceil(BLOCK);
        let fits = |(at, block): (usize, &[u8])| self.get(FIXED + at) == Some(xxh3_64(block));
        text.chunks(BLOCK).enumerate().skip(blocks.start).take(blocks.len()).all(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::contract::{DIMENSIONS, document};

    #[test]
    fn every_changed_byte_is_noticed_where_it_belongs() {
        for (times, is_compressed) in [(700, true), (7000, false)] {
            every_change_is_noticed(&"A sentence of many. ".repeat(times), is_compressed);
        }
    }

    fn every_change_is_noticed(text: &str, is_compressed: bool) {
        let bytes = blob::write(&document("a", text), DIMENSIONS).unwrap();
        let sums = of(&bytes).unwrap();
        let sums = Sums::new(&sums);
        let whole = Span::new(0, text.len());
        let fits = |bytes: &[u8], span: Span| {
            let Some(parts) = blob::stored_parts(bytes) else { return false };
            sums.fit_layout(&parts) && sums.fit_vectors(&parts) && sums.fit_text(&parts, span)
        };
        assert!(fits(&bytes, whole));
        assert_eq!(blob::stored_parts(&bytes).unwrap().is_compressed, is_compressed);
        for at in (0..bytes.len()).step_by(97) {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert!(!fits(&changed, whole), "byte {at}");
        }
        if is_compressed {
            return;
        }
        let start = blob::stored_parts(&bytes).unwrap().text.as_ptr() as usize - bytes.as_ptr() as usize;
        let mut changed = bytes.clone();
        changed[start + BLOCK + 10] ^= 4;
        assert!(fits(&changed, Span::new(0, BLOCK)), "another block");
        assert!(!fits(&changed, Span::new(BLOCK - 1, BLOCK + 1)));
    }
}
