//! The texts of documents, compressed: each by itself, so that one is read without others.
//!
//! Long texts stay as they are, and are read in place: a question reads a few sentences of them. Texts that were
//! unpacked for one question are kept for the next.

use std::cell::RefCell;
use std::io;
use zstd::bulk::{Compressor, Decompressor};

/// Texts of more bytes are not compressed.
const LONGEST: usize = 128 << 10;

/// The higher, the smaller and the slower: 1 saves a hundredth of the text less, and a quarter of the time.
const LEVEL: i32 = 3;

/// Bytes of unpacked texts that are kept for later questions, at most.
pub const MOST_UNPACKED: usize = 16 << 20;

thread_local! {
    static COMPRESSOR: RefCell<io::Result<Compressor<'static>>> = RefCell::new(Compressor::new(LEVEL));
    static DECOMPRESSOR: RefCell<io::Result<Decompressor<'static>>> = RefCell::new(Decompressor::new());
}

/// A text compressed, after its length; `None` where that is hardly shorter, or the text is long.
pub fn compressed(text: &str) -> Option<Vec<u8>> {
    if text.len() > LONGEST {
        return None;
    }
    let packed = COMPRESSOR.with_borrow_mut(|compressor| compressor.as_mut().ok()?.compress(text.as_bytes()).ok())?;
    let whole = [&(text.len() as u32).to_le_bytes(), packed.as_slice()].concat();
    (whole.len() < text.len() - text.len() / 8).then_some(whole)
}

/// The text that [`compressed`] was given; `None` where the bytes cannot be from there.
pub fn decompressed(bytes: &[u8]) -> Option<String> {
    let (length, packed) = bytes.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > LONGEST {
        return None;
    }
    let text = DECOMPRESSOR.with_borrow_mut(|it| it.as_mut().ok()?.decompress(packed, length).ok())?;
    String::from_utf8(text).ok().filter(|text| text.len() == length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_compressed_comes_back(text in "(\\PC{0,40}[a中。 ]{0,9}){0,30}") {
            if let Some(packed) = compressed(&text) {
                prop_assert!(packed.len() < text.len());
                prop_assert_eq!(decompressed(&packed), Some(text));
            }
        }

        #[test]
        fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0..200usize) {
            let _ = decompressed(&bytes);
            let mut packed = compressed(&"A sentence of many. ".repeat(90)).unwrap();
            packed.truncate(cut % packed.len());
            prop_assert!(decompressed(&packed).is_none());
        }
    }

    #[test]
    fn long_and_dense_texts_stay_as_they_are() {
        assert!(compressed(&"a".repeat(LONGEST)).is_some());
        assert!(compressed(&"a".repeat(LONGEST + 1)).is_none());
        assert!(compressed("Short.").is_none() && compressed("").is_none());
    }
}
