//! Documents that are not files: a program adds them by id, replaces them by the same id and deletes them.
//!
//! They belong to a root of their own ([`ADDED_ROOT`]), which is none of the roots that indexing follows, so that
//! bringing files up to date leaves them alone. What indexing does to a file's documents is done to them: rules add
//! metadata, a text that is the same is not embedded again. Rules that change later do not reach them until they are
//! added again, because nothing is there to be read again.

use super::content_hash::{content_hash, same_body};
use super::prepare::Changed;
use super::report::{IndexOptions, IndexReport, Progress, Silent, Skipped};
use super::storing::{IndexRun, SeenImages};
use super::{Engine, sync};
use crate::Result;
use crate::document::{DocumentId, Loaded};
use crate::load::GivenDocument;
use crate::store::{DocumentNumber, FileState};
use std::collections::HashSet;
use std::path::Path;

/// The root of documents that are not files. No path and no URL.
pub const ADDED_ROOT: &str = "added:";

/// The longest id, in bytes: a key of the store has room for 511, root and marks included.
const LONGEST_ID: usize = 400;

impl Engine {
    /// Adds documents that are not files; one of the same id is replaced. Documents that are the same as before are
    /// not embedded again. A document without text is skipped with the reason, and the one it would replace stays.
    ///
    /// ```
    /// # fn main() -> okno::Result<()> {
    /// # let folder = tempfile::tempdir()?;
    /// use okno::load::GivenDocument;
    /// use okno::{Engine, Query};
    ///
    /// let engine = Engine::create(folder.path())?;
    /// let report = engine.add([GivenDocument::new("tea-1", "Green tea is brewed at 80 °C.")])?;
    /// assert_eq!(report.added, 1);
    /// assert_eq!(engine.search(&Query::new("How hot is green tea?"))?.contexts[0].document, "tea-1");
    /// assert_eq!(engine.delete(&["tea-1"])?, 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When another writer is at work, or the embedder fails.
    pub fn add(&self, documents: impl IntoIterator<Item = GivenDocument>) -> Result<IndexReport> {
        self.add_with(&mut documents.into_iter().map(Ok), &IndexOptions::default(), &Silent)
    }

    /// The same, with options, telling how it goes. What could not be read on the way is given as skipped, and is
    /// skipped in the report. Documents are asked for in batches, and committed as a run of indexing commits.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn add_with(
        &self,
        documents: &mut dyn Iterator<Item = Result<GivenDocument, Skipped>>,
        options: &IndexOptions,
        progress: &dyn Progress,
    ) -> Result<IndexReport> {
        sync::write(self, options, progress, |run, roots, _| {
            run.writer.set_roots(&roots)?;
            run.add_all(documents)
        })
    }

    /// Deletes documents that were added by these ids. An id that is not there is no error. Returns how many there
    /// were.
    ///
    /// # Errors
    /// When another writer is at work.
    pub fn delete<I: AsRef<str>>(&self, ids: &[I]) -> Result<usize> {
        let store = self.store()?;
        let mut writer = store.writer()?;
        let damaged: HashSet<DocumentNumber> = store.snapshot()?.all_damaged().iter().map(|it| it.number).collect();
        let mut deleted = 0;
        for id in ids {
            let id = added_id(id.as_ref());
            if let Some((number, _)) = writer.find(&id)? {
                let damaged = damaged.contains(&number);
                deleted += usize::from(if damaged { writer.discard(number)? } else { writer.remove(number)? });
                writer.forget_file(&id.root, &id.path)?;
            }
        }
        self.finish(writer)?;
        Ok(deleted)
    }
}

fn added_id(id: &str) -> DocumentId {
    DocumentId { root: ADDED_ROOT.to_owned(), path: id.to_owned(), member: None }
}

/// A document that is not a file, read; its version is 0 where it has none.
pub struct AddedDocument {
    pub id: DocumentId,
    pub version: u128,
    pub loaded: Loaded,
}

impl IndexRun<'_> {
    fn add_all(&mut self, documents: &mut dyn Iterator<Item = Result<GivenDocument, Skipped>>) -> Result<()> {
        let mut batch: Vec<AddedDocument> = Vec::new();
        for document in documents {
            let document = match document {
                Ok(document) => document,
                Err(skipped) => {
                    self.report.skipped.push(skipped);
                    continue;
                }
            };
            let id = document.id.clone();
            match readable(document) {
                Ok(loaded) => {
                    // The later of two documents of one id counts.
                    if batch.len() >= self.batch() || batch.iter().any(|other| other.id.path == id) {
                        self.add_batch(std::mem::take(&mut batch))?;
                    }
                    batch.push(AddedDocument { id: added_id(&id), version: 0, loaded });
                }
                Err(reason) => self.skip(id, reason),
            }
            if self.report.stopped {
                return Ok(());
            }
        }
        self.add_batch(batch)
    }

    /// Writes documents that are not files; those that are the same as before are kept.
    pub fn add_batch(&mut self, batch: Vec<AddedDocument>) -> Result<()> {
        let counted = (self.report.added, self.report.changed);
        let (mut changed, mut versions) = (Vec::new(), Vec::new());
        for AddedDocument { id, version, mut loaded } in batch {
            self.rules.apply(&id.path, &mut loaded);
            let hash = content_hash(&loaded, self.embedded);
            let found = self.writer.find(&id)?;
            let same = found.filter(|(number, old)| same_body(*old, hash) && !self.damaged.contains(number));
            if let Some((number, old)) = same {
                self.keep(number, loaded, old, hash)?;
                if version != 0 {
                    self.writer.set_file(&state_of(id, number, version))?;
                    self.uncommitted += 1;
                }
            } else if version == 0 || !self.stays_removed(&id, hash)? {
                *(if found.is_some() { &mut self.report.changed } else { &mut self.report.added }) += 1;
                versions.push(version);
                changed.push(Changed { id, loaded, hash });
            }
        }
        let Some(prepared) = self.prepare(changed, counted)? else { return Ok(()) };
        for (document, version) in prepared.into_iter().zip(versions) {
            let id = document.record.id.clone();
            let number = self.put(&document, Path::new(""), &SeenImages::new())?;
            self.writer.set_file(&state_of(id, number, version))?;
            self.progress.advance(&document.record.id.path, document.text.len() as u64);
        }
        self.commit_if_due()
    }
}

/// The document with its text read; its id is its path, and no member of a file.
pub fn readable(document: GivenDocument) -> Result<Loaded, crate::load::SkipReason> {
    if document.id.trim().is_empty() || document.id.len() > LONGEST_ID {
        return Err(crate::load::SkipReason::BadId { limit: LONGEST_ID });
    }
    let mut loaded = document.load()?;
    loaded.id = None;
    Ok(loaded)
}

/// What takes the place of a file's state: no file is there to be compared with, at most a version.
fn state_of(id: DocumentId, number: DocumentNumber, version: u128) -> FileState {
    let (root, path, documents) = (id.root, id.path, vec![number]);
    FileState { root, path, modified: i64::MIN, size: 0, hash: version, validator: None, documents }
}
