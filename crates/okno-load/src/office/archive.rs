//! The parts of an archive, by name, within bounds: a small file must not inflate to fill the memory.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::super::{DamagedPart, SkipReason};
use super::damaged;
use super::xml::{relations, resolved};
use okno_document::message::Bytes;

/// One part; chosen, well above the XML of a long book.
const LARGEST_PART: u64 = 128 << 20;
/// All parts that are read; chosen with the memory of a small machine in mind.
const LARGEST_WHOLE: u64 = 256 << 20;
/// Shared strings of a workbook, and elements of their table: each string may take 24 bytes before its first letter.
const MOST_STRINGS: usize = 12_000_000;
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
        self.read(name).ok().map(decoded)
    }

    /// The text of a part that must be there.
    pub fn required(&mut self, name: &str) -> Result<String, SkipReason> {
        self.read(name).map(decoded)
    }

    /// The targets of a part's relations, by their ids, as they are written.
    pub fn relations_of(&mut self, part: &str) -> HashMap<String, String> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        self.text(&format!("{folder}/_rels/{file}.rels")).map(|xml| relations(&xml)).unwrap_or_default()
    }

    /// The parts that a part is related to and whose names hold these letters, in their order.
    pub fn targets_of(&mut self, part: &str, holding: &str) -> Vec<String> {
        let (folder, _) = part.rsplit_once('/').unwrap_or(("", part));
        let targets = self.relations_of(part).into_values().filter(|target| target.contains(holding));
        let mut targets: Vec<String> = targets.map(|target| resolved(folder, &target)).collect();
        targets.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        targets.dedup();
        targets
    }

    /// The bytes of a part.
    pub fn read(&mut self, name: &str) -> Result<Vec<u8>, SkipReason> {
        let unreadable = |words: String| damaged(DamagedPart::Part { name: name.to_owned(), words });
        let file = self.zip.by_name(name).map_err(|error| unreadable(error.to_string()))?;
        if file.encrypted() {
            return Err(SkipReason::Encrypted);
        }
        let limit = LARGEST_PART.min(self.left);
        // What a part says of its size is believed only where it is too much.
        if file.size() > limit {
            return Err(too_large());
        }
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
            let shared = file.name().is_ok_and(|name| name.to_ascii_lowercase().ends_with("sharedstrings.xml"));
            let mut part = PartSummary { strings: shared.then(StringCount::default), ..PartSummary::default() };
            // What is damaged inside inflates as far as it goes.
            let _ = std::io::copy(&mut file.take(self.left + 1), &mut part);
            self.left = self.left.checked_sub(part.length).ok_or_else(too_large)?;
            let claimed = part.strings.map_or(0, |strings| strings.most);
            if shared && (claimed.max(part.elements) > MOST_STRINGS || claimed > part.elements * 2 + 1000) {
                return Err(SkipReason::TooManyCells { limit: MOST_STRINGS });
            }
        }
        Ok(())
    }
}

/// What is kept of a part that is only looked at.
#[derive(Default)]
struct PartSummary {
    length: u64,
    /// Signs that begin an element, or end one.
    elements: usize,
    /// Where it is a table of strings.
    strings: Option<StringCount>,
}

impl std::io::Write for PartSummary {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.length += bytes.len() as u64;
        self.elements += memchr::memchr_iter(b'<', bytes).count();
        self.strings.iter_mut().for_each(|strings| strings.read(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// How many strings a table says that it has, at most: room is made for them before the first is read. The number may
/// stand anywhere, and more than once.
#[derive(Default)]
struct StringCount {
    most: usize,
    /// The letters of its name that were read, and the digits behind it.
    matched: usize,
    number: Option<usize>,
}

impl StringCount {
    const NAME: &[u8] = b"uniqueCount";

    fn read(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match Self::NAME.get(self.matched) {
                Some(letter) if byte == *letter => self.matched += 1,
                // A name stands behind white space, so that no other beginning of it is missed.
                Some(_) => self.matched = usize::from(byte == Self::NAME[0]),
                None => self.digit(byte),
            }
        }
    }

    /// What stands behind the name: a number, and something else behind it.
    fn digit(&mut self, byte: u8) {
        match (byte.is_ascii_digit(), self.number) {
            (true, number) => {
                let value = usize::from(byte - b'0');
                let number = number.unwrap_or(0).saturating_mul(10).saturating_add(value);
                self.number = Some(number);
                self.most = self.most.max(number);
            }
            (false, Some(_)) => *self = Self { most: self.most, ..Self::default() },
            (false, None) => {}
        }
    }
}

fn too_large() -> SkipReason {
    SkipReason::Inflates { limit: Bytes(LARGEST_WHOLE) }
}

/// XML in UTF-8 or, rarely, UTF-16.
fn decoded(bytes: Vec<u8>) -> String {
    match encoding_rs::Encoding::for_bom(&bytes) {
        Some((encoding, mark)) => encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned(),
        None => String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}
