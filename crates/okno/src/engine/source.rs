//! Sources that an index follows although they hold no files: the rows of a database, a repository, a service.
//!
//! A source lists everything that it holds, each entry with a version; only entries whose version is not the one of
//! the last run are read, and what is not listed any more is removed. The documents of a source belong to a root of
//! their own, so that nothing else in the index is touched.

use super::added::{AddedDocument, readable};
use super::report::{IndexOptions, IndexReport, Progress};
use super::storing::IndexRun;
use super::{Engine, sync};
use crate::Result;
use crate::document::DocumentId;
use crate::load::{GivenDocument, SkipReason};
use crate::store::{FileState, SOURCE_ROOT};
use std::collections::{HashMap, HashSet};

/// Something that a source holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEntry {
    /// The id of its document, unique in the source.
    pub id: String,
    /// Another number when the entry has changed, and never 0: a hash of what it holds or of when it changed.
    pub version: u128,
}

/// Documents that an index follows. Entries are listed in batches, so that a source of any size fits into memory.
pub trait DocumentSource {
    /// The next entries; none at the end.
    fn list(&mut self) -> Result<Vec<SourceEntry>>;
    /// Reads entries of the batch that was listed last, by their positions in it, in ascending order. One that is gone
    /// meanwhile is left out; the others come in the same order, each with its position.
    fn read(&mut self, positions: &[usize]) -> Result<Vec<(usize, SourceDocument)>>;
}

/// What an entry is: a document, or a reason why it is none.
pub type SourceDocument = Result<GivenDocument, SkipReason>;

impl Engine {
    /// Brings the documents of a source up to date. The name tells sources apart: a second run under the same name
    /// reads what changed and removes what is gone.
    ///
    /// ```
    /// # fn main() -> okno::Result<()> {
    /// # let folder = tempfile::tempdir()?;
    /// use okno::load::GivenDocument;
    /// use okno::{DocumentSource, Engine, IndexOptions, Silent, SourceDocument, SourceEntry};
    ///
    /// /// Notes that have not been listed yet, and those that were listed last.
    /// struct Notes(Vec<(u128, &'static str)>, Vec<(u128, &'static str)>);
    ///
    /// impl DocumentSource for Notes {
    ///     fn list(&mut self) -> okno::Result<Vec<SourceEntry>> {
    ///         self.1 = std::mem::take(&mut self.0);
    ///         let versions = self.1.iter().map(|(version, _)| *version).enumerate();
    ///         Ok(versions.map(|(at, version)| SourceEntry { id: format!("note-{at}"), version }).collect())
    ///     }
    ///     fn read(&mut self, positions: &[usize]) -> okno::Result<Vec<(usize, SourceDocument)>> {
    ///         let document = |&at: &usize| (at, Ok(GivenDocument::new(format!("note-{at}"), self.1[at].1)));
    ///         Ok(positions.iter().map(document).collect())
    ///     }
    /// }
    ///
    /// let engine = Engine::create(folder.path())?;
    /// let options = IndexOptions::default();
    /// let mut sync = |notes| engine.sync_source("notes", &mut Notes(notes, vec![]), &options, &Silent);
    /// assert_eq!(sync(vec![(1, "Tea is hot."), (1, "Ice is cold.")])?.added, 2);
    /// let second = sync(vec![(2, "Tea is cold now.")])?;
    /// assert_eq!((second.changed, second.removed), (1, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When another writer is at work, the source cannot be read, or the embedder fails. What was committed stays.
    pub fn sync_source(
        &self,
        name: &str,
        source: &mut dyn DocumentSource,
        options: &IndexOptions,
        progress: &dyn Progress,
    ) -> Result<IndexReport> {
        let root = format!("{SOURCE_ROOT}{name}");
        sync::write(self, options, progress, |run, roots, files| {
            run.writer.set_roots(&roots)?;
            let known = files.into_iter().filter(|file| file.root == root);
            run.follow_source(&root, source, known.map(|file| (file.path.clone(), file)).collect())
        })
    }
}

impl IndexRun<'_> {
    fn follow_source(
        &mut self,
        root: &str,
        source: &mut dyn DocumentSource,
        mut known: HashMap<String, FileState>,
    ) -> Result<()> {
        let mut seen = HashSet::new();
        loop {
            let entries = source.list()?;
            if entries.is_empty() {
                break;
            }
            let wanted = self.changed_entries(&entries, &known, &mut seen);
            for positions in wanted.chunks(self.batch()) {
                let read = source.read(positions)?;
                self.add_entries(root, &entries, read, &mut known)?;
                if self.report.stopped {
                    return Ok(());
                }
            }
        }
        for (_, gone) in known.into_iter().filter(|(id, _)| !seen.contains(id)) {
            self.report.removed += self.forget(&gone)?;
            self.uncommitted += 1;
        }
        self.commit_if_due()
    }

    /// The positions of entries that must be read.
    fn changed_entries(
        &mut self,
        entries: &[SourceEntry],
        known: &HashMap<String, FileState>,
        seen: &mut HashSet<String>,
    ) -> Vec<usize> {
        let mut changed = Vec::new();
        for (position, entry) in entries.iter().enumerate() {
            let same = known.get(&entry.id).is_some_and(|file| {
                file.hash == entry.version && !file.documents.iter().any(|number| self.damaged.contains(number))
            });
            if !seen.insert(entry.id.clone()) {
                self.skip(entry.id.clone(), SkipReason::RepeatedId { id: entry.id.clone() });
            } else if same {
                self.report.unchanged += 1;
            } else {
                changed.push(position);
            }
        }
        changed
    }

    fn add_entries(
        &mut self,
        root: &str,
        entries: &[SourceEntry],
        read: Vec<(usize, SourceDocument)>,
        known: &mut HashMap<String, FileState>,
    ) -> Result<()> {
        let mut batch = Vec::new();
        for (position, document) in read {
            let SourceEntry { id, version } = entries[position].clone();
            match document.and_then(readable) {
                Ok(loaded) => {
                    let id = DocumentId { root: root.to_owned(), path: id, member: None };
                    batch.push(AddedDocument { id, version, loaded });
                }
                Err(reason) => {
                    // What it was is not what it is: the old document goes.
                    if let Some(file) = known.remove(&id) {
                        self.report.removed += self.forget(&file)?;
                    }
                    // Known to be there, and read again in every run.
                    self.writer.set_file(&unread(root, &id))?;
                    self.uncommitted += 1;
                    self.skip(id, reason);
                }
            }
        }
        self.add_batch(batch)
    }
}

/// An entry that is known to be there, and has no document.
fn unread(root: &str, id: &str) -> FileState {
    let (root, path, documents) = (root.to_owned(), id.to_owned(), Vec::new());
    let mut state = FileState { root, path, modified: 0, size: 0, hash: 0, validator: None, documents };
    state.mark_unread();
    state
}
