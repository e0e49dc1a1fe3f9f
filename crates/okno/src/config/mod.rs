//! Configuration: what a person wrote into `okno.toml` and the environment, read, checked, and laid over one another.
//!
//! Text comes in, [`Settings`] go out: every value with where it comes from. The order is flag, environment,
//! `okno.toml` beside the index, the user's file, default; a flag is the command's own business and wins by being
//! asked first. Tables are merged key by key, rules are put one after the other (the user's first, so that the nearer
//! ones have the last word). A key nobody knows is an error that names its line and the nearest key there is. Nothing
//! here reads a file: the command line does.

mod embedding;
mod keys;
mod layers;
mod model;
mod recipes;
mod secrets;
mod serve;

pub use embedding::EmbeddingConfig;
pub use layers::{KEYS, Key, Origin, SettingLayer, Settings, ShownSetting, VariableKind};
pub use model::ModelConfig;
pub use secrets::Secrets;
pub use serve::ServeConfig;

use crate::document::Layer as Units;
use crate::error::{ConfigError, OwnRecipeError, RecipeError};
use crate::fetch::FetchOptions;
use crate::load::{CompiledSelection, MAX_FILE_SIZE, Selection};
use crate::rules::{RuleText, Rules, RulesError};
use crate::store::Leg;
use crate::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;
use toml::Spanned;
use toml::de::DeTable;

/// Everything that may be set. What is `None` nobody said.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The recipe of searches.
    pub recipe: Option<String>,
    /// Tokens of context, at most.
    pub budget: Option<usize>,
    /// How many distinct targets are expanded.
    pub k: Option<usize>,
    /// By which legs.
    pub legs: Option<Vec<Leg>>,
    /// Whether filters are read from the question.
    pub auto_filter: Option<bool>,
    /// The embedder of new indexes.
    pub embedder: Option<String>,
    /// The reranker of searches.
    pub rerank: Option<String>,
    /// Recipes of one's own.
    pub recipes: BTreeMap<String, Spanned<toml::Table>>,
    /// How folders are indexed.
    pub index: IndexConfig,
    /// How URLs are fetched.
    pub fetch: FetchConfig,
    /// Which language model answers.
    pub model: ModelConfig,
    /// Others that can be picked, by name.
    pub models: BTreeMap<String, ModelConfig>,
    /// Which service embeds, where the embedder is one.
    pub embedding: EmbeddingConfig,
    /// What requests to a server may cost.
    pub serve: ServeConfig,
    /// Who sees which metadata.
    pub fields: BTreeMap<String, FieldConfig>,
    /// Rules that add metadata.
    pub rules: Vec<Spanned<RuleText>>,
}

/// How folders are indexed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IndexConfig {
    /// Sizes that suit a kind of document.
    pub preset: Option<Preset>,
    /// The chunk layer of the recipe `neighbors`.
    pub chunk: Option<Units>,
    /// How many of them come along on each side.
    pub neighbors: Option<u32>,
    /// Larger files are skipped.
    pub max_file_size: Option<ByteSize>,
    /// Only files that match.
    pub include: Option<Vec<String>>,
    /// Never files that match.
    pub exclude: Option<Vec<String>>,
    /// Whether symbolic links are followed.
    pub follow_symlinks: Option<bool>,
    /// Whether hidden files are read.
    pub hidden: Option<bool>,
}

/// How URLs are fetched.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FetchConfig {
    /// Seconds for one page.
    pub timeout: Option<f64>,
    /// Bytes of one page, at most.
    pub max_size: Option<ByteSize>,
    /// Seconds between two requests to one host.
    pub delay: Option<f64>,
    /// Redirects of one page, at most.
    pub redirects: Option<u32>,
    /// Whether `robots.txt` is respected.
    pub robots: Option<bool>,
    /// The name given to servers.
    pub user_agent: Option<String>,
    /// Whether private addresses may be fetched.
    pub allow_private: Option<bool>,
}

/// Who sees a field of metadata.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FieldConfig {
    /// The embedder and the lexical leg, as they see the title; not by default.
    pub embed: Option<bool>,
    /// A language model, beside the context; by default it does.
    pub prompt: Option<bool>,
}

/// Sizes that suit a kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Questions and answers, news.
    Faq,
    /// Technical documents.
    Docs,
    /// Papers.
    Paper,
}

/// A number of bytes, written `64MB`, `500k`, `1.5GiB` or `123`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct ByteSize(pub u64);

okno_document::messages! {
    /// Why a number of bytes could not be read.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum SizeError {
        /// Not a number with a unit.
        Invalid { /** What was given. */ given: String } = "invalid_size" =>
            ("invalid size `{given}`: expected something like `64MB`", "大小 `{given}` 无效：应形如 `64MB`"),
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(u64),
    Text(String),
}

impl TryFrom<Written> for ByteSize {
    type Error = SizeError;

    fn try_from(written: Written) -> Result<Self, SizeError> {
        match written {
            Written::Number(bytes) => Ok(Self(bytes)),
            Written::Text(text) => text.parse(),
        }
    }
}

impl std::str::FromStr for ByteSize {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let invalid = || SizeError::Invalid { given: text.to_owned() };
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let factor = match unit.trim().to_ascii_lowercase().trim_end_matches(['b', 'i']) {
            "" => 1u64,
            "k" => 1 << 10,
            "m" => 1 << 20,
            "g" => 1 << 30,
            _ => return Err(invalid()),
        };
        let number: f64 = number.parse().map_err(|_| invalid())?;
        Ok(Self((number * factor as f64) as u64))
    }
}

impl Config {
    /// Reads and checks a configuration. `place` is the file's name for errors.
    pub fn parse(text: &str, place: &str) -> Result<Self> {
        let at =
            |at: usize, reason: ConfigError| Error::Config { place: format!("{place}:{}", line(text, at)), reason };
        let unreadable = |error: toml::de::Error| wrong(text, place, &error);
        let document = DeTable::parse(text).map_err(unreadable)?;
        if let Some((start, reason)) =
            keys::bad_model_name(document.get_ref()).or_else(|| keys::unknown(document.get_ref()))
        {
            return Err(at(start, reason));
        }
        let config: Self = toml::from_str(text).map_err(unreadable)?;
        for (number, rule) in (1..).zip(&config.rules) {
            Rules::new(std::slice::from_ref(rule.get_ref())).map_err(|RulesError::Rule { reason, .. }| {
                at(rule.span().start, RulesError::Rule { number, reason }.into())
            })?;
        }
        for (name, table) in &config.recipes {
            recipes::own(name, table.get_ref()).map_err(|error| {
                let key = match &error {
                    RecipeError::Own { reason: OwnRecipeError::UnknownKey { key, .. }, .. } => Some(key),
                    _ => None,
                };
                let place = key.and_then(|key| keys::place_in_recipe(document.get_ref(), name, key));
                at(place.unwrap_or(table.span().start), error.into())
            })?;
        }
        let whole = |reason| Error::Config { place: place.to_owned(), reason };
        CompiledSelection::new(&config.selection().unwrap_or_default())
            .map_err(|reason| whole(ConfigError::Selection { reason }))?;
        config.check_numbers().map_err(whole)?;
        Ok(config)
    }

    fn check_numbers(&self) -> Result<(), ConfigError> {
        if self.legs.as_ref().is_some_and(Vec::is_empty) {
            return Err(ConfigError::NoLegs);
        }
        check_seconds("[fetch] `timeout`", self.fetch.timeout, 0.0)?;
        check_seconds("[fetch] `delay`", self.fetch.delay, 0.0)?;
        self.serve.check()?;
        self.model.check("model")?;
        for (name, model) in &self.models {
            model.check(&format!("models.{name}"))?;
        }
        self.embedding.check()
    }

    /// Which files are documents; `None` when nothing is said about it.
    pub fn selection(&self) -> Option<Selection> {
        let index = &self.index;
        let said = index.include.is_some() || index.exclude.is_some();
        (said || index.follow_symlinks.is_some() || index.hidden.is_some()).then(|| Selection {
            include: index.include.clone().unwrap_or_default(),
            exclude: index.exclude.clone().unwrap_or_default(),
            follow_symlinks: index.follow_symlinks.unwrap_or_default(),
            hidden: index.hidden.unwrap_or_default(),
        })
    }

    /// The rules in order.
    pub fn rules(&self) -> Vec<RuleText> {
        self.rules.iter().map(|rule| rule.get_ref().clone()).collect()
    }

    /// The fields that the embedder and the lexical leg see, in order of name.
    pub fn embedded_fields(&self) -> Vec<String> {
        let embedded = self.fields.iter().filter(|(_, field)| field.embed == Some(true));
        embedded.map(|(name, _)| name.clone()).collect()
    }

    /// Whether a language model may see a field.
    pub fn prompts(&self, field: &str) -> bool {
        self.fields.get(field).and_then(|field| field.prompt).unwrap_or(true)
    }

    /// The names of the language models that can be picked: `default` for `[model]`, then each of `[models.NAME]`.
    pub fn model_names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(ModelConfig::DEFAULT).chain(self.models.keys().map(String::as_str))
    }

    /// The language model of this name with what it takes from `[model]`; `None` if there is none.
    pub fn model_named(&self, name: &str) -> Option<ModelConfig> {
        if name == ModelConfig::DEFAULT {
            return Some(self.model.clone());
        }
        Some(self.models.get(name)?.completed(&self.model))
    }

    /// The largest file that is read at once.
    pub fn max_file_size(&self) -> u64 {
        self.index.max_file_size.map_or(MAX_FILE_SIZE, |bytes| bytes.0)
    }

    /// How URLs are fetched.
    pub fn fetch(&self) -> FetchOptions {
        let (own, default) = (&self.fetch, FetchOptions::default());
        FetchOptions {
            timeout: own.timeout.map_or(default.timeout, Duration::from_secs_f64),
            max_size: own.max_size.map_or(default.max_size, |bytes| bytes.0),
            delay: own.delay.map_or(default.delay, Duration::from_secs_f64),
            redirects: own.redirects.unwrap_or(default.redirects),
            robots: own.robots.unwrap_or(default.robots),
            user_agent: own.user_agent.clone().unwrap_or(default.user_agent),
            allow_private: own.allow_private.unwrap_or(default.allow_private),
        }
    }

    /// All recipes: the built-in ones and one's own.
    pub fn recipes(&self) -> Result<crate::retrieve::Recipes> {
        let mut all = crate::retrieve::built_in()?;
        for (name, table) in &self.recipes {
            let recipe = recipes::own(name, table.get_ref())?;
            all.insert(name.clone(), recipe);
        }
        Ok(all)
    }
}

/// An error of reading, with its line.
fn wrong(text: &str, place: &str, error: &toml::de::Error) -> Error {
    let words = error.message().trim_end().replace('\n', ", ");
    let place = error.span().map_or_else(|| place.to_owned(), |span| format!("{place}:{}", line(text, span.start)));
    Error::Config { place, reason: ConfigError::Toml { words } }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// A day is longer than anybody waits, and far from what a duration can hold.
fn check_seconds(key: &str, value: Option<f64>, least: f64) -> Result<(), ConfigError> {
    match value {
        Some(seconds) if !(least..=86_400.0).contains(&seconds) => {
            Err(ConfigError::Seconds { key: key.to_owned(), least })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
