//! Which embedder an index is made and opened with: the built-in one, a model of the shelf, or a service.
//!
//! A new index takes the one that was asked for: flag, then configuration, then the built-in one. An index that exists
//! says itself which one it needs; asking for another is refused with both names. Weights that are missing are missed
//! when something is embedded, not before: what an index holds can be listed without them.

#[cfg(feature = "models")]
mod by_service;

use crate::locale::say;
use crate::{address, errors, remote_store};
use anyhow::Result;
use okno::config::{Origin, Settings};
use okno::embed::{BuiltIn, EmbedError, Embedder, Remembering, Role};
use okno::store::{EmbeddedStore, Manifest, Store};
use okno::{Engine, EngineBuilder, Error};
use std::path::Path;
use std::sync::Arc;

/// What the embedder that is part of the program is called.
pub const BUILT_IN: &str = "builtin";

/// An embedder by its name on the command line.
pub fn named(name: &str, index: &Path, settings: &Settings) -> Result<Arc<dyn Embedder>> {
    if name == BUILT_IN { Ok(Arc::new(BuiltIn::default())) } else { other(name, index, settings) }
}

/// A model of the shelf, or a service.
#[cfg(feature = "models")]
fn other(name: &str, index: &Path, settings: &Settings) -> Result<Arc<dyn Embedder>> {
    if by_service::is_meant(name) {
        let service = by_service::named(name, settings, &crate::settings::secrets(index))?;
        return Ok(Arc::new(Remembering::new(Arc::new(service))));
    }
    let model = okno_models::shelf::Shelf::of_user()?.get(name)?;
    let embedder = okno_models::transformer::TransformerEmbedder::open(model)?;
    Ok(Arc::new(Remembering::new(Arc::new(embedder))))
}

#[cfg(not(feature = "models"))]
fn other(name: &str, _: &Path, _: &Settings) -> Result<Arc<dyn Embedder>> {
    anyhow::bail!(say!(
        "this program was built without transformers and services (feature `models`); use `builtin` instead of `{}`",
        "本程序未包含 Transformer 与在线服务（特性 `models`）：请用 `builtin` 代替 `{}`",
        name
    ))
}

/// The embedder an index was made with.
fn of(manifest: &Manifest, index: &Path, settings: &Settings) -> Arc<dyn Embedder> {
    made(manifest, index, settings)
        .unwrap_or_else(|error| Arc::new(MissingEmbedder::new(manifest, errors::message(&error))))
}

fn made(manifest: &Manifest, index: &Path, settings: &Settings) -> Result<Arc<dyn Embedder>> {
    #[cfg(feature = "models")]
    if let Ok(made_by) = manifest.embedder.parse() {
        let service = by_service::again(made_by, settings, &crate::settings::secrets(index))?;
        return Ok(Arc::new(Remembering::new(Arc::new(service))));
    }
    let Some((name, _)) = manifest.embedder.split_once('@') else { return Ok(Arc::new(BuiltIn::default())) };
    let embedder = named(name, index, settings)?;
    if embedder.identity() != manifest.embedder {
        anyhow::bail!(other_weights(name, embedder.identity()));
    }
    Ok(embedder)
}

fn other_weights(name: &str, found: &str) -> String {
    say!(
        "the weights of `{}` have changed (`{}`) – add those the index was made with (`okno models add`), or \
         run `okno reembed --embedder {}`",
        "名为 `{}` 的权重已是另一份（`{}`）—— 用 `okno models add` 加入建索引时的那份，或运行 `okno reembed \
         --embedder {}`",
        name,
        found,
        name
    )
}

/// Opens the index in a folder with the embedder it was made with.
pub fn open(builder: EngineBuilder, folder: &Path, settings: &Settings) -> okno::Result<Engine> {
    let store = store(folder)?;
    let embedder = of(store.manifest(), folder, settings);
    over(builder.embedder(embedder), folder, store)
}

/// An engine; what belongs beside an index on a server is where a local one would be.
fn over(builder: EngineBuilder, folder: &Path, store: Box<dyn Store>) -> okno::Result<Engine> {
    let builder = if address::is_remote(folder) { builder.beside(address::folder(Some(folder))) } else { builder };
    builder.over(folder, store)
}

/// The store in a folder or at an address.
fn store(place: &Path) -> okno::Result<Box<dyn Store>> {
    if address::is_remote(place) { remote_store::open(place, None) } else { Ok(Box::new(EmbeddedStore::open(place)?)) }
}

/// Opens the index in a folder, or makes one there.
pub fn open_or_create(
    builder: EngineBuilder,
    folder: &Path,
    flag: Option<&str>,
    settings: &Settings,
) -> Result<Engine> {
    let configured = settings.values().embedder.as_deref();
    let new = || named(flag.or(configured).unwrap_or(BUILT_IN), folder, settings);
    if !address::is_remote(folder) && !EmbeddedStore::exists(folder) {
        return Ok(builder.embedder(new()?).create(folder)?);
    }
    // The user's file applies to new indexes only; the environment and the index's own file apply to this one.
    let near = configured.filter(|_| matches!(settings.origin("embedder"), Origin::Environment | Origin::Index(_)));
    let store = match store(folder) {
        Err(Error::NoIndex(_)) if address::is_remote(folder) => {
            let embedder = new()?;
            let manifest = Manifest::new(embedder.identity(), embedder.dimensions());
            return Ok(over(builder.embedder(embedder), folder, remote_store::open(folder, Some(&manifest))?)?);
        }
        // Another process is just making it.
        Err(Error::NoIndex(_)) => return Ok(builder.embedder(new()?).create(folder)?),
        opened => opened?,
    };
    let embedder = match flag.or(near) {
        Some(name) => named(name, folder, settings)?,
        None => of(store.manifest(), folder, settings),
    };
    Ok(over(builder.embedder(embedder), folder, store)?)
}

/// Stands for an embedder whose weights are not here.
struct MissingEmbedder {
    identity: String,
    dimensions: usize,
    reason: String,
}

impl MissingEmbedder {
    fn new(manifest: &Manifest, reason: String) -> Self {
        Self { identity: manifest.embedder.clone(), dimensions: manifest.dimensions, reason }
    }
}

impl Embedder for MissingEmbedder {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, _: &[&str], _: Role) -> Result<Vec<f32>, EmbedError> {
        Err(EmbedError::new(self.reason.clone()))
    }
}
