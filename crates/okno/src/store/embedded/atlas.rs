//! One generation laid out flat: all sentences of all documents in one row, numbered from 0, and
//! behind them all derived texts.
//!
//! Scoring works on these numbers; [`super::units::Units`] are a layer's runs over them. Both are built once per
//! generation and shared by all searches.

use super::blob::{BlobOutline, DocumentCounts, DocumentFront, StoredFront, StoredText};
use super::marks::Marks;
use super::sums::Sums;
use super::vectors::PackedVectors;
use crate::document::{Derived, Structure};
use crate::packed::series::{Series, SeriesReader, SeriesWriter};
use crate::store::{DocumentNumber, Sections};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// All documents of a generation.
pub struct Atlas<'p> {
    /// The documents, by ascending number.
    pub documents: Vec<AtlasEntry<'p>>,
    /// Their numbers.
    pub numbers: Vec<DocumentNumber>,
    /// The first sentence of each.
    firsts: Vec<u32>,
    /// The place of a document that is not behind the one that holds every [`HINTED`]th sentence.
    hints: Vec<u32>,
    /// For each sentence its section.
    pub section_of: Series<u32>,
    /// How many terms each sentence has.
    pub terms: Series<u32>,
    /// How many terms the title and headings of each section have.
    pub context_terms: Series<u32>,
    /// How many derived texts there are.
    derived: u32,
    /// The length of a vector.
    pub dimensions: usize,
}

/// One document in the atlas.
pub struct AtlasEntry<'p> {
    /// Its number.
    pub number: DocumentNumber,
    /// Its sentences, and texts made about it.
    front: StoredFront<'p>,
    /// Its text.
    pub text: StoredText<'p>,
    /// Its record, still packed.
    pub record: &'p [u8],
    /// Its vectors.
    pub vectors: PackedVectors<'p>,
    /// Its first sentence in the row.
    pub first: u32,
    /// Its first section in the row.
    pub first_section: u32,
    /// The vectors of texts made about it.
    pub derived_vectors: PackedVectors<'p>,
    /// Its first derived text, counted behind all sentences.
    first_derived: u32,
}

impl AtlasEntry<'_> {
    /// Its sentences in the row.
    pub fn sentences(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.front.counts().sentences as usize
    }

    /// Its sections in the row of sections.
    pub fn sections(&self) -> Range<usize> {
        let first = self.first_section as usize;
        first..first + self.front.counts().sections as usize
    }

    /// How many sentences, sections and derived texts it has.
    pub fn counts(&self) -> DocumentCounts {
        self.front.counts()
    }

    /// Its sentences and the texts made about it; `None` when they, or its record, are not what was written.
    pub fn front(&self) -> Option<&DocumentFront> {
        self.front.get()
    }

    /// Its sentences; none where they are damaged.
    pub fn structure(&self) -> Arc<Structure> {
        self.front().map(|front| Arc::clone(&front.structure)).unwrap_or_default()
    }

    /// Texts made about it, by ascending first sentence; none where they are damaged.
    pub fn derived(&self) -> &[Derived] {
        self.front().map_or(&[], |front| &front.derived)
    }
}

/// A document before it has a place.
pub struct UnplacedDocument<'p> {
    pub number: DocumentNumber,
    pub front: StoredFront<'p>,
    pub text: StoredText<'p>,
    pub record: &'p [u8],
    pub vectors: PackedVectors<'p>,
    pub derived_vectors: PackedVectors<'p>,
}

impl<'p> UnplacedDocument<'p> {
    /// A document that is not read yet; `None` when the bytes cannot have so many sentences.
    pub fn unread(
        number: DocumentNumber,
        bytes: &'p [u8],
        sums: Sums<'p>,
        counts: DocumentCounts,
        dimensions: usize,
    ) -> Option<Self> {
        let BlobOutline { record, vectors, text, derived_vectors } = BlobOutline::new(bytes, counts, dimensions)?;
        let front = StoredFront::unread(bytes, sums, counts);
        Some(Self { number, front, text, record, vectors, derived_vectors })
    }
}

/// A document as it lies in the key-value store, with its checksums if it has any.
pub struct DocumentBytes<'p> {
    pub number: DocumentNumber,
    pub bytes: &'p [u8],
    pub sums: Option<Sums<'p>>,
}

/// The rows of an atlas, one value for each sentence or section.
#[derive(Default)]
struct AtlasRows {
    section_of: Vec<u32>,
    terms: Vec<u32>,
    context_terms: Vec<u32>,
}

impl AtlasRows {
    fn add(&mut self, structure: &Structure) {
        let first_section = self.context_terms.len() as u32;
        let section = |sentence| first_section + structure.section_number(sentence) as u32;
        self.section_of.extend((0..structure.sentences.len()).map(section));
        self.terms.extend(structure.sentences.iter().map(|s| s.terms));
        self.context_terms.extend(structure.sections.iter().map(|s| s.terms));
    }
}

impl<'p> Atlas<'p> {
    /// Lays out documents given by ascending number.
    pub fn new(parts: impl Iterator<Item = UnplacedDocument<'p>>, dimensions: usize) -> Self {
        let mut rows = AtlasRows::default();
        let mut atlas = Self::empty(dimensions);
        for part in parts {
            if let Some(front) = part.front.get() {
                rows.add(&front.structure);
            }
            atlas.push(part);
        }
        let AtlasRows { section_of, terms, context_terms } = rows;
        let hints = hints(&atlas.firsts);
        Self { section_of: section_of.into(), terms: terms.into(), context_terms: context_terms.into(), hints, ..atlas }
    }

    fn empty(dimensions: usize) -> Self {
        Self {
            documents: Vec::new(),
            numbers: Vec::new(),
            firsts: Vec::new(),
            hints: Vec::new(),
            section_of: Series::default(),
            terms: Series::default(),
            context_terms: Series::default(),
            derived: 0,
            dimensions,
        }
    }

    fn push(&mut self, part: UnplacedDocument<'p>) {
        let last = self.documents.last();
        let (first, first_section) = last.map_or((0, 0), |last| (last.sentences().end, last.sections().end));
        let first = first as u32;
        self.numbers.push(part.number);
        self.firsts.push(first);
        let derived = part.front.counts().derived;
        self.documents.push(AtlasEntry {
            number: part.number,
            front: part.front,
            text: part.text,
            record: part.record,
            vectors: part.vectors,
            first,
            first_section: first_section as u32,
            first_derived: self.derived,
            derived_vectors: part.derived_vectors,
        });
        self.derived += derived;
    }

    /// Writes the rows for [`Self::kept`].
    pub fn keep(&self, rows: &mut SeriesWriter) {
        let counted = |entry: &AtlasEntry<'_>| {
            let DocumentCounts { sentences, sections, derived } = entry.counts();
            [entry.number, sentences, sections, derived]
        };
        rows.put(&self.documents.iter().map(counted).collect::<Vec<[u32; 4]>>());
        rows.put(&self.section_of);
        rows.put(&self.terms);
        rows.put(&self.context_terms);
    }

    /// The atlas that [`Self::keep`] wrote, of these documents, given by ascending number; `None` where it is that of
    /// others.
    pub fn kept(
        rows: &mut SeriesReader,
        stored: impl Iterator<Item = DocumentBytes<'p>>,
        dimensions: usize,
    ) -> Option<Self> {
        let counts = rows.next::<[u32; 4]>()?;
        let mut atlas = Self::empty(dimensions);
        atlas.documents.reserve_exact(counts.len());
        let mut expected = counts.iter();
        for DocumentBytes { number, bytes, sums } in stored {
            let sums = sums?;
            let &[same, sentences, sections, derived] = expected.next()?;
            let counts = DocumentCounts { sentences, sections, derived };
            let part = UnplacedDocument::unread(number, bytes, sums, counts, dimensions)?;
            (same == number).then(|| atlas.push(part))?;
        }
        let hints = hints(&atlas.firsts);
        let atlas = Self { section_of: rows.next()?, terms: rows.next()?, context_terms: rows.next()?, hints, ..atlas };
        let last = atlas.documents.last();
        let (sentences, sections) = last.map_or((0, 0), |last| (last.sentences().end, last.sections().end));
        let fits = [atlas.section_of.len(), atlas.terms.len()] == [sentences; 2] && atlas.sections() == sections;
        (fits && expected.next().is_none()).then_some(atlas)
    }

    /// A document by its number.
    pub fn get(&self, number: DocumentNumber) -> Option<&AtlasEntry<'p>> {
        self.numbers.binary_search(&number).ok().map(|at| &self.documents[at])
    }

    /// How many sentences there are.
    pub fn sentences(&self) -> usize {
        self.terms.len()
    }

    /// How many texts the row holds: sentences, then derived texts.
    pub fn texts(&self) -> usize {
        self.sentences() + self.derived as usize
    }

    /// The place of a document's derived text in the row.
    pub fn derived(&self, entry: &AtlasEntry<'_>, ordinal: u32) -> u32 {
        self.sentences() as u32 + entry.first_derived + ordinal
    }

    /// A document's derived texts in the row.
    pub fn derived_texts(&self, entry: &AtlasEntry<'_>) -> Range<usize> {
        let first = self.derived(entry, 0) as usize;
        first..first + entry.counts().derived as usize
    }

    /// How many sections there are.
    pub fn sections(&self) -> usize {
        self.context_terms.len()
    }

    /// The document that holds a sentence of the row.
    pub fn holder(&self, sentence: u32) -> &AtlasEntry<'p> {
        let hint = self.hints.get(sentence as usize / HINTED).or(self.hints.last());
        &self.documents[self.holder_near(sentence, hint.map_or(0, |&place| place as usize))]
    }

    /// The place of the document that holds a sentence, which is probably not far behind another one.
    pub fn holder_near(&self, sentence: u32, place: usize) -> usize {
        last_at_most(&self.firsts, sentence, place)
    }

    /// The document that has a section of the row of sections.
    pub fn section_holder(&self, section: u32) -> &AtlasEntry<'p> {
        &self.documents[self.documents.partition_point(|entry| entry.first_section <= section) - 1]
    }
}

/// A hint for so many sentences: few enough hints to stay in a fast cache.
const HINTED: usize = 256;

/// Where to begin to look for the document that holds a sentence, given the first sentence of each.
fn hints(firsts: &[u32]) -> Vec<u32> {
    let mut hints = Vec::with_capacity(firsts.last().map_or(0, |&last| last as usize) / HINTED + 1);
    for (place, &first) in firsts.iter().enumerate() {
        // The document before holds what is between.
        while hints.len() * HINTED < first as usize {
            hints.push(place.saturating_sub(1) as u32);
        }
    }
    hints
}

/// The last place of ascending numbers, the first of which is at most this one, where that is so. It is looked for from
/// another place on, in steps that double: that touches less memory than halving all of them.
fn last_at_most(numbers: &[u32], most: u32, near: usize) -> usize {
    let is_at_most = |place: usize| numbers.get(place).is_some_and(|&number| number <= most);
    let (mut start, mut step) = (if is_at_most(near) { near } else { 0 }, 1);
    while is_at_most(start + step) {
        start += step;
        step *= 2;
    }
    let end = (start + step).min(numbers.len());
    start + numbers[start..end].partition_point(|&number| number <= most) - 1
}

/// What a search may find, where that is not everything: looked up once, before anything is scored.
pub struct Allowed {
    /// The documents, as runs of places in the atlas, ascending.
    pub runs: Vec<Range<usize>>,
    /// Their texts in the row.
    pub texts: Marks,
    /// Their sections.
    pub sections: Marks,
    /// Where not all of these: the sections that units may be in.
    kept: Option<Marks>,
}

impl Allowed {
    /// Where these documents are. Numbers that the generation does not hold allow nothing.
    pub fn new(atlas: &Atlas<'_>, numbers: &HashSet<DocumentNumber>, kept: Option<&Sections>) -> Self {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in places(atlas, numbers) {
            match runs.last_mut() {
                Some(run) if run.end == at => run.end += 1,
                _ => runs.push(at..at + 1),
            }
        }
        let (mut texts, mut sections) = (Marks::new(atlas.texts()), Marks::new(atlas.sections()));
        for run in &runs {
            // Documents that follow one another have rows that follow one another.
            let (first, last) = (&atlas.documents[run.start], &atlas.documents[run.end - 1]);
            texts.add(narrow(first.sentences().start..last.sentences().end));
            texts.add(narrow(atlas.derived_texts(first).start..atlas.derived_texts(last).end));
            sections.add(narrow(first.sections().start..last.sections().end));
        }
        Self { runs, texts, sections, kept: kept.map(|kept| marked(atlas, kept)) }
    }

    /// Whether a unit may be found whose anchor is in this section.
    pub fn finds(&self, section: u32) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.has(section))
    }
}

/// Which units a search may find.
#[derive(Clone, Copy)]
pub struct Findable<'a> {
    /// Those of these documents only.
    pub allowed: Option<&'a Allowed>,
    /// None of these sections: those of further copies of a text.
    pub copies: Option<&'a Marks>,
}

impl Findable<'_> {
    /// Whether a unit may be found whose anchor is in this section of an allowed document.
    pub fn finds(&self, section: u32) -> bool {
        self.allowed.is_none_or(|allowed| allowed.finds(section)) && !self.copies.is_some_and(|all| all.has(section))
    }
}

/// The sections of all documents of these groups but the first of each; `None` where there are no groups.
pub fn further_copies(atlas: &Atlas<'_>, groups: &[Vec<DocumentNumber>]) -> Option<Marks> {
    let mut sections = (!groups.is_empty()).then(|| Marks::new(atlas.sections()))?;
    for copy in groups.iter().flat_map(|group| &group[1..]).filter_map(|&number| atlas.get(number)) {
        sections.add(narrow(copy.sections()));
    }
    Some(sections)
}

/// With more than one in so many documents, going through all of them is faster than looking these up and sorting
/// their places: permissions leave most documents, filters few.
const MANY: usize = 16;

/// The places of these documents, ascending.
fn places(atlas: &Atlas<'_>, numbers: &HashSet<DocumentNumber>) -> Vec<usize> {
    if numbers.len() > atlas.numbers.len() / MANY {
        return (0..atlas.numbers.len()).filter(|&at| numbers.contains(&atlas.numbers[at])).collect();
    }
    let mut places: Vec<usize> = numbers.iter().filter_map(|number| atlas.numbers.binary_search(number).ok()).collect();
    places.sort_unstable();
    places
}

/// Where these sections are; all sections of documents that are not named.
fn marked(atlas: &Atlas<'_>, sections: &Sections) -> Marks {
    let mut marks = Marks::new(atlas.sections());
    for entry in &atlas.documents {
        match sections.get(&entry.number) {
            None => marks.add(narrow(entry.sections())),
            Some(kept) => kept.iter().for_each(|section| {
                let at = entry.first_section + section;
                marks.add(at..at + 1);
            }),
        }
    }
    marks
}

fn narrow(range: Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_last_is_found_from_any_place(
            mut numbers in prop::collection::vec(1..50u32, 0..60),
            most in 0..60u32,
            near in 0..80usize,
        ) {
            numbers.push(0);
            numbers.sort_unstable();
            let expected = numbers.iter().rposition(|&number| number <= most).unwrap();
            prop_assert_eq!(last_at_most(&numbers, most, near), expected);
        }
    }
}
