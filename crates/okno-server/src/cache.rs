//! Answers kept for questions that come again, bounded in bytes.
//!
//! A key names everything an answer depends on: the indexes with their generations, the day, and the request to the byte. So
//! nothing is ever invalidated: a commit makes other keys. Two halves stand in for an order of use: what is asked for moves
//! to the young half; when that is full it becomes the old one, and what nobody asked for meanwhile is forgotten.

use axum::body::Bytes;
use std::collections::HashMap;
use std::sync::Mutex;

/// What an answer depends on.
pub type Key = Vec<u8>;

/// A bounded store of answers.
#[derive(Debug)]
pub struct Cache {
    halves: Mutex<Halves>,
    half: usize,
}

#[derive(Debug, Default)]
struct Halves {
    young: HashMap<Key, Bytes>,
    old: HashMap<Key, Bytes>,
    bytes: usize,
}

/// What an entry takes besides its key and answer: two pointers, a length, a hash.
const OVERHEAD: usize = 96;

impl Cache {
    /// A cache of at most this many bytes; 0 keeps nothing.
    pub fn new(bytes: usize) -> Self {
        Self { halves: Mutex::default(), half: bytes / 2 }
    }

    /// The answer kept under a key.
    pub fn get(&self, key: &[u8]) -> Option<Bytes> {
        let mut halves = self.lock();
        if let Some(answer) = halves.young.get(key) {
            return Some(answer.clone());
        }
        let (key, answer) = halves.old.remove_entry(key)?;
        self.put(&mut halves, key, answer.clone());
        Some(answer)
    }

    /// Keeps an answer.
    pub fn keep(&self, key: Key, answer: Bytes) {
        self.put(&mut self.lock(), key, answer);
    }

    fn put(&self, halves: &mut Halves, key: Key, answer: Bytes) {
        let size = key.len() + answer.len() + OVERHEAD;
        if size > self.half {
            return;
        }
        if halves.bytes + size > self.half {
            halves.old = std::mem::take(&mut halves.young);
            halves.bytes = 0;
        }
        if halves.young.insert(key, answer).is_none() {
            halves.bytes += size;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Halves> {
        // Whoever panicked left whole entries behind: each change is one insertion.
        self.halves.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_size_is_bounded() {
        let cache = Cache::new(4000);
        let answer = Bytes::from(vec![b'x'; 100]);
        for number in 0..1000u32 {
            cache.keep(number.to_be_bytes().to_vec(), answer.clone());
            assert_eq!(cache.get(&0u32.to_be_bytes()).as_ref(), Some(&answer), "asked for every time");
            let halves = cache.lock();
            assert!((halves.young.len() + halves.old.len()) * 200 <= 4000);
        }
        assert_eq!(cache.get(&5u32.to_be_bytes()), None);
        assert_eq!(cache.get(&999u32.to_be_bytes()), Some(answer));
    }

    #[test]
    fn what_is_larger_than_a_half_is_not_kept() {
        let cache = Cache::new(1000);
        cache.keep(vec![1], Bytes::from(vec![0; 600]));
        assert_eq!(cache.get(&[1]), None);
    }
}
