//! Who sends a request, and the server as they see it.
//!
//! Handlers are given a [`SeenApp`], and through it indexes that hold only what the requester may see. The whole
//! indexes are for work of the server itself.

use crate::app::{App, ServedIndex};
use crate::error::ApiError;
use crate::jobs::{Job, JobView};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use okno::document::Access;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::Deref;
use std::sync::Arc;

/// Who sends a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requester {
    /// The name of their key, where one is required.
    pub key: Option<String>,
    /// What they may see.
    pub access: Access,
}

impl Requester {
    /// Somebody on this machine, who may see everything.
    pub fn owner() -> Self {
        Self { key: None, access: Access::Everything }
    }

    /// Whose request this is, as the guard noted it. A request that it did not look at may see what is for everybody.
    pub fn of(parts: &Parts) -> Self {
        let stranger = || Self { key: None, access: Access::public() };
        parts.extensions.get::<Self>().cloned().unwrap_or_else(stranger)
    }
}

/// The server as a requester sees it.
#[derive(Debug, Clone)]
pub(crate) struct SeenApp {
    app: Arc<App>,
    pub requester: Requester,
}

impl Deref for SeenApp {
    type Target = Arc<App>;

    fn deref(&self) -> &Arc<App> {
        &self.app
    }
}

impl FromRequestParts<Arc<App>> for SeenApp {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        Ok(Self::new(app, Requester::of(parts)))
    }
}

impl SeenApp {
    pub fn new(app: &Arc<App>, requester: Requester) -> Self {
        Self { app: Arc::clone(app), requester }
    }

    fn seen(&self, served: &Arc<ServedIndex>) -> Arc<ServedIndex> {
        served.seen_by(&self.requester.access)
    }

    /// All indexes.
    pub fn indexes(&self) -> Vec<Arc<ServedIndex>> {
        self.app.whole_indexes().iter().map(|served| self.seen(served)).collect()
    }

    /// The index of this name; the first when none is named.
    pub fn served(&self, name: Option<&str>) -> Result<Arc<ServedIndex>, ApiError> {
        self.app.whole_index(name).map(|served| self.seen(served))
    }

    /// The indexes of these names, comma between them, none twice; the first when none is named.
    pub fn several(&self, names: Option<&str>) -> Result<Vec<Arc<ServedIndex>>, ApiError> {
        let Some(names) = names else { return Ok(vec![self.served(None)?]) };
        let mut indexes: Vec<Arc<ServedIndex>> = Vec::new();
        for name in names.split(',') {
            let served = self.served(Some(name.trim()))?;
            if indexes.iter().all(|known| known.index.name != served.index.name) {
                indexes.push(served);
            }
        }
        Ok(indexes)
    }

    /// The names of the indexes of which the requester does not see all documents.
    pub async fn partly_hidden(&self) -> Result<BTreeSet<String>, ApiError> {
        if self.requester.access.is_everything() {
            return Ok(BTreeSet::new());
        }
        let indexes = self.indexes();
        let work = move || {
            let mut names = BTreeSet::new();
            for served in indexes {
                if served.engine().hides_documents()? {
                    names.insert(served.index.name.clone());
                }
            }
            Ok(names)
        };
        self.app.pool.run(work).await
    }

    /// A job as the requester may see it. Jobs name files: of an index that is partly hidden only one's own are shown,
    /// and of those only what is about one's own files.
    pub fn view(&self, job: &Job, partly_hidden: &BTreeSet<String>) -> Option<JobView> {
        self.shown(job, job.view(), partly_hidden)
    }

    /// The same for a state of the job.
    pub fn shown(&self, job: &Job, view: JobView, partly_hidden: &BTreeSet<String>) -> Option<JobView> {
        if !partly_hidden.contains(&view.index) {
            return Some(view);
        }
        (job.origin.requester == self.requester).then(|| view.about(&job.origin.files))
    }
}
