//! `OpenDocument` texts: headings, paragraphs, lists, tables, notes.

use super::super::left_out::LeftOut;
use super::super::rendering::Rendering;
use super::super::{Sink, SkipReason, Source};
use super::archive::Archive;
use super::properties;
use super::xml::{Element, XmlEvent, walk};
use okno_document::{ImageSource, Loaded};

pub(super) fn load(archive: &mut Archive<'_>, source: &Source<'_>, out: &mut dyn Sink) -> Result<Loaded, SkipReason> {
    // An encrypted part is bytes without a sign of XML.
    if archive.text("META-INF/manifest.xml").is_some_and(|xml| xml.contains("encryption-data")) {
        return Err(SkipReason::Encrypted);
    }
    let mut body = OdtBody::default();
    walk(&archive.required("content.xml")?, |node| body.node(node));
    if body.comments > 0 {
        out.left_out(source.name, LeftOut::Comments { count: body.comments });
    }
    let metadata = archive.text("meta.xml").map(|xml| properties::read(&xml)).unwrap_or_default();
    body.rendering.finish(source, "odt", metadata)
}

/// Repeated empty cells and rows fill a sheet's border; more repetitions than this are padding.
const MOST_REPEATED: usize = 16;
/// Bytes that repetitions may add in a document.
const MOST_ADDED: usize = 32 << 20;

#[derive(Default)]
struct OdtBody {
    rendering: Rendering,
    text: String,
    /// Open paragraphs and headings: a note holds paragraphs inside a paragraph.
    open: usize,
    heading: Option<u8>,
    lists: usize,
    tables: usize,
    rows: Vec<Vec<String>>,
    cell: String,
    repeated: usize,
    /// Bytes that repetitions added so far.
    added: usize,
    hidden: usize,
    comments: usize,
    image: Option<String>,
}

const HIDDEN: [&str; 4] = ["tracked-changes", "annotation", "note-citation", "table-of-content"];

impl OdtBody {
    fn node(&mut self, node: XmlEvent<'_>) {
        match node {
            XmlEvent::Open(element) if HIDDEN.contains(&element.name) => {
                self.hidden += 1;
                self.comments += usize::from(element.name == "annotation");
            }
            XmlEvent::Close(name) if HIDDEN.contains(&name) => self.hidden = self.hidden.saturating_sub(1),
            _ if self.hidden > 0 => {}
            XmlEvent::Open(element) => self.open(&element),
            XmlEvent::Text(text) if self.open > 0 => self.text.push_str(text),
            XmlEvent::Text(_) => {}
            XmlEvent::Close(name) => self.close(name),
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        match element.name {
            "h" => {
                self.open += 1;
                self.heading = Some(element.number("outline-level").unwrap_or(1).clamp(1, 6) as u8);
            }
            "p" => self.open += 1,
            "s" => self.text.push_str(&" ".repeat(element.number("c").unwrap_or(1).min(16))),
            "tab" => self.text.push('\t'),
            "line-break" => self.text.push('\n'),
            "note-body" => self.text.push_str(" ("),
            "list" => self.lists += 1,
            "table" => self.tables += 1,
            "table-row" if self.tables == 1 => self.rows.push(Vec::new()),
            "table-cell" | "covered-table-cell" if self.tables == 1 => {
                self.cell.clear();
                self.repeated = element.number("number-columns-repeated").unwrap_or(1).min(MOST_REPEATED);
            }
            "image" => self.image = element.attribute("href"),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "note-body" => self.text.push(')'),
            "p" | "h" => {
                self.open = self.open.saturating_sub(1);
                if self.open == 0 {
                    self.end_paragraph();
                }
            }
            "list" => self.lists = self.lists.saturating_sub(1),
            "table-cell" | "covered-table-cell" if self.tables == 1 => {
                let cell = std::mem::take(&mut self.cell);
                self.added += (self.repeated.max(1) - 1) * (cell.len() + size_of::<String>());
                let repeated = if self.added > MOST_ADDED { 1 } else { self.repeated.max(1) };
                if let Some(row) = self.rows.last_mut() {
                    row.extend(std::iter::repeat_n(cell, repeated));
                }
            }
            "table" => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.rendering.table(&std::mem::take(&mut self.rows));
                }
            }
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.text);
        let heading = self.heading.take();
        if self.tables > 0 {
            self.cell.push(' ');
            self.cell.push_str(&text);
            return;
        }
        match heading {
            Some(level) => self.rendering.heading(level, &text),
            None if self.lists > 0 => self.rendering.item(self.lists - 1, "-", &text),
            None => _ = self.rendering.paragraph(&text),
        }
        if let Some(part) = self.image.take() {
            self.rendering.image("", "", ImageSource::Inside(part));
        }
    }
}
