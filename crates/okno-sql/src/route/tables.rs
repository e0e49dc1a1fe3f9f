//! The tables of an index: those of documents, and the rows of databases that were indexed, by their metadata. The
//! route and `okno sql` ask the same tables by the same names, so that a query that an answer shows can be run again.

use crate::TableSource;
use crate::import::{stem, table_names, totals};
use okno::Result;
use okno::document::table::{self, Table};
use okno::document::{DerivedKind, Metadata};
use okno::retrieve::CitedRow;
use okno::store::{DocumentNumber, Snapshot, is_of_source};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

/// Rows of a table that can be asked by rule, at least: one row answers no comparison.
const FEWEST_ROWS: usize = 2;

/// A table of an index, and where its rows are.
pub struct IndexedTable {
    /// Its name in SQL, without quotes.
    pub name: String,
    /// What a question may call it.
    pub names: Vec<String>,
    /// Its cells.
    pub source: TableSource,
    /// Where its header is.
    pub header: Option<CitedRow>,
    /// Where its rows are; empty where that is not known, since some are cut into several sentences.
    pub rows: Vec<CitedRow>,
    /// The rows that add up others, counted from 1.
    pub totals: Vec<usize>,
    /// The root of the source that its rows are from.
    pub root: Option<String>,
    /// Whether the same document is there before it.
    is_copy: bool,
}

impl IndexedTable {
    fn new(document: &str, table: Table, header: Option<CitedRow>, rows: Vec<CitedRow>) -> Self {
        let totals = totals(&table);
        let source = TableSource { document: document.to_owned(), table };
        let (name, root, is_copy) = (String::new(), None, false);
        Self { name, names: names(document), source, header, rows, totals, root, is_copy }
    }

    /// Whether the rule may ask it: every row has a place, and every column a name.
    pub fn is_plain(&self) -> bool {
        let counted = self.rows.len().saturating_sub(self.totals.len());
        !self.is_copy && counted >= FEWEST_ROWS && !self.source.table.header.is_empty()
    }

    /// Whether a model may ask it.
    pub fn is_askable(&self) -> bool {
        !self.is_copy && !self.source.table.rows.is_empty()
    }

    /// How many rows its source has that are too large for the index.
    pub fn missing(&self, snapshot: &dyn Snapshot) -> Result<usize> {
        let Some(root) = &self.root else { return Ok(0) };
        Ok(snapshot.files()?.iter().filter(|file| file.root == *root && file.documents.is_empty()).count())
    }
}

/// The tables of all documents of an index, and of the databases that were indexed.
///
/// # Errors
/// When the index cannot be read.
pub fn of_index(snapshot: &dyn Snapshot) -> Result<Vec<TableSource>> {
    Ok(tables(snapshot, &|_, _| true)?.into_iter().map(|table| table.source).collect())
}

/// Whether there are any.
pub fn has_tables(snapshot: &dyn Snapshot) -> Result<bool> {
    Ok(holds_tables(snapshot) || snapshot.totals()?.of_sources > 0)
}

fn holds_tables(snapshot: &dyn Snapshot) -> bool {
    snapshot.derived_counts().get(&DerivedKind::Table).is_some_and(|count| *count > 0)
}

/// The tables of an index that are `wanted` for the name of their document and their text, each under the name that it
/// has among all: to read the cells of thousands of tables takes more than a second. Rows of databases are always
/// wanted.
pub fn tables(snapshot: &dyn Snapshot, wanted: &dyn Fn(&str, &str) -> bool) -> Result<Vec<IndexedTable>> {
    if !has_tables(snapshot)? {
        return Ok(Vec::new());
    }
    let (mut documents, mut read) = (Vec::new(), Vec::new());
    let copies: HashSet<_> = snapshot.copies().iter().flat_map(|group| group.iter().skip(1).copied()).collect();
    let holds_tables = holds_tables(snapshot);
    let mut sources: BTreeMap<String, Vec<(CitedRow, Metadata)>> = BTreeMap::new();
    for (number, record) in snapshot.records()? {
        if is_of_source(record) {
            let place = CitedRow { document: *number, sentences: 0..record.sentences as usize };
            sources.entry(record.id.root.clone()).or_default().push((place, record.metadata.clone()));
        } else if holds_tables {
            for sentences in spans(snapshot, *number)? {
                let (name, structure) = (record.id.name(), snapshot.structure(*number)?);
                let whole = snapshot.text(*number)?;
                let text = structure.span(sentences.clone()).of(&whole);
                if !table::is_table(text) {
                    continue;
                }
                if wanted(name, text) {
                    let (table, is_copy) = (of_document(snapshot, *number, name, sentences)?, copies.contains(number));
                    read.extend(table.map(|table| (documents.len(), IndexedTable { is_copy, ..table })));
                }
                documents.push(name.to_owned());
            }
        }
    }
    for (root, rows) in sources {
        let table = of_source(root, &rows);
        documents.push(table.source.document.clone());
        read.push((documents.len() - 1, table));
    }
    let mut names = table_names(documents.iter().map(String::as_str));
    Ok(read.into_iter().map(|(at, table)| IndexedTable { name: std::mem::take(&mut names[at]), ..table }).collect())
}

/// The table that is these sentences of a document.
fn of_document(
    snapshot: &dyn Snapshot,
    number: DocumentNumber,
    name: &str,
    sentences: Range<usize>,
) -> Result<Option<IndexedTable>> {
    let (text, structure) = (snapshot.text(number)?, snapshot.structure(number)?);
    let Some(read) = table::read(structure.span(sentences.clone()).of(&text)) else { return Ok(None) };
    let place = |at: usize| CitedRow { document: number, sentences: at..at + 1 };
    let is_header = |at: &usize| table::is_header(structure.sentences[*at].span.of(&text));
    let (header, rows): (Vec<usize>, Vec<usize>) = sentences.partition(is_header);
    // A row that is cut into several sentences has no place of its own.
    let rows = if rows.len() == read.rows.len() { rows.into_iter().map(place).collect() } else { Vec::new() };
    Ok(Some(IndexedTable::new(name, read, header.first().map(|at| place(*at)), rows)))
}

/// The sentences of each table of a document.
fn spans(snapshot: &dyn Snapshot, number: DocumentNumber) -> Result<Vec<Range<usize>>> {
    let units = snapshot.derived(number)?;
    // A table may have several descriptions: one of its own, one by a model.
    let mut spans: Vec<Range<usize>> =
        units.iter().filter(|unit| unit.kind == DerivedKind::Table).map(okno::document::Derived::sentences).collect();
    spans.dedup();
    Ok(spans)
}

/// The rows of a database: their metadata by field.
fn of_source(root: String, rows: &[(CitedRow, Metadata)]) -> IndexedTable {
    // The name of a source ends with that of its rows; a key may have anything in it.
    let name = root.rsplit_once('#').map_or(root.as_str(), |(_, table)| table).to_owned();
    let fields: BTreeSet<&String> = rows.iter().flat_map(|(_, metadata)| metadata.0.keys()).collect();
    let cell = |metadata: &Metadata, field: &str| metadata.get(field).map(ToString::to_string).unwrap_or_default();
    let cells = |(_, metadata): &(CitedRow, Metadata)| fields.iter().map(|field| cell(metadata, field)).collect();
    let table =
        Table { header: fields.iter().map(ToString::to_string).collect(), rows: rows.iter().map(cells).collect() };
    let places = rows.iter().map(|(place, _)| place.clone()).collect();
    IndexedTable { totals: Vec::new(), root: Some(root), ..IndexedTable::new(&name, table, None, places) }
}

/// What a table may be called: its name, and the words of it. `reports/tea_prices.csv` → `tea prices`, `tea`, `prices`.
fn names(document: &str) -> Vec<String> {
    let stem = stem(document).trim_start_matches("t_").to_lowercase();
    let words: Vec<&str> = stem.split('_').filter(|word| !word.is_empty()).collect();
    let is_name =
        |word: &&&str| word.chars().count() > usize::from(word.is_ascii()) * 2 && word.chars().any(char::is_alphabetic);
    // Of a long name a single word says too little: `table_with_title` is no list of titles.
    let single = words.iter().filter(|_| words.len() <= 2).filter(is_name).map(ToString::to_string);
    std::iter::once(words.join(" ")).chain(single).filter(|name| !name.is_empty()).collect()
}
