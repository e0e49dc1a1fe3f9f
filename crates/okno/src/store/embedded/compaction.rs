//! Giving the disk back what an index no longer uses.
//!
//! LMDB uses the pages of what was deleted again and never makes its file shorter: after thirty rounds of replacing a
//! tenth of the documents, half of it is free. Then the pages in use are copied to a new file, which is checked and
//! takes the place of the old one. Whoever still reads the old file goes on doing so, sees with the next question that
//! it was replaced, and opens the new one; it has the same identity and generation, so that the lexical index fits.

use super::backup::{checked_copy, compacted_copy, sync_folder};
use super::pages::set_transaction;
use super::tables::Tables;
use super::writer;
use crate::error::Damage;
use crate::{Error, Result};
use std::path::Path;

/// The folder of the new file until it is whole.
pub const COMPACTING: &str = ".compacting";

/// Bytes that are free, at least, and the share of the file that they are: one in so many.
const WORTHWHILE: u64 = 1 << 20;
const SHARE: u64 = 4;

/// Makes `data.mdb` shorter where much of it is free; whether it did. Nothing happens while somebody writes,
/// or a snapshot of this process is in use, which would keep the new file from being opened.
///
/// # Errors
/// When there is no room for the new file, or something in the old one is damaged; it then stays as it is.
pub fn give_back(tables: &Tables) -> Result<bool> {
    if !tables.may_be_replaced() {
        return Ok(false);
    }
    let _lock = match writer::lock(&tables.path) {
        Err(Error::Locked(_)) => return Ok(false),
        lock => lock?,
    };
    tables.refuse_replaced()?;
    let (used, all) = pages(tables).map_err(|e| tables.wrong(e))?;
    let free = all.saturating_sub(used);
    if free < WORTHWHILE || free.saturating_mul(SHARE) < all {
        return Ok(false);
    }
    let draft = tables.path.join(COMPACTING);
    let replaced = replace(tables, &draft);
    // The error of the copying is the one to tell; what is left over is deleted by the next attempt.
    let _ = fs_err::remove_dir_all(&draft);
    replaced.map(|()| true)
}

/// Bytes in use, and those of the whole file.
fn pages(tables: &Tables) -> heed::Result<(u64, u64)> {
    Ok((tables.env.non_free_pages_size()?, tables.env.real_disk_size()?))
}

fn replace(tables: &Tables, draft: &Path) -> Result<()> {
    if draft.exists() {
        fs_err::remove_dir_all(draft)?;
    }
    fs_err::create_dir(draft)?;
    let (copy, file) = (draft.join("data.mdb"), tables.path.join("data.mdb"));
    let mut written = compacted_copy(tables, &copy, &file)?;
    let transaction = tables.env.info().last_txn_id as u64;
    set_transaction(written.file_mut(), transaction).map_err(|_| tables.damaged(Damage::Page { page: 0 }))?;
    written.sync_all()?;
    checked_copy(&copy, &file)?;
    fs_err::rename(&copy, &file)?;
    sync_folder(&file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::contract::{DIMENSIONS, EMBEDDER, document};
    use crate::store::embedded::EmbeddedStore;
    use crate::store::{Manifest, Snapshot, Store};

    fn open(folder: &Path) -> EmbeddedStore {
        EmbeddedStore::open_or_create(folder, &Manifest::new(EMBEDDER, DIMENSIONS)).unwrap()
    }

    /// An index of a hundred documents of 40 KB, of which every fifth is left.
    fn mostly_free(folder: &Path) -> EmbeddedStore {
        let store = open(folder);
        let mut writer = store.writer().unwrap();
        let word = |number: usize, at: usize| format!("w{:x}", (number * 7919 + at).wrapping_mul(0x9e37_79b9) >> 8);
        let text = |number: usize| (0..4000).map(|at| word(number, at)).collect::<Vec<_>>().join(" ");
        let put = |number: usize| writer.put(&document(&format!("d{number}"), &text(number))).unwrap();
        let numbers: Vec<_> = (0..100).map(put).collect();
        writer.finish().unwrap();
        let mut writer = store.writer().unwrap();
        for number in numbers.into_iter().filter(|number| number % 5 != 0) {
            assert!(writer.remove(number).unwrap());
        }
        writer.finish().unwrap();
        store
    }

    fn size(folder: &Path) -> u64 {
        fs_err::metadata(folder.join("data.mdb")).unwrap().len()
    }

    fn texts(snapshot: &dyn Snapshot) -> Vec<String> {
        snapshot.numbers().into_iter().map(|number| snapshot.text(number).unwrap().to_string()).collect()
    }

    #[test]
    fn what_is_free_is_given_back_and_the_rest_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let store = mostly_free(folder.path());
        let before = {
            let snapshot = store.snapshot().unwrap();
            assert!(!store.give_back().unwrap(), "somebody reads");
            (snapshot.identity(), snapshot.generation(), texts(&*snapshot))
        };
        let large = size(folder.path());
        // What a process that was killed leaves behind stands in nobody's way.
        fs_err::create_dir(folder.path().join(COMPACTING)).unwrap();
        fs_err::write(folder.path().join(COMPACTING).join("data.mdb"), "half of it").unwrap();
        assert!(store.give_back().unwrap());
        assert!(store.is_replaced() && store.writer().is_err() && !folder.path().join(COMPACTING).exists());
        assert!(size(folder.path()) * 3 < large, "{} of {large}", size(folder.path()));
        drop(store);
        let store = open(folder.path());
        {
            let snapshot = store.snapshot().unwrap();
            assert_eq!((snapshot.identity(), snapshot.generation(), texts(&*snapshot)), before);
        }
        assert_eq!(store.check().unwrap(), []);
        assert!(!store.give_back().unwrap(), "nothing is left to give");
    }

    #[test]
    fn a_file_made_shorter_is_written_to_as_before() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = mostly_free(folder.path());
        assert!(store.give_back().unwrap());
        drop(store);
        for name in ["one", "two", "three"] {
            store = open(folder.path());
            let mut writer = store.writer().unwrap();
            writer.put(&document(name, &format!("Only {name} is told here."))).unwrap();
            writer.finish().unwrap();
            assert_eq!(store.check().unwrap(), []);
            drop(store);
        }
        let count = open(folder.path()).snapshot().unwrap().numbers().len();
        assert_eq!(count, 23);
    }

    #[test]
    fn nobody_waits_for_a_writer_to_give_back() {
        let folder = tempfile::tempdir().unwrap();
        let store = mostly_free(folder.path());
        let writer = store.writer().unwrap();
        assert!(!store.give_back().unwrap());
        drop(writer);
        assert!(store.give_back().unwrap());
    }
}
