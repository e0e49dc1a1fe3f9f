//! What was made for one question and is kept for later ones, up to a number of bytes: the least recently used goes
//! first.

use lru::LruCache;
use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Values by keys, each with its size in bytes.
pub struct Recent<K: Hash + Eq, V: ?Sized> {
    kept: Mutex<RecentValues<K, V>>,
    most: usize,
}

struct RecentValues<K: Hash + Eq, V: ?Sized> {
    values: LruCache<K, (Arc<V>, usize)>,
    bytes: usize,
}

impl<K: Hash + Eq, V: ?Sized> Recent<K, V> {
    /// Keeps at most so many bytes.
    pub fn new(most: usize) -> Self {
        Self { kept: Mutex::new(RecentValues { values: LruCache::unbounded(), bytes: 0 }), most }
    }

    fn lock(&self) -> MutexGuard<'_, RecentValues<K, V>> {
        // Every change is complete before anything can panic.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A value that is kept.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<Arc<V>>
    where
        K: Borrow<Q>,
    {
        self.lock().values.get(key).map(|(value, _)| Arc::clone(value))
    }

    /// Keeps a value of this size.
    pub fn keep(&self, key: K, value: &Arc<V>, bytes: usize) {
        let kept = &mut *self.lock();
        kept.bytes += bytes;
        if let Some((_, before)) = kept.values.put(key, (Arc::clone(value), bytes)) {
            kept.bytes -= before;
        }
        while kept.bytes > self.most
            && let Some((_, (_, oldest))) = kept.values.pop_lru()
        {
            kept.bytes -= oldest;
        }
    }
}

#[cfg(test)]
impl<K: Hash + Eq, V: ?Sized> Recent<K, V> {
    pub fn count(&self) -> usize {
        self.lock().values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_go_first_and_sizes_are_kept() {
        let recent: Recent<u32, str> = Recent::new(10);
        let keep = |key: u32, text: &str| recent.keep(key, &Arc::from(text), text.len());
        keep(1, "four");
        keep(2, "four");
        assert!(recent.get(&1).is_some());
        keep(3, "four");
        assert_eq!([1, 2, 3].map(|key| recent.get(&key).is_some()), [true, false, true]);
        keep(3, "fourfour");
        assert_eq!([1, 3].map(|key| recent.get(&key).is_some()), [false, true]);
        keep(4, "much too long");
        assert_eq!([3, 4].map(|key| recent.get(&key).is_some()), [false, false]);
        assert_eq!(recent.lock().bytes, 0);
    }
}
