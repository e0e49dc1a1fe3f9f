//! Reading one file: nothing when its bytes are known, its documents otherwise.

use super::report::Skipped;
use crate::document::Loaded;
use crate::load::{self, FileEntry, Loader, Sink, SkipReason, Source};
use std::io::BufRead;
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// Larger files of a loader that streams are not held at once.
pub const LARGE: u64 = 4 << 20;

/// What came of reading a file.
pub enum ReadOutcome {
    /// Its bytes are those of the last time.
    Same(u128),
    /// It gave no documents.
    Failed(SkipReason),
    /// Its documents, and the parts that could not be read.
    Loaded { hash: u128, documents: Vec<Loaded>, skipped: Vec<Skipped> },
    /// Too large to be held at once: its documents are read while they are stored.
    Large(u128),
}

/// Looks at a file before it is loaded in this process: a server loads what strangers sent in another process first.
pub trait LoadGuard: Send + Sync {
    /// Whether the file may be loaded. `content` is all of it, or `None` for a file that is too large to be held at
    /// once.
    ///
    /// # Errors
    /// With the reason why not; the file is skipped with it.
    fn admit(&self, file: &Path, content: Option<&[u8]>) -> Result<(), SkipReason>;
}

pub fn read(
    entry: &FileEntry,
    known: Option<u128>,
    loaders: &[Box<dyn Loader>],
    max_file_size: u64,
    guard: Option<&dyn LoadGuard>,
) -> ReadOutcome {
    try_read(entry, known, loaders, max_file_size, guard).unwrap_or_else(ReadOutcome::Failed)
}

/// Whether the file itself could not be read, which says nothing about what it holds: its documents are kept. One that
/// became empty, binary or too large no longer holds them.
pub fn is_unreadable(error: &SkipReason) -> bool {
    matches!(error, SkipReason::Unreadable { .. })
}

fn try_read(
    entry: &FileEntry,
    known: Option<u128>,
    loaders: &[Box<dyn Loader>],
    max_file_size: u64,
    guard: Option<&dyn LoadGuard>,
) -> Result<ReadOutcome, SkipReason> {
    let loader = load::choose(entry, loaders, max_file_size)?;
    let source = Source::file(entry);
    if loader.streams() && entry.size > LARGE {
        let hash = streamed_hash(&source)?;
        if known == Some(hash) {
            return Ok(ReadOutcome::Same(hash));
        }
        guard.map_or(Ok(()), |guard| guard.admit(&entry.path, None))?;
        return Ok(ReadOutcome::Large(hash));
    }
    let bytes = source.bytes()?;
    let hash = xxh3_128(&bytes);
    if known == Some(hash) {
        return Ok(ReadOutcome::Same(hash));
    }
    guard.map_or(Ok(()), |guard| guard.admit(&entry.path, Some(&bytes)))?;
    let mut sink = ReadDocuments::default();
    loader.load(&Source { content: Some(&bytes), ..source }, &mut sink)?;
    Ok(ReadOutcome::Loaded { hash, documents: sink.documents, skipped: sink.skipped })
}

/// The documents of a page.
#[cfg(feature = "fetch")]
pub fn read_page(
    url: &str,
    page: &crate::fetch::FetchedPage,
    known: Option<u128>,
    loaders: &[Box<dyn Loader>],
    reader: Option<&dyn load::ImageReader>,
) -> ReadOutcome {
    let hash = xxh3_128(&page.bytes);
    if known == Some(hash) {
        return ReadOutcome::Same(hash);
    }
    let path = std::path::Path::new(&page.file_name);
    let head = &page.bytes[..page.bytes.len().min(load::HEAD)];
    let mut sink = ReadDocuments::default();
    let source = Source { path, name: url, modified: page.modified, content: Some(&page.bytes), inside: None };
    if let Err(error) = load::accepting(path, head, loaders).and_then(|loader| loader.load(&source, &mut sink)) {
        return ReadOutcome::Failed(error);
    }
    for loaded in &mut sink.documents {
        load::look_at_own_images(loaded, reader);
        loaded.metadata.0.entry("url".to_owned()).or_insert_with(|| crate::document::Value::Text(page.url.clone()));
    }
    ReadOutcome::Loaded { hash, documents: sink.documents, skipped: sink.skipped }
}

fn streamed_hash(source: &Source<'_>) -> Result<u128, SkipReason> {
    let mut reader = source.reader()?;
    let mut hash = Xxh3::new();
    loop {
        let unreadable =
            |cause: std::io::Error| SkipReason::Unreadable { path: source.path.to_owned(), cause: cause.into() };
        let bytes = reader.fill_buf().map_err(unreadable)?;
        if bytes.is_empty() {
            return Ok(hash.digest128());
        }
        hash.update(bytes);
        let length = bytes.len();
        reader.consume(length);
    }
}

#[derive(Default)]
struct ReadDocuments {
    documents: Vec<Loaded>,
    skipped: Vec<Skipped>,
}

impl Sink for ReadDocuments {
    fn document(&mut self, loaded: Loaded) {
        self.documents.push(loaded);
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        self.skipped.push(Skipped { place: place.to_owned(), reason: reason.into() });
    }
}
