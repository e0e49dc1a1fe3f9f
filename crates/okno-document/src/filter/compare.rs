//! Comparing a typed value with a literal, which has the type of the value it is compared with.

use super::Comparison;
use crate::{Period, Value};
use std::cmp::Ordering;

/// Whether a value compares so with a literal.
pub fn compares(value: &Value, comparison: Comparison, literal: &str) -> bool {
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
        Comparison::EndsWith => value.to_string().ends_with(literal),
        Comparison::Less => order(value, literal) == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order(value, literal), Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order(value, literal) == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order(value, literal), Some(Ordering::Greater | Ordering::Equal)),
    }
}

fn is_equal(value: &Value, literal: &str) -> bool {
    match value {
        Value::Text(text) => text == literal,
        other => other.to_string() == literal || order(other, literal) == Some(Ordering::Equal),
    }
}

/// How the value compares with the literal read as the value's own type; `None` when it has no such reading.
fn order(value: &Value, literal: &str) -> Option<Ordering> {
    match value {
        Value::Number(own) => own.partial_cmp(&number(literal)?),
        Value::Date(date) => Some(Period::parse(literal)?.order(*date)),
        Value::Bool(truth) => Some(truth.cmp(&literal.parse().ok()?)),
        Value::Text(text) => Some(match (text.trim().parse::<f64>(), number(literal)) {
            (Ok(own), Some(other)) => own.partial_cmp(&other)?,
            _ => text.as_str().cmp(literal),
        }),
        Value::List(_) => None,
    }
}

/// A number as people write one: `30`, `2.5`, `3万`, `1.2亿`, `２０２３`, and the year `2023年`.
pub fn number(text: &str) -> Option<f64> {
    let plain: String = text.trim().chars().map(half_width).collect();
    if let Some(year) = plain.strip_suffix('年') {
        return year.parse().ok().filter(|_| year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()));
    }
    let (digits, factor) = [('千', 1e3), ('万', 1e4), ('亿', 1e8)]
        .into_iter()
        .find_map(|(unit, factor)| Some((plain.strip_suffix(unit)?, factor)))
        .unwrap_or((&plain, 1.0));
    // `inf` and `nan` are words here.
    digits.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number * factor)
}

/// The usual form of a full-width digit, sign or point.
fn half_width(c: char) -> char {
    match c {
        '０'..='９' | '．' | '－' | '＋' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}
