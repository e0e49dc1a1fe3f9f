//! Keeping an index in step with files and folders.
//!
//! A file whose size and time are those of the last run is not read; one whose bytes are the same is
//! not loaded; a document whose content is the same is not split or embedded. What is gone from a
//! folder that could be read is gone from the index; what could not be read is kept and reported.
//! Work is committed every [`COMMIT_DOCUMENTS`] documents or [`COMMIT_SECONDS`], so that a run that is
//! killed keeps what it did, and the next one goes on from there.

use super::Engine;
use super::prepare::{Changed, content_hash, prepare};
use super::read::{Read, is_unreadable, read};
use crate::document::{DocumentId, Layer, Loaded};
use crate::load::{self, FileEntry, Loader, MAX_FILE_SIZE, Sink, Source, WalkOptions, walk};
use crate::store::{DocumentNumber, FileState, Manifest, Prepared, Snapshot, Store, Writer};
use crate::{Error, Result};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Documents between two commits, at most.
const COMMIT_DOCUMENTS: usize = 500;

/// Time between two commits, at most, once the document in hand is stored.
const COMMIT_SECONDS: Duration = Duration::from_secs(2);

/// Bytes of files read at once: bounds memory whatever the folder holds.
const BATCH_BYTES: u64 = 4 << 20;

/// Documents split and embedded at once.
const BATCH_DOCUMENTS: usize = 128;

/// The same for an embedder that takes its time: a commit must not wait for more.
const SLOW_BATCH_DOCUMENTS: usize = 8;

/// What to index and how.
#[derive(Debug, Clone)]
pub struct IndexOptions {
    /// Larger files are skipped, unless their loader reads them bit by bit.
    pub max_file_size: u64,
    /// Which fields of JSON lines hold what, as in `id=doc_id,text=body`.
    pub jsonl_fields: Option<String>,
    /// The recipe searches of this index use.
    pub recipe: Option<String>,
    /// The chunk layer of this index, for recipes that search chunks.
    pub chunk: Option<Layer>,
    /// The neighbours that come with a chunk.
    pub neighbors: Option<u32>,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self { max_file_size: MAX_FILE_SIZE, jsonl_fields: None, recipe: None, chunk: None, neighbors: None }
    }
}

/// How indexing goes, told while it goes.
pub trait Progress: Sync {
    /// This many files have to be read, of this many bytes.
    fn begin(&self, _files: usize, _bytes: u64) {}
    /// This many bytes more of this file are done.
    fn advance(&self, _path: &str, _bytes: u64) {}
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
pub struct IndexReport {
    /// Documents new to the index.
    pub added: usize,
    /// Documents whose content was another.
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
    pub skipped: Vec<Skipped>,
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// Part of a root that is to be brought up to date.
struct Scope {
    root: PathBuf,
    path: PathBuf,
}

impl Scope {
    fn root_name(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    /// A file's path below the root; its name when the root is the file.
    fn relative(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let below = if below.as_os_str().is_empty() { Path::new(path.file_name().unwrap_or_default()) } else { below };
        below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

/// A file that must be read.
struct Work {
    root: String,
    name: String,
    entry: FileEntry,
    known: Option<FileState>,
}

/// Brings the index up to date.
pub fn sync(engine: &Engine, paths: &[&Path], options: &IndexOptions, progress: &dyn Progress) -> Result<IndexReport> {
    let mut writer = engine.store.writer()?;
    let snapshot = engine.store.snapshot()?;
    let (roots, mut files) = (snapshot.roots().to_vec(), known_files(&*snapshot)?);
    let manifest = set_manifest(&*snapshot, options, &mut *writer)?;
    if manifest.jsonl_fields != snapshot.manifest().jsonl_fields {
        // The same bytes now mean other documents: every file is looked at again.
        for file in &mut files {
            (file.modified, file.size, file.hash) = (i64::MIN, 0, 0);
        }
    }
    drop(snapshot);
    engine.store.release();
    let loaders = engine.loaders(&manifest)?;
    let mut run = Run {
        engine,
        loaders: &loaders,
        max_file_size: options.max_file_size,
        writer: &mut *writer,
        progress,
        report: IndexReport::default(),
        uncommitted: 0,
        committed: Instant::now(),
    };
    let (scopes, roots) = run.scopes(paths, roots, &files)?;
    run.writer.set_roots(&roots)?;
    let work = run.plan(&scopes, files)?;
    progress.begin(work.len(), work.iter().map(|work| work.entry.size).sum());
    run.read_all(work)?;
    let report = run.report;
    writer.finish()?;
    Ok(report)
}

/// What is known of every file. A run that ended early leaves documents of files that were not yet marked as read: such a
/// file is known by these documents, and by no content, so that it is read again, or forgotten with them.
pub(super) fn known_files(snapshot: &dyn Snapshot) -> Result<Vec<FileState>> {
    let mut files = snapshot.files()?;
    let marked: HashSet<DocumentNumber> = files.iter().flat_map(|file| file.documents.iter().copied()).collect();
    let mut unmarked: HashMap<(String, String), Vec<DocumentNumber>> = HashMap::new();
    for number in snapshot.numbers().into_iter().filter(|number| !marked.contains(number)) {
        let id = snapshot.record(number)?.id;
        unmarked.entry((id.root, id.path)).or_default().push(number);
    }
    if unmarked.is_empty() {
        return Ok(files);
    }
    let unread = |root, path, documents| FileState { root, path, modified: i64::MIN, size: 0, hash: 0, documents };
    for file in &mut files {
        if let Some(mut documents) = unmarked.remove(&(file.root.clone(), file.path.clone())) {
            documents.append(&mut file.documents);
            *file = unread(file.root.clone(), file.path.clone(), documents);
        }
    }
    files.extend(unmarked.into_iter().map(|((root, path), documents)| unread(root, path, documents)));
    Ok(files)
}

fn set_manifest(snapshot: &dyn Snapshot, options: &IndexOptions, writer: &mut dyn Writer) -> Result<Manifest> {
    let mut manifest = snapshot.manifest().clone();
    if let Some(recipe) = &options.recipe {
        crate::retrieve::Recipe::named(recipe, &manifest)?;
        manifest.recipe.clone_from(recipe);
    }
    manifest.chunk = options.chunk.or(manifest.chunk);
    manifest.neighbors = options.neighbors.or(manifest.neighbors);
    manifest.jsonl_fields = options.jsonl_fields.clone().or(manifest.jsonl_fields);
    if manifest != *snapshot.manifest() {
        writer.set_manifest(&manifest)?;
    }
    Ok(manifest)
}

struct Run<'a> {
    engine: &'a Engine,
    loaders: &'a [Box<dyn Loader>],
    max_file_size: u64,
    writer: &'a mut dyn Writer,
    progress: &'a dyn Progress,
    report: IndexReport,
    uncommitted: usize,
    committed: Instant,
}

impl Run<'_> {
    fn batch(&self) -> usize {
        if self.engine.embedder().is_slow() { SLOW_BATCH_DOCUMENTS } else { BATCH_DOCUMENTS }
    }

    fn skip(&mut self, place: impl Into<String>, reason: impl Into<String>) {
        self.report.skipped.push(Skipped { place: place.into(), reason: reason.into() });
    }

    /// What is to be brought up to date, and the roots the index then has.
    fn scopes(
        &mut self,
        paths: &[&Path],
        mut roots: Vec<String>,
        files: &[FileState],
    ) -> Result<(Vec<Scope>, Vec<String>)> {
        if paths.is_empty() {
            let mut scopes = Vec::new();
            for root in &roots {
                match fs_err::canonicalize(root) {
                    Ok(path) => scopes.push(Scope { root: path.clone(), path }),
                    Err(_) => self.skip(
                        root.clone(),
                        "the folder or file is gone; its documents are kept – `okno remove --root` takes them out",
                    ),
                }
            }
            return Ok((scopes, roots));
        }
        let paths: Vec<PathBuf> = paths.iter().map(|path| canonical(path)).collect::<Result<_>>()?;
        for path in &paths {
            if root_of(path, &roots).is_none() {
                self.absorb(path, &mut roots, files)?;
                roots.push(path.to_string_lossy().into_owned());
            }
        }
        // Only now: a folder given after a part of it has absorbed that part.
        let scope = |path: PathBuf| Scope { root: root_of(&path, &roots).unwrap_or_else(|| path.clone()), path };
        Ok((paths.into_iter().map(scope).collect(), roots))
    }

    /// Roots inside a new root become part of it: their documents come again under their new names.
    fn absorb(&mut self, path: &Path, roots: &mut Vec<String>, files: &[FileState]) -> Result<()> {
        let inside: HashSet<String> = roots.iter().filter(|root| Path::new(root).starts_with(path)).cloned().collect();
        roots.retain(|root| !inside.contains(root));
        for file in files.iter().filter(|file| inside.contains(&file.root)) {
            self.forget(file)?;
        }
        Ok(())
    }

    /// Walks the scopes: forgets the files that are gone, and lists those that must be read.
    fn plan(&mut self, scopes: &[Scope], files: Vec<FileState>) -> Result<Vec<Work>> {
        let mut known: HashMap<(String, String), FileState> =
            files.into_iter().map(|file| ((file.root.clone(), file.path.clone()), file)).collect();
        let mut work = Vec::new();
        let mut planned = HashSet::new();
        let walk_options = WalkOptions { index_folder: Some(self.engine.folder().to_owned()) };
        for scope in scopes {
            let root = scope.root_name();
            let mut unreadable: Vec<PathBuf> = Vec::new();
            let mut seen = HashSet::new();
            for entry in walk(&scope.path, &walk_options) {
                match entry {
                    Ok(entry) => {
                        let name = scope.relative(&entry.path);
                        seen.insert(name.clone());
                        let file = known.get(&(root.clone(), name.clone()));
                        if file.is_some_and(|file| file.size == entry.size && file.modified == entry.modified) {
                            self.report.unchanged += 1;
                        } else if planned.insert((root.clone(), name.clone())) {
                            work.push(Work { root: root.clone(), known: file.cloned(), name, entry });
                        }
                    }
                    Err(skipped) => {
                        self.skip(scope.relative(&skipped.path), skipped.reason);
                        unreadable.push(skipped.path);
                    }
                }
            }
            let gone = |file: &FileState| {
                let path = if scope.root.is_file() { scope.root.clone() } else { scope.root.join(&file.path) };
                file.root == root
                    && path.starts_with(&scope.path)
                    && !seen.contains(&file.path)
                    && !unreadable.iter().any(|u| path.starts_with(u))
            };
            let gone: Vec<(String, String)> =
                known.iter().filter(|(_, file)| gone(file)).map(|(key, _)| key.clone()).collect();
            for file in gone.iter().filter_map(|key| known.remove(key)) {
                self.report.removed += self.forget(&file)?;
            }
        }
        Ok(work)
    }

    /// Takes a file out; how many documents went with it.
    fn forget(&mut self, file: &FileState) -> Result<usize> {
        let mut removed = 0;
        for &number in &file.documents {
            // One that was removed by hand is gone already.
            removed += usize::from(self.writer.remove(number)?);
        }
        self.writer.forget_file(&file.root, &file.path)?;
        Ok(removed)
    }

    fn read_all(&mut self, work: Vec<Work>) -> Result<()> {
        let mut work = work.into_iter().peekable();
        while work.peek().is_some() && !self.report.stopped {
            let mut bytes = 0;
            let batch: Vec<Work> = std::iter::from_fn(|| {
                work.next_if(|next| bytes == 0 || bytes + next.entry.size <= BATCH_BYTES)
                    .inspect(|next| bytes += next.entry.size.max(1))
            })
            .collect();
            let (loaders, max) = (self.loaders, self.max_file_size);
            let read =
                |work: Work| (read(&work.entry, work.known.as_ref().map(|known| known.hash), loaders, max), work);
            let read: Vec<(Read, Work)> = batch.into_par_iter().map(read).collect();
            self.store(read)?;
        }
        Ok(())
    }

    /// Stores the documents of a batch of files; many small files are split and embedded together.
    fn store(&mut self, read: Vec<(Read, Work)>) -> Result<()> {
        let mut files = Vec::new();
        let mut documents = Vec::new();
        for (read, work) in read {
            match read {
                Read::Same(hash) => {
                    self.report.unchanged += 1;
                    let numbers = work.known.as_ref().map(|known| known.documents.clone()).unwrap_or_default();
                    files.push(Stored { work, hash, numbers, advanced: 0 });
                }
                Read::Failed(error) => {
                    self.progress.advance(&work.name, work.entry.size);
                    if let Some(known) = work.known.as_ref().filter(|_| !is_unreadable(&error)) {
                        self.report.removed += self.forget(known)?;
                        self.uncommitted += 1;
                    }
                    self.skip(work.name, error.to_string());
                }
                Read::Large(hash) => self.store_large(work, hash)?,
                Read::Loaded { hash, documents: loaded, skipped } => {
                    self.report.skipped.extend(skipped);
                    documents.extend(loaded.into_iter().map(|loaded| (files.len(), loaded)));
                    files.push(Stored { work, hash, numbers: Vec::new(), advanced: 0 });
                }
            }
        }
        let mut documents = documents.into_iter().peekable();
        while documents.peek().is_some() {
            self.store_documents(&mut files, documents.by_ref().take(self.batch()).collect())?;
            if self.report.stopped {
                // These files are not marked as read: the next run finds what was stored of them unchanged.
                return Ok(());
            }
        }
        files.into_iter().try_for_each(|file| self.finish_file(file))?;
        self.commit_if_due()
    }

    fn store_large(&mut self, work: Work, hash: u128) -> Result<()> {
        let (entry, name) = (work.entry.clone(), work.name.clone());
        let loaders = self.loaders;
        let file = Stored { work, hash, numbers: Vec::new(), advanced: 0 };
        let mut streamed = Streamed { run: self, file, batch: Vec::new(), failed: None };
        let loaded = load::choose(&entry, loaders, u64::MAX)
            .and_then(|loader| loader.load(&Source::file(&entry), &mut streamed));
        streamed.flush();
        let Streamed { file, failed, .. } = streamed;
        if let Some(error) = failed {
            return Err(error);
        }
        match loaded {
            _ if self.report.stopped => Ok(()),
            Ok(()) => self.finish_file(file),
            Err(error) => {
                self.skip(name, error.to_string());
                Ok(())
            }
        }
    }

    fn store_documents(&mut self, files: &mut [Stored], batch: Vec<(usize, Loaded)>) -> Result<()> {
        let mut places = Vec::new();
        let mut changed = Vec::new();
        for (file, loaded) in batch {
            let Stored { work, numbers, .. } = &mut files[file];
            let id = DocumentId { root: work.root.clone(), path: work.name.clone(), member: loaded.id.clone() };
            let hash = content_hash(&loaded);
            let found = self.writer.find(&id)?;
            if let Some((number, _)) = found.filter(|&(_, old)| old == hash) {
                numbers.push(number);
                self.report.unchanged += 1;
            } else if !self.stays_removed(&id, hash)? {
                *(if found.is_some() { &mut self.report.changed } else { &mut self.report.added }) += 1;
                places.push(file);
                changed.push(Changed { id, loaded, hash });
            }
        }
        for (file, document) in places.into_iter().zip(prepare(changed, self.engine.embedder(), self.writer)?) {
            files[file].numbers.push(self.put(&document)?);
            files[file].advance(document.text.len() as u64, self.progress);
            if self.report.stopped {
                break;
            }
        }
        Ok(())
    }

    fn put(&mut self, document: &Prepared) -> Result<DocumentNumber> {
        self.report.sentences += document.structure.sentences.len();
        self.report.bytes += document.text.len() as u64;
        self.uncommitted += 1;
        let number = self.writer.put(document)?;
        self.commit_if_due()?;
        Ok(number)
    }

    /// Takes out what the file no longer holds, and remembers the file.
    fn finish_file(&mut self, mut file: Stored) -> Result<()> {
        let current: HashSet<DocumentNumber> = file.numbers.iter().copied().collect();
        for &old in file.work.known.iter().flat_map(|known| &known.documents).filter(|old| !current.contains(old)) {
            // One replaced by a new version is gone already.
            self.report.removed += usize::from(self.writer.remove(old)?);
        }
        file.advance(u64::MAX, self.progress);
        self.uncommitted += 1;
        self.writer.set_file(&file.work.state(file.hash, file.numbers))
    }

    /// Whether the document was removed by hand and is still what it was then.
    fn stays_removed(&mut self, id: &DocumentId, hash: u128) -> Result<bool> {
        match self.writer.removed(id)? {
            Some(removed) if removed == hash => Ok(true),
            Some(_) => self.writer.set_removed(id, None).map(|()| false),
            None => Ok(false),
        }
    }

    fn commit_if_due(&mut self) -> Result<()> {
        let stop = self.progress.stop();
        if self.uncommitted >= COMMIT_DOCUMENTS
            || (self.uncommitted > 0 && self.committed.elapsed() >= COMMIT_SECONDS)
            || stop
        {
            self.writer.commit()?;
            (self.uncommitted, self.committed) = (0, Instant::now());
        }
        self.report.stopped |= stop;
        Ok(())
    }
}

/// A file on its way into the index.
struct Stored {
    work: Work,
    hash: u128,
    numbers: Vec<DocumentNumber>,
    advanced: u64,
}

impl Stored {
    /// Tells of progress inside the file, never of more than its size.
    fn advance(&mut self, bytes: u64, progress: &dyn Progress) {
        let bytes = bytes.min(self.work.entry.size - self.advanced);
        self.advanced += bytes;
        progress.advance(&self.work.name, bytes);
    }
}

impl Work {
    fn state(&self, hash: u128, documents: Vec<DocumentNumber>) -> FileState {
        FileState {
            root: self.root.clone(),
            path: self.name.clone(),
            modified: self.entry.modified,
            size: self.entry.size,
            hash,
            documents,
        }
    }
}

/// The root that a path is in.
fn root_of(path: &Path, roots: &[String]) -> Option<PathBuf> {
    roots.iter().map(PathBuf::from).find(|root| path.starts_with(root))
}

fn canonical(path: &Path) -> Result<PathBuf> {
    fs_err::canonicalize(path)
        .map_err(|error| Error::Unreadable { path: path.to_owned(), reason: error.kind().to_string() })
}

/// Stores the documents of one large file while they are read.
struct Streamed<'r, 'a> {
    run: &'r mut Run<'a>,
    file: Stored,
    batch: Vec<Loaded>,
    failed: Option<Error>,
}

impl Streamed<'_, '_> {
    fn flush(&mut self) {
        let batch = std::mem::take(&mut self.batch).into_iter().map(|loaded| (0, loaded)).collect();
        if self.failed.is_none() && !self.run.report.stopped {
            self.failed = self.run.store_documents(std::slice::from_mut(&mut self.file), batch).err();
        }
    }
}

impl Sink for Streamed<'_, '_> {
    fn document(&mut self, loaded: Loaded) {
        self.batch.push(loaded);
        if self.batch.len() >= self.run.batch() {
            self.flush();
        }
    }

    fn skip(&mut self, place: &str, reason: String) {
        self.run.skip(place, reason);
    }
}
