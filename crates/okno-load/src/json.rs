//! JSON: an array of objects with text is many documents; anything else is one, rendered so that a person can read it.
//!
//! Documents in an array follow the rules of JSONL – the same field names, the same metadata. A JSON file that holds
//! them under one key (`{"items": [ … ]}`) is read the same way. Everything else becomes an outline: a list item per
//! value, with its path of keys above.

use std::path::Path;

use serde_json::{Map, Value as Json};

use super::jsonl::{Jsonl, JsonlFields};
use super::rendering::Rendering;
use super::{Loader, PlainText, Sink, SkipReason, Source, has_extension, textual};
use okno_document::message::Bytes;
use okno_document::{Metadata, Value};

/// Reads JSON files.
#[derive(Debug, Clone, Default)]
pub struct JsonFile {
    lines: Jsonl,
    fields: JsonlFields,
}

impl JsonFile {
    /// Reads arrays of documents with these fields.
    #[must_use]
    pub fn new(fields: JsonlFields) -> Self {
        Self { lines: Jsonl::new(fields.clone()), fields }
    }
}

impl Loader for JsonFile {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        let begins = head.trim_ascii_start();
        let unnamed = path.extension().is_none() && (begins.starts_with(b"{\"") || begins.starts_with(b"[{"));
        (has_extension(path, &["json", "geojson"]) || unnamed) && textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        bounded(&text)?;
        let json: Json = match serde_json::from_str(&text) {
            Ok(json) => json,
            Err(error) if text.contains("//") || text.contains("/*") => match serde_json::from_str(&plain(&text)) {
                Ok(json) => json,
                Err(_) => return Err(SkipReason::NotJson { words: error.to_string() }),
            },
            // Without the name it was only a guess.
            Err(_) if source.path.extension().is_none() => return PlainText.load(source, out),
            Err(error) => return Err(SkipReason::NotJson { words: error.to_string() }),
        };
        drop(text);
        match self.documents(json) {
            Ok(documents) => {
                self.lines.load_records(source, documents.into_iter(), out);
                Ok(())
            }
            Err(json) => outline(source, &json, out),
        }
    }
}

/// What the values of a file may take.
const LARGEST: u64 = 768 << 20;

/// Refuses JSON whose values would take far more memory than their text: each object has room for eleven members.
pub(super) fn bounded(text: &str) -> Result<(), SkipReason> {
    let (mut size, mut in_string, mut escaped) = (0u64, false, false);
    for byte in text.bytes() {
        if in_string {
            in_string = byte != b'"' || escaped;
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => size += 640,
            b',' | b':' | b'[' => size += 48,
            _ => {}
        }
    }
    if size > LARGEST { Err(SkipReason::TooManyValues { limit: Bytes(LARGEST) }) } else { Ok(()) }
}

/// The text without comments, and without commas before a closing bracket: settings of programs have both.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let (mut in_string, mut escaped) = (false, false);
    while let Some(c) = letters.next() {
        if in_string {
            in_string = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            out.push(c);
            continue;
        }
        match (c, letters.peek()) {
            ('/', Some('/')) => while letters.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut before = ' ';
                letters.next();
                for c in letters.by_ref() {
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
            }
            ('}' | ']', _) => {
                if out.trim_end().ends_with(',') {
                    out.truncate(out.trim_end().len() - 1);
                }
                out.push(c);
            }
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

impl JsonFile {
    /// The documents of an array – the file itself, or the one array in it – or the JSON back when there are none.
    fn documents(&self, json: Json) -> Result<Vec<Json>, Json> {
        let is_document = |item: &Json| {
            let text = |name: &String| item.as_object()?.get(name)?.as_str();
            // An empty text is none: what such an object holds stands elsewhere.
            self.fields.text.iter().filter_map(text).any(|text| !text.trim().is_empty())
        };
        // Half of them at least: an array of records where one happens to have a `text` is an outline.
        let mostly = |items: &[Json]| {
            !items.is_empty() && items.iter().filter(|item| is_document(item)).count() * 2 >= items.len()
        };
        match json {
            Json::Array(items) if mostly(&items) => Ok(items),
            Json::Object(mut object) => {
                let key = object.iter().find_map(|(key, value)| {
                    let items = value.as_array()?;
                    mostly(items).then(|| key.clone())
                });
                match key.and_then(|key| object.remove(&key)) {
                    Some(Json::Array(items)) => Ok(items),
                    _ if is_document(&Json::Object(object.clone())) => Ok(vec![Json::Object(object)]),
                    _ => Err(Json::Object(object)),
                }
            }
            other => Err(other),
        }
    }
}

fn outline(source: &Source<'_>, json: &Json, out: &mut dyn Sink) -> Result<(), SkipReason> {
    let mut rendering = Rendering::default();
    match table(json) {
        Some(rows) => rendering.table(&rows),
        None => write(&mut rendering, json, 0, ""),
    }
    let mut metadata = Metadata::default();
    metadata.set("title", Value::Text(source.stem()));
    out.document(rendering.finish(source, "json", metadata)?);
    Ok(())
}

/// An array of flat objects is a table: its columns are all their keys, in the order they are first seen.
fn table(json: &Json) -> Option<Vec<Vec<String>>> {
    let items: Vec<&Map<String, Json>> = json.as_array()?.iter().map(Json::as_object).collect::<Option<_>>()?;
    let flat = |item: &&Map<String, Json>| item.values().all(|value| !value.is_object() && !value.is_array());
    if items.len() < 2 || !items.iter().all(flat) {
        return None;
    }
    let mut columns: Vec<&String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for key in items.iter().flat_map(|item| item.keys()) {
        if known.insert(key) {
            columns.push(key);
        }
    }
    // Objects that share few keys would make a table of holes.
    let cells: usize = items.iter().map(|item| item.len()).sum();
    (cells * 2 >= columns.len() * items.len()).then(|| {
        let header = columns.iter().map(|column| (*column).clone()).collect();
        let row =
            |item: &&Map<String, Json>| columns.iter().map(|c| item.get(*c).map(scalar).unwrap_or_default()).collect();
        std::iter::once(header).chain(items.iter().map(row)).collect()
    })
}

/// Writes a value as items of a nested list. `serde_json` stops at 128 levels, so the recursion is bounded.
fn write(rendering: &mut Rendering, json: &Json, depth: usize, key: &str) {
    let labelled = |text: &str| if key.is_empty() { text.to_owned() } else { format!("{key}: {text}") };
    match json {
        Json::Object(members) if !members.is_empty() => {
            let inner = open(rendering, depth, key);
            members.iter().for_each(|(key, value)| write(rendering, value, inner, key));
        }
        Json::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            let inner = open(rendering, depth, key);
            for (at, item) in items.iter().enumerate() {
                write(rendering, item, inner, &(at + 1).to_string());
            }
        }
        Json::Array(items) if !items.is_empty() => {
            let items: Vec<String> = items.iter().map(scalar).collect();
            rendering.item(depth, "-", &labelled(&items.join(", ")));
        }
        Json::Null | Json::Object(_) | Json::Array(_) => {}
        value => rendering.item(depth, "-", &labelled(&scalar(value))),
    }
}

/// The line above nested values, and their depth.
fn open(rendering: &mut Rendering, depth: usize, key: &str) -> usize {
    if key.is_empty() {
        return depth;
    }
    rendering.item(depth, "-", &format!("{key}:"));
    depth + 1
}

fn scalar(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Collected, load};
    use super::*;

    fn json(content: &str) -> Collected {
        load(&JsonFile::default(), "d/rows.json", content.as_bytes())
    }

    #[test]
    fn an_array_of_documents() {
        for content in [
            r#"[{"id":"a","text":"One."},{"id":"b","text":"Two.","year":2023},{"id":"c"}]"#,
            r#"{"count":3,"items":[{"id":"a","text":"One."},{"id":"b","text":"Two.","year":2023},{"id":"c"}]}"#,
        ] {
            let got = json(content);
            let ids: Vec<_> = got.documents.iter().map(|d| d.id.as_deref().unwrap()).collect();
            assert_eq!(ids, ["a", "b"]);
            assert_eq!(got.documents[1].metadata.get("year"), Some(&Value::Number(2023.0)));
            assert_eq!(got.skipped[0].0, "d/rows.json:3");
        }
    }

    #[test]
    fn anything_else_can_be_read_by_a_person() {
        let got = json(r#"{"name":"okno","tags":["a","b"],"deep":{"n":1,"list":[{"x":true}]},"none":null}"#);
        assert_eq!(
            got.documents[0].text,
            "- deep:\n  - list:\n    - 1:\n      - x: true\n  - n: 1\n- name: okno\n- tags: a, b\n"
        );
        let got = json(r#"[{"a":1,"b":"x"},{"a":2,"c":"y"}]"#);
        assert_eq!(got.documents[0].text, "| a | b | c |\n| --- | --- | --- |\n| 1 | x | |\n| 2 | | y |\n");
        let got = json(r#"[{"text":"","form":{"key":"Name","value":"Ann"}}]"#);
        assert_eq!(got.documents[0].text, "- 1:\n  - form:\n    - key: Name\n    - value: Ann\n  - text:\n");
        let commented = "{\n // a \"note\"\n \"address\": \"http://x\", /* **/ \"list\": [1, 2, ],\n}";
        assert_eq!(json(commented).documents[0].text, "- address: http://x\n- list: 1, 2\n");
        assert!(matches!(json("{// broken").skipped[0].1, SkipReason::NotJson { .. }));
        assert!(matches!(json("{broken").skipped[0].1, SkipReason::NotJson { .. }));
        assert_eq!(json("{}").skipped[0].1, crate::encoding::NotText::Blank.into());
    }
}
