//! HTML: a page comes in; out goes the text that a reader came for, as Markdown would write it.
//!
//! Headings are `## ` lines, list items `- ` lines, tables Markdown rows, code is fenced; paragraphs have a blank
//! line between them. Scripts, hidden parts, navigation, headers and footers of the page, edit links and tables of
//! contents are left out; title, author, date, description, keywords and language become metadata. Inline mark-up is
//! dropped, so that a quotation from the page is found as it reads.
//!
//! The steps: decode (`charset` is a hint) → tokens → pieces of text in regions of the page (`pieces`) → the content
//! among them (`choose`) → text and blocks (`render`). The rendering is the document's canonical text: changing it
//! moves every offset.

mod choose;
mod line;
mod own_images;
mod pieces;
mod render;
mod tables;
mod tags;
#[cfg(test)]
mod tests;

use okno_document::text::{detect_language, primary_language};
use std::path::Path;

use encoding_rs::Encoding;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span as TokenSpan, Tokenizer};

use self::pieces::Collector;
use self::tags::Attributes;
use super::{Loader, Sink, SkipReason, Source, encoding, file_metadata, has_extension, textual, values};
use okno_document::{Block, Image, ImageSource, Loaded, Metadata, Value};

/// Reads HTML and XHTML pages.
#[derive(Debug, Clone, Copy, Default)]
pub struct Html;

impl Loader for Html {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        // Without zero bytes, UTF-16 mark-up reads as ASCII.
        let plain: Vec<u8> = head.iter().filter(|b| **b != 0).map(u8::to_ascii_lowercase).collect();
        let holds = |mark: &[u8]| memchr::memmem::find(&plain, mark).is_some();
        if has_extension(path, &["html", "htm", "xhtml", "shtml"]) {
            return textual(path, head) && holds(b"<");
        }
        let mark = plain.iter().take_while(|b| **b >= 0x80).count(); // a byte order mark
        let marked = plain[mark..].trim_ascii_start().starts_with(b"<");
        // Programs that export tables as pages call them workbooks and documents.
        let exported = has_extension(path, &["xls", "doc"]) && holds(b"<table") && !holds(b"<?xml");
        let page = holds(b"<!doctype html") || holds(b"<html") || exported;
        marked && page && !has_extension(path, &["md", "markdown", "mdx"])
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        let page = encoding::decode_hinted(&bytes, named_charset(&bytes))?.text;
        let mut found = read(&page);
        choose::keep_content(&mut found.collector.pieces, &found.collector.regions);
        let (mut text, mut blocks) = render::render(&found.collector.pieces);
        if blocks.is_empty() {
            // A page that is nothing but navigation is a page of links.
            found = read(&page);
            (text, blocks) = render::render(&found.collector.pieces);
        }
        drop(page);
        let mut read = found;
        if blocks.is_empty() {
            return Err(encoding::NotText::Blank.into());
        }
        file_metadata(&mut read.metadata, source, "html");
        let heading = heading(&read.collector);
        let title = title(&read.collector.title, heading).unwrap_or_else(|| source.stem());
        let images = images(&text, &blocks, &read.collector);
        let language = read.language.or_else(|| detect_language(&text));
        out.document(Loaded { title, language, text, blocks, images, metadata: read.metadata, ..Loaded::default() });
        Ok(())
    }
}

/// The encoding that the page names in `<meta charset=…>`, `http-equiv` or the XML declaration, in its first bytes.
fn named_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(super::HEAD)]).to_ascii_lowercase();
    let at = head.find("charset=").map(|at| at + 8).or_else(|| head.find("encoding=").map(|at| at + 9))?;
    let label = head[at..].trim_start_matches(['"', '\'', ' ']);
    let label = label.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | ':')).next()?;
    // A page whose ASCII can be read is not UTF-16, whatever it says.
    Encoding::for_label(label.as_bytes()).filter(|encoding| encoding.is_ascii_compatible())
}

struct HtmlPage {
    collector: Collector,
    metadata: Metadata,
    language: Option<String>,
}

fn read(page: &str) -> HtmlPage {
    let mut reader = HtmlReader {
        read: HtmlPage { collector: Collector::new(), metadata: Metadata::default(), language: None },
        tag: Vec::new(),
        attribute: Vec::new(),
        attributes: Attributes::default(),
    };
    let mut emitter =
        CallbackEmitter::new(|event: CallbackEvent<'_>, _: TokenSpan<()>| -> Option<std::convert::Infallible> {
            reader.event(&event);
            None
        });
    emitter.naively_switch_states(true);
    // Reading from memory has no errors; tokens are handled inside the callback.
    let Ok(()) = Tokenizer::new_with_emitter(page, emitter).finish();
    reader.read.collector.finish();
    reader.read
}

/// Puts the parts of a start tag together and hands whole tags and texts on.
struct HtmlReader {
    read: HtmlPage,
    tag: Vec<u8>,
    attribute: Vec<u8>,
    attributes: Attributes,
}

impl HtmlReader {
    fn event(&mut self, event: &CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag.clear();
                self.tag.extend_from_slice(name);
                self.attributes.clear();
            }
            CallbackEvent::AttributeName { name } => {
                self.attribute.clear();
                self.attribute.extend_from_slice(name);
                // `hidden` needs no value; others are set again with theirs.
                if *name == b"hidden" {
                    self.attributes.hidden = true;
                }
            }
            CallbackEvent::AttributeValue { value } => {
                self.attributes.set(&self.attribute, &String::from_utf8_lossy(value));
            }
            CallbackEvent::CloseStartTag { self_closing } => self.start(*self_closing),
            CallbackEvent::EndTag { name } => self.read.collector.end(name),
            CallbackEvent::String { value } => self.read.collector.text(&String::from_utf8_lossy(value)),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
    }

    fn start(&mut self, self_closing: bool) {
        if self.tag == b"meta" {
            describe(&mut self.read.metadata, &self.attributes);
        }
        if self.read.language.is_none() && !self.attributes.lang.is_empty() {
            self.read.language = Some(primary_language(&self.attributes.lang)).filter(|tag| !tag.is_empty());
        }
        self.read.collector.start(&self.tag, &self.attributes, self_closing);
    }
}

/// What a `meta` element says about the page; the first one of a kind counts.
fn describe(metadata: &mut Metadata, attributes: &Attributes) {
    let content = attributes.content.trim();
    let key = match attributes.name.to_ascii_lowercase().as_str() {
        "author" | "article:author" | "dc.creator" | "dcterms.creator" | "citation_author" => "author",
        "description" | "og:description" | "dc.description" => "description",
        "date"
        | "pubdate"
        | "article:published_time"
        | "datepublished"
        | "dc.date"
        | "dcterms.created"
        | "citation_publication_date" => "created",
        "keywords" => "keywords",
        _ => return,
    };
    let value = match key {
        _ if content.is_empty() => return,
        "keywords" => Value::List(content.split([',', '，', ';', '；', '、']).filter_map(values::scalar).collect()),
        "created" => values::text(content),
        _ => Value::Text(content.to_owned()),
    };
    metadata.0.entry(key.to_owned()).or_insert(value);
}

/// The images as they stand in the rendered text, with the captions of their figures and the bytes that the page
/// carries.
fn images(text: &str, blocks: &[Block], collector: &Collector) -> Vec<Image> {
    let mut images = super::markdown::images::images(text, blocks);
    for image in &mut images {
        let ImageSource::Reference(target) = &image.source else { continue };
        if let Some(caption) = collector.captions.get(target) {
            image.caption.clone_from(caption);
        }
        if let Some(bytes) = collector.own.get(target) {
            image.source = ImageSource::Bytes(bytes.clone());
        }
    }
    images
}

fn heading(collector: &Collector) -> Option<&str> {
    let top = collector.pieces.iter().find(|piece| piece.kind == pieces::PieceKind::Heading(1));
    top.map(|piece| piece.text.as_str()).filter(|text| !text.is_empty())
}

/// A page's title often names the site too ("Security – Handbook"); the heading that it contains is the page's own.
fn title(title: &str, heading: Option<&str>) -> Option<String> {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    match heading {
        Some(heading) if title.is_empty() || title.contains(heading) => Some(heading.to_owned()),
        _ => Some(title).filter(|title| !title.is_empty()),
    }
}
