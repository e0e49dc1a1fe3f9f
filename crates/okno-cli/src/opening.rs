//! Opening an index with everything its configuration names.

use crate::{address, embedder, reranker, settings};
use anyhow::{Result, bail};
use okno::Engine;
use okno::document::Record;
use okno::store::DocumentNumber;
use std::collections::BTreeSet;
use std::path::Path;

/// Opens the index with the recipes of its configuration.
pub fn open(given: Option<&Path>) -> Result<Engine> {
    let folder = address::target(given);
    let settings = settings::of(&folder)?;
    let builder = Engine::builder().recipes(settings.values().recipes()?);
    Ok(embedder::open(builder, &folder, &settings)?)
}

/// Opens the index for searching: also with the reranker that was named, or that its configuration names.
pub fn open_to_search(given: Option<&Path>, rerank: Option<&str>) -> Result<Engine> {
    let mut engine = open(given)?;
    let reranker = reranker::of(engine.folder(), rerank, &settings::of(engine.folder())?)?;
    engine.reconfigure(|builder| builder.reranker(reranker))?;
    Ok(engine)
}

/// The documents with a name, all of one file; an error if files of several roots have it, because only the whole
/// path tells them apart.
pub fn documents_named(engine: &Engine, name: &str) -> Result<Vec<(DocumentNumber, Record)>> {
    let named = engine.named(name)?;
    let paths: BTreeSet<String> =
        named.iter().map(|(_, record)| record.id.whole_path().display().to_string()).collect();
    if paths.len() > 1 {
        let paths: Vec<String> = paths.into_iter().collect();
        bail!(crate::locale::say!(
            "`{}` names several documents; use one of `{}`",
            "有多个文档叫 `{}`：请使用 `{}` 之一",
            name,
            paths.join("`, `")
        ));
    }
    Ok(named)
}
