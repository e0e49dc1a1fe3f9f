//! What answers a question about rows, and who gives it: the engine has no such route of its own.

use crate::Result;
use crate::generate::Asker;
use crate::store::{DocumentNumber, Snapshot};
use crate::understand::model::Taken;
use serde::Serialize;
use std::ops::Range;

/// Answers questions about rows.
pub trait RowRoute: Send + Sync {
    /// The rows that answer a question; `None` where it does not ask for rows, where that is not sure, or where there
    /// are none: the usual search answers then. Must cost nothing for an index without tables.
    fn answer(&self, snapshot: &dyn Snapshot, question: &str) -> Result<Option<RowAnswer>>;

    /// The rows that a query finds which a model writes, and what came of that step; `None` where it wrote none, or one
    /// that finds nothing.
    fn answer_by_model(
        &self,
        snapshot: &dyn Snapshot,
        question: &str,
        asker: Asker<'_>,
    ) -> Result<(Option<RowAnswer>, Taken)>;

    /// Whether the words of a question count, add or compare, so that a query may answer it.
    fn counts(&self, question: &str) -> bool;

    /// Whether there are tables or rows to ask.
    fn has_tables(&self, snapshot: &dyn Snapshot) -> Result<bool>;
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
    /// How many rows there are in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// Rows of the source that are not in the index, because they were too large: the answer does not know them.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing: usize,
    /// The rows that it rests on, as far as they are known.
    #[serde(skip)]
    pub places: Vec<CitedRow>,
    /// How many of the contexts are such rows, the first of them.
    pub contexts: usize,
}

impl RowAnswer {
    /// How many rows there are beside the first `shown`; 0 where those are all or nobody knows.
    pub fn beyond(&self, shown: usize) -> usize {
        self.total.unwrap_or(self.rows.len()).saturating_sub(shown)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde hands over
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Who wrote a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum QueryWriter {
    /// A rule, for plain forms.
    Rule,
    /// A language model.
    Model,
}

/// Where a row is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedRow {
    /// The document.
    pub document: DocumentNumber,
    /// Its sentences.
    pub sentences: Range<usize>,
}
