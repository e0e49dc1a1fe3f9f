//! Whether LMDB can be trusted with the files of an index: asked before it opens them, and before it writes.

use super::pages::{PageFault, PageReport, check_pages, check_starts};
use crate::error::Damage;
use crate::{Error, Result};
use heed::{Env, WithoutTls};
use std::path::Path;

/// Bytes that LMDB's file of locks has at least: 64 for each reader, and its own.
#[cfg(target_os = "linux")]
const LOCKS: u64 = (super::tables::MAX_READERS as u64 + 3) * 64;

/// Times that commits of others may come in between before the pages are taken for damaged.
const TRIES: usize = 16;

/// The layout of pages is that of 64-bit systems; elsewhere they are not looked at.
const KNOWN_LAYOUT: bool = cfg!(target_pointer_width = "64");

/// An error where what LMDB believes of a file before anything else is not what was written.
pub fn refuse_damaged_starts(folder: &Path) -> Result<()> {
    let path = folder.join("data.mdb");
    if !KNOWN_LAYOUT || !path.is_file() {
        return Ok(());
    }
    // A file that may not be read, or is none of ours, is refused by LMDB, with its reason.
    let Ok(mut file) = std::fs::File::open(path) else { return Ok(()) };
    match check_starts(&mut file) {
        Err(PageFault::Bad(page)) => Err(Error::Damaged { path: folder.to_owned(), what: Damage::Page { page } }),
        _ => Ok(()),
    }
}

/// Looks at all pages of the last committed generation.
///
/// # Errors
/// When a page that LMDB follows is not what was written.
pub fn checked_pages(env: &Env<WithoutTls>, folder: &Path) -> Result<PageReport> {
    if !KNOWN_LAYOUT {
        return Ok(PageReport::default());
    }
    let mut file = fs_err::File::open(folder.join("data.mdb"))?;
    let mut tries = 0;
    loop {
        // It keeps these pages from being used again meanwhile.
        let reading = env.read_txn().map_err(|e| super::tables::failure(folder, e))?;
        let transaction = reading.id();
        let fault = match check_pages(file.file_mut(), transaction as u64) {
            Ok(report) => return Ok(report),
            Err(PageFault::Unreadable(error)) => return Err(error.into()),
            Err(PageFault::Gone) => None,
            Err(PageFault::Bad(page)) => Some(page),
        };
        drop(reading);
        tries += 1;
        // The first pages may have been read while somebody committed; without locks, any page.
        let committed = fault.is_none() || env.info().last_txn_id != transaction;
        if !committed || tries == TRIES {
            let page = fault.unwrap_or(0);
            return Err(Error::Damaged { path: folder.to_owned(), what: Damage::Page { page } });
        }
    }
}

/// Looks at all pages, and writes the headers of long values again that are not what they must be. Only for the writer,
/// who would free other pages than those of the value.
pub fn mend_pages(env: &Env<WithoutTls>, folder: &Path) -> Result<()> {
    let report = checked_pages(env, folder)?;
    if report.wrong_headers.is_empty() {
        return Ok(());
    }
    let mut file = fs_err::File::options().write(true).open(folder.join("data.mdb"))?;
    for header in report.wrong_headers {
        header.write(file.file_mut(), report.page_size)?;
    }
    Ok(file.sync_all()?)
}

/// Gives the file of locks its place on the disk. LMDB maps it before its pages have one, and where the disk is full,
/// the first use of such a page ends the process with SIGBUS.
///
/// # Errors
/// When there is no room.
#[cfg(target_os = "linux")]
pub fn reserve_locks(folder: &Path) -> Result<()> {
    use crate::error::StorageKind;
    use crate::message::Opaque;
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    use std::os::unix::fs::OpenOptionsExt;
    // Closing a file lets go of all locks that this process has on it, also of those of an index that is open.
    if std::fs::canonicalize(folder).is_ok_and(|folder| heed::env_closing_event(folder).is_some()) {
        return Ok(());
    }
    let path = folder.join("lock.mdb");
    let placed = |metadata: std::fs::Metadata| metadata.len() >= LOCKS && super::on_disk(&metadata) >= metadata.len();
    if std::fs::metadata(&path).is_ok_and(placed) {
        return Ok(());
    }
    // What may not be written is said by LMDB, or is opened for reading only.
    let mut options = std::fs::OpenOptions::new();
    let Ok(file) = options.create(true).truncate(false).write(true).mode(0o600).open(path) else { return Ok(()) };
    match fallocate(&file, FallocateFlags::empty(), 0, LOCKS) {
        Err(error @ (Errno::NOSPC | Errno::DQUOT)) => {
            let source = Opaque::new(std::io::Error::from(error));
            Err(Error::KeyValue { path: folder.to_owned(), kind: StorageKind::DiskFull, source })
        }
        // Not every file system can reserve.
        _ => Ok(()),
    }
}

/// Other systems are not known to need this.
#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps)] // elsewhere it may fail
pub fn reserve_locks(_: &Path) -> Result<()> {
    Ok(())
}
