//! The state that all requests share: the indexes by name, the model, the pool, the jobs, the counters.

use crate::cache::AnswerCache;
use crate::error::ApiError;
use crate::jobs::Jobs;
use crate::limits::RequestLimits;
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::problem::Problem;
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
pub struct NamedIndex {
    /// Its name in requests.
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

impl NamedIndex {
    /// An index without settings of its own.
    pub fn plain(name: impl Into<String>, engine: Arc<Engine>) -> Self {
        let options = || Ok(IndexOptions::default());
        let replies = ReplyOptions::default();
        let complete = Arc::new(|_: &mut Query| Ok(()));
        Self { name: name.into(), engine, complete, options: Arc::new(options), replies, vision: false }
    }
}

impl fmt::Debug for NamedIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedIndex")
            .field("name", &self.name)
            .field("folder", &self.engine.folder())
            .finish_non_exhaustive()
    }
}

/// What a server is made of.
#[derive(Debug)]
pub struct ServerParts {
    /// The indexes; the first answers where none is named.
    pub indexes: Vec<NamedIndex>,
    /// The language model, where there is one.
    pub generator: Option<Arc<dyn Generator>>,
}

/// An index, and what the server keeps for it.
#[derive(Debug)]
pub(crate) struct ServedIndex {
    pub index: NamedIndex,
    /// Held while writing: one writer at a time.
    pub writing: Arc<Mutex<()>>,
    pub uploads: Uploads,
}

impl ServedIndex {
    pub fn engine(&self) -> &Engine {
        &self.index.engine
    }
}

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct App {
    pub indexes: Vec<Arc<ServedIndex>>,
    pub generator: Option<Arc<dyn Generator>>,
    pub pool: Pool,
    /// Answers in words that are being written.
    pub answers: Arc<Semaphore>,
    pub jobs: Jobs,
    pub metrics: Metrics,
    pub cache: AnswerCache,
    pub limits: RequestLimits,
    /// Folders beside the roots from which files may be indexed.
    pub allowed: Vec<PathBuf>,
    /// Becomes true when the server ends; streams end then.
    pub ending: watch::Sender<bool>,
}

impl App {
    pub fn new(parts: ServerParts, limits: RequestLimits, allowed: Vec<PathBuf>) -> Self {
        let served = |index: NamedIndex| {
            let uploads = Uploads::beside(index.engine.beside());
            Arc::new(ServedIndex { index, writing: Arc::default(), uploads })
        };
        Self {
            indexes: parts.indexes.into_iter().map(served).collect(),
            generator: parts.generator,
            pool: Pool::new(limits.waiting),
            answers: Arc::new(Semaphore::new(limits.answers)),
            jobs: Jobs::default(),
            metrics: Metrics::default(),
            cache: AnswerCache::new(limits.cache),
            limits,
            allowed,
            ending: watch::Sender::new(false),
        }
    }

    /// Waits until one more request may call the language model.
    pub async fn answer_permit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        // The semaphore is never closed.
        Arc::clone(&self.answers).acquire_owned().await.map_err(|_| Problem::WorkFailed.into())
    }

    /// The index of this name; the first when none is named.
    pub fn served(&self, name: Option<&str>) -> Result<&Arc<ServedIndex>, ApiError> {
        let Some(name) = name else {
            return self.indexes.first().ok_or_else(|| Problem::NothingServed.into());
        };
        self.indexes.iter().find(|served| served.index.name == name).ok_or_else(|| {
            let known = self.indexes.iter().map(|served| served.index.name.clone()).collect();
            Problem::NoIndex { name: name.to_owned(), known }.into()
        })
    }

    /// The indexes of these names, comma between them, none twice; the first when none is named.
    pub fn several(&self, names: Option<&str>) -> Result<Vec<Arc<ServedIndex>>, ApiError> {
        let Some(names) = names else { return Ok(vec![Arc::clone(self.served(None)?)]) };
        let mut indexes: Vec<Arc<ServedIndex>> = Vec::new();
        for name in names.split(',') {
            let served = self.served(Some(name.trim()))?;
            if indexes.iter().all(|known| !Arc::ptr_eq(known, served)) {
                indexes.push(Arc::clone(served));
            }
        }
        Ok(indexes)
    }
}
