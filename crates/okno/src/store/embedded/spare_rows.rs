//! Rows of numbers that a dense search fills, kept for the next one.
//!
//! A search of a large index writes few of them, and to get so much memory from the system and to clear it takes longer
//! than that.

use super::atlas::Atlas;
use super::sketch::Likenesses;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Room for what one search computes of an index: one number for each text, section and sentence. What was not written
/// is of an earlier question, and must not be read.
#[derive(Default)]
pub struct DotRows {
    pub texts: Vec<f32>,
    pub sections: Vec<f32>,
    pub likenesses: Vec<Likenesses>,
}

/// Rows of earlier searches.
#[derive(Default)]
pub struct SpareRows {
    kept: Mutex<Vec<DotRows>>,
}

/// Bytes of spare rows that are kept, beyond those of one search.
const MOST_SPARE: usize = 64 << 20;

impl SpareRows {
    fn kept(&self) -> MutexGuard<'_, Vec<DotRows>> {
        // Only whole entries are added and removed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rows of the lengths that an atlas needs.
    pub fn take(&self, atlas: &Atlas<'_>) -> DotRows {
        let mut rows = self.kept().pop().unwrap_or_default();
        rows.texts.resize(atlas.texts(), 0.0);
        rows.sections.resize(atlas.sections(), 0.0);
        rows
    }

    /// Keeps rows for a later search, unless there are enough.
    pub fn give_back(&self, rows: DotRows) {
        let mut kept = self.kept();
        if kept.is_empty() || (kept.len() + 1) * rows.bytes() <= MOST_SPARE {
            kept.push(rows);
        }
    }
}

impl DotRows {
    fn bytes(&self) -> usize {
        size_of_val(&*self.texts) + size_of_val(&*self.sections) + size_of_val(&*self.likenesses)
    }
}
