//! Typed metadata: text, number, truth, date, list.

use super::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The fields of one document, by name, in a stable order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Metadata(pub BTreeMap<String, Value>);

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Text.
    Text(String),
    /// A number.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// A day.
    Date(Date),
    /// Several values; a filter matches when one of them does.
    List(Vec<Value>),
}

impl Metadata {
    /// The value of a field.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.0.get(field)
    }

    /// Sets a field.
    pub fn set(&mut self, field: impl Into<String>, value: Value) {
        self.0.insert(field.into(), value);
    }

    /// The values of these fields as one text, for what the embedder and the lexical leg see above a document.
    pub fn line(&self, fields: &[String]) -> String {
        let values = fields.iter().filter_map(|field| self.get(field)).map(ToString::to_string);
        values.collect::<Vec<_>>().join("\n")
    }

    /// As a JSON object.
    pub fn to_json(&self) -> serde_json::Value {
        self.0.iter().map(|(field, value)| (field.clone(), value.to_json())).collect()
    }
}

impl Value {
    /// A value from text as people write it: a date or text. Numbers in quotes stay text.
    pub fn from_text(text: &str) -> Self {
        Date::parse(text).map_or_else(|| Self::Text(text.to_owned()), Self::Date)
    }

    /// A value from JSON. Nested objects have no typed form and give nothing, as does `null`.
    pub fn from_json(json: &serde_json::Value) -> Option<Self> {
        Some(match json {
            serde_json::Value::String(text) => Self::from_text(text),
            serde_json::Value::Number(number) => Self::Number(number.as_f64()?),
            serde_json::Value::Bool(truth) => Self::Bool(*truth),
            serde_json::Value::Array(items) => Self::List(items.iter().filter_map(Self::from_json).collect()),
            serde_json::Value::Null | serde_json::Value::Object(_) => return None,
        })
    }

    /// As JSON; dates in ISO form.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => (*number as i64).into(),
            Self::Number(number) => (*number).into(),
            Self::Bool(truth) => (*truth).into(),
            Self::Date(date) => date.to_string().into(),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::Bool(truth) => write!(f, "{truth}"),
            Self::Date(date) => write!(f, "{date}"),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                f.write_str(&items.join(", "))
            }
        }
    }
}
