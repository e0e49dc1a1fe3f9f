//! Layers: the same keys from several places, the nearest first.
//!
//! Each place gives a table; the tables are laid over one another and read once as a whole, so that a value means the
//! same wherever it was written. Where a value comes from is asked of the layers, key by key.

use super::Config;
use crate::error::ConfigError;
use crate::{Error, Result};
use std::fmt;
use toml::{Table, Value};

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A variable of the environment.
    Environment,
    /// `okno.toml` beside the index.
    Index(String),
    /// The user's file.
    User(String),
    /// Nobody said anything.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str("environment"),
            Self::Index(path) | Self::User(path) => f.write_str(path),
            Self::Default => f.write_str("default"),
        }
    }
}

/// How the value of a variable is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableKind {
    /// As it is.
    Text,
    /// As a number, `true` or `false`.
    Plain,
    /// Cut at commas.
    List,
}

/// A single value that may be set.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name, with the table it is in.
    pub name: &'static str,
    /// How a variable of the environment gives it.
    pub kind: VariableKind,
    /// What holds when nobody says anything, in words.
    pub default: &'static str,
}

impl Key {
    /// The variable of the environment: `index.max_file_size` is `OKNO_INDEX_MAX_FILE_SIZE`.
    pub fn variable(&self) -> String {
        format!("OKNO_{}", self.name.replace('.', "_").to_ascii_uppercase())
    }
}

const fn key(name: &'static str, kind: VariableKind, default: &'static str) -> Key {
    Key { name, kind, default }
}

/// Every single value, in the order it is shown. Tables of one's own names – models, recipes, fields, rules – are not
/// single values.
pub const KEYS: [Key; 49] = [
    key("recipe", VariableKind::Text, "auto"),
    key("budget", VariableKind::Plain, "the recipe's"),
    key("k", VariableKind::Plain, "the recipe's"),
    key("legs", VariableKind::List, "the recipe's"),
    key("auto_filter", VariableKind::Plain, "true"),
    key("embedder", VariableKind::Text, "builtin"),
    key("rerank", VariableKind::Text, "none"),
    key("index.preset", VariableKind::Text, "none"),
    key("index.chunk", VariableKind::Text, "chunk:400c/200c"),
    key("index.neighbors", VariableKind::Plain, "1"),
    key("index.max_file_size", VariableKind::Text, "64MB"),
    key("index.include", VariableKind::List, "every file"),
    key("index.exclude", VariableKind::List, "none"),
    key("index.follow_symlinks", VariableKind::Plain, "false"),
    key("index.hidden", VariableKind::Plain, "false"),
    key("fetch.timeout", VariableKind::Plain, "30"),
    key("fetch.max_size", VariableKind::Text, "16MB"),
    key("fetch.delay", VariableKind::Plain, "1"),
    key("fetch.redirects", VariableKind::Plain, "5"),
    key("fetch.robots", VariableKind::Plain, "true"),
    key("fetch.user_agent", VariableKind::Text, concat!("okno/", env!("CARGO_PKG_VERSION"))),
    key("fetch.allow_private", VariableKind::Plain, "false"),
    key("model.provider", VariableKind::Text, "by the keys that are set"),
    key("model.base_url", VariableKind::Text, "the provider's"),
    key("model.name", VariableKind::Text, "the provider's"),
    key("model.key_env", VariableKind::Text, "the provider's"),
    key("model.temperature", VariableKind::Plain, "0.1"),
    key("model.timeout", VariableKind::Plain, "300"),
    key("model.concurrency", VariableKind::Plain, "4"),
    key("model.max_tokens", VariableKind::Plain, "the model's"),
    key("model.vision", VariableKind::Plain, "false"),
    key("model.cache", VariableKind::Text, "256MB"),
    key("model.prompts", VariableKind::Text, "okno-prompts beside the index, where there is one"),
    key("embedding.provider", VariableKind::Text, "the language model's"),
    key("embedding.base_url", VariableKind::Text, "the provider's"),
    key("embedding.key_env", VariableKind::Text, "the provider's"),
    key("embedding.name", VariableKind::Text, "the provider's"),
    key("embedding.dimensions", VariableKind::Plain, "the model's"),
    key("embedding.batch", VariableKind::Plain, "the provider's"),
    key("embedding.concurrency", VariableKind::Plain, "4"),
    key("embedding.timeout", VariableKind::Plain, "300"),
    key("serve.max_k", VariableKind::Plain, "10000"),
    key("serve.max_budget", VariableKind::Plain, "200000"),
    key("serve.max_recipes", VariableKind::Plain, "8"),
    key("serve.max_filter", VariableKind::Plain, "10000"),
    key("serve.timeout", VariableKind::Plain, "60"),
    key("serve.max_connections", VariableKind::Plain, "1024"),
    key("serve.load_memory", VariableKind::Text, "2GB"),
    key("serve.load_timeout", VariableKind::Plain, "60"),
];

/// One place's values.
#[derive(Debug, Clone)]
pub struct SettingLayer {
    origin: Origin,
    table: Table,
}

impl SettingLayer {
    /// Reads and checks the text of a file.
    pub fn file(text: &str, origin: Origin) -> Result<Self> {
        let place = origin.to_string();
        Config::parse(text, &place)?;
        // What was read as a configuration is a table.
        let table = toml::from_str(text).map_err(|error: toml::de::Error| Error::Config {
            place,
            reason: ConfigError::Toml { words: error.message().to_owned() },
        })?;
        Ok(Self { origin, table })
    }

    /// Reads and checks the environment.
    pub fn environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let mut table = Table::new();
        for key in KEYS {
            let name = key.variable();
            let Some(given) = variable(&name).filter(|given| !given.is_empty()) else { continue };
            let value = read(key.kind, &given).ok_or_else(|| Error::Config {
                place: name.clone(),
                reason: ConfigError::NotPlain { given: given.clone() },
            })?;
            let mut own = Table::new();
            put(&mut own, key.name, value.clone());
            Config::parse(&own.to_string(), "").map_err(|error| match error {
                Error::Config { reason, .. } => Error::Config { place: name, reason },
                other => other,
            })?;
            put(&mut table, key.name, value);
        }
        Ok(Self { origin: Origin::Environment, table })
    }
}

fn read(kind: VariableKind, given: &str) -> Option<Value> {
    let text = |text: &str| Value::String(text.trim().to_owned());
    match kind {
        VariableKind::Text => Some(text(given)),
        VariableKind::List => Some(Value::Array(given.split(',').map(text).collect())),
        VariableKind::Plain => {
            let mut table: Table =
                toml::from_str(&format!("value = {given}")).ok().filter(|table: &Table| table.len() == 1)?;
            let is_plain = |value: &Value| matches!(value, Value::Integer(_) | Value::Float(_) | Value::Boolean(_));
            table.remove("value").filter(is_plain)
        }
    }
}

fn put(table: &mut Table, name: &str, value: Value) {
    match name.split_once('.') {
        None => drop(table.insert(name.to_owned(), value)),
        Some((section, name)) => {
            let section = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
            if let Some(section) = section.as_table_mut() {
                section.insert(name.to_owned(), value);
            }
        }
    }
}

fn get<'t>(table: &'t Table, name: &str) -> Option<&'t Value> {
    match name.split_once('.') {
        None => table.get(name),
        Some((section, name)) => table.get(section)?.get(name),
    }
}

/// A value as `okno config` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownSetting {
    /// Its name.
    pub name: String,
    /// Its value; `None` for a default.
    pub value: Option<Value>,
    /// The default in words.
    pub default: &'static str,
    /// Where it comes from.
    pub origin: Origin,
}

/// All layers, laid over one another.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    layers: Vec<SettingLayer>,
    values: Config,
}

impl Settings {
    /// Lays layers over one another, the nearest first.
    pub fn new(layers: Vec<SettingLayer>) -> Result<Self> {
        let mut merged = Table::new();
        for layer in layers.iter().rev() {
            lay_over(&mut merged, &layer.table);
        }
        // Each layer was checked by itself; together they could still disagree about a recipe.
        let values = Config::parse(&merged.to_string(), "configuration")?;
        Ok(Self { layers, values })
    }

    /// The values.
    pub fn values(&self) -> &Config {
        &self.values
    }

    /// Where a single value comes from.
    pub fn origin(&self, name: &str) -> Origin {
        let layer = self.layers.iter().find(|layer| get(&layer.table, name).is_some());
        layer.map_or(Origin::Default, |layer| layer.origin.clone())
    }

    /// Every single value, then each model, recipe, field and rule of one's own.
    pub fn shown(&self) -> Vec<ShownSetting> {
        let single = KEYS.iter().map(|key| {
            let layer = self.layers.iter().find_map(|layer| Some((layer, get(&layer.table, key.name)?)));
            let (value, origin) = match layer {
                Some((layer, value)) => (Some(value.clone()), layer.origin.clone()),
                None => (None, Origin::Default),
            };
            ShownSetting { name: key.name.to_owned(), value, default: key.default, origin }
        });
        let named = self.layers.iter().flat_map(|layer| {
            let tables = ["models", "recipes", "fields"].into_iter();
            let tables = tables.filter_map(|name| Some((name, layer.table.get(name)?.as_table()?)));
            let rows = tables
                .flat_map(|(table, rows)| rows.iter().map(move |(name, value)| (format!("{table}.{name}"), value)));
            let rules = layer.table.get("rules").and_then(Value::as_array).into_iter().flatten().enumerate();
            let rules = rules.map(|(i, rule)| (format!("rules.{}", i + 1), rule));
            rows.chain(rules).map(|(name, value)| ShownSetting {
                name,
                value: Some(value.clone()),
                default: "",
                origin: layer.origin.clone(),
            })
        });
        single.chain(named).collect()
    }
}

/// Lays one table over another: tables are merged, rules appended, everything else replaced. A recipe is one thing,
/// and so is a model of one's own name, whose key belongs to its address: replaced whole.
fn lay_over(below: &mut Table, above: &Table) {
    for (name, value) in above {
        match (below.get_mut(name), value) {
            (Some(Value::Table(below)), Value::Table(above)) if matches!(name.as_str(), "recipes" | "models") => {
                below.extend(above.clone());
            }
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            (Some(Value::Array(below)), Value::Array(above)) if name == "rules" => below.extend(above.clone()),
            _ => drop(below.insert(name.clone(), value.clone())),
        }
    }
}
