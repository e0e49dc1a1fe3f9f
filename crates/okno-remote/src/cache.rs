//! A cache of documents for later questions, of at most [`MOST`] bytes; the least recently used go first.

use crate::documents::StoredDocument;
use lru::LruCache;
use okno::store::DocumentNumber;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes kept, at most: some ten thousand documents of a few pages.
const MOST: usize = 64 << 20;

/// The cache, shared by all snapshots of a store.
pub struct DocumentCache {
    kept: Mutex<CachedDocuments>,
}

struct CachedDocuments {
    /// Each with the last amendment that it includes.
    documents: LruCache<DocumentNumber, (u64, Arc<StoredDocument>)>,
    bytes: usize,
}

impl Default for DocumentCache {
    fn default() -> Self {
        Self { kept: Mutex::new(CachedDocuments { documents: LruCache::unbounded(), bytes: 0 }) }
    }
}

impl DocumentCache {
    fn kept(&self) -> MutexGuard<'_, CachedDocuments> {
        // Every change below is complete before the next can panic.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A document as generations with this last amendment see it.
    pub fn get(&self, number: DocumentNumber, amended: u64) -> Option<Arc<StoredDocument>> {
        let mut kept = self.kept();
        let (of, document) = kept.documents.get(&number)?;
        (*of == amended).then(|| Arc::clone(document))
    }

    /// Keeps a document.
    pub fn keep(&self, document: &Arc<StoredDocument>, amended: u64) {
        let kept = &mut *self.kept();
        kept.bytes += document.bytes();
        if let Some((_, old)) = kept.documents.put(document.number, (amended, Arc::clone(document))) {
            kept.bytes -= old.bytes();
        }
        while kept.bytes > MOST {
            let Some((_, (_, oldest))) = kept.documents.pop_lru() else { break };
            kept.bytes -= oldest.bytes();
        }
    }
}
