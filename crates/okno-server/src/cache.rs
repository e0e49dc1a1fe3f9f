//! A cache of answers, bounded in bytes; the least recently used go first.
//!
//! A key names everything that an answer depends on: the indexes with their generations, what the requester may see,
//! the day, and the request to the byte. So nothing is ever invalidated: after a commit, keys are different.

use axum::body::Bytes;
use lru::LruCache;
use std::sync::Mutex;

/// The cache.
#[derive(Debug)]
pub struct AnswerCache {
    kept: Mutex<CachedAnswers>,
    /// Bytes, at most.
    most: usize,
}

#[derive(Debug)]
struct CachedAnswers {
    answers: LruCache<Vec<u8>, Bytes>,
    bytes: usize,
}

/// What an entry takes besides its key and answer: pointers, lengths, a hash.
const OVERHEAD: usize = 96;

fn size(key: &[u8], answer: &[u8]) -> usize {
    key.len() + answer.len() + OVERHEAD
}

impl AnswerCache {
    /// A cache of at most this many bytes; 0 keeps nothing.
    pub fn new(most: usize) -> Self {
        Self { kept: Mutex::new(CachedAnswers { answers: LruCache::unbounded(), bytes: 0 }), most }
    }

    /// The answer kept under a key.
    pub fn get(&self, key: &[u8]) -> Option<Bytes> {
        self.lock().answers.get(key).cloned()
    }

    /// Keeps an answer, unless it alone takes more than half of the cache.
    pub fn keep(&self, key: Vec<u8>, answer: &[u8]) {
        let new = size(&key, answer);
        if new > self.most / 2 {
            return;
        }
        // A vector that grew while it was written may hold twice what it says.
        let answer = Bytes::copy_from_slice(answer);
        let kept = &mut *self.lock();
        kept.bytes += new;
        if let Some((key, old)) = kept.answers.push(key, answer) {
            kept.bytes -= size(&key, &old);
        }
        while kept.bytes > self.most {
            let Some((key, oldest)) = kept.answers.pop_lru() else { break };
            kept.bytes -= size(&key, &oldest);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CachedAnswers> {
        // Only whole entries are inserted and removed, so a panic elsewhere leaves a usable cache.
        self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_size_is_bounded() {
        let cache = AnswerCache::new(4000);
        let answer = Bytes::from(vec![b'x'; 100]);
        for number in 0..1000u32 {
            cache.keep(number.to_be_bytes().to_vec(), &answer);
            assert_eq!(cache.get(&0u32.to_be_bytes()).as_ref(), Some(&answer), "used every time");
            let kept = cache.lock();
            assert_eq!(kept.bytes, kept.answers.len() * 200);
            assert!(kept.bytes <= 4000);
        }
        assert_eq!(cache.get(&5u32.to_be_bytes()), None);
        assert_eq!(cache.get(&999u32.to_be_bytes()), Some(answer.clone()));
        cache.keep(999u32.to_be_bytes().to_vec(), &answer);
        let kept = cache.lock();
        assert_eq!(kept.bytes, kept.answers.len() * 200, "one that is replaced counts once");
    }

    #[test]
    fn what_is_larger_than_half_of_the_cache_is_not_kept() {
        let cache = AnswerCache::new(1000);
        cache.keep(vec![1], &[0; 600]);
        assert_eq!(cache.get(&[1]), None);
    }
}
