//! `okno config`: every value and where it comes from. `okno recipes`: every recipe and what it costs.

use crate::args::Cli;
use crate::locale::say;
use crate::{output, place, settings};
use anyhow::Result;
use okno::config::{KEYS, Shown};
use okno::retrieve::{Recipe, built_in};
use okno::shapes::{self, missing};
use std::io::Write;

pub fn config(cli: &Cli) -> Result<()> {
    let index = place::existing(cli.index());
    let settings = settings::of(&index)?;
    let secrets = settings::secrets(&index).names();
    if cli.json {
        let values: Vec<_> = settings.shown().iter().map(shown_json).collect();
        let keys: serde_json::Map<_, _> = secrets
            .into_iter()
            .map(|(name, place)| (name, serde_json::json!({"set": place.is_some(), "from": place})))
            .collect();
        return output::json(&serde_json::json!({"index": index, "values": values, "keys": keys}));
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", say!("index  {}", "索引  {}", index.display()))?;
    for shown in settings.shown() {
        let value = shown.value.as_ref().map_or_else(|| shown.default.to_owned(), ToString::to_string);
        let origin = output::printable(&shown.origin.to_string());
        writeln!(out, "{:22} = {}  ({origin})", output::printable(&shown.name), output::printable(&value))?;
    }
    for (name, place) in secrets {
        let state = match place {
            Some(place) => say!("set ({})", "已设置({})", place),
            None => say!("not set", "未设置"),
        };
        writeln!(out, "{:22} : {state}", output::printable(&name))?;
    }
    Ok(())
}

fn shown_json(shown: &Shown) -> serde_json::Value {
    let variable = KEYS.iter().find(|key| key.name == shown.name).map(okno::config::Key::variable);
    serde_json::json!({
        "key": shown.name, "value": shown.value, "default": shown.default, "from": shown.origin.to_string(), "variable": variable,
    })
}

pub fn recipes(cli: &Cli) -> Result<()> {
    let settings = settings::of(&place::existing(cli.index()))?;
    let (recipes, built_in) = (settings.values().recipes()?, built_in()?);
    let own = |name: &String| !built_in.contains_key(name);
    // Without an index there are no units either.
    let units = place::open(cli.index()).and_then(|engine| Ok(engine.snapshot()?.derived_counts().clone()));
    let units = units.unwrap_or_default();
    if cli.json {
        return output::json(&shapes::recipes(&recipes, &units)?);
    }
    let mut out = std::io::stdout().lock();
    for (name, recipe) in &recipes {
        let mark = if own(name) { say!(" (own)", "(自定义)") } else { String::new() };
        writeln!(out, "{name:10} {}{mark}", output::printable(&recipe.about))?;
        writeln!(out, "{:10} {}", "", cost(recipe))?;
        let missing = missing(recipe, &units).join("`, `");
        if !missing.is_empty() {
            let line =
                say!("needs units of `{}`, which this index does not have", "需要 `{}` 单元,而本索引没有", missing);
            writeln!(out, "{:10} {line}", "")?;
        }
    }
    Ok(())
}

/// What a recipe ranks and returns, in one line.
fn cost(recipe: &Recipe) -> String {
    let layers: Vec<String> = recipe.layers.iter().map(ToString::to_string).collect();
    let facts = format!("{} · {} · k {} · {}", layers.join(" + "), recipe.fusion, recipe.k, recipe.expand);
    let rankings = recipe.rankings().len();
    facts + &say!(" · {} rankings · up to {} tokens", " · {} 个排名 · 至多 {} 个词元", rankings, recipe.budget)
}
