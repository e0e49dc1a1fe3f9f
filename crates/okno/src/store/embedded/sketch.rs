//! A small picture of every vector, for a first pass over indexes too large for an exact scan.
//!
//! Each component becomes two bits – ±1 or ±3, whichever is nearer – and each row keeps the factor that makes the
//! estimate of a dot product right on average. Estimates add up as dot products do, so windows and paragraphs are
//! estimated from their sentences like everything else; the best few thousand units are then scored exactly
//! ([`super::dense`]). A sketch is a quarter of the vectors (64 bytes and a factor for 256 components). Drawing it
//! costs a few exact scans, so it is kept with the rest of what opening an index computes ([`super::layout`]).

use super::atlas::Atlas;
use super::vectors::PackedVectors;
use crate::embed::dot::{self, ScaledRows};
use crate::packed::series::{Series, SeriesReader, SeriesWriter};

/// Where a component of a normal distribution is nearer to 3 than to 1 in units of the inner level, as a share of the
/// standard deviation: the best four levels (Max, 1960) are .45 and 1.51 with the limit at .98.
const LIMIT: f32 = 0.98;

/// Bytes of a row are a multiple of this: one vector register.
const REGISTER: usize = 32;

/// The sketches of all sentences and sections.
pub struct Sketch {
    /// Of the sentences, in the order of the row.
    pub sentences: SketchRows,
    /// Of the sections' contexts.
    pub sections: SketchRows,
}

impl Sketch {
    /// Draws all vectors of a generation.
    pub fn new(atlas: &Atlas<'_>) -> Self {
        let mut sentences = SketchPen::new(atlas.dimensions, atlas.sentences());
        let mut sections = SketchPen::new(atlas.dimensions, atlas.sections());
        for entry in &atlas.documents {
            let (own, total) = (entry.sentences().len(), entry.sentences().len() + entry.sections().len());
            (0..own).for_each(|row| sentences.draw(entry.vectors, row));
            (own..total).for_each(|row| sections.draw(entry.vectors, row));
        }
        Self { sentences: sentences.drawn(), sections: sections.drawn() }
    }

    /// Writes it for [`Self::kept`].
    pub fn keep(&self, rows: &mut SeriesWriter) {
        for part in [&self.sentences, &self.sections] {
            rows.put(&part.codes);
            rows.put(&part.factors);
        }
    }

    /// What [`Self::keep`] wrote; `None` where it is of other vectors.
    pub fn kept(rows: &mut SeriesReader, atlas: &Atlas<'_>) -> Option<Self> {
        let mut next = |count: usize| {
            let (codes, factors) = (rows.next::<u8>()?, rows.next::<u8>()?);
            let fits = codes.len() == count * stride(atlas.dimensions) && factors.len() == count * FACTOR;
            fits.then_some(SketchRows { codes, factors })
        };
        Some(Self { sentences: next(atlas.sentences())?, sections: next(atlas.sections())? })
    }
}

/// Bytes of a factor.
const FACTOR: usize = 4;

/// Rows of two-bit components.
pub struct SketchRows {
    /// Component d of a row is in byte `d % stride`, at bit `d / stride * 2`, as (±1 or ±3, plus 3) / 2.
    codes: Series<u8>,
    /// Little-endian numbers, as the exact rows have them.
    factors: Series<u8>,
}

/// Draws rows.
struct SketchPen {
    dimensions: usize,
    codes: Vec<u8>,
    factors: Vec<u8>,
}

impl SketchPen {
    fn new(dimensions: usize, rows: usize) -> Self {
        let codes = Vec::with_capacity(rows * stride(dimensions));
        Self { dimensions, codes, factors: Vec::with_capacity(rows * FACTOR) }
    }

    fn draw(&mut self, vectors: PackedVectors<'_>, row: usize) {
        let (components, scale) = vectors.components(row);
        let squares: f32 = components.iter().map(|&x| f32::from(x.cast_signed()).powi(2)).sum();
        let limit = LIMIT * (squares / self.dimensions as f32).sqrt();
        let (start, stride) = (self.codes.len(), stride(self.dimensions));
        self.codes.resize(start + stride, 0);
        let mut product = 0.0;
        for (dimension, &component) in components.iter().enumerate() {
            let value = f32::from(component.cast_signed());
            let level = if value.abs() > limit { 3.0 } else { 1.0 };
            product += value.abs() * level;
            let code = f32::midpoint(level.copysign(value), 3.0) as u8;
            self.codes[start + dimension % stride] |= code << (dimension / stride * 2);
        }
        let factor = if product > 0.0 { scale * squares / product } else { 0.0 };
        self.factors.extend(factor.to_le_bytes());
    }

    fn drawn(self) -> SketchRows {
        SketchRows { codes: self.codes.into(), factors: self.factors.into() }
    }
}

impl SketchRows {
    /// Estimates the dot product of the question with every row.
    pub fn estimates(&self, question: &Coarse) -> Vec<f32> {
        let mut estimates = vec![0.0; self.factors.len() / FACTOR];
        let rows = ScaledRows { components: &self.codes, scales: &self.factors };
        dot::scan_codes(&question.components, question.sum, question.step, rows, &mut estimates);
        estimates
    }
}

fn stride(dimensions: usize) -> usize {
    dimensions.div_ceil(4).next_multiple_of(REGISTER)
}

/// A question's vector, rounded to signed bytes and laid out as the codes are.
pub struct Coarse {
    /// Four times the bytes of a row.
    components: Vec<i8>,
    /// Their sum.
    sum: i32,
    step: f32,
}

impl Coarse {
    /// Rounds a vector.
    pub fn new(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
        let step = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        // Component d is at d / stride * stride + d % stride, which is d: what is left is padding.
        let mut components: Vec<i8> = vector.iter().map(|x| (x / step).round() as i8).collect();
        components.resize(stride(vector.len()) * 4, 0);
        Self { sum: components.iter().map(|&x| i32::from(x)).sum(), components, step }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectors::pack_normalised;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_estimate_is_near(
            rows in prop::collection::vec(-1.0..1.0f32, 3 * 200),
            question in prop::collection::vec(-1.0..1.0f32, 200),
        ) {
            let bytes = pack_normalised(&rows, 200);
            let packed = PackedVectors::new(&bytes, 3, 200).unwrap();
            let mut pen = SketchPen::new(200, 3);
            (0..3).for_each(|row| pen.draw(packed, row));
            let drawn = pen.drawn();
            let length = question.iter().map(|x| x * x).sum::<f32>().sqrt();
            for (row, estimate) in drawn.estimates(&Coarse::new(&question)).into_iter().enumerate() {
                let exact: f32 = packed.row(row).zip(&question).map(|(a, b)| a * b).sum();
                // Five standard deviations of the error of two bits in 200 dimensions.
                prop_assert!((estimate - exact).abs() < 5.0 * 0.4 / 200f32.sqrt() * length, "{estimate} {exact}");
            }
        }
    }
}
