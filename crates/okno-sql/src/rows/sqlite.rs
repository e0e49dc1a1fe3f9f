//! Rows of an SQLite file, opened for reading only, in one transaction.

use super::{BATCH_ROWS, LONGEST_ROW, RowCell, RowSelection, RowShape};
use crate::guard::allow_reading;
use crate::{Error, Result, escaped, quoted};
use okno::document::Value;
use okno::{DocumentSource, SourceDocument, SourceEntry};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, Rows, Statement};
use std::path::Path;

/// What a column is declared to hold. SQLite stores in any column what it is given; only what it has no type of its own
/// for is taken from the declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declared {
    Truth,
    Day,
    Other,
}

/// Rows that are stepped through, and those of the batch that was listed last.
struct SqliteRows<'s> {
    name: String,
    rows: Rows<'s>,
    shape: RowShape,
    declared: Vec<Declared>,
    batch: Vec<Vec<RowCell>>,
}

pub fn rows<T>(
    path: &Path,
    selection: &RowSelection,
    follow: impl FnOnce(&str, &mut dyn DocumentSource) -> T,
) -> Result<T> {
    let failed = |error: rusqlite::Error| Error::File { path: path.to_owned(), words: error.to_string() };
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let connection = open(&whole).map_err(failed)?;
    let (table, primary) = table(&connection, selection).map_err(failed)?;
    let select = match (&selection.query, table) {
        (Some(query), _) => format!("SELECT * FROM ({})", query.trim().trim_end_matches(';')),
        (None, Some(table)) => format!("SELECT * FROM {}", quoted(&table)),
        (None, None) => {
            let known = tables(&connection).map_err(failed)?;
            return Err(Error::NoTable { table: selection.name().to_owned(), known });
        }
    };
    connection.authorizer(Some(allow_reading));
    let mut statement = connection.prepare(&select).map_err(|error| Error::Query(error.to_string()))?;
    let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let (key, changed_at) = selection.places(&columns, &primary)?;
    let (declared, texts) = declared(&statement);
    let shape = RowShape::new(selection.name(), columns, key, changed_at, &texts);
    let name = format!("{}#{}", whole.to_string_lossy(), selection.name());
    let rows = statement.query([]).map_err(failed)?;
    Ok(follow(&name, &mut SqliteRows { name: name.clone(), rows, shape, declared, batch: Vec::new() }))
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let uri = format!("file:{}?mode=ro", escaped(&path.to_string_lossy()));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    // Only reading tells whether it is a database at all.
    connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
    Ok(connection)
}

/// The table as the file spells it, and the columns of its primary key.
fn table(connection: &Connection, selection: &RowSelection) -> rusqlite::Result<(Option<String>, Vec<String>)> {
    let name = selection.name();
    let known = tables(connection)?;
    let found =
        known.iter().find(|known| *known == name).or(known.iter().find(|known| known.eq_ignore_ascii_case(name)));
    let Some(found) = found.filter(|_| selection.query.is_none()) else { return Ok((None, Vec::new())) };
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?;
    let primary = statement.query_map([found], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok((Some(found.clone()), primary))
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let listed =
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY 1";
    connection.prepare(listed)?.query_map([], |row| row.get(0))?.collect()
}

/// What the columns are declared to hold, and which of them hold text.
fn declared(statement: &Statement<'_>) -> (Vec<Declared>, Vec<usize>) {
    let types: Vec<String> =
        statement.columns().iter().map(|column| column.decl_type().unwrap_or_default().to_uppercase()).collect();
    let declared = |name: &String| match name.as_str() {
        truth if truth.starts_with("BOOL") => Declared::Truth,
        day if day.starts_with("DATE") || day.starts_with("TIMESTAMP") => Declared::Day,
        _ => Declared::Other,
    };
    let is_text = |name: &str| name.is_empty() || ["CHAR", "TEXT", "CLOB"].iter().any(|part| name.contains(part));
    let texts = types.iter().enumerate().filter(|(_, name)| is_text(name)).map(|(at, _)| at).collect();
    (types.iter().map(declared).collect(), texts)
}

impl DocumentSource for SqliteRows<'_> {
    fn list(&mut self) -> okno::Result<Vec<SourceEntry>> {
        self.batch.clear();
        let mut bytes = 0;
        while self.batch.len() < BATCH_ROWS && bytes < LONGEST_ROW {
            let row = self.rows.next().and_then(|row| row.map(|row| cells(row, &self.declared)).transpose());
            let reason = |error: rusqlite::Error| okno::Error::Source {
                name: self.name.clone(),
                reason: Error::Query(error.to_string()).into(),
            };
            let Some((row, size)) = row.map_err(reason)? else { break };
            bytes += size;
            self.batch.push(row);
        }
        Ok(self.batch.iter().map(|row| self.shape.entry(row)).collect())
    }

    fn read(&mut self, positions: &[usize]) -> okno::Result<Vec<(usize, SourceDocument)>> {
        Ok(positions.iter().map(|&at| (at, self.shape.document(&self.batch[at]))).collect())
    }
}

/// The values of a row, and their bytes. What is too long is not copied: the row is skipped for it.
fn cells(row: &Row<'_>, declared: &[Declared]) -> rusqlite::Result<(Vec<RowCell>, usize)> {
    let (mut cells, mut size) = (Vec::with_capacity(declared.len()), 0);
    for (at, declared) in declared.iter().enumerate() {
        let cell = match row.get_ref(at)? {
            ValueRef::Integer(truth @ (0 | 1)) if *declared == Declared::Truth => {
                RowCell::Typed(Value::Bool(truth == 1), truth.to_string())
            }
            ValueRef::Integer(number) => RowCell::number(number.to_string()),
            ValueRef::Real(number) => RowCell::number(number.to_string()),
            ValueRef::Text(text) if text.len() > LONGEST_ROW => RowCell::TooLong(text.len()),
            ValueRef::Text(text) => {
                size += text.len();
                let text = String::from_utf8_lossy(text).into_owned();
                if *declared == Declared::Day { RowCell::day(text) } else { RowCell::Text(text) }
            }
            // A picture in a row is no reason to skip it.
            ValueRef::Null | ValueRef::Blob(_) => RowCell::Empty,
        };
        cells.push(cell);
    }
    Ok((cells, size))
}
