//! The route of a question to SQL: what counts, adds or compares rows is answered by a query.
//!
//! ```text
//! question → form (by its words) → tables of the index → one table that explains every word → SELECT → rows
//! ```
//!
//! Tables are those of documents, and the rows of databases that were indexed, by their metadata. Plain forms are read
//! by rule; where the rule is not sure, or nothing is found, there is no answer here and the usual search goes on.

mod form;
mod read;

use crate::{Database, QueryRows, SqlLimits, TableSource, quoted};
use okno::document::table::{self, Table};
use okno::document::{DerivedKind, Metadata};
use okno::message::Reason;
use okno::retrieve::{CitedRow, QueryWriter, RowAnswer, RowRoute};
use okno::store::Snapshot;
use okno::{Error, Result, SOURCE_ROOT};
use read::RowQuestion;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::time::Duration;

/// Rows of a table that can be asked, at least: one row answers no comparison.
const FEWEST_ROWS: usize = 2;

/// Rows that are told and cited, at most.
const MOST_ROWS: usize = 100;

/// How long a query may take: it is one part of a search.
const TIME: Duration = Duration::from_secs(2);

/// Answers questions about rows by rule.
#[derive(Debug, Clone, Copy, Default)]
pub struct TableRoute;

/// A table of an index, and where its rows are.
struct IndexedTable {
    source: TableSource,
    names: Vec<String>,
    header: Option<CitedRow>,
    rows: Vec<CitedRow>,
}

impl RowRoute for TableRoute {
    fn answer(&self, snapshot: &dyn Snapshot, question: &str) -> Result<Option<RowAnswer>> {
        if form::form(&question.to_lowercase()).is_none() {
            return Ok(None);
        }
        let tables = tables(snapshot)?;
        let mut found: Vec<(&IndexedTable, RowQuestion)> = tables
            .iter()
            .filter_map(|table| Some((table, read::read(question, &table.source.table, &table.names)?)))
            .collect();
        // A table that the question names is meant before others that happen to have such columns.
        if found.iter().any(|(_, asked)| asked.is_named) {
            found.retain(|(_, asked)| asked.is_named);
        }
        // The same table may stand in several documents: a sheet, and what was exported from it.
        found.dedup_by(|(table, _), (first, _)| table.source.table == first.source.table);
        match found.as_slice() {
            [(table, asked)] => table.answer(asked),
            _ => Ok(None),
        }
    }
}

impl IndexedTable {
    /// Runs the query, and a second one for the rows that it rests on.
    fn answer(&self, asked: &RowQuestion) -> Result<Option<RowAnswer>> {
        let failed =
            |error: crate::Error| Error::Source { name: self.source.document.clone(), reason: Reason::of(&error) };
        let database = Database::new(std::slice::from_ref(&self.source), &[]).map_err(failed)?;
        let limits = SqlLimits { rows: MOST_ROWS, time: TIME, ..SqlLimits::default() };
        let name = quoted(&crate::import::stem(&self.source.document));
        let conditions = match asked.conditions.replace("{table}", &name) {
            none if none.is_empty() => none,
            some => format!(" WHERE {some}"),
        };
        let sql = format!("SELECT {} FROM {name}{conditions}", asked.select);
        let QueryRows { columns, rows, more } = database.query(&sql, limits).map_err(failed)?;
        let is_nothing = |value: &serde_json::Value| value.is_null() || *value == 0;
        if rows.is_empty() || matches!(rows.as_slice(), [row] if row.iter().all(is_nothing)) {
            return Ok(None);
        }
        let rests_on = format!("SELECT _row FROM {name}{conditions}");
        let rests_on = database.query(&rests_on, limits).map_err(failed)?;
        let number = |row: &Vec<serde_json::Value>| usize::try_from(row.first()?.as_u64()?).ok()?.checked_sub(1);
        let found = rests_on.rows.iter().filter_map(number).filter_map(|at| self.rows.get(at).cloned());
        let places = self.header.iter().cloned().chain(found).collect();
        Ok(Some(RowAnswer { sql, by: QueryWriter::Rule, columns, rows, more, places, contexts: 0 }))
    }
}

/// The tables of an index that can be asked: those of documents, copies once, and those of databases.
fn tables(snapshot: &dyn Snapshot) -> Result<Vec<IndexedTable>> {
    let mut tables = Vec::new();
    let copies: HashSet<_> = snapshot.copies().iter().flat_map(|group| group.iter().skip(1).copied()).collect();
    let has_tables = snapshot.derived_counts().get(&DerivedKind::Table).is_some_and(|count| *count > 0);
    let mut sources: BTreeMap<(String, String), Vec<(CitedRow, Metadata)>> = BTreeMap::new();
    for (number, record) in snapshot.records()? {
        if record.id.root.starts_with(SOURCE_ROOT) {
            // The name of a source ends with that of its rows; a key may have anything in it.
            let table = record.id.root.rsplit_once('#').map_or(record.id.root.as_str(), |(_, table)| table).to_owned();
            let place = CitedRow { document: *number, sentences: 0..record.sentences as usize };
            sources.entry((record.id.root.clone(), table)).or_default().push((place, record.metadata.clone()));
        } else if has_tables && !copies.contains(number) {
            of_document(snapshot, *number, record.id.name(), &mut tables)?;
        }
    }
    tables.extend(sources.into_iter().map(|((_, table), rows)| of_source(&table, rows)));
    tables.retain(|table| table.rows.len() >= FEWEST_ROWS && !table.source.table.header.is_empty());
    Ok(tables)
}

fn of_document(
    snapshot: &dyn Snapshot,
    number: okno::store::DocumentNumber,
    name: &str,
    tables: &mut Vec<IndexedTable>,
) -> Result<()> {
    let units = snapshot.derived(number)?;
    let mut spans: Vec<Range<usize>> =
        units.iter().filter(|unit| unit.kind == DerivedKind::Table).map(okno::document::Derived::sentences).collect();
    spans.dedup();
    if spans.is_empty() {
        return Ok(());
    }
    let (text, structure) = (snapshot.text(number)?, snapshot.structure(number)?);
    for sentences in spans {
        let Some(read) = table::read(structure.span(sentences.clone()).of(text)) else { continue };
        let place = |at: usize| CitedRow { document: number, sentences: at..at + 1 };
        let is_header = |at: &usize| table::is_header(structure.sentences[*at].span.of(text));
        let (header, rows): (Vec<usize>, Vec<usize>) = sentences.partition(is_header);
        // A row that is cut into several sentences has no place of its own.
        if rows.len() == read.rows.len() {
            let (cells, rows) = read.rows.into_iter().zip(rows).filter(|(cells, _)| !is_total(cells)).unzip();
            let rows: Vec<usize> = rows;
            let source = TableSource { document: name.to_owned(), table: Table { rows: cells, ..read } };
            let (header, rows) = (header.first().map(|at| place(*at)), rows.into_iter().map(place).collect());
            tables.push(IndexedTable { names: names(name), source, header, rows });
        }
    }
    Ok(())
}

/// Whether a row adds up others: it is none of them.
fn is_total(cells: &[String]) -> bool {
    let first = cells.iter().map(|cell| cell.trim().trim_matches('*').to_lowercase()).find(|cell| !cell.is_empty());
    first.is_some_and(|first| TOTALS.iter().any(|word| form::position(&first, word, 0) == Some(0)))
}

/// What the first cell of such a row begins with.
const TOTALS: &[&str] = &["total", "totals", "subtotal", "grand total", "sum", "合计", "总计", "小计", "总数", "共计"];

/// The rows of a database: their metadata by field.
fn of_source(name: &str, rows: Vec<(CitedRow, Metadata)>) -> IndexedTable {
    let fields: BTreeSet<&String> = rows.iter().flat_map(|(_, metadata)| metadata.0.keys()).collect();
    let cell = |metadata: &Metadata, field: &str| metadata.get(field).map(ToString::to_string).unwrap_or_default();
    let cells = |(_, metadata): &(CitedRow, Metadata)| fields.iter().map(|field| cell(metadata, field)).collect();
    let table =
        Table { header: fields.iter().map(ToString::to_string).collect(), rows: rows.iter().map(cells).collect() };
    let source = TableSource { document: name.to_owned(), table };
    IndexedTable { names: names(name), source, header: None, rows: rows.into_iter().map(|(place, _)| place).collect() }
}

/// What a table may be called: its name, and the words of it. `reports/tea_prices.csv` → `tea prices`, `tea`, `prices`.
fn names(document: &str) -> Vec<String> {
    let stem = crate::import::stem(document).trim_start_matches("t_").to_lowercase();
    let words: Vec<&str> = stem.split('_').filter(|word| !word.is_empty()).collect();
    let is_name =
        |word: &&&str| word.chars().count() > usize::from(word.is_ascii()) * 2 && word.chars().any(char::is_alphabetic);
    // Of a long name a single word says too little: `table_with_title` is no list of titles.
    let single = words.iter().filter(|_| words.len() <= 2).filter(is_name).map(ToString::to_string);
    std::iter::once(words.join(" ")).chain(single).filter(|name| !name.is_empty()).collect()
}
