//! Vectors on disk: four bits per component, one scale per row, and the lengths of the runs that the
//! default recipe scores. Documents that were written before index format 7 have eight bits.
//!
//! A run's cosine with the question is `(Σ q·sentence + q·context) / ‖Σ sentence + context‖`. The dot
//! products come from a scan of the rows; the lengths cannot (they would need every pair of rows),
//! so those of the [`MEASURED`] layers are computed from the exact rows when a document is stored.
//!
//! The question is rounded to 16 bits, and the products are added as integers: the
//! scan is exact over what is stored and the same on every machine, vector instructions or not, so
//! there is nothing left to rescore.

use crate::document::{Layer, Structure};
use crate::embed::dot::{self, Bits, LEVELS, ScaledRows, float};
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

/// Sums that are made at the same time. Each adds its components one after the other, so that the same bits come out
/// everywhere, and a sum by itself mostly waits for its last addition.
const ABREAST: usize = 4;

/// Scales, then rows of [`Bits::Four`].
fn pack_rows<'r>(rows: impl Iterator<Item = &'r [f32]>) -> Vec<u8> {
    let rows: Vec<&[f32]> = rows.collect();
    let (mut scales, mut packed) = (Vec::with_capacity(rows.len() * 4), Vec::new());
    let mut levels: [Vec<u8>; ABREAST] = std::array::from_fn(|_| Vec::new());
    for rows in rows.chunks(ABREAST) {
        for (row, levels) in rows.iter().zip(&mut levels) {
            levels.resize(row.len(), 0);
            nearest_levels(row, unit_of(row), levels);
            dot::put_together(levels, &mut packed);
        }
        // What is beyond the last row gives scales that nobody takes.
        let both = std::array::from_fn(|at| rows.get(at).map_or((&[][..], &[][..]), |row| (*row, &levels[at][..])));
        scales.extend(scales_of(both).into_iter().take(rows.len()).flat_map(f32::to_le_bytes));
    }
    scales.append(&mut packed);
    scales
}

/// What the largest component is divided by to be of the largest level; 1 for a row of zeros.
fn unit_of(row: &[f32]) -> f32 {
    let largest = row.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
    if largest > 0.0 { largest / f32::from(LEVELS[15]) } else { 1.0 }
}

/// The levels that are nearest to components divided by this unit.
fn nearest_levels(row: &[f32], unit: f32, levels: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, checked above.
        return unsafe { nearest_levels_avx2(row, unit, levels) };
    }
    nearest_levels_plain(row, unit, levels);
}

/// The same, compiled for wider vector instructions: the same operations, so the same levels.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn nearest_levels_avx2(row: &[f32], unit: f32, levels: &mut [u8]) {
    nearest_levels_plain(row, unit, levels);
}

#[expect(clippy::inline_always, reason = "a function of its own would be compiled without wider instructions")]
#[inline(always)]
fn nearest_levels_plain(row: &[f32], unit: f32, levels: &mut [u8]) {
    for (level, x) in levels.iter_mut().zip(row) {
        *level = nearest_level(x / unit);
    }
}

/// The number of the level that is nearest: of how many limits between two levels it is beyond. Counted in 32 bits, as
/// wide as what is compared.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn nearest_level(component: f32) -> u8 {
    let limit = |pair: &[i8]| f32::midpoint(f32::from(pair[0]), f32::from(pair[1]));
    LEVELS.windows(2).map(|pair| u32::from(component > limit(pair))).sum::<u32>() as u8
}

/// What the levels of each row are multiplied with, so that the dot product of the row with itself comes out; 0 for a
/// row of zeros.
fn scales_of(rows: [(&[f32], &[u8]); ABREAST]) -> [f32; ABREAST] {
    const VALUES: [f32; LEVELS.len()] = {
        let mut values = [0.0; LEVELS.len()];
        let mut at = 0;
        while at < values.len() {
            values[at] = LEVELS[at] as f32;
            at += 1;
        }
        values
    };
    let (mut along, mut squares) = ([0.0; ABREAST], [0.0; ABREAST]);
    for at in 0..rows[0].0.len() {
        for (turn, (row, levels)) in rows.iter().enumerate() {
            if let (Some(x), Some(&level)) = (row.get(at), levels.get(at)) {
                along[turn] += x * VALUES[usize::from(level) % VALUES.len()];
                squares[turn] += x * x;
            }
        }
    }
    std::array::from_fn(|at| if along[at] > 0.0 { squares[at] / along[at] } else { 0.0 })
}

/// The length of each run of a layer with its section's context added once.
fn lengths(layer: Layer, vectors: &Vectors, structure: &Structure, dimensions: usize) -> Vec<f32> {
    fn row(rows: &[f32], i: usize, dimensions: usize) -> &[f32] {
        &rows[i * dimensions..(i + 1) * dimensions]
    }
    let runs = layer.runs(structure, "");
    let mut lengths = Vec::with_capacity(runs.len());
    let mut sums = vec![0.0; ABREAST * dimensions];
    for (first, runs) in (0..).step_by(ABREAST).zip(runs.chunks(ABREAST)) {
        for ((unit, run), sum) in (first..).zip(runs).zip(sums.chunks_exact_mut(dimensions)) {
            let anchor = layer.anchor(unit, run);
            sum.copy_from_slice(row(&vectors.sections, structure.section_number(anchor), dimensions));
            run.clone().for_each(|sentence| add(sum, row(&vectors.sentences, sentence, dimensions)));
        }
        lengths.extend(squares(&sums, dimensions).into_iter().take(runs.len()).map(f32::sqrt));
    }
    lengths
}

/// The sum of the squares of each of these rows.
fn squares(rows: &[f32], dimensions: usize) -> [f32; ABREAST] {
    let rows: [&[f32]; ABREAST] = std::array::from_fn(|at| &rows[at * dimensions..][..dimensions]);
    let mut sums = [0.0; ABREAST];
    for at in 0..dimensions {
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum += row[at] * row[at];
        }
    }
    sums
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
    bits: Bits,
    dimensions: usize,
    /// The bytes of a row.
    row: usize,
}

impl<'a> PackedVectors<'a> {
    /// Reads what [`pack`] wrote; `None` when the bytes cannot be that.
    pub fn new(bytes: &'a [u8], bits: Bits, rows: usize, dimensions: usize) -> Option<Self> {
        let row = bits.row(dimensions)?;
        let of_rows = rows.checked_mul(row)?;
        let of_scales = rows.checked_mul(4)?;
        let lengths = bytes.len().checked_sub(of_rows)?.checked_sub(of_scales)?;
        let (lengths, rest) = bytes.split_at(lengths);
        let (scales, rows) = rest.split_at(of_scales);
        Some(Self { lengths, scales, rows, bits, dimensions, row })
    }

    /// Those of a document that is not what was stored: like no question.
    pub fn none(dimensions: usize) -> Self {
        Self { lengths: &[], scales: &[], rows: &[], bits: Bits::Four, dimensions, row: 0 }
    }

    /// Some of the stored lengths: those of the first measured layer come first, then the next.
    pub fn lengths(self, which: Range<usize>) -> impl Iterator<Item = f32> + 'a {
        self.lengths.chunks_exact(4).skip(which.start).take(which.len()).map(float)
    }

    /// The dot products of the question with as many rows as there is room for, from this one on; sentences come first,
    /// then sections.
    pub fn dots(self, question: &QuestionVector, first: usize, dots: &mut [f32]) {
        let rows = first..first + dots.len();
        let components = self.rows.get(rows.start * self.row..rows.end * self.row);
        let Some((components, scales)) = components.zip(self.scales.get(rows.start * 4..rows.end * 4)) else {
            return dots.fill(0.0);
        };
        let rows = ScaledRows { components, scales, bits: self.bits };
        dot::scan(&question.components, question.step, rows, dots);
    }

    /// Adds a row as it was before packing, up to rounding.
    pub fn add_row(self, index: usize, sum: &mut [f32]) {
        let row = &self.rows[index * self.row..(index + 1) * self.row];
        dot::add_row(row, self.bits, float(&self.scales[index * 4..index * 4 + 4]), sum);
    }

    /// The same row by itself.
    pub fn row(self, index: usize) -> Vec<f32> {
        let mut row = vec![0.0; self.dimensions];
        self.add_row(index, &mut row);
        row
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
            let packed = PackedVectors::new(&bytes, Bits::Four, 4, dimensions).unwrap();
            prop_assert_eq!(packed.lengths(0..usize::MAX).count(), 3 + 3 + 1);
            let mut dots = [0.0; 4];
            packed.dots(&QuestionVector::new(&question), 0, &mut dots);
            for ((found, row), stored) in dots.into_iter().zip(rows.chunks(dimensions)).zip(0..) {
                let read = packed.row(stored);
                let exact: f32 = read.iter().zip(&question).map(|(a, b)| a * b).sum();
                prop_assert!((found - exact).abs() <= 1e-2, "{found} {exact}");
                // Half of the widest step, 16, and what the scale is moved by: a sixth of 127 at most, where all
                // components lie in the middle of that step.
                let most = 40.0 * unit_of(row);
                prop_assert!(read.iter().zip(row).all(|(a, b)| (a - b).abs() <= most), "{read:?} {row:?}");
            }
        }

        /// Sums that are made at the same time are those of each row by itself, to the bit.
        #[test]
        fn every_sum_is_that_of_its_row(
            rows in (1..70usize).prop_flat_map(|d| prop::collection::vec(prop::collection::vec(-2.0..2.0f32, d), 1..12)),
        ) {
            let (dimensions, all) = (rows[0].len(), rows.concat());
            let packed = pack_rows(all.chunks_exact(dimensions));
            for (row, scale) in rows.iter().zip(packed.chunks_exact(4)) {
                let level = |x: &f32| f32::from(LEVELS[usize::from(nearest_level(x / unit_of(row)))]);
                let along: f32 = row.iter().map(|x| x * level(x)).sum();
                let squares: f32 = row.iter().map(|x| x * x).sum();
                let expected = if along > 0.0 { squares / along } else { 0.0 };
                prop_assert_eq!(float(scale).to_bits(), expected.to_bits());
            }
            let structure = document(rows.len());
            let vectors = Vectors { sentences: all, sections: rows[0].clone(), derived: Vec::new() };
            for layer in MEASURED {
                let length_of = |run: Range<usize>| {
                    let mut sum = rows[0].clone();
                    run.for_each(|sentence| add(&mut sum, &rows[sentence]));
                    length(&sum)
                };
                let expected: Vec<f32> = layer.runs(&structure, "").into_iter().map(length_of).collect();
                prop_assert_eq!(lengths(layer, &vectors, &structure, dimensions), expected);
            }
        }

        /// So that a copy of a copy is the first one.
        #[test]
        fn what_was_packed_is_packed_the_same_again(row in prop::collection::vec(-2.0..2.0f32, 1..70)) {
            let dimensions = row.len();
            let packed = pack_rows(std::iter::once(&row[..]));
            let read = PackedVectors::new(&packed, Bits::Four, 1, dimensions).unwrap().row(0);
            let again = pack_rows(std::iter::once(&read[..]));
            prop_assert_eq!(&again[4..], &packed[4..]);
            prop_assert!((float(&again) - float(&packed)).abs() <= 1e-5 * float(&packed));
        }
    }

    impl PackedVectors<'_> {
        /// As they were packed before index format 7.
        pub fn in_eight_bits(self) -> Vec<u8> {
            let rows: Vec<Vec<f32>> = (0..self.scales.len() / 4).map(|row| self.row(row)).collect();
            let scales = rows.iter().flat_map(|row| unit_of(row).to_le_bytes());
            let components =
                |row: &Vec<f32>| row.iter().map(|x| (x / unit_of(row)).round() as i8 as u8).collect::<Vec<_>>();
            self.lengths.iter().copied().chain(scales).chain(rows.iter().flat_map(components)).collect()
        }
    }

    #[test]
    fn eight_bits_are_read() {
        let packed = pack_rows([&[0.5, -0.25, 0.0, 1.0][..], &[1.0, 1.0, 1.0, 1.0]].into_iter());
        let packed = PackedVectors::new(&packed, Bits::Four, 2, 4).unwrap();
        let eight = packed.in_eight_bits();
        let eight = PackedVectors::new(&eight, Bits::Eight, 2, 4).unwrap();
        for row in 0..2 {
            assert!(packed.row(row).iter().zip(eight.row(row)).all(|(a, b)| (a - b).abs() < 0.01));
        }
        let dots = [packed, eight].map(|packed| {
            let mut dots = [0.0; 2];
            packed.dots(&QuestionVector::new(&[1.0, 0.5, 0.25, -0.5]), 0, &mut dots);
            dots
        });
        assert!(dots[0].iter().zip(dots[1]).all(|(a, b)| (a - b).abs() < 0.02), "{dots:?}");
    }

    #[test]
    fn zeros_stay_zeros() {
        let packed = pack_rows(std::iter::once(&[0.0; 5][..]));
        assert_eq!(PackedVectors::new(&packed, Bits::Four, 1, 5).unwrap().row(0), [0.0; 5]);
    }

    #[test]
    fn foreign_bytes_are_refused() {
        for bits in [Bits::Four, Bits::Eight] {
            assert!(PackedVectors::new(&[0; 10], bits, 4, 256).is_none());
            assert!(PackedVectors::new(&[], bits, usize::MAX, 256).is_none());
            assert!(PackedVectors::new(&[], bits, 1, usize::MAX).is_none());
        }
    }
}
