//! What every request can reach: the indexes by name, the model, the pool, the jobs, the counters.

use crate::cache::Cache;
use crate::fault::Fault;
use crate::jobs::Jobs;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::uploads::Uploads;
use okno::answer::ReplyOptions;
use okno::generate::Generator;
use okno::{Engine, IndexOptions, Query};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};

/// Fills in what a question left open, as the settings of its index say.
pub type Complete = dyn Fn(&mut Query) -> okno::Result<()> + Send + Sync;

/// How files are indexed, as the settings say when a job begins.
pub type IndexingOptions = dyn Fn() -> okno::Result<IndexOptions> + Send + Sync;

/// An open index with what its settings say.
pub struct Index {
    /// What requests call it.
    pub name: String,
    /// The engine over it.
    pub engine: Arc<Engine>,
    /// Completes questions.
    pub complete: Arc<Complete>,
    /// Says how files are indexed.
    pub options: Arc<IndexingOptions>,
    /// How answers in words are made.
    pub replies: ReplyOptions<'static>,
    /// Whether the language model looks at the images among what was found.
    pub vision: bool,
}

impl Index {
    /// An index without settings of its own.
    pub fn plain(name: impl Into<String>, engine: Arc<Engine>) -> Self {
        let options = || Ok(IndexOptions::default());
        let replies = ReplyOptions::default();
        let complete = Arc::new(|_: &mut Query| Ok(()));
        Self { name: name.into(), engine, complete, options: Arc::new(options), replies, vision: false }
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("name", &self.name).field("folder", &self.engine.folder()).finish_non_exhaustive()
    }
}

/// What a server is made of.
#[derive(Debug)]
pub struct Parts {
    /// The indexes; the first answers where none is named.
    pub indexes: Vec<Index>,
    /// The language model, where there is one.
    pub generator: Option<Arc<dyn Generator>>,
}

/// An index, and what the server keeps for it.
#[derive(Debug)]
pub(crate) struct Place {
    pub index: Index,
    /// Held by whoever writes: one at a time.
    pub writing: Arc<Mutex<()>>,
    pub uploads: Uploads,
}

impl Place {
    pub fn engine(&self) -> &Engine {
        &self.index.engine
    }
}

/// What every request can reach.
#[derive(Debug)]
pub(crate) struct App {
    pub places: Vec<Arc<Place>>,
    pub generator: Option<Arc<dyn Generator>>,
    pub pool: Pool,
    /// Answers in words that are being written.
    pub answers: Arc<Semaphore>,
    pub jobs: Jobs,
    pub metrics: Metrics,
    pub cache: Cache,
    pub limits: Limits,
    /// Folders beside the roots from which files may be indexed.
    pub allowed: Vec<PathBuf>,
    /// Becomes true when the server ends; streams end then.
    pub ending: watch::Sender<bool>,
}

impl App {
    pub fn new(parts: Parts, limits: Limits, allowed: Vec<PathBuf>) -> Self {
        let place = |index: Index| {
            let uploads = Uploads::beside(index.engine.beside());
            Arc::new(Place { index, writing: Arc::default(), uploads })
        };
        Self {
            places: parts.indexes.into_iter().map(place).collect(),
            generator: parts.generator,
            pool: Pool::new(limits.waiting),
            answers: Arc::new(Semaphore::new(limits.answers)),
            jobs: Jobs::default(),
            metrics: Metrics::default(),
            cache: Cache::new(limits.cache),
            limits,
            allowed,
            ending: watch::Sender::new(false),
        }
    }

    /// Waits until one more may wait for the language model.
    pub async fn answer_permit(&self) -> Result<OwnedSemaphorePermit, Fault> {
        // The semaphore is never closed.
        Arc::clone(&self.answers).acquire_owned().await.map_err(|error| Fault::internal(error.to_string()))
    }

    /// The index of this name; the first when none is named.
    pub fn place(&self, name: Option<&str>) -> Result<&Arc<Place>, Fault> {
        let Some(name) = name else {
            return self.places.first().ok_or_else(|| Fault::internal("the server has no index"));
        };
        self.places.iter().find(|place| place.index.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.places.iter().map(|place| place.index.name.as_str()).collect();
            Fault::missing("no_index", format!("no index `{name}`")).hint(format!("there are `{}`", known.join("`, `")))
        })
    }

    /// The indexes of these names, comma between them, none twice; the first when none is named.
    pub fn several(&self, names: Option<&str>) -> Result<Vec<Arc<Place>>, Fault> {
        let Some(names) = names else { return Ok(vec![Arc::clone(self.place(None)?)]) };
        let mut places: Vec<Arc<Place>> = Vec::new();
        for name in names.split(',') {
            let place = self.place(Some(name.trim()))?;
            if places.iter().all(|known| !Arc::ptr_eq(known, place)) {
                places.push(Arc::clone(place));
            }
        }
        Ok(places)
    }
}
