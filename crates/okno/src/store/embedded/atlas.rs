//! One generation laid out flat: all sentences of all documents in one row, numbered from 0, and
//! behind them all derived texts.
//!
//! Scoring works on these numbers; [`super::units::Units`] are a layer's runs over them. Both are built once per
//! generation and shared by all searches.

use super::blob::StoredText;
use super::marks::Marks;
use super::vectors::PackedVectors;
use crate::document::{Derived, Structure};
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
    /// For each sentence its section.
    pub section_of: Arc<[u32]>,
    /// How many terms each sentence has.
    pub terms: Vec<u32>,
    /// How many terms the title and headings of each section have.
    pub context_terms: Vec<u32>,
    /// How many derived texts there are.
    derived: u32,
    /// The length of a vector.
    pub dimensions: usize,
}

/// One document in the atlas.
pub struct AtlasEntry<'p> {
    /// Its number.
    pub number: DocumentNumber,
    /// Its sentences.
    pub structure: Arc<Structure>,
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
    /// Texts made about it, by ascending first sentence.
    pub derived: Arc<[Derived]>,
    /// Their vectors.
    pub derived_vectors: PackedVectors<'p>,
    /// Its first derived text, counted behind all sentences.
    first_derived: u32,
}

impl AtlasEntry<'_> {
    /// Its sentences in the row.
    pub fn sentences(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.structure.sentences.len()
    }

    /// Its sections in the row of sections.
    pub fn sections(&self) -> Range<usize> {
        let first = self.first_section as usize;
        first..first + self.structure.sections.len()
    }
}

/// A document before it has a place.
pub struct UnplacedDocument<'p> {
    pub number: DocumentNumber,
    pub structure: Structure,
    pub text: StoredText<'p>,
    pub record: &'p [u8],
    pub vectors: PackedVectors<'p>,
    pub derived: Vec<Derived>,
    pub derived_vectors: PackedVectors<'p>,
}

impl<'p> Atlas<'p> {
    /// Lays out documents given by ascending number.
    pub fn new(parts: impl Iterator<Item = UnplacedDocument<'p>>, dimensions: usize) -> Self {
        let mut atlas = Self {
            documents: Vec::new(),
            numbers: Vec::new(),
            firsts: Vec::new(),
            section_of: Arc::new([]),
            terms: Vec::new(),
            context_terms: Vec::new(),
            derived: 0,
            dimensions,
        };
        let mut section_of = Vec::new();
        for part in parts {
            atlas.push(part, &mut section_of);
        }
        atlas.section_of = section_of.into();
        atlas
    }

    fn push(&mut self, part: UnplacedDocument<'p>, section_of: &mut Vec<u32>) {
        let (first, first_section) = (self.terms.len() as u32, self.context_terms.len() as u32);
        self.terms.extend(part.structure.sentences.iter().map(|s| s.terms));
        section_of.extend(
            (0..part.structure.sentences.len()).map(|i| first_section + part.structure.section_number(i) as u32),
        );
        self.context_terms.extend(part.structure.sections.iter().map(|s| s.terms));
        self.numbers.push(part.number);
        self.firsts.push(first);
        self.documents.push(AtlasEntry {
            number: part.number,
            structure: Arc::new(part.structure),
            text: part.text,
            record: part.record,
            vectors: part.vectors,
            first,
            first_section,
            first_derived: self.derived,
            derived_vectors: part.derived_vectors,
            derived: part.derived.into(),
        });
        self.derived += self.documents.last().map_or(0, |entry| entry.derived.len() as u32);
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
        first..first + entry.derived.len()
    }

    /// How many sections there are.
    pub fn sections(&self) -> usize {
        self.context_terms.len()
    }

    /// The document that holds a sentence of the row.
    pub fn holder(&self, sentence: u32) -> &AtlasEntry<'p> {
        &self.documents[self.firsts.partition_point(|&first| first <= sentence) - 1]
    }

    /// The document that has a section of the row of sections.
    pub fn section_holder(&self, section: u32) -> &AtlasEntry<'p> {
        &self.documents[self.documents.partition_point(|entry| entry.first_section <= section) - 1]
    }
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
