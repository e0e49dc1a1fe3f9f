//! Results as an agent reads them: one line that says where, then the text.

use crate::api::FieldView;
use okno::answer::{Citation, Reply};
use okno::retrieve::{QueryWriter, RowAnswer};
use okno::understand::model::Taken;
use okno::{Answer, Context};
use std::fmt::Write;

/// Values of a field that are listed; the rest are counted.
const VALUES: usize = 20;

/// An answer: each context under its place.
pub fn answer(answer: &Answer) -> String {
    let mut out = String::new();
    if let Some(filter) = &answer.understood.filter {
        let _ = writeln!(out, "Read from the question as a filter: {filter}\n");
    }
    out += &helped(&answer.steps);
    if let Some(rows) = &answer.rows {
        out += &computed(rows);
    }
    if answer.nothing_relevant() {
        out += "Nothing relevant was found; this came nearest. Try other words.\n\n";
    }
    for (number, context) in answer.contexts.iter().enumerate() {
        let _ = writeln!(out, "[{}] {}\n{}\n", number + 1, place(context), context.text.trim_end());
    }
    if answer.contexts.is_empty() {
        out += "Nothing was found. Try other words, a larger budget, or fewer filters.\n";
    }
    out
}

/// Rows of a query that are told.
const ROWS: usize = 20;

/// The query over rows that answers, and what it gave: one line of JSON each.
fn computed(rows: &RowAnswer) -> String {
    let by = if rows.by == QueryWriter::Model { "by the model" } else { "by rule" };
    let mut out = format!("Computed with SQL, {by}: {}\n", one_line(&rows.sql));
    let line = |row: &Vec<serde_json::Value>| {
        let cells: serde_json::Map<_, _> = rows.columns.iter().cloned().zip(row.iter().cloned()).collect();
        format!("{}\n", serde_json::Value::Object(cells))
    };
    out.extend(rows.rows.iter().take(ROWS).map(line));
    match rows.beyond(ROWS) {
        0 if rows.more => out += "… and more\n",
        0 => {}
        more => out += &format!("… and {more} more\n"),
    }
    if rows.missing > 0 {
        out += &format!("Without {} rows that were too large to be indexed.\n", rows.missing);
    }
    out + "The rows it rests on come first:\n\n"
}

/// What a language model did for the question, a line each.
fn helped(steps: &[Taken]) -> String {
    let line = |taken: &Taken| match &taken.failed {
        Some(reason) => format!("Searched without `{}`: {}\n", taken.step, one_line(&reason.to_string())),
        None => format!("Model, {}: {}\n", taken.step, one_line(&taken.gave.join(" | "))),
    };
    let lines: String = steps.iter().map(line).collect();
    if lines.is_empty() { lines } else { lines + "\n" }
}

/// `tea.md 120–480 · p. 3 · Tea › Brewing · relevance 0.83`.
fn place(context: &Context) -> String {
    let mut place = format!("{} {}–{}", one_line(&context.document), context.start, context.end);
    if let Some((first, last)) = context.pages {
        let _ = if first == last { write!(place, " · p. {first}") } else { write!(place, " · p. {first}–{last}") };
    }
    let headings = context.headings.iter().filter(|heading| **heading != context.title);
    let headings: Vec<&str> = std::iter::once(&context.title)
        .chain(headings)
        .map(String::as_str)
        .filter(|heading| !heading.is_empty())
        .collect();
    if !headings.is_empty() {
        let _ = write!(place, " · {}", one_line(&headings.join(" › ")));
    }
    let _ = write!(place, " · relevance {:.2}", context.relevance);
    place
}

/// An answer in words, and the places it cites.
pub fn reply(reply: &Reply) -> String {
    let mut out = format!("{}{}\n", helped(&reply.contexts.steps), reply.text.trim_end());
    let mut places: Vec<&Citation> = reply.citations.iter().collect();
    places.sort_by_key(|citation| (citation.number, citation.start));
    places.dedup_by_key(|citation| (citation.number, citation.start));
    for citation in places {
        let _ =
            write!(out, "\n[{}] {} {}–{}", citation.number, one_line(&citation.document), citation.start, citation.end);
    }
    out
}

/// The fields that a filter may ask about.
pub fn fields(fields: &[FieldView]) -> String {
    if fields.is_empty() {
        return "The documents have no fields besides `title`, `language`, `path` and `doc_id`.".to_owned();
    }
    let mut out = String::from("A filter is text such as `category = tea and year >= 2023`. Fields:\n");
    for field in fields {
        let _ = write!(out, "- {} ({}, {} documents)", one_line(&field.name), field.kind, field.documents);
        if let Some([least, most]) = field.range {
            let _ = write!(out, ": {least} to {most}");
        }
        let values: Vec<String> = field.values.iter().take(VALUES).map(|value| one_line(value)).collect();
        if !values.is_empty() {
            let _ = write!(out, ": {}", values.join(" | "));
        }
        if field.values.len() > VALUES {
            let _ = write!(out, " | … {} more", field.values.len() - VALUES);
        }
        out.push('\n');
    }
    out
}

/// Names are untrusted: they never break out of their line.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
