//! Question sets with their documents and the recipes measured on them: what `eval`, `runs` and `tune` share.

use crate::globals::Globals;
use crate::locale::{Lang, language, say};
use crate::{address, embedder, errors, model, opening, reranker, settings};
use anyhow::{Result, bail};
use okno::Engine;
use okno::generate::Generator;
use okno::retrieve::Recipe;
use okno_evaluate::compare::RecipeComparison;
use okno_evaluate::run::{Candidate, built_in_for};
use okno_evaluate::set::{Corpus, Indexed, Library, QuestionSet};
use std::path::Path;
use std::sync::Arc;

/// The random seed unless another is given.
pub const SEED: u64 = 20;

/// Opens a set with its documents: a folder's own corpus in a temporary index, or the index for a file of questions.
pub fn with_set<T>(
    globals: &Globals,
    path: &Path,
    generator: Option<Arc<dyn Generator>>,
    work: impl FnOnce(&Engine, &QuestionSet, &mut dyn Library) -> Result<T>,
) -> Result<T> {
    if !path.is_dir() {
        let mut engine = opening::open_to_search(globals.index(), None)?;
        set_model(&mut engine, globals, generator)?;
        let snapshot = engine.snapshot()?;
        let mut library = Indexed::new(&*snapshot);
        let set = QuestionSet::read(path, &mut library)?;
        return work(&engine, &set, &mut library);
    }
    let corpus = path.join("corpus.jsonl");
    let mut library = Corpus::read(&corpus)?;
    let set = QuestionSet::read(&path.join("queries.jsonl"), &mut library)?;
    let folder = tempfile::tempdir()?;
    let settings = settings::of(&address::folder(globals.index()))?;
    let index = folder.path().join(address::FOLDER);
    let mut engine = embedder::open_or_create(Engine::builder(), &index, None, &settings)?;
    let reranker = reranker::of(engine.folder(), None, &settings)?;
    engine.reconfigure(|builder| builder.reranker(reranker))?;
    set_model(&mut engine, globals, generator)?;
    let report = engine.index(&[&corpus])?;
    if let Some(skipped) = report.skipped.first() {
        bail!(say!("cannot index `{}`: {}", "无法索引 `{}`：{}", skipped.place, errors::of_skipped(&skipped.reason)));
    }
    work(&engine, &set, &mut library)
}

/// Gives an engine the language model and its prompts.
fn set_model(engine: &mut Engine, globals: &Globals, generator: Option<Arc<dyn Generator>>) -> Result<()> {
    if let Some(generator) = generator {
        let prompts = model::prompts(&address::folder(globals.index()))?;
        engine.reconfigure(|builder| builder.generator(Some(generator)).prompts(prompts))?;
    }
    Ok(())
}

/// The recipes by name; if none is named, all built-in ones that the index can answer with.
pub fn candidates(engine: &Engine, names: &[String]) -> Result<Vec<Candidate>> {
    if names.is_empty() {
        return Ok(built_in_for(engine)?);
    }
    let mut all: Vec<Candidate> = Vec::new();
    for name in names {
        if all.iter().all(|known| known.name != *name) {
            let recipe = Recipe::named(name, engine.snapshot()?.manifest(), engine.recipes())?;
            all.push(Candidate { name: name.clone(), recipe });
        }
    }
    Ok(all)
}

/// A comparison as a sentence in the language of this run.
pub fn sentence(comparison: &RecipeComparison) -> String {
    match language() {
        Lang::En => comparison.english(),
        Lang::Zh => comparison.chinese(),
    }
}
