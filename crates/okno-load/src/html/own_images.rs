//! Images that a page carries itself: `data:image/png;base64,…` comes in, bytes under the name of their hash go out.
//!
//! The address would be the whole image again as letters, so the text names it by its hash, as the index keeps it:
//! `![a map](0af3….png)`. Only what is an image by its bytes is taken, and none larger than images beside a page may be.

use super::super::look::LARGEST_IMAGE;
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
    let mut bytes = Vec::with_capacity(data.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in data.bytes().filter(|byte| !byte.is_ascii_whitespace()).take_while(|byte| *byte != b'=') {
        bits = bits << 6 | u32::from(sextet(letter)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

fn sextet(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_any_length() {
        for (letters, bytes) in
            [("", &b""[..]), ("Zg==", b"f"), ("Zm8=", b"fo"), ("Zm9v", b"foo"), ("Zm9 v\nYg", b"foob")]
        {
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
