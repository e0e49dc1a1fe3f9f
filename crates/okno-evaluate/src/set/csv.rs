//! Comma-separated questions: a header that names the columns, quoted fields that may hold commas, quotes and line
//! ends.
//!
//! The set's own reader, because every record must know the line it starts on and every fault its column.

use super::read::ParsedLine;
use super::{Fault, FaultReason};
use serde_json::{Map, Value};

/// The records of a file as objects of texts, by the names in its header.
pub fn objects(text: &str, separator: char) -> Vec<ParsedLine> {
    let mut records = records(text, separator).into_iter();
    let Some((_, header)) = records.next() else { return Vec::new() };
    let names: Vec<String> = header.iter().map(|name| canonical(name).to_owned()).collect();
    if !names.iter().any(|name| name == "question") {
        let reason = FaultReason::Columns { got: header };
        return vec![Err(Fault { line: 1, field: "question", reason })];
    }
    records
        .filter(|(_, fields)| fields.iter().any(|field| !field.trim().is_empty()))
        .map(|(line, fields)| {
            if fields.len() != names.len() {
                let reason = FaultReason::ColumnCount { expected: names.len(), got: fields.len() };
                return Err(Fault { line, field: "", reason });
            }
            let filled = names.iter().cloned().zip(fields).filter(|(_, field)| !field.trim().is_empty());
            Ok((line, filled.map(|(name, field)| (name, typed(field))).collect::<Map<String, Value>>()))
        })
        .collect()
}

/// The names that people give these columns.
fn canonical(name: &str) -> &str {
    match name.trim() {
        "问题" | "query" | "Question" => "question",
        "答案" | "Answer" => "answer",
        "文档" | "Document" | "doc_id" => "document",
        other => other,
    }
}

/// Offsets are numbers; everything else is text.
fn typed(field: String) -> Value {
    field.trim().parse::<u64>().map_or(Value::String(field), Value::from)
}

/// The records, each with the line it starts on.
fn records(text: &str, separator: char) -> Vec<(usize, Vec<String>)> {
    let (mut records, mut fields, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut start, mut quoted) = (1, 1, false);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        line += usize::from(c == '\n');
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => field.extend(characters.next()),
            '"' if quoted || field.is_empty() => quoted = !quoted,
            c if quoted => field.push(c),
            c if c == separator => fields.push(std::mem::take(&mut field)),
            '\r' if characters.peek() == Some(&'\n') => (),
            '\n' => {
                fields.push(std::mem::take(&mut field));
                records.push((start, std::mem::take(&mut fields)));
                start = line;
            }
            c => field.push(c),
        }
    }
    if !field.is_empty() || !fields.is_empty() {
        fields.push(field);
        records.push((start, fields));
    }
    records
}
