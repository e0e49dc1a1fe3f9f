//! Filters as JSON, for programs: the same language in another notation, read and written.
//!
//! ```text
//! "category = 素菜"                                            text is read as text
//! {"category": "水产", "year": [2022, 2023]}                   equal; one of; all fields must match
//! {"difficulty": {"<=": 3}, "tags": {"not in": ["辣"]}}         an operator and its operand
//! {"author": {"exists": true}}
//! {"and": [F, …]}  {"or": [F, …]}  {"not": F}
//! ```
//!
//! [`Filter::to_json`] writes every condition as `{field: {operator: operand}}`, so that a field may
//! even be called `not`: an object whose keys are all operators with plain operands is a condition.

use super::parse::{FilterResult, comparison};
use super::{Comparison, DEEPEST, Filter, FilterError, FilterFault};
use serde_json::{Map, Value as Json, json};

impl Filter {
    /// Reads a filter from JSON: text in the filter language, or an object.
    pub fn from_json(json: &Json) -> Result<Self, FilterError> {
        match json {
            Json::String(text) => Self::parse(text),
            other => read(other, 0).map_err(|fault| FilterError { filter: other.to_string(), at: 0, fault }),
        }
    }

    /// As JSON that [`Filter::from_json`] reads back as the same filter.
    pub fn to_json(&self) -> Json {
        let list = |filters: &[Self]| filters.iter().map(Self::to_json).collect::<Json>();
        match self {
            Self::All(filters) => json!({ "and": list(filters) }),
            Self::Any(filters) => json!({ "or": list(filters) }),
            Self::Not(filter) => json!({ "not": filter.to_json() }),
            Self::Compare(field, comparison, literal) => condition(field, comparison.symbol(), &json!(literal)),
            Self::In(field, literals) => condition(field, "in", &json!(literals)),
            Self::Exists(field) => condition(field, "exists", &json!(true)),
        }
    }
}

fn condition(field: &str, operator: &str, operand: &Json) -> Json {
    json!({ field: { operator: operand } })
}

fn read(json: &Json, depth: usize) -> FilterResult<Filter> {
    if depth > DEEPEST {
        return Err(FilterFault::Deep(DEEPEST));
    }
    match json {
        Json::String(text) => Filter::parse(text).map_err(|error| error.fault),
        Json::Object(fields) => {
            let conditions =
                fields.iter().map(|(key, value)| member(key, value, depth)).collect::<FilterResult<_>>()?;
            Ok(alone_or_all(conditions))
        }
        _ => Err(FilterFault::JsonFilter),
    }
}

/// One member of an object: a connective or a field's condition.
fn member(key: &str, value: &Json, depth: usize) -> FilterResult<Filter> {
    let several = |items: &[Json]| items.iter().map(|item| read(item, depth + 1)).collect::<FilterResult<Vec<_>>>();
    match (key, value) {
        ("and", Json::Array(items)) if items.iter().all(Json::is_object) => Ok(Filter::All(several(items)?)),
        ("or", Json::Array(items)) if items.iter().all(Json::is_object) => Ok(Filter::Any(several(items)?)),
        ("not", Json::Object(inner)) if !is_condition(inner) => Ok(Filter::Not(Box::new(read(value, depth + 1)?))),
        (field, Json::Object(operators)) => {
            let conditions = operators.iter().map(|(operator, operand)| operation(field, operator, operand));
            Ok(alone_or_all(conditions.collect::<FilterResult<_>>()?))
        }
        (field, Json::Array(items)) => Ok(Filter::In(field.to_owned(), literals(items)?)),
        (field, plain) => Ok(Filter::Compare(field.to_owned(), Comparison::Equal, literal(plain)?)),
    }
}

fn operation(field: &str, operator: &str, operand: &Json) -> FilterResult<Filter> {
    let field = field.to_owned();
    match (operator.to_ascii_lowercase().as_str(), operand) {
        ("in", Json::Array(items)) => Ok(Filter::In(field, literals(items)?)),
        ("not in", Json::Array(items)) => Ok(Filter::Not(Box::new(Filter::In(field, literals(items)?)))),
        ("exists", Json::Bool(true)) => Ok(Filter::Exists(field)),
        ("exists", Json::Bool(false)) => Ok(Filter::Not(Box::new(Filter::Exists(field)))),
        (symbol, plain) => {
            let comparison = comparison(symbol).ok_or(FilterFault::Operator)?;
            Ok(Filter::Compare(field, comparison, literal(plain)?))
        }
    }
}

/// Whether an object is what stands behind a field's name: operators with plain operands.
fn is_condition(object: &Map<String, Json>) -> bool {
    !object.is_empty() && object.iter().all(|(key, operand)| is_operator(key) && !operand.is_object())
}

fn is_operator(key: &str) -> bool {
    matches!(key, "in" | "not in" | "exists") || comparison(key).is_some()
}

fn literals(items: &[Json]) -> FilterResult<Vec<String>> {
    items.iter().map(literal).collect()
}

fn literal(json: &Json) -> FilterResult<String> {
    match json {
        Json::String(text) => Ok(text.clone()),
        Json::Number(_) | Json::Bool(_) => Ok(json.to_string()),
        _ => Err(FilterFault::JsonValue),
    }
}

fn alone_or_all(mut filters: Vec<Filter>) -> Filter {
    if filters.len() == 1 { filters.remove(0) } else { Filter::All(filters) }
}
