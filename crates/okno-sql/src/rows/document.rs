//! A row becomes a document.
//!
//! The text is one `column: value` line for each column – numbers and dates too, which are asked for as well –, or the
//! text itself where there is only one column beside the key, or only one long text beside key and title. Everything
//! that is short is typed metadata too, so that it can be filtered by. The title is the value of a column of that name.

use super::LONGEST_ROW;
use okno::document::{Date, Metadata, Value};
use okno::load::{GivenDocument, SkipReason};
use okno::message::Bytes;
use okno::{SourceDocument, SourceEntry};
use xxhash_rust::xxh3::Xxh3;

/// Bytes of a text that is metadata too, at most: names, categories and codes, not paragraphs.
const LONGEST_FIELD: usize = 200;

/// Columns whose value is the title, the best first.
const TITLES: &[&str] =
    &["title", "name", "subject", "headline", "标题", "題目", "题目", "名称", "名稱", "名字", "姓名"];

/// Columns whose value is the title if they end so: `product_name`, `商品名称`.
const TITLE_ENDS: &[&str] = &["_title", "_name", "标题", "名称", "名稱"];

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum RowCell {
    /// Nothing.
    Empty,
    /// Text to be searched.
    Text(String),
    /// Anything else, typed, and as the database writes it: a number may have more digits, a day its time.
    Typed(Value, String),
    /// So many bytes that the row is skipped for them.
    TooLong(usize),
}

/// The columns of rows, and what they are for.
pub struct RowShape {
    name: String,
    columns: Vec<String>,
    key: Vec<usize>,
    changed_at: Option<usize>,
    title: Option<usize>,
}

impl RowShape {
    /// `texts` are the places of columns that hold text.
    pub fn new(name: &str, columns: Vec<String>, key: Vec<usize>, changed_at: Option<usize>, texts: &[usize]) -> Self {
        let title = title(&columns, texts);
        Self { name: name.to_owned(), columns, key, changed_at, title }
    }

    /// The id of a row and its version. Rows of other columns have other versions, so that a column that is added is
    /// read.
    pub fn entry(&self, row: &[RowCell]) -> SourceEntry {
        let key: Vec<&str> = self.key.iter().map(|&at| row[at].plain()).collect();
        let version = match self.changed_at.map(|at| &row[at]) {
            Some(changed) if *changed != RowCell::Empty => self.version([changed]),
            _ => self.version(row),
        };
        SourceEntry { id: self.id(&key), version }
    }

    /// The id of the row with this key.
    pub fn id(&self, key: &[&str]) -> String {
        format!("{}/{}", self.name, key.join("/"))
    }

    /// A hash of values, and of the columns that a row has.
    pub fn version<'c>(&self, cells: impl IntoIterator<Item = &'c RowCell>) -> u128 {
        let mut hash = Xxh3::new();
        let mut write = |kind: u8, text: &str| {
            hash.update(&[kind]);
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        self.columns.iter().for_each(|column| write(0, column));
        for cell in cells {
            let kind = match cell {
                RowCell::Empty => 1,
                RowCell::Text(_) => 2,
                RowCell::Typed(..) => 3,
                RowCell::TooLong(_) => 4,
            };
            write(kind, cell.plain());
        }
        // 0 means that there is no version.
        hash.digest128().max(1)
    }

    /// The document of a row.
    pub fn document(&self, row: &[RowCell]) -> SourceDocument {
        let size: usize = row.iter().map(RowCell::size).sum();
        if size > LONGEST_ROW {
            return Err(SkipReason::RowTooLarge { size: Bytes(size as u64), limit: Bytes(LONGEST_ROW as u64) });
        }
        let title = self.title.map(|at| row[at].plain().to_owned()).filter(|title| !title.trim().is_empty());
        let mut document = GivenDocument::new(self.entry(row).id, self.text(row));
        (document.title, document.metadata) = (title, self.metadata(row));
        Ok(document)
    }

    fn text(&self, row: &[RowCell]) -> String {
        let is_text = |at: &usize| matches!(&row[*at], RowCell::Text(text) if !text.trim().is_empty());
        let texts: Vec<usize> = (0..row.len()).filter(is_text).collect();
        let beside_key: Vec<usize> = texts.iter().copied().filter(|at| !self.key.contains(at)).collect();
        let own: Vec<usize> = beside_key.iter().copied().filter(|at| Some(*at) != self.title).collect();
        let held: Vec<usize> = (0..row.len()).filter(|at| row[*at] != RowCell::Empty).collect();
        let is_alone = held.iter().all(|at| self.key.contains(at) || texts.contains(at));
        match (own.as_slice(), texts.as_slice()) {
            ([only], _) if beside_key.len() == 1 && is_alone => row[*only].plain().to_owned(),
            ([only], _) if row[*only].plain().len() > LONGEST_FIELD => row[*only].plain().to_owned(),
            ([], [only]) if is_alone => row[*only].plain().to_owned(),
            _ => {
                let title = self.title.filter(|at| texts.contains(at));
                // A number that only tells rows apart is nothing to read, unless there is nothing else.
                let is_number = |at: &usize| self.key.contains(at) && !texts.contains(at) && held.len() > 1;
                let others = held.iter().copied().filter(|at| Some(*at) != title && !is_number(at));
                self.lines(row, title.into_iter().chain(others))
            }
        }
    }

    fn lines(&self, row: &[RowCell], places: impl Iterator<Item = usize>) -> String {
        places.map(|at| format!("{}: {}", self.columns[at], row[at].plain())).collect::<Vec<_>>().join("\n")
    }

    fn metadata(&self, row: &[RowCell]) -> Metadata {
        let mut metadata = Metadata::default();
        for (column, cell) in self.columns.iter().zip(row) {
            match cell {
                RowCell::Typed(value, _) => metadata.set(column, value.clone()),
                RowCell::Text(text)
                    if text.len() <= LONGEST_FIELD && !text.trim().is_empty() && !text.contains('\n') =>
                {
                    metadata.set(column, Value::from_text(text));
                }
                _ => {}
            }
        }
        metadata
    }
}

impl RowCell {
    /// A number as the database writes it; nothing where it cannot be compared.
    pub fn number(text: String) -> Self {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Self::Typed(Value::Number(number), text),
            _ => Self::Empty,
        }
    }

    /// The day that a text begins with, as databases write dates and times.
    pub fn day(text: String) -> Self {
        let day = text.get(..10).filter(|_| text.len() == 10 || text[10..].starts_with([' ', 'T']));
        let value = day.and_then(Date::parse).map_or_else(|| Value::Text(text.clone()), Value::Date);
        Self::Typed(value, text)
    }

    /// As the database writes it.
    pub fn plain(&self) -> &str {
        match self {
            Self::Empty | Self::TooLong(_) => "",
            Self::Text(text) | Self::Typed(_, text) => text,
        }
    }

    fn size(&self) -> usize {
        if let Self::TooLong(size) = self { *size } else { self.plain().len() }
    }
}

/// The column whose value is the title.
fn title(columns: &[String], texts: &[usize]) -> Option<usize> {
    let column = |at: usize| columns[at].to_lowercase();
    let called = |name: &&str| texts.iter().copied().find(|at| column(*at) == **name);
    let ending = || texts.iter().copied().find(|at| TITLE_ENDS.iter().any(|end| column(*at).ends_with(end)));
    TITLES.iter().find_map(called).or_else(ending)
}
