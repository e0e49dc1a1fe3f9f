//! `OpenDocument` spreadsheets: the sheets of `content.xml`.
//!
//! `calamine` reads them too, and makes room for every repetition that a cell or a row claims. Here a repeated row is
//! kept once.

use std::rc::Rc;

use calamine::DataRef;

use super::super::SkipReason;
use super::archive::Archive;
use super::sheet::{MOST_FILLED, SheetCell, SheetRow};
use super::xml::{Element, XmlEvent, walk};

/// The bounds of a sheet in the programs that write such files.
const MOST_ROWS: usize = 1_048_576;
const MOST_COLUMNS: usize = 16_384;

/// The sheets in their order, by name.
pub(super) fn sheets(archive: &mut Archive<'_>) -> Result<Vec<(String, Vec<SheetRow<'static>>)>, SkipReason> {
    if archive.text("META-INF/manifest.xml").is_some_and(|xml| is_encrypted(&xml)) {
        return Err(SkipReason::Encrypted);
    }
    let mut reading = OdsReader::default();
    walk(&archive.required("content.xml")?, |node| reading.node(node));
    if reading.cells > MOST_FILLED {
        return Err(SkipReason::TooManyCells { limit: MOST_FILLED });
    }
    Ok(reading.sheets)
}

fn is_encrypted(manifest: &str) -> bool {
    let mut found = false;
    walk(manifest, |node| found |= matches!(node, XmlEvent::Open(element) if element.name == "encryption-data"));
    found
}

#[derive(Default)]
struct OdsReader {
    sheets: Vec<(String, Vec<SheetRow<'static>>)>,
    /// Open tables: one in a cell is part of that cell.
    tables: usize,
    /// Rows of the open sheet so far, the empty ones too.
    rows: usize,
    /// Filled cells so far.
    cells: usize,
    row: Option<OpenRow>,
    cell: Option<OpenCell>,
    /// Inside of a comment.
    hidden: usize,
}

#[derive(Default)]
struct OpenRow {
    repeated: usize,
    column: usize,
    cells: Vec<SheetCell<'static>>,
}

#[derive(Default)]
struct OpenCell {
    repeated: usize,
    value: DataRef<'static>,
    /// The text in the cell is its value.
    is_text: bool,
    text: String,
    paragraphs: usize,
}

impl OdsReader {
    fn node(&mut self, node: XmlEvent<'_>) {
        match node {
            XmlEvent::Open(element) if element.name == "annotation" => self.hidden += 1,
            XmlEvent::Close("annotation") => self.hidden = self.hidden.saturating_sub(1),
            _ if self.hidden > 0 || self.cells > MOST_FILLED => {}
            XmlEvent::Open(element) => self.open(&element),
            XmlEvent::Text(text) => {
                if let Some(cell) = self.cell.as_mut().filter(|cell| cell.is_text) {
                    cell.text.push_str(text);
                }
            }
            XmlEvent::Close(name) => self.close(name),
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        match element.name {
            "table" => {
                self.tables += 1;
                if self.tables == 1 {
                    self.sheets.push((element.attribute("name").unwrap_or_default(), Vec::new()));
                    self.rows = 0;
                }
            }
            "table-row" if self.tables == 1 => {
                let repeated = element.number("number-rows-repeated").unwrap_or(1);
                self.row = Some(OpenRow { repeated: repeated.min(MOST_ROWS - self.rows), ..OpenRow::default() });
            }
            "table-cell" | "covered-table-cell" if self.tables == 1 && self.row.is_some() => {
                self.cell = Some(OpenCell::new(element));
            }
            name => {
                if let Some(cell) = self.cell.as_mut().filter(|cell| cell.is_text) {
                    cell.element(name, element);
                }
            }
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "table" => self.tables = self.tables.saturating_sub(1),
            "table-cell" | "covered-table-cell" if self.tables == 1 => {
                if let (Some(cell), Some(row)) = (self.cell.take(), self.row.as_mut()) {
                    self.cells += row.push(cell, MOST_FILLED.saturating_sub(self.cells));
                }
            }
            "table-row" if self.tables == 1 => {
                let Some(row) = self.row.take() else { return };
                self.rows += row.repeated;
                if let Some((_, rows)) = self.sheets.last_mut().filter(|_| !row.cells.is_empty()) {
                    let cells = Rc::new(row.cells);
                    // A row takes as much room as a cell, however often the same is repeated.
                    self.cells += row.repeated;
                    if self.cells <= MOST_FILLED {
                        rows.extend(std::iter::repeat_n(SheetRow(cells), row.repeated));
                    }
                }
            }
            _ => {}
        }
    }
}

impl OpenRow {
    /// Adds a cell as often as it is repeated; what it takes, in cells. One that takes more than is `left` is not
    /// added.
    fn push(&mut self, cell: OpenCell, left: usize) -> usize {
        let repeated = cell.repeated.min(MOST_COLUMNS - self.column);
        let value = if cell.is_text { DataRef::String(cell.text) } else { cell.value };
        let from = self.column;
        self.column += repeated;
        if value == DataRef::Empty {
            return 0;
        }
        // Words are copied for each repetition.
        let length = if let DataRef::String(text) = &value { text.len() } else { 0 };
        let taken = repeated + (repeated - repeated.min(1)) * (length / size_of::<SheetCell<'_>>());
        if taken <= left {
            self.cells.extend((from..self.column).map(|column| (column as u32, 0, value.clone())));
        }
        taken
    }
}

impl OpenCell {
    fn new(element: &Element<'_>) -> Self {
        let repeated = element.number("number-columns-repeated").unwrap_or(1);
        let (mut cell, mut given, mut failed) = (Self { repeated, ..Self::default() }, false, false);
        element.attributes(|name, value| {
            let first = !given;
            match name {
                "office:value" if first => cell.value = value.parse().map_or(DataRef::Empty, DataRef::Float),
                "office:string-value" if first => cell.value = DataRef::String(value),
                "office:date-value" if first => cell.value = DataRef::DateTimeIso(value),
                "office:time-value" if first => cell.value = DataRef::DurationIso(value),
                "office:boolean-value" if first => cell.value = DataRef::Bool(value.eq_ignore_ascii_case("true")),
                "office:value-type" if first => cell.is_text = value == "string",
                "calcext:value-type" => failed = value == "error",
                _ => {}
            }
            given |= name.starts_with("office:") && name.ends_with("value");
        });
        // The text of an error stands in the cell, beside an empty value.
        let no_words = matches!(&cell.value, DataRef::String(words) if words.is_empty());
        cell.is_text = (!given && cell.is_text) || (failed && no_words);
        cell
    }

    fn element(&mut self, name: &str, element: &Element<'_>) {
        match name {
            "p" => {
                if self.paragraphs > 0 {
                    self.text.push('\n');
                }
                self.paragraphs += 1;
            }
            "s" => self.text.push_str(&" ".repeat(element.number("c").unwrap_or(1).min(MOST_SPACES))),
            "tab" => self.text.push('\t'),
            "line-break" => self.text.push('\n'),
            _ => {}
        }
    }
}

/// Spaces are written as a number; words are not further apart than this.
const MOST_SPACES: usize = 256;
