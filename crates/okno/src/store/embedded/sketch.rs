//! A small picture of every sentence, for a first pass over indexes too large for an exact scan.
//!
//! Each component of a sentence's vector, its title and headings added, becomes two bits: ±1 or ±3, whichever is
//! nearer. That is half of the vectors. A row of them, weighed by the question's components, gives an estimate of the
//! row's cosine; the units that are best by estimate are then scored exactly ([`super::dense`]). The factor that makes
//! an estimate right on average differs by 4 % from row to row; one for all is as good: .994 of the 200 best of 797,028
//! sentences are among the 2,000 best by estimate, .997 with a factor for each.
//!
//! The upper bits of 32 rows lie together, four components at a time, so that a table of what four bits can add is
//! looked up for all rows at once ([`dot::sum_patterns`]), and so do the lower ones, elsewhere: the upper ones are the
//! signs and say enough of most rows, and the lower ones of the others are read. Drawing a sketch costs a few exact
//! scans, and it is kept with the rest of what opening an index computes ([`super::layout`]).

use super::atlas::{Atlas, AtlasEntry};
use crate::embed::dot::{self, PATTERNS, ROWS_TOGETHER};
use crate::packed::series::{Series, SeriesReader, SeriesWriter};

/// Where a component of a normal distribution is nearer to 3 than to 1 in units of the inner level, as a share of the
/// standard deviation: the best four levels (Max, 1960) are .45 and 1.51 with the limit at .98.
const LIMIT: f32 = 0.98;

/// A component times its level, on average and in standard deviations: .304 of those of level 1, 3 · .494 of level 3.
const OF_LEVELS: f32 = 1.785;

/// Components of a group, whose bits are one pattern.
const GROUP: usize = PATTERNS.ilog2() as usize;

/// Two bits for each component of all sentences' vectors.
pub struct Sketch {
    /// The upper bits, which are the signs, and the lower bits: each in blocks of [`ROWS_TOGETHER`] rows, as
    /// [`dot::sum_patterns`] reads them.
    bits: [Series<u8>; 2],
    /// Bytes of a block.
    block: usize,
}

impl Sketch {
    /// Draws all sentences of a generation.
    pub fn new(atlas: &Atlas<'_>) -> Self {
        let mut drawing = Drawing::new(atlas.dimensions, atlas.sentences());
        let mut vector = vec![0.0; atlas.dimensions];
        for entry in atlas.each_document() {
            for (own, text) in entry.sentences().enumerate() {
                sum_with_context(atlas, entry, own, &mut vector);
                drawing.draw(text, &vector);
            }
        }
        drawing.finish()
    }

    /// Writes it for [`Self::kept`].
    pub fn keep(&self, rows: &mut SeriesWriter) {
        self.bits.iter().for_each(|bits| rows.put(bits));
    }

    /// What [`Self::keep`] wrote; `None` where it is of other vectors.
    pub fn kept(rows: &mut SeriesReader, atlas: &Atlas<'_>) -> Option<Self> {
        let (bits, block) = ([rows.next::<u8>()?, rows.next::<u8>()?], block(atlas.dimensions));
        let bytes = block * atlas.sentences().div_ceil(ROWS_TOGETHER);
        bits.iter().all(|bits| bits.len() == bytes).then_some(Self { bits, block })
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.bits[0].len() / self.block.max(1)
    }

    /// How like the question the sentences of a block are by their signs, the larger the more; returns the largest.
    #[inline]
    pub fn compare(&self, question: &LevelTables, block: usize, likenesses: &mut Likenesses) -> u16 {
        dot::sum_patterns(&question.tables[0], &self.bits[0][block * self.block..][..self.block], likenesses)
    }

    /// Adds to the likenesses of a block what the lower bits say; returns the largest.
    pub fn refine(&self, question: &LevelTables, block: usize, likenesses: &mut Likenesses) -> u16 {
        let mut lower = [0; ROWS_TOGETHER];
        dot::sum_patterns(&question.tables[1], &self.bits[1][block * self.block..][..self.block], &mut lower);
        likenesses.iter_mut().zip(lower).for_each(|(likeness, lower)| *likeness += lower);
        likenesses.iter().copied().max().unwrap_or(0)
    }
}

/// How like a question the rows of a block are.
pub type Likenesses = [u16; ROWS_TOGETHER];

/// A sketch that is being drawn.
struct Drawing {
    bits: [Vec<u8>; 2],
    block: usize,
}

impl Drawing {
    fn new(dimensions: usize, rows: usize) -> Self {
        let block = block(dimensions);
        Self { bits: [(); 2].map(|()| vec![0; block * rows.div_ceil(ROWS_TOGETHER)]), block }
    }

    /// Writes the bits of a row into its block.
    fn draw(&mut self, row: usize, vector: &[f32]) {
        let limit = LIMIT * (vector.iter().map(|x| x * x).sum::<f32>() / vector.len() as f32).sqrt();
        let (start, row) = (row / ROWS_TOGETHER * self.block, row % ROWS_TOGETHER);
        let (byte, shift) = (start + row % PATTERNS, row / PATTERNS * GROUP);
        let [upper, lower] = &mut self.bits;
        for (group, components) in vector.chunks(GROUP).enumerate() {
            // Each in a byte of its own, the first in the lowest.
            let levels = components.iter().rev().fold(0, |levels, &component| levels << 8 | level_of(component, limit));
            upper[group * PATTERNS + byte] |= pattern(levels >> 1) << shift;
            lower[group * PATTERNS + byte] |= pattern(levels) << shift;
        }
    }

    fn finish(self) -> Sketch {
        Sketch { bits: self.bits.map(Series::from), block: self.block }
    }
}

/// Bytes of a block: one bit of all components, in an even number of groups.
fn block(dimensions: usize) -> usize {
    dimensions.div_ceil(2 * GROUP) * 2 * PATTERNS
}

/// The vector of a sentence and its section's context together, of any length.
fn sum_with_context(atlas: &Atlas<'_>, entry: &AtlasEntry<'_>, own: usize, vector: &mut [f32]) {
    let section = atlas.section_of[entry.first as usize + own] - entry.first_section;
    vector.fill(0.0);
    entry.vectors.add_row(own, vector);
    entry.vectors.add_row(entry.sentences().len() + section as usize, vector);
}

/// The level of a component, from 0 for −3 to 3 for 3.
#[inline]
fn level_of(component: f32, limit: f32) -> u32 {
    let (positive, large) = (component > 0.0, component.abs() > limit);
    u32::from(positive) << 1 | u32::from(positive == large)
}

/// The lowest bits of four bytes, side by side.
#[inline]
fn pattern(bytes: u32) -> u8 {
    /// Moves the bit of each byte into the uppermost byte; the places of all products differ.
    const GATHERED: u32 = 1 << 24 | 1 << 17 | 1 << 10 | 1 << 3;
    ((bytes & 0x0101_0101).wrapping_mul(GATHERED) >> 24) as u8 & 15
}

/// A question, for sketches.
pub struct LevelTables {
    /// For the upper bits of every group of components, and for the lower, what each pattern adds to a likeness.
    tables: [Vec<u8>; 2],
    /// The estimate of a cosine is a line over the likeness: how steep, and where it begins.
    steepness: f32,
    least: f32,
}

impl LevelTables {
    /// The tables of a question's vector. A sum of them fits into 16 bits, whatever the number of components.
    pub fn new(vector: &[f32]) -> Self {
        let sizes = vector.chunks(GROUP).map(|group| group.iter().map(|x| x.abs()).sum::<f32>());
        let (largest, all) = sizes.fold((0.0f32, 0.0), |(largest, all), size| (largest.max(size), all + size));
        // What an upper bit adds, at most; a lower one adds half of it.
        let step = (largest / f32::from(u8::MAX)).max(all / 40_000.0).max(f32::MIN_POSITIVE);
        let tables = [1.0, 0.5].map(|weight| {
            let mut tables = vec![0; block(vector.len())];
            for (table, group) in tables.chunks_exact_mut(PATTERNS).zip(vector.chunks(GROUP)) {
                fill(table, group, weight / step);
            }
            tables
        });
        // A level is four times its upper bit and twice its lower one, less 3.
        let factor = 1.0 / (OF_LEVELS * (vector.len().max(1) as f32).sqrt());
        Self { tables, steepness: 4.0 * step * factor, least: -3.0 * all * factor }
    }

    /// The estimate of a cosine.
    #[inline]
    pub fn cosine(&self, likeness: u16) -> f32 {
        self.least + self.steepness * f32::from(likeness)
    }
}

/// What each pattern of four bits adds: bits that are set where the question is positive, and not where it is negative.
fn fill(table: &mut [u8], group: &[f32], weight: f32) {
    for (pattern, value) in table.iter_mut().enumerate() {
        let agreeing = group.iter().enumerate().filter(|&(at, &x)| (pattern >> at & 1 == 1) == (x > 0.0));
        *value = (agreeing.map(|(_, x)| x.abs()).sum::<f32>() * weight).round() as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Unit vectors of components that are about normally distributed, the same each time.
    fn vectors(seed: u64, dimensions: usize, count: usize) -> Vec<Vec<f32>> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        let mut vector = || {
            let vector: Vec<f32> = (0..dimensions).map(|_| (0..6).map(|_| next()).sum()).collect();
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.into_iter().map(|x| x / length).collect()
        };
        (0..count).map(|_| vector()).collect()
    }

    fn compared(vectors: &[Vec<f32>], tables: &LevelTables) -> Vec<u16> {
        let mut drawing = Drawing::new(vectors[0].len(), vectors.len());
        vectors.iter().enumerate().for_each(|(row, vector)| drawing.draw(row, vector));
        let (sketch, mut likenesses) =
            (drawing.finish(), vec![[0; ROWS_TOGETHER]; vectors.len().div_ceil(ROWS_TOGETHER)]);
        for (block, likenesses) in likenesses.iter_mut().enumerate() {
            sketch.compare(tables, block, likenesses);
            sketch.refine(tables, block, likenesses);
        }
        likenesses.as_flattened()[..vectors.len()].to_vec()
    }

    proptest! {
        #[test]
        fn an_estimate_is_near(dimensions in 100..1400usize, rows in 1..70usize, seed in any::<u64>()) {
            let vectors = vectors(seed, dimensions, rows + 1);
            let (question, vectors) = vectors.split_first().unwrap();
            let tables = LevelTables::new(question);
            for (vector, likeness) in vectors.iter().zip(compared(vectors, &tables)) {
                let exact: f32 = vector.iter().zip(question).map(|(a, b)| a * b).sum();
                let estimate = tables.cosine(likeness);
                // Five standard deviations of the error of two bits.
                prop_assert!((estimate - exact).abs() < 5.0 * 0.4 / (dimensions as f32).sqrt(), "{estimate} {exact}");
            }
        }
    }

    #[test]
    fn a_vector_is_most_like_itself() {
        let vectors = vectors(7, 256, 64);
        for (row, vector) in vectors.iter().enumerate() {
            let tables = LevelTables::new(vector);
            let likenesses = compared(&vectors, &tables);
            let most = (0..64).max_by_key(|&at| likenesses[at]).unwrap();
            assert_eq!(most, row);
            let estimate = tables.cosine(likenesses[row]);
            assert!((0.9..1.1).contains(&estimate), "{estimate}");
        }
    }
}
