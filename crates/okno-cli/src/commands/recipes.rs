//! `okno recipes`: every recipe, what it searches, returns and costs.

use crate::globals::Globals;
use crate::locale::say;
use crate::{address, opening, output, settings};
use anyhow::Result;
use okno::retrieve::{Recipe, built_in};
use okno::shapes::{self, missing};
use std::io::Write;

pub fn run(globals: &Globals) -> Result<()> {
    let settings = settings::of(&address::folder(globals.index()))?;
    let (mut recipes, built_in) = (settings.values().recipes()?, built_in()?);
    let own = |name: &String| !built_in.contains_key(name);
    // Without an index there are no units.
    let snapshot = opening::open(globals.index()).and_then(|engine| Ok(engine.snapshot()?)).ok();
    let units = snapshot.as_ref().map(|snapshot| snapshot.derived_counts().clone()).unwrap_or_default();
    if let Some(snapshot) = &snapshot {
        // With the chunks and neighbours that were chosen for this index.
        let chosen = recipes.keys().map(|name| Ok((name.clone(), Recipe::named(name, snapshot.manifest(), &recipes)?)));
        recipes = chosen.collect::<okno::Result<_>>()?;
    }
    let used = snapshot.map(|snapshot| snapshot.manifest().recipe.clone());
    if globals.json {
        return output::json(&shapes::recipes(&recipes, &units, used.as_deref())?);
    }
    let mut out = std::io::stdout().lock();
    for (name, recipe) in &recipes {
        let mut mark = if own(name) { say!(" (custom)", "（自定义）") } else { String::new() };
        if used.as_ref() == Some(name) {
            mark += &say!(" (default of this index)", "（本索引的默认方案）");
        }
        writeln!(out, "{name:10} {}{mark}", output::printable(&recipe.about))?;
        writeln!(out, "{:10} {}", "", cost(recipe))?;
        let missing = missing(recipe, &units).join("`, `");
        if !missing.is_empty() {
            let line =
                say!("needs `{}` units, which this index does not have", "需要 `{}` 单元，而本索引没有", missing);
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
