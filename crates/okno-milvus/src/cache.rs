//! Documents read before, for the next question; never more than [`MOST`] bytes.

use crate::documents::Stored;
use okno::store::DocumentNumber;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes kept, at most: some ten thousand documents of a few pages.
const MOST: usize = 64 << 20;

/// The cache, shared by all snapshots of a store.
#[derive(Default)]
pub struct Cache {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    documents: FxHashMap<DocumentNumber, (u64, u64, Arc<Stored>)>,
    bytes: usize,
    clock: u64,
}

impl Cache {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Every change below is whole before the next can panic.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A document as generations with this last amendment see it.
    pub fn get(&self, number: DocumentNumber, amended: u64) -> Option<Arc<Stored>> {
        let mut kept = self.kept();
        kept.clock += 1;
        let clock = kept.clock;
        let (of, used, document) = kept.documents.get_mut(&number)?;
        *used = clock;
        (*of == amended).then(|| Arc::clone(document))
    }

    /// Keeps a document, and lets go of the half that was not used for longest when it is too much.
    pub fn keep(&self, document: &Arc<Stored>, amended: u64) {
        let mut kept = self.kept();
        kept.clock += 1;
        let entry = (amended, kept.clock, Arc::clone(document));
        kept.bytes += document.bytes();
        if let Some((_, _, old)) = kept.documents.insert(document.number, entry) {
            kept.bytes -= old.bytes();
        }
        if kept.bytes > MOST {
            kept.halve();
        }
    }
}

impl Kept {
    fn halve(&mut self) {
        let mut used: Vec<u64> = self.documents.values().map(|(_, used, _)| *used).collect();
        used.sort_unstable();
        let middle = used[used.len() / 2];
        self.documents.retain(|_, (_, used, _)| *used > middle);
        self.bytes = self.documents.values().map(|(_, _, document)| document.bytes()).sum();
    }
}
