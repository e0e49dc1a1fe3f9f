//! What the server has: indexes, recipes, fields, models.

use crate::app::ServedIndex;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Params, Which};
use crate::models::ModelChoice;
use crate::requester::SeenApp;
use axum::Json;
use okno::document::{Field, FieldKind};
use okno::shapes;
use okno::store::DamagedDocument;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use utoipa::ToSchema;

/// What the server has.
#[derive(Debug, Serialize, ToSchema)]
pub struct Status {
    /// The version of the program.
    pub version: &'static str,
    /// The indexes; the first answers where none is named.
    pub indexes: Vec<IndexStatus>,
}

/// What an index holds and how it was made.
#[derive(Debug, Serialize, ToSchema)]
pub struct IndexStatus {
    /// What requests call it.
    pub name: String,
    /// Its folder.
    #[schema(value_type = String)]
    pub folder: PathBuf,
    /// Grows with every commit.
    pub generation: u64,
    /// How many documents.
    pub documents: usize,
    /// How many sentences.
    pub sentences: u64,
    /// Derived units by layer.
    #[schema(value_type = BTreeMap<String, usize>)]
    pub units: BTreeMap<&'static str, usize>,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Bytes on disk, where they can be told, and all documents may be seen.
    pub disk_bytes: Option<u64>,
    /// The embedder it was made with.
    pub embedder: String,
    /// The length of its vectors.
    pub dimensions: usize,
    /// The recipe of its searches.
    pub recipe: String,
    /// The chunk layer chosen for it.
    pub chunk: Option<String>,
    /// The neighbours chosen for it.
    pub neighbors: Option<u32>,
    /// The folders, files and URLs it follows.
    pub roots: Vec<String>,
    /// Documents that are damaged and are not searched: the files they were read from, or their numbers.
    pub damaged: Vec<String>,
    /// Uploads that ended the process that loaded them twice, and were set aside.
    pub set_aside: Vec<String>,
    /// Where uploads are kept.
    #[schema(value_type = String)]
    pub uploads: PathBuf,
}

impl IndexStatus {
    fn of(served: &ServedIndex) -> Result<Self, ApiError> {
        let engine = served.engine();
        let (snapshot, hides) = (engine.snapshot()?, engine.hides_documents()?);
        let (totals, manifest) = (snapshot.totals()?, snapshot.manifest());
        Ok(Self {
            name: served.index.name.clone(),
            folder: engine.folder().to_owned(),
            generation: snapshot.generation(),
            documents: totals.documents,
            sentences: totals.sentences,
            units: shapes::units(snapshot.derived_counts()),
            text_bytes: totals.bytes,
            disk_bytes: if hides { None } else { engine.bytes()? },
            embedder: manifest.embedder.clone(),
            dimensions: manifest.dimensions,
            recipe: manifest.recipe.clone(),
            chunk: manifest.chunk.map(|chunk| chunk.to_string()),
            neighbors: manifest.neighbors,
            roots: snapshot.roots().to_vec(),
            damaged: DamagedDocument::names(&snapshot.all_damaged()),
            // Who may see them is not known.
            set_aside: if engine.access().is_everything() { served.uploads.aside() } else { Vec::new() },
            uploads: served.uploads.folder().to_owned(),
        })
    }
}

/// What the server has
#[utoipa::path(get, path = "/api/v1/status", tag = "index",
    responses((status = 200, body = Status), (status = "4XX", body = ErrorBody)))]
pub async fn status(app: SeenApp) -> Result<Json<Status>, ApiError> {
    let indexes = app.indexes();
    let work = move || indexes.iter().map(|served| IndexStatus::of(served)).collect::<Result<Vec<_>, _>>();
    let indexes = app.pool.run(work).await?;
    Ok(Json(Status { version: env!("CARGO_PKG_VERSION"), indexes }))
}

/// The recipes by name, with what each needs
#[utoipa::path(get, path = "/api/v1/recipes", tag = "index", params(Which),
    responses((status = 200, body = Object), (status = "4XX", body = ErrorBody)))]
pub async fn recipes(app: SeenApp, Params(which): Params<Which>) -> Result<Json<serde_json::Value>, ApiError> {
    let served = app.served(which.index.as_deref())?;
    let work = move || {
        let snapshot = served.engine().snapshot()?;
        Ok(shapes::recipes(served.engine().recipes(), snapshot.derived_counts(), Some(&snapshot.manifest().recipe))?)
    };
    Ok(Json(app.pool.run(work).await?))
}

/// The fields that filters may ask about.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldList {
    /// By name.
    pub fields: Vec<FieldView>,
}

/// A field of an index.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldView {
    /// Its name.
    pub name: String,
    /// `category`, `prose`, `number`, `date` or `truth`.
    pub kind: &'static str,
    /// How many documents have it.
    pub documents: usize,
    /// Whether a document may have several values.
    pub list: bool,
    /// The distinct values of a category.
    pub values: Vec<String>,
    /// The least and the greatest number.
    #[schema(value_type = Option<Vec<f64>>)]
    pub range: Option<[f64; 2]>,
}

impl FieldView {
    pub(crate) fn new(name: &str, field: &Field) -> Self {
        let kind = match field.kind {
            FieldKind::Category => "category",
            FieldKind::Prose => "prose",
            FieldKind::Number => "number",
            FieldKind::Date => "date",
            FieldKind::Truth => "truth",
        };
        Self {
            name: name.to_owned(),
            kind,
            documents: field.documents,
            list: field.list,
            values: field.values.iter().cloned().collect(),
            range: field.range.map(Into::into),
        }
    }

    /// All fields of an index.
    pub(crate) fn all(served: &ServedIndex) -> Result<Vec<Self>, ApiError> {
        let snapshot = served.engine().snapshot()?;
        Ok(snapshot.catalogue()?.fields().map(|(name, field)| Self::new(name, field)).collect())
    }
}

/// The fields of the documents and their values, for filters
#[utoipa::path(get, path = "/api/v1/fields", tag = "index", params(Which),
    responses((status = 200, body = FieldList), (status = "4XX", body = ErrorBody)))]
pub async fn fields(app: SeenApp, Params(which): Params<Which>) -> Result<Json<FieldList>, ApiError> {
    let served = app.served(which.index.as_deref())?;
    Ok(Json(FieldList { fields: app.pool.run(move || FieldView::all(&served)).await? }))
}

/// The models in use.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelsInUse {
    /// The embedder of the index.
    pub embedder: String,
    /// The length of its vectors.
    pub dimensions: usize,
    /// The language model that writes answers; without one, answers are sentences of the documents.
    pub generator: Option<String>,
    /// The language models that a question may be asked of, by the name to ask for.
    pub generators: Vec<ModelChoice>,
}

/// The models in use
#[utoipa::path(get, path = "/api/v1/models", tag = "index", params(Which),
    responses((status = 200, body = ModelsInUse), (status = "4XX", body = ErrorBody)))]
pub async fn models(app: SeenApp, Params(which): Params<Which>) -> Result<Json<ModelsInUse>, ApiError> {
    let served = app.served(which.index.as_deref())?;
    let embedder = served.engine().embedder();
    let generator = app.generator.as_ref().map(|generator| generator.identity().to_owned());
    Ok(Json(ModelsInUse {
        embedder: embedder.identity().to_owned(),
        dimensions: embedder.dimensions(),
        generator,
        generators: app.model_choices(),
    }))
}
