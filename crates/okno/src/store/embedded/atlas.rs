//! One generation laid out flat: all sentences of all documents in one row, numbered from 0.
//!
//! Scoring works on these numbers; [`Units`] are a layer's runs over them. Both are built once per
//! generation and shared by all searches.

use super::vectors::{MEASURED, Packed, add, length};
use crate::document::{Layer, Structure};
use crate::store::{DocumentNumber, Run, Sections};
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
        });
    }

    /// A document by its number.
    pub fn get(&self, number: DocumentNumber) -> Option<&Entry<'p>> {
        self.by_number.get(&number).map(|&at| &self.documents[at])
    }

    /// How many sentences there are.
    pub fn sentences(&self) -> usize {
        self.terms.len()
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
    /// The sentences of each unit: starts and ends both ascend.
    pub runs: Vec<Range<u32>>,
    /// The sentence that stands for each unit.
    anchors: Vec<u32>,
    /// The units that hold each sentence.
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
        let mut runs = Vec::new();
        let mut anchors = Vec::new();
        for entry in &atlas.documents {
            for (unit, run) in layer.runs(&entry.structure, entry.text).into_iter().enumerate() {
                anchors.push(entry.first + layer.anchor(unit, &run) as u32);
                runs.push(entry.first + run.start as u32..entry.first + run.end as u32);
            }
        }
        let section: Vec<u32> = anchors.iter().map(|&anchor| atlas.section_of[anchor as usize]).collect();
        let own = |run: &Range<u32>| atlas.terms[run.start as usize..run.end as usize].iter().sum::<u32>() as f32;
        let terms: Vec<f32> = runs
            .iter()
            .zip(&section)
            .map(|(run, &s)| own(run) + context_weight * atlas.context_terms[s as usize] as f32)
            .collect();
        Self {
            holding: holding(&runs, atlas.sentences()),
            of_section: grouped(&section, atlas.sections()),
            mean_terms: (terms.iter().sum::<f32>() / terms.len().max(1) as f32).max(1.0),
            lengths: lengths(layer, atlas, &runs, &section),
            section,
            runs,
            anchors,
            terms,
        }
    }

    /// A unit as the rest of the program names it.
    pub fn run(&self, unit: usize, atlas: &Atlas<'_>) -> Run {
        let entry = atlas.holder(self.anchors[unit]);
        let Range { start, end } = self.runs[unit];
        Run {
            document: entry.number,
            first: start - entry.first,
            end: end - entry.first,
            anchor: self.anchors[unit] - entry.first,
        }
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

/// For each sentence the units that hold it: a range, because starts and ends both ascend.
fn holding(runs: &[Range<u32>], sentences: usize) -> Vec<Range<u32>> {
    let (mut low, mut high) = (0, 0);
    (0..sentences as u32)
        .map(|sentence| {
            while low < runs.len() && runs[low].end <= sentence {
                low += 1;
            }
            while high < runs.len() && runs[high].start <= sentence {
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
