//! The one filter language: which documents may be searched.
//!
//! ```text
//! category = 素菜 and difficulty <= 3
//! not draft = true and (year in (2022, 2023) or tags contains "machine learning")
//! modified >= 2023年7月1日 and author exists and path starts with guides/
//! ```
//!
//! A filter is read here, and decides here whether a document matches; stores only ever see the set
//! of documents that matched, so no two ways of searching can disagree about it. A field with a list
//! matches when one of its values does. A comparison with a field the document lacks is false, `!=`
//! too; `not field = value` is true there. `2023` and
//! `2023-07` mean the year and the month when the field holds a date.

mod parse;

use super::{Date, Value};
use std::cmp::Ordering;
use std::fmt;

/// A condition on a document's metadata.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// Every one holds; no conditions: true.
    All(Vec<Filter>),
    /// One holds; no conditions: false.
    Any(Vec<Filter>),
    /// It does not hold.
    Not(Box<Filter>),
    /// The field's value compares so with the literal.
    Compare(String, Comparison, String),
    /// The field equals one of these.
    In(String, Vec<String>),
    /// The document has the field.
    Exists(String),
}

/// How a field's value and a literal are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `contains`: the text holds the literal, or the list has it.
    Contains,
    /// `starts with`
    StartsWith,
}

/// Why a filter could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("filter `{filter}`: {reason} at character {} – expected something like `category = 素菜 and year >= 2023`", at + 1)]
pub struct FilterError {
    /// What was given.
    pub filter: String,
    /// The character, from 0.
    pub at: usize,
    /// What is wrong there.
    pub reason: String,
}

impl Filter {
    /// Reads a filter.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parse::parse(text).map_err(|(at, reason)| FilterError { filter: text.to_owned(), at, reason })
    }

    /// Reads a JSON filter: a string in the filter language, or an object whose fields must all
    /// match – `{"category": "水产", "year": [2022, 2023], "difficulty": {"<=": 3}}`.
    pub fn from_json(json: &serde_json::Value) -> Result<Self, FilterError> {
        let wrong = |reason: &str| FilterError { filter: json.to_string(), at: 0, reason: reason.to_owned() };
        match json {
            serde_json::Value::String(text) => Self::parse(text),
            serde_json::Value::Object(fields) => fields
                .iter()
                .map(|(field, value)| {
                    condition_from_json(field, value)
                        .ok_or_else(|| wrong("a value is not text, number, list or {operator: value}"))
                })
                .collect::<Result<_, _>>()
                .map(Self::All),
            _ => Err(wrong("neither text nor an object")),
        }
    }

    /// Whether a document with these fields matches.
    pub fn matches<'v>(&self, field: &impl Fn(&str) -> Option<std::borrow::Cow<'v, Value>>) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(|f| f.matches(field)),
            Self::Any(filters) => filters.iter().any(|f| f.matches(field)),
            Self::Not(filter) => !filter.matches(field),
            Self::Compare(name, comparison, literal) => {
                field(name).is_some_and(|value| compares(&value, *comparison, literal))
            }
            Self::In(name, literals) => {
                field(name).is_some_and(|value| literals.iter().any(|l| compares(&value, Comparison::Equal, l)))
            }
            Self::Exists(name) => field(name).is_some(),
        }
    }

    /// The names of the fields it asks about.
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Self::All(filters) | Self::Any(filters) => filters.iter().flat_map(Self::fields).collect(),
            Self::Not(filter) => filter.fields(),
            Self::Compare(name, ..) | Self::In(name, _) | Self::Exists(name) => vec![name],
        }
    }
}

fn condition_from_json(field: &str, json: &serde_json::Value) -> Option<Filter> {
    let literal = |json: &serde_json::Value| match json {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(_) | serde_json::Value::Bool(_) => Some(json.to_string()),
        _ => None,
    };
    match json {
        serde_json::Value::Array(items) => {
            Some(Filter::In(field.to_owned(), items.iter().map(literal).collect::<Option<_>>()?))
        }
        serde_json::Value::Object(operators) => operators
            .iter()
            .map(|(operator, value)| {
                Some(Filter::Compare(field.to_owned(), Comparison::from_symbol(operator)?, literal(value)?))
            })
            .collect::<Option<_>>()
            .map(Filter::All),
        other => Some(Filter::Compare(field.to_owned(), Comparison::Equal, literal(other)?)),
    }
}

fn compares(value: &Value, comparison: Comparison, literal: &str) -> bool {
    if let Value::List(items) = value {
        return match comparison {
            Comparison::NotEqual => items.iter().all(|item| compares(item, comparison, literal)),
            Comparison::Contains => items.iter().any(|item| compares(item, Comparison::Equal, literal)),
            _ => items.iter().any(|item| compares(item, comparison, literal)),
        };
    }
    match comparison {
        Comparison::Equal => is_equal(value, literal),
        Comparison::NotEqual => !is_equal(value, literal),
        Comparison::Contains => value.to_string().contains(literal),
        Comparison::StartsWith => value.to_string().starts_with(literal),
        Comparison::Less => order(value, literal) == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order(value, literal), Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order(value, literal) == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order(value, literal), Some(Ordering::Greater | Ordering::Equal)),
    }
}

fn is_equal(value: &Value, literal: &str) -> bool {
    value.to_string() == literal || (!matches!(value, Value::Text(_)) && order(value, literal) == Some(Ordering::Equal))
}

/// How the value compares with the literal read as the value's own type; `None` when it has no such reading.
fn order(value: &Value, literal: &str) -> Option<Ordering> {
    match value {
        Value::Number(number) => number.partial_cmp(&literal.trim().parse().ok()?),
        Value::Date(date) => match Date::parse(literal) {
            Some(other) => Some(date.cmp(&other)),
            None => match Date::parse_month(literal) {
                Some(month) => Some((date.year, date.month).cmp(&month)),
                None => Some(date.year.cmp(&literal.trim().parse().ok().filter(|_| literal.trim().len() == 4)?)),
            },
        },
        Value::Bool(truth) => Some(truth.cmp(&literal.parse().ok()?)),
        Value::Text(text) => Some(match (text.trim().parse::<f64>(), literal.trim().parse::<f64>()) {
            (Ok(left), Ok(right)) => left.partial_cmp(&right)?,
            _ => text.as_str().cmp(literal),
        }),
        Value::List(_) => None,
    }
}

impl Comparison {
    const ALL: [Self; 8] = [
        Self::NotEqual,
        Self::LessOrEqual,
        Self::GreaterOrEqual,
        Self::Equal,
        Self::Less,
        Self::Greater,
        Self::Contains,
        Self::StartsWith,
    ];

    fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Contains => "contains",
            Self::StartsWith => "starts with",
        }
    }

    fn from_symbol(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.symbol() == text)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined =
            |filters: &[Self], word: &str| filters.iter().map(|x| format!("({x})")).collect::<Vec<_>>().join(word);
        match self {
            Self::All(filters) => f.write_str(&joined(filters, " and ")),
            Self::Any(filters) => f.write_str(&joined(filters, " or ")),
            Self::Not(filter) => write!(f, "not ({filter})"),
            Self::Compare(field, comparison, literal) => {
                write!(f, "{} {} {}", quoted(field), comparison.symbol(), quoted(literal))
            }
            Self::In(field, literals) => {
                let literals: Vec<String> = literals.iter().map(|l| quoted(l)).collect();
                write!(f, "{} in ({})", quoted(field), literals.join(", "))
            }
            Self::Exists(field) => write!(f, "{} exists", quoted(field)),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::borrow::Cow;

    fn matches(filter: &str) -> bool {
        let fields = |name: &str| {
            Some(Cow::Owned(match name {
                "category" => Value::Text("素菜".into()),
                "difficulty" => Value::Number(3.0),
                "tags" => Value::List(vec![Value::Text("quick".into()), Value::Text("hot pot".into())]),
                "modified" => Value::Date(Date { year: 2023, month: 7, day: 28 }),
                "draft" => Value::Bool(false),
                "year" => Value::Text("2023".into()),
                "Header 2" => Value::Text("See".into()),
                _ => return None,
            }))
        };
        Filter::parse(filter).unwrap().matches(&fields)
    }

    #[test]
    fn what_holds() {
        for filter in [
            "category = 素菜",
            "category=素菜 and difficulty<=3",
            "difficulty = 3",
            "difficulty = 3.0",
            "difficulty > 2 and difficulty < 4",
            "tags = quick",
            "tags contains \"hot pot\"",
            "tags in (slow, quick)",
            "modified >= 2023年7月1日",
            "modified = 2023",
            "modified < 2024",
            "modified = 2023-07-28",
            "modified >= 2023-07",
            "modified < 2023年8月",
            "not draft = true",
            "draft = false",
            "year = 2023",
            "year >= 2022",
            "\"Header 2\" == See",
            "category contains 素",
            "category starts with 素",
            "category exists",
            "not author exists",
            "category = 荤菜 or (difficulty != 4 and NOT year = 2022)",
            "tags != slow",
            "category = “素菜”",
            "difficulty in [1, 2, 3]",
            "category = 素菜 且 year = 2023",
        ] {
            assert!(matches(filter), "{filter}");
        }
    }

    #[test]
    fn what_does_not_hold() {
        for filter in [
            "category = 荤菜",
            "difficulty > 3",
            "tags != quick",
            "author = me",
            "author != me",
            "modified > 2023",
            "modified > 6",
            "modified > 2023-07",
            "draft = true",
            "category > 3 and category < 1",
            "category in ()",
            "difficulty = three",
            "author contains x",
        ] {
            assert!(!matches(filter), "{filter}");
        }
    }

    #[test]
    fn errors_point_at_the_character() {
        for (filter, at) in [
            ("category", 8),
            ("category =", 10),
            ("(a = 1", 6),
            ("a = 1 b", 6),
            ("a in 1", 5),
            ("= 3", 0),
            ("a = \"open", 4),
            ("", 0),
        ] {
            assert_eq!(Filter::parse(filter).unwrap_err().at, at, "{filter}");
        }
        assert!(Filter::parse(&"(".repeat(100_000)).is_err());
        assert!(Filter::parse(&"not ".repeat(100_000)).is_err());
    }

    #[test]
    fn json_forms() {
        let json = serde_json::json!({"category": "水产", "year": [2022, 2023], "difficulty": {"<=": 3}});
        assert_eq!(
            Filter::from_json(&json).unwrap().to_string(),
            r#"("category" = "水产") and (("difficulty" <= "3")) and ("year" in ("2022", "2023"))"#
        );
        assert!(Filter::from_json(&serde_json::json!({"a": null})).is_err());
        assert!(Filter::from_json(&serde_json::json!(3)).is_err());
    }

    proptest! {
        #[test]
        fn printing_and_reading_again_gives_the_same(filter in any_filter()) {
            prop_assert_eq!(Filter::parse(&filter.to_string()).unwrap().to_string(), filter.to_string());
        }

        #[test]
        fn any_text_is_read_or_refused(text in "(?s).{0,40}") {
            let _ = Filter::parse(&text);
        }
    }

    fn any_filter() -> impl Strategy<Value = Filter> {
        let leaf = ("(?s).{1,6}", 0..8usize, "(?s).{0,6}")
            .prop_map(|(field, c, literal)| Filter::Compare(field, Comparison::ALL[c], literal));
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 2..4).prop_map(Filter::All),
                prop::collection::vec(inner.clone(), 2..4).prop_map(Filter::Any),
                inner.prop_map(|f| Filter::Not(Box::new(f))),
            ]
        })
    }
}
