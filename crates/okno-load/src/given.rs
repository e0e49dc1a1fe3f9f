//! Documents that a program hands over instead of a file: an id, a text, and what is known about it.
//!
//! The text is read as Markdown, as that of a line of a JSONL file.

use super::jsonl::{DecodedLines, plain, record_metadata, take};
use super::markdown::{self, merged};
use super::{JsonlFields, SkipReason, encoding};
use okno_document::message::AnyOf;
use okno_document::text::{detect_language, primary_language};
use okno_document::{Loaded, Metadata};
use serde_json::{Map, Value as Json};
use std::io::BufRead;

/// A document that is not a file.
///
/// ```
/// use okno_load::{GivenDocument, JsonlFields};
///
/// let line = r#"{"id": "tea-1", "text": "Green tea is brewed at 80 °C.", "metadata": {"kind": "drink"}}"#;
/// let document = GivenDocument::from_json(line, &JsonlFields::default())?;
/// assert_eq!((document.id.as_str(), document.metadata.0.len()), ("tea-1", 1));
/// # Ok::<(), okno_load::SkipReason>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GivenDocument {
    /// Its name: a document of the same id is replaced.
    pub id: String,
    /// Its text, read as Markdown.
    pub text: String,
    /// Its title; the first heading when `None`.
    pub title: Option<String>,
    /// `zh`, `en` …; detected when `None`.
    pub language: Option<String>,
    /// Typed metadata.
    pub metadata: Metadata,
}

impl GivenDocument {
    /// A document of this id and text.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), ..Self::default() }
    }

    /// Reads a JSON object. What is not id, text, title or language is metadata, as are the members of `metadata`.
    ///
    /// # Errors
    /// When it is not an object with an id and a text.
    pub fn from_json(json: &str, fields: &JsonlFields) -> Result<Self, SkipReason> {
        super::json::bounded(json)?;
        let record: Map<String, Json> = serde_json::from_str(json).map_err(|error| SkipReason::malformed(&error))?;
        Self::from_record(record, fields)
    }

    /// The same for an object that was parsed already.
    ///
    /// # Errors
    /// As [`Self::from_json`].
    pub fn from_record(mut record: Map<String, Json>, fields: &JsonlFields) -> Result<Self, SkipReason> {
        let names = |names: &[String]| AnyOf(names.to_vec());
        let text = match take(&mut record, &fields.text) {
            Some(Json::String(text)) => text,
            Some(_) => return Err(SkipReason::TextNotString { fields: names(&fields.text) }),
            None => return Err(SkipReason::NoTextField { fields: names(&fields.text) }),
        };
        let id = take(&mut record, &fields.id).as_ref().and_then(plain);
        let id = id.ok_or_else(|| SkipReason::NoIdField { fields: names(&fields.id) })?;
        let title = take(&mut record, &fields.title).as_ref().and_then(plain);
        let language = take(&mut record, &fields.language).as_ref().and_then(plain);
        Ok(Self { id, text, title, language, metadata: record_metadata(record) })
    }

    /// Reads the text.
    ///
    /// # Errors
    /// When there is nothing in it.
    pub fn load(self) -> Result<Loaded, SkipReason> {
        let Self { id, text, title, language, metadata } = self;
        if text.trim().is_empty() {
            return Err(encoding::NotText::Blank.into());
        }
        let page = markdown::read(&text);
        Ok(Loaded {
            id: Some(id),
            title: title.or(page.front_title).or(page.heading).unwrap_or_default(),
            language: language.map(|tag| primary_language(&tag)).or(page.language).or_else(|| detect_language(&text)),
            blocks: page.blocks,
            text,
            metadata: merged(metadata, page.metadata),
            ..Loaded::default()
        })
    }
}

/// Documents from JSON lines that come from no file, each with the number of its line. One line is in memory at a time.
pub fn given_lines<'a>(
    lines: impl BufRead + 'a,
    fields: &'a JsonlFields,
) -> impl Iterator<Item = (usize, Result<GivenDocument, SkipReason>)> + 'a {
    let mut lines = Some(DecodedLines::over(Box::new(lines)));
    std::iter::from_fn(move || match lines.as_mut()?.next_line() {
        Ok(line) => {
            let (number, line) = line?;
            Some((number, line.and_then(|line| GivenDocument::from_json(&line, fields))))
        }
        // What cannot be read has no next line.
        Err(cause) => {
            lines = None;
            Some((0, Err(SkipReason::Unreadable { path: "-".into(), cause: cause.into() })))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_a_line_of_a_jsonl_file() {
        let json = r##"{"doc_id": 7, "content": "# Tea\n\nIt is hot.", "lang": "en-GB", "year": 2024,
            "metadata": {"kind": "drink", "nested": {"x": 1}}}"##;
        let given = GivenDocument::from_json(json, &JsonlFields::default()).unwrap();
        let loaded = given.load().unwrap();
        assert_eq!((loaded.id.as_deref(), loaded.title.as_str()), (Some("7"), "Tea"));
        assert_eq!(loaded.language.as_deref(), Some("en"));
        assert_eq!(loaded.metadata.to_json(), serde_json::json!({"kind": "drink", "year": 2024}));
    }

    #[test]
    fn lines_are_read_one_by_one() {
        let lines = "{\"id\": \"a\", \"text\": \"x\"}\n\n{\n{\"id\": \"b\", \"text\": \"y\"}";
        let fields = JsonlFields::default();
        let read: Vec<_> = given_lines(lines.as_bytes(), &fields)
            .map(|(number, document)| (number, document.ok().map(|document| document.id)))
            .collect();
        assert_eq!(read, [(1, Some("a".to_owned())), (3, None), (4, Some("b".to_owned()))]);
    }

    #[test]
    fn what_is_no_document_is_told() {
        for (json, code) in [
            ("{", "cut_json"),
            ("[]", "not_an_object"),
            (r#"{"id": "a"}"#, "no_text_field"),
            (r#"{"id": "a", "text": 1}"#, "text_not_string"),
            (r#"{"text": "a"}"#, "no_id_field"),
        ] {
            use okno_document::message::Message;
            let told = GivenDocument::from_json(json, &JsonlFields::default()).unwrap_err();
            assert_eq!(told.code(), code, "{json}");
        }
        assert!(GivenDocument::new("a", " \n").load().is_err());
    }
}
