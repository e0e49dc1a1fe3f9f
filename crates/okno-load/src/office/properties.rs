//! What a document says about itself: title, author, dates, language, keywords.

use super::archive::Archive;
use super::xml::{XmlEvent, walk};
use okno_document::{Metadata, Value};

/// Reads `docProps/core.xml` of a Microsoft document.
pub(super) fn core(archive: &mut Archive<'_>) -> Metadata {
    archive.text("docProps/core.xml").map(|xml| read(&xml)).unwrap_or_default()
}

/// Reads Dublin Core elements wherever they stand: Microsoft, `OpenDocument` and EPUB all use them. The first of a
/// kind counts.
pub(super) fn read(xml: &str) -> Metadata {
    let mut metadata = Metadata::default();
    let mut open: Option<&'static str> = None;
    let mut text = String::new();
    walk(xml, |node| match node {
        XmlEvent::Open(element) => {
            open = field(element.name);
            text.clear();
        }
        XmlEvent::Text(part) => text.push_str(part),
        XmlEvent::Close(_) => {
            if let Some(key) = open.take().filter(|_| !text.trim().is_empty()) {
                metadata.0.entry(key.to_owned()).or_insert_with(|| value(key, text.trim()));
            }
        }
    });
    metadata
}

fn field(name: &str) -> Option<&'static str> {
    Some(match name {
        "title" => "title",
        "creator" | "initial-creator" => "author",
        "subject" => "subject",
        "description" => "description",
        "created" | "creation-date" | "date" => "created",
        "language" => "language",
        "keywords" | "keyword" => "keywords",
        "category" => "category",
        "publisher" => "publisher",
        _ => return None,
    })
}

fn value(key: &str, text: &str) -> Value {
    match key {
        "created" => Value::from_text(text),
        "keywords" => {
            let words = text.split([',', ';', '，', '；', '、']).map(str::trim).filter(|word| !word.is_empty());
            Value::List(words.map(|word| Value::Text(word.to_owned())).collect())
        }
        _ => Value::Text(text.to_owned()),
    }
}
