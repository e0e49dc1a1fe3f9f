//! `okno config`: every value and where it comes from. `okno recipes`: every recipe and what it costs.

use crate::args::Cli;
use crate::locale::say;
use crate::{output, place, settings};
use anyhow::Result;
use okno::config::{KEYS, Origin, Shown};
use okno::retrieve::{DEFAULT_RECIPE, Recipe, built_in};
use okno::shapes::{self, missing};
use std::collections::BTreeMap;
use std::io::Write;

pub fn config(cli: &Cli) -> Result<()> {
    let index = place::existing(cli.index());
    let settings = settings::of(&index)?;
    let secrets = settings::secrets(&index).names();
    let chosen = chosen(cli);
    if cli.json {
        let values: Vec<_> = settings.shown().iter().map(|shown| shown_json(shown, &chosen)).collect();
        let keys: serde_json::Map<_, _> = secrets
            .into_iter()
            .map(|(name, place)| (name, serde_json::json!({"set": place.is_some(), "from": place})))
            .collect();
        return output::json(&serde_json::json!({"index": index, "values": values, "keys": keys}));
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", say!("index  {}", "索引  {}", output::printable(&index.to_string_lossy())))?;
    for shown in settings.shown() {
        let value = shown.value.as_ref().map_or_else(|| shown.default.to_owned(), ToString::to_string);
        let (value, origin) = match own_choice(&shown, &chosen) {
            Some(own) => (own, say!("chosen for this index", "本索引的选择")),
            None => (value, output::printable(&shown.origin.to_string())),
        };
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

/// What was chosen when the index was made, by the name of the setting: it counts where nobody says otherwise.
fn chosen(cli: &Cli) -> BTreeMap<&'static str, String> {
    let snapshot = place::open(cli.index()).and_then(|engine| Ok(engine.snapshot()?));
    let recipe = snapshot.ok().map(|snapshot| snapshot.manifest().recipe.clone());
    recipe.filter(|recipe| recipe != DEFAULT_RECIPE).map(|recipe| ("recipe", recipe)).into_iter().collect()
}

fn own_choice(shown: &Shown, chosen: &BTreeMap<&'static str, String>) -> Option<String> {
    let own = chosen.get(shown.name.as_str())?;
    matches!(shown.origin, Origin::Default | Origin::User(_)).then(|| own.clone())
}

fn shown_json(shown: &Shown, chosen: &BTreeMap<&'static str, String>) -> serde_json::Value {
    let variable = KEYS.iter().find(|key| key.name == shown.name).map(okno::config::Key::variable);
    let mut json = serde_json::json!({
        "key": shown.name, "value": shown.value, "default": shown.default, "from": shown.origin.to_string(), "variable": variable,
    });
    if let Some(own) = own_choice(shown, chosen) {
        (json["value"], json["from"]) = (own.into(), "this index".into());
    }
    json
}

pub fn recipes(cli: &Cli) -> Result<()> {
    let settings = settings::of(&place::existing(cli.index()))?;
    let (mut recipes, built_in) = (settings.values().recipes()?, built_in()?);
    let own = |name: &String| !built_in.contains_key(name);
    // Without an index there are no units either.
    let snapshot = place::open(cli.index()).and_then(|engine| Ok(engine.snapshot()?)).ok();
    let units = snapshot.as_ref().map(|snapshot| snapshot.derived_counts().clone()).unwrap_or_default();
    if let Some(snapshot) = &snapshot {
        // With the chunks and neighbours that were chosen for this index.
        let chosen = recipes.keys().map(|name| Ok((name.clone(), Recipe::named(name, snapshot.manifest(), &recipes)?)));
        recipes = chosen.collect::<okno::Result<_>>()?;
    }
    let used = snapshot.map(|snapshot| snapshot.manifest().recipe.clone());
    if cli.json {
        return output::json(&shapes::recipes(&recipes, &units, used.as_deref())?);
    }
    let mut out = std::io::stdout().lock();
    for (name, recipe) in &recipes {
        let mut mark = if own(name) { say!(" (own)", "(自定义)") } else { String::new() };
        if used.as_ref() == Some(name) {
            mark += &say!(" (what this index uses)", "(本索引所用)");
        }
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
