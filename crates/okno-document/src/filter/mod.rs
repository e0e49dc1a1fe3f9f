//! The one filter language: which documents, and which of their sections, may be searched.
//!
//! ```text
//! category = 素菜 and difficulty <= 3
//! not draft = true and (year in [2022, 2023] or tags contains "machine learning")
//! modified >= 2023年7月1日 and author exists and path starts with guides/
//! “Header 2” ＝ 原料 且 minutes 不超过 30
//! ```
//!
//! A filter is read here, from text or from JSON, and decides here whether something matches; stores
//! only ever see what matched, so no two ways of searching can disagree about it. A field with a list
//! matches when one of its values does. A comparison with a field that is not there is false, `!=`
//! too; `not field = value` and `field not in [value]` are true there. A day, month, quarter or year
//! is a stretch of time where the field holds a date: `date = 2023` means within that year.

mod compare;
mod fault;
mod json;
mod parse;
mod print;
#[cfg(test)]
mod tests;

pub use compare::number;
pub use fault::{FilterError, FilterFault, Pointer};

use super::Value;
use std::borrow::Cow;

/// Nested deeper than any person writes; keeps hostile input from exhausting the stack.
const DEEPEST: usize = 64;

/// A condition on metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Every one holds; no conditions, `()`: true.
    All(Vec<Filter>),
    /// One holds; no conditions, `not ()`: false.
    Any(Vec<Filter>),
    /// It does not hold.
    Not(Box<Filter>),
    /// The field's value compares so with the literal.
    Compare(String, Comparison, String),
    /// The field equals one of these.
    In(String, Vec<String>),
    /// The field is there.
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
    /// `ends with`
    EndsWith,
}

impl Filter {
    /// Reads a filter.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parse::parse(text).map_err(|(at, fault)| FilterError { filter: text.to_owned(), at, fault })
    }

    /// `field = value`.
    pub fn equal(field: impl Into<String>, value: impl Into<String>) -> Self {
        Self::Compare(field.into(), Comparison::Equal, value.into())
    }

    /// Both must hold; `and`s are not nested in each other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let parts = |filter| match filter {
            Self::All(filters) => filters,
            one => vec![one],
        };
        let mut filters = parts(self);
        filters.extend(parts(other));
        Self::All(filters)
    }

    /// Whether something with these fields matches.
    pub fn matches<'v>(&self, field: &impl Fn(&str) -> Option<Cow<'v, Value>>) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(|f| f.matches(field)),
            Self::Any(filters) => filters.iter().any(|f| f.matches(field)),
            Self::Not(filter) => !filter.matches(field),
            Self::Compare(name, comparison, literal) => {
                field(name).is_some_and(|value| compare::compares(&value, *comparison, literal))
            }
            Self::In(name, literals) => field(name)
                .is_some_and(|value| literals.iter().any(|l| compare::compares(&value, Comparison::Equal, l))),
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

impl Comparison {
    /// Every comparison, longer symbols before those they begin with.
    pub const ALL: [Self; 9] = [
        Self::NotEqual,
        Self::LessOrEqual,
        Self::GreaterOrEqual,
        Self::Equal,
        Self::Less,
        Self::Greater,
        Self::Contains,
        Self::StartsWith,
        Self::EndsWith,
    ];

    /// As it is written in a filter.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Contains => "contains",
            Self::StartsWith => "starts with",
            Self::EndsWith => "ends with",
        }
    }
}
