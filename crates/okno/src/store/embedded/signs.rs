//! How like a question all sentences of a large index are, by the signs of their vectors.
//!
//! What a comparison waits for is memory: the signs of a million sentences are 32 MB. So they are read once for all
//! questions that are asked together, such as the parts of one.

use super::big_row::BigRow;
use super::sketch::{LevelTables, Likenesses, Sketch};
use super::spare::{Room, Spare};

/// Room for how like a question the sentences of an index are by their sketch.
#[derive(Default)]
pub struct LikenessRows {
    pub likenesses: BigRow<Likenesses>,
    /// The largest of each block.
    pub largest: BigRow<u16>,
}

impl LikenessRows {
    /// The same of so many blocks.
    fn of(self, blocks: usize) -> Self {
        Self { likenesses: self.likenesses.of_length(blocks), largest: self.largest.of_length(blocks) }
    }
}

impl Room for LikenessRows {
    fn bytes(&self) -> usize {
        size_of_val(&*self.likenesses) + size_of_val(&*self.largest)
    }
}

/// A question, and how like it sentences are by their signs.
pub struct BySigns {
    pub tables: LevelTables,
    pub rows: LikenessRows,
}

impl BySigns {
    /// Compares the sentences of these blocks with several questions: what takes time is to read the sketch.
    pub fn of(
        vectors: &[&[f32]],
        sketch: &Sketch,
        blocks: impl Iterator<Item = usize>,
        spare: &Spare<LikenessRows>,
    ) -> Vec<Self> {
        let one = |vector: &&[f32]| Self { tables: LevelTables::new(vector), rows: spare.take().of(sketch.blocks()) };
        let mut all: Vec<Self> = vectors.iter().map(one).collect();
        for block in blocks {
            for Self { tables, rows } in &mut all {
                rows.largest[block] = sketch.compare(tables, block, &mut rows.likenesses[block]);
            }
        }
        all
    }
}
