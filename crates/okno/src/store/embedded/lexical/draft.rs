//! A segment that is being made: terms are numbered as they come, and what they occur in is sorted at the end.

use super::error::LexicalResult;
use super::segment::{Segment, SegmentDocument, SegmentWriter};
use super::{TermSource, key_of};
use crate::document::{Derived, Structure};
use crate::store::DocumentNumber;
use crate::text::terms::terms;
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

/// Occurrences after which a segment is written, whatever else happens: 64 MB with what sorting takes.
const FULL: usize = 4 << 20;

/// Documents that are not in a segment yet.
#[derive(Default)]
pub struct SegmentDraft {
    terms: TermNumbers,
    /// The number of a term and the row it occurs in, in the order of rows.
    occurrences: Vec<(u32, u32)>,
    documents: Vec<SegmentDocument>,
    rows: u32,
    key: Vec<u8>,
}

impl SegmentDraft {
    /// Adds a document's sentences, sections and derived texts.
    pub fn add(&mut self, number: DocumentNumber, text: &str, title: &str, structure: &Structure, derived: &[Derived]) {
        let first = self.rows;
        for sentence in &structure.sentences {
            self.add_row(TermSource::Body, sentence.span.of(text));
        }
        for section in &structure.sections {
            let headings = section.path.iter().map(|heading| heading.of(text));
            let context: Vec<&str> = std::iter::once(title).chain(headings).collect();
            self.add_row(TermSource::Context, &context.join("\n"));
        }
        for unit in derived {
            self.add_row(TermSource::Derived, &unit.text);
        }
        self.documents.push(SegmentDocument {
            number,
            first,
            sentences: structure.sentences.len() as u32,
            sections: structure.sections.len() as u32,
            derived: derived.len() as u32,
        });
    }

    fn add_row(&mut self, source: TermSource, text: &str) {
        let Self { terms: numbers, occurrences, rows, key, .. } = self;
        terms(text, &mut |term: &str| {
            key_of(source, term, key);
            occurrences.push((numbers.of(key), *rows));
        });
        *rows += 1;
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.occurrences.len() >= FULL
    }

    /// Writes the segment, and begins the next.
    pub fn write(&mut self, path: PathBuf) -> LexicalResult<Segment> {
        let Self { terms, occurrences, documents, .. } = std::mem::take(self);
        let (rows, starts) = by_term(&occurrences, terms.count());
        drop(occurrences);
        let mut order: Vec<u32> = (0..terms.count() as u32).collect();
        order.sort_unstable_by(|&one, &other| terms.term(one).cmp(terms.term(other)));
        let mut segment = SegmentWriter::create(path)?;
        let mut postings = Vec::new();
        for number in order {
            let rows = &rows[starts[number as usize] as usize..starts[number as usize + 1] as usize];
            postings.clear();
            postings.extend(rows.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as u32)));
            segment.put(terms.term(number), &postings)?;
        }
        segment.finish(&documents)
    }
}

/// The rows of all occurrences, term after term, and where those of each begin.
fn by_term(occurrences: &[(u32, u32)], terms: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; terms + 1];
    for &(term, _) in occurrences {
        starts[term as usize + 1] += 1;
    }
    for term in 0..terms {
        starts[term + 1] += starts[term];
    }
    let mut next = starts.clone();
    let mut rows = vec![0; occurrences.len()];
    for &(term, row) in occurrences {
        let place = &mut next[term as usize];
        rows[*place as usize] = row;
        *place += 1;
    }
    (rows, starts)
}

/// Terms by the order in which they came.
#[derive(Default)]
struct TermNumbers {
    letters: Vec<u8>,
    ends: Vec<u32>,
    /// By hash: a part of the hash, and 0 or the number of a term from 1 on. At least a third is free.
    slots: Vec<(u32, u32)>,
}

impl TermNumbers {
    fn count(&self) -> usize {
        self.ends.len()
    }

    fn term(&self, number: u32) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.letters[start as usize..self.ends[number as usize] as usize]
    }

    fn of(&mut self, term: &[u8]) -> u32 {
        if (self.count() + 1) * 3 > self.slots.len() * 2 {
            self.grow();
        }
        let hash = xxh3_64(term);
        let slot = self.slot(hash, |number| self.term(number) == term);
        if let Some(number) = self.slots[slot].1.checked_sub(1) {
            return number;
        }
        self.letters.extend(term);
        self.ends.push(self.letters.len() as u32);
        self.slots[slot] = ((hash >> 32) as u32, self.count() as u32);
        self.count() as u32 - 1
    }

    /// The slot of what has this hash and is the one looked for, or the free one for it.
    fn slot(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                (_, 0) => return slot,
                (part, number) if part == (hash >> 32) as u32 && is_it(number - 1) => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![(0, 0); (self.slots.len() * 2).max(1024)];
        for number in 0..self.count() as u32 {
            let hash = xxh3_64(self.term(number));
            let slot = self.slot(hash, |_| false);
            self.slots[slot] = ((hash >> 32) as u32, number + 1);
        }
    }
}
