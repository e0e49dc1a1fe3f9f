//! Lines and tables in reading order come in; out go headings, paragraphs, list items and tables, written into a text.
//!
//! A PDF breaks lines where the page ends, not where a paragraph does. A line goes on in the next one unless
//! something says otherwise: a wider gap, another letter size, an indentation, a list marker – or that the next word
//! would still have fitted on the line. Paragraphs go on over columns and pages. Headings are larger than the text,
//! or bold and alone.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::super::rendering::Rendering;
use super::columns::{PdfLine, PdfPiece};
use super::letters::{self, is_wide};
use super::tables::PdfTable;
use okno_document::{BlockKind, ImageHash, ImageSource, MediaType, Seen, Span};

/// A heading is at least this much larger than the text.
const LARGER: f64 = 1.15;
/// Headings are short (characters); longer large print is an introduction.
const LONGEST_HEADING: usize = 120;
/// More lines of large print are no heading; of bold print, one line less.
const MOST_HEADING_LINES: usize = 3;

/// Writes the pages of a document.
pub(super) fn write(pages: Vec<Vec<PdfPiece>>) -> Rendering {
    let style = UsualStyle::of(&pages);
    let mut writer = BlockWriter {
        style,
        rendering: Rendering::default(),
        page: 0,
        open: None,
        table: None,
        pictures: Vec::new(),
        comments: Vec::new(),
    };
    for (number, page) in pages.into_iter().enumerate() {
        writer.page = number;
        writer.pieces(page);
    }
    writer.close();
    let count = writer.page + 1;
    writer.rendering.fill_pages(count);
    writer.rendering
}

/// What is usual in this document.
struct UsualStyle {
    body: f64,
    /// The distance of two lines in letter sizes.
    leading: f64,
    /// The sizes of headings, in tenths of the text's size, largest first.
    sizes: Vec<i64>,
    /// Words written with a hyphen inside a line.
    compounds: HashSet<String>,
    bold_is_rare: bool,
}

impl UsualStyle {
    fn of(pages: &[Vec<PdfPiece>]) -> Self {
        let lines = || {
            pages.iter().flatten().filter_map(|piece| if let PdfPiece::Line(line) = piece { Some(line) } else { None })
        };
        let mut letters: BTreeMap<i64, usize> = BTreeMap::new();
        let (mut all, mut bold) = (0, 0);
        for line in lines() {
            *letters.entry((line.size * 4.0).round() as i64).or_default() += line.text.len();
            all += line.text.len();
            bold += if line.bold { line.text.len() } else { 0 };
        }
        let body = letters.iter().max_by_key(|(_, count)| **count).map_or(10.0, |(size, _)| *size as f64 / 4.0);
        let large = |line: &&PdfLine| line.size >= body * LARGER && can_be_heading(line);
        let sizes: BTreeSet<i64> = lines().filter(large).map(|line| tenths(line.size, body)).collect();
        Self {
            body,
            leading: leading(pages),
            sizes: sizes.into_iter().rev().collect(),
            compounds: lines().flat_map(|line| letters::compounds(&line.text)).collect(),
            bold_is_rare: bold * 4 < all,
        }
    }

    /// The level of a line as a heading.
    fn heading(&self, line: &PdfLine) -> Option<u8> {
        if !can_be_heading(line) {
            return None;
        }
        if line.size >= self.body * LARGER {
            let size = tenths(line.size, self.body);
            return Some(self.sizes.iter().position(|known| *known == size).unwrap_or(0).min(3) as u8 + 1);
        }
        let standing_out = line.bold && self.bold_is_rare && line.size >= self.body * 0.95;
        (standing_out && !letters::ends_sentence(&line.text)).then_some(self.sizes.len().min(3) as u8 + 1)
    }
}

/// Sizes in tenths of the text's, so that rounding of the layout makes no levels.
fn tenths(size: f64, body: f64) -> i64 {
    (size / body * 10.0).round() as i64
}

fn can_be_heading(line: &PdfLine) -> bool {
    let length = line.text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum::<usize>();
    let stops = ['.', ',', ';', '。', '，', '；', '、'];
    (2..=LONGEST_HEADING).contains(&length)
        && line.text.chars().filter(|c| c.is_alphabetic()).count() * 2
            >= line.text.chars().filter(|c| !c.is_whitespace()).count()
        && !(line.text.ends_with(stops) && length > 40)
}

/// The median distance between neighbouring lines of the same size.
fn leading(pages: &[Vec<PdfPiece>]) -> f64 {
    let mut gaps: Vec<f64> = Vec::new();
    for page in pages {
        for pair in page.windows(2) {
            if let [PdfPiece::Line(a), PdfPiece::Line(b)] = pair {
                let gap = (a.y - b.y) / a.size.max(1.0);
                if (0.8..2.2).contains(&gap) && (a.size - b.size).abs() < 0.1 * a.size {
                    gaps.push(gap);
                }
            }
        }
    }
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).copied().unwrap_or(1.2)
}

/// A block that may go on.
struct OpenBlock {
    kind: BlockKind,
    text: String,
    last: PdfLine,
    first_left: f64,
    lines: usize,
    /// Pages that begin inside it: their place in the text.
    pages: Vec<(usize, usize)>,
    page: usize,
}

/// A table that may go on on the next page.
struct OpenTable {
    table: PdfTable,
    /// The page it stands on, the last one of several.
    page: usize,
    /// Pages that begin inside it: the first row of each.
    pages: Vec<(usize, usize)>,
}

struct BlockWriter {
    style: UsualStyle,
    rendering: Rendering,
    page: usize,
    open: Option<OpenBlock>,
    table: Option<OpenTable>,
    /// Images that stand behind the open block.
    pictures: Vec<(Vec<u8>, String)>,
    /// Comments that follow the open block.
    comments: Vec<String>,
}

impl BlockWriter {
    /// Writes what was read of a page; the image is all of it.
    fn scan(&mut self, images: Vec<Vec<u8>>, text: &str) {
        self.close();
        self.rendering.fill_pages(self.page + 1);
        let mut start = None;
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
            let at = self.rendering.paragraph(paragraph);
            start.get_or_insert(at);
        }
        let end = self.rendering.len();
        let span = Span::new(start.unwrap_or(end), end);
        for bytes in images {
            let Some(media) = MediaType::of(&bytes) else { continue };
            let seen = Seen { hash: ImageHash::of(&bytes), media, text: String::new() };
            self.rendering.seen_at(span, "", ImageSource::Bytes(bytes), seen);
        }
    }

    /// Notes the images that stand behind what was just written.
    fn note_pictures(&mut self) {
        let at = self.rendering.len();
        for (bytes, caption) in std::mem::take(&mut self.pictures) {
            self.rendering.image_at(Span::new(at, at), "", &caption, ImageSource::Bytes(bytes));
        }
    }

    fn pieces(&mut self, pieces: Vec<PdfPiece>) {
        for piece in pieces {
            match piece {
                PdfPiece::Line(line) => self.line(line),
                PdfPiece::Table(table) => self.table(table),
                PdfPiece::Picture(bytes, caption) => self.pictures.push((bytes, caption)),
                PdfPiece::Scan(images, text) => self.scan(images, &text),
                PdfPiece::Comment(words) => self.comments.push(words),
            }
        }
    }

    /// Takes a table: the rest of the one before, where that ended the last page and has the same columns.
    fn table(&mut self, table: PdfTable) {
        let page = self.page;
        if let Some(open) = &mut self.table
            && open.page + 1 == page
            && open.table.goes_on_in(&table)
        {
            open.pages.push((page, open.table.rows.len()));
            open.page = page;
            open.table.rows.extend(table.rows);
            return;
        }
        self.close();
        self.rendering.fill_pages(page + 1);
        self.table = Some(OpenTable { table, page, pages: Vec::new() });
    }

    fn close_table(&mut self) {
        let Some(OpenTable { table: PdfTable { header, rows }, pages, .. }) = self.table.take() else { return };
        let Some(header) = header else { return self.rendering.table(&rows) };
        let mut starts = Vec::with_capacity(pages.len());
        let mut pages = pages.into_iter().peekable();
        let mut writer = self.rendering.open_table(&header);
        for (at, row) in rows.iter().enumerate() {
            while let Some((page, _)) = pages.next_if(|(_, first)| *first == at) {
                starts.push((page, writer.len()));
            }
            writer.row(row.iter().map(String::as_str));
        }
        writer.close();
        for (page, start) in starts {
            self.rendering.fill_pages_at(page + 1, start);
        }
    }

    fn line(&mut self, line: PdfLine) {
        if self.table.is_some() {
            self.close();
        }
        let heading = self.style.heading(&line);
        let goes_on = self.open.as_ref().is_some_and(|open| self.goes_on(open, &line, heading));
        if let Some(open) = self.open.as_mut().filter(|_| goes_on) {
            let before = open.text.len();
            letters::join_line(&mut open.text, &line.text, &self.style.compounds);
            if open.page != self.page {
                let at = open.text.len() - line.text.len();
                open.pages.push((self.page, at.max(before.min(at))));
                open.page = self.page;
            }
            (open.last, open.lines) = (line, open.lines + 1);
            return;
        }
        self.close();
        let kind = match heading {
            Some(level) => BlockKind::Heading(level),
            None if letters::starts_item(&line.text) => BlockKind::ListItem,
            None => BlockKind::Paragraph,
        };
        let (text, first_left, pages) = (line.text.clone(), line.left, vec![(self.page, 0)]);
        self.open = Some(OpenBlock { kind, text, last: line, first_left, lines: 1, pages, page: self.page });
    }

    fn goes_on(&self, open: &OpenBlock, next: &PdfLine, heading: Option<u8>) -> bool {
        let last = &open.last;
        let below = open.page == self.page && next.y < last.y;
        let gap = (last.y - next.y) / last.size.max(1.0);
        let same_size = (last.size - next.size).abs() <= 0.1 * last.size;
        match open.kind {
            BlockKind::Heading(_) if below && gap < 1.7 && last.bold == next.bold && is_broken(last, next) => true,
            BlockKind::Heading(level) => {
                heading == Some(level) && below && gap < 1.7 && last.bold == next.bold && same_size
            }
            // Small capitals make a line smaller on average; a word that is broken goes on all the same.
            _ if below && gap <= self.style.leading * 1.3 && is_broken(last, next) => true,
            _ if heading.is_some() || !same_size || letters::starts_item(&next.text) => false,
            _ if below && gap <= self.style.leading * 1.3 => same_paragraph(open, next),
            _ if below => false,
            // The next column or page.
            _ => !letters::ends_sentence(&last.text) && (is_open(last, next) || (!fits(last, next) && continues(next))),
        }
    }

    fn close(&mut self) {
        self.close_text();
        self.close_table();
        self.note_pictures();
        for words in std::mem::take(&mut self.comments) {
            self.rendering.paragraph(&words);
        }
    }

    fn close_text(&mut self) {
        let Some(open) = self.open.take() else { return };
        let first = open.pages.first().map_or(0, |(page, _)| *page);
        self.rendering.fill_pages(first + 1);
        let large = open.last.size >= self.style.body * LARGER;
        let most = if large { MOST_HEADING_LINES } else { MOST_HEADING_LINES - 1 };
        if let BlockKind::Heading(level) = open.kind
            && open.lines <= most
            && open.text.len() <= LONGEST_HEADING * 2
        {
            return self.rendering.heading(level, &open.text);
        }
        let kind = if open.kind == BlockKind::ListItem { open.kind } else { BlockKind::Paragraph };
        let start = self.rendering.raw(kind, &open.text);
        for (page, at) in open.pages.into_iter().skip(1) {
            self.rendering.fill_pages_at(page + 1, start + at);
        }
    }
}

/// Whether a line ends inside of a word that the next one ends, in letters of about the same size.
fn is_broken(last: &PdfLine, next: &PdfLine) -> bool {
    let word = last.text.strip_suffix(['-', '\u{2010}', '\u{ad}']);
    word.is_some_and(|word| word.ends_with(char::is_alphabetic))
        && next.text.starts_with(char::is_lowercase)
        && next.left < last.right
        && last.left < next.right
        && (last.size - next.size).abs() <= 0.35 * last.size
}

/// Whether a line right below goes on with the paragraph.
fn same_paragraph(open: &OpenBlock, next: &PdfLine) -> bool {
    let last = &open.last;
    let small_start = next.text.starts_with(|c: char| c.is_lowercase());
    if small_start && !letters::ends_sentence(&last.text) {
        return true;
    }
    let indented = next.left > next.column.0 + 0.8 * next.size && next.left > last.left + 0.8 * last.size;
    let in_item = open.kind == BlockKind::ListItem && next.left > open.first_left + 0.5 * next.size;
    // Some lists indent only the line with the marker.
    let back = open.kind == BlockKind::ListItem && !in_item && letters::ends_sentence(&last.text);
    !fits(last, next) && (!indented || in_item) && !back
}

/// Whether the first word of the next line would have fitted on the last one: then the line was ended on purpose.
fn fits(last: &PdfLine, next: &PdfLine) -> bool {
    let room = last.column.1 - last.right;
    let count = next.text.chars().count().max(1) as f64;
    let first = match next.text.chars().next() {
        // Punctuation may not start a line, so a Chinese line may end one or two letters early.
        Some(c) if is_wide(c) => 2.5 * next.size,
        _ => {
            let word = next.text.find([' ', '-']).map_or(count, |end| next.text[..end].chars().count() as f64 + 1.0);
            (next.right - next.left) / count * word + 0.3 * next.size
        }
    };
    room > first
}

/// Whether a sentence is plainly unfinished: it goes on in small letters, or stops at a comma.
fn is_open(last: &PdfLine, next: &PdfLine) -> bool {
    next.text.starts_with(|c: char| c.is_lowercase()) || last.text.ends_with([',', '，', '、'])
}

/// Whether a line at the top of a column or page can be the rest of a sentence.
fn continues(next: &PdfLine) -> bool {
    let first = next.text.chars().next().unwrap_or(' ');
    first.is_lowercase()
        || is_wide(first)
        || first.is_ascii_digit()
        || matches!(first, '(' | '“' | '"' | '‘')
        || (first.is_uppercase() && next.text.split(' ').next().is_some_and(|word| word.len() > 1))
}
