//! A document as one value: a hash of its text, six lengths, then record, sentences, vectors, text, derived texts and
//! their vectors. The text may be compressed, and vectors may have four bits per component; their lengths say so.

use super::sums::Sums;
use super::texts;
use super::vectors::{PackedVectors, pack, pack_normalised};
use crate::document::{Derived, Record, Span, Structure};
use crate::embed::dot::Bits;
use crate::store::{DocumentText, PreparedDocument, Vectors};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_128;

const HASH: usize = 16;
const PARTS: usize = 6;
const LENGTHS: usize = PARTS * 4;

/// What is added to the length of a part that is packed.
const PACKED: u32 = 1 << 31;

/// A part as it is stored.
#[derive(Clone, Copy)]
struct Part<'a> {
    bytes: &'a [u8],
    /// Of the text: compressed; of vectors: of four bits instead of eight.
    is_packed: bool,
}

impl<'a> Part<'a> {
    fn plain(bytes: &'a [u8]) -> Self {
        Self { bytes, is_packed: false }
    }

    fn packed(bytes: &'a [u8]) -> Self {
        Self { bytes, is_packed: true }
    }

    fn vectors(self, rows: usize, dimensions: usize) -> Option<PackedVectors<'a>> {
        let bits = if self.is_packed { Bits::Four } else { Bits::Eight };
        PackedVectors::new(self.bytes, bits, rows, dimensions)
    }
}

/// The parts of a stored document, in place.
pub struct Blob<'a> {
    /// The record, still packed.
    pub record: &'a [u8],
    /// The sentences.
    pub structure: Structure,
    /// The vectors.
    pub vectors: PackedVectors<'a>,
    /// The text.
    pub text: StoredText<'a>,
    /// Texts made about it.
    pub derived: Vec<Derived>,
    /// Their vectors.
    pub derived_vectors: PackedVectors<'a>,
}

/// The text of a stored document. It is read when somebody asks for it: an index is opened without reading its texts.
pub struct StoredText<'a> {
    bytes: &'a [u8],
    pub is_compressed: bool,
    /// The same hash, the same text.
    pub hash: u128,
    is_whole: OnceLock<bool>,
}

impl<'a> StoredText<'a> {
    fn new(text: Part<'a>, hash: &[u8]) -> Option<Self> {
        let hash = u128::from_le_bytes(hash.try_into().ok()?);
        Some(Self { bytes: text.bytes, is_compressed: text.is_packed, hash, is_whole: OnceLock::new() })
    }

    /// That of a document that is not what was stored.
    pub fn damaged() -> Self {
        Self { bytes: &[], is_compressed: false, hash: 0, is_whole: OnceLock::from(false) }
    }

    /// The text; `None` when it is not the one that was written.
    pub fn get(&self) -> Option<DocumentText<'a>> {
        if self.is_compressed { self.unpacked().map(DocumentText::Shared) } else { self.lent().map(DocumentText::Lent) }
    }

    /// A text that is compressed.
    pub fn unpacked(&self) -> Option<Arc<str>> {
        texts::decompressed(self.bytes).filter(|text| xxh3_128(text.as_bytes()) == self.hash).map(Arc::from)
    }

    fn lent(&self) -> Option<&'a str> {
        let is_whole = || xxh3_128(self.bytes) == self.hash && std::str::from_utf8(self.bytes).is_ok();
        // SAFETY: these bytes were looked at; as with all that is read in place, nobody changes the file.
        self.is_whole.get_or_init(is_whole).then(|| unsafe { std::str::from_utf8_unchecked(self.bytes) })
    }
}

/// The sentences and derived texts of a stored document, which may be still packed: they are read when somebody asks.
pub struct StoredFront<'a> {
    bytes: &'a [u8],
    sums: Sums<'a>,
    counts: DocumentCounts,
    read: OnceLock<Option<DocumentFront>>,
}

/// The sentences of a document, and the texts made about it.
pub struct DocumentFront {
    pub structure: Arc<Structure>,
    /// By ascending first sentence.
    pub derived: Arc<[Derived]>,
}

/// How many sentences, sections and derived texts a document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentCounts {
    pub sentences: u32,
    pub sections: u32,
    pub derived: u32,
}

impl<'a> StoredFront<'a> {
    /// One that was read.
    pub fn of(structure: Structure, derived: Vec<Derived>) -> Self {
        let front = DocumentFront { structure: Arc::new(structure), derived: derived.into() };
        Self { bytes: &[], sums: Sums::new(&[]), counts: front.counts(), read: OnceLock::from(Some(front)) }
    }

    /// One that is to be read, of a document that was found to be whole earlier.
    pub fn unread(bytes: &'a [u8], sums: Sums<'a>, counts: DocumentCounts) -> Self {
        Self { bytes, sums, counts, read: OnceLock::new() }
    }

    /// What it holds; `None` when that, or the record, is not what was written.
    pub fn get(&self) -> Option<&DocumentFront> {
        let read = || {
            stored_parts(self.bytes).filter(|parts| self.sums.fit_layout(parts))?;
            let (_, [_, structure, _, _, derived, _]) = parts(self.bytes)?;
            let derived: Vec<Derived> = postcard::from_bytes(derived.bytes).ok()?;
            let structure = Arc::new(postcard::from_bytes(structure.bytes).ok()?);
            let front = DocumentFront { structure, derived: derived.into() };
            (front.counts() == self.counts).then_some(front)
        };
        self.read.get_or_init(read).as_ref()
    }

    /// How much that is.
    pub fn counts(&self) -> DocumentCounts {
        self.counts
    }
}

impl DocumentFront {
    fn counts(&self) -> DocumentCounts {
        DocumentCounts {
            sentences: self.structure.sentences.len() as u32,
            sections: self.structure.sections.len() as u32,
            derived: self.derived.len() as u32,
        }
    }
}

/// Packs a document.
pub fn write(document: &PreparedDocument, dimensions: usize) -> Result<Vec<u8>, postcard::Error> {
    let record = postcard::to_stdvec(&document.record)?;
    let structure = postcard::to_stdvec(&document.structure)?;
    let vectors = pack(&document.vectors, &document.structure, dimensions);
    let derived = postcard::to_stdvec(&document.derived)?;
    let derived_vectors = pack_normalised(&document.vectors.derived, dimensions);
    let hash = xxh3_128(document.text.as_bytes()).to_le_bytes();
    let compressed = texts::compressed(&document.text);
    let text = compressed.as_deref().map_or(Part::plain(document.text.as_bytes()), Part::packed);
    let [record, structure, derived] = [&record, &structure, &derived].map(|part| Part::plain(part));
    let [vectors, derived_vectors] = [&vectors, &derived_vectors].map(|part| Part::packed(part));
    Ok(join(&hash, [record, structure, vectors, text, derived, derived_vectors]))
}

/// The same document with other derived units; `None` when the bytes cannot be a document.
pub fn with_derived(bytes: &[u8], derived: &[Derived], vectors: &[f32], dimensions: usize) -> Option<Vec<u8>> {
    let (hash, [record, structure, sentence_vectors, text, ..]) = parts(bytes)?;
    let packed = postcard::to_stdvec(derived).ok()?;
    let vectors = pack_normalised(vectors, dimensions);
    Some(join(hash, [record, structure, sentence_vectors, text, Part::plain(&packed), Part::packed(&vectors)]))
}

/// The same document with the vectors of another embedder; `None` when the bytes cannot be a document.
pub fn with_vectors(bytes: &[u8], vectors: &Vectors, dimensions: usize) -> Option<Vec<u8>> {
    let (hash, [record, stored_structure, _, text, derived, _]) = parts(bytes)?;
    let structure: Structure = postcard::from_bytes(stored_structure.bytes).ok()?;
    let derived_vectors = pack_normalised(&vectors.derived, dimensions);
    let vectors = pack(vectors, &structure, dimensions);
    let [vectors, derived_vectors] = [&vectors, &derived_vectors].map(|part| Part::packed(part));
    Some(join(hash, [record, stored_structure, vectors, text, derived, derived_vectors]))
}

/// The parts of a stored document as bytes, for their checksums.
pub struct StoredParts<'a> {
    /// Hash, lengths, record and sentences.
    pub front: &'a [u8],
    /// The vectors.
    pub vectors: &'a [u8],
    /// The text, which may be compressed.
    pub text: &'a [u8],
    pub is_compressed: bool,
    /// The derived texts.
    pub derived: &'a [u8],
    /// Their vectors.
    pub derived_vectors: &'a [u8],
}

/// The parts of a stored document; `None` when the bytes cannot be one.
pub fn stored_parts(bytes: &[u8]) -> Option<StoredParts<'_>> {
    let (_, [record, structure, vectors, text, derived, derived_vectors]) = parts(bytes)?;
    Some(StoredParts {
        front: bytes.get(..HASH + LENGTHS + record.bytes.len() + structure.bytes.len())?,
        vectors: vectors.bytes,
        text: text.bytes,
        is_compressed: text.is_packed,
        derived: derived.bytes,
        derived_vectors: derived_vectors.bytes,
    })
}

/// Reads a document whose text is the one it was written with, and which says nothing impossible about it.
pub fn read_whole(bytes: &[u8], dimensions: usize) -> Option<Blob<'_>> {
    let blob = read(bytes, dimensions)?;
    let text = blob.text.get()?;
    is_sound(&blob, &text).then_some(blob)
}

/// Reads a document whose record and sentences are those it was written with. Without checksums that needs its text.
pub fn read_checked<'b>(bytes: &'b [u8], dimensions: usize, sums: Option<Sums<'_>>) -> Option<Blob<'b>> {
    let Some(sums) = sums else { return read_whole(bytes, dimensions) };
    if sums.fit_layout(&stored_parts(bytes)?) { read(bytes, dimensions) } else { None }
}

/// Whether all that a document without checksums says about its text can be true: nothing may read beside the text.
fn is_sound(blob: &Blob<'_>, text: &str) -> bool {
    let Structure { sentences, paragraphs, sections, pages, images } = &blob.structure;
    let inside = |span: Span| text.get(span.range()).is_some();
    let ascending = |firsts: Vec<u32>| {
        let count = sentences.len().max(1);
        firsts.is_sorted() && firsts.last().is_none_or(|&last| (last as usize) < count)
    };
    let ends = sentences.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
    ends && sentences.iter().all(|sentence| inside(sentence.span))
        && ascending(paragraphs.clone())
        && ascending(sections.iter().map(|section| section.first).collect())
        && (sentences.is_empty() || (paragraphs.first() == Some(&0) && sections.first().is_some_and(|s| s.first == 0)))
        && sections.iter().flat_map(|section| &section.path).all(|&heading| inside(heading))
        && pages.iter().all(|page| page.start as usize <= text.len())
        && images.iter().all(|image| inside(image.span))
        && blob.derived.iter().all(|unit| unit.first < unit.end && unit.end as usize <= sentences.len())
}

fn join(hash: &[u8], parts: [Part<'_>; PARTS]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HASH + LENGTHS + parts.iter().map(|part| part.bytes.len()).sum::<usize>());
    bytes.extend_from_slice(hash);
    let length = |part: Part<'_>| part.bytes.len() as u32 | if part.is_packed { PACKED } else { 0 };
    bytes.extend(parts.into_iter().flat_map(|part| length(part).to_le_bytes()));
    for part in parts {
        bytes.extend_from_slice(part.bytes);
    }
    bytes
}

fn parts(bytes: &[u8]) -> Option<(&[u8], [Part<'_>; PARTS])> {
    let (hash, rest) = bytes.split_at_checked(HASH)?;
    let (lengths, mut rest) = rest.split_at_checked(LENGTHS)?;
    let mut parts = [Part::plain(&[]); PARTS];
    for (part, length) in parts.iter_mut().zip(lengths.as_chunks::<4>().0) {
        let length = u32::from_le_bytes(*length);
        part.is_packed = length & PACKED != 0;
        (part.bytes, rest) = rest.split_at_checked((length & !PACKED) as usize)?;
    }
    Some((hash, parts))
}

/// Reads a document; `None` when the bytes cannot be one.
pub fn read(bytes: &[u8], dimensions: usize) -> Option<Blob<'_>> {
    let (hash, [record, structure, vectors, text, derived, derived_vectors]) = parts(bytes)?;
    let derived: Vec<Derived> = postcard::from_bytes(derived.bytes).ok()?;
    let structure: Structure = postcard::from_bytes(structure.bytes).ok()?;
    let rows = structure.sentences.len() + structure.sections.len();
    Some(Blob {
        record: record.bytes,
        vectors: vectors.vectors(rows, dimensions)?,
        structure,
        text: StoredText::new(text, hash)?,
        derived_vectors: derived_vectors.vectors(derived.len(), dimensions)?,
        derived,
    })
}

/// A document whose sentences and derived texts are not read yet; `None` when the bytes cannot have so many.
pub struct BlobOutline<'a> {
    pub record: &'a [u8],
    pub vectors: PackedVectors<'a>,
    pub text: StoredText<'a>,
    pub derived_vectors: PackedVectors<'a>,
}

impl<'a> BlobOutline<'a> {
    /// Finds the parts of a document.
    pub fn new(bytes: &'a [u8], counts: DocumentCounts, dimensions: usize) -> Option<Self> {
        let (hash, [record, _, vectors, text, _, derived_vectors]) = parts(bytes)?;
        Some(Self {
            record: record.bytes,
            vectors: vectors.vectors(counts.sentences as usize + counts.sections as usize, dimensions)?,
            text: StoredText::new(text, hash)?,
            derived_vectors: derived_vectors.vectors(counts.derived as usize, dimensions)?,
        })
    }
}

/// The same document with another record; `None` when the bytes cannot be a document.
pub fn with_record(bytes: &[u8], record: &Record) -> Option<Vec<u8>> {
    let (hash, [_, structure, vectors, text, derived, derived_vectors]) = parts(bytes)?;
    let record = postcard::to_stdvec(record).ok()?;
    Some(join(hash, [Part::plain(&record), structure, vectors, text, derived, derived_vectors]))
}

/// The same document as it was written before vectors had four bits.
#[cfg(test)]
pub fn with_eight_bits(bytes: &[u8], dimensions: usize) -> Option<Vec<u8>> {
    let Blob { vectors, derived_vectors, .. } = read(bytes, dimensions)?;
    let [vectors, derived_vectors] = [vectors, derived_vectors].map(PackedVectors::in_eight_bits);
    let (hash, [record, structure, _, text, derived, _]) = parts(bytes)?;
    Some(join(hash, [record, structure, Part::plain(&vectors), text, derived, Part::plain(&derived_vectors)]))
}

/// Reads only the record of a document.
pub fn read_record(record: &[u8]) -> Option<Record> {
    postcard::from_bytes(record).ok()
}
