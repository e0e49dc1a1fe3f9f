//! The default store: one folder on this machine, opened in milliseconds.
//!
//! ```text
//! .okno/
//!   data.mdb lock.mdb   LMDB: the one truth – documents, their vectors, files, roots, manifest
//!   lexical/            posting lists: derived from it, named after the generation they were built from
//!   layout              what opening computes, kept for the next process; may be deleted at any time
//!   writer.lock         held by the one writer; the system lets go of it when the process ends
//! ```
//!
//! LMDB was chosen for one property: other processes read the last committed generation while one
//! writes, and a reader or writer that is killed leaves nothing behind. (redb, the other candidate,
//! lets only one process open a file that is being written.) A document is one value: record,
//! sentences, vectors, text. Readers use it in place, from the memory map.

mod atlas;
mod backup;
mod best;
mod big_row;
mod blob;
mod bm25;
mod bundles;
mod check;
mod columns;
mod compaction;
mod data_file;
mod dense;
mod identity;
mod known_terms;
mod laid_out;
mod layout;
mod lexical;
mod marks;
mod pages;
mod parts;
mod postings;
mod recent;
mod signs;
mod sketch;
mod snapshot;
mod sound;
mod spare;
mod sums;
mod tables;
mod terms_among;
mod texts;
mod units;
mod vectors;
mod writer;

pub use backup::BackupSize;
pub use bm25::{K1, length_share, rarity};
pub use dense::Scan;
pub use units::CONTEXT_WEIGHT;
pub(crate) use vectors::add_scaled;
pub use writer::above;

use crate::store::{FORMAT, IndexFault, Manifest, Reopen, Snapshot, Store, Writer, is_readable};
use crate::{Error, Result};
use snapshot::EmbeddedSnapshot;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tables::Tables;

/// An index in a folder.
pub struct EmbeddedStore {
    folder: PathBuf,
    tables: Tables,
    manifest: Manifest,
    latest: Mutex<Option<Arc<EmbeddedSnapshot>>>,
    scan: Mutex<Scan>,
}

impl EmbeddedStore {
    /// Whether there is an index in a folder.
    pub fn exists(folder: &Path) -> bool {
        folder.join("data.mdb").is_file()
    }

    /// Opens the index in a folder.
    pub fn open(folder: &Path) -> Result<Self> {
        match fs_err::metadata(folder.join("data.mdb")) {
            Ok(file) if file.is_file() => {}
            // There may be one, which somebody else may read.
            Err(denied) if denied.kind() == ErrorKind::PermissionDenied => {
                return Err(tables::failure(folder, heed::Error::Io(ErrorKind::PermissionDenied.into())));
            }
            _ => return Err(Error::NoIndex(folder.to_owned())),
        }
        let tables = Tables::open(folder)?;
        let Some(manifest) = tables.manifest()? else { return Err(Error::NoIndex(folder.to_owned())) };
        let found = manifest.format;
        if !is_readable(found) {
            return Err(Error::Format { path: folder.to_owned(), found, expected: FORMAT });
        }
        Ok(Self { folder: folder.to_owned(), tables, manifest, latest: Mutex::new(None), scan: Mutex::default() })
    }

    /// Opens the index in a folder, or makes an empty one there as the manifest says.
    pub fn open_or_create(folder: &Path, manifest: &Manifest) -> Result<Self> {
        match Self::open(folder) {
            Err(Error::NoIndex(_)) => {}
            opened => return opened,
        }
        let strange =
            |entries: fs_err::ReadDir| entries.flatten().any(|entry| !is_ours(&entry.file_name().to_string_lossy()));
        if folder.is_file() || fs_err::read_dir(folder).is_ok_and(strange) {
            return Err(Error::NotAnIndex(folder.to_owned()));
        }
        fs_err::create_dir_all(folder)?;
        let tables = Tables::open(folder)?;
        tables.initialise(manifest)?;
        Ok(Self {
            folder: folder.to_owned(),
            tables,
            manifest: manifest.clone(),
            latest: Mutex::new(None),
            scan: Mutex::default(),
        })
    }
}

fn is_ours(name: &str) -> bool {
    matches!(name, "data.mdb" | "lock.mdb" | "lexical" | "writer.lock" | compaction::COMPACTING)
        || layout::is_layout(name)
}

fn lexical_folder(folder: &Path) -> PathBuf {
    folder.join("lexical")
}

impl EmbeddedStore {
    /// The snapshot of the last committed generation.
    fn opened(&self) -> Result<Arc<EmbeddedSnapshot>> {
        // A poisoned lock means another search panicked; the cached snapshot itself is never half-made.
        let mut latest = self.latest.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let scan = *self.scan.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let generation = self.tables.generation()?;
        if let Some(snapshot) = latest.as_ref().filter(|snapshot| snapshot.generation() == generation) {
            return Ok(Arc::clone(snapshot));
        }
        self.upgrade_lexical()?;
        let snapshot = Arc::new(EmbeddedSnapshot::open(&self.folder, &self.tables, scan)?);
        *latest = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }
}

impl EmbeddedStore {
    /// Builds the lexical index again where an earlier version made it; where nothing may be written, opening it says
    /// what to do.
    fn upgrade_lexical(&self) -> Result<()> {
        if !lexical::is_old(&lexical_folder(&self.folder)) {
            return Ok(());
        }
        match writer::EmbeddedWriter::open(&self.folder, &self.tables) {
            Err(Error::ReadOnly(_)) => Ok(()),
            converted => converted.map(drop),
        }
    }
}

impl Store for EmbeddedStore {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(self.opened()?)
    }

    fn check(&self) -> Result<Vec<IndexFault>> {
        check::check(self)
    }

    fn repair(&self, faults: &[IndexFault]) -> Result<()> {
        self.release();
        if faults.iter().any(IndexFault::is_lexical) {
            // The writer builds it again from the documents.
            let _lock = writer::lock(&self.folder)?;
            self.tables.refuse_replaced()?;
            let lexical = lexical_folder(&self.folder);
            if lexical.exists() {
                fs_err::remove_dir_all(lexical)?;
            }
        }
        let mut writer = Box::new(writer::EmbeddedWriter::open(&self.folder, &self.tables)?);
        writer.repair(faults)?;
        writer.finish()
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>> {
        self.release();
        Ok(Box::new(writer::EmbeddedWriter::open(&self.folder, &self.tables)?))
    }

    fn bytes(&self) -> Result<Option<u64>> {
        folder_bytes(&self.folder).map(Some)
    }

    fn give_back(&self) -> Result<bool> {
        self.release();
        compaction::give_back(&self.tables)
    }

    fn is_replaced(&self) -> bool {
        self.tables.is_replaced()
    }

    fn is_read_on(&self) -> bool {
        // A poisoned lock means another search panicked; the cached snapshot itself is never half-made.
        let latest = self.latest.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_read = |kept: &Arc<EmbeddedSnapshot>| Arc::strong_count(kept) > 1;
        let is_read = latest.as_ref().is_some_and(is_read) || self.tables.users() > usize::from(latest.is_some());
        is_read && self.tables.is_shortened()
    }

    fn reopen(&self) -> Option<Reopen> {
        let folder = self.folder.clone();
        Some(Box::new(move || Ok(Box::new(Self::open(&folder)?))))
    }

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn keep_layout(&self) {
        // A poisoned lock means another search panicked; the cached snapshot itself is never half-made.
        let latest = self.latest.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        if let Some(snapshot) = latest {
            snapshot.keep_layout(&self.folder);
        }
    }

    fn set_scan(&self, scan: Scan) {
        *self.scan.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = scan;
        self.release();
    }

    /// The snapshot kept for later searches would keep the pages that a writer frees.
    fn release(&self) {
        // A poisoned lock means another search panicked; the cached snapshot itself is never half-made.
        *self.latest.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }
}

fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut total = 0;
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        // A file may vanish while a writer merges; it then counts as nothing.
        let Ok(metadata) = entry.metadata() else { continue };
        total += if metadata.is_dir() { folder_bytes(&entry.path())? } else { on_disk(&metadata) };
    }
    Ok(total)
}

#[cfg(unix)]
fn on_disk(metadata: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.blocks() * 512
}

#[cfg(not(unix))]
fn on_disk(metadata: &std::fs::Metadata) -> u64 {
    metadata.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Layer;
    use crate::store::contract::{self, HistoryStep};
    use crate::store::{Ask, Leg};
    use proptest::prelude::*;

    fn open(folder: &Path) -> Box<dyn Store> {
        Box::new(
            EmbeddedStore::open_or_create(folder, &Manifest::new(contract::EMBEDDER, contract::DIMENSIONS)).unwrap(),
        )
    }

    #[test]
    fn keeps_the_contract() {
        for (name, check) in contract::CHECKS.iter().chain(contract::IMAGE_CHECKS) {
            println!("{name}");
            let folder = tempfile::tempdir().unwrap();
            check(&|| open(folder.path()));
        }
    }

    fn step() -> impl Strategy<Value = HistoryStep> {
        prop_oneof![
            6 => (0..6u8, any::<u8>()).prop_map(|(name, text)| HistoryStep::Put(name, text)),
            3 => (0..6u8).prop_map(HistoryStep::Remove),
            3 => Just(HistoryStep::Commit),
            1 => Just(HistoryStep::Reopen),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
        #[test]
        fn any_history_equals_a_map(steps in prop::collection::vec(step(), 1..40)) {
            let folder = tempfile::tempdir().unwrap();
            contract::history(&|| open(folder.path()), &steps);
        }
    }

    #[test]
    fn a_lost_or_foreign_lexical_index_is_built_again() {
        let folder = tempfile::tempdir().unwrap();
        let steps = [HistoryStep::Put(1, 1), HistoryStep::Put(2, 2), HistoryStep::Commit];
        contract::history(&|| open(folder.path()), &steps);
        for damage in [
            |path: &Path| fs_err::remove_dir_all(path).unwrap(),
            |path: &Path| fs_err::write(path.join("segments"), "{}").unwrap(),
        ] {
            damage(&lexical_folder(folder.path()));
            let store = open(folder.path());
            drop(store.writer().unwrap());
            assert_eq!(store.snapshot().unwrap().numbers().len(), 2);
        }
    }

    /// Turns an index into one that was made before there were bundles.
    fn make_old(folder: &Path) {
        let tables = Tables::open(folder).unwrap();
        tables.look_for_tables().unwrap();
        let (stored, sums) = (tables.stored(), tables.ensured_sums().unwrap());
        let mut writing = tables.env.write_txn().unwrap();
        let documents = stored.all(&writing).unwrap().map(Result::unwrap);
        let documents: Vec<_> = documents.map(|(number, bytes)| (number, bytes.to_vec())).collect();
        let bundles = stored.bundles.unwrap();
        assert!(!bundles.is_empty(&writing).unwrap());
        for (number, bytes) in &documents {
            let bytes = blob::with_eight_bits(bytes, contract::DIMENSIONS).unwrap();
            sums.put(&mut writing, number, &sums::of(&bytes).unwrap()).unwrap();
            stored.entries.put(&mut writing, number, &bytes).unwrap();
        }
        // SAFETY: the environment is closed before anybody opens the table again.
        unsafe { bundles.remove(&mut writing) }.unwrap();
        let manifest = tables.json::<Manifest>(&writing, "manifest").unwrap().unwrap();
        tables.set_manifest(&mut writing, &Manifest { format: 5, ..manifest }).unwrap();
        writing.commit().unwrap();
    }

    #[test]
    fn an_index_from_before_there_were_bundles_is_read_and_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let texts = |store: &dyn Store| {
            let snapshot = store.snapshot().unwrap();
            let text = |number| snapshot.text(number).unwrap().to_owned();
            snapshot.numbers().into_iter().map(text).collect::<Vec<String>>()
        };
        let put = |store: &dyn Store, name: &str, text: &str| {
            let mut writer = store.writer().unwrap();
            writer.put(&contract::document(name, text)).unwrap();
            writer.finish().unwrap();
        };
        put(&*open(folder.path()), "a", "Rain fell on the roof.");
        put(&*open(folder.path()), "b", "Snow fell on the hill.");
        make_old(folder.path());
        let store = open(folder.path());
        assert_eq!((store.manifest().format, texts(&*store).len()), (5, 2));
        assert!(store.check().unwrap().is_empty());
        let dense = |text: &str| {
            let (rankings, vector) = (&[(Leg::Dense, Layer::Sentence)], &contract::vector(text));
            let ask = Ask { text, vector, rankings, allowed: None, sections: None, fields: None, depth: 1 };
            store.snapshot().unwrap().search(&ask).unwrap()[0][0].run.document
        };
        let numbers = store.snapshot().unwrap().numbers();
        assert_eq!([dense("Rain fell on the roof."), dense("Snow fell on the hill.")], numbers[..]);
        put(&*store, "c", "Wind blew over the sea.");
        put(&*store, "b", "Sleet fell on the hill.");
        assert_eq!(texts(&*store), ["Rain fell on the roof.", "Wind blew over the sea.", "Sleet fell on the hill."]);
        drop(store);
        let store = open(folder.path());
        assert_eq!((store.manifest().format, texts(&*store).len()), (FORMAT, 3), "older programs refuse it now");
        assert!(store.check().unwrap().is_empty());
    }

    #[test]
    fn what_is_no_index_is_refused_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = Manifest::new("x", 2);
        assert!(matches!(EmbeddedStore::open(folder.path()), Err(Error::NoIndex(_))));
        fs_err::write(folder.path().join("letter.txt"), "Dear …").unwrap();
        assert!(matches!(EmbeddedStore::open_or_create(folder.path(), &manifest), Err(Error::NotAnIndex(_))));
        let other = tempfile::tempdir().unwrap();
        fs_err::write(
            other.path().join("data.mdb"),
            "not a database, just long enough to be mistaken for one".repeat(400),
        )
        .unwrap();
        assert!(matches!(EmbeddedStore::open(other.path()), Err(Error::Damaged { .. })));
        let old = tempfile::tempdir().unwrap();
        drop(EmbeddedStore::open_or_create(old.path(), &Manifest { format: 99, ..manifest }).unwrap());
        assert!(matches!(EmbeddedStore::open(old.path()), Err(Error::Format { found: 99, .. })));
    }
}
