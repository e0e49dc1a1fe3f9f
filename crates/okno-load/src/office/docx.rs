//! Word documents: paragraphs with their styles, lists, tables, notes, images.
//!
//! A heading is a paragraph whose style has an outline level, whatever the style is called in the author's language.
//! Deleted text is gone, inserted text is there; field codes are not text, their results are. Footnotes follow at the
//! end, marked as they are in the text.

use std::collections::HashMap;

use super::super::rendering::Rendering;
use super::super::{SkipReason, Source};
use super::archive::Archive;
use super::drawings::{self, Chart};
use super::properties;
use super::xml::{Element, XmlEvent, relations, resolved, walk};
use okno_document::{ImageSource, Loaded};

pub(super) fn load(archive: &mut Archive<'_>, source: &Source<'_>) -> Result<Loaded, SkipReason> {
    let document = archive.required("word/document.xml")?;
    let styles = archive.text("word/styles.xml").unwrap_or_default();
    let (levels, lists) = (outline_levels(&styles), listed_styles(&styles));
    drop(styles);
    let relations = archive.text("word/_rels/document.xml.rels").map(|xml| relations(&xml)).unwrap_or_default();
    let numbering = archive.text("word/numbering.xml").map(|xml| numbered(&xml)).unwrap_or_default();
    let charts = drawings::charts_of(archive, "word/document.xml");
    let mut body = DocxBody { levels, lists, relations, numbering, charts, ..DocxBody::default() };
    walk(&document, |node| body.node(node));
    body.end_paragraph();
    drop(document);
    if body.cells > MOST_CELLS {
        return Err(SkipReason::TooManyCells { limit: MOST_CELLS });
    }
    for (part, mark) in [("word/footnotes.xml", "^"), ("word/endnotes.xml", "^^")] {
        if let Some(xml) = archive.text(part) {
            body.notes(&xml, mark);
        }
    }
    body.rendering.finish(source, "docx", properties::core(archive))
}

/// A document that is one XML file: its parts stand one after the other, and only one has a body.
pub(crate) fn flat(xml: &str) -> Rendering {
    let styles = xml.find("<w:styles").map_or("", |at| &xml[at..]);
    let styles = styles.find("</w:styles>").map_or(styles, |end| &styles[..end]);
    let mut body = DocxBody { levels: outline_levels(styles), lists: listed_styles(styles), ..DocxBody::default() };
    let text = xml.find("<w:body").map_or(xml, |at| &xml[at..]);
    let text = text.find("</w:body>").map_or(text, |end| &text[..end]);
    walk(text, |node| body.node(node));
    body.end_paragraph();
    body.rendering
}

/// The outline level of every paragraph style, from 1; styles inherit it from what they are based on.
fn outline_levels(xml: &str) -> HashMap<String, u8> {
    let mut own: HashMap<String, u8> = HashMap::new();
    let mut based: Vec<(String, String)> = Vec::new();
    let mut style = String::new();
    walk(xml, |node| {
        let XmlEvent::Open(element) = node else { return };
        match element.name {
            "style" => style = element.attribute("styleId").unwrap_or_default(),
            "basedOn" => based.push((style.clone(), element.attribute("val").unwrap_or_default())),
            "outlineLvl" => {
                if let Some(level) = element.number("val").filter(|level| *level < 9) {
                    own.insert(style.clone(), level as u8 + 1);
                }
            }
            // Built-in styles are known by name even where they do not say their level.
            "name" => {
                let name = element.attribute("val").unwrap_or_default().to_ascii_lowercase();
                let level = name.strip_prefix("heading ").and_then(|level| level.parse().ok());
                if let Some(level) = level.or((name == "title").then_some(1)) {
                    own.entry(style.clone()).or_insert(level);
                }
            }
            _ => {}
        }
    });
    // Chains of styles are short; a circle ends with the rounds.
    for _ in 0..8 {
        for (style, base) in &based {
            if let Some(level) = own.get(base).copied() {
                own.entry(style.clone()).or_insert(level);
            }
        }
    }
    own
}

/// The list that a paragraph style belongs to, with its level.
fn listed_styles(xml: &str) -> HashMap<String, (usize, usize)> {
    let mut found = HashMap::new();
    let (mut style, mut level) = (String::new(), 0);
    walk(xml, |node| {
        let XmlEvent::Open(element) = node else { return };
        match element.name {
            "style" => (style, level) = (element.attribute("styleId").unwrap_or_default(), 0),
            "ilvl" => level = element.number("val").unwrap_or(0),
            "numId" => {
                if let Some(list) = element.number("val").filter(|list| *list > 0) {
                    found.insert(style.clone(), (list, level));
                }
            }
            _ => {}
        }
    });
    found
}

/// Lists have nine levels; a number beyond these is damage.
const MOST_LEVELS: usize = 16;

/// Which list definitions count their items, by number and level.
fn numbered(xml: &str) -> HashMap<(usize, usize), bool> {
    let mut abstracts: HashMap<usize, HashMap<usize, bool>> = HashMap::new();
    let mut found = HashMap::new();
    let (mut definition, mut level, mut number) = (0, 0, None);
    walk(xml, |node| {
        let XmlEvent::Open(element) = node else { return };
        match element.name {
            "abstractNum" => (definition, number) = (element.number("abstractNumId").unwrap_or(0), None),
            "lvl" => level = element.number("ilvl").unwrap_or(0),
            "numFmt" if number.is_none() && level < MOST_LEVELS => {
                let counts = element.attribute("val").is_some_and(|format| format != "bullet" && format != "none");
                abstracts.entry(definition).or_default().insert(level, counts);
            }
            "num" => number = element.number("numId"),
            "abstractNumId" => {
                if let (Some(number), Some(of)) = (number, element.number("val")) {
                    let levels = abstracts.get(&of).into_iter().flatten();
                    found.extend(levels.map(|(level, counts)| ((number, *level), *counts)));
                }
            }
            _ => {}
        }
    });
    found
}

/// Cells of all tables: far more than a document has.
const MOST_CELLS: usize = 4_000_000;
/// Tables inside of tables; the cells of deeper ones are cells of the last.
const DEEPEST_TABLE: usize = 16;

#[derive(Default)]
struct DocxBody {
    rendering: Rendering,
    levels: HashMap<String, u8>,
    lists: HashMap<String, (usize, usize)>,
    relations: HashMap<String, String>,
    numbering: HashMap<(usize, usize), bool>,
    /// The last number of each level of a list.
    counters: HashMap<usize, Vec<usize>>,
    paragraph: DocxParagraph,
    tables: Vec<DocxTable>,
    /// Open tables that are too deep.
    deeper: usize,
    /// Cells so far.
    cells: usize,
    /// Inside of text that is shown: `w:t`.
    in_text: bool,
    /// Inside of something that is not shown: deleted text, the fallback of a drawing, field codes.
    hidden: usize,
    images: Vec<(String, String)>,
    /// Charts that are not written yet, by their relations.
    charts: HashMap<String, Chart>,
    /// Those of the open paragraph.
    charts_here: Vec<Chart>,
}

#[derive(Default)]
struct DocxParagraph {
    text: String,
    style: String,
    level: Option<u8>,
    list: Option<usize>,
    depth: usize,
}

#[derive(Default)]
struct DocxTable {
    rows: Vec<Vec<String>>,
    cell: String,
    /// Columns that the open cell covers.
    span: usize,
}

const HIDDEN: [&str; 4] = ["del", "moveFrom", "Fallback", "instrText"];

impl DocxBody {
    fn node(&mut self, node: XmlEvent<'_>) {
        match node {
            XmlEvent::Open(element) if HIDDEN.contains(&element.name) => self.hidden += 1,
            XmlEvent::Close(name) if HIDDEN.contains(&name) => self.hidden = self.hidden.saturating_sub(1),
            _ if self.hidden > 0 => {}
            XmlEvent::Open(element) => self.open(&element),
            XmlEvent::Text(text) if self.in_text => self.paragraph.text.push_str(text),
            XmlEvent::Text(_) => {}
            XmlEvent::Close(name) => self.close(name),
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        let value = || element.attribute("val").unwrap_or_default();
        match element.name {
            "t" => self.in_text = true,
            "tab" => self.paragraph.text.push('\t'),
            "br" | "cr" => self.paragraph.text.push('\n'),
            "noBreakHyphen" => self.paragraph.text.push('-'),
            "pStyle" => self.paragraph.style = value(),
            "outlineLvl" => {
                self.paragraph.level = element.number("val").filter(|level| *level < 9).map(|level| level as u8 + 1);
            }
            "numId" => self.paragraph.list = element.number("val").filter(|number| *number > 0),
            "ilvl" => self.paragraph.depth = element.number("val").unwrap_or(0),
            "footnoteReference" => self.reference(element, "^"),
            "endnoteReference" => self.reference(element, "^^"),
            "docPr" => {
                let alt = element.attribute("descr").or_else(|| element.attribute("title")).unwrap_or_default();
                self.images.push((alt, String::new()));
            }
            "blip" => {
                let target = element.attribute("embed").and_then(|id| self.relations.get(&id).cloned());
                if let (Some(target), Some(image)) = (target, self.images.last_mut()) {
                    image.1 = target;
                }
            }
            "chart" => {
                let chart = element.attribute("id").and_then(|id| self.charts.remove(&id));
                self.charts_here.extend(chart);
            }
            "tbl" if self.tables.len() >= DEEPEST_TABLE => self.deeper += 1,
            "tbl" => self.tables.push(DocxTable::default()),
            "gridSpan" => {
                if let Some(table) = self.tables.last_mut() {
                    table.span = element.number("val").unwrap_or(1).clamp(1, 64);
                }
            }
            "tr" => self.with_table(|table| table.rows.push(Vec::new())),
            "tc" => self.with_table(|table| (table.cell, table.span) = (String::new(), 1)),
            _ => {}
        }
    }

    fn reference(&mut self, element: &Element<'_>, mark: &str) {
        if let Some(id) = element.attribute("id") {
            self.paragraph.text.push_str(&format!("[{mark}{id}]"));
        }
    }

    fn with_table(&mut self, act: impl FnOnce(&mut DocxTable)) {
        if let Some(table) = self.tables.last_mut() {
            act(table);
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" => self.end_paragraph(),
            "tc" => self.end_cell(),
            "tbl" if self.deeper > 0 => self.deeper -= 1,
            "tbl" => self.end_table(),
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let cell = std::mem::take(&mut table.cell);
        self.cells += table.span.max(1);
        if let Some(row) = table.rows.last_mut().filter(|_| self.cells <= MOST_CELLS) {
            row.push(cell);
            row.extend((1..table.span).map(|_| String::new()));
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.tables.pop() else { return };
        match self.tables.last_mut() {
            // A table in a cell is lines of that cell.
            Some(outer) => table.rows.iter().for_each(|row| {
                outer.cell.push(' ');
                outer.cell.push_str(&row.join(" "));
            }),
            None => self.rendering.table(&table.rows),
        }
    }

    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        let images = std::mem::take(&mut self.images);
        if let Some(table) = self.tables.last_mut() {
            table.cell.push(' ');
            table.cell.push_str(&paragraph.text);
            return;
        }
        let level = paragraph.level.or_else(|| self.levels.get(&paragraph.style).copied());
        let list =
            paragraph.list.map(|list| (list, paragraph.depth)).or_else(|| self.lists.get(&paragraph.style).copied());
        match (level, list) {
            _ if paragraph.text.trim().is_empty() => {}
            (Some(level), _) => self.rendering.heading(level, &paragraph.text),
            (None, Some((list, depth))) => self.item(list, depth, &paragraph.text),
            _ => _ = self.rendering.paragraph(&paragraph.text),
        }
        for chart in std::mem::take(&mut self.charts_here) {
            chart.write(&mut self.rendering);
        }
        for (alt, target) in images.into_iter().filter(|(_, target)| !target.is_empty()) {
            self.rendering.image(&alt, "", ImageSource::Inside(resolved("word", &target)));
        }
    }

    fn item(&mut self, list: usize, depth: usize, text: &str) {
        if !self.numbering.get(&(list, depth)).copied().unwrap_or(false) {
            return self.rendering.item(depth, "-", text);
        }
        // A new item restarts the numbers below it.
        let numbers = self.counters.entry(list).or_default();
        numbers.resize(depth + 1, 0);
        numbers[depth] += 1;
        let marker = format!("{}.", numbers[depth]);
        self.rendering.item(depth, &marker, text);
    }

    /// The notes at the end, each with the mark it has in the text. The first two are lines that separate notes from
    /// the page.
    fn notes(&mut self, xml: &str, mark: &str) {
        let (mut id, mut text, mut in_text) = (String::new(), String::new(), false);
        walk(xml, |node| match node {
            XmlEvent::Open(element) => match element.name {
                "footnote" | "endnote" => {
                    let separator = element.attribute("type").is_some();
                    (id, text) = (element.attribute("id").filter(|_| !separator).unwrap_or_default(), String::new());
                }
                "t" => in_text = true,
                _ => {}
            },
            XmlEvent::Text(part) if in_text => text.push_str(part),
            XmlEvent::Close("t") => in_text = false,
            XmlEvent::Close("footnote" | "endnote") if !id.is_empty() && !text.trim().is_empty() => {
                self.rendering.paragraph(&format!("[{mark}{id}]: {}", text.trim()));
            }
            XmlEvent::Text(_) | XmlEvent::Close(_) => {}
        });
    }
}
