//! What answers a question about rows, and who gives it: the engine has no such route of its own.

use crate::Result;
use crate::store::{DocumentNumber, Snapshot};
use serde::Serialize;
use std::ops::Range;

/// Answers questions about rows.
pub trait RowRoute: Send + Sync {
    /// The rows that answer a question; `None` where it does not ask for rows, where that is not sure, or where there
    /// are none: the usual search answers then. Must cost nothing for an index without tables.
    fn answer(&self, snapshot: &dyn Snapshot, question: &str) -> Result<Option<RowAnswer>>;
}

/// What a query over rows gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowAnswer {
    /// The query.
    pub sql: String,
    /// Who wrote it.
    pub by: QueryWriter,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows of the answer.
    pub rows: Vec<Vec<serde_json::Value>>,
    /// Whether there are more.
    pub more: bool,
    /// The rows that it rests on, as far as they are known.
    #[serde(skip)]
    pub places: Vec<CitedRow>,
    /// How many of the contexts are such rows, the first of them.
    pub contexts: usize,
}

/// Who wrote a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum QueryWriter {
    /// A rule, for plain forms.
    Rule,
}

/// Where a row is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedRow {
    /// The document.
    pub document: DocumentNumber,
    /// Its sentences.
    pub sentences: Range<usize>,
}
