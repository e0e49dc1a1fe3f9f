//! What indexing is told, and what it tells: options in, progress on the way, a report at the end.

use super::reason::SkippedReason;
use crate::document::Layer;
use crate::fetch::FetchOptions;
use crate::load::{MAX_FILE_SIZE, Selection};
use crate::rules::RuleText;

/// What to index and how.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexOptions {
    /// Larger files are skipped, unless their loader reads them bit by bit.
    pub max_file_size: u64,
    /// Which fields of JSON lines hold what, as in `id=doc_id,text=body`.
    pub jsonl_fields: Option<String>,
    /// Plain text files hold one document per line; an index once told so stays with it.
    pub lines: bool,
    /// The recipe searches of this index use.
    pub recipe: Option<String>,
    /// The chunk layer of this index, for recipes that search chunks.
    pub chunk: Option<Layer>,
    /// The neighbours that come with a chunk.
    pub neighbors: Option<u32>,
    /// Rules that add metadata; `None` keeps those of the index. Others than before are applied to all documents.
    pub rules: Option<Vec<RuleText>>,
    /// Which files are documents; `None` keeps what the index says.
    pub selection: Option<Selection>,
    /// Metadata that the embedder and the lexical leg see; `None` keeps what the index says.
    pub embedded_fields: Option<Vec<String>>,
    /// How URLs are fetched.
    pub fetch: FetchOptions,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            max_file_size: MAX_FILE_SIZE,
            jsonl_fields: None,
            lines: false,
            recipe: None,
            chunk: None,
            neighbors: None,
            rules: None,
            selection: None,
            embedded_fields: None,
            fetch: FetchOptions::default(),
        }
    }
}

/// How indexing goes, told while it goes.
pub trait Progress: Sync {
    /// This many files have to be read, of this many bytes.
    fn begin(&self, _files: usize, _bytes: u64) {}
    /// This many bytes more of this file are done.
    fn advance(&self, _path: &str, _bytes: u64) {}
    /// This many texts more were embedded, by an embedder that takes its time.
    fn embedded(&self, _texts: usize) {}
    /// Whether to stop after the next commit.
    fn stop(&self) -> bool {
        false
    }
}

/// Tells nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct IndexReport {
    /// Documents new to the index.
    pub added: usize,
    /// Documents whose content or metadata was another.
    pub changed: usize,
    /// Documents gone with their file or line.
    pub removed: usize,
    /// Documents that were the same, their files read or not.
    pub unchanged: usize,
    /// Sentences written.
    pub sentences: usize,
    /// Bytes of text written.
    pub bytes: u64,
    /// What could not be read, and why.
    pub skipped: Vec<Skipped>,
    /// Whether it was stopped before the end.
    pub stopped: bool,
    /// Damaged documents that were taken out, and their files read again.
    pub repaired: usize,
}

impl IndexReport {
    /// Whether nothing was to be done.
    pub fn is_nothing(&self) -> bool {
        self.added + self.changed + self.removed == 0 && !self.stopped
    }
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where.
    pub place: String,
    /// Why.
    pub reason: SkippedReason,
}
