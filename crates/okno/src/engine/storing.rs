//! Storing: planned files are read in batches of bounded size, and their documents split, embedded and written.
//!
//! Work is committed every [`COMMIT_DOCUMENTS`] documents or [`COMMIT_SECONDS`], so that a run that is killed keeps
//! what it did, and the next one goes on from there.

use super::Engine;
use super::allow_list::AllowList;
use super::content_hash::{content_hash, same_body};
use super::plan::Work;
use super::prepare::{Changed, prepare, says_otherwise};
use super::read::{ReadOutcome, is_unreadable, read};
use super::reason::SkippedReason;
use super::report::{IndexOptions, IndexReport, Progress, Skipped};
use crate::document::{DocumentId, ImageHash, ImageSource, Loaded};
use crate::load::{self, CompiledSelection, Loader, Sink, SkipReason, Source};
use crate::rules::Rules;
use crate::store::{DocumentNumber, FileState, PreparedDocument, Writer};
use crate::{Error, Result, parallel};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Documents between two commits, at most.
const COMMIT_DOCUMENTS: usize = 500;

/// Time between two commits, at most, once the document in hand is stored.
const COMMIT_SECONDS: Duration = Duration::from_secs(2);

/// Bytes of files read at once: bounds memory whatever the folder holds.
const BATCH_BYTES: u64 = 4 << 20;

/// Files read at once. A loaded document takes some 2 KB beside its text – metadata, blocks –, so that bytes alone
/// are no bound: of notes of 90 bytes 46,000 were held at once, 155 MB.
const BATCH_FILES: usize = 1024;

/// Documents split and embedded at once.
const BATCH_DOCUMENTS: usize = 128;

/// The same for an embedder that takes its time: enough for full batches, and a commit must not wait for more.
const SLOW_BATCH_DOCUMENTS: usize = 32;

/// One run of indexing.
pub struct IndexRun<'a> {
    pub engine: &'a Engine,
    pub loaders: &'a [Box<dyn Loader>],
    pub options: &'a IndexOptions,
    pub rules: &'a Rules,
    pub embedded: &'a [String],
    pub chosen: CompiledSelection,
    pub writer: &'a mut dyn Writer,
    pub progress: &'a dyn Progress,
    pub report: IndexReport,
    /// Documents that are not what was stored: their files are read again.
    pub damaged: HashSet<DocumentNumber>,
    /// The folder of the last file, and who may see its files.
    pub allow_lists: Option<(PathBuf, Option<Arc<AllowList>>)>,
    pub uncommitted: usize,
    pub committed: Instant,
}

impl IndexRun<'_> {
    pub fn batch(&self) -> usize {
        if self.engine.embedder().is_slow() { SLOW_BATCH_DOCUMENTS } else { BATCH_DOCUMENTS }
    }

    pub fn skip(&mut self, place: impl Into<String>, reason: impl Into<SkippedReason>) {
        self.report.skipped.push(Skipped { place: place.into(), reason: reason.into() });
    }
    /// Takes a file out; how many documents went with it.
    pub fn forget(&mut self, file: &FileState) -> Result<usize> {
        let mut removed = 0;
        for &number in &file.documents {
            // One that was removed by hand is gone already.
            removed += usize::from(self.take_out(number)?);
        }
        self.writer.forget_file(&file.root, &file.path)?;
        Ok(removed)
    }

    /// Takes out a document; returns `true` if it was there.
    fn take_out(&mut self, number: DocumentNumber) -> Result<bool> {
        if self.damaged.remove(&number) { self.writer.discard(number) } else { self.writer.remove(number) }
    }

    /// Takes out the damaged documents of a file, which is then known by no content, so that it is read again. Returns
    /// `true` if there were any.
    pub fn read_again_if_damaged(&mut self, file: Option<&mut FileState>) -> Result<bool> {
        let Some(file) = file else { return Ok(false) };
        let (damaged, whole): (Vec<_>, Vec<_>) =
            file.documents.iter().copied().partition(|number| self.damaged.contains(number));
        if damaged.is_empty() {
            return Ok(false);
        }
        file.documents = whole;
        file.mark_unread();
        // Written down with the removal, so that a run that is killed leaves a file that is read again.
        self.writer.set_file(file)?;
        for number in damaged {
            self.report.repaired += usize::from(self.take_out(number)?);
            self.uncommitted += 1;
        }
        Ok(true)
    }

    /// Takes out damaged documents that belong to no file: nothing can bring them back.
    pub fn discard_unowned(&mut self, files: &[FileState]) -> Result<()> {
        let owned: HashSet<DocumentNumber> = files.iter().flat_map(|file| file.documents.iter().copied()).collect();
        for number in self.damaged.iter().copied().filter(|number| !owned.contains(number)).collect::<Vec<_>>() {
            self.report.removed += usize::from(self.take_out(number)?);
        }
        Ok(())
    }

    pub fn read_all(&mut self, work: Vec<Work>) -> Result<()> {
        let mut work = work.into_iter().peekable();
        while work.peek().is_some() && !self.report.stopped {
            let mut bytes = 0;
            let batch: Vec<Work> = std::iter::from_fn(|| {
                work.next_if(|next| bytes == 0 || bytes + next.entry.size <= BATCH_BYTES)
                    .inspect(|next| bytes += next.entry.size.max(1))
            })
            .take(BATCH_FILES)
            .collect();
            let (loaders, rules, max) = (self.loaders, self.rules, self.options.max_file_size);
            let (reader, guard) = (self.engine.image_reader(), self.engine.parts.load_guard.as_deref());
            let read = |work: Work| {
                let read = read(&work.entry, work.known_hash(), loaders, max, guard);
                let read = looked_at(read, &work.entry.path, reader);
                (permitted(ruled(read, &work.entry.name, rules), &work), work)
            };
            self.store(parallel::map(batch, read))?;
        }
        Ok(())
    }

    /// Stores the documents of a batch of files; many small files are split and embedded together.
    pub fn store(&mut self, read: Vec<(ReadOutcome, Work)>) -> Result<()> {
        let mut files = Vec::new();
        let mut documents = Vec::new();
        for (read, work) in read {
            match read {
                ReadOutcome::Same(hash) => {
                    let numbers = work.known.as_ref().map(|known| known.documents.clone()).unwrap_or_default();
                    self.report.unchanged += numbers.len();
                    files.push(StoredFile { work, hash, numbers, advanced: 0 });
                }
                ReadOutcome::Failed(error) => {
                    self.progress.advance(&work.entry.name, work.entry.size);
                    if let Some(known) = work.known.as_ref().filter(|_| !is_unreadable(&error)) {
                        self.report.removed += self.forget(known)?;
                        self.uncommitted += 1;
                    }
                    self.skip(work.entry.name, error);
                }
                ReadOutcome::Large(hash) => self.store_large(work, hash)?,
                ReadOutcome::Loaded { hash, documents: loaded, skipped } => {
                    self.report.skipped.extend(skipped);
                    documents.extend(loaded.into_iter().map(|loaded| (files.len(), loaded)));
                    files.push(StoredFile { work, hash, numbers: Vec::new(), advanced: 0 });
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
        let (entry, name) = (work.entry.clone(), work.entry.name.clone());
        let loaders = self.loaders;
        let file = StoredFile { work, hash, numbers: Vec::new(), advanced: 0 };
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
                self.skip(name, error);
                Ok(())
            }
        }
    }

    fn store_documents(&mut self, files: &mut [StoredFile], batch: Vec<(usize, Loaded)>) -> Result<()> {
        let counted = (self.report.added, self.report.changed);
        let mut places = Vec::new();
        let mut changed = Vec::new();
        for (file, loaded) in batch {
            let StoredFile { work, numbers, .. } = &mut files[file];
            let id =
                DocumentId { root: work.root.to_string(), path: work.entry.name.clone(), member: loaded.id.clone() };
            let hash = content_hash(&loaded, self.embedded);
            let found = self.writer.find(&id)?;
            if let Some((number, old)) = found.filter(|&(_, old)| same_body(old, hash)) {
                numbers.push(number);
                self.keep(number, loaded, old, hash)?;
            } else if !self.stays_removed(&id, hash)? {
                *(if found.is_some() { &mut self.report.changed } else { &mut self.report.added }) += 1;
                places.push(file);
                changed.push(Changed { id, loaded, hash });
            }
        }
        let images: Vec<SeenImages> = changed.iter_mut().map(|document| images(&mut document.loaded)).collect();
        let Some(prepared) = self.prepare(changed, counted)? else { return Ok(()) };
        for ((file, images), document) in places.into_iter().zip(images).zip(prepared) {
            let number = self.put(&document, &files[file].work.entry.path, &images)?;
            files[file].numbers.push(number);
            files[file].advance(document.text.len() as u64, self.progress);
            if self.report.stopped {
                break;
            }
        }
        Ok(())
    }

    /// Splits and embeds documents; `None` where that was stopped. `counted` is what was added and changed before them.
    pub fn prepare(&mut self, changed: Vec<Changed>, counted: (usize, usize)) -> Result<Option<Vec<PreparedDocument>>> {
        match prepare(changed, self.engine.embedder(), self.embedded, self.writer, self.progress) {
            Ok(prepared) => Ok(Some(prepared)),
            Err(error) => {
                (self.report.added, self.report.changed) = counted;
                // With the vectors that were made: the next run has them, and a service is not paid twice.
                self.writer.commit()?;
                self.report.stopped = matches!(error, Error::Stopped);
                if self.report.stopped { Ok(None) } else { Err(error) }
            }
        }
    }

    /// Keeps a document whose text is the same, and writes what is new about it. The date of a file is new for all
    /// lines of a JSONL file each time one is added: they keep the day they were stored.
    pub fn keep(&mut self, number: DocumentNumber, loaded: Loaded, old: u128, hash: u128) -> Result<()> {
        *(if old == hash { &mut self.report.unchanged } else { &mut self.report.changed }) += 1;
        if old == hash && loaded.id.is_some() {
            return Ok(());
        }
        let Some(mut record) = self.writer.record(number)? else { return Ok(()) };
        if old != hash || says_otherwise(&record, &loaded) {
            (record.metadata, record.language, record.hash) = (loaded.metadata, loaded.language, hash);
            self.writer.amend(number, &record)?;
            self.uncommitted += 1;
        }
        Ok(())
    }

    pub fn put(&mut self, document: &PreparedDocument, path: &Path, images: &SeenImages) -> Result<DocumentNumber> {
        self.report.sentences += document.structure.sentences.len();
        self.report.bytes += document.text.len() as u64;
        self.uncommitted += 1;
        let number = self.writer.put(document)?;
        for (hash, source) in images {
            // Read again, one at a time: the bytes of all images of a batch may be more than the memory.
            let mut bytes = || load::image_bytes(path, source).ok().filter(|bytes| ImageHash::of(bytes) == *hash);
            self.writer.keep_image(number, *hash, &mut bytes)?;
        }
        self.commit_if_due()?;
        Ok(number)
    }

    /// Takes out what the file no longer holds, and remembers the file.
    fn finish_file(&mut self, mut file: StoredFile) -> Result<()> {
        let current: HashSet<DocumentNumber> = file.numbers.iter().copied().collect();
        for &old in file.work.known.iter().flat_map(|known| known.documents.iter()).filter(|old| !current.contains(old))
        {
            // One replaced by a new version is gone already.
            self.report.removed += usize::from(self.take_out(old)?);
        }
        file.advance(u64::MAX, self.progress);
        self.uncommitted += 1;
        self.writer.set_file(&file.work.state(file.hash, file.numbers))
    }

    /// Whether the document was removed by hand and is still what it was then, under this id or under that of a root
    /// that has become a part of this one.
    pub fn stays_removed(&mut self, id: &DocumentId, hash: u128) -> Result<bool> {
        for id in id.in_inner_roots() {
            match self.writer.removed(&id)? {
                Some(removed) if same_body(removed, hash) => return Ok(true),
                Some(_) => self.writer.set_removed(&id, None)?,
                None => {}
            }
        }
        Ok(false)
    }

    pub fn commit_if_due(&mut self) -> Result<()> {
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

/// Looks at the images of what was read of a file.
fn looked_at(mut read: ReadOutcome, path: &Path, reader: Option<&dyn load::ImageReader>) -> ReadOutcome {
    if let ReadOutcome::Loaded { documents, .. } = &mut read {
        for loaded in documents {
            load::look_at_images(path, loaded, reader);
        }
    }
    read
}

/// Images whose bytes were seen, and where they are.
pub type SeenImages = Vec<(ImageHash, ImageSource)>;

/// Takes out of a document where its images are.
fn images(loaded: &mut Loaded) -> SeenImages {
    let seen = loaded.images.iter_mut().filter_map(|image| Some((image.seen.as_ref()?.hash, &mut image.source)));
    seen.map(|(hash, source)| (hash, std::mem::replace(source, ImageSource::Bytes(Vec::new())))).collect()
}

/// Applies the rules to what was read of a file.
pub fn ruled(mut read: ReadOutcome, name: &str, rules: &Rules) -> ReadOutcome {
    if let ReadOutcome::Loaded { documents, .. } = &mut read {
        for loaded in documents {
            rules.apply(name, loaded);
        }
    }
    read
}

/// Writes into what was read of a file who may see it.
fn permitted(mut read: ReadOutcome, work: &Work) -> ReadOutcome {
    if let (ReadOutcome::Loaded { documents, .. }, Some(list)) = (&mut read, &work.allow_list) {
        for loaded in documents {
            list.apply(&work.entry.path, loaded);
        }
    }
    read
}

/// A file on its way into the index.
struct StoredFile {
    work: Work,
    hash: u128,
    numbers: Vec<DocumentNumber>,
    advanced: u64,
}

impl StoredFile {
    /// Tells of progress inside the file, never of more than its size.
    fn advance(&mut self, bytes: u64, progress: &dyn Progress) {
        let bytes = bytes.min(self.work.entry.size - self.advanced);
        self.advanced += bytes;
        progress.advance(&self.work.entry.name, bytes);
    }
}

impl Work {
    fn state(&self, hash: u128, documents: Vec<DocumentNumber>) -> FileState {
        FileState {
            root: self.root.to_string(),
            path: self.entry.name.clone(),
            modified: self.entry.modified,
            size: self.entry.size,
            hash,
            validator: self.validator.clone(),
            documents,
        }
    }
}

/// Stores the documents of one large file while they are read.
struct Streamed<'r, 'a> {
    run: &'r mut IndexRun<'a>,
    file: StoredFile,
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
    fn document(&mut self, mut loaded: Loaded) {
        load::look_at_images(&self.file.work.entry.path, &mut loaded, self.run.engine.image_reader());
        self.run.rules.apply(&self.file.work.entry.name, &mut loaded);
        if let Some(list) = &self.file.work.allow_list {
            list.apply(&self.file.work.entry.path, &mut loaded);
        }
        self.batch.push(loaded);
        if self.batch.len() >= self.run.batch() {
            self.flush();
        }
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        self.run.skip(place, reason);
    }
}
