//! Where the configuration is: finds the files, reads them, and lays them over one another.
//!
//! `okno.toml` beside the index is the one in the folder that holds the index folder, so that it travels with the
//! documents.

use crate::address;
use crate::locale::say;
use anyhow::Result;
use okno::config::{Origin, Secrets, SettingLayer, Settings};
use okno::retrieve::DEFAULT_RECIPE;
use okno::{Engine, Error, Query};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The name of a configuration file.
pub const NAME: &str = "okno.toml";

/// The settings for an index.
pub fn of(index: &Path) -> Result<Settings, Error> {
    note_ignored(index);
    let mut layers = vec![SettingLayer::environment(|name| std::env::var(name).ok())?];
    layers.extend(file(&address::beside(index).join(NAME), Origin::Index)?);
    if let Some(path) = user() {
        layers.extend(file(&path, Origin::User)?);
    }
    Settings::new(layers)
}

/// Prints once that a file in the working folder is ignored, if the index is elsewhere.
fn note_ignored(index: &Path) {
    static TOLD: std::sync::Once = std::sync::Once::new();
    let (Ok(here), own) = (std::env::current_dir(), address::beside(index)) else { return };
    if here.join(NAME).is_file() && own.canonicalize().unwrap_or(own.clone()) != here {
        TOLD.call_once(|| {
            crate::output::note(&say!(
                "ignoring `{}` in this folder: the configuration is read beside the index, in `{}`",
                "没有读取当前文件夹的 `{}`：索引在 `{}`，以那里的配置为准",
                NAME,
                own.display()
            ));
        });
    }
}

fn file(path: &Path, origin: fn(String) -> Origin) -> Result<Option<SettingLayer>, Error> {
    match std::fs::read_to_string(path) {
        Ok(text) => SettingLayer::file(&text, origin(path.display().to_string())).map(Some),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Error::Unreadable { path: path.to_owned(), cause: error.into() }),
    }
}

/// The user's own file.
fn user() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let config =
        folder("XDG_CONFIG_HOME").or_else(|| folder("APPDATA")).or_else(|| Some(folder("HOME")?.join(".config")));
    Some(config?.join("okno").join(NAME))
}

/// Keys for services: of `.env` beside the index, then of the working folder.
pub fn secrets(index: &Path) -> Secrets {
    let mut secrets = Secrets::default();
    for folder in [Some(address::beside(index)), std::env::current_dir().ok()].into_iter().flatten() {
        // One that cannot be read sets nothing; a key that is needed is then reported as missing.
        if let Ok(text) = std::fs::read_to_string(folder.join(".env")) {
            secrets.add(&text);
        }
    }
    secrets
}

/// Fills in what a question's flags left open.
pub fn fill(query: &mut Query, settings: &Settings, engine: &Engine) -> Result<(), Error> {
    let values = settings.values();
    query.budget = query.budget.or(values.budget);
    query.k = query.k.or(values.k);
    query.auto_filter = query.auto_filter.or(values.auto_filter);
    query.legs = query.legs.take().or_else(|| values.legs.clone());
    if query.recipe.is_none() && recipe_counts(settings, &engine.snapshot()?.manifest().recipe) {
        query.recipe.clone_from(&values.recipe);
    }
    Ok(())
}

/// Whether the configured recipe is asked before the one the index was made for: the user's file is for indexes that
/// have no own.
fn recipe_counts(settings: &Settings, own: &str) -> bool {
    match settings.origin("recipe") {
        Origin::Environment | Origin::Index(_) => true,
        Origin::User(_) => own == DEFAULT_RECIPE,
        Origin::Default => false,
    }
}
