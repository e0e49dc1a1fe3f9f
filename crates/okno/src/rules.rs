//! Rules: what a person knows about their files becomes metadata.
//!
//! A document comes in, the same document with more fields goes out. A rule says *when* – a glob on the path, regular
//! expressions on title, heading path and text – and *what*: fields whose values are templates over what was
//! captured. Rules are applied in order after loading and before anything is split, so a changed rule changes records
//! and no vectors.
//!
//! ```toml
//! [[rules]]
//! path = "dishes/*/**"
//! set = { category = "$1" }
//! map = { vegetable_dish = "素菜", soup = "汤" }
//! default = "其他"
//!
//! [[rules]]
//! text = "难度：(★+)"
//! set = { stars = "count($1)" }
//!
//! [[rules]]
//! section = "> 用料$"
//! text = "^- (.+)"
//! all = true
//! set = { ingredients = "$1" }
//! ```
//!
//! The language is small on purpose: no conditions beyond matching, no arithmetic, nothing that could fail to end. A
//! template that refers to something that is not there sets nothing.

mod error;
mod sections;
mod template;

pub use error::{RuleError, RulesError};

use crate::document::{Loaded, Value};
use crate::load::Glob;
use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use template::{Template, TemplateScope};

/// A rule as a person writes it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleText {
    /// A glob on the path below the root; each wildcard captures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A regular expression on the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A regular expression on the text; `^` and `$` are for lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A regular expression on the headings above a text, `Guide > Install`; `text` is then looked for in such
    /// sections only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Whether every match of `section` and `text` counts, not only the first: the fields become lists.
    pub all: bool,
    /// The fields to set, each a constant or a template.
    pub set: BTreeMap<String, Plain>,
    /// What texts are replaced by; one that is not here is replaced by `default`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub map: BTreeMap<String, Plain>,
    /// For texts that `map` does not know; without it they set nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Plain>,
    /// Fields to take out, after setting.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
}

/// A value as TOML and JSON write it: text, number, truth, date, list.
#[derive(Debug, Clone, PartialEq)]
pub struct Plain(pub Value);

impl Serialize for Plain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?;
        // A date of TOML comes as a table with one entry, whatever its name.
        let inner = match &json {
            serde_json::Value::Object(table) if table.len() == 1 => table.values().next().filter(|v| v.is_string()),
            other => Some(other),
        };
        let value = inner.and_then(Value::from_json);
        value
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom("expected text, a number, a date, true, false or a list"))
    }
}

/// Facts about the file itself, kept up to date without rules.
const RESERVED: [&str; 4] = ["path", "doc_id", "size", "modified"];

/// Rules ready to be applied.
#[derive(Debug, Clone, Default)]
pub struct Rules(Vec<Rule>);

#[derive(Debug, Clone)]
struct Rule {
    path: Option<Glob>,
    title: Option<Regex>,
    section: Option<Regex>,
    text: Option<Regex>,
    all: bool,
    set: Vec<(String, RuleValue)>,
    map: BTreeMap<String, Value>,
    default: Option<Value>,
    drop: Vec<String>,
}

#[derive(Debug, Clone)]
enum RuleValue {
    Constant(Value),
    Template(Template),
}

impl Rules {
    /// Reads rules.
    ///
    /// # Errors
    /// Which rule is wrong, counted from 1, and how.
    pub fn new(texts: &[RuleText]) -> Result<Self, RulesError> {
        let numbered = (1..).zip(texts);
        let read = numbered.map(|(number, text)| Rule::new(text).map_err(|reason| RulesError::Rule { number, reason }));
        read.collect::<Result<_, _>>().map(Self)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the fields of a document; `path` is below its root.
    pub fn apply(&self, path: &str, loaded: &mut Loaded) {
        for rule in &self.0 {
            rule.apply(path, loaded);
        }
    }
}

impl Rule {
    /// Reads one rule.
    fn new(given: &RuleText) -> Result<Self, RuleError> {
        let path = given.path.as_deref().map(Glob::new).transpose().map_err(|reason| RuleError::Path { reason })?;
        let (title, text) = (expression("title", given.title.as_deref())?, expression("text", given.text.as_deref())?);
        let section = expression("section", given.section.as_deref())?;
        if given.set.is_empty() && given.drop.is_empty() {
            return Err(RuleError::SetsNothing);
        }
        if given.all && text.is_none() && section.is_none() {
            return Err(RuleError::AllWithoutMatches);
        }
        if given.default.is_some() && given.map.is_empty() {
            return Err(RuleError::DefaultWithoutMap);
        }
        let names = [&title, &section, &text].into_iter().flatten().flat_map(Regex::capture_names).flatten();
        let scope = template::KnownNames {
            groups: path.as_ref().map_or(0, Glob::groups)
                + [&title, &section, &text].into_iter().flatten().map(groups).sum::<usize>(),
            names: names.map(str::to_owned).collect(),
        };
        let set = given.set.iter().map(|(field, value)| Ok((field.clone(), given_value(field, &value.0, &scope)?)));
        Ok(Self {
            set: set.collect::<Result<_, RuleError>>()?,
            map: given.map.iter().map(|(from, to)| (from.clone(), to.0.clone())).collect(),
            default: given.default.as_ref().map(|value| value.0.clone()),
            drop: given.drop.clone(),
            all: given.all,
            path,
            title,
            section,
            text,
        })
    }

    fn apply(&self, path: &str, loaded: &mut Loaded) {
        let Some(values) = self.values(path, loaded) else { return };
        for (field, value) in values {
            match (field.as_str(), &value) {
                ("title", value) => loaded.title = value.to_string(),
                ("language", value) => loaded.language = Some(value.to_string()),
                _ => loaded.metadata.set(field, value),
            }
        }
        for field in &self.drop {
            loaded.metadata.0.remove(field);
        }
    }

    /// The fields this rule gives a document; `None` where it does not match.
    fn values(&self, path: &str, loaded: &Loaded) -> Option<Vec<(String, Value)>> {
        let mut scope = TemplateScope::new(loaded);
        if let Some(glob) = &self.path {
            scope.add(glob.captures(path)?);
        }
        if let Some(title) = &self.title {
            scope.add_regex(title, &title.captures(&loaded.title)?);
        }
        let Some(section) = &self.section else { return self.found_in(&[(scope, &loaded.text)]) };
        let sections = sections::sections(loaded);
        let parts = sections.iter().filter_map(|part| {
            let mut scope = scope.clone();
            scope.add_regex(section, &section.captures(&part.path)?);
            Some((scope, part.text))
        });
        self.found_in(&parts.collect::<Vec<_>>())
    }

    /// What `text` finds in some parts of a document, each with what was captured before: the first match, or all.
    fn found_in<'d>(&self, parts: &[(TemplateScope<'d>, &'d str)]) -> Option<Vec<(String, Value)>> {
        let mut scopes = parts.iter().flat_map(|(scope, part)| self.scopes(scope, part));
        if !self.all {
            return scopes.next().map(|scope| self.set_in(&scope));
        }
        let mut lists: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (field, value) in scopes.flat_map(|scope| self.set_in(&scope)) {
            let list = lists.entry(field).or_default();
            if !list.contains(&value) {
                list.push(value);
            }
        }
        (!lists.is_empty()).then(|| lists.into_iter().map(|(field, list)| (field, Value::List(list))).collect())
    }

    /// A scope for each match of `text`; without a `text` the part itself is the match.
    fn scopes<'d>(&self, scope: &TemplateScope<'d>, part: &'d str) -> impl Iterator<Item = TemplateScope<'d>> {
        let alone = self.text.is_none().then(|| scope.clone());
        let matches = self.text.iter().flat_map(move |text| text.captures_iter(part).map(move |found| (text, found)));
        alone.into_iter().chain(matches.map(move |(text, found)| {
            let mut scope = scope.clone();
            scope.add_regex(text, &found);
            scope
        }))
    }

    fn set_in(&self, scope: &TemplateScope<'_>) -> Vec<(String, Value)> {
        let value = |given: &RuleValue| match given {
            RuleValue::Constant(value) => Some(value.clone()),
            RuleValue::Template(template) => self.mapped(template.value(scope)?),
        };
        self.set.iter().filter_map(|(field, given)| Some((field.clone(), value(given)?))).collect()
    }

    /// What `map` makes of a value: numbers and dates stay, texts are looked up.
    fn mapped(&self, value: Value) -> Option<Value> {
        match value {
            Value::Text(text) if !self.map.is_empty() => self.map.get(&text).cloned().or_else(|| self.default.clone()),
            Value::List(items) => Some(Value::List(items.into_iter().filter_map(|item| self.mapped(item)).collect())),
            other => Some(other),
        }
    }
}

fn groups(regex: &Regex) -> usize {
    regex.captures_len() - 1
}

fn expression(key: &'static str, pattern: Option<&str>) -> Result<Option<Regex>, RuleError> {
    let Some(pattern) = pattern else { return Ok(None) };
    let built = regex::RegexBuilder::new(pattern).multi_line(true).build();
    built.map(Some).map_err(|error| {
        // Its message draws the pattern with a mark under it; the last line says what is wrong.
        let error = error.to_string();
        let words = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        RuleError::Regex { key, pattern: pattern.to_owned(), words }
    })
}

fn given_value(field: &str, value: &Value, known: &template::KnownNames) -> Result<RuleValue, RuleError> {
    if RESERVED.contains(&field) || field.trim().is_empty() {
        return Err(RuleError::Reserved { field: field.to_owned() });
    }
    match value {
        Value::Text(text) => Ok(RuleValue::Template(Template::new(text, known)?)),
        other => Ok(RuleValue::Constant(other.clone())),
    }
}

#[cfg(test)]
mod tests;
