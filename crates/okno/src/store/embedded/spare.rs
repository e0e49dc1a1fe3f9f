//! Rows of numbers that a search fills, kept for the next one.
//!
//! To get so much memory from the system and to clear it takes longer than what a search of a large index does with it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Room that a search fills. What is in it is of an earlier one, and must not be read before it is written.
pub trait Room: Default {
    /// What it takes.
    fn bytes(&self) -> usize;
}

/// Room of earlier searches.
#[derive(Default)]
pub struct Spare<R> {
    kept: Mutex<Vec<R>>,
}

/// Bytes of spare room that is kept, beyond that of one search.
const MOST_SPARE: usize = 64 << 20;

impl<R: Room> Spare<R> {
    fn kept(&self) -> MutexGuard<'_, Vec<R>> {
        // Only whole entries are added and removed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Room of an earlier search, or none yet.
    pub fn take(&self) -> R {
        self.kept().pop().unwrap_or_default()
    }

    /// Keeps room for a later search, unless there is enough.
    pub fn give_back(&self, room: R) {
        let mut kept = self.kept();
        if kept.is_empty() || (kept.len() + 1) * room.bytes() <= MOST_SPARE {
            kept.push(room);
        }
    }
}
