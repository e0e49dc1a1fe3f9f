//! Recipes: named rows of one table that say what is ranked, how, and what is returned.

use crate::document::{DerivedKind, Layer};
use crate::error::RecipeError;
use crate::store::{Leg, Manifest};
use crate::understand::model::Step;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

const BUILT_IN: &str = include_str!("recipes.toml");

/// How much a reranker may change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rerank {
    /// How many hits are read; 0 reranks nothing.
    pub depth: usize,
    /// What the reranker's score weighs beside the fused one: 0 nothing, 1 everything.
    pub blend: f32,
}

impl Default for Rerank {
    /// A depth that a small network reads in moments, and half and half. Neither is tuned.
    fn default() -> Self {
        Self { depth: 30, blend: 0.5 }
    }
}

impl Rerank {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How a question is answered: see `recipes.toml` for each field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// One line for people.
    pub about: String,
    /// What is ranked.
    pub layers: Vec<Layer>,
    /// By which legs.
    #[serde(default = "both_legs")]
    pub legs: Vec<Leg>,
    /// How rankings become one.
    pub fusion: Fusion,
    /// For relative fusion: the weight of each leg's ranking of each layer.
    #[serde(default)]
    pub weights: BTreeMap<String, Vec<f32>>,
    /// How many units each ranking contributes.
    pub depth: usize,
    /// How many distinct targets are expanded.
    pub k: usize,
    /// The layer whose units hits are collapsed to.
    #[serde(default)]
    pub collapse: Option<Layer>,
    /// What a target is worth of the hits collapsed to it.
    #[serde(default)]
    pub worth: Worth,
    /// How much a hit loses that says what a better one says: 0 nothing, 1 everything.
    #[serde(default)]
    pub diversity: f32,
    /// How much a reranker may change, where there is one.
    #[serde(default, skip_serializing_if = "Rerank::is_default")]
    pub rerank: Rerank,
    /// How hits grow.
    pub expand: Expansion,
    /// In which order contexts are returned.
    #[serde(default)]
    pub order: Order,
    /// How much context, at most.
    pub budget: usize,
    /// What the budget counts.
    #[serde(default)]
    pub unit: Unit,
    /// What a language model does for a question, where there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transform: Vec<Step>,
}

fn both_legs() -> Vec<Leg> {
    vec![Leg::Lexical, Leg::Dense]
}

impl Recipe {
    /// A recipe of a table, with the chunk layer and neighbours chosen for the index in place of its own.
    pub fn named(name: &str, manifest: &Manifest, recipes: &BTreeMap<String, Self>) -> Result<Self> {
        let known: Vec<String> = recipes.keys().cloned().collect();
        let mut recipe =
            recipes.get(name).cloned().ok_or_else(|| RecipeError::Unknown { name: name.to_owned(), known })?;
        if let Expansion::Neighbors(count) = &mut recipe.expand {
            *count = manifest.neighbors.unwrap_or(*count);
            recipe.layers = manifest.chunk.map_or(recipe.layers, |chosen| vec![chosen]);
        }
        Ok(recipe)
    }

    /// Leaves out derived layers that the index does not have; an error when nothing else is left.
    pub(super) fn leave_out_missing(&mut self, present: &BTreeMap<DerivedKind, usize>) -> Result<()> {
        let is_there = |layer: &Layer| !matches!(layer, Layer::Derived(kind) if !present.contains_key(kind));
        let kept: Vec<bool> = self.layers.iter().map(is_there).collect();
        if !kept.contains(&true) {
            let missing = self.layers.iter().map(Layer::to_string).collect::<Vec<_>>().join("`, `");
            return Err(Error::NoUnits(missing));
        }
        let mut keep = kept.iter();
        self.layers.retain(|_| keep.next().is_none_or(|&keep| keep));
        for weights in self.weights.values_mut() {
            let mut keep = kept.iter();
            weights.retain(|_| keep.next().is_none_or(|&keep| keep));
        }
        Ok(())
    }

    /// The rankings it asks the store for, each with its weight.
    pub fn rankings(&self) -> Vec<((Leg, Layer), f32)> {
        let weight = |leg: Leg, layer: usize| {
            self.weights.get(name_of(leg)).and_then(|weights| weights.get(layer)).copied().unwrap_or(1.0)
        };
        let layers = |leg| self.layers.iter().enumerate().map(move |(i, &layer)| ((leg, layer), weight(leg, i)));
        self.legs.iter().flat_map(|&leg| layers(leg)).collect()
    }
}

/// Recipes by name.
pub type Recipes = BTreeMap<String, Recipe>;

/// The built-in recipes as they are written: what own recipes start from.
pub fn built_in_text() -> &'static str {
    BUILT_IN
}

/// The built-in recipes by name.
pub fn built_in() -> Result<BTreeMap<String, Recipe>> {
    toml::from_str(BUILT_IN).map_err(|error| RecipeError::Table { words: error.to_string() }.into())
}

/// A leg's name, as in a recipe.
pub fn name_of(leg: Leg) -> &'static str {
    match leg {
        Leg::Dense => "dense",
        Leg::Lexical => "lexical",
    }
}

/// What a target is worth of the hits collapsed to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Worth {
    /// The best of their scores.
    #[default]
    Max,
    /// The sum of their scores: with reciprocal ranks, several good children beat one.
    Sum,
}

/// What a budget counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Tokens of the tokenizer that comes with the program (`WordPiece`, as BERT and BGE use it).
    #[default]
    Tokens,
    /// Characters (code points) of source text.
    Characters,
}

/// In which order contexts are returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Order {
    /// Best first.
    #[default]
    Score,
    /// As they stand in their documents; the document of the best context first.
    Document,
    /// The best at both ends and the weakest in the middle, which long prompts lose.
    Ends,
}

/// How several rankings become one list of hits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Fusion {
    /// Shares of the best score, weighted and summed on sentences: `relative`.
    Relative,
    /// Reciprocal ranks with this constant: `rrf:60`.
    ReciprocalRank(f32),
}

/// The policy that grows a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Expansion {
    /// As it is.
    None,
    /// This many sentences on each side: `window:3`.
    Window(u32),
    /// This many units of the hit's own layer on each side: `neighbors:1`.
    Neighbors(u32),
    /// The unit of the recipe's largest layer that holds it.
    Parent,
    /// Its section.
    Section,
    /// Its whole document.
    Document,
    /// The best sentences, as many as the budget holds.
    Auto,
}

impl Expansion {
    /// How each is written.
    pub const NAMES: [&'static str; 7] = ["none", "window:3", "neighbors:1", "parent", "section", "document", "auto"];
}

impl FromStr for Expansion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::from(RecipeError::Expansion { given: text.to_owned() });
        match text.split_once(':') {
            None => match text {
                "none" => Ok(Self::None),
                "parent" => Ok(Self::Parent),
                "section" => Ok(Self::Section),
                "document" => Ok(Self::Document),
                "auto" => Ok(Self::Auto),
                _ => Err(unknown()),
            },
            Some(("window", count)) => count.parse().map(Self::Window).map_err(|_| unknown()),
            Some(("neighbors", count)) => count.parse().map(Self::Neighbors).map_err(|_| unknown()),
            Some(_) => Err(unknown()),
        }
    }
}

impl fmt::Display for Expansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Window(count) => write!(f, "window:{count}"),
            Self::Neighbors(count) => write!(f, "neighbors:{count}"),
            Self::Parent => f.write_str("parent"),
            Self::Section => f.write_str("section"),
            Self::Document => f.write_str("document"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for Fusion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::from(RecipeError::Fusion { given: text.to_owned() });
        match text.split_once(':') {
            None if text == "relative" => Ok(Self::Relative),
            Some(("rrf", constant)) => constant
                .parse()
                .ok()
                .filter(|c: &f32| c.is_finite() && *c >= 0.0)
                .map(Self::ReciprocalRank)
                .ok_or_else(unknown),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for Fusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relative => f.write_str("relative"),
            Self::ReciprocalRank(constant) => write!(f, "rrf:{constant}"),
        }
    }
}

/// Serialised as their names.
macro_rules! as_text {
    ($($name:ty),*) => {$(
        impl TryFrom<String> for $name {
            type Error = Error;
            fn try_from(text: String) -> Result<Self> {
                text.parse()
            }
        }
        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }
    )*};
}
as_text!(Expansion, Fusion);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::DEFAULT_RECIPE;

    #[test]
    fn built_in_recipes_are_whole() {
        let recipes = built_in().unwrap();
        assert!(recipes.contains_key(DEFAULT_RECIPE));
        for (name, recipe) in recipes {
            assert!(recipe.depth > 0 && recipe.k > 0 && recipe.budget > 0 && !recipe.layers.is_empty(), "{name}");
            let weights = recipe.weights.values().map(Vec::len);
            assert!(weights.clone().all(|count| count == recipe.layers.len()), "{name}");
        }
    }

    #[test]
    fn an_index_chooses_its_chunks() {
        let mut manifest = Manifest::new("x", 2);
        manifest.chunk = Some("chunk:700c/300c".parse().unwrap());
        manifest.neighbors = Some(2);
        let recipes = built_in().unwrap();
        let recipe = Recipe::named("neighbors", &manifest, &recipes).unwrap();
        assert_eq!(
            (recipe.layers[0].to_string().as_str(), recipe.expand),
            ("chunk:700c/300c", Expansion::Neighbors(2))
        );
        assert_eq!(Recipe::named("auto", &manifest, &recipes).unwrap().layers[0], Layer::Sentence);
        assert!(Recipe::named("best", &manifest, &recipes).unwrap_err().to_string().contains("`auto`"));
    }

    #[test]
    fn names_round_trip() {
        for name in Expansion::NAMES {
            assert_eq!(name.parse::<Expansion>().unwrap().to_string(), name);
        }
        for name in ["relative", "rrf:60"] {
            assert_eq!(name.parse::<Fusion>().unwrap().to_string(), name);
        }
        for name in ["", "window", "window:x", "rrf", "rrf:-1", "rrf:NaN"] {
            assert!(name.parse::<Expansion>().is_err() && name.parse::<Fusion>().is_err(), "{name}");
        }
    }
}
