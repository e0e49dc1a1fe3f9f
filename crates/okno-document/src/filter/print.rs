//! Writing a filter as a person would: bare words where they are read back the same, quotes and
//! parentheses only where they are needed.

use super::parse::{is_bare_word, is_keyword};
use super::{Comparison, Filter};
use std::fmt;

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(filters) if filters.is_empty() => f.write_str("()"),
            Self::Any(filters) if filters.is_empty() => f.write_str("not ()"),
            Self::All(filters) => joined(f, filters, " and "),
            Self::Any(filters) => joined(f, filters, " or "),
            Self::Not(filter) => match &**filter {
                Self::In(field, literals) => write!(f, "{} not in {}", name(field), list(literals)),
                filter if is_joined(filter) => write!(f, "not ({filter})"),
                filter => write!(f, "not {filter}"),
            },
            Self::Compare(field, comparison, literal) => {
                write!(f, "{} {comparison} {}", name(field), value(literal))
            }
            Self::In(field, literals) => write!(f, "{} in {}", name(field), list(literals)),
            Self::Exists(field) => write!(f, "{} exists", name(field)),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

fn joined(f: &mut fmt::Formatter<'_>, filters: &[Filter], word: &str) -> fmt::Result {
    for (i, filter) in filters.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { word })?;
        // A group of one is read back as what is in it.
        if is_joined(filter) && filters.len() > 1 { write!(f, "({filter})")? } else { write!(f, "{filter}")? }
    }
    Ok(())
}

/// Whether it is written as several conditions with a word between them.
fn is_joined(filter: &Filter) -> bool {
    match filter {
        Filter::All(filters) | Filter::Any(filters) => match filters.as_slice() {
            [] => false,
            [only] => is_joined(only),
            _ => true,
        },
        _ => false,
    }
}

fn list(literals: &[String]) -> String {
    format!("[{}]", literals.iter().map(|literal| value(literal)).collect::<Vec<_>>().join(", "))
}

/// A field's name; a word that means something here is quoted.
fn name(text: &str) -> String {
    if is_bare_word(text) && !is_keyword(text) { text.to_owned() } else { quoted(text) }
}

fn value(text: &str) -> String {
    if is_bare_word(text) { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
