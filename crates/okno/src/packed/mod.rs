//! Flat files, read in place. A packer writes them once (`models/pack.py`, `models/pack_wordpiece.py`); here they are
//! only looked at: opening checks the header and the bounds of the sections and costs about a microsecond, whatever
//! the size.
//!
//! What comes in is bytes from anywhere: built into the binary, a vector, a memory map. Nothing in them is trusted.
//! Numbers are read from little-endian bytes where they lie (one unaligned load on the machines we build for), every
//! access is checked, so damaged bytes give wrong answers or an error, never a panic. No byte order of the host, no
//! copy. Rows of numbers that this machine keeps for itself are in [`series`], [`groups`] and [`short_words`].

mod char_table;
pub(crate) mod groups;
pub(crate) mod series;
pub(crate) mod short_words;
mod specials;
mod trie;

use std::ops::Range;

pub(crate) use char_table::{CharEntry, CharKind, CharTable, class_of};
pub(crate) use specials::{Specials, TextOrSpecial};
pub(crate) use trie::Trie;

const MAGIC: usize = 8;
const IDENTITY: Range<usize> = 16..32;
const TABLE: usize = 32;

/// Why bytes are not the packed file they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum PackedError {
    /// The first bytes name another kind of file.
    #[error("not a `{expected}` file: it begins with `{got}`")]
    Kind { expected: String, got: String },
    /// Written by another version of the packer.
    #[error("`{kind}` file of version {got}, this program reads version {expected}; pack the model again")]
    Version { kind: String, expected: u32, got: u32 },
    /// The file ends before its header or a section does.
    #[error("`{kind}` file is cut short: {what} should end at byte {end}, the file has {size}")]
    Short { kind: String, what: String, end: u64, size: usize },
    /// Sections that contradict each other.
    #[error("`{kind}` file is damaged: {what} has {got} bytes, expected {expected}")]
    Shape { kind: String, what: &'static str, expected: u64, got: usize },
}

/// A packed file of `N` sections, with whatever owns its bytes.
pub(crate) struct PackedFile<const N: usize> {
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
    sections: [Range<usize>; N],
    kind: &'static str,
    identity: [u8; 16],
}

impl<const N: usize> PackedFile<N> {
    /// Checks magic, version and the bounds of all sections.
    pub fn open(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
        kind: &'static str,
        version: u32,
    ) -> Result<Self, PackedError> {
        let data = bytes.as_ref();
        check_magic(data, kind)?;
        let table_end = TABLE + 16 * N;
        let header = data.get(..table_end).ok_or_else(|| short(kind, "the header", table_end as u64, data.len()))?;
        let got = u32_at(header, MAGIC);
        if got != version {
            return Err(PackedError::Version { kind: kind.into(), expected: version, got });
        }
        let sections = read_sections::<N>(header, kind, data.len())?;
        let mut identity = [0; 16];
        identity.copy_from_slice(&header[IDENTITY]);
        Ok(Self { bytes: Box::new(bytes), sections, kind, identity })
    }

    /// The bytes of one section. `AsRef` could in theory answer differently each time; then the section is empty.
    pub fn section(&self, number: usize) -> &[u8] {
        (*self.bytes).as_ref().get(self.sections[number].clone()).unwrap_or_default()
    }

    /// The same as an array of `u32`, in little-endian bytes.
    pub fn words(&self, number: usize) -> &[[u8; 4]] {
        self.section(number).as_chunks().0
    }

    /// Fails unless a section has exactly this many bytes.
    pub fn expect_size(&self, number: usize, what: &'static str, expected: u64) -> Result<(), PackedError> {
        let got = self.section(number).len();
        if got as u64 == expected {
            return Ok(());
        }
        Err(PackedError::Shape { kind: self.kind.into(), what, expected, got })
    }

    /// The content hash the packer wrote, in hexadecimal. It is not checked against the content: that would read all
    /// of it.
    pub fn identity(&self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.identity))
    }
}

fn check_magic(data: &[u8], kind: &str) -> Result<(), PackedError> {
    if data.starts_with(kind.as_bytes()) {
        return Ok(());
    }
    let got = data[..data.len().min(MAGIC)].escape_ascii().to_string();
    Err(PackedError::Kind { expected: kind.into(), got })
}

fn read_sections<const N: usize>(header: &[u8], kind: &str, size: usize) -> Result<[Range<usize>; N], PackedError> {
    let mut sections = [const { 0..0 }; N];
    for (number, section) in sections.iter_mut().enumerate() {
        let at = TABLE + 16 * number;
        let (start, length) = (u64_at(header, at), u64_at(header, at + 8));
        let end = start.saturating_add(length);
        if end > size as u64 {
            return Err(short(kind, &format!("section {number}"), end, size));
        }
        *section = start as usize..end as usize;
    }
    Ok(sections)
}

fn short(kind: &str, what: &str, end: u64, size: usize) -> PackedError {
    PackedError::Short { kind: kind.into(), what: what.into(), end, size }
}

/// The number at a byte offset, 0 where the bytes end.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|slice| slice.try_into().ok()).map_or(0, u32::from_le_bytes)
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|slice| slice.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut bytes = b"testkind".to_vec();
        bytes.extend(7u32.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend([0xAB; 16]);
        bytes.extend(64u64.to_le_bytes());
        bytes.extend(4u64.to_le_bytes());
        bytes.resize(64, 0);
        bytes.extend(b"data");
        bytes
    }

    #[test]
    fn a_section_is_found() {
        let file = PackedFile::<1>::open(sample(), "testkind", 7).unwrap();
        assert_eq!(file.section(0), b"data");
        assert_eq!(file.identity(), "ab".repeat(16));
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let open =
            |bytes: Vec<u8>, version| PackedFile::<1>::open(bytes, "testkind", version).err().unwrap().to_string();
        assert_eq!(open(b"PK\x03\x04".to_vec(), 7), "not a `testkind` file: it begins with `PK\\x03\\x04`");
        assert!(open(sample(), 8).contains("version 7, this program reads version 8"));
        assert!(open(sample()[..67].to_vec(), 7).contains("section 0 should end at byte 68, the file has 67"));
        let mut huge = sample();
        huge[40..48].fill(0xFF);
        assert!(open(huge, 7).contains("cut short"));
    }
}
