//! Places in a text that are not text themselves: where a page begins, where an image stands.
//!
//! A page is only an offset. The text of a document runs on over its page ends, so windows do too; a citation asks
//! afterwards which pages it is on.

use super::Span;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A page of a document, a slide of a presentation, or a moment of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// What is printed on it: `7`, `iv`, `00:12:30`.
    pub label: String,
    /// The byte of the document's text where it begins; it lasts until the next one. An empty page begins where the
    /// next one does.
    pub start: u32,
}

/// An image, at its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its place in the text: the reference (`![alt](src)`), or the line that stands for it.
    pub span: Span,
    /// What it shows, as the author wrote it for those who cannot see it; possibly empty.
    pub alt: String,
    /// Its caption or title; possibly empty.
    pub caption: String,
    /// Where its bytes are.
    pub source: ImageSource,
    /// What was seen when they were looked at; nothing where they were not, or could not be.
    pub seen: Option<Seen>,
}

/// What was seen in the bytes of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Their hash.
    pub hash: ImageHash,
    /// Their kind.
    pub media: MediaType,
    /// What is to be read in the image; possibly empty.
    pub text: String,
}

/// An image as an index keeps it: at its place, named by the hash of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Its place in the text.
    pub span: Span,
    /// The hash of its bytes, by which a store gives them.
    pub hash: ImageHash,
    /// Their kind.
    pub media: MediaType,
    /// What it shows, as the author wrote it; possibly empty.
    pub alt: String,
    /// Its caption or title; possibly empty.
    pub caption: String,
}

impl Picture {
    /// Whether it stands inside a span of the text, or touches it. One whose place has no words stands between two
    /// characters.
    pub fn is_in(&self, span: Span) -> bool {
        let (start, end) = (self.span.start, self.span.end);
        if start == end { (span.start..=span.end).contains(&start) } else { start < span.end && span.start < end }
    }
}

impl Image {
    /// The image as an index keeps it, where its bytes were seen.
    pub fn picture(&self) -> Option<Picture> {
        let Seen { hash, media, .. } = *self.seen.as_ref()?;
        Some(Picture { span: self.span, hash, media, alt: self.alt.clone(), caption: self.caption.clone() })
    }
}

/// The hash of an image's bytes: the same bytes are one image, wherever they stand. Written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ImageHash(pub u128);

impl ImageHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(bytes))
    }
}

impl fmt::Display for ImageHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for ImageHash {
    type Err = ();

    fn from_str(digits: &str) -> Result<Self, ()> {
        let plain = digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        plain.then(|| u128::from_str_radix(digits, 16).ok()).flatten().map(Self).ok_or(())
    }
}

/// The kinds of images that are read and kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MediaType {
    /// `image/png`
    #[serde(rename = "image/png")]
    Png,
    /// `image/jpeg`
    #[serde(rename = "image/jpeg")]
    Jpeg,
    /// `image/webp`
    #[serde(rename = "image/webp")]
    Webp,
}

impl MediaType {
    /// The kind that these bytes begin as.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    /// Its name on the web: `image/png`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }
}

/// Where the bytes of an image are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// A path, relative to the document's folder, or an address: as it is written in the document.
    Reference(String),
    /// The name of a part inside the document's own file (`word/media/image1.png`).
    Inside(String),
    /// The bytes themselves.
    Bytes(Vec<u8>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_reads_as_it_is_written() {
        let hash = ImageHash::of(b"pixels");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(ImageHash(7).to_string().len(), 32);
        for wrong in ["", "7", "+0000000000000000000000000000007", "zz000000000000000000000000000000"] {
            assert_eq!(wrong.parse::<ImageHash>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn a_picture_is_in_the_spans_it_touches() {
        let at = |start, end| Picture {
            span: Span::new(start, end),
            hash: ImageHash(0),
            media: MediaType::Png,
            alt: String::new(),
            caption: String::new(),
        };
        let span = Span::new(10, 20);
        assert!(at(5, 11).is_in(span) && at(19, 30).is_in(span) && at(20, 20).is_in(span) && at(10, 10).is_in(span));
        assert!(!at(5, 10).is_in(span) && !at(20, 21).is_in(span) && !at(21, 21).is_in(span));
    }
}
