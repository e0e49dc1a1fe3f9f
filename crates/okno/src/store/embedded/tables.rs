//! The tables of the key-value store, and their keys.

use super::bundles::{BundleWriter, NumberedTable, StoredDocuments};
use super::data_file::DataFile;
use super::identity::{FileNumber, IndexIdentity};
use super::layout::{CheckedFile, DiskStamp, Layout};
use super::sound::{checked_pages, refuse_damaged_starts, reserve_locks};
use crate::document::ImageHash;
use crate::error::{Damage, StorageKind};
use crate::message::Opaque;
use crate::store::{DocumentNumber, Manifest};
use crate::{Error, Result};
use heed::byteorder::BigEndian;
use heed::types::{Bytes, Str, U32, U128};
use heed::{Database, Env, EnvFlags, EnvOpenOptions, RoTxn, RwTxn, WithoutTls};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use xxhash_rust::xxh3::xxh3_128;

/// The most an index can grow to. Only address space is taken, no memory and no disk.
#[cfg(target_pointer_width = "64")]
const MAP_SIZE: usize = 1 << 40;
#[cfg(not(target_pointer_width = "64"))]
const MAP_SIZE: usize = 1 << 30;

/// Processes and threads that read at once.
pub const MAX_READERS: u32 = 1024;

/// One index at a time: nobody else of this process may open the file of locks while its place is reserved.
static OPENING: Mutex<()> = Mutex::new(());

type Key128 = U128<BigEndian>;

/// The key-value store.
#[derive(Clone)]
pub struct Tables {
    pub env: Env<WithoutTls>,
    pub path: PathBuf,
    /// Opened without permission to write: no locks, no writer. A writer elsewhere does not know of this reader and may
    /// use its pages again; a reader notices that by its checksums, and opens the next generation.
    pub read_only: bool,
    /// Which file `data.mdb` was when it was opened.
    file: Option<FileNumber>,
    /// Which file `lock.mdb` was.
    locks: Option<FileNumber>,
    /// The identity that the index had then; none in one made before there were identities.
    opened_as: Option<IndexIdentity>,
    /// The state of `data.mdb` when all its pages were found to be sound, just now or as its layout says.
    pub checked: Option<CheckedFile>,
    /// What an earlier process computed from that state.
    pub layout: Option<Layout>,
    /// `manifest`, `generation`, `next` (the next document's number), `roots`, `identity`.
    pub meta: Database<Str, Bytes>,
    /// Number → document, or its place in a bundle ([`super::bundles`]).
    documents: NumberedTable,
    /// Hash of the id → number and content hash.
    pub ids: Database<Key128, Bytes>,
    /// Hash of root and path → file state.
    pub files: Database<Key128, Bytes>,
    /// Hash of the id → content hash under which it was removed by hand.
    pub removed: Database<Key128, Key128>,
    /// Hash of embedder and text → vector.
    pub vectors: Database<Key128, Bytes>,
    /// Numbers replaced or removed here but not yet taken out of the lexical index.
    pub garbage: Database<U32<BigEndian>, Bytes>,
    /// Hash of an image → its bytes.
    pub images: Database<Key128, Bytes>,
    /// Hash of an image and number of a document that has it ([`holder_key`]) → nothing.
    pub holders: Database<Bytes, Bytes>,
    /// Number → checksums of the document ([`super::sums`]). Not in an index made before there were checksums, until
    /// its next writer adds them.
    sums: Arc<OnceLock<NumberedTable>>,
    /// Number of a bundle → short documents. Not in an index made before there were bundles, until its next writer adds
    /// them.
    bundles: Arc<OnceLock<NumberedTable>>,
}

impl Tables {
    /// Opens the tables of a folder, making those that are missing.
    pub fn open(folder: &Path) -> Result<Self> {
        match Self::open_as(folder, false) {
            // What can be read can be searched.
            Err(denied @ Error::KeyValue { kind: StorageKind::Denied, .. }) => {
                Self::open_as(folder, true).map_err(|second| match second {
                    damaged @ Error::Damaged { .. } => damaged,
                    _ => denied,
                })
            }
            opened => opened,
        }
    }

    /// Opens the tables of a folder that nobody else uses, without a file for locks.
    pub fn open_to_read(folder: &Path) -> Result<Self> {
        Self::open_as(folder, true)
    }

    fn open_as(folder: &Path, read_only: bool) -> Result<Self> {
        let wrong = |source: heed::Error| failure(folder, source);
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(MAP_SIZE).max_dbs(16).max_readers(MAX_READERS);
        if read_only {
            // SAFETY: without locks nobody may write meanwhile; what a writer elsewhere overwrites is noticed by its
            // checksum before it is returned.
            unsafe { options.flags(EnvFlags::READ_ONLY | EnvFlags::NO_LOCK) };
        }
        refuse_damaged_starts(folder)?;
        let is_new = !read_only && std::fs::metadata(folder.join("data.mdb")).map_or(true, |file| file.len() == 0);
        let opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        if !read_only {
            reserve_locks(folder)?;
        }
        // SAFETY: LMDB asks that nobody else changes the file while it is mapped; the folder is ours,
        // and every writer, in this process or another, goes through LMDB's own lock.
        let opened = unsafe { options.open(folder) };
        if opened.is_err() && is_new {
            forget_begun(folder);
        }
        let env = opened.map_err(|source| match source {
            heed::Error::EnvAlreadyOpened => Error::AlreadyOpen(folder.to_owned()),
            heed::Error::Mdb(heed::MdbError::Invalid | heed::MdbError::VersionMismatch | heed::MdbError::Corrupted) => {
                Error::Damaged { path: folder.to_owned(), what: Damage::NotOurs }
            }
            other => wrong(other),
        })?;
        drop(opening);
        let stamp = DiskStamp::of(&folder.join("data.mdb"));
        let layout = stamp.and_then(|stamp| Layout::open(folder, stamp, read_only));
        let checked = layout.as_ref().map(|layout| layout.source.data).or_else(|| stamp.and_then(CheckedFile::now));
        if layout.is_none() {
            checked_pages(&env, folder)?;
        }
        restore_length(&env, folder, read_only)?;
        if !read_only {
            env.clear_stale_readers().map_err(wrong)?;
        }
        let opened = Self::open_all(&env, folder).map_err(wrong)?;
        let mut tables =
            opened.ok_or_else(|| Error::Damaged { path: folder.to_owned(), what: Damage::MissingTable })?;
        tables.refuse_lost_values()?;
        tables.file = env.try_clone_inner_file().map_err(wrong)?.metadata().ok().as_ref().and_then(FileNumber::of);
        tables.locks = FileNumber::at(&folder.join("lock.mdb"));
        tables.opened_as = tables.identity()?;
        tables.read_only = read_only;
        tables.checked = checked;
        tables.layout = layout;
        Ok(tables)
    }

    /// All tables, made where there are none; nothing where only some are there, which are always made together.
    fn open_all(env: &Env<WithoutTls>, folder: &Path) -> heed::Result<Option<Self>> {
        // Opening for reading first: a search must not wait for a writer.
        let reading = env.read_txn()?;
        if let Some(tables) = Self::existing(env, &reading, folder)? {
            reading.commit()?;
            return Ok(Some(tables));
        }
        let names: Option<Database<Bytes, Bytes>> = env.open_database(&reading, None)?;
        if names.is_some_and(|names| !names.is_empty(&reading).unwrap_or(false)) {
            return Ok(None);
        }
        drop(reading);
        let mut writing = env.write_txn()?;
        let tables = Self {
            env: env.clone(),
            path: folder.to_owned(),
            read_only: false,
            file: None,
            locks: None,
            opened_as: None,
            checked: None,
            layout: None,
            meta: env.create_database(&mut writing, Some("meta"))?,
            documents: env.create_database(&mut writing, Some("documents"))?,
            ids: env.create_database(&mut writing, Some("ids"))?,
            files: env.create_database(&mut writing, Some("files"))?,
            removed: env.create_database(&mut writing, Some("removed"))?,
            vectors: env.create_database(&mut writing, Some("vectors"))?,
            garbage: env.create_database(&mut writing, Some("garbage"))?,
            images: env.create_database(&mut writing, Some("images"))?,
            holders: env.create_database(&mut writing, Some("holders"))?,
            sums: Arc::new(OnceLock::from(env.create_database(&mut writing, Some("sums"))?)),
            bundles: Arc::new(OnceLock::from(env.create_database(&mut writing, Some("bundles"))?)),
        };
        writing.commit()?;
        Ok(Some(tables))
    }

    fn existing(env: &Env<WithoutTls>, reading: &RoTxn<'_, WithoutTls>, folder: &Path) -> heed::Result<Option<Self>> {
        let Some(meta) = env.open_database(reading, Some("meta"))? else { return Ok(None) };
        let Some(documents) = env.open_database(reading, Some("documents"))? else { return Ok(None) };
        let Some(ids) = env.open_database(reading, Some("ids"))? else { return Ok(None) };
        let Some(files) = env.open_database(reading, Some("files"))? else { return Ok(None) };
        let Some(removed) = env.open_database(reading, Some("removed"))? else { return Ok(None) };
        let Some(vectors) = env.open_database(reading, Some("vectors"))? else { return Ok(None) };
        let Some(garbage) = env.open_database(reading, Some("garbage"))? else { return Ok(None) };
        let Some(images) = env.open_database(reading, Some("images"))? else { return Ok(None) };
        let Some(holders) = env.open_database(reading, Some("holders"))? else { return Ok(None) };
        Ok(Some(Self {
            env: env.clone(),
            path: folder.to_owned(),
            read_only: false,
            file: None,
            locks: None,
            opened_as: None,
            checked: None,
            layout: None,
            meta,
            documents,
            ids,
            files,
            removed,
            vectors,
            garbage,
            images,
            holders,
            sums: Arc::default(),
            bundles: Arc::default(),
        }))
    }

    /// An error where there are documents, but not the values that come with them: their names may have changed on
    /// disk. A writer that finds no next number would use the numbers of documents again.
    fn refuse_lost_values(&self) -> Result<()> {
        let reading = self.env.read_txn().map_err(|e| self.wrong(e))?;
        let Some((last, _)) = self.documents.last(&reading).map_err(|e| self.wrong(e))? else { return Ok(()) };
        let missing = |key: &str| self.damaged(Damage::Value { key: key.to_owned() });
        self.json::<Manifest>(&reading, "manifest")?.ok_or_else(|| missing("manifest"))?;
        self.json::<u64>(&reading, "generation")?.ok_or_else(|| missing("generation"))?;
        let next: Option<DocumentNumber> = self.json(&reading, "next")?;
        if next.is_some_and(|next| next > last) { Ok(()) } else { Err(missing("next")) }
    }

    /// Opens the tables that an index need not have: those that it got since. Before a transaction that reads them: a
    /// table that is opened in one can be used by others only after its commit.
    pub fn look_for_tables(&self) -> Result<()> {
        self.opened(&self.sums, "sums")?;
        self.opened(&self.bundles, "bundles").map(drop)
    }

    fn opened(&self, known: &OnceLock<NumberedTable>, name: &str) -> Result<Option<NumberedTable>> {
        if let Some(table) = known.get() {
            return Ok(Some(*table));
        }
        let open = || {
            let reading = self.env.read_txn()?;
            let table = self.env.open_database(&reading, Some(name))?;
            reading.commit()?;
            Ok(table)
        };
        let table = open().map_err(|e| self.wrong(e))?;
        Ok(table.map(|table| *known.get_or_init(|| table)))
    }

    fn ensured(&self, known: &OnceLock<NumberedTable>, name: &str) -> Result<NumberedTable> {
        if let Some(table) = self.opened(known, name)? {
            return Ok(table);
        }
        let made = || {
            let mut writing = self.env.write_txn()?;
            let table = self.env.create_database(&mut writing, Some(name))?;
            writing.commit()?;
            Ok(table)
        };
        let table = made().map_err(|e| self.wrong(e))?;
        Ok(*known.get_or_init(|| table))
    }

    /// The checksums, in a table that is made if there is none. Only for the writer.
    pub fn ensured_sums(&self) -> Result<NumberedTable> {
        self.ensured(&self.sums, "sums")
    }

    /// The documents; the table of bundles is made if there is none. Only for the writer.
    pub fn bundle_writer(&self) -> Result<BundleWriter> {
        Ok(BundleWriter::new(self.documents, self.ensured(&self.bundles, "bundles")?))
    }

    /// The documents, for a transaction that began after [`Self::look_for_tables`].
    pub fn stored(&self) -> StoredDocuments {
        StoredDocuments { entries: self.documents, bundles: self.bundles.get().copied() }
    }

    /// The checksums that belong to the generation of a transaction, which began after [`Self::look_for_tables`]: a
    /// program that knows nothing of checksums may have written since they were made.
    pub fn current_sums(&self, reading: &RoTxn<'_, WithoutTls>) -> Result<Option<NumberedTable>> {
        let generation: u64 = self.json(reading, "generation")?.unwrap_or(0);
        let of: Option<u64> = self.json(reading, "sums")?;
        // Only a table that was opened before the transaction began can be read in it.
        Ok(self.sums.get().copied().filter(|_| of == Some(generation)))
    }

    /// An error of the key-value store, with the path.
    pub fn wrong(&self, source: heed::Error) -> Error {
        failure(&self.path, source)
    }

    /// The index does not hold what it must.
    pub fn damaged(&self, what: Damage) -> Error {
        Error::Damaged { path: self.path.clone(), what }
    }

    /// Writes the first generation of an empty index.
    pub fn initialise(&self, manifest: &Manifest) -> Result<()> {
        let mut writing = self.env.write_txn().map_err(|e| self.wrong(e))?;
        self.set_manifest(&mut writing, manifest)?;
        self.set_identity(&mut writing)?;
        writing.commit().map_err(|e| self.wrong(e))
    }

    /// Sets the manifest.
    pub fn set_manifest(&self, writing: &mut RwTxn<'_>, manifest: &Manifest) -> Result<()> {
        let json = serde_json::to_vec(manifest).map_err(std::io::Error::from)?;
        self.meta.put(writing, "manifest", &json).map_err(|e| self.wrong(e))
    }

    /// The manifest; `None` before [`Self::initialise`].
    pub fn manifest(&self) -> Result<Option<Manifest>> {
        let reading = self.env.read_txn().map_err(|e| self.wrong(e))?;
        self.json(&reading, "manifest")
    }

    /// The identity of the index; `None` in one made before there were identities.
    pub fn identity(&self) -> Result<Option<IndexIdentity>> {
        let reading = self.env.read_txn().map_err(|e| self.wrong(e))?;
        self.identity_in(&reading)
    }

    /// The same in a transaction.
    pub fn identity_in(&self, reading: &RoTxn<'_, WithoutTls>) -> Result<Option<IndexIdentity>> {
        Ok(self.json::<String>(reading, "identity")?.and_then(|identity| identity.parse().ok()))
    }

    /// Gives the index an identity, unless another process that began at the same time did.
    fn set_identity(&self, writing: &mut RwTxn<'_>) -> Result<IndexIdentity> {
        if let Some(identity) = self.identity_in(writing)? {
            return Ok(identity);
        }
        let identity = IndexIdentity::new();
        self.meta.put(writing, "identity", format!("\"{identity}\"").as_bytes()).map_err(|e| self.wrong(e))?;
        Ok(identity)
    }

    /// Gives the index another identity: from now on it is not the one that it was copied from.
    pub fn renew_identity(&self) -> Result<()> {
        let mut writing = self.env.write_txn().map_err(|e| self.wrong(e))?;
        let identity = format!("\"{}\"", IndexIdentity::new());
        self.meta.put(&mut writing, "identity", identity.as_bytes()).map_err(|e| self.wrong(e))?;
        writing.commit().map_err(|e| self.wrong(e))
    }

    /// The identity of the index, which is given one if it has none. Only for the writer.
    pub fn ensured_identity(&self) -> Result<IndexIdentity> {
        if let Some(identity) = self.identity()? {
            return Ok(identity);
        }
        let mut writing = self.env.write_txn().map_err(|e| self.wrong(e))?;
        let identity = self.set_identity(&mut writing)?;
        writing.commit().map_err(|e| self.wrong(e))?;
        Ok(identity)
    }

    /// Whether another `data.mdb` may take the place of this one: the system lets go of a file that is open, and no
    /// snapshot of this process reads it.
    pub fn may_be_replaced(&self) -> bool {
        !self.read_only && self.file.is_some() && self.users() == 0
    }

    /// How many others have these tables: snapshots.
    pub fn users(&self) -> usize {
        Arc::strong_count(&self.sums) - 1
    }

    /// Whether `data.mdb` is another file now, and the rest of the index is the one that was opened.
    pub fn is_shortened(&self) -> bool {
        self.locks.is_some()
            && !FileNumber::is_replaced(self.locks, &self.path.join("lock.mdb"))
            && FileNumber::is_replaced(self.file, &self.path.join("data.mdb"))
            && self.path.join("data.mdb").exists()
    }

    /// `data.mdb`, mapped once more; `None` where that cannot be done.
    pub fn data_file(&self) -> Option<DataFile> {
        DataFile::open(&self.path, self.file)
    }

    /// Whether another index, or none, is where this one was opened.
    pub fn is_replaced(&self) -> bool {
        // One that cannot be read is not another one: whoever reads from it says what is wrong.
        let other = |now: Option<IndexIdentity>| self.opened_as.is_some() && now != self.opened_as;
        FileNumber::is_replaced(self.file, &self.path.join("data.mdb")) || self.identity().is_ok_and(other)
    }

    /// An error where another index, or none, is where this one was opened.
    pub fn refuse_replaced(&self) -> Result<()> {
        if self.is_replaced() { Err(Error::Replaced(self.path.clone())) } else { Ok(()) }
    }

    /// The generation last committed.
    pub fn generation(&self) -> Result<u64> {
        let reading = self.env.read_txn().map_err(|e| self.wrong(e))?;
        Ok(self.json(&reading, "generation")?.unwrap_or(0))
    }

    /// A small value of the `meta` table.
    pub fn json<T: serde::de::DeserializeOwned>(
        &self,
        reading: &RoTxn<'_, WithoutTls>,
        key: &str,
    ) -> Result<Option<T>> {
        let Some(bytes) = self.meta.get(reading, key).map_err(|e| self.wrong(e))? else { return Ok(None) };
        serde_json::from_slice(bytes).map(Some).map_err(|_| self.damaged(Damage::Value { key: key.to_owned() }))
    }
}

/// Deletes a new `data.mdb` of which the disk had no room for the first two pages: it holds nothing, and would be taken
/// for a damaged index.
fn forget_begun(folder: &Path) {
    let path = folder.join("data.mdb");
    if std::fs::metadata(&path).is_ok_and(|file| file.len() < FIRST_PAGES) {
        // Why the index could not be made is the error to tell.
        let _ = std::fs::remove_file(path);
    }
}

/// Two pages, where these are smallest.
const FIRST_PAGES: u64 = 2 * 4096;

/// Makes a `data.mdb` that was cut short as long as it says it is. Reading behind its end would end the process with
/// a bus error; pages of zeros are refused as damage. LMDB leaves unused pages at the end unwritten, so a short file
/// need not be damaged. While a writer lives it is left alone: the writer may be making it longer at this very moment.
fn restore_length(env: &Env<WithoutTls>, folder: &Path, read_only: bool) -> Result<()> {
    let length = (env.info().last_page_number as u64 + 1) * u64::from(env.stat().page_size);
    let path = folder.join("data.mdb");
    if fs_err::metadata(&path)?.len() >= length {
        return Ok(());
    }
    if read_only {
        return Err(Error::Damaged { path: folder.to_owned(), what: Damage::CutShort });
    }
    let Ok(_lock) = super::writer::lock(folder) else { return Ok(()) };
    let file = fs_err::File::options().write(true).open(path)?;
    if file.metadata()?.len() < length {
        file.set_len(length)?;
    }
    Ok(())
}

/// An error of the key-value store at a path.
pub fn failure(folder: &Path, source: heed::Error) -> Error {
    use heed::MdbError::{BadTxn, Corrupted, PageNotFound};
    match source {
        // After a damaged page LMDB refuses all that is left of a transaction as `BadTxn`. A document whose page is
        // damaged is left out and the reading goes on, so this may be the first that reaches a person.
        heed::Error::Mdb(error @ (Corrupted | PageNotFound | BadTxn)) => {
            Error::Damaged { path: folder.to_owned(), what: Damage::Pages { words: error.to_string() } }
        }
        source => {
            let kind = if let heed::Error::Io(io) = &source { StorageKind::from(io) } else { StorageKind::Other };
            Error::KeyValue { path: folder.to_owned(), kind, source: Opaque::new(source) }
        }
    }
}

/// The key of a file.
pub fn file_key(root: &str, path: &str) -> u128 {
    xxh3_128(format!("{root}\0{path}").as_bytes())
}

/// The key of an image's holder: all holders of one image stand together.
pub fn holder_key(image: ImageHash, number: DocumentNumber) -> [u8; 20] {
    let mut key = [0; 20];
    key[..16].copy_from_slice(&image.0.to_be_bytes());
    key[16..].copy_from_slice(&number.to_be_bytes());
    key
}

/// Reads what [`holder_key`] wrote.
pub fn read_holder_key(key: &[u8]) -> Option<(ImageHash, DocumentNumber)> {
    let (image, number) = key.split_at_checked(16)?;
    Some((ImageHash(u128::from_be_bytes(image.try_into().ok()?)), u32::from_be_bytes(number.try_into().ok()?)))
}

/// A value of the `ids` table.
pub fn id_value(number: DocumentNumber, hash: u128) -> [u8; 20] {
    let mut value = [0; 20];
    value[..4].copy_from_slice(&number.to_le_bytes());
    value[4..].copy_from_slice(&hash.to_le_bytes());
    value
}

/// Reads what [`id_value`] wrote.
pub fn read_id_value(value: &[u8]) -> Option<(DocumentNumber, u128)> {
    let (number, hash) = value.split_at_checked(4)?;
    Some((u32::from_le_bytes(number.try_into().ok()?), u128::from_le_bytes(hash.try_into().ok()?)))
}
