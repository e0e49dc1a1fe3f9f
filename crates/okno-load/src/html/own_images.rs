//! Images that a page carries itself: `data:image/png;base64,…` comes in, bytes under the name of their hash go out.
//!
//! The address would be the whole image again as letters, so the text names it by its hash, as the index keeps it:
//! `![a map](0af3….png)`. Only what is an image by its bytes is taken, and none larger than images beside a page may
//! be.

use super::super::image::LARGEST_IMAGE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};
use okno_document::{ImageHash, MediaType};
use std::collections::HashMap;

/// The images of a page by their names.
#[derive(Debug, Default)]
pub(super) struct OwnImages(HashMap<String, Vec<u8>>);

impl OwnImages {
    /// Whether an address is an image itself.
    pub fn is_own(address: &str) -> bool {
        address.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
    }

    /// Takes an image; answers its name, or nothing where it cannot be read.
    pub fn take(&mut self, address: &str) -> Option<String> {
        let bytes = decoded(address)?;
        let ending = MediaType::of(&bytes)?.name().rsplit('/').next()?;
        let name = format!("{}.{ending}", ImageHash::of(&bytes));
        self.0.entry(name.clone()).or_insert(bytes);
        Some(name)
    }

    /// The bytes of an image.
    pub fn get(&self, name: &str) -> Option<&Vec<u8>> {
        self.0.get(name)
    }
}

/// The bytes of a `data:` address in Base64; vector graphics, which are text, are none of ours.
fn decoded(address: &str) -> Option<Vec<u8>> {
    let (head, data) = address.split_once(',')?;
    let fits = data.len() / 4 * 3 <= LARGEST_IMAGE + 3;
    (fits && head.to_ascii_lowercase().ends_with(";base64")).then(|| base64(data))?
}

/// Both alphabets, white space and missing `=` allowed: browsers show such images too.
fn base64(data: &str) -> Option<Vec<u8>> {
    let letters = data.bytes().filter(|byte| !byte.is_ascii_whitespace()).take_while(|byte| *byte != b'=');
    let mut letters: Vec<u8> = letters
        .map(|letter| match letter {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    // A single letter at the end holds no whole byte.
    if letters.len() % 4 == 1
        && letters.pop().is_some_and(|last| !last.is_ascii_alphanumeric() && last != b'+' && last != b'/')
    {
        return None;
    }
    LENIENT.decode(letters).ok()
}

/// Without `=`, and with whatever the last letter's spare bits are.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_any_length() {
        for (letters, bytes) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            ("Zm9 v\nYg", b"foob"),
            ("Zm9vY", b"foo"),
        ] {
            assert_eq!(base64(letters).as_deref(), Some(bytes));
        }
        assert_eq!(base64("+/-_").as_deref(), Some(&b"\xfb\xff\xbf"[..]));
        assert_eq!(base64("Zm9v!"), None);
    }

    #[test]
    fn only_images_and_none_too_large() {
        let mut own = OwnImages::default();
        assert_eq!(own.take("data:image/png;base64,aGVsbG8="), None, "words are no image");
        assert_eq!(own.take("data:image/svg+xml,<svg/>"), None);
        let huge = format!("DATA:image/png;base64,{}", "iVBORw0KGgoA".repeat(LARGEST_IMAGE / 8));
        assert!(OwnImages::is_own(&huge));
        assert_eq!(own.take(&huge), None);
    }
}
