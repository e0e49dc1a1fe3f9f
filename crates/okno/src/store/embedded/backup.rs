//! A backup: everything but the lexical index, which can be built from the rest, in one file.
//!
//! The file is a copy of the key-value store as of one generation, made while others read and write, and a trailer
//! with its length and a hash of all of it. The copy is checked before it gets the name of the backup, so damage is
//! not carried on. A backup is restored into an empty folder, and only if every byte is the one that was written and
//! the index in it has no faults; `data.mdb`, which makes a folder an index, is moved there last.

use super::snapshot::EmbeddedSnapshot;
use super::tables::{Tables, failure};
use super::{EmbeddedStore, check, is_ours, lexical_folder, writer};
use crate::error::BackupError;
use crate::message::Reason;
use crate::store::{IndexFault, Snapshot, Store};
use crate::{Error, Result};
use fs_err::File;
use heed::CompactionOption;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// What the trailer begins with; the number is that of the trailer's form.
const MAGIC: &[u8; 16] = b"okno-backup-1\n\0\0";

/// Bytes of the trailer: magic, length, hash.
const TRAILER: usize = 16 + 8 + 16;

/// Where a backup is unpacked and checked, inside the folder that it is restored to.
const RESTORING: &str = ".restoring";

/// A backup that was written or restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupSize {
    /// Documents in it.
    pub documents: usize,
    /// Length of its file.
    pub bytes: u64,
}

impl EmbeddedStore {
    /// Writes the last committed generation to a file, also while a writer works. A file of this name is replaced, once
    /// the new one is whole and checked.
    ///
    /// # Errors
    /// When something in the index is damaged, another process writes to the same file, or the file cannot be written.
    pub fn backup(&self, file: &Path) -> Result<BackupSize> {
        let draft = draft_of(file);
        fs_err::create_dir_all(&draft)?;
        let lock = match writer::lock(&draft) {
            Err(Error::Locked(_)) => return Err(refused(file, BackupError::Busy)),
            lock => lock?,
        };
        let written = self.write_backup(&draft.join("data.mdb"), file);
        drop(lock);
        // What is left of an unfinished backup is used by nobody; the error of the backup is the one to tell.
        let _ = fs_err::remove_dir_all(&draft);
        written
    }

    fn write_backup(&self, copy: &Path, file: &Path) -> Result<BackupSize> {
        let mut target = compacted_copy(&self.tables, copy, file)?;
        let documents = checked_copy(copy, file).map_err(|error| of_source(error, file))?;
        target.seek(SeekFrom::Start(0))?;
        let (length, hash) = copied(&mut target, &mut std::io::sink())?;
        target.write_all(&trailer(length, hash))?;
        target.sync_all()?;
        fs_err::rename(copy, file)?;
        sync_folder(file)?;
        Ok(BackupSize { documents, bytes: length + TRAILER as u64 })
    }

    /// Restores a backup into a folder that is empty or does not exist. What cannot be restored leaves no index there.
    ///
    /// # Errors
    /// When the folder holds something, or the file is not a whole backup of an index without faults.
    pub fn restore(file: &Path, folder: &Path) -> Result<BackupSize> {
        let mut backup = File::open(file)?;
        refuse_full(folder)?;
        let made = !folder.exists();
        fs_err::create_dir_all(folder)?;
        let lock = writer::lock(folder)?;
        // Another process may have restored something before the lock was taken.
        let restored = refuse_full(folder).and_then(|()| restore_locked(&mut backup, file, folder));
        // The error of the restoring is the one to tell.
        let _ = fs_err::remove_dir_all(folder.join(RESTORING));
        drop(lock);
        if restored.is_err() && made {
            let _ = fs_err::remove_file(folder.join("writer.lock"));
            let _ = fs_err::remove_dir(folder);
        }
        restored
    }
}

fn refused(file: &Path, reason: BackupError) -> Error {
    Error::Backup { path: file.to_owned(), reason }
}

/// A copy of the last committed generation without free pages; errors name `file`.
pub(super) fn compacted_copy(tables: &Tables, copy: &Path, file: &Path) -> Result<File> {
    // The copying believes these headers.
    if let Some(first) = check::headers(tables)?.first() {
        return Err(refused(file, BackupError::SourceDamaged { count: 1, first: Reason::of(first) }));
    }
    let mut target = private_file(copy)?;
    let copying = tables.env.copy_to_file(target.file_mut(), CompactionOption::Enabled);
    copying.map_err(|source| failure(file, source)).map_err(|error| of_source(error, file))?;
    Ok(target)
}

/// Damage that was met while copying is damage of the index that was to be backed up.
fn of_source(error: Error, file: &Path) -> Error {
    match error {
        Error::Damaged { what, .. } => refused(file, BackupError::SourceDamaged { count: 1, first: Reason::of(&what) }),
        error => error,
    }
}

/// A folder beside the file, so that the backup can be renamed into place.
fn draft_of(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    file.with_file_name(name)
}

/// A new file that only its owner may read, like the index itself.
fn private_file(path: &Path) -> Result<File> {
    let mut options = fs_err::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use fs_err::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    Ok(options.open(path)?)
}

/// Checks a copy of the key-value store, and counts its documents.
pub(super) fn checked_copy(copy: &Path, file: &Path) -> Result<usize> {
    let tables = Tables::open_to_read(copy.parent().unwrap_or(copy))?;
    let snapshot = EmbeddedSnapshot::without_lexical(&tables)?;
    let faults = check::stored(&snapshot, &tables)?;
    match faults.first() {
        None => Ok(snapshot.numbers().len()),
        Some(first) => Err(refused(file, BackupError::SourceDamaged { count: faults.len(), first: Reason::of(first) })),
    }
}

/// Only what an earlier restoring left behind may be there, and no index.
fn refuse_full(folder: &Path) -> Result<()> {
    let is_left_behind = |name: &str| name == RESTORING || (is_ours(name) && name != "data.mdb");
    let strange =
        |entries: fs_err::ReadDir| entries.flatten().any(|entry| !is_left_behind(&entry.file_name().to_string_lossy()));
    if folder.is_file() || fs_err::read_dir(folder).is_ok_and(strange) {
        return Err(Error::FolderInUse(folder.to_owned()));
    }
    Ok(())
}

fn restore_locked(backup: &mut File, file: &Path, folder: &Path) -> Result<BackupSize> {
    let draft = folder.join(RESTORING);
    for old in [&draft, &lexical_folder(folder)] {
        if old.exists() {
            fs_err::remove_dir_all(old)?;
        }
    }
    fs_err::create_dir(&draft)?;
    let bytes = unpack(backup, file, &draft.join("data.mdb"))?;
    let documents = match built(&draft) {
        Err(Error::Format { found, expected, .. }) => {
            return Err(Error::Format { path: file.to_owned(), found, expected });
        }
        Err(Error::Damaged { what, .. }) => {
            return Err(refused(file, BackupError::Faulty { first: Reason::of(&what) }));
        }
        built => match built? {
            (documents, None) => documents,
            (_, Some(fault)) => return Err(refused(file, BackupError::Faulty { first: Reason::of(&fault) })),
        },
    };
    if lexical_folder(&draft).exists() {
        fs_err::rename(lexical_folder(&draft), lexical_folder(folder))?;
    }
    fs_err::rename(draft.join("data.mdb"), folder.join("data.mdb"))?;
    sync_folder(&folder.join("data.mdb"))?;
    Ok(BackupSize { documents, bytes })
}

/// Writes the key-value store of a backup to a file, if every byte is the one that was written. Returns the length of
/// the backup.
fn unpack(backup: &mut File, file: &Path, target: &Path) -> Result<u64> {
    let whole = backup.metadata()?.len();
    let length = whole.checked_sub(TRAILER as u64).ok_or_else(|| refused(file, BackupError::NotABackup))?;
    let mut found = [0; TRAILER];
    backup.seek(SeekFrom::Start(length))?;
    backup.read_exact(&mut found)?;
    if found[..MAGIC.len()] != MAGIC[..] {
        return Err(refused(file, BackupError::NotABackup));
    }
    backup.seek(SeekFrom::Start(0))?;
    let mut target = private_file(target)?;
    let (read, hash) = copied(&mut backup.take(length), &mut target)?;
    target.sync_all()?;
    if found == trailer(read, hash) { Ok(whole) } else { Err(refused(file, BackupError::Changed)) }
}

/// Builds the lexical index of a restored key-value store and checks all of it. Gives the number of documents, and the
/// first fault.
fn built(draft: &Path) -> Result<(usize, Option<IndexFault>)> {
    // A server that had the backed-up index open must not take this one for it.
    Tables::open(draft)?.renew_identity()?;
    let store = EmbeddedStore::open(draft)?;
    // The writer builds the lexical index.
    store.writer()?.finish()?;
    let fault = store.check()?.into_iter().next();
    Ok((store.snapshot()?.numbers().len(), fault))
}

fn trailer(length: u64, hash: u128) -> [u8; TRAILER] {
    let mut bytes = [0; TRAILER];
    bytes[..16].copy_from_slice(MAGIC);
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    bytes[24..].copy_from_slice(&hash.to_le_bytes());
    bytes
}

/// Copies all bytes; their number and hash.
fn copied(from: &mut dyn Read, to: &mut dyn Write) -> Result<(u64, u128)> {
    let (mut hash, mut length, mut buffer) = (Xxh3::new(), 0, vec![0; 1 << 16]);
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok((length, hash.digest128()));
        }
        hash.update(&buffer[..count]);
        to.write_all(&buffer[..count])?;
        length += count as u64;
    }
}

/// A rename survives a loss of power only when its folder was written too.
#[cfg(unix)]
pub(super) fn sync_folder(file: &Path) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(File::open(folder)?.sync_all()?)
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}
