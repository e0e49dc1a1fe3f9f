//! A segment: one file with the terms of some documents, written once and never changed.
//!
//! ```text
//! blocks     of TERMS_OF_BLOCK terms each, in ascending order: how long the entries are (u32), the entries
//!            (letters shared with the term before, the others, length of its list, bytes of its list), the lists
//! places     where each block begins (u64)
//! documents  [`SegmentDocument`] each, in the order of their rows
//! end        where places and documents begin, how many there are, how many rows; the form, a checksum of all of it
//! ```
//!
//! The checksum is compared when an index is opened, unless that was done in the very state that the files are in. What
//! is changed later is noticed where it makes no sense, and is never a panic.

use super::TermSource;
use super::error::{LexicalError, LexicalResult};
use super::postings::{put_number, read_list, take_number, write_list};
use crate::store::DocumentNumber;
use fs_err::File;
use memmap2::Mmap;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Changes whenever files do.
const FORM: u64 = u64::from_le_bytes(*b"okno:w01");

/// Terms that are found together.
const TERMS_OF_BLOCK: usize = 32;

/// The numbers at the end of a file, of eight bytes each.
const END: usize = 7;

/// The bytes of a [`SegmentDocument`].
const DOCUMENT: usize = 20;

/// A document's rows: its sentences, then its sections, then its derived texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentDocument {
    pub number: DocumentNumber,
    /// Its first row in the segment.
    pub first: u32,
    pub sentences: u32,
    pub sections: u32,
    pub derived: u32,
}

impl SegmentDocument {
    /// How many rows it has.
    pub fn rows(&self) -> u32 {
        self.sentences + self.sections + self.derived
    }

    /// What its rows hold, in order, and the number of each among its kind.
    pub fn places(&self) -> impl Iterator<Item = (TermSource, u32)> + use<> {
        use TermSource::{Body, Context, Derived};
        let kinds = [(Body, self.sentences), (Context, self.sections), (Derived, self.derived)];
        kinds.into_iter().flat_map(|(kind, count)| (0..count).map(move |at| (kind, at)))
    }
}

/// Writes a segment, term by term in ascending order.
pub struct SegmentWriter {
    path: PathBuf,
    file: BufWriter<File>,
    checksum: Xxh3,
    written: u64,
    blocks: Vec<u64>,
    terms: usize,
    last: Vec<u8>,
    entries: Vec<u8>,
    lists: Vec<u8>,
}

impl SegmentWriter {
    pub fn create(path: PathBuf) -> LexicalResult<Self> {
        Ok(Self {
            file: BufWriter::new(File::create(&path)?),
            path,
            checksum: Xxh3::new(),
            written: 0,
            blocks: Vec::new(),
            terms: 0,
            last: Vec::new(),
            entries: Vec::new(),
            lists: Vec::new(),
        })
    }

    /// Adds a term and where it is.
    pub fn put(&mut self, term: &[u8], postings: &[(u32, u32)]) -> LexicalResult<()> {
        if self.terms == TERMS_OF_BLOCK {
            self.end_block()?;
        }
        let shared = self.last.iter().zip(term).take_while(|(one, other)| one == other).count();
        let before = self.lists.len();
        write_list(postings, &mut self.lists);
        for number in [shared, term.len() - shared, postings.len(), self.lists.len() - before] {
            put_number(number as u64, &mut self.entries);
        }
        self.entries.extend(&term[shared..]);
        self.last.clear();
        self.last.extend(term);
        self.terms += 1;
        Ok(())
    }

    fn end_block(&mut self) -> LexicalResult<()> {
        if self.terms > 0 {
            self.blocks.push(self.written);
            let (entries, lists) = (std::mem::take(&mut self.entries), std::mem::take(&mut self.lists));
            self.write(&(entries.len() as u32).to_le_bytes())?;
            self.write(&entries)?;
            self.write(&lists)?;
            (self.entries, self.lists) = (entries, lists);
            self.entries.clear();
            self.lists.clear();
            self.last.clear();
            self.terms = 0;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> LexicalResult<()> {
        self.checksum.update(bytes);
        self.written += bytes.len() as u64;
        Ok(self.file.write_all(bytes)?)
    }

    /// Ends the file, and gives it to the disk.
    pub fn finish(mut self, documents: &[SegmentDocument]) -> LexicalResult<Segment> {
        self.end_block()?;
        let places = self.written;
        let blocks = std::mem::take(&mut self.blocks);
        blocks.iter().try_for_each(|at| self.write(&at.to_le_bytes()))?;
        let documents_at = self.written;
        for one in documents {
            for number in [one.number, one.first, one.sentences, one.sections, one.derived] {
                self.write(&number.to_le_bytes())?;
            }
        }
        let rows = documents.last().map_or(0, |last| last.first + last.rows());
        for number in [places, blocks.len() as u64, documents_at, documents.len() as u64, u64::from(rows), FORM] {
            self.write(&number.to_le_bytes())?;
        }
        let checksum = self.checksum.digest();
        self.file.write_all(&checksum.to_le_bytes())?;
        self.file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        Segment::open(&self.path)
    }
}

/// A segment, for reading.
pub struct Segment {
    path: PathBuf,
    map: Mmap,
    places: std::ops::Range<usize>,
    documents: std::ops::Range<usize>,
    pub rows: u32,
    checksum: u64,
}

impl Segment {
    /// Opens a file without looking at all of it.
    pub fn open(path: &Path) -> LexicalResult<Self> {
        let file = File::open(path)?;
        // SAFETY: files of segments are written once, before they are named anywhere. One that somebody changes
        // nonetheless is read with checks at every step; one that somebody makes shorter ends the process, as it does
        // for every program that maps files.
        let map = unsafe { Mmap::map(file.file())? };
        Self::read(path, map).ok_or_else(|| LexicalError::damaged(path))
    }

    fn read(path: &Path, map: Mmap) -> Option<Self> {
        let end_at = map.len().checked_sub(END * 8)?;
        let end: Vec<u64> = map[end_at..].chunks_exact(8).map(number).collect();
        let [places_at, blocks, documents_at, documents, rows, FORM, checksum] = end[..] else { return None };
        let row = |at: u64, count: u64, size: u64| {
            let end = at.checked_add(count.checked_mul(size)?)?;
            let row = usize::try_from(at).ok()?..usize::try_from(end).ok()?;
            (row.end <= end_at).then_some(row)
        };
        let places = row(places_at, blocks, 8)?;
        let documents = row(documents_at, documents, DOCUMENT as u64)?;
        let rows = u32::try_from(rows).ok()?;
        Some(Self { path: path.to_owned(), map, places, documents, rows, checksum })
    }

    /// The documents whose terms are here, in the order of their rows.
    pub fn documents(&self) -> impl DoubleEndedIterator<Item = SegmentDocument> + '_ {
        self.map[self.documents.clone()].chunks_exact(DOCUMENT).map(document)
    }

    /// Whether the documents have all rows, one after the other.
    fn has_its_rows(&self) -> bool {
        let end = self.documents().try_fold(0u32, |next, document| {
            let rows = [document.sentences, document.sections, document.derived];
            let end = rows.into_iter().try_fold(document.first, u32::checked_add)?;
            (document.first == next).then_some(end)
        });
        end == Some(self.rows)
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which segment this is.
    pub fn name(&self) -> [u64; 2] {
        [self.checksum, u64::from(self.rows)]
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.map.len()
    }

    /// An error where a byte of it was changed.
    pub fn refuse_damaged(&self) -> LexicalResult<()> {
        let is_sound = xxh3_64(&self.map[..self.map.len() - 8]) == self.checksum;
        if is_sound && self.has_its_rows() { Ok(()) } else { Err(self.damaged()) }
    }

    fn damaged(&self) -> LexicalError {
        LexicalError::damaged(&self.path)
    }

    /// All terms in ascending order, from the last block on that begins at or before this one.
    pub fn terms_from(&self, key: &[u8]) -> LexicalResult<Terms<'_>> {
        let (mut low, mut high) = (0, self.places.len() / 8);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            let first =
                self.block(middle).and_then(|(entries, _)| first_term(entries)).ok_or_else(|| self.damaged())?;
            if first <= key { low = middle } else { high = middle }
        }
        Ok(Terms { segment: self, block: low, entries: &[], lists: &[], term: Vec::new(), length: 0, list: &[] })
    }

    /// The list of a term.
    pub fn list(&self, key: &[u8]) -> LexicalResult<Option<PostingList<'_>>> {
        let mut terms = self.terms_from(key)?;
        while terms.advance()? {
            match terms.term.as_slice().cmp(key) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(Some(terms.list())),
                std::cmp::Ordering::Greater => break,
            }
        }
        Ok(None)
    }

    /// Entries and lists of a block.
    fn block(&self, block: usize) -> Option<(&[u8], &[u8])> {
        let start = |block: usize| {
            let at = self.places.start + block * 8;
            let is_last = at >= self.places.end;
            if is_last { Some(self.places.start) } else { usize::try_from(number(self.map.get(at..at + 8)?)).ok() }
        };
        let bytes = self.map.get(start(block)?..start(block + 1)?)?;
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        rest.split_at_checked(u32::from_le_bytes(*length) as usize)
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn document(bytes: &[u8]) -> SegmentDocument {
    let at = |at: usize| number(&bytes[at * 4..at * 4 + 4]) as u32;
    SegmentDocument { number: at(0), first: at(1), sentences: at(2), sections: at(3), derived: at(4) }
}

fn first_term(mut entries: &[u8]) -> Option<&[u8]> {
    let [_, length, _, _] = entry(&mut entries)?;
    entries.get(..length)
}

fn entry(entries: &mut &[u8]) -> Option<[usize; 4]> {
    let mut next = || take_number(entries).and_then(|number| usize::try_from(number).ok());
    Some([next()?, next()?, next()?, next()?])
}

/// Where a term is.
pub struct PostingList<'s> {
    segment: &'s Segment,
    /// In how many rows.
    pub length: usize,
    bytes: &'s [u8],
}

impl PostingList<'_> {
    /// Shows (row, count) in ascending order until `found` has enough.
    pub fn read(&self, mut found: impl FnMut(u32, u32) -> ControlFlow<()>) -> LexicalResult<ControlFlow<()>> {
        read_list(self.bytes, self.length, &mut found).ok_or_else(|| self.segment.damaged())
    }
}

/// Goes through the terms of a segment.
pub struct Terms<'s> {
    segment: &'s Segment,
    /// The next block.
    block: usize,
    entries: &'s [u8],
    lists: &'s [u8],
    pub term: Vec<u8>,
    length: usize,
    list: &'s [u8],
}

impl<'s> Terms<'s> {
    /// Goes to the next term, if there is one.
    pub fn advance(&mut self) -> LexicalResult<bool> {
        if self.entries.is_empty() {
            if self.block * 8 >= self.segment.places.len() {
                return Ok(false);
            }
            let block = self.segment.block(self.block);
            (self.entries, self.lists) = block.ok_or_else(|| self.segment.damaged())?;
            self.block += 1;
            self.term.clear();
        }
        self.read_entry().map(|()| true).ok_or_else(|| self.segment.damaged())
    }

    fn read_entry(&mut self) -> Option<()> {
        let [shared, length, rows, bytes] = entry(&mut self.entries)?;
        let (letters, entries) = self.entries.split_at_checked(length)?;
        (shared <= self.term.len()).then(|| self.term.truncate(shared))?;
        self.term.extend(letters);
        (self.list, self.lists) = self.lists.split_at_checked(bytes)?;
        // No list is longer than there are rows, whatever the file says.
        self.length = Some(rows).filter(|&rows| rows <= self.segment.rows as usize)?;
        self.entries = entries;
        Some(())
    }

    /// The list of the term.
    pub fn list(&self) -> PostingList<'s> {
        PostingList { segment: self.segment, length: self.length, bytes: self.list }
    }
}
