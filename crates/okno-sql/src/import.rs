//! Tables of documents become tables of SQL.
//!
//! A table is named after its document, with a number where there are several; a column after its
//! header. Cells that are numbers become numbers – `1,200`, `¥30` and `12%` too, without their signs –, empty ones
//! become NULL, and marks of emphasis are left out. Two more columns say where
//! a row is from: `_document` and `_row`, counted from 1. Rows that add up others stay in a table, and are known.

use crate::quoted;
use crate::words::position;
use okno::document::table::{self, Table};
use okno::document::{BlockKind, Loaded};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// A table and the document it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSource {
    /// The document.
    pub document: String,
    /// Its cells.
    pub table: Table,
}

/// SQLite's own limit on columns is 2,000; two are ours, and a query may want a few more.
pub const MOST_COLUMNS: usize = 1990;

/// A table that has more columns than SQLite takes: the first [`MOST_COLUMNS`] of them can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrowed {
    /// Its name in SQL, without quotes.
    pub name: String,
    /// The document it is in.
    pub document: String,
    /// How many columns it has there.
    pub columns: usize,
}

/// The tables of a loaded document.
pub fn of_loaded(name: &str, loaded: &Loaded) -> Vec<TableSource> {
    let tables = loaded.blocks.iter().filter(|block| block.kind == BlockKind::Table);
    let read = tables.filter_map(|block| table::read(block.span.of(&loaded.text)));
    read.map(|table| TableSource { document: name.to_owned(), table }).collect()
}

/// The names of tables in SQL, without quotes: in the same order, all different.
pub fn table_names<'s>(documents: impl IntoIterator<Item = &'s str>) -> Vec<String> {
    let mut names = UsedNames::default();
    documents.into_iter().map(|document| names.another(&stem(document))).collect()
}

/// What is to be known of the tables that were made.
#[derive(Debug, Default)]
pub struct Filled {
    /// Those that lost columns.
    pub narrowed: Vec<Narrowed>,
    /// The rows that add up others, by the name of the table, counted from 1.
    pub totals: BTreeMap<String, Vec<usize>>,
}

/// Makes and fills a table for each source, under its name.
pub fn fill(connection: &mut Connection, sources: &[(String, &TableSource)]) -> rusqlite::Result<Filled> {
    let transaction = connection.transaction()?;
    let mut filled = Filled::default();
    for (name, source) in sources {
        add(&transaction, name, source)?;
        let (columns, document) = (width(&source.table), source.document.clone());
        let narrowed = Narrowed { name: name.clone(), document, columns };
        filled.narrowed.extend((columns > MOST_COLUMNS).then_some(narrowed));
        let totals = totals(&source.table);
        if !totals.is_empty() {
            filled.totals.insert(name.clone(), totals);
        }
    }
    transaction.commit()?;
    Ok(filled)
}

/// The rows of a table that add up others, counted from 1.
pub fn totals(table: &Table) -> Vec<usize> {
    (1..).zip(&table.rows).filter(|(_, cells)| is_total(cells)).map(|(at, _)| at).collect()
}

/// Whether a row adds up others: it is none of them.
fn is_total(cells: &[String]) -> bool {
    let first = cells.iter().map(|cell| cell.trim().trim_matches('*').to_lowercase()).find(|cell| !cell.is_empty());
    first.is_some_and(|first| TOTALS.iter().any(|word| position(&first, word, 0) == Some(0)))
}

/// What the first cell of such a row begins with.
const TOTALS: &[&str] = &["total", "totals", "subtotal", "grand total", "sum", "合计", "总计", "小计", "总数", "共计"];

fn width(table: &Table) -> usize {
    table.rows.iter().map(Vec::len).chain([table.header.len()]).max().unwrap_or(0)
}

fn add(connection: &Connection, name: &str, TableSource { document, table }: &TableSource) -> rusqlite::Result<()> {
    let columns = column_names(table);
    let width = columns.len();
    let all: Vec<String> =
        columns.iter().map(|name| quoted(name)).chain(["_document", "_row"].map(str::to_owned)).collect();
    connection.execute(&format!("CREATE TABLE {} ({})", quoted(name), all.join(", ")), [])?;
    let marks = vec!["?"; all.len()].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO {} VALUES ({marks})", quoted(name)))?;
    for (at, row) in (1..).zip(&table.rows) {
        let cells = (0..width).map(|column| row.get(column).map_or(Value::Null, |cell| cell_value(cell)));
        let place = [Value::Text(document.clone()), Value::Integer(at)];
        insert.execute(params_from_iter(cells.chain(place)))?;
    }
    Ok(())
}

/// Names that are all different, whatever the case: `sales`, `sales_2` …
#[derive(Default)]
struct UsedNames {
    taken: HashSet<String>,
    /// The number from which on a name may be free.
    next: HashMap<String, usize>,
}

impl UsedNames {
    /// A name nobody has yet.
    fn another(&mut self, name: &str) -> String {
        let next = self.next.entry(name.to_lowercase()).or_insert(1);
        loop {
            let numbered = if *next == 1 { name.to_owned() } else { format!("{name}_{next}") };
            *next += 1;
            if self.taken.insert(numbered.to_lowercase()) {
                return numbered;
            }
        }
    }
}

/// Columns as SQL has them: the headers, numbered where one occurs twice.
pub fn column_names(table: &Table) -> Vec<String> {
    let mut used = UsedNames::default();
    used.taken.extend(["_document", "_row"].map(str::to_owned));
    let header = |at: usize| table.header.get(at).map(|name| name.trim()).filter(|name| !name.is_empty());
    (0..width(table).min(MOST_COLUMNS))
        .map(|at| used.another(&header(at).map_or_else(|| format!("column_{}", at + 1), str::to_owned)))
        .collect()
}

/// `reports/sales 2023.csv` → `sales_2023`.
pub fn stem(document: &str) -> String {
    let stem = Path::new(document).file_stem().map_or(document.into(), |stem| stem.to_string_lossy());
    let name: String = stem.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_numeric()) { format!("t_{name}") } else { name }
}

/// A cell as SQL should compare it.
pub fn cell_value(cell: &str) -> Value {
    let cell = cell.trim().trim_matches(['*', '_', '`']).trim();
    if cell.is_empty() {
        return Value::Null;
    }
    let plain =
        cell.trim_start_matches(['¥', '￥', '$', '€', '£']).trim_end_matches(['%', '％']).trim().replace(',', "");
    let grouped = cell.contains(',') && !is_grouped(cell.trim_matches(|c: char| !c.is_ascii_digit()));
    // A leading zero is a code, not a number.
    let coded = plain.len() > 1 && plain.starts_with('0') && !plain.starts_with("0.");
    if grouped || coded || !plain.ends_with(|c: char| c.is_ascii_digit()) {
        return Value::Text(cell.to_owned());
    }
    let integer = plain.parse().map(Value::Integer).ok();
    let real = || plain.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Real);
    integer.or_else(real).unwrap_or_else(|| Value::Text(cell.to_owned()))
}

/// `1,234,567.8`: groups of three.
fn is_grouped(cell: &str) -> bool {
    let whole = cell.trim_start_matches('-').split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}
