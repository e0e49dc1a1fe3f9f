//! The text of a format that must be rendered, while it is written: blocks, pages and images note their place as they
//! come.
//!
//! Office files, books, sheets, mails and PDF pages all end here, so that a heading, a list item or a table looks the
//! same whatever it came from: as Markdown would write it, with a blank line between blocks.

use super::encoding::NotText;
use super::{SkipReason, Source, file_metadata};
use okno_document::text::{detect_language, primary_language};
use okno_document::{Block, BlockKind, Image, ImageSource, Loaded, Metadata, Page, Seen, Span, Value, table};

/// Indentation of nested lists stops here: deeper nesting is noise.
const DEEPEST_INDENT: usize = 8;

/// A text in the making.
#[derive(Debug, Default)]
pub(super) struct Rendering {
    text: String,
    blocks: Vec<Block>,
    pages: Vec<Page>,
    images: Vec<Image>,
    /// The last block was a list item.
    in_list: bool,
}

// Without the formats that are features, not all of it is used.
#[cfg_attr(not(all(feature = "pdf", feature = "office")), allow(dead_code))]
impl Rendering {
    /// A page begins with what is written next.
    pub fn page(&mut self, label: impl Into<String>) {
        let start = self.text.len();
        self.page_at(label, start);
    }

    /// A page begins at this byte of what was already written. The first one begins at the beginning.
    pub fn page_at(&mut self, label: impl Into<String>, start: usize) {
        let start = if self.pages.is_empty() { 0 } else { start };
        self.pages.push(Page { label: label.into(), start: start as u32 });
    }

    /// Numbered pages up to this one begin with what is written next; those without text begin there too.
    pub fn fill_pages(&mut self, count: usize) {
        self.fill_pages_at(count, self.text.len());
    }

    /// Numbered pages up to this one begin at this byte of what was already written.
    pub fn fill_pages_at(&mut self, count: usize, start: usize) {
        for number in self.pages.len()..count {
            self.page_at((number + 1).to_string(), start);
        }
    }

    /// Gives pages what is printed on them; those without stay numbered.
    pub fn label_pages(&mut self, labels: Vec<String>) {
        for (page, label) in self.pages.iter_mut().zip(labels).filter(|(_, label)| !label.trim().is_empty()) {
            page.label = label;
        }
    }

    fn separator(&self, item: bool) -> &'static str {
        match (self.text.is_empty(), self.in_list && item) {
            (true, _) => "",
            (_, true) => "\n",
            _ => "\n\n",
        }
    }

    /// Writes a heading of this level.
    pub fn heading(&mut self, level: u8, words: &str) {
        let level = level.clamp(1, 6);
        let marks = &"######"[..usize::from(level)];
        let words = one_line(words);
        if !words.is_empty() {
            self.write(BlockKind::Heading(level), &format!("{marks} {words}"));
        }
    }

    /// Writes running text; where it begins.
    pub fn paragraph(&mut self, text: &str) -> usize {
        self.write(BlockKind::Paragraph, text)
    }

    /// Writes a block as it is; where it begins.
    pub fn raw(&mut self, kind: BlockKind, text: &str) -> usize {
        self.write(kind, text)
    }

    /// Writes an item of a list; `depth` counts from 0.
    pub fn item(&mut self, depth: usize, marker: &str, words: &str) {
        let words = one_line(words);
        if words.is_empty() {
            return;
        }
        self.text.push_str(self.separator(true));
        self.text.push_str(&"  ".repeat(depth.min(DEEPEST_INDENT)));
        let start = self.text.len();
        self.text.push_str(marker);
        self.text.push(' ');
        self.text.push_str(&words);
        self.blocks.push(Block { kind: BlockKind::ListItem, span: Span::new(start, self.text.len()) });
        self.in_list = true;
    }

    /// Writes a table whose first row is its header. A table of one column is a list of paragraphs, as people read it.
    pub fn table<C: AsRef<str>>(&mut self, rows: &[Vec<C>]) {
        let filled = |row: &&Vec<C>| row.iter().any(|cell| !cell.as_ref().trim().is_empty());
        let mut rows = rows.iter().filter(filled).peekable();
        let Some(first) = rows.next() else { return };
        if first.len() < 2 && rows.peek().is_none_or(|row| row.len() < 2) {
            for cell in std::iter::once(first).chain(rows).flatten() {
                self.paragraph(cell.as_ref());
            }
            return;
        }
        let mut writer = self.open_table(first);
        rows.for_each(|row| writer.row(row.iter().map(AsRef::as_ref)));
        writer.close();
    }

    /// Begins a table that is written row by row.
    pub fn open_table<C: AsRef<str>>(&mut self, header: &[C]) -> TableWriter<'_> {
        self.text.push_str(self.separator(false));
        let start = self.text.len();
        table::write_row(&mut self.text, header.iter().map(AsRef::as_ref));
        self.text.push('\n');
        table::write_rule(&mut self.text, header.len());
        TableWriter { rendering: self, start }
    }

    /// Writes the line that stands for an image: its caption or alternative text.
    pub fn image(&mut self, alt: &str, caption: &str, source: ImageSource) {
        let words = [caption, alt].into_iter().map(one_line).find(|words| !words.is_empty());
        let start = match words {
            Some(words) => self.paragraph(&words),
            None => self.text.len(),
        };
        self.image_at(Span::new(start, self.text.len()), alt, caption, source);
    }

    /// Notes an image whose place is already written.
    pub fn image_at(&mut self, span: Span, alt: &str, caption: &str, source: ImageSource) {
        self.images.push(Image {
            span,
            alt: alt.trim().to_owned(),
            caption: caption.trim().to_owned(),
            source,
            seen: None,
        });
    }

    /// Notes an image whose bytes were already looked at.
    pub fn seen_at(&mut self, span: Span, alt: &str, source: ImageSource, seen: Seen) {
        self.image_at(span, alt, "", source);
        if let Some(image) = self.images.last_mut() {
            image.seen = Some(seen);
        }
    }

    fn write(&mut self, kind: BlockKind, text: &str) -> usize {
        let text = text.trim_end();
        let text = if kind == BlockKind::Code { text.trim_matches(['\n', '\r']) } else { text.trim_start() };
        if text.trim().is_empty() {
            return self.text.len();
        }
        let item = kind == BlockKind::ListItem;
        self.text.push_str(self.separator(item));
        let start = self.text.len();
        self.text.push_str(text);
        self.blocks.push(Block { kind, span: Span::new(start, self.text.len()) });
        self.in_list = item;
        start
    }

    /// How many bytes are written.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing is written.
    pub fn is_blank(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The first heading of the highest level among the first blocks.
    pub fn first_heading(&self) -> Option<String> {
        let first = self.blocks.iter().find(|block| matches!(block.kind, BlockKind::Heading(_)))?;
        Some(first.span.of(&self.text).trim_start_matches('#').trim().to_owned())
    }

    /// The finished document. What `metadata` says of title and language is taken out of it.
    pub fn finish(mut self, source: &Source<'_>, kind: &str, mut metadata: Metadata) -> Result<Loaded, SkipReason> {
        if self.is_blank() {
            return Err(NotText::Blank.into());
        }
        self.text.push('\n');
        let end = self.text.len() as u32;
        for page in &mut self.pages {
            page.start = page.start.min(end);
        }
        // Moments of a recording are no pages to be counted.
        if self.pages.first().is_some_and(|page| !page.label.contains(':')) {
            metadata.set("pages", Value::Number(self.pages.len() as f64));
        }
        file_metadata(&mut metadata, source, kind);
        let mut taken = |key: &str| metadata.0.remove(key).as_ref().and_then(super::values::display);
        let (title, given) = (taken("title"), taken("language"));
        Ok(Loaded {
            id: None,
            title: title.or_else(|| self.first_heading()).unwrap_or_else(|| source.stem()),
            language: given.map(|tag| primary_language(&tag)).or_else(|| detect_language(&self.text)),
            text: self.text,
            blocks: self.blocks,
            metadata,
            pages: self.pages,
            images: self.images,
        })
    }
}

/// A table that is open.
pub(super) struct TableWriter<'r> {
    rendering: &'r mut Rendering,
    start: usize,
}

impl TableWriter<'_> {
    /// Writes the next row.
    pub fn row<'c>(&mut self, cells: impl IntoIterator<Item = &'c str>) {
        self.rendering.text.push('\n');
        table::write_row(&mut self.rendering.text, cells);
    }

    /// How many bytes the text has.
    pub fn len(&self) -> usize {
        self.rendering.text.len()
    }

    /// Ends the table: it is one block.
    pub fn close(self) {
        let span = Span::new(self.start, self.rendering.text.len());
        self.rendering.blocks.push(Block { kind: BlockKind::Table, span });
        self.rendering.in_list = false;
    }
}

/// Words with single spaces between them.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds words to a text: with a space between, unless both sides are Chinese.
pub(super) fn join(text: &mut String, words: &str) {
    let wide = |c: Option<char>| c.is_some_and(|c| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}'));
    let glued = text.is_empty() || (wide(text.chars().next_back()) && wide(words.chars().next()));
    if !glued {
        text.push(' ');
    }
    text.push_str(words);
}
