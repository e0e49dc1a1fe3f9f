//! One generation laid out flat: all sentences of all documents in one row, numbered from 0, and
//! behind them all derived texts.
//!
//! Scoring works on these numbers; [`Units`] are a layer's runs over them. Both are built once per
//! generation and shared by all searches.

use super::vectors::{MEASURED, Packed, add, length};
use crate::document::{Derived, DerivedKind, Layer, Structure};
use crate::store::{DocumentNumber, Run, Sections, terms};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// All documents of a generation.
pub struct Atlas<'p> {
    /// The documents, by ascending number.
    pub documents: Vec<Entry<'p>>,
    /// For each document number its place in `documents`.
    by_number: FxHashMap<DocumentNumber, usize>,
    /// For each sentence its section.
    section_of: Vec<u32>,
    /// How many terms each sentence has.
    terms: Vec<u32>,
    /// How many terms the title and headings of each section have.
    context_terms: Vec<u32>,
    /// How many derived texts there are.
    derived: u32,
    dimensions: usize,
}

/// One document in the atlas.
pub struct Entry<'p> {
    /// Its number.
    pub number: DocumentNumber,
    /// Its sentences.
    pub structure: Arc<Structure>,
    /// Its text.
    pub text: &'p str,
    /// Its record, still packed.
    pub record: &'p [u8],
    /// Its vectors.
    pub vectors: Packed<'p>,
    /// Its first sentence in the row.
    pub first: u32,
    /// Its first section in the row.
    pub first_section: u32,
    /// Texts made about it, by ascending first sentence.
    pub derived: Arc<[Derived]>,
    /// Their vectors.
    pub derived_vectors: Packed<'p>,
    /// Its first derived text, counted behind all sentences.
    first_derived: u32,
}

impl Entry<'_> {
    /// Its sentences in the row.
    pub fn sentences(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.structure.sentences.len()
    }
}

/// A document before it has a place.
pub struct Part<'p> {
    pub number: DocumentNumber,
    pub structure: Structure,
    pub text: &'p str,
    pub record: &'p [u8],
    pub vectors: Packed<'p>,
    pub derived: Vec<Derived>,
    pub derived_vectors: Packed<'p>,
}

impl<'p> Atlas<'p> {
    /// Lays out documents given by ascending number.
    pub fn new(parts: impl Iterator<Item = Part<'p>>, dimensions: usize) -> Self {
        let mut atlas = Self {
            documents: Vec::new(),
            by_number: FxHashMap::default(),
            section_of: Vec::new(),
            terms: Vec::new(),
            context_terms: Vec::new(),
            derived: 0,
            dimensions,
        };
        for part in parts {
            atlas.push(part);
        }
        atlas
    }

    fn push(&mut self, part: Part<'p>) {
        let (first, first_section) = (self.terms.len() as u32, self.context_terms.len() as u32);
        self.terms.extend(part.structure.sentences.iter().map(|s| s.terms));
        self.section_of.extend(
            (0..part.structure.sentences.len()).map(|i| first_section + part.structure.section_number(i) as u32),
        );
        self.context_terms.extend(part.structure.sections.iter().map(|s| s.terms));
        self.by_number.insert(part.number, self.documents.len());
        self.documents.push(Entry {
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
    pub fn get(&self, number: DocumentNumber) -> Option<&Entry<'p>> {
        self.by_number.get(&number).map(|&at| &self.documents[at])
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
    pub fn derived(&self, entry: &Entry<'_>, ordinal: u32) -> u32 {
        self.sentences() as u32 + entry.first_derived + ordinal
    }

    /// How many sections there are.
    pub fn sections(&self) -> usize {
        self.context_terms.len()
    }

    /// The document that holds a sentence of the row.
    fn holder(&self, sentence: u32) -> &Entry<'p> {
        &self.documents[self.documents.partition_point(|entry| entry.first <= sentence) - 1]
    }
}

/// A layer over the whole row.
pub struct Units {
    /// The texts of each unit: sentences, or one derived text. Starts and ends both ascend.
    pub runs: Vec<Range<u32>>,
    /// The sentence that stands for each unit.
    anchors: Vec<u32>,
    /// For a derived layer: which of its document's derived texts each unit is.
    ordinals: Vec<u32>,
    /// The units that hold each text.
    pub holding: Vec<Range<u32>>,
    /// The units whose anchor is in each section.
    pub of_section: Vec<Range<u32>>,
    /// The section of each unit's anchor.
    pub section: Vec<u32>,
    /// How many terms each unit has, those of its title and headings included.
    pub terms: Vec<f32>,
    /// Their mean.
    pub mean_terms: f32,
    /// The length of each unit's vector, its context included.
    pub lengths: Vec<f32>,
}

impl Units {
    /// Cuts every document into the units of a layer.
    pub fn new(layer: Layer, atlas: &Atlas<'_>, context_weight: f32) -> Self {
        if let Layer::Derived(kind) = layer {
            return Self::derived(kind, atlas, context_weight);
        }
        let mut runs = Vec::new();
        let mut anchors = Vec::new();
        for entry in &atlas.documents {
            for (unit, run) in layer.runs(&entry.structure, entry.text).into_iter().enumerate() {
                anchors.push(entry.first + layer.anchor(unit, &run) as u32);
                runs.push(entry.first + run.start as u32..entry.first + run.end as u32);
            }
        }
        let section = sections(&anchors, atlas);
        let lengths = lengths(layer, atlas, &runs, &section);
        let own = |run: &Range<u32>| atlas.terms[run.start as usize..run.end as usize].iter().sum::<u32>() as f32;
        let terms = runs.iter().map(own).collect();
        Self { lengths, ..Self::laid_out(runs, anchors, section, terms, atlas, context_weight) }
    }

    /// The derived texts of one kind. Their vectors have unit length, and hold their context already.
    fn derived(kind: DerivedKind, atlas: &Atlas<'_>, context_weight: f32) -> Self {
        let (mut runs, mut anchors, mut ordinals, mut terms) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for entry in &atlas.documents {
            for (ordinal, derived) in (0..).zip(entry.derived.iter()).filter(|(_, derived)| derived.kind == kind) {
                let place = atlas.derived(entry, ordinal);
                runs.push(place..place + 1);
                anchors.push(entry.first + derived.first);
                ordinals.push(ordinal);
                terms.push(terms::count(&derived.text) as f32);
            }
        }
        let section = sections(&anchors, atlas);
        Self {
            lengths: vec![1.0; runs.len()],
            ordinals,
            ..Self::laid_out(runs, anchors, section, terms, atlas, context_weight)
        }
    }

    /// Units with terms of their own, to which those of title and headings are added; without lengths.
    fn laid_out(
        runs: Vec<Range<u32>>,
        anchors: Vec<u32>,
        section: Vec<u32>,
        mut terms: Vec<f32>,
        atlas: &Atlas<'_>,
        context_weight: f32,
    ) -> Self {
        for (terms, &section) in terms.iter_mut().zip(&section) {
            *terms += context_weight * atlas.context_terms[section as usize] as f32;
        }
        Self {
            holding: holding(&runs, atlas.texts()),
            of_section: grouped(&section, atlas.sections()),
            mean_terms: (terms.iter().sum::<f32>() / terms.len().max(1) as f32).max(1.0),
            lengths: Vec::new(),
            ordinals: Vec::new(),
            section,
            runs,
            anchors,
            terms,
        }
    }

    /// A unit as the rest of the program names it.
    pub fn run(&self, unit: usize, atlas: &Atlas<'_>) -> (Run, Option<u32>) {
        let entry = atlas.holder(self.anchors[unit]);
        let (document, anchor) = (entry.number, self.anchors[unit] - entry.first);
        if let Some(&ordinal) = self.ordinals.get(unit) {
            let Derived { first, end, .. } = entry.derived[ordinal as usize];
            return (Run { document, first, end, anchor }, Some(ordinal));
        }
        let Range { start, end } = self.runs[unit];
        (Run { document, first: start - entry.first, end: end - entry.first, anchor }, None)
    }

    /// The units whose anchor is a sentence of this document.
    pub fn of_document(&self, entry: &Entry<'_>) -> Range<usize> {
        let sentences = entry.sentences();
        let at = |sentence: usize| self.anchors.partition_point(|&anchor| (anchor as usize) < sentence);
        at(sentences.start)..at(sentences.end)
    }

    /// Gives a score that nothing is below to units of the other sections of these documents.
    pub fn leave_out_others(&self, sections: &Sections, atlas: &Atlas<'_>, scores: &mut [f32]) {
        for (entry, kept) in sections.iter().filter_map(|(&number, kept)| Some((atlas.get(number)?, kept))) {
            let others = (0..entry.structure.sections.len() as u32).filter(|i| kept.binary_search(i).is_err());
            for section in others {
                let Range { start, end } = self.of_section[(entry.first_section + section) as usize];
                scores[start as usize..end as usize].fill(f32::NEG_INFINITY);
            }
        }
    }
}

/// The section of each anchor.
fn sections(anchors: &[u32], atlas: &Atlas<'_>) -> Vec<u32> {
    anchors.iter().map(|&anchor| atlas.section_of[anchor as usize]).collect()
}

/// For each text of the row the units that hold it: a range, because starts and ends both ascend.
fn holding(runs: &[Range<u32>], texts: usize) -> Vec<Range<u32>> {
    let (mut low, mut high) = (0, 0);
    (0..texts as u32)
        .map(|text| {
            while low < runs.len() && runs[low].end <= text {
                low += 1;
            }
            while high < runs.len() && runs[high].start <= text {
                high += 1;
            }
            low as u32..high as u32
        })
        .collect()
}

/// For each key the range of positions that have it, the keys ascending.
fn grouped(keys: &[u32], count: usize) -> Vec<Range<u32>> {
    let mut groups = vec![0..0; count];
    let mut start = 0;
    for group in keys.chunk_by(|a, b| a == b) {
        groups[group[0] as usize] = start..start + group.len() as u32;
        start += group.len() as u32;
    }
    groups
}

fn lengths(layer: Layer, atlas: &Atlas<'_>, runs: &[Range<u32>], section: &[u32]) -> Vec<f32> {
    match MEASURED.iter().position(|&measured| measured == layer) {
        Some(position) => atlas.documents.iter().flat_map(|entry| stored_lengths(entry, position)).collect(),
        None => {
            atlas.documents.iter().flat_map(|entry| summed_lengths(entry, atlas.dimensions, runs, section)).collect()
        }
    }
}

/// The lengths stored for a measured layer.
fn stored_lengths(entry: &Entry<'_>, position: usize) -> Vec<f32> {
    let count = |layer: &Layer| match layer {
        Layer::Paragraph => entry.structure.paragraphs.len(),
        _ => entry.structure.sentences.len(),
    };
    let before: usize = MEASURED[..position].iter().map(count).sum();
    entry.vectors.lengths().skip(before).take(count(&MEASURED[position])).collect()
}

/// The lengths of any other layer, from the rows themselves.
fn summed_lengths(entry: &Entry<'_>, dimensions: usize, runs: &[Range<u32>], section: &[u32]) -> Vec<f32> {
    let sentences = entry.structure.sentences.len();
    let row = |index: usize| entry.vectors.row(index).collect::<Vec<f32>>();
    let of_entry = runs.partition_point(|run| run.start < entry.first)
        ..runs.partition_point(|run| (run.start as usize) < entry.sentences().end);
    of_entry
        .map(|unit| {
            let mut sum = row(sentences + (section[unit] - entry.first_section) as usize);
            debug_assert_eq!(sum.len(), dimensions);
            for sentence in runs[unit].clone() {
                add(&mut sum, &row((sentence - entry.first) as usize));
            }
            length(&sum)
        })
        .collect()
}
