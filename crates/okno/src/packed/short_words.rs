//! What was lately computed of short words: running text says the same few thousand again and again.

/// A place for each of some thousand words; one that comes to the place of another takes it.
pub struct ShortWords<V> {
    /// No word is 0.
    kept: Vec<(u128, V)>,
}

/// 12 bits of places: the most frequent words of a text meet in few, and all of them stay in a fast cache.
const PLACES: u32 = 12;

impl<V: Copy + Default> Default for ShortWords<V> {
    fn default() -> Self {
        Self { kept: vec![Default::default(); 1 << PLACES] }
    }
}

impl<V: Copy> ShortWords<V> {
    /// What was kept of a word, or else what `make` makes of it; that is kept where it is something. Words of more than
    /// 16 bytes, and such as have a byte 0, are not kept.
    #[inline]
    pub fn get_or_make(&mut self, word: &str, make: impl FnOnce() -> Option<V>) -> Option<V> {
        let Some(key) = key_of(word) else { return make() };
        let (low, high) = (key as u64, (key >> 64) as u64);
        let place = (low ^ high.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - PLACES);
        let (kept, value) = &mut self.kept[place as usize];
        if *kept == key {
            return Some(*value);
        }
        let new = make()?;
        (*kept, *value) = (key, new);
        Some(new)
    }
}

/// The bytes of a short word as a number.
fn key_of(word: &str) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
    let has_zero = bytes[..word.len()].contains(&0);
    (!has_zero && !word.is_empty()).then(|| u128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_kept_is_what_was_made(words in prop::collection::vec("[a-c\0é]{0,17}", 1..60)) {
            let mut kept: ShortWords<usize> = ShortWords::default();
            let mut made = 0;
            for word in words.iter().chain(&words) {
                let length = kept.get_or_make(word, || {
                    made += 1;
                    (word.len() % 5 > 0).then_some(word.len())
                });
                prop_assert_eq!(length, (word.len() % 5 > 0).then_some(word.len()));
            }
            prop_assert!(made <= 2 * words.len());
        }
    }

    #[test]
    fn a_word_that_is_kept_is_not_made_again() {
        let mut kept: ShortWords<u8> = ShortWords::default();
        assert_eq!(kept.get_or_make("harbour", || Some(7)), Some(7));
        assert_eq!(kept.get_or_make("harbour", || unreachable!("it is kept")), Some(7));
        assert_eq!(kept.get_or_make("harbours", || None), None);
    }
}
