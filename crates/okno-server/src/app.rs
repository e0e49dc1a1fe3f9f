//! The state that all requests share: the indexes by name, the models, the pool, the jobs, the counters.

use crate::cache::AnswerCache;
use crate::error::ApiError;
use crate::jobs::Jobs;
use crate::limits::RequestLimits;
use crate::metrics::Metrics;
use crate::models::NamedModel;
use crate::page_reader::PageReader;
use crate::pool::Pool;
use crate::problem::Problem;
use crate::rate::Buckets;
use crate::uploads::Uploads;
use okno::answer::ReplyOptions;
use okno::document::Access;
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
    /// The language model that answers where none is picked, if there is one.
    pub generator: Option<Arc<dyn Generator>>,
    /// Other language models that a request may pick.
    pub models: Vec<NamedModel>,
    /// What draws pages of PDFs, where something does.
    pub pages: Option<PageReader>,
}

/// An index as somebody sees it, and what the server keeps for it.
pub(crate) struct ServedIndex {
    pub index: Arc<NamedIndex>,
    /// Where somebody does not see everything.
    seen: Option<Engine>,
    /// Held while writing: one writer at a time.
    pub writing: Arc<Mutex<()>>,
    pub uploads: Uploads,
}

impl fmt::Debug for ServedIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServedIndex").field("index", &self.index).finish_non_exhaustive()
    }
}

impl ServedIndex {
    fn new(index: NamedIndex) -> Self {
        let uploads = Uploads::beside(index.engine.beside());
        Self { index: Arc::new(index), seen: None, writing: Arc::default(), uploads }
    }

    /// The engine as the requester sees it.
    pub fn engine(&self) -> &Engine {
        self.seen.as_ref().unwrap_or(&self.index.engine)
    }

    /// The engine over the whole index, for writing.
    pub fn whole_engine(&self) -> &Engine {
        &self.index.engine
    }

    /// The index as somebody with this access sees it.
    pub fn seen_by(self: &Arc<Self>, access: &Access) -> Arc<Self> {
        if access.is_everything() {
            return Arc::clone(self);
        }
        Arc::new(Self {
            index: Arc::clone(&self.index),
            seen: Some(self.index.engine.seen_by(access.clone())),
            writing: Arc::clone(&self.writing),
            uploads: self.uploads.clone(),
        })
    }
}

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct App {
    /// The whole indexes; handlers are given what their requester may see ([`crate::requester::SeenApp`]).
    indexes: Vec<Arc<ServedIndex>>,
    pub generator: Option<Arc<dyn Generator>>,
    pub models: Vec<NamedModel>,
    pub pool: Pool,
    /// Answers in words that are being written.
    pub answers: Arc<Semaphore>,
    pub jobs: Jobs,
    pub metrics: Metrics,
    pub cache: AnswerCache,
    /// Draws pages.
    pub pages: Option<PageReader>,
    /// Pictures of pages, and the places of spans on them.
    pub pictures: AnswerCache,
    pub limits: RequestLimits,
    /// Folders beside the roots from which files may be indexed.
    pub allowed: Vec<PathBuf>,
    /// How many bytes a key may upload, where that is limited.
    pub uploads: Option<Buckets>,
    /// Becomes true when the server ends; streams end then.
    pub ending: watch::Sender<bool>,
}

impl App {
    pub fn new(parts: ServerParts, limits: RequestLimits, allowed: Vec<PathBuf>) -> Self {
        Self {
            indexes: parts.indexes.into_iter().map(|index| Arc::new(ServedIndex::new(index))).collect(),
            generator: parts.generator,
            models: parts.models,
            pool: Pool::new(limits.waiting),
            answers: Arc::new(Semaphore::new(limits.answers)),
            jobs: Jobs::default(),
            metrics: Metrics::default(),
            cache: AnswerCache::new(limits.cache),
            pages: parts.pages,
            pictures: AnswerCache::new(limits.pictures),
            limits,
            allowed,
            uploads: None,
            ending: watch::Sender::new(false),
        }
    }

    /// Waits until one more request may call the language model.
    pub async fn answer_permit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        // The semaphore is never closed.
        Arc::clone(&self.answers).acquire_owned().await.map_err(|_| Problem::WorkFailed.into())
    }

    /// All indexes, whole.
    pub fn whole_indexes(&self) -> &[Arc<ServedIndex>] {
        &self.indexes
    }

    /// The whole index of this name; the first when none is named.
    pub fn whole_index(&self, name: Option<&str>) -> Result<&Arc<ServedIndex>, ApiError> {
        let Some(name) = name else {
            return self.indexes.first().ok_or_else(|| Problem::NothingServed.into());
        };
        self.indexes.iter().find(|served| served.index.name == name).ok_or_else(|| {
            let known = self.indexes.iter().map(|served| served.index.name.clone()).collect();
            Problem::NoIndex { name: name.to_owned(), known }.into()
        })
    }
}
