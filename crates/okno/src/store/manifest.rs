//! How an index was made: what must be the same for it to be read, and what was chosen for it.

use crate::document::Layer;
use crate::load::Selection;
use crate::rules::RuleText;
use serde::{Deserialize, Serialize};

/// The version of everything on disk: tables, packing, index terms, sentence rules, scales.
/// Since 6 short documents stand together and their texts are compressed, since 7 vectors have four bits per component.
pub const FORMAT: u32 = 7;

/// The oldest version that is still read, and written to.
const OLDEST_FORMAT: u32 = 5;

/// Whether something of this version can be read.
pub fn is_readable(format: u32) -> bool {
    (OLDEST_FORMAT..=FORMAT).contains(&format)
}

/// The recipe of an index that was told none.
pub const DEFAULT_RECIPE: &str = "auto";

/// How an index was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`] when it was last written to.
    pub format: u32,
    /// The identity of the embedder.
    pub embedder: String,
    /// The length of its vectors.
    pub dimensions: usize,
    /// The recipe searches use unless told otherwise.
    pub recipe: String,
    /// The chunk layer chosen for this index (`--size`, `--overlap`, `--preset`), for recipes that search chunks.
    pub chunk: Option<Layer>,
    /// The neighbours chosen for this index (`--preset`).
    pub neighbors: Option<u32>,
    /// Which fields of JSON lines hold what (`--jsonl-fields`).
    pub jsonl_fields: Option<String>,
    /// Whether a plain text file holds one document per line (`--lines`).
    #[serde(default)]
    pub lines: bool,
    /// Rules that add metadata; kept here so that whoever indexes next applies the same.
    #[serde(default)]
    pub rules: Vec<RuleText>,
    /// Which files are documents.
    #[serde(default)]
    pub selection: Selection,
    /// Metadata that the embedder and the lexical leg see.
    #[serde(default)]
    pub embedded_fields: Vec<String>,
    /// Who reads the text in images.
    #[serde(default)]
    pub image_reader: Option<String>,
}

impl Manifest {
    /// A new index for this embedder, with the default recipe.
    pub fn new(embedder: &str, dimensions: usize) -> Self {
        let recipe = DEFAULT_RECIPE.to_owned();
        Self {
            format: FORMAT,
            embedder: embedder.to_owned(),
            dimensions,
            recipe,
            chunk: None,
            neighbors: None,
            jsonl_fields: None,
            lines: false,
            rules: Vec::new(),
            selection: Selection::default(),
            embedded_fields: Vec::new(),
            image_reader: None,
        }
    }
}
