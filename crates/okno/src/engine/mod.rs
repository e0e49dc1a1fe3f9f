//! The engine: the two functions that look like the diagram.
//!
//! ```text
//! index:   load → split → enrich → embed → store
//! search:  understand → search → fuse → collapse → expand → merge → budget → contexts
//! ```

mod added;
mod allow_list;
mod builder;
mod check;
mod content_hash;
mod current;
mod derive;
mod fetched;
mod original;
mod plan;
mod prepare;
mod read;
mod reason;
mod reembed;
mod report;
mod several;
mod source;
mod storing;
mod sync;
mod units;

pub use crate::store::SOURCE_ROOT;
pub use added::ADDED_ROOT;
pub use allow_list::AllowList;
pub use builder::EngineBuilder;
pub use check::RepairReport;
pub use derive::{DeriveOptions, DerivePlan, DeriveProgress, DeriveReport, Maker};
pub use original::{OriginalFile, OriginalLost};
pub use read::LoadGuard;
pub use reason::SkippedReason;
pub use reembed::ReembedReport;
pub use report::{IndexOptions, IndexReport, Progress, Silent, Skipped};
pub use several::search_several;
pub use source::{DocumentSource, SourceDocument, SourceEntry};
pub use units::ImportReport;

use crate::deadline;
use crate::document::{Access, ImageHash, Record};
use crate::embed::Embedder;
use crate::error::{Damage, OptionsError};
use crate::generate::{Asker, ChatPicture, Generator, Prompts};
use crate::load::{FieldsError, ImageReader, JsonlFields, Loader, builtin_reading};
use crate::retrieve::{self, Answer, Context, Models, Query, Recipes};
use crate::store::{DamagedDocument, DocumentNumber, Manifest, Snapshot, SnapshotViews, Store, Writer};
use crate::{Error, Result};
use builder::EngineParts;
use current::CurrentStore;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An index, open for searching and for indexing. Share one between threads.
///
/// [`Engine::open`] and [`Engine::create`] take everything that is built in; [`Engine::builder`] takes models, loaders
/// and recipes of your own.
pub struct Engine {
    folder: PathBuf,
    store: Arc<CurrentStore>,
    embedder: Arc<dyn Embedder>,
    recipes: Arc<Recipes>,
    parts: Arc<EngineParts>,
    access: Access,
    views: Arc<SnapshotViews>,
}

impl Engine {
    /// Opens an index made with the built-in embedder.
    ///
    /// # Errors
    /// When there is no index, or it cannot be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        Self::builder().open(folder)
    }

    /// Opens the index in a folder, or makes an empty one there, with the built-in embedder.
    ///
    /// # Errors
    /// When the folder holds something else, or cannot be written to.
    pub fn create(folder: impl AsRef<Path>) -> Result<Self> {
        Self::builder().create(folder)
    }

    /// Opens an index with an embedder, loaders, models or recipes of your own.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Changes how an open engine works: a language model that only some recipes need, another scan for a measurement.
    ///
    /// ```
    /// # fn main() -> okno::Result<()> {
    /// # let folder = tempfile::tempdir()?;
    /// # let mut engine = okno::Engine::create(folder.path())?;
    /// engine.reconfigure(|builder| builder.scan(okno::store::Scan::Exact))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When it names another embedder than the index was made with; [`Engine::reembed`] exchanges that.
    pub fn reconfigure(&mut self, change: impl FnOnce(EngineBuilder) -> EngineBuilder) -> Result<()> {
        let before = EngineBuilder {
            embedder: Some(Arc::clone(&self.embedder)),
            recipes: Some(Arc::unwrap_or_clone(std::mem::take(&mut self.recipes))),
            scan: None,
            parts: Arc::unwrap_or_clone(std::mem::take(&mut self.parts)),
        };
        let EngineBuilder { embedder, recipes, scan, parts } = change(before);
        self.parts = Arc::new(parts);
        self.recipes = Arc::new(recipes.map_or_else(retrieve::built_in, Ok)?);
        if let Some(scan) = scan {
            self.store.set_scan(scan)?;
        }
        if let Some(embedder) = embedder {
            self.check_embedder(self.embedder.identity(), &*embedder)?;
            self.embedder = embedder;
        }
        Ok(())
    }

    /// The same index as somebody with this access sees it: everything that reads it – searches, snapshots, names,
    /// images – is answered as if the other documents were not there. Scores may differ from those of an index without
    /// them: how rare a word is is counted in the whole index.
    ///
    /// ```
    /// # fn main() -> okno::Result<()> {
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::write(folder.path().join("pay.md"), "---\nallow: hr\n---\nThe salaries are paid on Mondays.")?;
    /// # let engine = okno::Engine::create(folder.path().join(".okno"))?;
    /// # engine.index(&[folder.path().join("pay.md")])?;
    /// use okno::document::Access;
    ///
    /// let query = okno::Query::new("When are salaries paid?");
    /// assert!(engine.seen_by(Access::of(["sales"])).search(&query)?.contexts.is_empty());
    /// assert_eq!(engine.seen_by(Access::of(["hr"])).search(&query)?.contexts.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn seen_by(&self, access: Access) -> Self {
        Self {
            folder: self.folder.clone(),
            store: Arc::clone(&self.store),
            embedder: Arc::clone(&self.embedder),
            recipes: Arc::clone(&self.recipes),
            parts: Arc::clone(&self.parts),
            views: Arc::clone(&self.views),
            access,
        }
    }

    /// Who sees the index through this engine.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Whether there are documents that this engine's access does not see.
    pub fn hides_documents(&self) -> Result<bool> {
        if self.access.is_everything() {
            return Ok(false);
        }
        self.views.hides(&*self.store()?.snapshot()?, &self.access)
    }

    /// Another process may have given the index another embedder since this engine was opened.
    fn same_embedder(&self, manifest: &Manifest) -> Result<()> {
        self.check_embedder(&manifest.embedder, &*self.embedder)
    }

    fn check_embedder(&self, index: &str, given: &dyn Embedder) -> Result<()> {
        if index == given.identity() {
            return Ok(());
        }
        let (path, index, given) = (self.folder.clone(), index.to_owned(), given.identity().to_owned());
        Err(Error::Embedder { path, index, given })
    }

    fn image_reader(&self) -> Option<&dyn ImageReader> {
        self.parts.image_reader.as_deref()
    }

    /// The bytes of an image that a context names, as it was when its document was indexed; `None` where no document
    /// has it any more.
    pub fn image(&self, hash: ImageHash) -> Result<Option<Vec<u8>>> {
        self.snapshot()?.image(hash)
    }

    /// The images of a context for a model that looks at some, as the index keeps them; one that cannot be read is
    /// left out.
    pub fn pictures(&self, context: &Context) -> Vec<ChatPicture> {
        let picture = |image: &crate::document::Picture| {
            let bytes = self.image(image.hash).ok()??;
            Some(ChatPicture { media_type: image.media.name().to_owned(), bytes })
        };
        context.images.iter().filter_map(picture).collect()
    }

    /// The words in which the language model is asked.
    pub fn prompts(&self) -> &Prompts {
        &self.parts.prompts
    }

    /// The language model.
    pub fn generator(&self) -> Option<&dyn Generator> {
        self.parts.generator.as_deref()
    }

    /// Whether a search for this question would wait for the language model.
    pub fn asks_model(&self, query: &Query) -> Result<bool> {
        let (snapshot, models) = (self.snapshot()?, self.models());
        Ok(models.asker.is_some()
            && (!retrieve::steps(&*snapshot, &self.recipes, query)?.is_empty()
                || retrieve::may_write_sql(&*snapshot, models, query)?))
    }

    /// The recipes that questions may name.
    pub fn recipes(&self) -> &Recipes {
        &self.recipes
    }

    /// The loaders in the order they are asked.
    fn loaders(&self, manifest: &Manifest) -> Result<Vec<Box<dyn Loader>>> {
        let fields: JsonlFields = manifest
            .jsonl_fields
            .as_deref()
            .unwrap_or_default()
            .parse()
            .map_err(|error: FieldsError| OptionsError::from(error))?;
        let extra = self.parts.loaders.iter().map(|loader| Box::new(Arc::clone(loader)) as Box<dyn Loader>);
        Ok(extra.chain(builtin_reading(fields, manifest.lines, self.parts.image_reader.as_ref())).collect())
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
        self.parts.beside.as_deref().unwrap_or(&self.folder)
    }

    /// Bytes on disk; `None` where the store cannot say.
    pub fn bytes(&self) -> Result<Option<u64>> {
        self.store()?.bytes()
    }

    /// Keeps what opening the index computed, so that the next process opens it faster. Call it after a search, in a
    /// process that will not stay; it takes longer than the search, and does nothing where all is kept already.
    pub fn keep_layout(&self) -> Result<()> {
        self.store()?.keep_layout();
        Ok(())
    }

    /// The index that is at its place now: one that was deleted and made again is opened again.
    fn store(&self) -> Result<Arc<dyn Store>> {
        self.store.get()
    }

    /// Makes what was written visible, and gives back what it no longer needs.
    fn finish(&self, writer: Box<dyn Writer + '_>) -> Result<()> {
        writer.finish()?;
        self.store.give_back();
        Ok(())
    }

    /// The last committed generation.
    pub fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.views.of(self.store()?.snapshot()?, &self.access)
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
        let models = self.models();
        loop {
            deadline::check()?;
            let known = snapshot.damaged().len();
            let mut answer = match retrieve::search(snapshot, models, &self.recipes, query) {
                // Found just now, where it was to be returned: the next search leaves it out.
                Err(Error::Damaged { what: Damage::Document { .. }, .. }) if snapshot.damaged().len() > known => {
                    continue;
                }
                answer => answer?,
            };
            retrieve::look_up_rows(&mut answer, snapshot, models, query)?;
            answer.damaged = DamagedDocument::names(&snapshot.damaged());
            return Ok(answer);
        }
    }

    /// What a search may ask.
    fn models(&self) -> Models<'_> {
        Models {
            embedder: self.embedder(),
            reranker: self.parts.reranker.as_deref(),
            asker: self.generator().map(|generator| Asker { generator, prompts: &self.parts.prompts }),
            row_route: self.parts.row_route.as_deref(),
        }
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
        let store = self.store()?;
        let mut writer = store.writer()?;
        let mut removed = 0;
        for name in names {
            for (number, record) in self.named(name)? {
                if record.id.root == ADDED_ROOT {
                    // Nothing but its program brings it back.
                    writer.forget_file(&record.id.root, &record.id.path)?;
                } else {
                    writer.set_removed(&record.id, Some(record.hash))?;
                }
                removed += usize::from(writer.remove(number)?);
            }
        }
        self.finish(writer)?;
        Ok(removed)
    }

    /// Takes out everything that was added with this folder, file or source, and no longer keeps it up to date.
    pub fn remove_root(&self, root: impl AsRef<Path>) -> Result<usize> {
        let store = self.store()?;
        let mut writer = store.writer()?;
        let snapshot = self.snapshot()?;
        let given = root.as_ref();
        let root = fs_err::canonicalize(given).unwrap_or_else(|_| given.to_owned()).to_string_lossy().into_owned();
        let (mut roots, files) = (snapshot.roots().to_vec(), sync::known_files(&*snapshot)?);
        roots.retain(|known| *known != root);
        let source = format!("{SOURCE_ROOT}{}", given.to_string_lossy());
        let is_source = files.iter().any(|file| file.root == source);
        if roots.len() == snapshot.roots().len() && !is_source {
            return Err(Error::NoRoot { root, known: roots });
        }
        let root = if is_source { source } else { root };
        let mut removed = 0;
        let damaged: HashSet<DocumentNumber> = snapshot.all_damaged().iter().map(|damaged| damaged.number).collect();
        for file in files.into_iter().filter(|file| file.root == root) {
            for number in file.documents {
                let damaged = damaged.contains(&number);
                removed += usize::from(if damaged { writer.discard(number)? } else { writer.remove(number)? });
            }
            writer.forget_file(&file.root, &file.path)?;
        }
        writer.set_roots(&roots)?;
        drop(snapshot);
        self.finish(writer)?;
        Ok(removed)
    }
}
