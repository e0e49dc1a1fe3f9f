//! Templates: what a rule writes into a field.
//!
//! `$1` is the first capture, `$name` a named capture or a field of the document, `${two words}` the same for any
//! name, `$$` a dollar sign; the rest stands for itself. A function around the whole gives another type: `count(…)`
//! how many characters, `number(…)`, `date(…)`, `list(…)` cut at commas and the like, `lower(…)`.

use super::error::RuleError;
use crate::document::{Date, Loaded, Value};
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// What a template may refer to.
pub struct KnownNames {
    /// How many numbered captures.
    pub groups: usize,
    /// Named ones.
    pub names: BTreeSet<String>,
}

/// What was captured, and the document.
#[derive(Clone)]
pub struct TemplateScope<'d> {
    loaded: &'d Loaded,
    numbered: Vec<Option<&'d str>>,
    named: HashMap<String, &'d str>,
}

impl<'d> TemplateScope<'d> {
    pub fn new(loaded: &'d Loaded) -> Self {
        Self { loaded, numbered: Vec::new(), named: HashMap::new() }
    }
}

impl<'d> TemplateScope<'d> {
    /// Adds what a glob captured.
    pub fn add(&mut self, captures: Vec<Option<&'d str>>) {
        self.numbered.extend(captures);
    }

    /// Adds what a regular expression captured.
    pub fn add_regex(&mut self, regex: &Regex, captures: &Captures<'d>) {
        self.numbered.extend(captures.iter().skip(1).map(|group| group.map(|group| group.as_str())));
        for name in regex.capture_names().flatten() {
            if let Some(group) = captures.name(name) {
                self.named.insert(name.to_owned(), group.as_str());
            }
        }
    }

    fn value(&self, reference: &Reference) -> Option<Cow<'d, Value>> {
        let text = |text: &str| Cow::Owned(Value::Text(text.to_owned()));
        match reference {
            Reference::Capture(number) => self.numbered.get(*number)?.map(text),
            Reference::Named(name) => match (self.named.get(name), name.as_str()) {
                (Some(captured), _) => Some(text(captured)),
                (None, "title") => Some(text(&self.loaded.title)),
                (None, "language") => self.loaded.language.as_deref().map(text),
                (None, name) => self.loaded.metadata.get(name).map(Cow::Borrowed),
            },
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Reference {
    /// Counted from 0.
    Capture(usize),
    Named(String),
}

#[derive(Debug, Clone, PartialEq)]
enum TemplatePart {
    Text(String),
    Reference(Reference),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Function {
    Same,
    Count,
    Number,
    Date,
    List,
    Lower,
}

const FUNCTIONS: [(&str, Function); 5] = [
    ("count", Function::Count),
    ("number", Function::Number),
    ("date", Function::Date),
    ("list", Function::List),
    ("lower", Function::Lower),
];

/// Where `list(…)` cuts.
const SEPARATORS: [char; 8] = [',', ';', '|', '，', '；', '、', '\n', '\t'];

/// A template that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    function: Function,
    parts: Vec<TemplatePart>,
}

impl Template {
    /// Reads a template.
    pub fn new(text: &str, known: &KnownNames) -> Result<Self, RuleError> {
        let (function, inside) = function(text)?;
        Ok(Self { function, parts: parts(inside, known)? })
    }

    /// Its value for a document; `None` when it refers to something that is not there or is not of its type.
    pub fn value(&self, scope: &TemplateScope<'_>) -> Option<Value> {
        if let ([TemplatePart::Reference(reference)], Function::Same) = (self.parts.as_slice(), self.function) {
            return scope.value(reference).map(Cow::into_owned);
        }
        let mut text = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Text(own) => text.push_str(own),
                TemplatePart::Reference(reference) => text.push_str(&scope.value(reference)?.to_string()),
            }
        }
        self.function.of(text)
    }
}

impl Function {
    fn of(self, text: String) -> Option<Value> {
        let word = text.trim();
        match self {
            Self::Same => Some(Value::Text(text)),
            Self::Count => Some(Value::Number(text.chars().count() as f64)),
            Self::Number => number(word).map(Value::Number),
            Self::Date => Date::parse(word).map(Value::Date),
            Self::Lower => Some(Value::Text(text.to_lowercase())),
            Self::List => {
                let items = word.split(SEPARATORS).map(str::trim).filter(|item| !item.is_empty());
                Some(Value::List(items.map(Value::from_text).collect()))
            }
        }
    }
}

/// A number as people write one: `1,200.5` and `１２` too.
fn number(word: &str) -> Option<f64> {
    let narrow = |c: char| match c {
        '０'..='９' => char::from(b'0' + (c as u32 - '０' as u32) as u8),
        '．' => '.',
        c => c,
    };
    let plain: String = word.chars().filter(|c| !matches!(c, ',' | '，' | '_' | ' ')).map(narrow).collect();
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The function around a template, if there is one.
fn function(text: &str) -> Result<(Function, &str), RuleError> {
    let Some((name, inside)) = text.split_once('(').filter(|_| text.ends_with(')')) else {
        return Ok((Function::Same, text));
    };
    let inside = &inside[..inside.len() - 1];
    if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return Ok((*function, inside));
    }
    let looks_like_one = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase()) && inside.starts_with('$');
    if looks_like_one {
        let known = FUNCTIONS.map(|(name, _)| name.to_owned()).to_vec();
        return Err(RuleError::NoFunction { name: name.to_owned(), known });
    }
    Ok((Function::Same, text))
}

fn parts(text: &str, known: &KnownNames) -> Result<Vec<TemplatePart>, RuleError> {
    let mut parts = Vec::new();
    let mut own = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        own.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            own.push('$');
            rest = after;
            continue;
        }
        let (name, after) = name(rest).ok_or_else(|| RuleError::NoName { template: text.to_owned() })?;
        if !own.is_empty() {
            parts.push(TemplatePart::Text(std::mem::take(&mut own)));
        }
        parts.push(TemplatePart::Reference(reference(name, text, known)?));
        rest = after;
    }
    own.push_str(rest);
    if !own.is_empty() || parts.is_empty() {
        parts.push(TemplatePart::Text(own));
    }
    Ok(parts)
}

/// The name behind a `$`, and what follows it.
fn name(rest: &str) -> Option<(&str, &str)> {
    if let Some(braced) = rest.strip_prefix('{') {
        return braced.split_once('}').filter(|(name, _)| !name.is_empty());
    }
    let digits = rest.starts_with(|c: char| c.is_ascii_digit());
    let belongs = |c: char| if digits { c.is_ascii_digit() } else { c.is_alphanumeric() || c == '_' };
    let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    (end > 0).then(|| rest.split_at(end))
}

fn reference(name: &str, text: &str, known: &KnownNames) -> Result<Reference, RuleError> {
    let Ok(number) = name.parse::<usize>() else { return Ok(Reference::Named(name.to_owned())) };
    if known.names.contains(name) {
        return Ok(Reference::Named(name.to_owned()));
    }
    match number.checked_sub(1).filter(|&index| index < known.groups) {
        Some(index) => Ok(Reference::Capture(index)),
        None => Err(RuleError::NoCapture { template: text.to_owned(), number, captures: known.groups }),
    }
}
