//! An index on a server: opened, made, read and written.

use crate::cache::DocumentCache;
use crate::documents::DocumentCollection;
use crate::driver::StoreDriver;
use crate::failure::DamagedRow;
use crate::filters::Filters;
use crate::ledger::{EntryKind, HEAD, Ledger, LedgerEntry};
use crate::meter::Meter;
use crate::snapshot::{RemoteSnapshot, SharedSnapshot};
use crate::state::{GenerationState, SCHEMA};
use crate::writer::RemoteWriter;
use okno::store::{FORMAT, Manifest, Snapshot, Store, Writer, is_readable};
use okno::{Error, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An index on a server.
pub struct RemoteStore {
    parts: StoreParts,
    manifest: Manifest,
    latest: Mutex<Option<Arc<SharedSnapshot>>>,
}

/// The ways to the tables of an index.
#[derive(Clone)]
pub struct StoreParts {
    pub driver: Arc<dyn StoreDriver>,
    pub ledger: Ledger,
    pub documents: DocumentCollection,
    pub cache: Arc<DocumentCache>,
    pub filters: Arc<Filters>,
}

impl StoreParts {
    fn new(driver: Arc<dyn StoreDriver>) -> Self {
        let (ledger, documents) =
            (Ledger { driver: Arc::clone(&driver) }, DocumentCollection { driver: Arc::clone(&driver) });
        Self { driver, ledger, documents, cache: Arc::default(), filters: Arc::default() }
    }

    /// The last committed generation; `None` where there is no index.
    pub fn state(&self) -> Result<Option<GenerationState>> {
        self.ledger.head()?.map(|(_, head)| self.read_state(&head)).transpose()
    }

    fn read_state(&self, head: &str) -> Result<GenerationState> {
        let state = GenerationState::read(head).ok_or_else(|| self.driver.damaged(DamagedRow::Head))?;
        if state.schema != SCHEMA {
            let (found, expected) = (state.schema, SCHEMA);
            return Err(Error::Format { path: self.driver.path(), found, expected });
        }
        Ok(state)
    }

    /// How a generation was made.
    pub fn manifest(&self, state: &GenerationState) -> Result<Manifest> {
        let manifest = state.manifest().ok_or_else(|| self.driver.damaged(DamagedRow::Manifest))?;
        if is_readable(manifest.format) {
            return Ok(manifest);
        }
        Err(Error::Format { path: self.driver.path(), found: manifest.format, expected: FORMAT })
    }
}

/// A head as the ledger keeps it.
pub fn head(state: &GenerationState) -> LedgerEntry {
    LedgerEntry { kind: EntryKind::Head, base: HEAD.to_owned(), born: state.generation, value: state.write() }
}

impl RemoteStore {
    /// Opens an index.
    pub fn open(driver: Arc<dyn StoreDriver>) -> Result<Self> {
        let parts = StoreParts::new(driver);
        let state = if parts.driver.is_ready()? { parts.state()? } else { None };
        let state = state.ok_or_else(|| Error::NoIndex(parts.driver.path()))?;
        Self::of(parts, &state)
    }

    /// Opens an index, or makes an empty one as the manifest says.
    pub fn open_or_create(driver: Arc<dyn StoreDriver>, manifest: &Manifest) -> Result<Self> {
        match Self::open(Arc::clone(&driver)) {
            Err(Error::NoIndex(_)) => {}
            opened => return opened,
        }
        let parts = StoreParts::new(driver);
        parts.driver.create(manifest.dimensions)?;
        let state = GenerationState::new(manifest);
        parts.ledger.write(&[head(&state)])?;
        Self::of(parts, &state)
    }

    fn of(parts: StoreParts, state: &GenerationState) -> Result<Self> {
        let manifest = parts.manifest(state)?;
        Ok(Self { parts, manifest, latest: Mutex::default() })
    }

    /// Counts what goes over the network.
    pub fn meter(&self) -> Meter {
        self.parts.driver.meter().clone()
    }

    fn latest(&self) -> MutexGuard<'_, Option<Arc<SharedSnapshot>>> {
        // A poisoned lock means another search panicked; what is kept is never half-made.
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shared(&self) -> Result<Arc<SharedSnapshot>> {
        let none = || Error::NoIndex(self.parts.driver.path());
        let newest = self.parts.ledger.newest()?.ok_or_else(none)?;
        if let Some(shared) = self.latest().as_ref().filter(|shared| shared.state.generation == newest) {
            return Ok(Arc::clone(shared));
        }
        let (generation, head) = self.parts.ledger.head()?.ok_or_else(none)?;
        let mut latest = self.latest();
        if let Some(shared) = latest.as_ref().filter(|shared| shared.state.generation == generation) {
            return Ok(Arc::clone(shared));
        }
        let state = self.parts.read_state(&head)?;
        let shared = Arc::new(SharedSnapshot::new(self.parts.clone(), state, latest.as_deref())?);
        *latest = Some(Arc::clone(&shared));
        Ok(shared)
    }
}

impl Store for RemoteStore {
    /// One round trip: is there a newer generation? Everything else is shared with the snapshots before.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(RemoteSnapshot::new(self.shared()?)))
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>> {
        Ok(Box::new(RemoteWriter::open(self.parts.clone())?))
    }

    fn bytes(&self) -> Result<Option<u64>> {
        self.parts.driver.bytes()
    }

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }
}
