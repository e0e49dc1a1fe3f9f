//! Another embedder for an index: every vector is made again, and nothing else.
//!
//! No file is read: texts, sentences and derived units are those of the index. An embedder that takes its time first
//! makes all vectors and keeps them by content, committing as it goes, while everybody still searches with the old
//! ones; a run that is stopped or killed there goes on where it was. Then one commit puts the new vectors and the new
//! embedder's name in place: before it the index is the old one, after it the new one.

use super::prepare::{self, Above, Embed};
use super::{Engine, Progress};
use crate::document::{Derived, Record, Structure};
use crate::embed::Embedder;
use crate::store::{DocumentNumber, DocumentText, Manifest, Snapshot, Writer};
use crate::{Error, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between two commits of vectors that are kept, at most.
const COMMIT_SECONDS: Duration = Duration::from_secs(5);

/// Documents whose texts are embedded together.
const BATCH: usize = 32;

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReembedReport {
    /// The embedder before.
    pub from: String,
    /// The embedder now.
    pub to: String,
    /// Documents with new vectors.
    pub documents: usize,
    /// Whether it was stopped: then the index is as before, and the next run is quicker.
    pub stopped: bool,
}

impl Engine {
    /// Gives every document of the index the vectors of another embedder, all at once, and searches with it from then
    /// on.
    pub fn reembed(&mut self, embedder: Arc<dyn Embedder>, progress: &dyn Progress) -> Result<ReembedReport> {
        let store = self.store()?;
        let mut writer = store.writer()?;
        let snapshot = store.snapshot()?;
        let mut report = ReembedReport {
            from: snapshot.manifest().embedder.clone(),
            to: embedder.identity().to_owned(),
            ..ReembedReport::default()
        };
        let numbers = snapshot.numbers();
        let bytes = numbers.iter().map(|&number| Ok(snapshot.text(number)?.len() as u64)).sum::<Result<u64>>()?;
        progress.begin(numbers.len(), bytes);
        match exchange(&*snapshot, &mut *writer, &*embedder, &numbers, progress) {
            // What is half exchanged is dropped with the writer; the vectors that were made are kept already.
            Err(Error::Stopped) => {
                report.stopped = true;
                return Ok(report);
            }
            done => done?,
        }
        report.documents = numbers.len();
        drop(snapshot);
        self.finish(writer)?;
        store.release();
        self.embedder = embedder;
        Ok(report)
    }
}

fn exchange(
    snapshot: &dyn Snapshot,
    writer: &mut dyn Writer,
    embedder: &dyn Embedder,
    numbers: &[DocumentNumber],
    progress: &dyn Progress,
) -> Result<()> {
    if embedder.is_slow() {
        make(snapshot, writer, embedder, numbers, progress)?;
    }
    let before = snapshot.manifest();
    let (identity, dimensions) = (embedder.identity().to_owned(), embedder.dimensions());
    writer.set_manifest(&Manifest { embedder: identity, dimensions, ..before.clone() })?;
    for &number in numbers {
        if progress.stop() {
            return Err(Error::Stopped);
        }
        put(&ReembedDocument::of(snapshot, number)?, writer, embedder, number, progress)?;
    }
    // Those of the embedder before are of no use, and an embedder that is quick keeps none.
    if embedder.is_slow() { Ok(()) } else { writer.forget_cached_vectors() }
}

/// Makes all vectors and keeps them by content.
fn make(
    snapshot: &dyn Snapshot,
    writer: &mut dyn Writer,
    embedder: &dyn Embedder,
    numbers: &[DocumentNumber],
    progress: &dyn Progress,
) -> Result<()> {
    let mut committed = Instant::now();
    for batch in numbers.chunks(BATCH) {
        let stored: Vec<ReembedDocument<'_>> =
            batch.iter().map(|&number| ReembedDocument::of(snapshot, number)).collect::<Result<_>>()?;
        let texts: Vec<&str> = stored.iter().flat_map(ReembedDocument::texts).collect();
        if let Err(error) = prepare::remembered(&texts, embedder, writer, progress) {
            // With the vectors that were made: the next run has them, and a service is not paid twice.
            writer.commit()?;
            return Err(error);
        }
        for document in &stored {
            progress.advance(document.record.id.name(), document.text.len() as u64);
        }
        if committed.elapsed() >= COMMIT_SECONDS {
            writer.commit()?;
            committed = Instant::now();
        }
    }
    writer.commit()
}

fn put(
    stored: &ReembedDocument<'_>,
    writer: &mut dyn Writer,
    embedder: &dyn Embedder,
    number: DocumentNumber,
    progress: &dyn Progress,
) -> Result<()> {
    let dimensions = embedder.dimensions();
    let vectors = if embedder.is_slow() {
        let known = prepare::remembered(&stored.texts(), embedder, writer, progress)?;
        stored.vectors(dimensions, &mut |texts| Ok(known.of(texts)))?
    } else {
        progress.advance(stored.record.id.name(), stored.text.len() as u64);
        stored.vectors(dimensions, &mut |texts| prepare::embed(texts, embedder))?
    };
    writer.set_vectors(number, &vectors)
}

/// A document of the index, and all that is embedded of it.
struct ReembedDocument<'s> {
    record: Record,
    fields: String,
    text: DocumentText<'s>,
    structure: Arc<Structure>,
    derived: Arc<[Derived]>,
}

impl<'s> ReembedDocument<'s> {
    fn of(snapshot: &'s dyn Snapshot, number: DocumentNumber) -> Result<Self> {
        let record = snapshot.record(number)?;
        let fields = record.metadata.line(&snapshot.manifest().embedded_fields);
        let (structure, derived) = (snapshot.structure(number)?, snapshot.derived(number)?);
        Ok(Self { record, fields, text: snapshot.text(number)?, structure, derived })
    }

    fn above(&self) -> Above<'_> {
        Above { title: &self.record.title, fields: &self.fields }
    }

    fn texts(&self) -> Vec<&str> {
        prepare::texts(&self.text, self.above(), &self.structure, &self.derived)
    }

    fn vectors(&self, dimensions: usize, embed: &mut Embed<'_>) -> Result<crate::store::Vectors> {
        prepare::vectors(&self.text, self.above(), &self.structure, &self.derived, dimensions, embed)
    }
}
