//! A segment that is being made: terms are numbered as they come, and what they occur in is sorted at the end.

use super::TermSource;
use super::error::LexicalResult;
use super::segment::{Segment, SegmentDocument, SegmentWriter};
use crate::document::{Derived, Structure};
use crate::packed::short_words::number_of;
use crate::store::DocumentNumber;
use crate::text::terms::terms;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64_with_seed;

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
    /// The short terms of a row, which are looked up together.
    short: Vec<u64>,
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
        let Self { terms: numbers, occurrences, rows, short, .. } = self;
        terms(text, &mut |term: &str| match word_of_short(source, term.as_bytes()) {
            Some(word) => short.push(word),
            None => occurrences.push((numbers.of_long(source, term.as_bytes()), *rows)),
        });
        numbers.fetch(short);
        occurrences.extend(short.drain(..).map(|word| (numbers.of_short(word), *rows)));
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
        let starts = terms.starts();
        let rows = by_term(&occurrences, &starts);
        drop(occurrences);
        let mut segment = SegmentWriter::create(path)?;
        let mut postings = Vec::new();
        for term in terms.ascending() {
            let number = term.number as usize;
            let rows = &rows[starts[number] as usize..starts[number + 1] as usize];
            postings.clear();
            postings.extend(rows.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as u32)));
            let beginning = term.beginning.to_be_bytes();
            segment.put(beginning.get(..term.length as usize).unwrap_or_else(|| terms.key(term.number)), &postings)?;
        }
        segment.finish(&documents)
    }
}

/// The rows of all occurrences, term after term; those of each begin at its start.
fn by_term(occurrences: &[(u32, u32)], starts: &[u32]) -> Vec<u32> {
    let mut next = starts.to_vec();
    let mut rows = vec![0; occurrences.len()];
    for &(term, row) in occurrences {
        let place = &mut next[term as usize];
        rows[*place as usize] = row;
        *place += 1;
    }
    rows
}

/// Terms by the order in which they came, and how often each did.
///
/// Terms of Chinese text are of three or six bytes, so that nearly every one stands in its slot: looking it up takes
/// one cache miss.
struct TermNumbers {
    /// The keys of all terms behind one another, and where each ends.
    letters: Vec<u8>,
    ends: Vec<u32>,
    /// A power of two of them, of which at least a third is free.
    slots: Vec<TermSlot>,
    /// Makes places of words; odd. Another one each time: nobody can write a text whose terms all have the same place.
    factor: u64,
}

impl Default for TermNumbers {
    fn default() -> Self {
        let factor = RandomState::new().hash_one(LONG) | 1;
        Self { letters: Vec::new(), ends: Vec::new(), slots: Vec::new(), factor }
    }
}

#[derive(Clone, Copy, Default)]
struct TermSlot {
    /// A short term itself, or the hash of a long one.
    word: u64,
    /// 0 where the slot is free, or the number of a term from 1 on.
    number: u32,
    occurrences: u32,
}

/// A term, in the order of keys.
struct OrderedTerm {
    /// The first eight bytes of its key, and how many bytes it has: nearly all keys are no longer.
    beginning: u64,
    length: u32,
    number: u32,
}

/// By the number of each.
const SOURCES: [TermSource; 3] = [TermSource::Body, TermSource::Context, TermSource::Derived];

/// Terms of so many bytes are short: with their source and length they are a word.
const SHORT: usize = 7;

/// What the words of longer terms have and those of short ones do not.
const LONG: u64 = 1 << 63;

/// A short term as a word: its bytes, and in the last byte its source and its length.
#[inline]
fn word_of_short(source: TermSource, term: &[u8]) -> Option<u64> {
    let is_short = term.len() <= SHORT;
    is_short.then(|| number_of(term) | ((source as u64) << 3 | term.len() as u64) << (8 * SHORT))
}

/// The first eight bytes of a key as a number: of two keys the lesser one has the lesser number, or both have the same.
#[inline]
fn beginning_of(key: &[u8]) -> u64 {
    number_of(&key[..key.len().min(8)]).swap_bytes()
}

impl TermNumbers {
    fn count(&self) -> usize {
        self.ends.len()
    }

    /// The key of a term.
    fn key(&self, number: u32) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.letters[start as usize..self.ends[number as usize] as usize]
    }

    /// Reads the slots where looking up these words begins, so that the caches have them. A look-up decides by what it
    /// reads how to go on, and the processor cannot begin the next one before; here it waits for all at once.
    fn fetch(&self, words: &[u64]) {
        if !self.slots.is_empty() {
            let read = words.iter().fold(0, |all, word| all ^ self.slots[self.first_place(*word)].number);
            std::hint::black_box(read);
        }
    }

    /// The number of a short term, which occurred once more.
    #[inline]
    fn of_short(&mut self, word: u64) -> u32 {
        let place = self.place_of(word, |_| true);
        if self.slots[place].number == 0 {
            let bytes = word.to_le_bytes();
            let (source, length) = (bytes[SHORT] >> 3, bytes[SHORT] & 7);
            self.add(place, word, SOURCES[usize::from(source)], &bytes[..usize::from(length)]);
        }
        self.count_at(place)
    }

    /// The same of a long one.
    fn of_long(&mut self, source: TermSource, term: &[u8]) -> u32 {
        let word = xxh3_64_with_seed(term, source as u64) | LONG;
        let place = self.place_of(word, |key| key.split_first() == Some((&source.letter(), term)));
        if self.slots[place].number == 0 {
            self.add(place, word, source, term);
        }
        self.count_at(place)
    }

    /// Where the slot is of the term that has this word and is it, or the free one for it.
    #[inline]
    fn place_of(&mut self, word: u64, is_it: impl Fn(&[u8]) -> bool) -> usize {
        if (self.count() + 1) * 3 > self.slots.len() * 2 {
            self.grow();
        }
        let mut place = self.first_place(word);
        loop {
            let slot = self.slots[place];
            if slot.number == 0 || slot.word == word && is_it(self.key(slot.number - 1)) {
                return place;
            }
            place = self.next_place(place);
        }
    }

    #[inline]
    fn first_place(&self, word: u64) -> usize {
        // The highest bits of the product depend on all bits of the word.
        (word.wrapping_mul(self.factor) >> (u64::BITS - self.slots.len().ilog2())) as usize
    }

    fn next_place(&self, place: usize) -> usize {
        (place + 1) & (self.slots.len() - 1)
    }

    fn add(&mut self, place: usize, word: u64, source: TermSource, term: &[u8]) {
        self.letters.push(source.letter());
        self.letters.extend(term);
        self.ends.push(self.letters.len() as u32);
        self.slots[place] = TermSlot { word, number: self.count() as u32, occurrences: 0 };
    }

    fn count_at(&mut self, place: usize) -> u32 {
        let slot = &mut self.slots[place];
        slot.occurrences += 1;
        slot.number - 1
    }

    #[cold]
    fn grow(&mut self) {
        let slots = vec![TermSlot::default(); (self.slots.len() * 2).max(1024)];
        for slot in std::mem::replace(&mut self.slots, slots).into_iter().filter(|slot| slot.number > 0) {
            let mut place = self.first_place(slot.word);
            while self.slots[place].number > 0 {
                place = self.next_place(place);
            }
            self.slots[place] = slot;
        }
    }

    /// Where the occurrences of each term begin if they stand term after term, and where they end.
    fn starts(&self) -> Vec<u32> {
        let mut starts = vec![0; self.count() + 1];
        for slot in self.slots.iter().filter(|slot| slot.number > 0) {
            starts[slot.number as usize] = slot.occurrences;
        }
        for term in 0..self.count() {
            starts[term + 1] += starts[term];
        }
        starts
    }

    /// All terms, in the order of their keys.
    fn ascending(&self) -> Vec<OrderedTerm> {
        let term = |number| {
            let key = self.key(number);
            OrderedTerm { beginning: beginning_of(key), length: key.len() as u32, number }
        };
        let mut terms: Vec<OrderedTerm> = (0..self.count() as u32).map(term).collect();
        let rest = |term: &OrderedTerm| self.key(term.number);
        terms.sort_unstable_by(|one, other| {
            one.beginning.cmp(&other.beginning).then_with(|| rest(one).cmp(rest(other)))
        });
        terms
    }
}

#[cfg(test)]
mod tests {
    use super::super::key_of;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn terms_are_numbered_counted_and_sorted(
            terms in prop::collection::vec((0..3usize, "[ab\0中国]{0,9}|[a-z]{1,3}"), 0..300),
        ) {
            let mut numbers = TermNumbers::default();
            let mut expected: BTreeMap<Vec<u8>, (u32, u32)> = BTreeMap::new();
            for (source, term) in &terms {
                let mut key = Vec::new();
                key_of(SOURCES[*source], term, &mut key);
                let next = expected.len() as u32;
                let (number, count) = expected.entry(key).or_insert((next, 0));
                *count += 1;
                let found = match word_of_short(SOURCES[*source], term.as_bytes()) {
                    Some(word) => numbers.of_short(word),
                    None => numbers.of_long(SOURCES[*source], term.as_bytes()),
                };
                prop_assert_eq!(found, *number);
            }
            prop_assert_eq!(
                numbers.ascending().iter().map(|term| term.number).collect::<Vec<_>>(),
                expected.values().map(|(number, _)| *number).collect::<Vec<_>>()
            );
            let starts = numbers.starts();
            for (key, (number, count)) in &expected {
                prop_assert_eq!(numbers.key(*number), key.as_slice());
                prop_assert_eq!(starts[*number as usize + 1] - starts[*number as usize], *count);
            }
        }
    }
}
