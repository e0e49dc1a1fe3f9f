//! The route of a question to SQL: what counts, adds or compares rows is answered by a query.
//!
//! ```text
//! question → form (by its words) → tables of the index → one table that explains every word → SELECT → rows
//!                                                      → a model that is shown the tables    → SELECT → rows
//! ```
//!
//! Plain forms are read by rule; where the rule is not sure, a language model may write the query. Where nothing is
//! found, there is no answer here and the usual search goes on.

mod asked;
mod by_model;
mod conditions;
mod form;
mod needed;
mod read;
mod rests_on;
mod tables;

pub use tables::of_index;

use crate::describe::without;
use crate::{Database, QueryRows, SqlLimits, quoted};
use needed::NeededWords;
use okno::Result;
use okno::generate::Asker;
use okno::retrieve::{CitedRow, QueryWriter, RowAnswer, RowRoute};
use okno::store::Snapshot;
use okno::understand::model::Taken;
use read::RowQuestion;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;
use tables::IndexedTable;

/// Rows that are told and cited, at most.
const MOST_ROWS: usize = 100;

/// How long a query may take: it is one part of a search.
const TIME: Duration = Duration::from_secs(2);

/// Answers questions about rows, by rule or with a model.
#[derive(Debug, Clone, Default)]
pub struct TableRoute {
    hidden: BTreeSet<String>,
}

impl TableRoute {
    /// A route that shows a model no columns of these names.
    pub fn hiding(fields: impl IntoIterator<Item = String>) -> Self {
        Self { hidden: fields.into_iter().collect() }
    }
}

impl RowRoute for TableRoute {
    fn answer(&self, snapshot: &dyn Snapshot, question: &str) -> Result<Option<RowAnswer>> {
        if form::form(&question.to_lowercase()).is_none() {
            return Ok(None);
        }
        let needed = NeededWords::of(question);
        let tables = tables::tables(snapshot, &|name, text| needed.are_in(name, text))?;
        let mut found: Vec<(&IndexedTable, RowQuestion)> = tables
            .iter()
            .filter(|table| table.is_plain())
            .filter_map(|table| Some((table, read::read(question, &table.source.table, &table.totals, &table.names)?)))
            .collect();
        // A table that the question names is meant before others that happen to have such columns.
        if found.iter().any(|(_, asked)| asked.is_named) {
            found.retain(|(_, asked)| asked.is_named);
        }
        // The same table may stand in several documents: a sheet, and what was exported from it.
        let first = found.first().map(|(table, _)| &table.source.table);
        let is_one = found.iter().all(|(table, _)| Some(&table.source.table) == first);
        match found.first() {
            Some((table, asked)) if is_one => {
                // A query that fails is no answer; the usual search is.
                let answer = table.answer(asked).ok().flatten();
                answer.map(|answer| Ok(RowAnswer { missing: table.missing(snapshot)?, ..answer })).transpose()
            }
            _ => Ok(None),
        }
    }

    fn answer_by_model(
        &self,
        snapshot: &dyn Snapshot,
        question: &str,
        asker: Asker<'_>,
    ) -> Result<(Option<RowAnswer>, Taken)> {
        by_model::answer(snapshot, question, &self.hidden, asker)
    }

    fn counts(&self, question: &str) -> bool {
        form::counts(&question.to_lowercase())
    }

    fn has_tables(&self, snapshot: &dyn Snapshot) -> Result<bool> {
        tables::has_tables(snapshot)
    }
}

impl IndexedTable {
    /// Runs the query, and a second one for the rows that it rests on.
    fn answer(&self, asked: &RowQuestion) -> crate::Result<Option<RowAnswer>> {
        let database = Database::named(&[(self.name.clone(), &self.source)], &[])?;
        let name = quoted(&self.name);
        let conditions = asked.conditions(&name, &self.totals);
        let sql = format!("SELECT {} FROM {name}{conditions}{}", asked.select, asked.order);
        let rests_on = format!("SELECT _row FROM {name}{conditions}{}", asked.order);
        let Some(answer) = run(&database, &sql)? else { return Ok(None) };
        let places = self.places(&database.query(&rests_on, limits())?);
        Ok(Some(RowAnswer { places, by: QueryWriter::Rule, ..answer }))
    }

    /// The header, and the rows of these numbers.
    fn places(&self, numbers: &QueryRows) -> Vec<CitedRow> {
        let number = |row: &Vec<Value>| usize::try_from(row.first()?.as_u64()?).ok()?.checked_sub(1);
        let found = numbers.rows.iter().filter_map(number).filter_map(|at| self.rows.get(at).cloned());
        self.header.iter().cloned().chain(found).collect()
    }
}

fn limits() -> SqlLimits {
    SqlLimits { rows: MOST_ROWS, time: TIME, ..SqlLimits::default() }
}

/// What a query gives; `None` where that is nothing, or only zeros.
fn run(database: &Database, sql: &str) -> crate::Result<Option<RowAnswer>> {
    let QueryRows { columns, rows, more } = database.query(sql, limits())?;
    let is_nothing = |value: &Value| value.is_null() || value.as_f64() == Some(0.0);
    if rows.iter().flatten().all(is_nothing) {
        return Ok(None);
    }
    let total = if more { counted(database, sql) } else { Some(rows.len()) };
    let (sql, by) = (sql.to_owned(), QueryWriter::Model);
    Ok(Some(RowAnswer { sql, by, columns, rows, more, total, missing: 0, places: Vec::new(), contexts: 0 }))
}

/// How many rows a query finds; `None` where that takes too long.
fn counted(database: &Database, sql: &str) -> Option<usize> {
    let counted = database.query(&format!("SELECT count(*) FROM ({sql})"), limits()).ok()?;
    usize::try_from(counted.rows.first()?.first()?.as_u64()?).ok()
}

impl RowQuestion {
    /// The `WHERE` of a query over a table; rows that add up others are no rows.
    fn conditions(&self, table: &str, totals: &[usize]) -> String {
        let own = (!totals.is_empty()).then(|| without(totals));
        let among = self.conditions.iter().cloned().chain(own).collect::<Vec<_>>().join(" AND ");
        let extreme = self.extreme.as_ref().map(|extreme| extreme.condition(table, &among));
        let all: Vec<String> = [Some(among), extreme].into_iter().flatten().filter(|text| !text.is_empty()).collect();
        if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) }
    }
}
