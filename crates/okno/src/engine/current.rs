//! The store that an engine works with: the one that was opened, or, when its folder was deleted and an index made
//! there again, the one that is there now.
//!
//! The key-value store cannot be opened twice in one process, so the old one is closed before the new one is opened:
//! whoever asks while the last search of the old one still runs is told to try again.

use crate::store::{Reopen, Scan, Store};
use crate::{Error, Result};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The store of an engine.
pub struct CurrentStore {
    place: PathBuf,
    /// `None` between closing the old store and opening the new one.
    store: Mutex<Option<Arc<dyn Store>>>,
    reopen: Option<Reopen>,
    scan: Mutex<Option<Scan>>,
}

impl CurrentStore {
    /// Begins with a store that was opened.
    pub fn new(place: PathBuf, store: Box<dyn Store>) -> Self {
        let reopen = store.reopen();
        Self { place, store: Mutex::new(Some(Arc::from(store))), reopen, scan: Mutex::new(None) }
    }

    /// The store.
    ///
    /// # Errors
    /// When the index was replaced and the one that is there now cannot be opened, or not yet.
    pub fn get(&self) -> Result<Arc<dyn Store>> {
        // The lock is held only by this function, and what it guards is whole at every moment.
        let mut current = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = current.as_ref().filter(|store| !store.is_replaced()) {
            return Ok(Arc::clone(store));
        }
        let Some(reopen) = &self.reopen else { return Err(Error::Replaced(self.place.clone())) };
        if current.take().is_some() {
            tracing::warn!(index = %self.place.display(), "the index was replaced; opening the one that is there now");
        }
        let store = match reopen() {
            Err(Error::AlreadyOpen(_)) => return Err(Error::Replaced(self.place.clone())),
            opened => opened?,
        };
        if let Some(scan) = *self.chosen_scan() {
            store.set_scan(scan);
        }
        Ok(Arc::clone(current.insert(Arc::from(store))))
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
