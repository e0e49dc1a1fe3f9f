//! The built-in model at work, with room of each thread's own.
//!
//! Passages are compared with question after question: the ids of the last ones are kept.
//!
//! Encoding was a fifth of what a question costs on an index of 3,000 sentences.

use super::StaticModel;
use super::static_model::Scratch;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use xxhash_rust::xxh3::xxh3_128;

/// Texts that are kept at most; then all are forgotten.
const MOST_TEXTS: usize = 8192;

/// Longer texts are not kept: 8 MiB per thread at most, 1 MiB with sentences as they are.
const MOST_IDS: usize = 256;

thread_local! {
    static ENCODED: RefCell<EncodedTexts> = RefCell::default();
}

#[derive(Default)]
struct EncodedTexts {
    /// The ids of texts, ascending, by the hash of the text.
    kept: FxHashMap<u128, Box<[u32]>>,
    scratch: Scratch,
}

/// Hands over the ids that the built-in model gives a text, in ascending order.
pub(crate) fn with_ids<T>(text: &str, read: impl FnOnce(&[u32]) -> T) -> T {
    ENCODED.with_borrow_mut(|texts| read(texts.ids(text)))
}

/// Sets `out` to the vector that the built-in model gives a text, not normalised.
pub(crate) fn sum_into(text: &str, out: &mut [f32]) {
    ENCODED.with_borrow_mut(|texts| StaticModel::builtin().sum_into(text, &mut texts.scratch, out));
}

impl EncodedTexts {
    fn ids(&mut self, text: &str) -> &[u32] {
        let Self { kept, scratch } = self;
        let key = xxh3_128(text.as_bytes());
        // Looked up twice, because a borrow that is returned would last for the other branch too.
        if kept.contains_key(&key) {
            return &kept[&key];
        }
        StaticModel::builtin().encode_sorted(text, scratch);
        if scratch.ids().len() > MOST_IDS {
            return scratch.ids();
        }
        if kept.len() >= MOST_TEXTS {
            kept.clear();
        }
        kept.entry(key).or_insert_with(|| scratch.ids().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_kept_is_what_the_model_gives(texts in prop::collection::vec("[a-z中的 ]{0,40}", 1..8)) {
            for text in texts.iter().chain(&texts) {
                let mut ids = Vec::new();
                StaticModel::builtin().encode(text, &mut ids);
                ids.sort_unstable();
                prop_assert_eq!(with_ids(text, <[u32]>::to_vec), ids);
            }
        }
    }

    #[test]
    fn long_texts_and_more_texts_than_fit_are_not_kept() {
        let mut texts = EncodedTexts::default();
        let long = "tea ".repeat(2 * MOST_IDS);
        assert!(texts.ids(&long).len() > MOST_IDS);
        assert!(texts.kept.is_empty());
        for number in 0..=MOST_TEXTS {
            texts.ids(&number.to_string());
        }
        assert_eq!(texts.kept.len(), 1);
    }
}
