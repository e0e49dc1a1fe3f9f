//! Old workbooks, bounded: the stream of records is taken out of the file, what its cells will take is counted, and
//! `calamine` is given a clean file with nothing but this stream.
//!
//! `calamine` makes room for the rectangle around all cells of a sheet, for what a sheet says its dimensions are, for
//! a copy of a string in every cell that shows it, and for formulas, which are not shown. So dimensions and names are
//! hidden from it, and formulas become their values.

use std::collections::HashSet;

use super::super::compound::{self, Compound, number16, number32};
use super::super::{DamagedPart, SkipReason};
use super::damaged;
use super::sheet::MOST_CELLS;
use okno_document::message::Bytes;

/// Cells of all rectangles: `calamine` takes 64 bytes for each, filled or not.
const LARGEST_AREA: u64 = 1 << 23;
/// From this rectangle on, empty rows of a sheet are left out.
const ROOMY_AREA: u64 = 1 << 20;
/// Text of all cells.
const LONGEST_TEXT: u64 = 128 << 20;
/// More sheets than any workbook has.
const MOST_SHEETS: usize = 4096;

/// Kinds of records.
mod kind {
    pub const FORMULA: u16 = 0x0006;
    pub const END: u16 = 0x000a;
    pub const EXTERNAL: u16 = 0x0017;
    pub const NAME: u16 = 0x0018;
    pub const DATES: u16 = 0x0022;
    pub const PASSWORD: u16 = 0x002f;
    pub const CONTINUE: u16 = 0x003c;
    pub const LETTERS: u16 = 0x0042;
    pub const SHEET: u16 = 0x0085;
    pub const NUMBERS: u16 = 0x00bd;
    pub const RICH: u16 = 0x00d6;
    pub const MERGED: u16 = 0x00e5;
    pub const STRINGS: u16 = 0x00fc;
    pub const SHARED: u16 = 0x00fd;
    pub const DIMENSIONS: u16 = 0x0200;
    pub const NUMBER: u16 = 0x0203;
    pub const LABEL: u16 = 0x0204;
    pub const TRUTH: u16 = 0x0205;
    pub const SHORT_NUMBER: u16 = 0x027e;
    pub const BEGIN: u16 = 0x0809;
    /// None that is known.
    pub const IGNORED: u16 = 0xfffe;
}

/// The workbook of a file, in a file of its own.
pub(super) fn bounded(bytes: &[u8]) -> Result<Vec<u8>, SkipReason> {
    let file = Compound::open(bytes);
    let stream = file.and_then(|file| file.stream("Workbook").or_else(|| file.stream("Book")));
    let Some(mut stream) = stream else {
        return Err(damaged(DamagedPart::Workbook { words: "no stream `Workbook`".to_owned() }));
    };
    let (sheets, strings, end) = globals(&mut stream);
    end_at(&mut stream, end);
    let mut counted = SheetCost::default();
    // Sheets stand one after the other; those that overlap would be read many times.
    let mut read = stream.len().saturating_mul(2);
    for start in sheets {
        let end = sheet(&mut stream, start, &strings, &mut counted)?;
        read = read.checked_sub(end.saturating_sub(start)).ok_or_else(too_many)?;
        end_at(&mut stream, end);
    }
    Ok(compound::written(&[("Workbook", &stream)]))
}

/// Cuts off what is less than the head of a record behind the last one: `calamine` reads a whole head there.
fn end_at(stream: &mut Vec<u8>, end: usize) {
    if (1..4).contains(&stream.len().saturating_sub(end)) {
        stream.truncate(end);
    }
}

fn too_many() -> SkipReason {
    SkipReason::TooManyCells { limit: MOST_CELLS }
}

/// A record: its kind and where its data stand.
fn record(stream: &[u8], at: usize) -> Option<(u16, std::ops::Range<usize>)> {
    let start = at.checked_add(4).filter(|start| *start <= stream.len())?;
    let end = start + usize::from(number16(stream, at + 2));
    (end <= stream.len()).then(|| (number16(stream, at), start..end))
}

fn set_kind(stream: &mut [u8], data: &std::ops::Range<usize>, kind: u16) {
    stream[data.start - 4..data.start - 2].copy_from_slice(&kind.to_le_bytes());
}

/// Whether a record is shorter than `calamine` takes it to be without asking.
fn is_short(stream: &[u8], kind: u16, data: &std::ops::Range<usize>) -> bool {
    match kind {
        kind::DATES | kind::PASSWORD | kind::LETTERS | kind::BEGIN => data.len() < 2,
        kind::SHEET => data.len() < 8,
        kind::FORMULA => data.len() < 20,
        kind::MERGED => data.len() < 2 || data.len() < 2 + 8 * usize::from(number16(stream, data.start)),
        _ => false,
    }
}

/// Where the sheets begin, how long the shared strings are, and where this part ends.
fn globals(stream: &mut [u8]) -> (Vec<usize>, Vec<u32>, usize) {
    let (mut sheets, mut strings, mut at) = (Vec::new(), Vec::new(), 0);
    let mut known = HashSet::new();
    while let Some((kind, data)) = record(stream, at) {
        at = data.end;
        match kind {
            kind::END => break,
            _ if is_short(stream, kind, &data) => set_kind(stream, &data, kind::IGNORED),
            // A second sheet at the same place, one too many, and one beyond the end, would be read all the same.
            kind::SHEET => {
                let start = number32(stream, data.start) as usize;
                if start < stream.len() && known.insert(start) && sheets.len() < MOST_SHEETS {
                    sheets.push(start);
                } else {
                    set_kind(stream, &data, kind::IGNORED);
                }
            }
            kind::STRINGS => match lengths(stream, data.clone()) {
                Some(lengths) => strings = lengths,
                None => set_kind(stream, &data, kind::IGNORED),
            },
            kind::NAME | kind::EXTERNAL => set_kind(stream, &data, kind::IGNORED),
            _ => {}
        }
    }
    (sheets, strings, at)
}

/// The lengths of shared strings in bytes, at most. A string may go on in the next record, which then begins with a
/// byte of flags. `None` where the head of a string does, or the next record is empty: `calamine` asks for neither.
fn lengths(stream: &[u8], first: std::ops::Range<usize>) -> Option<Vec<u32>> {
    let mut parts = vec![&stream[first.clone()]];
    let mut at = first.end;
    while let Some((kind::CONTINUE, data)) = record(stream, at) {
        at = data.end;
        parts.push(&stream[data]);
    }
    if parts.iter().any(|part| part.is_empty()) {
        return None;
    }
    let mut reader = RecordParts { data: parts, part: 0, at: 8 };
    let mut found = Vec::new();
    while let Some(letters) = reader.number16() {
        let Some(flags) = reader.byte() else { break };
        let head = if flags & 8 != 0 { 2 } else { 0 } + if flags & 4 != 0 { 4 } else { 0 };
        if reader.left() < head {
            return None;
        }
        let runs = if flags & 8 != 0 { u64::from(reader.number16().unwrap_or(0)) * 4 } else { 0 };
        let extra = if flags & 4 != 0 { u64::from(reader.number32().unwrap_or(0)) } else { 0 };
        reader.letters(usize::from(letters), flags & 1 != 0);
        reader.skip(runs + extra);
        // Three bytes of UTF-8 for one letter at most.
        found.push(u32::from(letters) * 3);
    }
    Some(found)
}

/// The data of a record and of those that continue it.
struct RecordParts<'s> {
    data: Vec<&'s [u8]>,
    part: usize,
    /// Where in the part; behind its end, in the next one.
    at: usize,
}

impl<'s> RecordParts<'s> {
    /// What is left of the part that is read now; nothing at the end.
    fn rest(&mut self) -> Option<&'s [u8]> {
        loop {
            let part = self.data.get(self.part)?;
            if let Some(rest) = part.get(self.at..).filter(|rest| !rest.is_empty()) {
                return Some(rest);
            }
            self.at -= part.len();
            self.part += 1;
        }
    }

    /// The bytes that are left of the part that is read now.
    fn left(&self) -> usize {
        self.data.get(self.part).map_or(0, |part| part.len().saturating_sub(self.at))
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.rest()?[0];
        self.at += 1;
        Some(byte)
    }

    fn number16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    fn number32(&mut self) -> Option<u32> {
        Some(u32::from(self.number16()?) | u32::from(self.number16()?) << 16)
    }

    fn skip(&mut self, bytes: u64) {
        self.at = self.at.saturating_add(usize::try_from(bytes).unwrap_or(usize::MAX));
    }

    fn letters(&mut self, mut count: usize, mut wide: bool) {
        while let Some(rest) = self.rest().filter(|_| count > 0) {
            let size = if wide { 2 } else { 1 };
            let here = count.min(rest.len() / size);
            count -= here;
            if count == 0 {
                self.at += here * size;
                return;
            }
            self.at += rest.len();
            let Some(flags) = self.byte() else { return };
            wide = flags & 1 != 0;
        }
    }
}

/// What the sheets will take.
#[derive(Default)]
struct SheetCost {
    area: u64,
    text: u64,
}

/// Rows and columns that have cells: what is made room for is the rectangle around them.
struct UsedCells {
    rows: Vec<bool>,
    columns: Option<(u16, u16)>,
}

impl UsedCells {
    fn none() -> Self {
        Self { rows: vec![false; 1 << 16], columns: None }
    }

    fn add(&mut self, row: u16, column: u16) {
        self.rows[usize::from(row)] = true;
        let (left, right) = self.columns.unwrap_or((column, column));
        self.columns = Some((left.min(column), right.max(column)));
    }

    fn area(&self) -> u64 {
        let rows = || self.rows.iter().enumerate().filter(|(_, used)| **used).map(|(row, _)| row);
        let height = rows().next().zip(rows().next_back()).map_or(0, |(first, last)| last - first + 1);
        self.columns.map_or(0, |(left, right)| height as u64 * (u64::from(right - left) + 1))
    }

    /// The same cells with at most one empty row between two that are used; returns the new number of each row.
    fn close_up(&mut self) -> Vec<u16> {
        let (mut numbers, mut next, mut before) = (vec![0; self.rows.len()], 0u16, None);
        for row in (0..self.rows.len()).filter(|&row| self.rows[row]) {
            next += before.map_or(0, |before| if before + 1 == row { 1 } else { 2 });
            numbers[row] = next;
            before = Some(row);
        }
        let mut rows = vec![false; self.rows.len()];
        (0..rows.len()).filter(|&row| self.rows[row]).for_each(|row| rows[usize::from(numbers[row])] = true);
        self.rows = rows;
        numbers
    }
}

/// Goes through the records of a sheet. Charts have records of their own, which are passed over.
struct SheetRecords {
    at: usize,
    depth: usize,
}

impl SheetRecords {
    fn next(&mut self, stream: &[u8]) -> Option<(u16, std::ops::Range<usize>)> {
        loop {
            let (kind, data) = record(stream, self.at)?;
            self.at = data.end;
            match kind {
                kind::BEGIN if self.depth > 1 || !is_short(stream, kind, &data) => self.depth += 1,
                kind::END if self.depth <= 1 => return None,
                kind::END => self.depth -= 1,
                _ if self.depth > 1 => {}
                _ => return Some((kind, data)),
            }
        }
    }
}

/// Counts the cells of a sheet; where it ends.
fn sheet(stream: &mut [u8], start: usize, strings: &[u32], counted: &mut SheetCost) -> Result<usize, SkipReason> {
    let (mut cells, mut formulas) = (UsedCells::none(), UsedCells::none());
    let mut records = SheetRecords { at: start, depth: 0 };
    while let Some((kind, data)) = records.next(stream) {
        match kind {
            _ if is_short(stream, kind, &data) => set_kind(stream, &data, kind::IGNORED),
            kind::DIMENSIONS => set_kind(stream, &data, kind::IGNORED),
            kind::FORMULA => {
                let (row, column) = (number16(stream, data.start), number16(stream, data.start + 2));
                cells.add(row, column);
                if !valued(stream, &data) {
                    formulas.add(row, column);
                }
            }
            kind::NUMBER | kind::LABEL | kind::TRUTH | kind::SHORT_NUMBER | kind::RICH | kind::SHARED => {
                cells.add(number16(stream, data.start), number16(stream, data.start + 2));
                let shared = (kind == kind::SHARED).then(|| number32(stream, data.start + 6) as usize);
                counted.text += shared.and_then(|at| strings.get(at)).map_or(0, |length| u64::from(*length));
            }
            kind::NUMBERS if data.len() >= 6 => {
                let row = number16(stream, data.start);
                cells.add(row, number16(stream, data.start + 2));
                cells.add(row, number16(stream, data.end - 2));
            }
            _ => {}
        }
    }
    if cells.area() > ROOMY_AREA {
        let numbers = cells.close_up();
        formulas.rows.clone_from(&cells.rows);
        renumber(stream, start, &numbers);
    }
    counted.area += cells.area() + formulas.area();
    if counted.area > LARGEST_AREA {
        return Err(too_many());
    }
    if counted.text > LONGEST_TEXT {
        return Err(SkipReason::Inflates { limit: Bytes(LONGEST_TEXT) });
    }
    Ok(records.at)
}

/// Gives the cells of a sheet other rows. What is merged is not known any more.
fn renumber(stream: &mut [u8], start: usize, numbers: &[u16]) {
    let mut records = SheetRecords { at: start, depth: 0 };
    while let Some((kind, data)) = records.next(stream) {
        match kind {
            kind::MERGED => set_kind(stream, &data, kind::IGNORED),
            kind::FORMULA
            | kind::NUMBER
            | kind::LABEL
            | kind::TRUTH
            | kind::SHORT_NUMBER
            | kind::RICH
            | kind::SHARED
            | kind::NUMBERS
                if data.len() >= 2 =>
            {
                let row = numbers[usize::from(number16(stream, data.start))];
                stream[data.start..data.start + 2].copy_from_slice(&row.to_le_bytes());
            }
            _ => {}
        }
    }
}

/// Makes a formula the value it has; whether it has one. The text of others follows in a record of its own, and their
/// formula is emptied.
fn valued(stream: &mut [u8], data: &std::ops::Range<usize>) -> bool {
    let Some(value) = stream.get(data.start + 6..data.start + 14).filter(|_| data.len() >= 20) else { return false };
    let (sort, what, special) = (value[0], value[2], value[6] == 0xff && value[7] == 0xff);
    match sort {
        _ if !special => set_kind(stream, data, kind::NUMBER),
        1 | 2 => {
            (stream[data.start + 6], stream[data.start + 7]) = (what, sort - 1);
            set_kind(stream, data, kind::TRUTH);
        }
        _ => {
            if data.len() >= 22 {
                stream[data.start + 20..data.start + 22].fill(0);
            }
            return false;
        }
    }
    true
}
