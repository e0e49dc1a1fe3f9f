//! One generation laid out flat: all sentences of all documents in one row, numbered from 0, and
//! behind them all derived texts.
//!
//! Scoring works on these numbers; [`super::units::Units`] are a layer's runs over them. Both are built once per
//! generation and shared by all searches.

use super::blob::{BlobOutline, DocumentCounts, DocumentFront, StoredFront, StoredText};
use super::data_file::{DocumentPlace, part};
use super::marks::Marks;
use super::sums::Sums;
use super::vectors::PackedVectors;
use crate::document::{Derived, Structure};
use crate::packed::series::{Series, SeriesReader, SeriesWriter};
use crate::store::{DocumentNumber, DocumentSet, Sections};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// All documents of a generation.
pub struct Atlas<'p> {
    documents: Documents<'p>,
    /// Their numbers, ascending.
    pub numbers: Series<DocumentNumber>,
    /// The first sentence, section and derived text of each, and the end of the last.
    firsts: Series<u32>,
    first_sections: Series<u32>,
    first_derived: Series<u32>,
    /// The place of a document that is not behind the one that holds every [`HINTED`]th sentence.
    hints: Series<u32>,
    /// For each sentence its section.
    pub section_of: Series<u32>,
    /// How many terms each sentence has.
    pub terms: Series<u32>,
    /// How many terms the title and headings of each section have.
    pub context_terms: Series<u32>,
    /// The length of a vector.
    pub dimensions: usize,
}

/// The documents of an atlas.
enum Documents<'p> {
    /// All of them were read.
    Read(Vec<AtlasEntry<'p>>),
    /// They lie in a file, and are looked at when they are asked for.
    Kept { file: &'p [u8], places: Series<DocumentPlace>, chunks: Vec<OnceLock<DocumentChunk<'p>>> },
}

/// Documents that follow one another, as far as they were looked at.
type DocumentChunk<'p> = Box<[OnceLock<Box<AtlasEntry<'p>>>]>;

/// Documents of a chunk: room for all of a large index would take longer to make than a question takes.
const CHUNK: usize = 256;

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

impl<'p> AtlasEntry<'p> {
    fn new(number: DocumentNumber, part: UnplacedDocument<'p>, firsts: [u32; 3]) -> Self {
        let UnplacedDocument { front, text, record, vectors, derived_vectors } = part;
        let [first, first_section, first_derived] = firsts;
        Self { number, front, text, record, vectors, first, first_section, derived_vectors, first_derived }
    }

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
    pub front: StoredFront<'p>,
    pub text: StoredText<'p>,
    pub record: &'p [u8],
    pub vectors: PackedVectors<'p>,
    pub derived_vectors: PackedVectors<'p>,
}

impl<'p> UnplacedDocument<'p> {
    /// A document that is not read yet, with so many sentences, if it can have so many.
    fn unread(bytes: &'p [u8], sums: Sums<'p>, counts: DocumentCounts, dimensions: usize) -> Self {
        let front = StoredFront::unread(bytes, sums, counts);
        match BlobOutline::new(bytes, counts, dimensions) {
            Some(BlobOutline { record, vectors, text, derived_vectors }) => {
                Self { front, text, record, vectors, derived_vectors }
            }
            // Its sums do not fit either, which whoever asks for its sentences is told.
            None => Self {
                front: StoredFront::unread(&[], sums, counts),
                text: StoredText::damaged(),
                record: &[],
                vectors: PackedVectors::none(dimensions),
                derived_vectors: PackedVectors::none(dimensions),
            },
        }
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
    pub fn new(parts: impl Iterator<Item = (DocumentNumber, UnplacedDocument<'p>)>, dimensions: usize) -> Self {
        let mut rows = AtlasRows::default();
        let (mut numbers, mut documents, mut firsts) = (Vec::new(), Vec::new(), [vec![0], vec![0], vec![0]]);
        for (number, part) in parts {
            if let Some(front) = part.front.get() {
                rows.add(&front.structure);
            }
            let DocumentCounts { sentences, sections, derived } = part.front.counts();
            let place = firsts.each_ref().map(|firsts| firsts.last().copied().unwrap_or(0));
            for (firsts, count) in firsts.iter_mut().zip([sentences, sections, derived]) {
                firsts.push(firsts.last().copied().unwrap_or(0) + count);
            }
            numbers.push(number);
            documents.push(AtlasEntry::new(number, part, place));
        }
        let [firsts, first_sections, first_derived] = firsts;
        Self {
            documents: Documents::Read(documents),
            numbers: numbers.into(),
            hints: hints(&firsts).into(),
            firsts: firsts.into(),
            first_sections: first_sections.into(),
            first_derived: first_derived.into(),
            section_of: rows.section_of.into(),
            terms: rows.terms.into(),
            context_terms: rows.context_terms.into(),
            dimensions,
        }
    }

    /// Writes the rows for [`Self::kept`], and where the documents lie in the file.
    pub fn keep(&self, places: &[DocumentPlace], rows: &mut SeriesWriter) {
        rows.put(&self.numbers);
        rows.put(places);
        for row in [&self.firsts, &self.first_sections, &self.first_derived, &self.hints] {
            rows.put(row);
        }
        for row in [&self.section_of, &self.terms, &self.context_terms] {
            rows.put(row);
        }
    }

    /// The atlas that [`Self::keep`] wrote, of documents in this file; `None` where its rows do not fit one another.
    pub fn kept(rows: &mut SeriesReader, file: &'p [u8], dimensions: usize) -> Option<Self> {
        let (numbers, places) = (rows.next::<DocumentNumber>()?, rows.next::<DocumentPlace>()?);
        let chunks = (0..numbers.len().div_ceil(CHUNK)).map(|_| OnceLock::new()).collect();
        let fits = places.len() == numbers.len();
        let atlas = Self {
            documents: Documents::Kept { file, places, chunks },
            numbers,
            firsts: rows.next()?,
            first_sections: rows.next()?,
            first_derived: rows.next()?,
            hints: rows.next()?,
            section_of: rows.next()?,
            terms: rows.next()?,
            context_terms: rows.next()?,
            dimensions,
        };
        let ends = [&atlas.firsts, &atlas.first_sections, &atlas.first_derived];
        let fits = fits && ends.iter().all(|firsts| firsts.len() == atlas.numbers.len() + 1);
        let [sentences, sections, _] = ends.map(|firsts| firsts.last().map_or(0, |&end| end as usize));
        let lengths = [atlas.section_of.len(), atlas.terms.len(), atlas.context_terms.len()];
        (fits && lengths == [sentences, sentences, sections]).then_some(atlas)
    }

    /// How many documents there are.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// The document at a place.
    pub fn document(&self, place: usize) -> &AtlasEntry<'p> {
        match &self.documents {
            Documents::Read(documents) => &documents[place],
            Documents::Kept { file, places, chunks } => {
                let chunk = chunks[place / CHUNK].get_or_init(|| (0..CHUNK).map(|_| OnceLock::new()).collect());
                chunk[place % CHUNK].get_or_init(|| Box::new(self.looked_at(place, file, places[place])))
            }
        }
    }

    /// A document of a file that nobody asked for yet.
    fn looked_at(&self, place: usize, file: &'p [u8], lies: DocumentPlace) -> AtlasEntry<'p> {
        let [at, length, sums_at, sums_length] = lies;
        let (bytes, sums) = (part(file, at, length), Sums::new(part(file, sums_at, sums_length)));
        let rows = [&self.firsts, &self.first_sections, &self.first_derived];
        let [sentences, sections, derived] = rows.map(|firsts| firsts[place + 1].saturating_sub(firsts[place]));
        let counts = DocumentCounts { sentences, sections, derived };
        let part = UnplacedDocument::unread(bytes, sums, counts, self.dimensions);
        AtlasEntry::new(self.numbers[place], part, rows.map(|firsts| firsts[place]))
    }

    /// All documents, by ascending number.
    pub fn each_document(&self) -> impl Iterator<Item = &AtlasEntry<'p>> {
        (0..self.count()).map(|place| self.document(place))
    }

    /// A document by its number.
    pub fn get(&self, number: DocumentNumber) -> Option<&AtlasEntry<'p>> {
        self.place(number).map(|place| self.document(place))
    }

    fn place(&self, number: DocumentNumber) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// The sentences of documents that follow one another, given by their places.
    pub fn sentences_of(&self, places: Range<usize>) -> Range<usize> {
        self.firsts[places.start] as usize..self.firsts[places.end] as usize
    }

    /// Their sections.
    pub fn sections_of(&self, places: Range<usize>) -> Range<usize> {
        self.first_sections[places.start] as usize..self.first_sections[places.end] as usize
    }

    /// Their derived texts.
    pub fn derived_of(&self, places: Range<usize>) -> Range<usize> {
        let [start, end] = [places.start, places.end].map(|place| self.first_derived[place] as usize);
        self.sentences() + start..self.sentences() + end
    }

    /// How many sentences there are.
    pub fn sentences(&self) -> usize {
        self.terms.len()
    }

    /// How many texts the row holds: sentences, then derived texts.
    pub fn texts(&self) -> usize {
        self.sentences() + self.first_derived.last().map_or(0, |&end| end as usize)
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
        self.document(self.holder_near(sentence, hint.map_or(0, |&place| place as usize)))
    }

    /// The place of the document that holds a sentence, which is probably not far behind another one.
    pub fn holder_near(&self, sentence: u32, place: usize) -> usize {
        last_at_most(&self.firsts[..self.count()], sentence, place)
    }

    /// The document that has a section of the row of sections.
    pub fn section_holder(&self, section: u32) -> &AtlasEntry<'p> {
        self.document(self.first_sections[..self.count()].partition_point(|&first| first <= section) - 1)
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
    pub fn new(atlas: &Atlas<'_>, numbers: &DocumentSet, kept: Option<&Sections>) -> Self {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in places(atlas, numbers) {
            match runs.last_mut() {
                Some(run) if run.end == at => run.end += 1,
                _ => runs.push(at..at + 1),
            }
        }
        let (mut texts, mut sections) = (Marks::new(atlas.texts()), Marks::new(atlas.sections()));
        for run in &runs {
            texts.add(narrow(atlas.sentences_of(run.clone())));
            texts.add(narrow(atlas.derived_of(run.clone())));
            sections.add(narrow(atlas.sections_of(run.clone())));
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
    /// None of these.
    pub copies: Option<&'a FurtherCopies>,
}

impl Findable<'_> {
    /// Whether one of these texts is of an allowed document.
    pub fn finds_any(&self, texts: Range<u32>) -> bool {
        self.allowed.is_none_or(|allowed| allowed.texts.has_any(texts))
    }

    /// Whether a unit may be found whose anchor is in this section of an allowed document.
    pub fn finds(&self, section: u32) -> bool {
        self.allowed.is_none_or(|allowed| allowed.finds(section))
            && !self.copies.is_some_and(|copies| copies.sections.has(section))
    }

    /// Whether a sentence may be found.
    #[inline]
    pub fn finds_sentence(&self, atlas: &Atlas<'_>, sentence: u32) -> bool {
        let is_allowed =
            |allowed: &Allowed| allowed.texts.has(sentence) && allowed.finds(atlas.section_of[sentence as usize]);
        self.allowed.is_none_or(is_allowed) && !self.copies.is_some_and(|copies| copies.sentences.has(sentence))
    }
}

/// Where further copies of a text are.
pub struct FurtherCopies {
    sentences: Marks,
    sections: Marks,
}

impl FurtherCopies {
    /// All documents of these groups but the first of each; `None` where there are no groups.
    pub fn new(atlas: &Atlas<'_>, groups: &[Vec<DocumentNumber>]) -> Option<Self> {
        let all = || Self { sentences: Marks::new(atlas.sentences()), sections: Marks::new(atlas.sections()) };
        let mut copies = (!groups.is_empty()).then(all)?;
        for place in groups.iter().flat_map(|group| &group[1..]).filter_map(|&number| atlas.place(number)) {
            copies.sentences.add(narrow(atlas.sentences_of(place..place + 1)));
            copies.sections.add(narrow(atlas.sections_of(place..place + 1)));
        }
        Some(copies)
    }

    /// Writes them for [`Self::kept`].
    pub fn keep(&self, rows: &mut SeriesWriter) {
        rows.put(self.sentences.words());
        rows.put(self.sections.words());
    }

    /// What [`Self::keep`] wrote; `None` where it is of other documents.
    pub fn kept(rows: &mut SeriesReader, atlas: &Atlas<'_>) -> Option<Self> {
        let mut marks = |end: usize| {
            let words = rows.next::<u64>()?;
            (words.len() == Marks::new(end).words().len()).then(|| Marks::of(&words))
        };
        Some(Self { sentences: marks(atlas.sentences())?, sections: marks(atlas.sections())? })
    }
}

/// The places of these documents, ascending: each is looked for from the one before on, because permissions leave most
/// documents, and filters few.
fn places(atlas: &Atlas<'_>, numbers: &DocumentSet) -> impl Iterator<Item = usize> {
    let mut near = 0;
    let is_below = |number: &&DocumentNumber| atlas.numbers.first().is_none_or(|first| *number < first);
    numbers.numbers().iter().skip_while(is_below).filter_map(move |&number| {
        near = last_at_most(&atlas.numbers, number, near);
        (atlas.numbers[near] == number).then_some(near)
    })
}

/// Where these sections are; all sections of documents that are not named.
fn marked(atlas: &Atlas<'_>, sections: &Sections) -> Marks {
    let mut marks = Marks::new(atlas.sections());
    for (place, number) in atlas.numbers.iter().enumerate() {
        let own = narrow(atlas.sections_of(place..place + 1));
        match sections.get(number) {
            None => marks.add(own),
            Some(kept) => kept.iter().for_each(|section| marks.add(own.start + section..own.start + section + 1)),
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
