//! The conditions of a question on rows: values of cells, comparisons with numbers, and what joins them.

use super::asked::{AskedColumn, ExplainedWords};
use super::form::{AND, COMPARISONS, COMPARISONS_BEHIND, FILLING_CHARACTERS, OR, RANGES};
use crate::quoted;
use crate::words::{FILLERS, position};
use std::ops::Range;

/// A condition, and where in the question it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadCondition {
    /// The column.
    pub column: String,
    /// As SQL writes it.
    pub sql: String,
    /// The bytes of the question that say it.
    pub span: Range<usize>,
}

/// Conditions for the values that a question names; `None` where a value may be of two columns, or where other cells
/// hold it beside something else.
pub fn values(columns: &[AskedColumn<'_>], explained: &mut ExplainedWords<'_>) -> Option<Vec<ReadCondition>> {
    let mut all: Vec<(&AskedColumn<'_>, &String)> =
        columns.iter().flat_map(|column| column.values.iter().map(move |value| (column, value))).collect();
    all.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    let mut conditions = Vec::new();
    for (column, value) in all {
        let lower = value.to_lowercase();
        let is_filler = FILLERS.contains(&lower.as_str()) || columns.iter().any(|column| column.words == lower);
        let Some(end) = (if is_filler { None } else { explained.take(&lower) }) else { continue };
        let elsewhere = |other: &AskedColumn<'_>| other.name != column.name && other.texts.contains(&lower);
        // `Chile` is in `Santiago, Chile` too; whether that counts is not said.
        let is_part = |text: &String| *text != lower && position(text, &lower, 0).is_some();
        if columns.iter().any(elsewhere) || column.texts.iter().any(is_part) {
            return None;
        }
        let same = column.values.iter().filter(|other| other.to_lowercase() == lower);
        let same: Vec<String> = same.map(|value| format!("'{}'", value.replace('\'', "''"))).collect();
        let sql = match same.as_slice() {
            [only] => format!("{} = {only}", quoted(column.name)),
            several => format!("{} IN ({})", quoted(column.name), several.join(", ")),
        };
        conditions.push(ReadCondition { column: column.name.to_owned(), sql, span: end - lower.len()..end });
    }
    Some(conditions)
}

/// Conditions for numbers: a column, a comparison, a number – and more comparisons of the same column behind it.
pub fn comparisons(columns: &[AskedColumn<'_>], explained: &mut ExplainedWords<'_>) -> Vec<ReadCondition> {
    let mut conditions = Vec::new();
    for column in columns.iter().filter(|column| column.is_number && !column.words.is_empty()) {
        let mut from = 0;
        while let Some(at) = position(explained.text, &column.words, from) {
            let mut start = at;
            let mut end = at + column.words.len();
            from = end;
            while let Some((condition, stop)) = compared(&explained.text[end..]) {
                let span = start..end + stop;
                if explained.done[span.clone()].iter().any(|done| *done) {
                    break;
                }
                explained.done[span.clone()].fill(true);
                let sql = format!("{} {condition}", quoted(column.name));
                conditions.push(ReadCondition { column: column.name.to_owned(), sql, span });
                // `below 10 or over 100`: the same column again.
                let rest = &explained.text[end + stop..];
                let Some((_, length)) = connector(rest) else { break };
                (start, end) = (end + stop + length, end + stop + length);
                from = end;
            }
        }
    }
    conditions
}

/// What a text begins with that joins conditions, and how long it is with the spaces around it.
fn connector(text: &str) -> Option<(bool, usize)> {
    let rest = text.trim_start_matches([' ', '元', '块', ',', '，']);
    let found = |words: &[&str]| words.iter().find(|word| position(rest, word, 0) == Some(0)).map(|word| word.len());
    let (is_or, length) = match (found(OR), found(AND)) {
        (Some(length), _) => (true, length),
        (None, Some(length)) => (false, length),
        (None, None) => return None,
    };
    Some((is_or, text.len() - rest.len() + length))
}

/// `over 100`, `超过 100`, `在 100 以上`, `between 5 and 8`, `在5到8之间`: the condition, and where it ends.
fn compared(text: &str) -> Option<(String, usize)> {
    let rest = text.trim_start_matches([' ', '在', '是', '为', '的', '介', '于']);
    let rest = ["is ", "are ", "of "].iter().find_map(|filler| rest.strip_prefix(filler)).unwrap_or(rest);
    if let Some((condition, after)) = range(rest) {
        return Some((condition, text.len() - after.len()));
    }
    // `介于` begins a range only; `于` is no part of `低于`.
    let rest = text.trim_start_matches([' ', '在', '是', '为', '的']);
    let rest = ["is ", "are ", "of "].iter().find_map(|filler| rest.strip_prefix(filler)).unwrap_or(rest);
    let before = COMPARISONS.iter().find(|(word, _)| rest.starts_with(word));
    let (number, after) = amount(before.map_or(rest, |(word, _)| &rest[word.len()..]))?;
    let behind = after.trim_start_matches([' ', '元', '块']);
    // `over 20 and below 40` goes on with another comparison.
    let is_last = |rest: &str| amount(rest.trim_start().trim_start_matches("than")).is_none();
    let found = COMPARISONS_BEHIND.iter().find(|(word, _)| behind.strip_prefix(word).is_some_and(is_last));
    match (before, found) {
        (Some((_, operator)), None) => Some((format!("{operator} {number}"), text.len() - after.len())),
        (None, Some((word, operator))) => {
            Some((format!("{operator} {number}"), text.len() - behind.len() + word.len()))
        }
        // `超过100以下` says two things.
        (Some(_), Some(_)) | (None, None) => None,
    }
}

/// `between 5 and 8`, `from 5 to 8`, `5到8之间`, `5至8`: the condition, and what follows.
fn range(text: &str) -> Option<(String, &str)> {
    let opened = ["between ", "from "].iter().find_map(|word| text.strip_prefix(word));
    let (low, after) = amount(opened.unwrap_or(text))?;
    let after = after.trim_start_matches([' ', '元', '块']);
    let word = RANGES.iter().find(|word| after.starts_with(**word))?;
    let (high, rest) = amount(&after[word.len()..])?;
    let behind = rest.trim_start_matches([' ', '元', '块']);
    let closed = behind.strip_prefix("之间").or_else(|| behind.strip_prefix("的之间"));
    // `5 and 8` alone are two numbers; `到` and `至` say that it is a range.
    if opened.is_none() && closed.is_none() && !["到", "至"].contains(word) {
        return None;
    }
    let is_rising = low.parse::<f64>().ok()? <= high.parse::<f64>().ok()?;
    is_rising.then(|| (format!("BETWEEN {low} AND {high}"), closed.unwrap_or(rest)))
}

/// A number that a text begins with, and what follows.
fn amount(text: &str) -> Option<(String, &str)> {
    let digits = text.trim_start_matches([' ', '$', '¥', '￥', '€', '£']);
    let length = digits.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(digits.len());
    let written = digits[..length].trim_end_matches(['.', ',']);
    let number = written.replace(',', "");
    number.parse::<f64>().ok()?;
    Some((number, &digits[written.len()..]))
}

/// The conditions as they are joined; they all hold where nothing says otherwise. `None` where that is not sure: `and`
/// and `or` in one question, `and` between two values of one column, a word of these that joins no conditions.
pub fn joined(found: &mut [ReadCondition], explained: &mut ExplainedWords<'_>) -> Option<Vec<String>> {
    found.sort_by_key(|condition| condition.span.start);
    let mut groups: Vec<Vec<&ReadCondition>> = Vec::new();
    let (mut ands, mut ors) = (0, 0);
    for condition in found.iter() {
        let last = groups.last().and_then(|group| group.last()).copied();
        let between = last.map(|last| last.span.end..condition.span.start);
        match between.and_then(|between| joining(explained, between)) {
            Some((true, span)) => {
                ors += 1;
                explained.done[span].fill(true);
                groups.last_mut()?.push(condition);
                continue;
            }
            Some((false, span)) => {
                ands += 1;
                explained.done[span].fill(true);
                let is_equal = |condition: &ReadCondition| !condition.sql.contains(['<', '>']);
                // `teas from China and Japan` are of either.
                if last.is_some_and(|last| last.column == condition.column && is_equal(last) && is_equal(condition)) {
                    return None;
                }
            }
            None => {}
        }
        groups.push(vec![condition]);
    }
    let is_of_one = |group: &Vec<&ReadCondition>| group.iter().all(|condition| condition.column == group[0].column);
    let is_sure = ors == 0 || (ands == 0 && (groups.len() == 1 || groups.iter().all(is_of_one)));
    let one = |group: &Vec<&ReadCondition>| match group.as_slice() {
        [only] => only.sql.clone(),
        several => {
            format!("({})", several.iter().map(|condition| condition.sql.as_str()).collect::<Vec<_>>().join(" OR "))
        }
    };
    is_sure.then(|| groups.iter().map(one).collect())
}

/// What joins two conditions: whether it is an `or`, and where it is. Only fillers may stand beside it.
fn joining(explained: &ExplainedWords<'_>, between: Range<usize>) -> Option<(bool, Range<usize>)> {
    let text = explained.text.get(between.clone())?;
    let found = |words: &[&str]| words.iter().find_map(|word| Some((position(text, word, 0)?, word.len())));
    let (is_or, (at, length)) = match (found(OR), found(AND)) {
        (Some(found), _) => (true, found),
        (None, Some(found)) => (false, found),
        (None, None) => return None,
    };
    let is_filled = |part: &str| {
        let words = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let is_filler = |word: &str| FILLERS.contains(&word) || word.chars().all(|c| FILLING_CHARACTERS.contains(c));
        words.into_iter().all(is_filler)
    };
    // Before an `or`, only fillers: what it joins must be these two conditions.
    (!is_or || is_filled(&text[..at])).then(|| (is_or, between.start + at..between.start + at + length))
}
