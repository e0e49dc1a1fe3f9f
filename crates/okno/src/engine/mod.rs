//! The engine: the two functions that look like the diagram.
//!
//! ```text
//! index:   load → split → enrich → embed → store
//! search:  understand → search → fuse → collapse → expand → merge → budget → contexts
//! ```

mod content_hash;
mod derive;
mod fetched;
mod plan;
mod prepare;
mod read;
mod reembed;
mod report;
mod storing;
mod sync;
mod units;

pub use derive::{DeriveOptions, DerivePlan, DeriveProgress, DeriveReport, Maker};
pub use reembed::ReembedReport;
pub use report::{IndexOptions, IndexReport, Progress, Silent, Skipped};
pub use units::ImportReport;

use crate::document::{ImageHash, Record};
use crate::embed::{BuiltIn, Embedder};
use crate::generate::{Asker, Generator, Picture, Prompts};
use crate::load::{Fields, Loader, TextOfImage, UnknownField, builtin_reading};
use crate::retrieve::{self, Answer, Context, Models, Query, Recipes, Reranker, built_in};
use crate::store::{DocumentNumber, EmbeddedStore, Manifest, Scan, Snapshot, Store};
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An index, open for searching and for indexing. Share one between threads.
pub struct Engine {
    folder: PathBuf,
    beside: Option<PathBuf>,
    store: Box<dyn Store>,
    embedder: Arc<dyn Embedder>,
    extra_loaders: Vec<Arc<dyn Loader>>,
    recipes: Recipes,
    reranker: Option<Arc<dyn Reranker>>,
    generator: Option<Arc<dyn Generator>>,
    prompts: Prompts,
    image_reader: Option<(String, TextOfImage)>,
}

impl Engine {
    /// Opens an index made with the built-in embedder.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(folder, Arc::new(BuiltIn::default()))
    }

    /// Opens an index made with this embedder.
    pub fn open_with(folder: impl AsRef<Path>, embedder: Arc<dyn Embedder>) -> Result<Self> {
        let store = EmbeddedStore::open(folder.as_ref())?;
        Self::over(folder, Box::new(store), embedder)
    }

    /// Opens the index in a folder, or makes an empty one there, with the built-in embedder.
    pub fn create(folder: impl AsRef<Path>) -> Result<Self> {
        Self::create_with(folder, Arc::new(BuiltIn::default()))
    }

    /// Opens the index in a folder, or makes an empty one there, with this embedder.
    pub fn create_with(folder: impl AsRef<Path>, embedder: Arc<dyn Embedder>) -> Result<Self> {
        let manifest = Manifest::new(embedder.identity(), embedder.dimensions());
        let store = EmbeddedStore::open_or_create(folder.as_ref(), &manifest)?;
        Self::over(folder, Box::new(store), embedder)
    }

    /// An engine over any store, which `folder` names. What belongs beside an index – its configuration, runs, feedback,
    /// uploads – is beside that too, unless [`Self::set_beside`] says another place.
    pub fn over(folder: impl AsRef<Path>, store: Box<dyn Store>, embedder: Arc<dyn Embedder>) -> Result<Self> {
        let (folder, recipes) = (folder.as_ref().to_owned(), built_in()?);
        let engine = Self {
            folder,
            beside: None,
            store,
            embedder,
            extra_loaders: Vec::new(),
            recipes,
            reranker: None,
            generator: None,
            prompts: Prompts::default(),
            image_reader: None,
        };
        engine.same_embedder(engine.store.manifest())?;
        Ok(engine)
    }

    /// An index may have been given another embedder since this engine was opened.
    fn same_embedder(&self, manifest: &Manifest) -> Result<()> {
        if manifest.embedder == self.embedder.identity() {
            return Ok(());
        }
        Err(Error::Embedder {
            path: self.folder.clone(),
            index: manifest.embedder.clone(),
            given: self.embedder.identity().to_owned(),
        })
    }

    /// Adds a way of reading files; it is asked before the built-in ones.
    pub fn add_loader(&mut self, loader: Arc<dyn Loader>) {
        self.extra_loaders.push(loader);
    }

    /// Lets somebody read the text in images: in pictures, scanned pages and images inside of documents. `identity` names who reads; when it is
    /// another than before, indexing looks at every file again.
    pub fn set_image_reader(&mut self, identity: &str, reader: TextOfImage) {
        self.image_reader = Some((identity.to_owned(), reader));
    }

    fn image_reader(&self) -> Option<&TextOfImage> {
        self.image_reader.as_ref().map(|(_, reader)| reader)
    }

    /// The bytes of an image that a context names, as it was when its document was indexed; `None` where no document has it any more.
    pub fn image(&self, hash: ImageHash) -> Result<Option<Vec<u8>>> {
        self.snapshot()?.image(hash)
    }

    /// The images of a context for a model that looks at some, as the index keeps them; one that cannot be read is left out.
    pub fn pictures(&self, context: &Context) -> Vec<Picture> {
        let picture = |image: &crate::document::Picture| {
            let bytes = self.image(image.hash).ok()??;
            Some(Picture { media_type: image.media.name().to_owned(), bytes })
        };
        context.images.iter().filter_map(picture).collect()
    }

    /// Sets the recipes that questions may name; without it, the built-in ones.
    pub fn set_recipes(&mut self, recipes: Recipes) {
        self.recipes = recipes;
    }

    /// Reads the best hits once more before they grow; `None` does not.
    pub fn set_reranker(&mut self, reranker: Option<Arc<dyn Reranker>>) {
        self.reranker = reranker;
    }

    /// Sets the language model that does what a recipe's `transform` says; `None` for none.
    pub fn set_generator(&mut self, generator: Option<Arc<dyn Generator>>) {
        self.generator = generator;
    }

    /// Sets the words in which the language model is asked; without it, the project's own.
    pub fn set_prompts(&mut self, prompts: Prompts) {
        self.prompts = prompts;
    }

    /// The words in which the language model is asked.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// The language model.
    pub fn generator(&self) -> Option<&dyn Generator> {
        self.generator.as_deref()
    }

    /// Whether a search for this question would wait for the language model.
    pub fn asks_model(&self, query: &Query) -> Result<bool> {
        Ok(self.generator.is_some() && !retrieve::steps(&*self.snapshot()?, &self.recipes, query)?.is_empty())
    }

    /// The recipes that questions may name.
    pub fn recipes(&self) -> &Recipes {
        &self.recipes
    }

    /// Chooses how dense search reads the vectors: exactly, by estimate, or as the size of the index suggests.
    pub fn set_scan(&mut self, scan: Scan) {
        self.store.set_scan(scan);
    }

    /// The loaders in the order they are asked.
    fn loaders(&self, manifest: &Manifest) -> Result<Vec<Box<dyn Loader>>> {
        let fields: Fields = manifest
            .jsonl_fields
            .as_deref()
            .unwrap_or_default()
            .parse()
            .map_err(|error: UnknownField| Error::Options(error.to_string()))?;
        let extra = self.extra_loaders.iter().map(|loader| Box::new(Arc::clone(loader)) as Box<dyn Loader>);
        Ok(extra.chain(builtin_reading(fields, manifest.lines, self.image_reader())).collect())
    }

    /// The embedder.
    pub fn embedder(&self) -> &dyn Embedder {
        &*self.embedder
    }

    /// Where the index is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What runs, feedback and uploads are kept beside: the index, or the folder that stands for one on a server.
    pub fn beside(&self) -> &Path {
        self.beside.as_deref().unwrap_or(&self.folder)
    }

    /// Says what runs, feedback and uploads are kept beside, where the index is no folder of this machine.
    pub fn set_beside(&mut self, folder: impl Into<PathBuf>) {
        self.beside = Some(folder.into());
    }

    /// Bytes on disk; `None` where the store cannot say.
    pub fn bytes(&self) -> Result<Option<u64>> {
        self.store.bytes()
    }

    /// The last committed generation.
    pub fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.store.snapshot()
    }

    /// Brings the index up to date with these files and folders; with none given, with all that were indexed before.
    pub fn index<P: AsRef<Path>>(&self, paths: &[P]) -> Result<IndexReport> {
        self.index_with(paths, &IndexOptions::default(), &Silent)
    }

    /// The same, with options, telling how it goes.
    pub fn index_with<P: AsRef<Path>>(
        &self,
        paths: &[P],
        options: &IndexOptions,
        progress: &dyn Progress,
    ) -> Result<IndexReport> {
        let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
        sync::sync(self, &paths, options, progress)
    }

    /// Answers a question with contexts.
    pub fn search(&self, query: &Query) -> Result<Answer> {
        self.search_in(&*self.snapshot()?, query)
    }

    /// Answers a question from a generation that is held open, so that many answers are of one state.
    pub fn search_in(&self, snapshot: &dyn Snapshot, query: &Query) -> Result<Answer> {
        let _traced = tracing::debug_span!("search", recipe = query.recipe.as_deref()).entered();
        self.same_embedder(snapshot.manifest())?;
        let asker = self.generator().map(|generator| Asker { generator, prompts: &self.prompts });
        let models = Models { embedder: self.embedder(), reranker: self.reranker.as_deref(), asker };
        retrieve::search(snapshot, models, &self.recipes, query)
    }

    /// The documents of this name: their own id, their path below the indexed folder, or their whole path.
    pub fn named(&self, name: &str) -> Result<Vec<(DocumentNumber, Record)>> {
        let snapshot = self.snapshot()?;
        let mut named = Vec::new();
        snapshot.each_record(&mut |number, record| {
            if record.id.is_called(name) {
                named.push((number, record.clone()));
            }
        })?;
        if named.is_empty() { Err(Error::NoDocument(name.to_owned())) } else { Ok(named) }
    }

    /// Takes documents out. They stay out until their content changes.
    pub fn remove(&self, names: &[String]) -> Result<usize> {
        let mut writer = self.store.writer()?;
        let mut removed = 0;
        for name in names {
            for (number, record) in self.named(name)? {
                writer.set_removed(&record.id, Some(record.hash))?;
                removed += usize::from(writer.remove(number)?);
            }
        }
        writer.finish()?;
        Ok(removed)
    }

    /// Takes out everything that was added with this folder or file, and no longer keeps it up to date.
    pub fn remove_root(&self, root: impl AsRef<Path>) -> Result<usize> {
        let mut writer = self.store.writer()?;
        let snapshot = self.snapshot()?;
        let given = root.as_ref();
        let root = fs_err::canonicalize(given).unwrap_or_else(|_| given.to_owned()).to_string_lossy().into_owned();
        let mut roots = snapshot.roots().to_vec();
        roots.retain(|known| *known != root);
        if roots.len() == snapshot.roots().len() {
            return Err(Error::NoRoot { root, known: roots });
        }
        let mut removed = 0;
        for file in sync::known_files(&*snapshot)?.into_iter().filter(|file| file.root == root) {
            for number in file.documents {
                removed += usize::from(writer.remove(number)?);
            }
            writer.forget_file(&file.root, &file.path)?;
        }
        writer.set_roots(&roots)?;
        writer.finish()?;
        Ok(removed)
    }
}
