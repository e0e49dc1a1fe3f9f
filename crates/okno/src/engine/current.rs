//! The store that an engine works with: the one that was opened, or, when its folder was deleted and an index made
//! there again, or its file was made shorter, the one that is there now.
//!
//! The key-value store cannot be opened twice in one process, so the old one is closed before the new one is opened:
//! whoever asks waits for the last searches of the old one. If they take too long, it answers on where its file was
//! only made shorter; of another index one is told to try again.

use crate::store::{Reopen, Scan, Store};
use crate::{Error, Result};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a question waits for those of a store that was replaced.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);
/// How long nobody waits again after that was in vain.
const NEXT_WAIT: Duration = Duration::from_secs(10);

/// The store of an engine.
pub struct CurrentStore {
    place: PathBuf,
    /// `None` between closing the old store and opening the new one.
    store: Mutex<Option<Arc<dyn Store>>>,
    reopen: Option<Reopen>,
    scan: Mutex<Option<Scan>>,
    /// When somebody last waited in vain for those who read a store that was replaced.
    waited: Mutex<Option<Instant>>,
}

impl CurrentStore {
    /// Begins with a store that was opened.
    pub fn new(place: PathBuf, store: Box<dyn Store>) -> Self {
        let reopen = store.reopen();
        Self {
            place,
            store: Mutex::new(Some(Arc::from(store))),
            reopen,
            scan: Mutex::default(),
            waited: Mutex::default(),
        }
    }

    /// The store.
    ///
    /// # Errors
    /// When the index was replaced and the one that is there now cannot be opened, or not yet.
    pub fn get(&self) -> Result<Arc<dyn Store>> {
        // What the lock guards is whole at every moment.
        let mut current = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = current.as_ref().filter(|store| !store.is_replaced() || self.is_read_on(store)) {
            return Ok(Arc::clone(store));
        }
        let Some(reopen) = &self.reopen else { return Err(Error::Replaced(self.place.clone())) };
        if current.take().is_some() {
            tracing::warn!(index = %self.place.display(), "the index was replaced; opening the one that is there now");
        }
        let begun = Instant::now();
        let store = loop {
            match reopen() {
                Err(Error::AlreadyOpen(_)) if begun.elapsed() < PATIENCE => sleep(PAUSE),
                Err(Error::AlreadyOpen(_)) => return Err(Error::Replaced(self.place.clone())),
                opened => break opened?,
            }
        };
        if let Some(scan) = *self.chosen_scan() {
            store.set_scan(scan);
        }
        Ok(Arc::clone(current.insert(Arc::from(store))))
    }

    /// Whether a store that was replaced is read on, after waiting a while, but not at every question, for those who
    /// read it. They may be those who ask, and hold a snapshot while they do.
    fn is_read_on(&self, store: &Arc<dyn Store>) -> bool {
        // One value, set at once.
        let mut waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = waited.is_none_or(|last| last.elapsed() > NEXT_WAIT);
        let begun = Instant::now();
        while waits && store.is_read_on() {
            if begun.elapsed() > PATIENCE {
                *waited = Some(Instant::now());
                break;
            }
            sleep(PAUSE);
        }
        store.is_read_on()
    }

    /// Gives the disk back what the index no longer uses. Where that cannot be done all is as it was.
    pub fn give_back(&self) {
        match self.get().and_then(|store| store.give_back()) {
            // It is opened again by who needs it next.
            Ok(true) => {
                let mut current = self.store.lock().unwrap_or_else(PoisonError::into_inner);
                drop(current.take_if(|store| !store.is_read_on()));
            }
            Ok(false) => {}
            Err(error) => tracing::warn!(index = %self.place.display(), %error, "free pages were not given back"),
        }
    }

    /// Chooses how dense search reads the vectors, from now on.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn set_scan(&self, scan: Scan) -> Result<()> {
        *self.chosen_scan() = Some(scan);
        self.get()?.set_scan(scan);
        Ok(())
    }

    fn chosen_scan(&self) -> MutexGuard<'_, Option<Scan>> {
        // One value, set at once.
        self.scan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::contract::{DIMENSIONS, EMBEDDER, document};
    use crate::store::{EmbeddedStore, Manifest};
    use std::path::Path;

    fn store_of_one(folder: &Path) -> CurrentStore {
        let store = EmbeddedStore::open_or_create(folder, &Manifest::new(EMBEDDER, DIMENSIONS)).unwrap();
        let mut writer = store.writer().unwrap();
        writer.put(&document("one", "Only one is told here.")).unwrap();
        writer.finish().unwrap();
        CurrentStore::new(folder.to_owned(), Box::new(store))
    }

    #[test]
    fn a_store_whose_file_was_made_shorter_answers_while_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let current = store_of_one(folder.path());
        let held = current.get().unwrap().snapshot().unwrap();
        let (file, copy) = (folder.path().join("data.mdb"), folder.path().join("copy"));
        fs_err::copy(&file, &copy).unwrap();
        fs_err::rename(&copy, &file).unwrap();
        let begun = Instant::now();
        for _ in 0..5 {
            let store = current.get().unwrap();
            assert!(store.is_replaced());
            assert_eq!(store.snapshot().unwrap().numbers(), held.numbers());
            assert!(store.writer().is_err(), "what is written now would be lost");
        }
        assert!((PATIENCE..2 * PATIENCE).contains(&begun.elapsed()), "one of them waits");
        let numbers = held.numbers();
        drop(held);
        let store = current.get().unwrap();
        assert!(!store.is_replaced());
        assert_eq!(store.snapshot().unwrap().numbers(), numbers);
    }

    #[test]
    fn an_index_that_was_deleted_answers_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let current = store_of_one(folder.path());
        let held = current.get().unwrap().snapshot().unwrap();
        fs_err::remove_dir_all(folder.path()).unwrap();
        assert!(current.get().is_err());
        drop(held);
        assert!(matches!(current.get(), Err(Error::NoIndex(_))));
    }
}
