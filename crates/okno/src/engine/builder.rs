//! How an engine is put together: the parts that are not built in, then the index.

use super::Engine;
use super::current::CurrentStore;
use super::read::LoadGuard;
use crate::Result;
use crate::document::Access;
use crate::embed::{BuiltIn, Embedder};
use crate::generate::{Generator, Prompts};
use crate::load::{ImageReader, Loader};
use crate::retrieve::{Recipes, Reranker, RowRoute, built_in};
use crate::store::{EmbeddedStore, Manifest, Scan, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens an index with parts of your own. What is not set is built in, or absent where nothing is.
///
/// ```
/// # fn main() -> okno::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// use okno::Engine;
/// use okno::embed::BuiltIn;
/// use std::sync::Arc;
///
/// let engine = Engine::builder().embedder(Arc::new(BuiltIn::default())).create(folder.path().join(".okno"))?;
/// assert!(engine.generator().is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use = "a builder does nothing until `open`, `create` or `over`"]
pub struct EngineBuilder {
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    pub(super) recipes: Option<Recipes>,
    pub(super) scan: Option<Scan>,
    pub(super) parts: EngineParts,
}

/// Parts that an engine holds as they were given.
#[derive(Clone, Default)]
pub(super) struct EngineParts {
    pub loaders: Vec<Arc<dyn Loader>>,
    pub reranker: Option<Arc<dyn Reranker>>,
    pub generator: Option<Arc<dyn Generator>>,
    pub prompts: Prompts,
    pub image_reader: Option<Arc<dyn ImageReader>>,
    pub beside: Option<PathBuf>,
    pub load_guard: Option<Arc<dyn LoadGuard>>,
    pub row_route: Option<Arc<dyn RowRoute>>,
}

impl EngineBuilder {
    /// Makes the vectors. An index made with one embedder cannot be opened with another.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Adds a loader. Added loaders are tried before the built-in ones, in the order in which they were added.
    pub fn loader(mut self, loader: Arc<dyn Loader>) -> Self {
        self.parts.loaders.push(loader);
        self
    }

    /// The recipes that questions may name, in place of the built-in ones.
    pub fn recipes(mut self, recipes: Recipes) -> Self {
        self.recipes = Some(recipes);
        self
    }

    /// Scores the best hits a second time before they are expanded.
    pub fn reranker(mut self, reranker: Option<Arc<dyn Reranker>>) -> Self {
        self.parts.reranker = reranker;
        self
    }

    /// The language model for the `transform` steps of recipes.
    pub fn generator(mut self, generator: Option<Arc<dyn Generator>>) -> Self {
        self.parts.generator = generator;
        self
    }

    /// The prompts for the language model, in place of the built-in ones.
    pub fn prompts(mut self, prompts: Prompts) -> Self {
        self.parts.prompts = prompts;
        self
    }

    /// Reads the text in images: pictures, scanned pages and images inside documents. An index remembers its reader's
    /// identity; with another one, indexing reads every file again.
    pub fn image_reader(mut self, reader: Option<Arc<dyn ImageReader>>) -> Self {
        self.parts.image_reader = reader;
        self
    }

    /// Asks this before a file is loaded.
    pub fn load_guard(mut self, guard: Option<Arc<dyn LoadGuard>>) -> Self {
        self.parts.load_guard = guard;
        self
    }

    /// Answers questions that count, add or compare rows, where their route was not chosen.
    pub fn row_route(mut self, route: Option<Arc<dyn RowRoute>>) -> Self {
        self.parts.row_route = route;
        self
    }

    /// How dense search reads the vectors: exactly, by estimate, or as the size of the index suggests.
    pub fn scan(mut self, scan: Scan) -> Self {
        self.scan = Some(scan);
        self
    }

    /// Where runs, feedback and uploads are kept, for an index that is not a folder of this machine. Without it, beside
    /// the index.
    pub fn beside(mut self, folder: impl Into<PathBuf>) -> Self {
        self.parts.beside = Some(folder.into());
        self
    }

    /// Opens the index in a folder.
    ///
    /// # Errors
    /// When there is no index, it was made with another embedder, or it cannot be read.
    pub fn open(self, folder: impl AsRef<Path>) -> Result<Engine> {
        let store = EmbeddedStore::open(folder.as_ref())?;
        self.over(folder, Box::new(store))
    }

    /// Opens the index in a folder, or makes an empty one there.
    ///
    /// # Errors
    /// When the folder holds something else, its index was made with another embedder, or it cannot be written to.
    pub fn create(mut self, folder: impl AsRef<Path>) -> Result<Engine> {
        let embedder = self.embedder.get_or_insert_with(|| Arc::new(BuiltIn::default()));
        let manifest = Manifest::new(embedder.identity(), embedder.dimensions());
        let store = EmbeddedStore::open_or_create(folder.as_ref(), &manifest)?;
        self.over(folder, Box::new(store))
    }

    /// Opens the index in any store. `name` says in messages where it is, and, without [`Self::beside`], what the
    /// index's configuration, runs, feedback and uploads are kept beside.
    ///
    /// # Errors
    /// When the index was made with another embedder.
    pub fn over(self, name: impl AsRef<Path>, store: Box<dyn Store>) -> Result<Engine> {
        let embedder = self.embedder.unwrap_or_else(|| Arc::new(BuiltIn::default()));
        let recipes = self.recipes.map_or_else(built_in, Ok)?;
        let (folder, manifest) = (name.as_ref().to_owned(), store.manifest().clone());
        let store = CurrentStore::new(folder.clone(), store);
        if let Some(scan) = self.scan {
            store.set_scan(scan)?;
        }
        let (store, recipes, parts) = (Arc::new(store), Arc::new(recipes), Arc::new(self.parts));
        let engine =
            Engine { folder, store, embedder, recipes, parts, access: Access::Everything, views: Arc::default() };
        engine.same_embedder(&manifest)?;
        Ok(engine)
    }
}
