//! Vectors on disk: one signed byte per component, one scale per row, and the lengths of the runs
//! that the default recipe scores.
//!
//! A run's cosine with the question is `(Σ q·sentence + q·context) / ‖Σ sentence + context‖`. The dot
//! products come from a scan of the rows; the lengths cannot (they would need every pair of rows),
//! so those of the [`MEASURED`] layers are computed from the exact rows when a document is stored.
//!
//! The question is rounded to 16 bits, the rows to 8, and the products are added as integers: the
//! scan is exact over what is stored and the same on every machine, vector instructions or not, so
//! there is nothing left to rescore.

use crate::document::{Layer, Structure};
use crate::embed::dot::{self, ScaledRows, float};
use crate::store::Vectors;
use std::ops::Range;

/// The layers whose lengths are stored: the scales of the default recipe.
pub const MEASURED: [Layer; 3] = [Layer::Sentence, Layer::Window(2), Layer::Paragraph];

/// Packs the vectors of a document: lengths of the measured layers, scales, rows; little-endian.
pub fn pack(vectors: &Vectors, structure: &Structure, dimensions: usize) -> Vec<u8> {
    let mut packed = Vec::with_capacity((vectors.sentences.len() + vectors.sections.len()) * 2);
    for layer in MEASURED {
        for length in lengths(layer, vectors, structure, dimensions) {
            packed.extend(length.to_le_bytes());
        }
    }
    packed
        .extend(pack_rows(vectors.sentences.chunks_exact(dimensions).chain(vectors.sections.chunks_exact(dimensions))));
    packed
}

/// Packs rows of unit length: scales and rows, no lengths.
pub fn pack_normalised(rows: &[f32], dimensions: usize) -> Vec<u8> {
    let mut rows = rows.to_vec();
    rows.chunks_exact_mut(dimensions.max(1)).for_each(crate::embed::normalize);
    pack_rows(rows.chunks_exact(dimensions.max(1)))
}

/// Scales, then rows.
fn pack_rows<'r>(rows: impl Iterator<Item = &'r [f32]> + Clone) -> Vec<u8> {
    let mut packed: Vec<u8> = rows.clone().flat_map(|row| scale_of(row).to_le_bytes()).collect();
    packed.extend(rows.flat_map(|row| {
        let inverse = 1.0 / scale_of(row);
        row.iter().map(move |x| (x * inverse).round() as i8 as u8)
    }));
    packed
}

/// What the largest component is divided by to give 127; 1 for a row of zeros.
fn scale_of(row: &[f32]) -> f32 {
    let largest = row.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
    if largest > 0.0 { largest / 127.0 } else { 1.0 }
}

/// The length of each run of a layer with its section's context added once.
fn lengths(layer: Layer, vectors: &Vectors, structure: &Structure, dimensions: usize) -> Vec<f32> {
    let row = |rows: &[f32], i: usize| rows[i * dimensions..(i + 1) * dimensions].to_vec();
    let runs = layer.runs(structure, "");
    runs.into_iter()
        .enumerate()
        .map(|(unit, run)| {
            let anchor = layer.anchor(unit, &run);
            let mut sum = row(&vectors.sections, structure.section_number(anchor));
            for sentence in run {
                add(&mut sum, &vectors.sentences[sentence * dimensions..(sentence + 1) * dimensions]);
            }
            length(&sum)
        })
        .collect()
}

/// Adds a row to a sum.
pub fn add(sum: &mut [f32], row: &[f32]) {
    for (total, x) in sum.iter_mut().zip(row) {
        *total += x;
    }
}

/// Adds a row to a sum, weighted.
pub fn add_scaled(sum: &mut [f32], row: &[f32], weight: f32) {
    for (total, x) in sum.iter_mut().zip(row) {
        *total += weight * x;
    }
}

/// The Euclidean length.
pub fn length(row: &[f32]) -> f32 {
    row.iter().map(|x| x * x).sum::<f32>().sqrt()
}

/// The packed vectors of one document, read in place.
#[derive(Debug, Clone, Copy)]
pub struct PackedVectors<'a> {
    lengths: &'a [u8],
    scales: &'a [u8],
    rows: &'a [u8],
    dimensions: usize,
}

impl<'a> PackedVectors<'a> {
    /// Reads what [`pack`] wrote; `None` when the bytes cannot be that.
    pub fn new(bytes: &'a [u8], rows: usize, dimensions: usize) -> Option<Self> {
        let of_rows = rows.checked_mul(dimensions)?;
        let of_scales = rows.checked_mul(4)?;
        let lengths = bytes.len().checked_sub(of_rows)?.checked_sub(of_scales)?;
        let (lengths, rest) = bytes.split_at(lengths);
        let (scales, rows) = rest.split_at(of_scales);
        Some(Self { lengths, scales, rows, dimensions })
    }

    /// Some of the stored lengths: those of the first measured layer come first, then the next.
    pub fn lengths(self, which: Range<usize>) -> impl Iterator<Item = f32> + 'a {
        self.lengths.chunks_exact(4).skip(which.start).take(which.len()).map(float)
    }

    /// The dot products of the question with as many rows as there is room for, from this one on; sentences come first,
    /// then sections.
    pub fn dots(self, question: &QuestionVector, first: usize, dots: &mut [f32]) {
        let rows = first..first + dots.len();
        let of_rows = &self.rows[rows.start * self.dimensions..rows.end * self.dimensions];
        let scales = &self.scales[rows.start * 4..rows.end * 4];
        dot::scan(&question.components, question.step, ScaledRows { components: of_rows, scales }, dots);
    }

    /// One row as it is stored: signed bytes, and what they are multiplied with.
    pub fn components(self, index: usize) -> (&'a [u8], f32) {
        let row = &self.rows[index * self.dimensions..(index + 1) * self.dimensions];
        (row, float(&self.scales[index * 4..index * 4 + 4]))
    }

    /// One row as it was before packing, up to rounding.
    pub fn row(self, index: usize) -> impl Iterator<Item = f32> + 'a {
        let (row, scale) = self.components(index);
        row.iter().map(move |&byte| f32::from(byte.cast_signed()) * scale)
    }
}

/// A question's vector, rounded for the scan.
#[derive(Debug, Clone)]
pub struct QuestionVector {
    components: Vec<i16>,
    step: f32,
}

impl QuestionVector {
    /// Rounds a vector so that a sum over its components can never overflow 32 bits.
    pub fn new(vector: &[f32]) -> Self {
        let most = (i32::MAX as usize / (127 * vector.len().max(1) + 1)).min(i16::MAX as usize) as f32;
        let largest = vector.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
        let step = if largest > 0.0 { largest / most } else { 1.0 };
        Self { components: vector.iter().map(|x| (x / step).round() as i16).collect(), step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Section, Sentence, Span};
    use proptest::prelude::*;

    fn document(sentences: usize) -> Structure {
        let sentence =
            |i: usize| Sentence { span: Span::new(i, i + 1), tokens: 1, terms: 1, heading: false, attached: true };
        Structure {
            sentences: (0..sentences).map(sentence).collect(),
            paragraphs: vec![0],
            sections: vec![Section { first: 0, path: vec![], terms: 0 }],
            pages: vec![],
            images: vec![],
        }
    }

    proptest! {
        #[test]
        fn a_scan_finds_the_exact_dot_products(
            (dimensions, rows, question) in (1..70usize).prop_flat_map(
                |d| (Just(d), prop::collection::vec(-2.0..2.0f32, d * 4), prop::collection::vec(-1.0..1.0f32, d)))
        ) {
            let (sentences, sections) = rows.split_at(dimensions * 3);
            let vectors = Vectors { sentences: sentences.to_vec(), sections: sections.to_vec(), derived: Vec::new() };
            let bytes = pack(&vectors, &document(3), dimensions);
            let packed = PackedVectors::new(&bytes, 4, dimensions).unwrap();
            prop_assert_eq!(packed.lengths(0..usize::MAX).count(), 3 + 3 + 1);
            let mut dots = [0.0; 4];
            packed.dots(&QuestionVector::new(&question), 0, &mut dots);
            for ((found, row), stored) in dots.into_iter().zip(rows.chunks(dimensions)).zip(0..) {
                let exact: f32 = row.iter().zip(&question).map(|(a, b)| a * b).sum();
                let error = 0.5 * scale_of(row) * question.iter().map(|x| x.abs()).sum::<f32>() + 1e-3;
                prop_assert!((found - exact).abs() <= error, "{found} {exact}");
                prop_assert!(packed.row(stored).zip(row).all(|(a, b)| (a - b).abs() <= scale_of(row)));
            }
        }
    }

    #[test]
    fn foreign_bytes_are_refused() {
        assert!(PackedVectors::new(&[0; 10], 4, 256).is_none());
        assert!(PackedVectors::new(&[], usize::MAX, 256).is_none());
    }
}
