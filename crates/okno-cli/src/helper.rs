//! The language model as a helper: fetched only by commands that need one, so that no other asks for its key.

use crate::commands::ask;
use crate::{model, settings};
use anyhow::Result;
use okno::generate::{Generator, Prompts};
use okno::{Engine, Query};
use std::path::Path;
use std::sync::Arc;

/// The model that the settings of an index name; `None` where none is set.
pub fn of(index: &Path) -> Result<Option<Arc<dyn Generator>>> {
    model::generator(&settings::of(index)?, &settings::secrets(index))
}

/// The words in which it is asked: the project's, or those of the user's own folder.
pub fn prompts(index: &Path) -> Result<Prompts> {
    Ok(ask::options(&settings::of(index)?, index)?.prompts)
}

/// Whether that model sees images.
pub fn sees(index: &Path) -> Result<bool> {
    Ok(settings::of(index)?.values().model.vision.unwrap_or(false))
}

/// Gives an engine the model, where the question's own steps or its recipe's need one; without one the search says so.
pub fn attach(engine: &mut Engine, query: &Query) -> Result<()> {
    let own = engine.snapshot()?.manifest().recipe.clone();
    let recipe = query.recipe.clone().unwrap_or(own);
    attach_for(engine, query, &[&recipe])
}

/// The same for a question to several recipes.
pub fn attach_for(engine: &mut Engine, query: &Query, recipes: &[&str]) -> Result<()> {
    let helped = |name: &&str| engine.recipes().get(*name).is_some_and(|recipe| !recipe.transform.is_empty());
    if query.transform.as_ref().map_or_else(|| recipes.iter().any(helped), |steps| !steps.is_empty()) {
        let (found, prompts) = (of(engine.folder())?, prompts(engine.folder())?);
        engine.set_generator(found);
        engine.set_prompts(prompts);
    }
    Ok(())
}
