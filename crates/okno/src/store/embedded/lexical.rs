//! The lexical index: which sentences hold a term, and how often.
//!
//! It keeps posting lists; it does not score. A window's count of a term is the sum of its sentences' counts, with a
//! document frequency and length of its own, so all scales are scored from the sentence lists of one index
//! ([`super::bm25`]). One row per sentence holds the sentence's terms, one per section those of title and headings, one
//! per derived text its terms.
//!
//! The index is derived: its list of segments names the index and the generation it was built from. It is always
//! committed *before* the generation becomes visible in the key-value store, and what was replaced is
//! deleted from it only afterwards, so a reader of any generation finds all its sentences here and
//! ignores the rest. A list that does not fit means a crash in between: [`LexicalWriter::remove_from`]
//! takes out what never became visible.
//!
//! Until version 0.2 this was tantivy. Two thirds of what indexing Chinese text took was spent there, and an eighth of
//! building this program; what is used of such a library – lists that are read whole, documents that are never asked
//! for once they are gone – is little. Indexes that it made are built again from the stored documents.

mod draft;
mod error;
mod list;
mod merge;
mod nearest;
mod postings;
mod segment;
mod writer;

pub use error::{LexicalError, LexicalResult, lexical_failure};
pub use list::is_old;
pub use writer::{Built, LexicalWriter};

use super::identity::IndexIdentity;
use super::layout::DiskStamp;
use crate::packed::series::{Series, SeriesReader, SeriesWriter};
use crate::store::DocumentNumber;
use list::SegmentList;
use segment::Segment;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

/// What a row of the index holds the terms of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermSource {
    /// A sentence.
    Body,
    /// The title and headings of a section.
    Context,
    /// A derived text.
    Derived,
}

impl TermSource {
    fn letter(self) -> u8 {
        match self {
            Self::Body => b'b',
            Self::Context => b'c',
            Self::Derived => b'd',
        }
    }
}

/// A term as segments hold it: behind a letter for what it is a term of.
fn key_of(source: TermSource, term: &str, key: &mut Vec<u8>) {
    key.clear();
    key.push(source.letter());
    key.extend(term.as_bytes());
}

/// Which sentence, section or derived text of a document a row is.
#[derive(Debug, Clone, Copy)]
pub struct RowPlace {
    /// The document.
    pub document: DocumentNumber,
    /// Sentence, section or derived text.
    pub field: TermSource,
    /// Its number in the document.
    pub at: u32,
}

/// In `rows`: nothing that can be found.
const NOWHERE: u32 = u32::MAX;

/// The index, for reading.
pub struct Lexical {
    segments: Vec<Segment>,
    /// For each segment, for each of its rows, the number that its reader gave it; looked up once, because a search
    /// for the document would cost more than all else that is done with a posting.
    rows: OnceLock<Vec<Series<u32>>>,
    /// The state of its files; `None` where they may be changing.
    pub stamp: Option<u64>,
}

impl Lexical {
    /// Opens what was last committed. One that was built from an index of another identity, or is damaged, is refused;
    /// files whose state is the one in which they were `checked` are not read for that.
    pub fn open(folder: &Path, identity: Option<IndexIdentity>, checked: Option<u64>) -> LexicalResult<Self> {
        let (list, segments) = opened(folder)?;
        if list.is_foreign(identity) {
            return Err(LexicalError::Foreign);
        }
        let list = list::path(folder);
        let stamp = DiskStamp::of_all(segments.iter().map(Segment::path).chain([list.as_path()]));
        if stamp.is_none() || stamp != checked {
            segments.iter().try_for_each(Segment::refuse_damaged)?;
        }
        Ok(Self { segments, rows: OnceLock::new(), stamp })
    }

    /// Whether a term is in one of these fields, in a row that counts.
    pub fn has(
        &self,
        fields: &[TermSource],
        term: &str,
        number: impl Fn(RowPlace) -> Option<u32>,
        counts: impl Fn(u32) -> bool,
    ) -> LexicalResult<bool> {
        let mut found = false;
        self.visit(fields, term, number, |row, _| {
            found = counts(row);
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// Every posting of a term in these fields, by place: its number, and how often the term is there. `number` gives a
    /// place its number, the same at every call; what has none is passed over.
    pub fn postings(
        &self,
        fields: &[TermSource],
        term: &str,
        number: impl Fn(RowPlace) -> Option<u32>,
    ) -> LexicalResult<Vec<(u32, f32)>> {
        let mut found = Vec::new();
        self.visit(fields, term, number, |row, count| {
            found.push((row, count as f32));
            ControlFlow::Continue(())
        })?;
        // Those of one segment ascend already.
        if !found.is_sorted_by_key(|&(place, _)| place) {
            found.sort_by_key(|&(place, _)| place);
        }
        Ok(found)
    }

    fn visit(
        &self,
        fields: &[TermSource],
        term: &str,
        number: impl Fn(RowPlace) -> Option<u32>,
        mut found: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> LexicalResult<()> {
        let rows = self.rows(number);
        let mut key = Vec::new();
        for &field in fields {
            key_of(field, term, &mut key);
            for (segment, rows) in self.segments.iter().zip(rows) {
                let Some(list) = segment.list(&key)? else { continue };
                // A row that is not there, in a file that was changed, is nowhere.
                let ended = list.read(|row, count| match rows.get(row as usize) {
                    None | Some(&NOWHERE) => ControlFlow::Continue(()),
                    Some(&row) => found(row, count),
                })?;
                if ended.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn rows(&self, number: impl Fn(RowPlace) -> Option<u32>) -> &[Series<u32>] {
        self.rows.get_or_init(|| self.segments.iter().map(|one| numbered(one, &number)).collect())
    }

    /// Writes the numbers of all rows, for [`Self::set_kept`].
    pub fn keep(&self, rows: &mut SeriesWriter, number: impl Fn(RowPlace) -> Option<u32>) {
        for (segment, numbers) in self.segments.iter().zip(self.rows(number)) {
            rows.put(&segment.name());
            rows.put(numbers);
        }
    }

    /// Takes the numbers that [`Self::keep`] wrote, if they are those of these segments.
    pub fn set_kept(&self, rows: &mut SeriesReader) -> Option<()> {
        let numbers = |segment: &Segment| {
            let (name, numbers) = (rows.next::<u64>()?, rows.next::<u32>()?);
            (*name == segment.name() && numbers.len() == segment.rows as usize).then_some(numbers)
        };
        let numbers = self.segments.iter().map(numbers).collect::<Option<_>>()?;
        self.rows.set(numbers).ok()
    }

    /// Reads the whole index: how many rows – sentences, sections, derived texts – each document has.
    pub fn measured(folder: &Path) -> LexicalResult<HashMap<DocumentNumber, usize>> {
        let (_, segments) = opened(folder)?;
        segments.iter().try_for_each(Segment::refuse_damaged)?;
        let documents = segments.iter().flat_map(Segment::documents);
        let mut rows = HashMap::new();
        for document in documents {
            *rows.entry(document.number).or_default() += document.rows() as usize;
        }
        Ok(rows)
    }
}

/// The list and the segments that it names.
fn opened(folder: &Path) -> LexicalResult<(SegmentList, Vec<Segment>)> {
    loop {
        let list = SegmentList::read(folder)?;
        let segments = list.segments.iter().map(|name| Segment::open(&folder.join(name)));
        match segments.collect::<LexicalResult<Vec<_>>>() {
            // A writer has committed meanwhile, and deleted what it merged.
            Err(LexicalError::Disk(error))
                if error.kind() == std::io::ErrorKind::NotFound
                    && SegmentList::read(folder)?.segments != list.segments => {}
            segments => return Ok((list, segments?)),
        }
    }
}

/// The numbers of a segment's rows.
fn numbered(segment: &Segment, number: &impl Fn(RowPlace) -> Option<u32>) -> Series<u32> {
    let rows = segment.documents().flat_map(|document| {
        let place = move |(field, at)| RowPlace { document: document.number, field, at };
        document.places().map(move |one| number(place(one)).unwrap_or(NOWHERE))
    });
    rows.collect()
}

#[cfg(test)]
mod tests;
