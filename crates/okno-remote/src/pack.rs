//! Bytes as text, because the engine keeps text: base64 in parts of bounded size; and vectors as bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use okno::store::Vectors;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes in one field, at most: Milvus takes 65,535.
pub const PART: usize = 60_000;

/// Bytes as text.
pub fn to_text(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// What [`to_text`] wrote.
pub fn from_text(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// A value as text.
pub fn write<T: Serialize + ?Sized>(value: &T) -> String {
    // Our own types of plain fields: writing them to memory cannot fail.
    to_text(&postcard::to_stdvec(value).unwrap_or_default())
}

/// What [`write()`] wrote.
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    postcard::from_bytes(&from_text(text)?).ok()
}

/// A text in parts that a field can hold, cut between characters. At least one.
pub fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while rest.len() > PART {
        let (part, after) = rest.split_at(rest.floor_char_boundary(PART));
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// Vectors as one signed byte per component and one scale per row.
pub fn pack_vectors(vectors: &Vectors, dimensions: usize) -> Vec<u8> {
    let rows = [&vectors.sentences, &vectors.sections, &vectors.derived];
    let mut packed = Vec::with_capacity(rows.iter().map(|rows| rows.len() + rows.len() / 8).sum());
    for row in rows.into_iter().flat_map(|rows| rows.chunks_exact(dimensions.max(1))) {
        let largest = row.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        packed.extend(scale.to_le_bytes());
        packed.extend(row.iter().map(|x| (x / scale).round() as i8 as u8));
    }
    packed
}

/// Reads what [`pack_vectors`] wrote of a document with this many sentences and sections.
pub fn read_vectors(bytes: &[u8], sentences: usize, sections: usize, dimensions: usize) -> Option<Vectors> {
    let row = 4 + dimensions;
    if !bytes.len().is_multiple_of(row) || bytes.len() / row < sentences + sections {
        return None;
    }
    let read = |bytes: &[u8]| -> Vec<f32> {
        let rows = bytes.chunks_exact(row).flat_map(|row| {
            let scale = f32::from_le_bytes([row[0], row[1], row[2], row[3]]);
            row[4..].iter().map(move |&byte| f32::from(byte.cast_signed()) * scale)
        });
        rows.collect()
    };
    let (own, rest) = bytes.split_at(sentences * row);
    let (above, derived) = rest.split_at(sections * row);
    Some(Vectors { sentences: read(own), sections: read(above), derived: read(derived) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_join_to_the_text(text in "[a-z国€😀]{0,40}", times in 0..3000usize) {
            let text = text.repeat(times);
            let parts = parts(&text);
            prop_assert_eq!(parts.concat(), text.as_str());
            prop_assert!(parts.iter().all(|part| part.len() <= PART));
        }

        #[test]
        fn vectors_survive_twice_as_once(rows in prop::collection::vec(prop::collection::vec(-3.0..3.0f32, 4), 3..6)) {
            let flat = |rows: &[Vec<f32>]| rows.concat();
            let (sentences, sections, derived) = (flat(&rows[..2]), flat(&rows[2..3]), flat(&rows[3..]));
            let vectors = Vectors { sentences, sections, derived };
            let once = read_vectors(&pack_vectors(&vectors, 4), 2, 1, 4).unwrap();
            let twice = read_vectors(&pack_vectors(&once, 4), 2, 1, 4).unwrap();
            prop_assert_eq!(&once, &twice);
            for (x, y) in vectors.sentences.iter().zip(&once.sentences) {
                prop_assert!((x - y).abs() <= 3.0 / 127.0);
            }
        }
    }
}
