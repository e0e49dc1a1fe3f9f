//! Where the index is.

use okno::Engine;
use std::path::{Path, PathBuf};

/// The folder's usual name.
pub const NAME: &str = ".okno";

/// The folder of the index: the one given, or the nearest `.okno` here or above. For an index on a server, where a local one would be.
pub fn existing(given: Option<&Path>) -> PathBuf {
    let given = given.filter(|given| !crate::remote::is_meant(given));
    given.map(Path::to_owned).or_else(nearest).unwrap_or_else(|| PathBuf::from(NAME))
}

/// The index to open: an address as it was given, or a folder.
pub fn target(given: Option<&Path>) -> PathBuf {
    given.filter(|given| crate::remote::is_meant(given)).map_or_else(|| existing(given), Path::to_owned)
}

fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(NAME)).find(|folder| okno::store::embedded::exists(folder))
}

/// Opens the index to search, with the recipes of its configuration.
pub fn open(given: Option<&Path>) -> anyhow::Result<Engine> {
    let folder = target(given);
    let settings = crate::settings::of(&folder)?;
    let mut engine = crate::embedder::open(&folder, &settings)?;
    engine.set_recipes(settings.values().recipes()?);
    Ok(engine)
}

/// Opens the index to be asked something: also with the reranker that was named, or that its configuration names.
pub fn open_to_ask(given: Option<&Path>, rerank: Option<&str>) -> anyhow::Result<Engine> {
    let mut engine = open(given)?;
    let settings = crate::settings::of(engine.folder())?;
    crate::reranker::set(&mut engine, rerank, &settings)?;
    Ok(engine)
}
