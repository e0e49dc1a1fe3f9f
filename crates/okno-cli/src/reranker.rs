//! Which reranker reads the best hits once more: a cross-encoder of the shelf by its name, `maxsim:NAME` with an
//! embedder of the shelf, or `model`, the language model of the configuration.

use crate::locale::say;
use crate::model;
use anyhow::{Result, bail};
use okno::answer::Listwise;
use okno::config::Settings;
use okno::retrieve::Reranker;
use std::path::Path;
use std::sync::Arc;

/// The language model of the configuration.
const MODEL: &str = "model";

/// No reranker, also if the configuration names one.
const NONE: &str = "none";

/// The reranker for an index that was asked for: by flag, else by configuration.
pub fn of(index: &Path, flag: Option<&str>, settings: &Settings) -> Result<Option<Arc<dyn Reranker>>> {
    let name = flag.or(settings.values().rerank.as_deref()).filter(|name| *name != NONE);
    Ok(match name {
        Some(MODEL) => Some(listwise(index)?),
        Some(name) => Some(named(name)?),
        None => None,
    })
}

fn listwise(index: &Path) -> Result<Arc<dyn Reranker>> {
    match model::of(index)? {
        Some(generator) => Ok(Arc::new(Listwise::new(generator))),
        None => bail!(say!(
            "`--rerank model` needs a language model – set one up under `[model]` in `okno.toml` (docs/answers.md)",
            "`--rerank model` 需要语言模型：请在 `okno.toml` 的 `[model]` 中设置（见 docs/answers.md）"
        )),
    }
}

#[cfg(feature = "models")]
fn named(name: &str) -> Result<Arc<dyn Reranker>> {
    use okno_models::transformer::{CrossEncoder, LateInteraction};
    let shelf = okno_models::shelf::Shelf::of_user()?;
    Ok(match name.strip_prefix("maxsim:") {
        Some(name) => Arc::new(LateInteraction::open(&shelf.get(name)?)?),
        None => Arc::new(CrossEncoder::open(&shelf.get(name)?)?),
    })
}

#[cfg(not(feature = "models"))]
fn named(name: &str) -> Result<Arc<dyn Reranker>> {
    bail!(say!(
        "this program was built without transformers (feature `models`); the reranker `{}` is not available",
        "本程序未包含 Transformer（特性 `models`）：没有重排模型 `{}`",
        name
    ))
}
