//! Tables in words, for a language model that is to write a query.
//!
//! In come tables and a question, out comes a bounded text: each table with its columns, its number of rows and its
//! first rows. Where not all fit, those come first that share words with the question: in their name, their columns or
//! their cells.

use crate::words::FILLERS;
use crate::{Database, Result, SqlLimits, TableInfo, quoted};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// Characters of a description, at most; what a model is shown of it is bounded as well.
const LONGEST: usize = 11_000;

/// Rows of each table that are shown.
const ROWS: usize = 3;

/// Columns of each table that are shown, and characters of each cell: a sheet may have a thousand, a cell a page.
const COLUMNS: usize = 60;
const CELL: usize = 60;

/// Rows of a table that are compared with the question.
const COMPARED_ROWS: usize = 500;

/// The words of a question that tables are compared with: Latin words, and pairs of other letters.
pub struct QuestionWords(BTreeSet<String>);

impl QuestionWords {
    pub fn of(question: &str) -> Self {
        let lower = question.to_lowercase();
        let mut words = BTreeSet::new();
        for run in lower.split(|c: char| !c.is_alphanumeric()) {
            for part in alike(run) {
                let letters: Vec<char> = part.chars().collect();
                if part.is_ascii() {
                    let is_filler = FILLERS.contains(&part.as_str());
                    words.extend((part.len() > 2 && !is_filler).then(|| singular(&part).to_owned()));
                } else {
                    words.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
                }
            }
        }
        Self(words)
    }

    /// How much a table shares with the question: a word of its name counts most, one of a cell least.
    pub fn shared<'c>(&self, name: &str, columns: &[String], cells: impl Iterator<Item = &'c str>) -> usize {
        let (name, columns) = (name.to_lowercase(), columns.join("\n").to_lowercase());
        let mut left: Vec<&String> = Vec::new();
        let mut shared = 0;
        for word in &self.0 {
            let (is_name, is_column) = (holds(&name, word), holds(&columns, word));
            shared += 3 * usize::from(is_name) + 2 * usize::from(is_column);
            if !is_name && !is_column {
                left.push(word);
            }
        }
        for cell in cells {
            if left.is_empty() {
                break;
            }
            let (cell, before) = (cell.to_lowercase(), left.len());
            left.retain(|word| !holds(&cell, word));
            shared += before - left.len();
        }
        shared
    }
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word)
}

/// Whether a text has a word, in the singular or plural; other letters than Latin ones stand without spaces.
fn holds(text: &str, word: &str) -> bool {
    if word.is_ascii() {
        return text.split(|c: char| !c.is_ascii_alphanumeric()).any(|other| singular(other) == word);
    }
    text.contains(word)
}

/// Runs of letters of one kind: `价格price` → `价格`, `price`.
fn alike(run: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for c in run.chars() {
        match parts.last_mut() {
            Some(last) if last.is_ascii() == c.is_ascii() => last.push(c),
            _ => parts.push(c.to_string()),
        }
    }
    parts
}

/// The tables in words, those that a question is likely about first where not all fit; empty where there are none.
/// Columns of `hidden` names are not shown: a model is not to see these fields.
///
/// # Errors
/// When a table cannot be read, or takes too long.
pub fn described(database: &Database, question: &str, hidden: &BTreeSet<String>, limits: SqlLimits) -> Result<String> {
    let tables = database.tables(limits)?;
    let mut texts: Vec<(usize, String)> = Vec::new();
    let words = QuestionWords::of(question);
    for table in &tables {
        let shared = if tables.len() > 1 { shared(database, table, &words)? } else { 0 };
        texts.push((shared, one(database, table, hidden)?));
    }
    if texts.iter().map(|(_, text)| text.chars().count() + 2).sum::<usize>() > LONGEST {
        texts.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    }
    let mut described = String::new();
    let mut left = LONGEST;
    for (_, text) in texts {
        let length = text.chars().count() + 2;
        if length <= left || described.is_empty() {
            left = left.saturating_sub(length);
            described += &format!("{text}\n\n");
        }
    }
    Ok(described.trim_end().chars().take(LONGEST).collect())
}

fn limits(rows: usize) -> SqlLimits {
    SqlLimits { rows, time: Duration::from_secs(5), ..SqlLimits::default() }
}

fn shared(database: &Database, table: &TableInfo, words: &QuestionWords) -> Result<usize> {
    let rows = database.query(&format!("SELECT * FROM {} LIMIT {COMPARED_ROWS}", table.name), limits(COMPARED_ROWS))?;
    let cells = rows.rows.iter().flatten().filter_map(Value::as_str);
    Ok(words.shared(&table.name, &table.columns, cells))
}

fn one(database: &Database, table: &TableInfo, hidden: &BTreeSet<String>) -> Result<String> {
    let shown = table.columns.iter().filter(|name| !hidden.contains(*name));
    let columns: Vec<String> = shown.take(COLUMNS).map(|name| quoted(name)).collect();
    let select = format!("SELECT {} FROM {} LIMIT {ROWS}", columns.join(", "), table.name);
    let rows = database.query(&select, limits(ROWS))?;
    let cell = |value: &Value| match value {
        Value::String(text) => text.chars().take(CELL).collect::<String>().into(),
        other => other.clone(),
    };
    let row = |row: &Vec<Value>| Value::from(row.iter().map(cell).collect::<Vec<_>>()).to_string();
    let mut text = format!("{} ({}), {} rows", table.name, columns.join(", "), table.rows);
    let totals = database.totals(table.name.trim_matches('"'));
    if !totals.is_empty() {
        text += &format!("; rows that add up others are left out with: {}", without(totals));
    }
    Ok(rows.rows.iter().map(row).fold(text, |text, row| format!("{text}\n{row}")))
}

/// The condition that leaves out rows that add up others.
pub fn without(totals: &[usize]) -> String {
    let numbers: Vec<String> = totals.iter().map(ToString::to_string).collect();
    format!("_row NOT IN ({})", numbers.join(", "))
}
