//! A query that a model writes: it is shown the tables that the question is likely about, and what it writes is checked
//! before it runs – one `SELECT`, read-only, within the limits of the rule's own queries.

use super::tables::{IndexedTable, tables};
use super::{TIME, limits, rests_on, run};
use crate::describe::{QuestionWords, described};
use crate::import::column_names;
use crate::{Database, SqlLimits, TableSource};
use okno::Result;
use okno::generate::{Asker, Usage};
use okno::message::Reason;
use okno::retrieve::{CitedRow, RowAnswer};
use okno::store::Snapshot;
use okno::understand::model::{Step, StepError, Taken, take_sql};
use std::collections::BTreeSet;

/// Tables that a model is shown, at most.
const MOST_TABLES: usize = 8;

/// Rows of a table that are compared with the question.
const COMPARED_ROWS: usize = 500;

/// The rows that a model's query finds, and what came of asking for it.
pub fn answer(
    snapshot: &dyn Snapshot,
    question: &str,
    hidden: &BTreeSet<String>,
    asker: Asker<'_>,
) -> Result<(Option<RowAnswer>, Taken)> {
    let tables = likely(tables(snapshot, &|_, _| true)?, question);
    let (answer, taken) = match asked(&tables, question, hidden, asker) {
        Ok(done) => done,
        // The tables themselves could not be read as such.
        Err(error) => (None, Taken::failed(Step::Sql, reason(&error), Usage::default())),
    };
    let missing = |answer: RowAnswer| -> Result<RowAnswer> {
        let named = tables.iter().filter(|table| rests_on::names(&answer.sql, &table.name));
        let missing = named.map(|table| table.missing(snapshot)).sum::<Result<usize>>()?;
        Ok(RowAnswer { missing, ..answer })
    };
    Ok((answer.map(missing).transpose()?, taken))
}

/// The tables that share most with a question, where there are many.
fn likely(mut tables: Vec<IndexedTable>, question: &str) -> Vec<IndexedTable> {
    tables.retain(IndexedTable::is_askable);
    if tables.len() > MOST_TABLES {
        let words = QuestionWords::of(question);
        tables.sort_by_cached_key(|table| {
            let (columns, rows) = (column_names(&table.source.table), &table.source.table.rows);
            let cells = rows.iter().take(COMPARED_ROWS).flatten().map(String::as_str);
            std::cmp::Reverse(words.shared(&table.name, &columns, cells))
        });
        tables.truncate(MOST_TABLES);
    }
    tables
}

fn asked(
    tables: &[IndexedTable],
    question: &str,
    hidden: &BTreeSet<String>,
    asker: Asker<'_>,
) -> crate::Result<(Option<RowAnswer>, Taken)> {
    let sources: Vec<(String, &TableSource)> = tables.iter().map(|table| (table.name.clone(), &table.source)).collect();
    let database = Database::named(&sources, &[])?;
    let shown = described(&database, question, hidden, SqlLimits { time: TIME, ..SqlLimits::default() })?;
    let check = |sql: &str| database.check(sql).map_err(|error| reason(&error));
    let (sql, taken) = take_sql(question, &shown, asker, &check);
    let Some(sql) = sql else { return Ok((None, taken)) };
    let failed = |error: StepError| Taken { failed: Some(error.into()), ..taken.clone() };
    Ok(match run(&database, &sql) {
        Ok(Some(answer)) => {
            let places = places(&database, tables, &sql);
            (Some(RowAnswer { places, ..answer }), taken)
        }
        Ok(None) => (None, failed(StepError::NoRows)),
        Err(error) => (None, failed(StepError::NotRun { reason: reason(&error) })),
    })
}

fn reason(error: &crate::Error) -> Reason {
    Reason::of(error)
}

/// The rows that a statement rests on where it is a plain one over one table, else the headers of the tables it names.
fn places(database: &Database, tables: &[IndexedTable], sql: &str) -> Vec<CitedRow> {
    let plain = rests_on::of(sql).and_then(|(name, numbers)| {
        let table = tables.iter().find(|table| table.name.to_lowercase() == name.to_lowercase())?;
        Some(table.places(&database.query(&numbers, limits()).ok()?))
    });
    plain.unwrap_or_else(|| {
        let named = tables.iter().filter(|table| rests_on::names(sql, &table.name));
        named.filter_map(|table| table.header.clone()).collect()
    })
}
