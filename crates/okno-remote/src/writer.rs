//! The writer: documents in bounded batches, and a commit that is one row.
//!
//! Rows of documents are sent as batches fill; their numbers are above those of any head, so no reader sees them. A
//! commit writes the rest of the generation – amended records, files, frequencies – and last its head. A writer that is
//! killed before that leaves rows that the next one deletes ([`crate::tidy`]); the engine then puts the same documents
//! again.

use crate::failure::DamagedRow;
use crate::frequencies::Frequencies;
use crate::images::PendingImages;
use crate::ledger::{EntryKind, LedgerEntry, hashed};
use crate::lock::Lock;
use crate::numbers::Numbers;
use crate::state::{Dead, GenerationState, now};
use crate::store::{StoreParts, head};
use crate::{pack, tidy};
use okno::document::{Derived, DocumentId, ImageHash, Record};
use okno::store::{DocumentNumber, FileState, Manifest, PreparedDocument, Writer, id_key};
use okno::{Error, Result};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_128;

/// Bytes of documents and vectors kept until they are sent.
const BUFFER: usize = 8 << 20;

/// Up to this many documents, all ids are read at the first lookup; beyond it, each is looked up by itself.
const IDS_AT_ONCE: usize = 200_000;

/// Units after which the server is asked to arrange them, at the end.
const WORTH_A_FLUSH: u64 = 2000;

/// Writes to a [`crate::RemoteStore`].
pub struct RemoteWriter {
    pub parts: StoreParts,
    lock: Lock,
    /// The state that the next commit makes visible.
    pub state: GenerationState,
    pub manifest: Manifest,
    pub buffer: Vec<(DocumentNumber, PreparedDocument)>,
    pub buffered: usize,
    ids: Ids,
    /// Removed since the last commit.
    pub dead: Numbers,
    /// How the frequency table changes.
    pub delta: Frequencies,
    amended: BTreeMap<DocumentNumber, Record>,
    /// Values for the ledger, by name.
    entries: BTreeMap<String, LedgerEntry>,
    vectors: FxHashMap<u128, Vec<f32>>,
    removed: Option<BTreeMap<String, String>>,
    pub written: u64,
    pub images: PendingImages,
    pub changed: bool,
}

/// What is known of ids.
#[derive(Default)]
struct Ids {
    known: FxHashMap<u128, (DocumentNumber, u128)>,
    complete: bool,
}

impl Ids {
    /// Committed ids can be looked up again, so a run over millions of documents keeps no list of them.
    fn forget_many(&mut self) {
        if self.known.len() > IDS_AT_ONCE {
            *self = Self::default();
        }
    }
}

impl RemoteWriter {
    /// Takes the lock, and deletes what an earlier writer left behind.
    pub fn open(parts: StoreParts) -> Result<Self> {
        let lock = Lock::take(&parts.ledger)?;
        let state = parts.state()?.ok_or_else(|| Error::NoIndex(parts.driver.path()))?;
        let manifest = parts.manifest(&state)?;
        tidy::clear(&parts, &state)?;
        Ok(Self {
            parts,
            lock,
            state,
            manifest,
            buffer: Vec::new(),
            buffered: 0,
            ids: Ids::default(),
            dead: Numbers::default(),
            delta: Frequencies::default(),
            amended: BTreeMap::new(),
            entries: BTreeMap::new(),
            vectors: FxHashMap::default(),
            removed: None,
            written: 0,
            images: PendingImages::default(),
            changed: false,
        })
    }

    /// The generation that the next commit makes.
    pub fn born(&self) -> u64 {
        self.state.generation + 1
    }

    fn enter(&mut self, kind: EntryKind, hash: u128, value: String) {
        self.changed = true;
        let (base, born) = (hashed(kind, hash), self.born());
        self.entries.insert(base.clone(), LedgerEntry { kind, base, born, value });
    }

    fn write_vectors(&mut self) -> Result<()> {
        let entry = |(hash, vector): (u128, Vec<f32>)| {
            let (kind, base) = (EntryKind::Vector, hashed(EntryKind::Vector, hash));
            LedgerEntry { kind, base, born: 0, value: pack::write(&vector) }
        };
        let entries: Vec<LedgerEntry> = std::mem::take(&mut self.vectors).into_iter().map(entry).collect();
        self.parts.ledger.write(&entries)
    }

    /// A document as it was put.
    fn prepared(&mut self, number: DocumentNumber) -> Result<Option<PreparedDocument>> {
        if let Some((_, document)) = self.buffer.iter().find(|(own, _)| *own == number) {
            return Ok(Some(document.clone()));
        }
        if !self.state.live.contains(number) {
            return Ok(None);
        }
        let numbers = [number].into_iter().collect();
        let read = self.parts.documents.read_whole(&numbers, self.born(), self.manifest.dimensions)?;
        let whole = |(stored, vectors): (crate::documents::StoredDocument, _)| PreparedDocument {
            record: stored.record,
            text: stored.text,
            structure: (*stored.structure).clone(),
            derived: stored.derived.to_vec(),
            vectors,
        };
        let mut document = read.into_iter().next().map(whole);
        if let (Some(document), Some(record)) = (&mut document, self.amended.get(&number)) {
            document.record = record.clone();
        }
        Ok(document)
    }

    fn removed_key(&mut self, key: u128) -> Result<Option<u128>> {
        let base = hashed(EntryKind::Removed, key);
        if self.removed.is_none() {
            self.removed = Some(self.parts.ledger.all(EntryKind::Removed, self.state.generation)?);
        }
        let pending = self.entries.get(&base).map(|entry| &entry.value);
        let value = pending.or_else(|| self.removed.as_ref()?.get(&base));
        Ok(value.and_then(|value| u128::from_str_radix(value, 16).ok()))
    }

    fn look_up(&mut self, id: u128) -> Result<Option<(DocumentNumber, u128)>> {
        if !self.ids.complete && !self.ids.known.contains_key(&id) {
            let (live, born) = (&self.state.live, self.state.generation);
            let few = live.count() <= IDS_AT_ONCE;
            let found =
                if few { self.parts.documents.ids(live, born)? } else { self.parts.documents.with_id(id, born)? };
            self.ids.complete = few;
            for (id, number, hash) in found.into_iter().filter(|(_, number, _)| live.contains(*number)) {
                // Documents that were put since are more recent.
                self.ids.known.entry(id).or_insert((number, hash));
            }
        }
        let live = |found: &(DocumentNumber, u128)| self.state.live.contains(found.0);
        Ok(self.ids.known.get(&id).copied().filter(live))
    }
}

impl Writer for RemoteWriter {
    fn find(&mut self, id: &DocumentId) -> Result<Option<(DocumentNumber, u128)>> {
        self.look_up(id_key(id))
    }

    fn put(&mut self, document: &PreparedDocument) -> Result<DocumentNumber> {
        if let Some((old, _)) = self.find(&document.record.id)? {
            self.remove(old)?;
        }
        let number = self.state.next;
        self.state.next += 1;
        self.state.live.insert(number);
        self.ids.known.insert(id_key(&document.record.id), (number, document.record.hash));
        self.buffered += document.text.len() + document.vectors.sentences.len() * 4;
        let mut document = document.clone();
        // Derived units are kept at unit length, as the embedded store keeps them, so that a copy is the same.
        document.vectors.derived.chunks_exact_mut(self.manifest.dimensions.max(1)).for_each(okno::embed::normalize);
        self.buffer.push((number, document));
        self.changed = true;
        if self.buffered >= BUFFER {
            self.flush()?;
        }
        Ok(number)
    }

    fn derive(&mut self, number: DocumentNumber, derived: &[Derived], vectors: &[f32]) -> Result<DocumentNumber> {
        let Some(mut document) = self.prepared(number)? else {
            return Err(self.parts.driver.damaged(DamagedRow::Document { number }));
        };
        document.derived = derived.to_vec();
        document.vectors.derived = vectors.to_vec();
        let new = self.put(&document)?;
        document.structure.images.iter().try_for_each(|picture| self.hand_over(picture.hash, number, new))?;
        Ok(new)
    }

    fn keep_image(
        &mut self,
        number: DocumentNumber,
        hash: ImageHash,
        bytes: &mut dyn FnMut() -> Option<Vec<u8>>,
    ) -> Result<()> {
        self.keep(number, hash, bytes)
    }

    fn record(&mut self, number: DocumentNumber) -> Result<Option<Record>> {
        if let Some(record) = self.amended.get(&number) {
            return Ok(Some(record.clone()));
        }
        if let Some((_, document)) = self.buffer.iter().find(|(own, _)| *own == number) {
            return Ok(Some(document.record.clone()));
        }
        if !self.state.live.contains(number) {
            return Ok(None);
        }
        let read = self.parts.documents.records(&[number].into_iter().collect(), self.born())?;
        Ok(read.into_iter().next().map(|(_, record)| record))
    }

    fn amend(&mut self, number: DocumentNumber, record: &Record) -> Result<bool> {
        if !self.state.live.contains(number) {
            return Ok(false);
        }
        self.changed = true;
        self.ids.known.insert(id_key(&record.id), (number, record.hash));
        match self.buffer.iter_mut().find(|(own, _)| *own == number) {
            Some((_, document)) => document.record = record.clone(),
            None => {
                self.amended.insert(number, record.clone());
            }
        }
        Ok(true)
    }

    fn remove(&mut self, number: DocumentNumber) -> Result<bool> {
        if !self.state.live.remove(number) {
            return Ok(false);
        }
        self.changed = true;
        self.state.unsaid.remove(number);
        self.state.forget_copy(number);
        self.amended.remove(&number);
        match self.buffer.iter().position(|(own, _)| *own == number) {
            Some(at) => {
                let (_, document) = self.buffer.remove(at);
                self.images.released.extend(document.structure.images.iter().map(|picture| picture.hash));
            }
            None => {
                self.dead.insert(number);
            }
        }
        Ok(true)
    }

    fn removed(&mut self, id: &DocumentId) -> Result<Option<u128>> {
        self.removed_key(id_key(id))
    }

    fn set_removed_key(&mut self, key: u128, hash: Option<u128>) -> Result<()> {
        if self.removed_key(key)? != hash {
            self.enter(EntryKind::Removed, key, hash.map(|hash| format!("{hash:032x}")).unwrap_or_default());
        }
        Ok(())
    }

    fn set_file(&mut self, file: &FileState) -> Result<()> {
        self.enter(EntryKind::File, file_key(&file.root, &file.path), pack::write(file));
        Ok(())
    }

    fn forget_file(&mut self, root: &str, path: &str) -> Result<()> {
        self.enter(EntryKind::File, file_key(root, path), String::new());
        Ok(())
    }

    fn set_roots(&mut self, roots: &[String]) -> Result<()> {
        self.changed |= self.state.roots != roots;
        self.state.roots = roots.to_vec();
        Ok(())
    }

    fn set_manifest(&mut self, manifest: &Manifest) -> Result<()> {
        // Documents before this belong to the old manifest.
        self.flush()?;
        self.changed |= *manifest != self.manifest;
        self.state.set_manifest(manifest);
        self.manifest = manifest.clone();
        Ok(())
    }

    fn cached_vector(&mut self, key: u128) -> Result<Option<Vec<f32>>> {
        if let Some(vector) = self.vectors.get(&key) {
            return Ok(Some(vector.clone()));
        }
        Ok(self.parts.ledger.get(&hashed(EntryKind::Vector, key), 0)?.as_deref().and_then(pack::read))
    }

    fn cache_vector(&mut self, key: u128, vector: &[f32]) -> Result<()> {
        self.vectors.insert(key, vector.to_vec());
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.write_vectors()?;
        if !self.changed {
            return Ok(());
        }
        self.flush()?;
        self.subtract()?;
        let (born, at) = (self.born(), now());
        if !self.amended.is_empty() {
            self.parts.documents.amend(self.amended.iter().map(|(number, record)| (*number, record)), born)?;
            self.state.amended = born;
            for number in self.amended.keys() {
                self.state.unsaid.insert(*number);
            }
        }
        tidy::bury(&self.parts, &mut self.state, at)?;
        let images = self.settle_images(at)?;
        let mut entries: Vec<LedgerEntry> = std::mem::take(&mut self.entries).into_values().collect();
        self.state.garbage.extend(tidy::superseded(&*self.parts.driver, &entries, at));
        entries.extend(images);
        entries.extend(self.segment()?);
        if !self.dead.is_empty() {
            self.state.dead.push(Dead { at, numbers: std::mem::take(&mut self.dead) });
        }
        let before = self.state.generation;
        self.state.generation = born;
        entries.push(head(&self.state));
        self.parts.driver.settle()?;
        self.lock.check()?;
        self.parts.ledger.write(&entries)?;
        self.amended.clear();
        self.removed = None;
        self.changed = false;
        self.ids.forget_many();
        tidy::old_heads(&self.parts, before)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.commit()?;
        if self.written >= WORTH_A_FLUSH {
            self.parts.driver.optimise()?;
        }
        Ok(())
    }
}

fn file_key(root: &str, path: &str) -> u128 {
    xxh3_128(format!("{root}\0{path}").as_bytes())
}
