//! The rows of a database as documents that an index follows.
//!
//! In come an address and what is to be read: a table, or the rows of a `SELECT`. Out comes a
//! [`DocumentSource`] that lists every row with its key and a version – the column that says
//! when the row changed, or a hash of the row – and makes documents of those that are asked for. Nothing is written:
//! SQLite files are opened for reading, PostgreSQL is asked inside of a transaction that may only read.

mod document;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;
#[cfg(feature = "postgres")]
mod tls;

use crate::{Error, Result};
use document::{RowCell, RowShape};
use okno::DocumentSource;
use std::path::PathBuf;

/// Bytes of a row, at most; a longer one is skipped with the reason. A page of a book has 3 KB.
pub const LONGEST_ROW: usize = 2 << 20;

/// Rows in memory at once: with [`LONGEST_ROW`] the bound of what is held.
const BATCH_ROWS: usize = 64;

/// The name of rows that are of no table.
const QUERY_NAME: &str = "query";

/// Where a database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseAddress {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL server: `postgres://user@host:port/database`.
    Postgres(String),
}

/// What of a database is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowSelection {
    /// The table; with a query, the name of its rows.
    pub table: Option<String>,
    /// One `SELECT`, in place of the table.
    pub query: Option<String>,
    /// The column that tells rows apart; the primary key when `None`.
    pub key: Option<String>,
    /// The column that says when a row was changed; rows are compared as a whole when `None`.
    pub changed_at: Option<String>,
}

impl DatabaseAddress {
    /// Reads an address; `None` where it is none of a database.
    pub fn parse(text: &str) -> Option<Self> {
        let start = |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if start("postgres://") || start("postgresql://") {
            return Some(Self::Postgres(text.to_owned()));
        }
        crate::is_sqlite(text.as_ref()).then(|| Self::Sqlite(text.into()))
    }

    /// Hands the rows as a source to `follow`, together with the name of the source, which is the same in every run.
    ///
    /// # Errors
    /// When the database cannot be reached, or has no such table or column.
    pub fn rows<T>(
        &self,
        selection: &RowSelection,
        follow: impl FnOnce(&str, &mut dyn DocumentSource) -> T,
    ) -> Result<T> {
        if selection.table.is_none() && selection.query.is_none() {
            return Err(Error::NoSelection);
        }
        match self {
            Self::Sqlite(path) => sqlite::rows(path, selection, follow),
            #[cfg(feature = "postgres")]
            Self::Postgres(address) => postgres::rows(address, selection, follow),
            #[cfg(not(feature = "postgres"))]
            Self::Postgres(_) => Err(Error::WithoutPostgres),
        }
    }
}

impl RowSelection {
    /// The name of the rows: what their ids begin with.
    fn name(&self) -> &str {
        self.table.as_deref().unwrap_or(QUERY_NAME)
    }

    /// The places of the key and of the column that says when a row changed. `primary` are the columns of the primary
    /// key, if there is one.
    fn places(&self, columns: &[String], primary: &[String]) -> Result<(Vec<usize>, Option<usize>)> {
        let place = |name: &String| {
            let found = columns.iter().position(|column| column == name);
            let found = found.or_else(|| columns.iter().position(|column| column.eq_ignore_ascii_case(name)));
            found.ok_or_else(|| Error::NoColumn { column: name.clone(), known: columns.to_vec() })
        };
        let key = match &self.key {
            Some(key) => vec![place(key)?],
            None => primary.iter().map(place).collect::<Result<Vec<_>>>()?,
        };
        if key.is_empty() {
            return Err(Error::NoKey { name: self.name().to_owned(), known: columns.to_vec() });
        }
        Ok((key, self.changed_at.as_ref().map(place).transpose()?))
    }
}
