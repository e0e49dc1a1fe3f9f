//! EPUB books: the chapters in the order of the spine, each rendered like a page of HTML.

use std::collections::{HashMap, HashSet};

use super::super::guard::DocumentParts;
use super::super::rendering::Rendering;
use super::super::{DamagedPart, Html, Loader, Sink, SkipReason, Source};
use super::archive::Archive;
use super::xml::{XmlEvent, resolved, walk};
use super::{damaged, properties};
use okno_document::{Block, BlockKind, ImageSource, Loaded};

pub(super) fn load(
    archive: &mut Archive<'_>,
    source: &Source<'_>,
    parts: &mut DocumentParts,
) -> Result<Loaded, SkipReason> {
    let package =
        package_path(&archive.required("META-INF/container.xml")?).ok_or_else(|| damaged(DamagedPart::NoBook))?;
    let xml = archive.required(&package)?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut rendering = Rendering::default();
    for href in spine(&xml) {
        let part = resolved(folder, &href);
        let Ok(bytes) = archive.read(&part) else { continue };
        let mut chapter = Chapter { rendering: &mut rendering, folder: part.rsplit_once('/').map_or("", |(f, _)| f) };
        // A chapter that is only a picture has no text; the others do.
        let page = Source { content: Some(&bytes), ..*source };
        _ = parts.read(|| part.clone(), || Html.load(&page, &mut chapter));
    }
    rendering.finish(source, "epub", properties::read(&xml))
}

fn package_path(container: &str) -> Option<String> {
    let mut found = None;
    walk(container, |node| {
        if let XmlEvent::Open(element) = node
            && element.name == "rootfile"
            && found.is_none()
        {
            found = element.attribute("full-path");
        }
    });
    found
}

/// The files of the book's text, in reading order.
fn spine(package: &str) -> Vec<String> {
    let mut items: HashMap<String, String> = HashMap::new();
    let mut order = Vec::new();
    walk(package, |node| {
        let XmlEvent::Open(element) = node else { return };
        match element.name {
            "item" => {
                if let (Some(id), Some(href)) = (element.attribute("id"), element.attribute("href")) {
                    items.insert(id, unescaped(&href));
                }
            }
            "itemref" if element.attribute("linear").as_deref() != Some("no") => {
                order.extend(element.attribute("idref"));
            }
            _ => {}
        }
    });
    // A chapter stands in a book once.
    let mut seen = HashSet::new();
    order.iter().filter_map(|id| items.get(id)).filter(|href| seen.insert(*href)).cloned().collect()
}

/// `chapter%201.xhtml` is `chapter 1.xhtml`.
fn unescaped(href: &str) -> String {
    let mut bytes = Vec::with_capacity(href.len());
    let mut rest = href.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let escaped = digits.filter(|_| first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Appends the blocks of a page to the book.
struct Chapter<'r> {
    rendering: &'r mut Rendering,
    folder: &'r str,
}

impl Sink for Chapter<'_> {
    fn document(&mut self, loaded: Loaded) {
        let headed = loaded.blocks.iter().any(|block| matches!(block.kind, BlockKind::Heading(_)));
        if !headed && !loaded.title.is_empty() && loaded.text.len() > 500 {
            self.rendering.heading(2, &loaded.title);
        }
        let inside = |image: &str| ImageSource::Inside(resolved(self.folder, image));
        let mut images = loaded.images.iter().peekable();
        for Block { kind, span } in &loaded.blocks {
            let start = self.rendering.raw(*kind, span.of(&loaded.text));
            while let Some(image) = images.next_if(|image| image.span.start < span.end) {
                let source = match &image.source {
                    ImageSource::Reference(target) => inside(target),
                    carried => carried.clone(),
                };
                let at = start + (image.span.start.max(span.start) - span.start) as usize;
                let end = (at + image.span.len()).min(self.rendering.len());
                let place = okno_document::Span::new(at.min(end), end);
                self.rendering.image_at(place, &image.alt, &image.caption, source);
            }
        }
    }

    fn skip(&mut self, _: &str, _: SkipReason) {}
}
