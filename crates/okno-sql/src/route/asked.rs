//! A question and the columns of a table, as they are read against each other.

use super::form::FILLING_CHARACTERS;
use crate::import::cell_value;
use crate::words::{FILLERS, position};
use okno::document::table::Table;
use rusqlite::types::Value;
use std::collections::BTreeSet;

/// Characters of a value that a question may name, at most.
const LONGEST_NAME: usize = 40;

/// Columns that count or name rows: nobody asks for their mean.
const COUNTERS: &[&str] = &["id", "index", "no", "no.", "#", "编号", "序号", "year", "年份", "年"];

/// A question, and how much of it is explained.
pub struct ExplainedWords<'q> {
    pub text: &'q str,
    pub done: Vec<bool>,
}

impl<'q> ExplainedWords<'q> {
    pub fn new(text: &'q str) -> Self {
        Self { text, done: vec![false; text.len()] }
    }

    /// Explains the first place of a phrase that nothing else explains; returns where it ends.
    pub fn take(&mut self, phrase: &str) -> Option<usize> {
        let mut from = 0;
        while let Some(at) = position(self.text, phrase, from) {
            let end = at + phrase.len();
            if !self.done[at..end].iter().any(|done| *done) {
                self.done[at..end].fill(true);
                return Some(end);
            }
            from = end;
        }
        None
    }

    /// The same for a name, which may be in the singular or plural.
    pub fn take_name(&mut self, name: &str) -> Option<usize> {
        let latin = name.ends_with(|c: char| c.is_ascii_alphabetic());
        let plural = name.strip_suffix('y').map_or_else(|| format!("{name}s"), |stem| format!("{stem}ies"));
        let forms = [name.to_owned(), plural, format!("{name}es"), singular(name)];
        forms.iter().take(if latin { 4 } else { 1 }).find_map(|form| self.take(form))
    }

    pub fn is_whole(&self) -> bool {
        let is_done = |(at, c): (usize, char)| self.done[at] || !c.is_alphanumeric();
        self.text.char_indices().all(is_done)
    }

    pub fn take_fillers(&mut self) {
        for filler in FILLERS {
            while self.take(filler).is_some() {}
        }
        for (at, c) in self.text.char_indices() {
            if FILLING_CHARACTERS.contains(c) {
                self.done[at..at + c.len_utf8()].fill(true);
            }
        }
    }
}

/// A column as a question may mean it.
pub struct AskedColumn<'t> {
    pub name: &'t str,
    pub words: String,
    pub is_number: bool,
    /// Values that a question may name.
    pub values: BTreeSet<String>,
    /// All texts of its cells, in lower case.
    pub texts: BTreeSet<String>,
}

/// The columns of a table without the rows that add up others, counted from 1.
pub fn columns<'t>(table: &'t Table, totals: &[usize]) -> Vec<AskedColumn<'t>> {
    let rows: Vec<&Vec<String>> =
        (1..).zip(&table.rows).filter(|(at, _)| !totals.contains(at)).map(|(_, row)| row).collect();
    let column = |(at, name): (usize, &'t String)| {
        let cells: Vec<&String> = rows.iter().filter_map(|row| row.get(at)).collect();
        let read: Vec<Value> = cells.iter().map(|cell| cell_value(cell)).collect();
        let held = read.iter().filter(|cell| **cell != Value::Null).count();
        let numbers = read.iter().filter(|cell| matches!(cell, Value::Integer(_) | Value::Real(_))).count();
        let words = name.trim().to_lowercase().replace(['_', '-'], " ");
        let words = words.split(['(', '（', '[']).next().unwrap_or_default().trim().to_owned();
        let counts = COUNTERS.contains(&words.as_str()) || words.ends_with(" id");
        // One cell that is no number – `n/a`, `98 452` – and a sum of the others would be wrong.
        let is_number = numbers > 1 && numbers == held && !counts && has_one_unit(&cells);
        let text = |cell: Value| if let Value::Text(text) = cell { Some(text) } else { None };
        let is_name =
            |text: &String| (2..=LONGEST_NAME).contains(&text.chars().count()) && text.chars().any(char::is_alphabetic);
        let texts: BTreeSet<String> = read.into_iter().filter_map(text).collect();
        let values = texts.iter().filter(|text| is_name(text)).cloned().collect();
        let texts = texts.iter().map(|text| text.to_lowercase()).collect();
        AskedColumn { name: name.trim(), words, is_number, values, texts }
    };
    table.header.iter().enumerate().map(column).collect()
}

/// Whether the numbers of a column are of one kind: `$3` and `€4`, or `5%` and `5`, cannot be added.
fn has_one_unit(cells: &[&String]) -> bool {
    let held = || cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty());
    let signs: BTreeSet<char> = held().filter_map(|cell| cell.chars().find(|c| "¥￥$€£".contains(*c))).collect();
    let shares = held().filter(|cell| cell.contains(['%', '％'])).count();
    signs.len() <= 1 && (shares == 0 || shares == held().count())
}

/// `teas` → `tea`, `companies` → `company`.
fn singular(name: &str) -> String {
    match (name.strip_suffix("ies"), name.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) => stem.to_owned(),
        (None, None) => name.to_owned(),
    }
}
