//! How documents are indexed: what the flags leave open, the configuration says.

use clap::ValueEnum;
use okno::config::{self, Config};
use okno::document::{Layer, LayerError, Size};
use okno::retrieve::Recipe;
use okno::store::Manifest;
use okno::{IndexOptions, Result};

/// Chunk sizes for a kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ChunkPreset {
    /// Questions and answers, news: 250 characters, one neighbour
    Faq,
    /// Technical documents: 500 characters, one neighbour
    Docs,
    /// Papers: 700 characters, two neighbours
    Paper,
}

impl ChunkPreset {
    /// The middle of the sizes that the sources give for each kind of document, overlap 40 %.
    pub fn layer(self) -> Result<Layer, LayerError> {
        let size = match self {
            Self::Faq => 250,
            Self::Docs => 500,
            Self::Paper => 700,
        };
        Layer::chunk(Size::Characters(size), size * 2 / 5)
    }

    /// How many chunks on each side are returned.
    pub fn neighbors(self) -> u32 {
        if self == Self::Paper { 2 } else { 1 }
    }
}

impl From<config::Preset> for ChunkPreset {
    fn from(configured: config::Preset) -> Self {
        match configured {
            config::Preset::Faq => Self::Faq,
            config::Preset::Docs => Self::Docs,
            config::Preset::Paper => Self::Paper,
        }
    }
}

/// What a command line says about indexing; the default says nothing.
#[derive(Debug, Default)]
pub struct IndexChoices {
    /// The recipe of the index.
    pub recipe: Option<String>,
    /// Its chunk layer.
    pub chunk: Option<Layer>,
    /// The neighbours that belong to the chunk layer.
    pub neighbors: Option<u32>,
    /// Whether the chunk size was given: the neighbours of a configured preset belong to its own size.
    pub own_size: bool,
    pub max_file_size: Option<u64>,
    pub jsonl_fields: Option<String>,
    pub lines: bool,
    pub allow_private: bool,
}

/// The options for a run of indexing.
pub fn options(choices: IndexChoices, config: &Config) -> Result<IndexOptions> {
    let configured = config.recipe.as_ref().filter(|_| choices.recipe.is_none());
    if let Some(recipe) = choices.recipe.as_ref().or(configured) {
        // Checked before a folder is created for the index.
        Recipe::named(recipe, &Manifest::new("", 0), &config.recipes()?)?;
    }
    let preset = config.index.preset.map(ChunkPreset::from);
    let chunk = match choices.chunk.or(config.index.chunk) {
        Some(chunk) => Some(chunk),
        None => preset.map(ChunkPreset::layer).transpose()?,
    };
    let of_preset = preset.filter(|_| !choices.own_size).map(ChunkPreset::neighbors);
    let mut fetch = config.fetch();
    fetch.allow_private |= choices.allow_private;
    let mut options = IndexOptions::default();
    options.max_file_size = choices.max_file_size.unwrap_or_else(|| config.max_file_size());
    options.rules = Some(config.rules());
    options.selection = Some(config.selection().unwrap_or_default());
    options.embedded_fields = Some(config.embedded_fields());
    options.fetch = fetch;
    options.jsonl_fields = choices.jsonl_fields;
    options.lines = choices.lines;
    // Chosen chunks are searched, unless a recipe was named.
    let chunks = || chunk.filter(|_| configured.is_none()).map(|_| "neighbors".to_owned());
    options.recipe = choices.recipe.or_else(chunks);
    options.chunk = chunk;
    options.neighbors = choices.neighbors.or(config.index.neighbors).or(of_preset);
    Ok(options)
}
