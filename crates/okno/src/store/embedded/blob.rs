//! A document as one value: a hash of its text, four lengths, then record, sentences, vectors, text.

use super::vectors::{Packed, pack};
use crate::document::{Record, Structure};
use crate::store::Prepared;
use xxhash_rust::xxh3::xxh3_128;

const HASH: usize = 16;
const LENGTHS: usize = 16;

/// The parts of a stored document, in place.
pub struct Blob<'a> {
    /// The same hash, the same text.
    pub text_hash: u128,
    /// The record, still packed.
    pub record: &'a [u8],
    /// The sentences.
    pub structure: Structure,
    /// The vectors.
    pub vectors: Packed<'a>,
    /// The text.
    pub text: &'a str,
}

/// Packs a document.
pub fn write(document: &Prepared, dimensions: usize) -> Result<Vec<u8>, postcard::Error> {
    let record = postcard::to_stdvec(&document.record)?;
    let structure = postcard::to_stdvec(&document.structure)?;
    let vectors = pack(&document.vectors, &document.structure, dimensions);
    let parts: [&[u8]; 4] = [&record, &structure, &vectors, document.text.as_bytes()];
    let mut bytes = Vec::with_capacity(HASH + LENGTHS + parts.iter().map(|part| part.len()).sum::<usize>());
    bytes.extend(xxh3_128(document.text.as_bytes()).to_le_bytes());
    bytes.extend(parts.iter().flat_map(|part| (part.len() as u32).to_le_bytes()));
    for part in parts {
        bytes.extend_from_slice(part);
    }
    Ok(bytes)
}

/// Reads a document; `None` when the bytes cannot be one.
pub fn read(bytes: &[u8], dimensions: usize) -> Option<Blob<'_>> {
    let (hash, rest) = bytes.split_at_checked(HASH)?;
    let (lengths, mut rest) = rest.split_at_checked(LENGTHS)?;
    let mut part = |index: usize| {
        let length = u32::from_le_bytes(lengths[index * 4..index * 4 + 4].try_into().ok()?);
        let (part, after) = rest.split_at_checked(length as usize)?;
        rest = after;
        Some(part)
    };
    let (record, structure, vectors, text) = (part(0)?, part(1)?, part(2)?, part(3)?);
    let structure: Structure = postcard::from_bytes(structure).ok()?;
    let rows = structure.sentences.len() + structure.sections.len();
    let text_hash = u128::from_le_bytes(hash.try_into().ok()?);
    Some(Blob {
        text_hash,
        record,
        vectors: Packed::new(vectors, rows, dimensions)?,
        structure,
        text: std::str::from_utf8(text).ok()?,
    })
}

/// Reads only the record of a document.
pub fn read_record(record: &[u8]) -> Option<Record> {
    postcard::from_bytes(record).ok()
}
