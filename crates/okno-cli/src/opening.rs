//! Opening an index with everything its configuration names.

use crate::{address, embedder, reranker, settings};
use anyhow::{Result, bail};
use okno::config::Settings;
use okno::document::Record;
use okno::store::DocumentNumber;
use okno::{Engine, EngineBuilder};
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
    let settings = settings::of(engine.folder())?;
    let reranker = reranker::of(engine.folder(), rerank, &settings)?;
    engine.reconfigure(|builder| with_rows(builder.reranker(reranker), &settings))?;
    Ok(engine)
}

/// With the route of questions about rows, where the program has SQL.
#[allow(unused_variables)] // without SQL there is nothing to hide
pub fn with_rows(builder: EngineBuilder, settings: &Settings) -> EngineBuilder {
    #[cfg(feature = "sql")]
    let builder =
        builder.row_route(Some(std::sync::Arc::new(okno_sql::TableRoute::hiding(crate::model::hidden(settings)))));
    builder
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
