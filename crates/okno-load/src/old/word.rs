//! Word documents (`.doc`), of Word 6 and 95 and from Word 97 on.
//!
//! The text stands in the stream `WordDocument` in pieces, which a table lists in order; a second table (its stream is
//! `0Table` or `1Table`) says for every range of bytes which paragraph properties hold. From these come headings,
//! list items and tables. Footnotes follow at the end, marked as in the text; text boxes follow the text. Headers,
//! footers, comments, deleted and hidden text are left out. Word 6 and 95 are read without properties.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::compound::{Compound, number16, number32};
use super::super::left_out::LeftOut;
use super::super::{Sink, SkipReason, Source};
use super::lists::WordLists;
use super::sprms::operations;
use super::word_text::{Letters, WordBody};
use super::{damaged, properties, styles, word_text};

/// The first number of a Word file.
const MAGIC: u16 = 0xa5ec;
/// Files with a smaller number were written by Word 6 or 95.
const WORD_97: u16 = 0x00c1;

pub(super) fn load(file: &Compound<'_>, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
    let stream = file.stream("WordDocument").unwrap_or_default();
    let flags = number16(&stream, 0x0a);
    if flags & 0x0100 != 0 {
        return Err(SkipReason::Encrypted);
    }
    if number16(&stream, 0) != MAGIC && !matches!(number16(&stream, 0), 0xa5dc | 0xa697..=0xa699) {
        return Err(damaged("no Word document"));
    }
    let (mut metadata, mut left) = (properties::read(file), Vec::new());
    let rendering = if number16(&stream, 2) < WORD_97 {
        word_text::plain(&old_text(&stream), encoding(&stream))
    } else {
        let table = file.stream(if flags & 0x0200 != 0 { "1Table" } else { "0Table" });
        read(&stream, &table.or_else(|| file.stream("0Table")).unwrap_or_default(), &mut left)
    };
    // Programs write the first words of a new document as its title.
    if metadata.get("title").is_some_and(|title| title.to_string().to_ascii_lowercase().contains(".doc")) {
        metadata.0.remove("title");
    }
    out.document(rendering.finish(source, "doc", metadata)?);
    for what in left {
        out.left_out(source.name, what);
    }
    Ok(())
}

/// The table of places at the beginning of a file names each thing by its number: where it is, and how long.
fn place(stream: &[u8], number: usize) -> Range<usize> {
    let at = 0x9a + number * 8;
    let start = number32(stream, at) as usize;
    start..start.saturating_add(number32(stream, at + 4) as usize)
}

fn part<'t>(table: &'t [u8], stream: &[u8], number: usize) -> &'t [u8] {
    table.get(place(stream, number)).unwrap_or_default()
}

fn read(stream: &[u8], table: &[u8], left: &mut Vec<LeftOut>) -> super::super::rendering::Rendering {
    let pieces = pieces(stream, table);
    let length = |at: usize| number32(stream, 0x4c + at * 4) as usize;
    let [text, footnotes, headers, _, comments, endnotes, boxes] = [0, 1, 2, 3, 4, 5, 6].map(length);
    let letters = Letters { stream, pieces };
    let mut body = WordBody {
        styles: styles::read(part(table, stream, 1)),
        lists: WordLists::read(table, place(stream, 73), part(table, stream, 74)),
        paragraphs: paragraphs(stream, part(table, stream, 13)),
        hidden: hidden(stream, part(table, stream, 12)),
        marks: note_marks(part(table, stream, 2), "^", 2).chain(note_marks(part(table, stream, 46), "^^", 2)).collect(),
        ..WordBody::default()
    };
    body.text(&letters, 0..text);
    body.end();
    let starts = [text, text + footnotes + headers + length(3) + comments];
    for (at, number, mark, long) in [(0, 3, "^", footnotes), (1, 47, "^^", endnotes)] {
        body.notes(&letters, starts[at]..starts[at].saturating_add(long), part(table, stream, number), mark);
    }
    let last = starts[1].saturating_add(endnotes);
    body.text(&letters, last..last.saturating_add(boxes));
    body.end();
    // Each has one mark at its end, and one more at the end of all.
    if comments > 1 {
        left.push(LeftOut::Comments { count: (part(table, stream, 4).len().saturating_sub(4) / 34).max(1) });
    }
    if headers > 1 && letters.range(text + footnotes..text + footnotes + headers).any(|(c, _)| c.is_alphanumeric()) {
        left.push(LeftOut::HeadersAndFooters);
    }
    left.extend((body.pictures > 0).then_some(LeftOut::Images { count: body.pictures }));
    left.extend((body.unseen > 0).then_some(LeftOut::HiddenText { letters: body.unseen }));
    body.rendering
}

/// A range of letters and where its bytes are.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPiece {
    /// The first letter.
    pub start: usize,
    pub letters: usize,
    /// Where it is in the stream.
    pub at: usize,
    /// Two bytes for each letter.
    pub wide: bool,
}

/// Reads the table of pieces; together they have at most as many letters as the stream has bytes.
fn pieces(stream: &[u8], table: &[u8]) -> Vec<TextPiece> {
    let mut list = part(table, stream, 33);
    while let [1, rest @ ..] = list {
        list = rest.get(2 + usize::from(number16(rest, 0))..).unwrap_or_default();
    }
    let list = list.get(5..).unwrap_or_default();
    let count = list.len().saturating_sub(4) / 12;
    let (mut left, mut after) = (stream.len(), 0);
    let mut found = Vec::new();
    for at in 0..count {
        let (start, end) = (number32(list, at * 4) as usize, number32(list, at * 4 + 4) as usize);
        let place = number32(list, (count + 1) * 4 + at * 8 + 2);
        let wide = place & 0x4000_0000 == 0;
        let place = (place & 0x3fff_ffff) as usize;
        let letters = end.saturating_sub(start).min(left);
        if letters == 0 || start < after {
            continue;
        }
        left -= letters;
        after = start + letters;
        found.push(TextPiece { start, letters, at: if wide { place } else { place / 2 }, wide });
    }
    if found.is_empty() {
        let (from, to) = (number32(stream, 0x18) as usize, number32(stream, 0x1c) as usize);
        found.push(TextPiece { start: 0, letters: to.saturating_sub(from).min(stream.len()), at: from, wide: false });
    }
    found
}

/// Something that holds for ranges of bytes of the stream.
#[derive(Debug, Default)]
pub(super) struct ByteRanges<T>(Vec<(Range<usize>, T)>);

impl<T: Copy> ByteRanges<T> {
    fn new(mut ranges: Vec<(Range<usize>, T)>) -> Self {
        ranges.sort_by_key(|(range, _)| range.start);
        Self(ranges)
    }

    /// What holds at this byte.
    pub fn at(&self, byte: usize) -> Option<T> {
        let after = self.0.partition_point(|(range, _)| range.start <= byte);
        let (range, value) = self.0.get(after.checked_sub(1)?)?;
        range.contains(&byte).then_some(*value)
    }
}

/// What a paragraph says about itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ParagraphProperties {
    pub style: u16,
    pub in_table: bool,
    pub row_end: bool,
    pub list: Option<u16>,
    pub level: Option<u8>,
    pub outline: Option<u8>,
    /// Tables inside of tables.
    pub depth: u32,
}

/// The pages of a table of properties, each once: ranges and the bytes of what holds in them. `wide` is how many bytes
/// a range has in a page.
fn pages<'s>(stream: &'s [u8], list: &'s [u8], wide: usize) -> Vec<(Range<usize>, &'s [u8])> {
    let count = list.len().saturating_sub(4) / 8;
    let mut seen = HashSet::new();
    let numbers = (0..count).map(|at| number32(list, (count + 1) * 4 + at * 4) as usize).filter(|n| seen.insert(*n));
    let mut found = Vec::new();
    for page in numbers.filter_map(|number| stream.get(number.checked_mul(512)?..)?.get(..512)) {
        let runs = usize::from(page[511]);
        for at in 0..runs {
            let range = number32(page, at * 4) as usize..number32(page, at * 4 + 4) as usize;
            let offset = page.get((runs + 1) * 4 + at * wide).map_or(0, |half| usize::from(*half) * 2);
            if offset > 0 && range.start < range.end {
                found.push((range, &page[offset..]));
            }
        }
    }
    found
}

fn paragraphs(stream: &[u8], list: &[u8]) -> ByteRanges<ParagraphProperties> {
    let ranges = pages(stream, list, 13).into_iter().map(|(range, bytes)| {
        let (start, length) = match bytes {
            [0, half, ..] => (2, usize::from(*half) * 2),
            [half, ..] => (1, (usize::from(*half) * 2).saturating_sub(1)),
            [] => (0, 0),
        };
        let own = bytes.get(start..bytes.len().min(start + length)).unwrap_or_default();
        (range, paragraph(own))
    });
    ByteRanges::new(ranges.collect())
}

fn paragraph(bytes: &[u8]) -> ParagraphProperties {
    let mut read = ParagraphProperties { style: number16(bytes, 0), ..ParagraphProperties::default() };
    for operation in operations(bytes.get(2..).unwrap_or_default()) {
        match operation.code {
            0x2416 => read.in_table = operation.byte() != 0,
            0x2417 => read.row_end = operation.byte() != 0,
            0x460b => read.list = Some(operation.number()),
            0x260a => read.level = Some(operation.byte()),
            0x2640 => read.outline = Some(operation.byte()),
            0x6649 => read.depth = number32(operation.operand, 0),
            _ => {}
        }
    }
    read.in_table |= read.depth > 0;
    read
}

/// Ranges of letters that are hidden or deleted.
fn hidden(stream: &[u8], list: &[u8]) -> ByteRanges<()> {
    let unseen = |bytes: &[u8]| {
        let own = bytes.get(1..=usize::from(bytes.first().copied().unwrap_or(0)).min(bytes.len().saturating_sub(1)));
        let mut operations = operations(own.unwrap_or_default());
        operations.any(|operation| matches!(operation.code, 0x0800 | 0x083c) && operation.byte() == 1)
    };
    let ranges = pages(stream, list, 1).into_iter().filter(|(_, bytes)| unseen(bytes));
    ByteRanges::new(ranges.map(|(range, _)| (range, ())).collect())
}

/// Where notes are marked in the text, and how.
fn note_marks<'a>(list: &'a [u8], mark: &'a str, size: usize) -> impl Iterator<Item = (usize, String)> + 'a {
    let count = list.len().saturating_sub(4) / (4 + size);
    (0..count).map(move |at| (number32(list, at * 4) as usize, format!("[{mark}{}]", at + 1)))
}

/// The text of Word 6 and 95: all between two places, or in pieces.
fn old_text(stream: &[u8]) -> Vec<u8> {
    let (from, to) = (number32(stream, 0x18) as usize, number32(stream, 0x1c) as usize);
    let main = number32(stream, 0x34) as usize;
    let whole = stream.get(from..to.min(stream.len())).unwrap_or_default();
    if number16(stream, 0x0a) & 4 == 0 {
        return whole.get(..main).unwrap_or(whole).to_vec();
    }
    let list = number32(stream, 0x160) as usize;
    let mut list = stream.get(list..).unwrap_or_default();
    while let [1, rest @ ..] = list {
        list = rest.get(2 + usize::from(number16(rest, 0))..).unwrap_or_default();
    }
    let size = number32(list, 1) as usize;
    let list = list.get(5..).and_then(|rest| rest.get(..size)).unwrap_or_default();
    let count = list.len().saturating_sub(4) / 12;
    let mut text = Vec::new();
    for at in 0..count {
        let letters = number32(list, at * 4 + 4).saturating_sub(number32(list, at * 4)) as usize;
        let place = number32(list, (count + 1) * 4 + at * 8 + 2) as usize;
        let room = stream.len().saturating_sub(text.len());
        text.extend(stream.get(place..).unwrap_or_default().iter().take(letters.min(room)));
    }
    text.truncate(main);
    text
}

/// The code page of a file of Word 6 or 95, by the language it was written in.
fn encoding(stream: &[u8]) -> &'static encoding_rs::Encoding {
    match number16(stream, 6) {
        0x0804 | 0x1004 => encoding_rs::GBK,
        0x0404 | 0x0c04 | 0x1404 => encoding_rs::BIG5,
        0x0411 => encoding_rs::SHIFT_JIS,
        0x0412 => encoding_rs::EUC_KR,
        0x0419 | 0x0422 | 0x0423 | 0x0402 => encoding_rs::WINDOWS_1251,
        0x0405 | 0x040e | 0x0415 | 0x0418 | 0x041a | 0x041b | 0x0424 => encoding_rs::WINDOWS_1250,
        0x0408 => encoding_rs::WINDOWS_1253,
        0x041f => encoding_rs::WINDOWS_1254,
        0x040d => encoding_rs::WINDOWS_1255,
        0x0401 => encoding_rs::WINDOWS_1256,
        _ => encoding_rs::WINDOWS_1252,
    }
}

/// Marks of notes by the letter where they stand.
pub(super) type NoteMarks = HashMap<usize, String>;
