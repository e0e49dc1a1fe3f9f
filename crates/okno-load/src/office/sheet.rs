//! A sheet as rows of filled cells, and how it is written: a heading, then a table whose first row is its header.
//!
//! Only filled cells are kept, and rows that a file repeats are kept once: two cells at opposite corners of a sheet
//! are two cells, however far apart. What would be written is counted before it is: a sheet that says it has more is
//! refused, and the others are still read.

use std::rc::Rc;

use calamine::{DataRef, ExcelDateTime};

use super::super::SkipReason;
use super::super::rendering::Rendering;
use super::formats;
use okno_document::message::Bytes;

/// Cells that one workbook may write, empty ones included: what is larger is a database.
pub(super) const MOST_CELLS: usize = 20_000_000;
/// Filled cells of one sheet that are kept at a time. The inflated sheet is bounded too (`archive`): a cell takes
/// about 22 bytes there.
pub(super) const MOST_FILLED: usize = 12_000_000;
/// Text of one workbook. A string that stands once in the file may be shown by every cell.
const LONGEST_TEXT: usize = 128 << 20;

/// A filled cell: its column from 0, its style (`formats`), its value.
pub(super) type SheetCell<'a> = (u32, u32, DataRef<'a>);

/// A row with filled cells, in the order of their columns.
#[derive(Debug, Clone)]
pub(super) struct SheetRow<'a>(pub Rc<Vec<SheetCell<'a>>>);

/// The rows of a sheet from cells in any order. Of two cells at one place the last one counts.
pub(super) fn rows(mut cells: Vec<(u32, SheetCell<'_>)>) -> Vec<SheetRow<'_>> {
    let place = |(row, (column, ..)): &(u32, SheetCell<'_>)| (*row, *column);
    if !cells.is_sorted_by_key(place) {
        cells.sort_by_key(place);
    }
    let mut rows: Vec<(u32, Vec<SheetCell<'_>>)> = Vec::new();
    for (number, cell) in cells {
        match rows.last_mut().filter(|(last, _)| *last == number) {
            Some((_, row)) => {
                row.pop_if(|(column, ..)| *column == cell.0);
                row.push(cell);
            }
            None => rows.push((number, vec![cell])),
        }
    }
    rows.into_iter().map(|(_, row)| SheetRow(Rc::new(row))).collect()
}

/// Writes sheets until they are too many.
#[derive(Debug, Default)]
pub(super) struct SheetWriter {
    pub rendering: Rendering,
    cells: usize,
}

impl SheetWriter {
    /// Writes a sheet; `codes` are the formats of its cells' styles.
    ///
    /// # Errors
    /// When the workbook has too many cells or too much text with it. What was written before stays.
    pub fn sheet(&mut self, name: &str, rows: &[SheetRow<'_>], codes: &formats::Styles) -> Result<(), SkipReason> {
        if rows.is_empty() {
            return Ok(());
        }
        let columns = columns(rows, MOST_CELLS.saturating_sub(self.cells))?;
        self.cells += rows.len().saturating_mul(columns.len());
        self.rendering.heading(2, name);
        let mut rows = rows.iter().map(|SheetRow(cells)| cells.as_slice()).peekable();
        // Lines of one cell above the table are its title.
        while let Some(alone) = rows.next_if(|row| columns.len() > 1 && row.len() == 1) {
            for (.., cell) in alone {
                self.rendering.paragraph(&shown(cell));
            }
        }
        let Some(header) = rows.next() else { return Ok(()) };
        if columns.len() < 2 {
            for row in std::iter::once(header).chain(rows) {
                for cell in words(row, &columns, codes) {
                    self.rendering.paragraph(&cell);
                }
                within(self.rendering.len())?;
            }
            return Ok(());
        }
        let mut table = self.rendering.open_table(&words(header, &columns, codes));
        for row in rows {
            table.row(words(row, &columns, codes).iter().map(String::as_str));
            if let Err(reason) = within(table.len()) {
                table.close();
                return Err(reason);
            }
        }
        table.close();
        Ok(())
    }
}

fn within(length: usize) -> Result<(), SkipReason> {
    let limit = Bytes(LONGEST_TEXT as u64);
    if length > LONGEST_TEXT { Err(SkipReason::Inflates { limit }) } else { Ok(()) }
}

/// The columns to write: from the first filled one to the last. Where that is too much, those that are filled.
fn columns(rows: &[SheetRow<'_>], most: usize) -> Result<Vec<u32>, SkipReason> {
    let too_many = SkipReason::TooManyCells { limit: MOST_CELLS };
    let ends = rows.iter().filter_map(|SheetRow(cells)| Some((cells.first()?.0, cells.last()?.0)));
    let (left, right) = ends.fold((u32::MAX, 0), |(left, right), (first, last)| (left.min(first), right.max(last)));
    let width = (right.saturating_sub(left) as usize).saturating_add(1);
    if rows.len().saturating_mul(width) <= most {
        return Ok((left..=right).collect());
    }
    // Filled columns are no more than cells; a repeated row was counted with the first.
    let mut filled = std::collections::BTreeSet::new();
    let mut before: Option<&Rc<Vec<SheetCell<'_>>>> = None;
    for SheetRow(cells) in rows {
        if !before.is_some_and(|before| Rc::ptr_eq(before, cells)) {
            filled.extend(cells.iter().map(|(column, ..)| *column));
        }
        if rows.len().saturating_mul(filled.len()) > most {
            return Err(too_many);
        }
        before = Some(cells);
    }
    Ok(filled.into_iter().collect())
}

/// What stands in each column of a row.
fn words(row: &[SheetCell<'_>], columns: &[u32], codes: &formats::Styles) -> Vec<String> {
    let mut cells = row.iter().peekable();
    let word = |column: &u32| {
        let cell = cells.next_if(|(at, ..)| at == column);
        cell.map(|(_, style, cell)| formatted(cell, codes.get(*style as usize).and_then(Option::as_deref)))
    };
    columns.iter().map(word).map(Option::unwrap_or_default).collect()
}

/// A cell as its format shows it.
fn formatted(cell: &DataRef<'_>, code: Option<&str>) -> String {
    let number = match cell {
        DataRef::Float(number) => Some(*number),
        DataRef::Int(number) => Some(*number as f64),
        _ => None,
    };
    let special = number.zip(code).and_then(|(number, code)| formats::shown(number, code));
    special.unwrap_or_else(|| shown(cell))
}

/// A cell as people see it.
fn shown(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::Empty => String::new(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number_shown(*number),
        DataRef::Bool(truth) => truth.to_string(),
        DataRef::DateTime(moment) => moment_shown(moment),
        DataRef::Error(error) => error.to_string(),
    }
}

/// Fifteen digits, as Excel keeps: `0.1 + 0.2` is `0.3`.
fn number_shown(number: f64) -> String {
    let short: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    short.to_string()
}

fn moment_shown(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    match moment.as_f64() {
        _ if moment.is_duration() => {
            let seconds = (moment.as_f64() * 86_400.0).round() as i64;
            format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
        }
        days if days < 1.0 => time,
        days if days.fract() == 0.0 => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{year:04}-{month:02}-{day:02} {time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_see_them() {
        let cases = [
            (0.1 + 0.2, "0.3"),
            (5.0, "5"),
            (1_234_567.891, "1234567.891"),
            (-2.5, "-2.5"),
            (1e21, "1000000000000000000000"),
        ];
        for (number, text) in cases {
            assert_eq!(number_shown(number), text);
        }
    }

    fn cell(row: u32, column: u32, number: i64) -> (u32, SheetCell<'static>) {
        (row, (column, 0, DataRef::Int(number)))
    }

    fn written(cells: Vec<(u32, SheetCell<'_>)>) -> Result<String, SkipReason> {
        let mut writer = SheetWriter::default();
        writer.sheet("S", &rows(cells), &Vec::new())?;
        let source = super::super::super::Source::memory("a.xlsx", b"");
        Ok(writer.rendering.finish(&source, "xlsx", okno_document::Metadata::default())?.text)
    }

    #[test]
    fn cells_in_any_order_and_twice() {
        let text = written(vec![cell(2, 1, 4), cell(1, 1, 2), cell(1, 0, 1), cell(2, 0, 9), cell(2, 0, 3)]).unwrap();
        assert_eq!(text, "## S\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |\n");
    }

    #[test]
    fn empty_columns_are_left_out_only_where_they_are_too_many() {
        let apart = written(vec![cell(0, 0, 1), cell(0, 3, 2), cell(1, 0, 3), cell(1, 3, 4)]).unwrap();
        assert_eq!(apart, "## S\n\n| 1 | | | 2 |\n| --- | --- | --- | --- |\n| 3 | | | 4 |\n");
        let far = (0..2000).flat_map(|row| [cell(row, 0, 1), cell(row, 16_000, 2)]).collect();
        assert!(written(far).unwrap().starts_with("## S\n\n| 1 | 2 |\n| --- | --- |\n| 1 | 2 |\n"));
        let diagonal = (0..5000).flat_map(|at| [cell(at, at, 1), cell(at, at + 1, 1)]).collect();
        assert_eq!(written(diagonal), Err(SkipReason::TooManyCells { limit: MOST_CELLS }));
    }
}
