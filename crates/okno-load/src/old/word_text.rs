//! The letters of a Word document, in order, become paragraphs, list items and tables.

use std::ops::Range;
use std::sync::LazyLock;

use encoding_rs::Encoding;

use super::super::compound::number16;
use super::super::rendering::Rendering;
use super::lists::WordLists;
use super::styles::ParagraphStyle;
use super::word::{ByteRanges, NoteMarks, ParagraphProperties, TextPiece};

/// Cells of all tables; what is beyond them is text.
const MOST_CELLS: usize = 1_000_000;
/// Bytes of the code of a field that are kept to see what it is.
const FIELD_HEAD: usize = 400;
/// Fields inside of fields.
const DEEPEST_FIELD: usize = 100;

/// Letters of one byte.
static NARROW: LazyLock<Vec<char>> = LazyLock::new(|| {
    let letter = |byte: u8| encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next();
    (0..=255).map(|byte| letter(byte).unwrap_or(' ')).collect()
});

/// The letters of a document by their numbers.
pub(super) struct Letters<'s> {
    pub stream: &'s [u8],
    pub pieces: Vec<TextPiece>,
}

impl Letters<'_> {
    /// The letters of a range, each with its number and the place of its bytes. Pieces stand in order.
    fn places(&self, range: Range<usize>) -> impl Iterator<Item = (usize, usize, bool)> {
        let first = self.pieces.partition_point(|piece| piece.start + piece.letters <= range.start);
        let inside = self.pieces[first..].iter().take_while(move |piece| piece.start < range.end);
        inside.flat_map(move |piece| {
            let (start, end) = (piece.start.max(range.start), (piece.start + piece.letters).min(range.end));
            let size = if piece.wide { 2 } else { 1 };
            let (first, at, wide) = (piece.start, piece.at, piece.wide);
            (start..end.max(start)).map(move |number| (number, at.saturating_add((number - first) * size), wide))
        })
    }

    /// The letters of a range, each with its number.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = (char, usize)> {
        self.letters(range).map(|(letter, number, _)| (letter, number))
    }

    fn letters(&self, range: Range<usize>) -> impl Iterator<Item = (char, usize, usize)> {
        let mut high = None;
        self.places(range).filter_map(move |(number, at, wide)| {
            if !wide {
                return Some((NARROW[usize::from(*self.stream.get(at)?)], number, at));
            }
            let unit = self.stream.get(at..at + 2).map(|_| number16(self.stream, at))?;
            match (high.take(), char::from_u32(u32::from(unit))) {
                (_, Some(letter)) => Some((letter, number, at)),
                (Some(first), None) => {
                    let pair = char::decode_utf16([first, unit]).next().and_then(Result::ok);
                    pair.map(|letter| (letter, number, at))
                }
                (None, None) => {
                    high = Some(unit);
                    None
                }
            }
        })
    }
}

/// A field: its code stands before its result.
#[derive(Debug, Default)]
struct WordField {
    code: String,
    in_result: bool,
}

impl WordField {
    /// Whether its letters are not text: the code, and a table of contents.
    fn is_hidden(&self) -> bool {
        !self.in_result || self.code.trim_start().starts_with("TOC")
    }
}

impl WordField {
    /// The letters below those that say how they are read: `EQ \o\ad(\s\up 9(かん),漢)`.
    fn ruby(&self) -> Option<&str> {
        let code = self.code.trim_start().strip_prefix("EQ ").filter(|_| !self.in_result)?;
        let (above, below) = code.rsplit_once(',')?;
        above.contains("\\up").then(|| below.trim().trim_end_matches(')'))
    }
}

/// The text in the making.
#[derive(Default)]
pub(super) struct WordBody {
    pub rendering: Rendering,
    pub styles: Vec<ParagraphStyle>,
    pub lists: WordLists,
    pub paragraphs: ByteRanges<ParagraphProperties>,
    pub hidden: ByteRanges<()>,
    pub marks: NoteMarks,
    /// Pictures and drawings so far.
    pub pictures: usize,
    /// Hidden and deleted letters so far.
    pub unseen: usize,
    /// What is open.
    pub open: Unfinished,
}

/// The paragraph, the fields and the table that are open.
#[derive(Default)]
pub(super) struct Unfinished {
    text: String,
    fields: Vec<WordField>,
    row: Vec<String>,
    rows: Vec<Vec<String>>,
    cell: String,
    cells: usize,
}

impl WordBody {
    /// Writes the letters of a range.
    pub fn text(&mut self, letters: &Letters<'_>, range: Range<usize>) {
        for (letter, number, at) in letters.letters(range) {
            self.letter(letter, number, at);
        }
    }

    /// Writes what is still open.
    pub fn end(&mut self) {
        self.open.fields.clear();
        self.end_paragraph(ParagraphProperties::default());
        self.end_table();
    }

    /// The notes of a range at the end of the document, each behind its mark.
    pub fn notes(&mut self, letters: &Letters<'_>, range: Range<usize>, list: &[u8], mark: &str) {
        let ends = (0..list.len() / 4).map(|at| super::super::compound::number32(list, at * 4) as usize);
        let ends: Vec<usize> = ends.collect();
        let room = range.len();
        let mut written = 0;
        for (at, pair) in ends.windows(2).enumerate() {
            // Notes stand one behind the other; any other list would give a text many times.
            if pair[0] < written || pair[0] >= pair[1] || pair[1] > room {
                continue;
            }
            written = pair[1];
            let own = range.start + pair[0]..range.start + pair[1];
            let text: String = letters.range(own).map(|(letter, _)| letter).collect();
            let text = text.replace(|letter: char| letter < ' ', " ");
            if !text.trim().is_empty() {
                self.rendering.paragraph(&format!("[{mark}{}]: {}", at + 1, text.trim()));
            }
        }
    }

    fn letter(&mut self, letter: char, number: usize, at: usize) {
        if self.hidden.at(at).is_some() && !matches!(letter, '\r' | '\u{7}' | '\u{13}'..='\u{15}') {
            self.unseen += usize::from(!letter.is_control());
            return;
        }
        match letter {
            '\r' | '\u{c}' => self.end_paragraph(self.paragraphs.at(at).unwrap_or_default()),
            '\u{7}' => self.end_cell(self.paragraphs.at(at).unwrap_or_default()),
            '\u{13}' if self.open.fields.len() < DEEPEST_FIELD => self.open.fields.push(WordField::default()),
            '\u{14}' => self.open.fields.iter_mut().last().into_iter().for_each(|field| field.in_result = true),
            '\u{15}' => {
                let field = self.open.fields.pop();
                if !self.open.fields.iter().any(WordField::is_hidden) {
                    self.open.text.push_str(field.as_ref().and_then(WordField::ruby).unwrap_or_default());
                }
            }
            _ if self.open.fields.iter().any(WordField::is_hidden) => {
                if let Some(field) = self.open.fields.last_mut().filter(|field| field.code.len() < FIELD_HEAD) {
                    field.code.extend((!field.in_result).then_some(letter));
                }
            }
            '\u{b}' | '\u{e}' => self.open.text.push('\n'),
            '\u{2}' => self.open.text.push_str(self.marks.get(&number).map_or("", String::as_str)),
            '\u{1}' | '\u{8}' => self.pictures += 1,
            '\u{1e}' => self.open.text.push('-'),
            '\t' => self.open.text.push('\t'),
            letter if letter < ' ' || letter == '\u{1f}' => {}
            letter => self.open.text.push(letter),
        }
    }

    fn end_cell(&mut self, about: ParagraphProperties) {
        if about.row_end {
            return self.end_row();
        }
        self.open.cells += 1;
        let text = std::mem::take(&mut self.open.text);
        if self.open.cells > MOST_CELLS {
            self.rendering.paragraph(&text);
            return;
        }
        self.open.cell.push_str(&text);
        self.open.row.push(std::mem::take(&mut self.open.cell));
    }

    fn end_row(&mut self) {
        self.open.text.clear();
        let row = std::mem::take(&mut self.open.row);
        self.open.rows.extend(Some(row).filter(|row| !row.is_empty()));
    }

    fn end_table(&mut self) {
        if !self.open.cell.is_empty() {
            self.open.row.push(std::mem::take(&mut self.open.cell));
        }
        self.end_row();
        let rows = std::mem::take(&mut self.open.rows);
        self.rendering.table(&rows);
    }

    fn end_paragraph(&mut self, about: ParagraphProperties) {
        if about.in_table && self.open.cells < MOST_CELLS {
            let text = std::mem::take(&mut self.open.text);
            self.open.cell.push_str(&text);
            self.open.cell.push(' ');
            return;
        }
        let text = std::mem::take(&mut self.open.text);
        if text.trim().is_empty() {
            return;
        }
        self.end_table();
        let style = self.styles.get(usize::from(about.style)).copied().unwrap_or_default();
        let level = match about.outline {
            Some(level) if level < 9 => Some(level + 1),
            Some(_) => None,
            None => style.heading,
        };
        let list = about.list.unwrap_or(style.list);
        match level {
            Some(level) => self.rendering.heading(level, &text),
            // Numbers above the largest list are not lists: paragraphs that are only indented so.
            None if list > 0 && list < 0x07ff => {
                let depth = about.level.unwrap_or(style.level);
                let marker = self.lists.marker(list, depth);
                self.rendering.item(usize::from(depth), &marker, &text);
            }
            None => _ = self.rendering.paragraph(&text),
        }
    }
}

/// The text of Word 6 and 95: paragraphs, and tables whose rows end with two marks.
pub(super) fn plain(text: &[u8], encoding: &'static Encoding) -> Rendering {
    let mut body = WordBody::default();
    // Letters of two bytes have no control characters in them.
    for part in text.split_inclusive(|byte| *byte < b' ') {
        let (letters, mark) = match part.split_last() {
            Some((mark, letters)) if *mark < b' ' => (letters, Some(char::from(*mark))),
            _ => (part, None),
        };
        let decoded = encoding.decode_without_bom_handling(letters).0;
        decoded.chars().for_each(|letter| body.letter(letter, usize::MAX, usize::MAX));
        let row_end =
            mark == Some('\u{7}') && letters.is_empty() && !body.open.row.is_empty() && body.open.text.is_empty();
        match mark {
            Some('\u{7}') => body.end_cell(ParagraphProperties { row_end, ..ParagraphProperties::default() }),
            Some(mark) => body.letter(mark, usize::MAX, usize::MAX),
            None => {}
        }
    }
    body.end();
    body.rendering
}
