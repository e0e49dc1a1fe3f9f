//! Documents, and what indexing them brought.

use crate::document::{CodePoints, DerivedKind, MediaType, Picture, Record, Structure};
use crate::engine;
use crate::message::{Lang, Message};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A document without its text.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Document<'a> {
    /// Its name.
    pub doc_id: &'a str,
    /// The file below the root.
    pub path: &'a str,
    /// The indexed folder or file.
    pub root: &'a str,
    /// Its title, possibly empty.
    pub title: &'a str,
    /// `zh`, `en` …
    pub language: Option<&'a str>,
    /// How many sentences.
    pub sentences: u32,
    /// Bytes of text.
    pub bytes: u64,
    /// Its metadata.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub metadata: serde_json::Value,
}

impl<'a> From<&'a Record> for Document<'a> {
    fn from(record: &'a Record) -> Self {
        Self {
            doc_id: record.id.name(),
            path: &record.id.path,
            root: &record.id.root,
            title: &record.title,
            language: record.language.as_deref(),
            sentences: record.sentences,
            bytes: record.bytes,
            metadata: record.metadata.to_json(),
        }
    }
}

/// A document with its text and structure.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WholeDocument<'a> {
    /// Who it is.
    #[serde(flatten)]
    pub document: Document<'a>,
    /// Its text, or the part of it that was asked for.
    pub text: &'a str,
    /// Where its sentences are: first code point and one past the last.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Vec<usize>>))]
    pub sentence_spans: Vec<[usize; 2]>,
    /// The first sentence of each paragraph.
    pub paragraphs: &'a [u32],
    /// The sections, in order.
    pub sections: Vec<DocumentSection<'a>>,
    /// The images, in order.
    pub images: Vec<PlacedImage<'a>>,
}

impl<'a> WholeDocument<'a> {
    /// A document of this text, of which `part` is shown.
    pub fn new(record: &'a Record, text: &'a str, part: &'a str, structure: &'a Structure) -> Self {
        let mut walk = CodePoints::new(text);
        let mut point = |byte: u32| walk.at(byte).0;
        let sections = structure.sections.iter();
        let mut again = CodePoints::new(text);
        let placed = |image: &'a Picture| PlacedImage {
            image: image.into(),
            start: again.at(image.span.start).0,
            end: again.at(image.span.end).0,
        };
        Self {
            images: structure.images.iter().map(placed).collect(),
            document: record.into(),
            text: part,
            sentence_spans: structure.sentences.iter().map(|s| [point(s.span.start), point(s.span.end)]).collect(),
            paragraphs: &structure.paragraphs,
            sections: sections
                .map(|section| DocumentSection {
                    first: section.first,
                    headings: section.path.iter().map(|heading| heading.of(text)).collect(),
                })
                .collect(),
        }
    }
}

/// An image that the index keeps.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Image))]
pub struct KeptImage<'a> {
    /// What its bytes are asked for by.
    pub hash: String,
    /// `image/png` and the like.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub media_type: MediaType,
    /// What it shows, as the author wrote it; possibly empty.
    pub alt: &'a str,
    /// Its caption; possibly empty.
    pub caption: &'a str,
}

impl<'a> From<&'a Picture> for KeptImage<'a> {
    fn from(image: &'a Picture) -> Self {
        Self { hash: image.hash.to_string(), media_type: image.media, alt: &image.alt, caption: &image.caption }
    }
}

/// An image at its place.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PlacedImage<'a> {
    /// Which one.
    #[serde(flatten)]
    pub image: KeptImage<'a>,
    /// The first code point of its place.
    pub start: usize,
    /// One past the last.
    pub end: usize,
}

/// A section of a document.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Section))]
pub struct DocumentSection<'a> {
    /// Its first sentence.
    pub first: u32,
    /// The headings above it, outermost first.
    pub headings: Vec<&'a str>,
}

/// The text from one code point to another; what lies outside is left out.
pub fn slice(text: &str, start: Option<usize>, end: Option<usize>) -> &str {
    let byte = |point: usize| text.char_indices().nth(point).map_or(text.len(), |(byte, _)| byte);
    let end = end.map_or(text.len(), byte);
    &text[start.map_or(0, byte).min(end)..end]
}

/// Counts of derived units by the names of their layers.
pub fn units(counts: &BTreeMap<DerivedKind, usize>) -> BTreeMap<&'static str, usize> {
    counts.iter().map(|(kind, &count)| (kind.name(), count)).collect()
}

/// What a run of indexing did.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = IndexReport))]
pub struct IndexSummary {
    /// The index folder.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub index: std::path::PathBuf,
    /// Documents new to the index.
    pub added: usize,
    /// Documents whose content or metadata was another.
    pub changed: usize,
    /// Documents gone with their file or line.
    pub removed: usize,
    /// Files that needed no reading, and documents that were the same.
    pub unchanged: usize,
    /// Sentences written.
    pub sentences: usize,
    /// Bytes of text written.
    pub bytes: u64,
    /// What could not be read, and why.
    pub skipped: Vec<SkippedFile>,
    /// Whether it was stopped before the end.
    pub stopped: bool,
    /// Damaged documents that were taken out, and their files read again; only where there were any.
    #[serde(skip_serializing_if = "is_zero")]
    pub repaired: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what `serde` hands over
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl IndexSummary {
    /// The report of a run over the index in this folder.
    pub fn new(report: &engine::IndexReport, folder: &Path) -> Self {
        Self {
            index: folder.to_owned(),
            added: report.added,
            changed: report.changed,
            removed: report.removed,
            unchanged: report.unchanged,
            sentences: report.sentences,
            bytes: report.bytes,
            skipped: report.skipped.iter().map(SkippedFile::from).collect(),
            stopped: report.stopped,
            repaired: report.repaired,
        }
    }
}

/// Something that could not be read.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SkippedFile {
    /// Where.
    pub place: String,
    /// Why, for programs: stays the same.
    pub code: String,
    /// Why.
    pub reason: String,
    /// The same in Chinese.
    pub chinese: String,
}

impl From<&engine::Skipped> for SkippedFile {
    fn from(skipped: &engine::Skipped) -> Self {
        let (place, reason) = (skipped.place.clone(), &skipped.reason);
        Self { place, code: reason.code().to_owned(), reason: reason.text(Lang::En), chinese: reason.text(Lang::Zh) }
    }
}
