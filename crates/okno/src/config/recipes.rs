//! Recipes of one's own: written as in the built-in table, whole or starting `from` a built-in one.

use crate::retrieve::{Recipe, built_in_text};
use serde::Deserialize;
use toml::{Table, Value};

/// The key that is wrong, where one is, and why.
pub type Wrong = (Option<String>, String);

/// Reads one recipe.
pub fn own(name: &str, written: &Table) -> Result<Recipe, Wrong> {
    let about = |reason: String| (None, format!("recipe `{name}`: {reason}"));
    let built_in: Table = toml::from_str(built_in_text()).map_err(|error| about(error.to_string()))?;
    if built_in.contains_key(name) {
        return Err(about("there is a built-in recipe of this name – choose another".to_owned()));
    }
    let mut written = written.clone();
    let mut whole = match written.remove("from") {
        None => Table::new(),
        Some(from) => start(&from, &built_in, &written).map_err(about)?,
    };
    whole.extend(written);
    whole.entry("about").or_insert_with(|| Value::String("a recipe of one's own".to_owned()));
    let recipe = Recipe::deserialize(Value::Table(whole)).map_err(|error| {
        let message = error.message().trim_end().to_owned();
        let key = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()).map(str::to_owned);
        let reason = super::suggestion(&message).unwrap_or_else(|| missing(&message));
        (key, format!("recipe `{name}`: {reason}"))
    })?;
    check(&recipe).map_err(about)?;
    Ok(recipe)
}

fn missing(message: &str) -> String {
    if message.starts_with("missing field") {
        format!("{message} – or start from a built-in one with `from = \"window\"`")
    } else {
        message.to_owned()
    }
}

/// The built-in recipe that this one starts from.
fn start(from: &Value, built_in: &Table, changes: &Table) -> Result<Table, String> {
    let names = || built_in.keys().cloned().collect::<Vec<_>>().join("`, `");
    let name = from.as_str().ok_or_else(|| format!("`from` is the name of a recipe: `{}`", names()))?;
    let base = built_in.get(name).and_then(Value::as_table);
    let mut base = base.ok_or_else(|| format!("no recipe `{name}` to start from – there are `{}`", names()))?.clone();
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
fn check(recipe: &Recipe) -> Result<(), String> {
    for (name, number) in [("depth", recipe.depth), ("k", recipe.k), ("budget", recipe.budget)] {
        if number == 0 {
            return Err(format!("`{name}` must be more than 0"));
        }
    }
    if recipe.layers.is_empty() || recipe.legs.is_empty() {
        return Err("`layers` and `legs` must name at least one each".to_owned());
    }
    for (leg, weights) in &recipe.weights {
        if !matches!(leg.as_str(), "dense" | "lexical") {
            return Err(format!("`weights` has no leg `{leg}` – there are `dense` and `lexical`"));
        }
        if weights.len() != recipe.layers.len() || weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) {
            return Err(format!(
                "`weights.{leg}` needs one number from 0 for each of the {} layers",
                recipe.layers.len()
            ));
        }
    }
    Ok(())
}
