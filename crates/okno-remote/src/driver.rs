//! What the core asks of an engine: rows written, deleted, looked up and searched.
//!
//! A driver knows the calls of one engine and how it writes conditions; it knows nothing of generations, documents or
//! rankings. Every call blocks, repeats what may be repeated while the server is unreachable or busy, and fails with
//! [`okno::error::RemoteError`] otherwise. Writing the same rows twice leaves them there once.

use crate::conditions::{RowCondition, RunLimits};
use crate::failure::{DamagedRow, RemoteFailure, damaged, failed};
use crate::layers::LayerCode;
use crate::meter::Meter;
use crate::units::{Dimension, TermCounts};
use okno::{Error, Result};
use std::path::PathBuf;
use std::sync::Arc;

/// The tables of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteTable {
    /// What is ranked.
    Units,
    /// Documents, in parts.
    Documents,
    /// Small values by name and generation.
    Ledger,
}

impl RemoteTable {
    /// All of them; an index is there when the last is.
    pub const ALL: [Self; 3] = [Self::Units, Self::Documents, Self::Ledger];

    /// Its name in the index of this name.
    pub fn name(self, index: &str) -> String {
        match self {
            Self::Units => index.to_owned(),
            Self::Documents => format!("{index}_documents"),
            Self::Ledger => format!("{index}_ledger"),
        }
    }
}

/// Whether a field of a row holds a number; the others hold text.
pub fn is_number(field: &str) -> bool {
    matches!(field, "document" | "section" | "place" | "part" | "born" | "content" | "kind")
}

/// Rows of documents or of the ledger, column by column. The column `key` names each row.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// Numbers, by field.
    pub numbers: Vec<(&'static str, Vec<i64>)>,
    /// Texts, by field.
    pub texts: Vec<(&'static str, Vec<String>)>,
    /// Tokens of fields, row by row; none where the driver does not check fields.
    pub tokens: Vec<Vec<String>>,
}

impl Columns {
    /// A column of numbers; empty where there is none of that name.
    pub fn numbers(&self, name: &str) -> &[i64] {
        self.numbers.iter().find(|(own, _)| *own == name).map_or(&[], |(_, values)| values)
    }

    /// A column of texts; empty where there is none of that name.
    pub fn texts(&self, name: &str) -> &[String] {
        self.texts.iter().find(|(own, _)| *own == name).map_or(&[], |(_, values)| values)
    }
}

/// A question for rows by what they hold.
#[derive(Debug, Clone)]
pub struct Lookup {
    /// Where.
    pub table: RemoteTable,
    /// Which rows, as [`StoreDriver::expression`] wrote it.
    pub expression: String,
    /// What is wanted of them.
    pub fields: &'static [&'static str],
    /// How many are enough; `None`: all are wanted. A driver may return more.
    pub most: Option<usize>,
}

/// A unit as it is stored.
#[derive(Debug, Clone)]
pub struct UnitRow {
    /// Layer, document and ordinal.
    pub key: i64,
    /// The document.
    pub document: i64,
    /// The document and the section of its anchor.
    pub section: i64,
    /// The first sentence and the end of its run.
    pub place: i64,
    /// Its vector, of unit length or zero.
    pub dense: Vec<f32>,
    /// Its terms, counted.
    pub terms: TermCounts,
    /// How many terms it has, those above it included.
    pub length: f32,
    /// The tokens of its document's fields, shared by all units of it.
    pub tokens: Arc<[String]>,
}

/// Units of one layer.
#[derive(Debug, Clone)]
pub struct UnitBatch {
    /// The layer.
    pub code: LayerCode,
    /// The mean length of its units, for engines that are given weights.
    pub mean: f32,
    /// The units.
    pub rows: Vec<UnitRow>,
}

/// A search for the units of one layer.
#[derive(Debug, Clone)]
pub struct Nearest {
    /// The layer.
    pub code: LayerCode,
    /// What is asked.
    pub question: UnitQuestion,
    /// Among which rows, as [`StoreDriver::expression`] wrote it.
    pub expression: String,
    /// How many, at most.
    pub limit: usize,
}

/// A question in one leg.
#[derive(Debug, Clone)]
pub enum UnitQuestion {
    /// A vector of unit length: the nearest by inner product, scored by it.
    Dense(Vec<f32>),
    /// Terms: the best by BM25, scored by it.
    Lexical(Vec<AskedTerm>),
}

/// A term of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskedTerm {
    /// The term.
    pub term: Dimension,
    /// How much the question means it.
    pub weight: f32,
    /// How rare it is in the layer, for engines that do not count that themselves.
    pub rarity: f32,
}

/// A unit found: its key, where its run is, and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Layer, document and ordinal.
    pub key: i64,
    /// The first sentence and the end of its run.
    pub place: i64,
    /// Cosine or BM25.
    pub score: f32,
}

/// The calls of one engine to one index.
pub trait StoreDriver: Send + Sync {
    /// The address, for messages.
    fn place(&self) -> &str;
    /// Counts the calls.
    fn meter(&self) -> &Meter;
    /// Whether the index is there, and ready to be read after this call.
    fn is_ready(&self) -> Result<bool>;
    /// Makes the tables that are missing, for vectors of this length.
    fn create(&self, dimensions: usize) -> Result<()>;
    /// Removes all tables; the ledger first, so that nothing half is taken for an index.
    fn drop_index(&self) -> Result<()>;
    /// A condition as the engine reads it. Heads keep such texts: the same condition must give the same text.
    fn expression(&self, condition: &RowCondition) -> String;
    /// How much one expression may name.
    fn run_limits(&self) -> RunLimits;
    /// Whether rows keep tokens of fields, and conditions may ask for them; otherwise filters name documents.
    fn checks_fields(&self) -> bool {
        false
    }
    /// Whether it can check this condition on fields as it is; others are bounded by what it can (`prefixes`).
    fn tells(&self, _: &RowCondition) -> bool {
        true
    }
    /// Adds rows to the documents or the ledger; rows of the same keys are replaced. Lookups see them afterwards.
    fn write(&self, table: RemoteTable, rows: Columns) -> Result<()>;
    /// Adds units; rows of the same keys are replaced. Searches need not see them before [`Self::settle`].
    fn write_units(&self, batches: Vec<UnitBatch>) -> Result<()>;
    /// Makes searches see all units written so far.
    fn settle(&self) -> Result<()> {
        Ok(())
    }
    /// Deletes the rows that an expression names; lookups and searches do not see them afterwards.
    fn delete(&self, table: RemoteTable, expression: &str) -> Result<()>;
    /// Looks rows up: one answer for each question, in one round trip.
    fn look_up(&self, lookups: Vec<Lookup>) -> Result<Vec<Columns>>;
    /// Searches: one answer for each question, in one round trip.
    fn nearest(&self, searches: Vec<Nearest>) -> Result<Vec<Vec<Near>>>;
    /// Bytes on disk, of one copy; `None` where the engine does not tell.
    fn bytes(&self) -> Result<Option<u64>> {
        Ok(None)
    }
    /// Has the engine arrange what was written so that it is searched faster, after much was.
    fn optimise(&self) -> Result<()> {
        Ok(())
    }
}

impl dyn StoreDriver {
    /// The address where an error names a path.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(self.place())
    }

    /// What is stored is not what was written.
    pub(crate) fn damaged(&self, part: DamagedRow) -> Error {
        damaged(self.place(), part)
    }

    /// An error of this index.
    pub(crate) fn failed(&self, reason: RemoteFailure) -> Error {
        failed(self.place(), reason)
    }

    /// Looks rows up.
    pub(crate) fn look_up_one(&self, lookup: Lookup) -> Result<Columns> {
        self.look_up(vec![lookup])?.pop().ok_or_else(|| self.failed(RemoteFailure::AnswerMissing))
    }

    /// Deletes the rows that fulfil a condition.
    pub(crate) fn delete_where(&self, table: RemoteTable, condition: &RowCondition) -> Result<()> {
        self.delete(table, &self.expression(condition))
    }
}
