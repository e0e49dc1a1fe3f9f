//! `okno load`: what a loader makes of a file – its text, structure and metadata – without any index.

use crate::globals::Globals;
use crate::locale::{language, say};
use crate::values::bytes;
use crate::{errors, output};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use okno::document::{Block, BlockKind, CodePoints, Image, ImageSource, Loaded, table};
use okno::load::{
    ImageReader, JsonlFields, LeftOut, Sink, SkipReason, WalkOptions, builtin_reading, load_file, look_at_images, walk,
};
use okno::message::Message;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// What to read.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// A file or folder
    path: PathBuf,
    /// Treat each line of a plain text file as a document
    #[arg(long)]
    lines: bool,
    /// Skip files larger than this, e.g. `64MB`
    #[arg(long, value_name = "BYTES", default_value = "64MB", value_parser = bytes)]
    max_file_size: u64,
    /// Which fields of JSON lines hold what
    #[arg(long, value_name = "id=doc_id,text=body,…")]
    jsonl_fields: Option<String>,
}

pub fn run(globals: &Globals, args: &LoadArgs) -> Result<()> {
    let fields: JsonlFields = args.jsonl_fields.as_deref().unwrap_or_default().parse()?;
    let reader = crate::ocr::reader()?;
    let loaders = builtin_reading(fields, args.lines, reader.as_ref());
    let mut sink =
        DocumentPrinter { json: globals.json, documents: 0, skipped: 0, failed: None, path: PathBuf::new(), reader };
    for entry in walk(&args.path, &WalkOptions::default()) {
        match entry {
            Ok(entry) => {
                sink.path.clone_from(&entry.path);
                load_file(&entry, &loaders, args.max_file_size, &mut sink);
            }
            Err(skipped) => sink.skip(&skipped.place, skipped.reason),
        }
        if let Some(error) = sink.failed.take() {
            return Err(error);
        }
    }
    if sink.documents == 0 {
        let path = args.path.display().to_string();
        bail!(say!("no document could be read from `{}`", "没有从 `{}` 读到任何文档", path));
    }
    Ok(())
}

/// Prints each document as it is read: a folder may be larger than memory.
struct DocumentPrinter {
    json: bool,
    documents: usize,
    skipped: usize,
    failed: Option<anyhow::Error>,
    /// The current file, beside which its images are.
    path: PathBuf,
    reader: Option<Arc<dyn ImageReader>>,
}

impl Sink for DocumentPrinter {
    fn document(&mut self, mut loaded: Loaded) {
        self.documents += 1;
        look_at_images(&self.path, &mut loaded, self.reader.as_deref());
        note_unread(&loaded, self.reader.is_some());
        if self.failed.is_none() {
            let printed = if self.json { print_json(&loaded) } else { print(&loaded) };
            self.failed = printed.err();
        }
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        self.skipped += 1;
        let (place, words) = (output::printable(place), output::printable(&errors::of_file(&reason)));
        output::note(&if reason.is_partial() {
            say!("read only in part: {} – {}", "只读取了一部分：{} —— {}", place, words)
        } else {
            say!("skipped {} – {}", "跳过 {} —— {}", place, words)
        });
    }

    fn left_out(&mut self, place: &str, what: LeftOut) {
        note_left_out(place, &what.text(language()));
    }
}

fn note_left_out(place: &str, what: &str) {
    output::note(&say!("left out of {} – {}", "{} 中未读取 —— {}", output::printable(place), output::printable(what)));
}

/// Tells which pages and images of a document have no text.
fn note_unread(loaded: &Loaded, reads_images: bool) {
    let file = loaded.metadata.get("path").map(ToString::to_string).unwrap_or_default();
    let place = loaded.id.as_deref().unwrap_or(&file);
    let unseen = |image: &&Image| image.seen.as_ref().is_none_or(|seen| seen.text.is_empty());
    // What is read in an image file is its text: a title and what was seen.
    let file_was_read = |image: &&Image| image.span.len() + 1 >= loaded.text.len() && loaded.blocks.len() > 1;
    // What is read on a scanned page is the text at its place.
    let is_page = |image: &&Image| image.alt.is_empty() && image.caption.is_empty() && !image.span.is_empty();
    let was_read = |image: &&Image| file_was_read(image) || is_page(image);
    let images = loaded.images.iter().filter(|image| unseen(image) && !was_read(image)).count();
    let blank = blank_pages(loaded);
    if images > 0 && reads_images {
        note_left_out(
            place,
            &say!("images in which OCR found no text: {}", "文字识别没有读到文字的图片：{} 张", images),
        );
    } else if images > 0 {
        note_left_out(
            place,
            &say!(
                "images that only OCR reads: {} (`okno models add rapidocr FILE`)",
                "需要文字识别才能读取的图片：{} 张（`okno models add rapidocr FILE`）",
                images
            ),
        );
    }
    if !blank.is_empty() {
        let shown: Vec<&str> = blank.iter().copied().take(SHOWN_PAGES).collect();
        let more = if blank.len() > SHOWN_PAGES { " …" } else { "" };
        let shown = format!("{}{more}", shown.join(", "));
        note_left_out(place, &say!("{} pages without text: {}", "{} 页没有文字：{}", blank.len(), shown));
    }
}

/// Pages that are named; the others are counted.
const SHOWN_PAGES: usize = 12;

/// The labels of pages without a letter. Moments of a recording are no pages.
fn blank_pages(loaded: &Loaded) -> Vec<&str> {
    let ends = loaded.pages.iter().skip(1).map(|page| page.start as usize).chain([loaded.text.len()]);
    let pages = loaded.pages.iter().zip(ends).filter(|(page, end)| {
        let text = loaded.text.get(page.start as usize..*end).unwrap_or_default();
        !page.label.contains(':') && !text.contains(char::is_alphanumeric)
    });
    pages.map(|(page, _)| page.label.as_str()).collect()
}

fn print_json(loaded: &Loaded) -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &document_json(loaded))?;
    Ok(writeln!(out)?)
}

/// A document with everything a loader says about it; offsets in code points.
fn document_json(loaded: &Loaded) -> Value {
    let mut walk = CodePoints::new(&loaded.text);
    let mut blocks = Vec::with_capacity(loaded.blocks.len());
    for (at, block) in loaded.blocks.iter().enumerate() {
        let (start, end) = (walk.at(block.span.start).0, walk.at(block.span.end).0);
        blocks.push(block_json(loaded, at, block, start, end));
    }
    let mut walk = CodePoints::new(&loaded.text);
    let pages: Vec<Value> =
        loaded.pages.iter().map(|page| json!({"label": page.label, "start": walk.at(page.start).0})).collect();
    let mut walk = CodePoints::new(&loaded.text);
    let images: Vec<Value> = loaded
        .images
        .iter()
        .map(|image| {
            let (start, end) = (walk.at(image.span.start).0, walk.at(image.span.end).0);
            let mut json = json!({
                "start": start, "end": end, "alt": image.alt, "caption": image.caption,
                "source": source_json(&image.source),
            });
            if let Some(seen) = &image.seen {
                (json["hash"], json["media_type"]) = (seen.hash.to_string().into(), json!(seen.media));
                json["text"] = seen.text.as_str().into();
            }
            json
        })
        .collect();
    json!({
        "id": loaded.id, "title": loaded.title, "language": loaded.language, "metadata": loaded.metadata.to_json(),
        "text": loaded.text, "blocks": blocks, "pages": pages, "images": images,
    })
}

fn block_json(loaded: &Loaded, at: usize, block: &Block, start: usize, end: usize) -> Value {
    let mut json = json!({"kind": kind(block.kind), "start": start, "end": end});
    match block.kind {
        BlockKind::Heading(level) => json["level"] = level.into(),
        BlockKind::Table => {
            if let Some(table) = table::read(block.span.of(&loaded.text)) {
                (json["header"], json["rows"]) = (json!(table.header), json!(table.rows));
            }
            let caption = table::caption(&loaded.text, &loaded.blocks, at);
            json["caption"] = json!(caption.map(|span| span.of(&loaded.text)));
        }
        _ => {}
    }
    json
}

fn kind(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Heading(_) => "heading",
        BlockKind::Paragraph => "paragraph",
        BlockKind::ListItem => "list_item",
        BlockKind::Code => "code",
        BlockKind::Table => "table",
        BlockKind::FrontMatter => "front_matter",
        BlockKind::Markup => "markup",
    }
}

fn source_json(source: &ImageSource) -> Value {
    match source {
        ImageSource::Reference(path) => json!({"reference": path}),
        ImageSource::Inside(part) => json!({"inside": part}),
        ImageSource::Bytes(bytes) => json!({"bytes": bytes.len()}),
    }
}

/// For people: what is known about the document, its outline, its text.
fn print(loaded: &Loaded) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", output::printable(&loaded.title))?;
    let name = loaded.id.as_deref().map(|id| format!("id: {id}"));
    let language = loaded.language.as_deref().map(|language| say!("language: {}", "语言：{}", language));
    for line in name.into_iter().chain(language) {
        writeln!(out, "  {}", output::printable(&line))?;
    }
    for (field, value) in &loaded.metadata.0 {
        writeln!(out, "  {}: {}", output::printable(field), output::printable(&value.to_string()))?;
    }
    writeln!(out, "  {}\n", counts(loaded))?;
    let headings = loaded.blocks.iter().filter_map(|block| match block.kind {
        BlockKind::Heading(level) => Some((level, block.span.of(&loaded.text))),
        _ => None,
    });
    for (level, words) in headings {
        let words = okno::load::heading_text(words);
        writeln!(out, "  {}{}", "  ".repeat(usize::from(level)), output::printable(&words))?;
    }
    writeln!(out, "\n{}", output::printable_text(&loaded.text)).context("standard output")
}

fn counts(loaded: &Loaded) -> String {
    let count = |kind: &str| loaded.blocks.iter().filter(|block| self::kind(block.kind) == kind).count();
    say!(
        "{} characters, {} blocks, {} tables, {} pages, {} images",
        "{} 个字符，{} 个块，{} 个表格，{} 页，{} 张图片",
        loaded.text.chars().count(),
        loaded.blocks.len(),
        count("table"),
        loaded.pages.len(),
        loaded.images.len()
    )
}
