//! Recipes of one's own: written as in the built-in table, whole or starting `from` a built-in one.

use super::keys::{keys_of, near};
use crate::error::{OwnRecipeError, RecipeError};
use crate::retrieve::{Recipe, built_in_text};
use serde::Deserialize;
use toml::{Table, Value};

/// The keys that a recipe must have.
const REQUIRED: [&str; 6] = ["layers", "fusion", "depth", "k", "expand", "budget"];

/// Reads one recipe.
pub fn own(name: &str, written: &Table) -> Result<Recipe, RecipeError> {
    read(name, written).map_err(|reason| RecipeError::Own { name: name.to_owned(), reason })
}

fn read(name: &str, written: &Table) -> Result<Recipe, OwnRecipeError> {
    let unreadable = |error: toml::de::Error| OwnRecipeError::Value { words: error.message().trim_end().to_owned() };
    let built_in: Table = toml::from_str(built_in_text()).map_err(unreadable)?;
    if built_in.contains_key(name) {
        return Err(OwnRecipeError::BuiltIn);
    }
    let mut written = written.clone();
    let mut whole = match written.remove("from") {
        None => Table::new(),
        Some(from) => start(&from, &built_in, &written)?,
    };
    whole.extend(written);
    whole.entry("about").or_insert_with(|| Value::String("a recipe of one's own".to_owned()));
    let known = keys_of::<Recipe>();
    if let Some(key) = whole.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(OwnRecipeError::UnknownKey { key: key.clone(), near: near(key, known) });
    }
    if let Some(key) = REQUIRED.into_iter().find(|key| !whole.contains_key(*key)) {
        return Err(OwnRecipeError::MissingKey { key });
    }
    let recipe = Recipe::deserialize(Value::Table(whole)).map_err(unreadable)?;
    check(&recipe)?;
    Ok(recipe)
}

/// The built-in recipe that this one starts from.
fn start(from: &Value, built_in: &Table, changes: &Table) -> Result<Table, OwnRecipeError> {
    let known = || built_in.keys().cloned().collect();
    let name = from.as_str().ok_or_else(|| OwnRecipeError::FromNotName { known: known() })?;
    let base = built_in.get(name).and_then(Value::as_table);
    let no_base = || OwnRecipeError::NoBase { name: name.to_owned(), known: known() };
    let mut base = base.ok_or_else(no_base)?.clone();
    let keys: Vec<&str> = changes.keys().map(String::as_str).filter(|key| *key != "about").collect();
    let about =
        if keys.is_empty() { format!("as `{name}`") } else { format!("as `{name}`, with another {}", keys.join(", ")) };
    base.insert("about".to_owned(), Value::String(about));
    if changes.contains_key("layers") && !changes.contains_key("weights") {
        // Weights belong to layers: those of others would be for something else.
        base.remove("weights");
    }
    Ok(base)
}

/// What types cannot say.
fn check(recipe: &Recipe) -> Result<(), OwnRecipeError> {
    for (key, number) in [("depth", recipe.depth), ("k", recipe.k), ("budget", recipe.budget)] {
        if number == 0 {
            return Err(OwnRecipeError::Zero { key });
        }
    }
    if recipe.layers.is_empty() || recipe.legs.is_empty() {
        return Err(OwnRecipeError::NoLayers);
    }
    for (leg, weights) in &recipe.weights {
        if !matches!(leg.as_str(), "dense" | "lexical") {
            return Err(OwnRecipeError::WeightsLeg { leg: leg.clone() });
        }
        if weights.len() != recipe.layers.len() || weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) {
            return Err(OwnRecipeError::Weights { leg: leg.clone(), layers: recipe.layers.len() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_required_keys_are_those_without_a_default() {
        let whole: Table = toml::from_str(built_in_text()).unwrap();
        let window = whole["window"].as_table().unwrap();
        let only = |keys: &[&str]| {
            window
                .iter()
                .filter(|(key, _)| keys.contains(&key.as_str()))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        };
        own("mine", &only(&REQUIRED)).unwrap();
        for missing in REQUIRED {
            let keys: Vec<&str> = REQUIRED.into_iter().filter(|key| *key != missing).collect();
            let wrong = own("mine", &only(&keys)).unwrap_err();
            let reason = OwnRecipeError::MissingKey { key: missing };
            assert_eq!(wrong, RecipeError::Own { name: "mine".into(), reason });
        }
    }
}
