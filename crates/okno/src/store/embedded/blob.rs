//! A document as one value: a hash of its text, six lengths, then record, sentences, vectors, text, derived texts and
//! their vectors.

use super::vectors::{Packed, pack, pack_normalised};
use crate::document::{Derived, Record, Structure};
use crate::store::{Prepared, Vectors};
use xxhash_rust::xxh3::xxh3_128;

const HASH: usize = 16;
const PARTS: usize = 6;
const LENGTHS: usize = PARTS * 4;

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
    /// Texts made about it.
    pub derived: Vec<Derived>,
    /// Their vectors.
    pub derived_vectors: Packed<'a>,
}

/// Packs a document.
pub fn write(document: &Prepared, dimensions: usize) -> Result<Vec<u8>, postcard::Error> {
    let record = postcard::to_stdvec(&document.record)?;
    let structure = postcard::to_stdvec(&document.structure)?;
    let vectors = pack(&document.vectors, &document.structure, dimensions);
    let derived = postcard::to_stdvec(&document.derived)?;
    let derived_vectors = pack_normalised(&document.vectors.derived, dimensions);
    let hash = xxh3_128(document.text.as_bytes()).to_le_bytes();
    Ok(join(&hash, [&record, &structure, &vectors, document.text.as_bytes(), &derived, &derived_vectors]))
}

/// The same document with other derived units; `None` when the bytes cannot be a document.
pub fn with_derived(bytes: &[u8], derived: &[Derived], vectors: &[f32], dimensions: usize) -> Option<Vec<u8>> {
    let (hash, [record, structure, sentence_vectors, text, ..]) = parts(bytes)?;
    let packed = postcard::to_stdvec(derived).ok()?;
    let vectors = pack_normalised(vectors, dimensions);
    Some(join(hash, [record, structure, sentence_vectors, text, &packed, &vectors]))
}

/// The same document with the vectors of another embedder; `None` when the bytes cannot be a document.
pub fn with_vectors(bytes: &[u8], vectors: &Vectors, dimensions: usize) -> Option<Vec<u8>> {
    let (hash, [record, packed_structure, _, text, derived, _]) = parts(bytes)?;
    let structure: Structure = postcard::from_bytes(packed_structure).ok()?;
    let derived_vectors = pack_normalised(&vectors.derived, dimensions);
    let vectors = pack(vectors, &structure, dimensions);
    Some(join(hash, [record, packed_structure, &vectors, text, derived, &derived_vectors]))
}

fn join(hash: &[u8], parts: [&[u8]; PARTS]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HASH + LENGTHS + parts.iter().map(|part| part.len()).sum::<usize>());
    bytes.extend_from_slice(hash);
    bytes.extend(parts.iter().flat_map(|part| (part.len() as u32).to_le_bytes()));
    for part in parts {
        bytes.extend_from_slice(part);
    }
    bytes
}

fn parts(bytes: &[u8]) -> Option<(&[u8], [&[u8]; PARTS])> {
    let (hash, rest) = bytes.split_at_checked(HASH)?;
    let (lengths, mut rest) = rest.split_at_checked(LENGTHS)?;
    let mut parts = [&[][..]; PARTS];
    for (part, length) in parts.iter_mut().zip(lengths.chunks_exact(4)) {
        let length = u32::from_le_bytes(length.try_into().ok()?);
        (*part, rest) = rest.split_at_checked(length as usize)?;
    }
    Some((hash, parts))
}

/// Reads a document; `None` when the bytes cannot be one.
pub fn read(bytes: &[u8], dimensions: usize) -> Option<Blob<'_>> {
    let (hash, [record, structure, vectors, text, derived, derived_vectors]) = parts(bytes)?;
    let derived: Vec<Derived> = postcard::from_bytes(derived).ok()?;
    let structure: Structure = postcard::from_bytes(structure).ok()?;
    let rows = structure.sentences.len() + structure.sections.len();
    let text_hash = u128::from_le_bytes(hash.try_into().ok()?);
    Some(Blob {
        text_hash,
        record,
        vectors: Packed::new(vectors, rows, dimensions)?,
        structure,
        text: std::str::from_utf8(text).ok()?,
        derived_vectors: Packed::new(derived_vectors, derived.len(), dimensions)?,
        derived,
    })
}

/// The same document with another record; `None` when the bytes cannot be a document.
pub fn with_record(bytes: &[u8], record: &Record) -> Option<Vec<u8>> {
    let (hash, [_, structure, vectors, text, derived, derived_vectors]) = parts(bytes)?;
    Some(join(hash, [&postcard::to_stdvec(record).ok()?, structure, vectors, text, derived, derived_vectors]))
}

/// Reads only the record of a document.
pub fn read_record(record: &[u8]) -> Option<Record> {
    postcard::from_bytes(record).ok()
}
