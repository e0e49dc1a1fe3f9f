//! `OpenDocument` presentations and drawings: each slide is a page, its title a heading, its lines paragraphs and list
//! items, its notes below.

use super::super::left_out::LeftOut;
use super::super::rendering::Rendering;
use super::super::{Sink, SkipReason, Source};
use super::archive::Archive;
use super::properties;
use super::xml::{Element, XmlEvent, walk};
use okno_document::{ImageSource, Loaded};

pub(super) fn load(archive: &mut Archive<'_>, source: &Source<'_>, out: &mut dyn Sink) -> Result<Loaded, SkipReason> {
    let mut slides = OdpSlides::default();
    walk(&archive.required("content.xml")?, |node| slides.node(node));
    if slides.rendering.is_blank() {
        for words in archive.text("styles.xml").map(|xml| of_master(&xml)).unwrap_or_default() {
            slides.rendering.paragraph(&words);
        }
    }
    if slides.comments > 0 {
        out.left_out(source.name, LeftOut::Comments { count: slides.comments });
    }
    let metadata = archive.text("meta.xml").map(|xml| properties::read(&xml)).unwrap_or_default();
    slides.rendering.finish(source, "odp", metadata)
}

/// The heads and feet that the masters of slides show, each once: slides without words show nothing else.
fn of_master(styles: &str) -> Vec<String> {
    let (mut found, mut text, mut inside): (Vec<String>, String, bool) = (Vec::new(), String::new(), false);
    walk(styles, |node| match node {
        XmlEvent::Open(element) if element.name == "frame" => {
            inside = element.attribute("class").is_some_and(|class| class == "header" || class == "footer");
        }
        XmlEvent::Text(words) if inside => text.push_str(words),
        XmlEvent::Close("p") if inside => {
            let words = std::mem::take(&mut text);
            if !words.trim().is_empty() && found.len() < MOST_MASTER_LINES && !found.contains(&words) {
                found.push(words);
            }
        }
        XmlEvent::Close("frame") => inside = false,
        _ => {}
    });
    found
}

/// Heads and feet of masters: far more than presentations have.
const MOST_MASTER_LINES: usize = 100;
/// Cells of all tables: far more than slides have.
const MOST_CELLS: usize = 200_000;

/// The frame that is open: what the slide uses it for.
#[derive(Default, PartialEq)]
enum SlideFrame {
    #[default]
    Other,
    Title,
    /// Dates, numbers, footers.
    Furniture,
}

#[derive(Default)]
struct OdpSlides {
    rendering: Rendering,
    pages: usize,
    frame: SlideFrame,
    text: String,
    /// Open paragraphs.
    open: usize,
    title: Vec<String>,
    lists: usize,
    rows: Option<Vec<Vec<String>>>,
    cell: String,
    cells: usize,
    hidden: usize,
    comments: usize,
}

const FURNITURE: [&str; 4] = ["header", "footer", "date-time", "page-number"];

impl OdpSlides {
    fn node(&mut self, node: XmlEvent<'_>) {
        match node {
            XmlEvent::Open(element) if element.name == "annotation" => {
                (self.hidden, self.comments) = (self.hidden + 1, self.comments + 1);
            }
            XmlEvent::Close("annotation") => self.hidden = self.hidden.saturating_sub(1),
            _ if self.hidden > 0 => {}
            XmlEvent::Open(element) => self.open(&element),
            XmlEvent::Text(text) if self.open > 0 => self.text.push_str(text),
            XmlEvent::Text(_) => {}
            XmlEvent::Close(name) => self.close(name),
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        match element.name {
            "page" => {
                self.pages += 1;
                self.rendering.page(self.pages.to_string());
            }
            "frame" | "custom-shape" => {
                let class = element.attribute("class").unwrap_or_default();
                self.frame = match class.as_str() {
                    "title" => SlideFrame::Title,
                    class if FURNITURE.contains(&class) => SlideFrame::Furniture,
                    _ => SlideFrame::Other,
                };
            }
            "p" | "h" => self.open += 1,
            "s" => self.text.push_str(&" ".repeat(element.number("c").unwrap_or(1).min(16))),
            "tab" => self.text.push('\t'),
            "line-break" => self.text.push('\n'),
            "list" => self.lists += 1,
            "table" => self.rows = Some(Vec::new()),
            "table-row" => self.rows.iter_mut().for_each(|rows| rows.push(Vec::new())),
            "table-cell" | "covered-table-cell" => self.cell.clear(),
            "image" if self.frame == SlideFrame::Other => {
                if let Some(part) = element.attribute("href").filter(|part| !part.is_empty()) {
                    self.rendering.image("", "", ImageSource::Inside(part));
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" | "h" => {
                self.open = self.open.saturating_sub(1);
                if self.open == 0 {
                    self.end_paragraph();
                }
            }
            "list" => self.lists = self.lists.saturating_sub(1),
            "table-cell" | "covered-table-cell" => {
                let cell = std::mem::take(&mut self.cell);
                self.cells += 1;
                if let Some(row) =
                    self.rows.as_mut().and_then(|rows| rows.last_mut()).filter(|_| self.cells < MOST_CELLS)
                {
                    row.push(cell);
                }
            }
            "table" => self.rendering.table(&self.rows.take().unwrap_or_default()),
            "frame" | "custom-shape" => {
                let title = std::mem::take(&mut self.title);
                self.rendering.heading(1, &title.join(" "));
                self.frame = SlideFrame::Other;
            }
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.text);
        match self.frame {
            _ if self.rows.is_some() => {
                self.cell.push(' ');
                self.cell.push_str(&text);
            }
            SlideFrame::Title => self.title.push(text),
            SlideFrame::Furniture => {}
            SlideFrame::Other if self.lists > 0 => self.rendering.item(self.lists - 1, "-", &text),
            SlideFrame::Other => _ = self.rendering.paragraph(&text),
        }
    }
}
