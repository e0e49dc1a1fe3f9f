//! The store that an engine works with: the one that was opened, or, when its folder was deleted and an index made
//! there again, or its file was made shorter, the one that is there now.
//!
//! The key-value store cannot be opened twice in one process, so the old one is closed before the new one is opened:
//! whoever asks waits for the last searches of the old one, and is told to try again if they take too long.

use crate::store::{Reopen, Scan, Store};
use crate::{Error, Result};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a question waits for those of a store that was replaced.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);

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

    /// Gives the disk back what the index no longer uses. Where that cannot be done all is as it was.
    pub fn give_back(&self) {
        match self.get().and_then(|store| store.give_back()) {
            // It is opened again by who needs it next.
            Ok(true) => drop(self.store.lock().unwrap_or_else(PoisonError::into_inner).take()),
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
