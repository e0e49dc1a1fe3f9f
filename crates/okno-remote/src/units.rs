//! From a document to the rows that are searched: each unit of each made layer with its vector and its terms.
//!
//! A unit's vector is the sum of its sentences' and of what stands above them, of unit length, so that an inner product
//! is the cosine. Its terms are its sentences' and those of title and headings, counted, each as a hash of 32 bits.
//! BM25 saturates counts and discounts lengths; an engine does so itself, or is given the weights ([`saturated`]). How
//! rare a term is comes with the question, because it changes with every document.

use crate::layers::{LayerCode, MADE};
use okno::document::{Derived, Layer, Structure};
use okno::embed::normalize;
use okno::store::{CONTEXT_WEIGHT, K1, Vectors, length_share};
use okno::text::terms;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// A term as a dimension of a sparse vector: below `u32::MAX`, which Milvus keeps for itself.
pub type Dimension = u32;

/// Counts of terms, by ascending dimension.
pub type TermCounts = Vec<(Dimension, f32)>;

/// The dimension of a term; below that of no term.
pub fn dimension(term: &str) -> Dimension {
    (xxh3_64(term.as_bytes()) % u64::from(NO_TERM)) as u32
}

/// Where a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitPlace {
    /// Its number among its document's units of the layer; for a derived one, among all derived units.
    pub ordinal: u32,
    /// The sentences it stands for.
    pub first: u32,
    pub end: u32,
    /// The section of its anchor.
    pub section: u32,
}

impl UnitPlace {
    fn run(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The words of a document, and where its units are.
pub struct UnitSource<'d> {
    text: &'d str,
    structure: &'d Structure,
    derived: &'d [Derived],
    words: DocumentTerms,
}

impl<'d> UnitSource<'d> {
    /// A document, with what the lexical leg sees above all of it.
    pub fn new(text: &'d str, structure: &'d Structure, derived: &'d [Derived], above: &str) -> Self {
        Self { text, structure, derived, words: DocumentTerms::new(text, structure, above) }
    }

    /// The units of a layer.
    pub fn places(&self, code: LayerCode) -> Vec<UnitPlace> {
        let place = |ordinal: usize, run: Range<usize>, anchor: usize| UnitPlace {
            ordinal: ordinal as u32,
            first: run.start as u32,
            end: run.end as u32,
            section: self.structure.section_number(anchor) as u32,
        };
        match MADE[code] {
            Layer::Derived(kind) => {
                let of_kind = self.derived.iter().enumerate().filter(|(_, unit)| unit.kind == kind);
                of_kind.map(|(at, unit)| place(at, unit.sentences(), unit.first as usize)).collect()
            }
            layer => {
                let runs = layer.runs(self.structure, self.text).into_iter().enumerate();
                runs.map(|(at, run)| place(at, run.clone(), layer.anchor(at, &run))).collect()
            }
        }
    }

    /// The terms of a unit, those above it included.
    pub fn counts(&self, code: LayerCode, place: UnitPlace) -> TermCounts {
        match MADE[code] {
            Layer::Derived(_) => {
                let mut counts = dimensions_of(&self.derived[place.ordinal as usize].text);
                counts.extend_from_slice(&self.words.sections[place.section as usize]);
                added(counts)
            }
            _ => self.words.of(place.run(), place.section as usize),
        }
    }

    /// How many terms a unit has, those above it included.
    pub fn length(&self, code: LayerCode, place: UnitPlace) -> f32 {
        match MADE[code] {
            Layer::Derived(_) => {
                let context = self.structure.sections[place.section as usize].terms as f32;
                terms::count(&self.derived[place.ordinal as usize].text) as f32 + CONTEXT_WEIGHT * context
            }
            _ => length(self.structure, place.run(), place.section as usize),
        }
    }
}

/// How many terms a run has, those above it included.
pub fn length(structure: &Structure, run: Range<usize>, section: usize) -> f32 {
    let own: u32 = structure.sentences[run].iter().map(|sentence| sentence.terms).sum();
    own as f32 + CONTEXT_WEIGHT * structure.sections[section].terms as f32
}

/// The vector of a unit, of unit length or zero.
pub fn dense(vectors: &Vectors, code: LayerCode, place: UnitPlace, dimensions: usize) -> Vec<f32> {
    match MADE[code] {
        Layer::Derived(_) => {
            let at = place.ordinal as usize * dimensions;
            let mut row = vectors.derived[at..at + dimensions].to_vec();
            normalize(&mut row);
            row
        }
        _ => summed(vectors, place.run(), place.section as usize, dimensions),
    }
}

/// The vector of a run with what stands above it, of unit length.
pub fn summed(vectors: &Vectors, run: Range<usize>, section: usize, dimensions: usize) -> Vec<f32> {
    let mut sum = vectors.sections[section * dimensions..(section + 1) * dimensions].to_vec();
    for sentence in vectors.sentences[run.start * dimensions..run.end * dimensions].chunks_exact(dimensions) {
        sum.iter_mut().zip(sentence).for_each(|(total, x)| *total += x);
    }
    normalize(&mut sum);
    sum
}

/// The terms of a document, sentence by sentence and section by section.
pub struct DocumentTerms {
    pub sentences: Vec<TermCounts>,
    pub sections: Vec<TermCounts>,
}

impl DocumentTerms {
    /// The terms of a text; `above` is what stands above all of it.
    pub fn new(text: &str, structure: &Structure, above: &str) -> Self {
        let above = dimensions_of(above);
        let section = |section: &okno::document::Section| {
            let mut counts = above.clone();
            counts.extend(section.path.iter().flat_map(|heading| dimensions_of(heading.of(text))));
            for (_, count) in &mut counts {
                *count *= CONTEXT_WEIGHT;
            }
            added(counts)
        };
        Self {
            sentences: structure.sentences.iter().map(|sentence| dimensions_of(sentence.span.of(text))).collect(),
            sections: structure.sections.iter().map(section).collect(),
        }
    }

    /// Those of a run with what stands above it.
    pub fn of(&self, run: Range<usize>, section: usize) -> TermCounts {
        added(self.sentences[run].iter().flatten().chain(&self.sections[section]).copied().collect())
    }
}

fn dimensions_of(text: &str) -> TermCounts {
    let mut counts = Vec::new();
    terms::terms(text, &mut |term| counts.push((dimension(term), 1.0)));
    added(counts)
}

/// Counts of the same term added up.
fn added(mut counts: TermCounts) -> TermCounts {
    counts.sort_unstable_by_key(|&(dimension, _)| dimension);
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    counts
}

/// What BM25 makes of a count in a unit of this length.
pub fn saturated(count: f32, length: f32, layer: Layer, mean: f32) -> f32 {
    let share = length_share(layer);
    count * (K1 + 1.0) / (count + K1 * (1.0 - share + share * length / mean))
}

/// The dimension of no term: one that no question asks for, for engines that keep no empty vectors.
pub const NO_TERM: Dimension = u32::MAX - 1;

#[cfg(test)]
mod tests {
    use super::*;
    use okno::store::contract::{DIMENSIONS, document};

    #[test]
    fn a_window_has_the_words_of_its_sentences_and_the_title_once() {
        let document = document("tea", "Green tea. Black tea. No coffee.");
        let source = UnitSource::new(&document.text, &document.structure, &[], "tea");
        assert_eq!([0, 1, 2, 3].map(|code| source.places(code).len()), [3, 3, 1, 0]);
        let count = |code, place, term: &str| {
            let counts = source.counts(code, place);
            counts.iter().find(|(own, _)| *own == dimension(term)).map(|(_, count)| *count)
        };
        let (sentence, window) = (source.places(0)[0], source.places(1)[1]);
        assert_eq!((count(0, sentence, "tea"), count(1, window, "tea")), (Some(2.0), Some(3.0)));
        assert_eq!(window, UnitPlace { ordinal: 1, first: 0, end: 3, section: 0 });
        assert!((source.length(1, window) - 7.0).abs() < 1e-6);
        let vector = dense(&document.vectors, 1, window, DIMENSIONS);
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
        assert!((saturated(1.0, 7.0, MADE[1], 7.0) - 1.0).abs() < 1e-6, "at the mean length a single word weighs 1");
    }
}
