//! Presentations: each slide is a page, its title a heading, its lines paragraphs and list items, its notes below.

use std::collections::HashMap;

use super::super::guard::DocumentParts;
use super::super::rendering::Rendering;
use super::super::{SkipReason, Source};
use super::archive::Archive;
use super::drawings::Chart;
use super::properties;
use super::xml::{Element, XmlEvent, relations, resolved, walk};
use okno_document::{ImageSource, Loaded};

pub(super) fn load(
    archive: &mut Archive<'_>,
    source: &Source<'_>,
    parts: &mut DocumentParts,
) -> Result<Loaded, SkipReason> {
    let mut rendering = Rendering::default();
    let slides = slides(archive)?;
    for (number, part) in slides.iter().enumerate() {
        rendering.page((number + 1).to_string());
        parts.read(|| part.clone(), || slide(archive, part, &mut rendering));
    }
    if rendering.is_blank()
        && let Some(part) = slides.first()
    {
        parts.read(|| part.clone(), || behind(archive, part, &mut rendering));
    }
    rendering.finish(source, "pptx", properties::core(archive))
}

fn slide(archive: &mut Archive<'_>, part: &str, rendering: &mut Rendering) {
    let Some(xml) = archive.text(part) else { return };
    let relations = archive.relations_of(part);
    let slide = Slide::read(&xml);
    drop(xml);
    slide.write(rendering, &relations);
    for target in archive.targets_of(part, "charts/chart") {
        if let Some(xml) = archive.text(&target) {
            Chart::read(&xml).write(rendering);
        }
    }
    let notes = relations.values().find(|target| target.contains("notesSlide"));
    if let Some(xml) = notes.and_then(|target| archive.text(&resolved("ppt/slides", target))) {
        Slide::read(&xml).write_notes(rendering);
    }
}

/// What the layout and the master of a slide show on it. It is the same on every slide, and mostly a name or a motto:
/// it is read where slides have nothing else.
fn behind(archive: &mut Archive<'_>, part: &str, rendering: &mut Rendering) {
    for layout in archive.targets_of(part, "slideLayouts/") {
        let masters = archive.targets_of(&layout, "slideMasters/");
        for part in std::iter::once(layout).chain(masters) {
            if let Some(xml) = archive.text(&part) {
                Slide::read(&xml).write_own(rendering);
            }
        }
    }
}

/// The slides in the order they are shown.
fn slides(archive: &mut Archive<'_>) -> Result<Vec<String>, SkipReason> {
    let relations = archive.text("ppt/_rels/presentation.xml.rels").map(|xml| relations(&xml)).unwrap_or_default();
    let mut found = Vec::new();
    walk(&archive.required("ppt/presentation.xml")?, |node| {
        if let XmlEvent::Open(element) = node
            && element.name == "sldId"
        {
            // `id` and `r:id` have the same local name; the relation is the one that is known.
            element.attributes(|_, id| found.extend(relations.get(&id).map(|target| resolved("ppt", target))));
        }
    });
    if found.is_empty() {
        found = archive.names().into_iter().filter(|name| name.starts_with("ppt/slides/slide")).collect();
        found.sort_by_key(|name| (name.len(), name.clone()));
    }
    Ok(found)
}

/// A shape with text, a table, or a picture.
enum PptxShape {
    Text { title: bool, furniture: bool, placeholder: bool, paragraphs: Vec<(usize, bool, String)> },
    Table(Vec<Vec<String>>),
    Picture { alt: String, relation: String },
}

#[derive(Default)]
struct Slide {
    shapes: Vec<PptxShape>,
}

#[derive(Default)]
struct SlideReader {
    slide: Slide,
    placeholder: String,
    alt: String,
    paragraphs: Vec<(usize, bool, String)>,
    text: String,
    depth: usize,
    bullet: Option<bool>,
    in_text: bool,
    rows: Option<Vec<Vec<String>>>,
}

impl Slide {
    fn read(xml: &str) -> Self {
        let mut reading = SlideReader::default();
        walk(xml, |node| match node {
            XmlEvent::Open(element) => reading.open(&element),
            XmlEvent::Text(text) if reading.in_text => reading.text.push_str(text),
            XmlEvent::Text(_) => {}
            XmlEvent::Close(name) => reading.close(name),
        });
        reading.slide
    }

    fn write(self, rendering: &mut Rendering, relations: &HashMap<String, String>) {
        // The title first, wherever it was drawn.
        let (titles, rest): (Vec<PptxShape>, Vec<PptxShape>) =
            self.shapes.into_iter().partition(|shape| matches!(shape, PptxShape::Text { title: true, .. }));
        for shape in titles.into_iter().chain(rest) {
            match shape {
                PptxShape::Text { furniture: true, .. } => {}
                PptxShape::Text { title: true, paragraphs, .. } => {
                    let words: Vec<String> = paragraphs.into_iter().map(|(_, _, text)| text).collect();
                    rendering.heading(1, &words.join(" "));
                }
                PptxShape::Text { paragraphs, .. } => write_paragraphs(rendering, &paragraphs),
                PptxShape::Table(rows) => rendering.table(&rows),
                PptxShape::Picture { alt, relation } => {
                    if let Some(target) = relations.get(&relation) {
                        rendering.image(&alt, "", ImageSource::Inside(resolved("ppt/slides", target)));
                    }
                }
            }
        }
    }

    /// What the speaker says: the body of the notes page, not its copy of the slide and its number.
    fn write_notes(self, rendering: &mut Rendering) {
        for shape in self.shapes {
            if let PptxShape::Text { title: false, furniture: false, paragraphs, .. } = shape {
                for (_, _, text) in &paragraphs {
                    rendering.paragraph(text);
                }
            }
        }
    }

    /// The text of a master that is not there to be replaced.
    fn write_own(self, rendering: &mut Rendering) {
        for shape in self.shapes {
            if let PptxShape::Text { placeholder: false, paragraphs, .. } = shape {
                write_paragraphs(rendering, &paragraphs);
            }
        }
    }
}

/// Several lines of a body are a list, one alone is a paragraph.
fn write_paragraphs(rendering: &mut Rendering, paragraphs: &[(usize, bool, String)]) {
    for (depth, listed, text) in paragraphs {
        if *listed && paragraphs.len() > 1 {
            rendering.item(*depth, "-", text);
        } else {
            rendering.paragraph(text);
        }
    }
}

impl SlideReader {
    fn open(&mut self, element: &Element<'_>) {
        match element.name {
            "sp" | "pic" | "graphicFrame" => (self.placeholder, self.alt) = (String::new(), String::new()),
            "ph" => self.placeholder = element.attribute("type").unwrap_or_else(|| "body".to_owned()),
            "cNvPr" => self.alt = element.attribute("descr").unwrap_or_default(),
            "t" => self.in_text = true,
            "br" => self.text.push('\n'),
            "p" => (self.text, self.depth, self.bullet) = (String::new(), 0, None),
            "pPr" => self.depth = element.number("lvl").unwrap_or(0),
            "buNone" => self.bullet = Some(false),
            "buChar" | "buAutoNum" => self.bullet = Some(true),
            "blip" => {
                let relation = element.attribute("embed").unwrap_or_default();
                self.slide.shapes.push(PptxShape::Picture { alt: self.alt.clone(), relation });
            }
            "tbl" => self.rows = Some(Vec::new()),
            "tr" => self.rows.iter_mut().for_each(|rows| rows.push(Vec::new())),
            "tc" => self.paragraphs.clear(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" => self.end_paragraph(),
            "tc" => {
                let cell: Vec<String> = self.paragraphs.drain(..).map(|(_, _, text)| text).collect();
                if let Some(row) = self.rows.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(cell.join(" "));
                }
            }
            "tbl" => self.slide.shapes.extend(self.rows.take().map(PptxShape::Table)),
            "sp" => self.end_shape(),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.trim().is_empty() {
            // In the body of a slide lines are a list unless they say otherwise; elsewhere the other way round.
            let listed = self.bullet.unwrap_or(self.placeholder == "body");
            self.paragraphs.push((self.depth, listed, text));
        }
    }

    fn end_shape(&mut self) {
        let paragraphs = std::mem::take(&mut self.paragraphs);
        if !paragraphs.is_empty() {
            let title = matches!(self.placeholder.as_str(), "title" | "ctrTitle");
            let furniture = matches!(self.placeholder.as_str(), "sldNum" | "dt" | "ftr" | "hdr");
            let placeholder = !self.placeholder.is_empty();
            self.slide.shapes.push(PptxShape::Text { title, furniture, placeholder, paragraphs });
        }
    }
}
