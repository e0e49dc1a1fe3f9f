//! Recipes by name, with what each needs.

use crate::Result;
use crate::document::{DerivedKind, Layer};
use crate::error::RecipeError;
use crate::retrieve::{Recipe, Recipes, built_in};
use std::collections::BTreeMap;

/// The recipes by name: the row itself, whether it is an own one, whether the
/// index uses it unless told otherwise, how many rankings it asks for, and which units it lacks.
pub fn recipes(
    recipes: &Recipes,
    units: &BTreeMap<DerivedKind, usize>,
    used: Option<&str>,
) -> Result<serde_json::Value> {
    let built_in = built_in()?;
    let mut json = serde_json::to_value(recipes).map_err(|error| RecipeError::Table { words: error.to_string() })?;
    for (name, recipe) in recipes {
        json[name]["own"] = (!built_in.contains_key(name)).into();
        json[name]["default"] = (used == Some(name.as_str())).into();
        json[name]["rankings"] = recipe.rankings().len().into();
        json[name]["missing"] = missing(recipe, units).into();
    }
    Ok(json)
}

/// The layers of derived units that a recipe ranks and the index does not have.
pub fn missing(recipe: &Recipe, units: &BTreeMap<DerivedKind, usize>) -> Vec<String> {
    let missing =
        recipe.layers.iter().filter(|layer| matches!(layer, Layer::Derived(kind) if !units.contains_key(kind)));
    missing.map(ToString::to_string).collect()
}
