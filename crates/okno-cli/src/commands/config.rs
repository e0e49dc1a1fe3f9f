//! `okno config`: every setting and where it comes from.

use crate::globals::Globals;
use crate::locale::say;
use crate::{address, opening, output, settings};
use anyhow::Result;
use okno::config::{KEYS, Origin, ShownSetting};
use okno::retrieve::DEFAULT_RECIPE;
use std::collections::BTreeMap;
use std::io::Write;

pub fn run(globals: &Globals) -> Result<()> {
    let index = address::folder(globals.index());
    let settings = settings::of(&index)?;
    let secrets = settings::secrets(&index).names();
    let chosen = chosen(globals);
    if globals.json {
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
            Some(place) => say!("set ({})", "已设置（{}）", place),
            None => say!("not set", "未设置"),
        };
        writeln!(out, "{:22} : {state}", output::printable(&name))?;
    }
    Ok(())
}

/// What was chosen when the index was made, by the name of the setting; used unless the configuration says otherwise.
fn chosen(globals: &Globals) -> BTreeMap<&'static str, String> {
    let snapshot = opening::open(globals.index()).and_then(|engine| Ok(engine.snapshot()?));
    let recipe = snapshot.ok().map(|snapshot| snapshot.manifest().recipe.clone());
    recipe.filter(|recipe| recipe != DEFAULT_RECIPE).map(|recipe| ("recipe", recipe)).into_iter().collect()
}

fn own_choice(shown: &ShownSetting, chosen: &BTreeMap<&'static str, String>) -> Option<String> {
    let own = chosen.get(shown.name.as_str())?;
    matches!(shown.origin, Origin::Default | Origin::User(_)).then(|| own.clone())
}

fn shown_json(shown: &ShownSetting, chosen: &BTreeMap<&'static str, String>) -> serde_json::Value {
    let variable = KEYS.iter().find(|key| key.name == shown.name).map(okno::config::Key::variable);
    let mut json = serde_json::json!({
        "key": shown.name, "value": shown.value, "default": shown.default, "from": shown.origin.to_string(),
        "variable": variable,
    });
    if let Some(own) = own_choice(shown, chosen) {
        (json["value"], json["from"]) = (own.into(), "this index".into());
    }
    json
}
