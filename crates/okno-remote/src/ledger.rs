//! The ledger: small values by name and generation, in rows of bounded size.
//!
//! A value is never changed: a later one of the same name is written beside it, and a reader takes the latest that its
//! generation may see. An empty value means that it was deleted. Names contain hashes, never text of users.

use crate::conditions::RowCondition;
use crate::driver::{Columns, Lookup, RemoteTable, StoreDriver};
use crate::failure::DamagedRow;
use crate::pack::parts;
use okno::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// The first part of a head: the row that makes a generation visible.
    Head = 1,
    /// The other parts of a head.
    Rest = 2,
    /// A segment of the frequency table.
    Terms = 3,
    /// What is known of a file.
    File = 4,
    /// A document removed by hand.
    Removed = 5,
    /// The vector of a text.
    Vector = 6,
    /// The writer's lock.
    Lock = 7,
    /// The bytes of an image.
    Image = 8,
    /// The documents that brought an image, of one commit.
    Holders = 9,
}

impl EntryKind {
    /// The rows of this kind.
    pub fn rows(self) -> RowCondition {
        RowCondition::is("kind", self as i64)
    }
}

/// What a generation may see.
pub fn seen_by(generation: u64) -> RowCondition {
    RowCondition::Below("born", generation as i64 + 1)
}

/// A value of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    pub kind: EntryKind,
    pub base: String,
    pub born: u64,
    /// Text that needs no escaping; empty: there is none any more.
    pub value: String,
}

const FIELDS: &[&str] = &["key", "base", "born", "value"];

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerRow {
    key: String,
    kind: EntryKind,
    base: String,
    born: u64,
    value: String,
}

impl LedgerEntry {
    /// Its rows; the first says how many there are.
    pub fn rows(&self) -> Vec<LedgerRow> {
        let parts = parts(&self.value);
        let count = parts.len();
        let row = |(at, part): (usize, &str)| LedgerRow {
            key: format!("{}/{:x}/{at}", self.base, self.born),
            kind: if self.kind == EntryKind::Head && at > 0 { EntryKind::Rest } else { self.kind },
            base: self.base.clone(),
            born: self.born,
            value: if at == 0 { format!("{count} {part}") } else { part.to_owned() },
        };
        parts.into_iter().enumerate().map(row).collect()
    }
}

/// Rows as the client sends them.
fn columns(rows: &[LedgerRow]) -> Columns {
    let text = |name, value: fn(&LedgerRow) -> &String| (name, rows.iter().map(|row| value(row).clone()).collect());
    Columns {
        numbers: vec![
            ("kind", rows.iter().map(|row| row.kind as i64).collect()),
            ("born", rows.iter().map(|row| row.born as i64).collect()),
        ],
        texts: vec![text("key", |row| &row.key), text("base", |row| &row.base), text("value", |row| &row.value)],
        tokens: Vec::new(),
    }
}

/// Values from rows in any order, by name and generation; incomplete ones are left out.
fn entries(rows: impl Iterator<Item = (String, String, u64, String)>) -> BTreeMap<(String, u64), String> {
    let mut grouped: BTreeMap<(String, u64), BTreeMap<usize, String>> = BTreeMap::new();
    for (key, base, born, value) in rows {
        let at = key.rsplit('/').next().and_then(|at| at.parse().ok()).unwrap_or(0);
        grouped.entry((base, born)).or_default().insert(at, value);
    }
    let whole = |(name, parts): ((String, u64), BTreeMap<usize, String>)| Some((name, joined(&parts)?));
    grouped.into_iter().filter_map(whole).collect()
}

fn joined(parts: &BTreeMap<usize, String>) -> Option<String> {
    let (count, first) = parts.get(&0)?.split_once(' ')?;
    let count: usize = count.parse().ok()?;
    let rest: Vec<&str> = (1..count).map(|at| parts.get(&at).map(String::as_str)).collect::<Option<_>>()?;
    Some(format!("{first}{}", rest.concat()))
}

pub fn read(tables: &[Columns]) -> BTreeMap<(String, u64), String> {
    entries(tables.iter().flat_map(|table| {
        let (keys, bases) = (table.texts("key"), table.texts("base"));
        let (born, values) = (table.numbers("born"), table.texts("value"));
        let rows = keys.iter().zip(bases).zip(born).zip(values);
        rows.map(|(((key, base), &born), value)| (key.clone(), base.clone(), born as u64, value.clone()))
    }))
}

/// The ledger of an index.
#[derive(Clone)]
pub struct Ledger {
    pub driver: Arc<dyn StoreDriver>,
}

/// Rows in one request, at most: with their values about 8 MB.
const BATCH: usize = 128;

impl Ledger {
    pub fn lookup(&self, condition: &RowCondition) -> Lookup {
        Lookup { table: RemoteTable::Ledger, expression: self.driver.expression(condition), fields: FIELDS, most: None }
    }

    /// Writes values; those of a head last, in an order that makes it visible whole.
    pub fn write(&self, entries: &[LedgerEntry]) -> Result<()> {
        let rows: Vec<LedgerRow> = entries.iter().flat_map(|entry| entry.rows().into_iter().rev()).collect();
        let (heads, others): (Vec<LedgerRow>, Vec<LedgerRow>) =
            rows.into_iter().partition(|row| row.kind == EntryKind::Head);
        for batch in others.chunks(BATCH).chain(heads.chunks(1)) {
            self.driver.write(RemoteTable::Ledger, columns(batch))?;
        }
        Ok(())
    }

    /// Writes a value over the one of the same name and generation.
    pub fn replace(&self, entry: &LedgerEntry) -> Result<()> {
        self.driver.write(RemoteTable::Ledger, columns(&entry.rows()))
    }

    /// The last generation, without its head: all that most questions need to know.
    pub fn newest(&self) -> Result<Option<u64>> {
        let lookup = Lookup { fields: &["born"], ..self.lookup(&EntryKind::Head.rows()) };
        let heads = self.driver.look_up_one(lookup)?;
        Ok(heads.numbers("born").iter().max().map(|&born| born as u64))
    }

    /// The last head: its generation and value.
    pub fn head(&self) -> Result<Option<(u64, String)>> {
        let heads = self.driver.look_up_one(self.lookup(&EntryKind::Head.rows()))?;
        let Some(&born) = heads.numbers("born").iter().max() else { return Ok(None) };
        let mut tables = vec![heads];
        let whole = |tables: &[Columns]| read(tables).remove(&(HEAD.to_owned(), born as u64));
        if whole(&tables).is_none() {
            let rest = EntryKind::Rest.rows().and(RowCondition::is("born", born));
            tables.push(self.driver.look_up_one(self.lookup(&rest))?);
        }
        match whole(&tables) {
            Some(value) => Ok(Some((born as u64, value))),
            None => Err(self.driver.damaged(DamagedRow::HeadPart)),
        }
    }

    /// All values of a kind that a generation may see, the latest of each name, without deleted ones.
    pub fn all(&self, kind: EntryKind, generation: u64) -> Result<BTreeMap<String, String>> {
        // In sixteen requests, because an answer has a bounded number of rows; names are hashes, so they are spread
        // evenly.
        let prefix = kind_prefix(kind);
        let page = |digit: u32| {
            let (from, below) = (
                format!("{prefix}/{digit:x}"),
                format!("{prefix}/{}", "0123456789abcdefg".chars().nth(digit as usize + 1).unwrap_or('g')),
            );
            let named = RowCondition::NamedFrom("base", from, below);
            self.lookup(&RowCondition::All(vec![kind.rows(), seen_by(generation), named]))
        };
        let tables = self.driver.look_up((0..16).map(page).collect())?;
        // Ascending generations: a later value takes an earlier one's place.
        let latest: BTreeMap<String, String> =
            read(&tables).into_iter().map(|((base, _), value)| (base, value)).collect();
        Ok(latest.into_iter().filter(|(_, value)| !value.is_empty()).collect())
    }

    /// The segments of these generations.
    pub fn segments(&self, born: &[u64]) -> Result<Vec<String>> {
        if born.is_empty() {
            return Ok(Vec::new());
        }
        let lookup = |born: &u64| self.lookup(&EntryKind::Terms.rows().and(RowCondition::is("born", *born as i64)));
        let tables = self.driver.look_up(born.iter().map(lookup).collect())?;
        let found = read(&tables);
        let segment = |born: &u64| found.get(&(TERMS.to_owned(), *born)).cloned();
        let all: Option<Vec<String>> = born.iter().map(segment).collect();
        all.ok_or_else(|| self.driver.damaged(DamagedRow::SegmentMissing))
    }

    /// One value by its whole name.
    pub fn get(&self, base: &str, born: u64) -> Result<Option<String>> {
        let one = RowCondition::named("base", base).and(RowCondition::is("born", born as i64));
        let table = self.driver.look_up_one(self.lookup(&one))?;
        Ok(read(&[table]).remove(&(base.to_owned(), born)))
    }

    /// Deletes the rows that an expression names.
    pub fn delete(&self, expression: &str) -> Result<()> {
        self.driver.delete(RemoteTable::Ledger, expression)
    }
}

/// The name of heads.
pub const HEAD: &str = "head";
/// The name of segments.
pub const TERMS: &str = "terms";

fn kind_prefix(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Head | EntryKind::Rest => HEAD,
        EntryKind::Terms => TERMS,
        EntryKind::File => "file",
        EntryKind::Removed => "removed",
        EntryKind::Vector => "vector",
        EntryKind::Lock => "lock",
        EntryKind::Image => "image",
        EntryKind::Holders => "holders",
    }
}

/// The name of a value that belongs to a hash.
pub fn hashed(kind: EntryKind, hash: u128) -> String {
    format!("{}/{hash:032x}", kind_prefix(kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_of_any_size_come_back(length in 0..200_000usize, born: u32) {
            let (kind, base, value) = (EntryKind::Head, HEAD.to_owned(), "x".repeat(length));
            let entry = LedgerEntry { kind, base, born: u64::from(born), value };
            let rows = entry.rows();
            prop_assert!(rows.iter().all(|row| row.value.len() < 65_535));
            prop_assert_eq!(rows.iter().filter(|row| row.kind == EntryKind::Head).count(), 1);
            let parts = |row: &LedgerRow| (row.key.clone(), row.base.clone(), row.born, row.value.clone());
            let read = |rows: &[LedgerRow]| entries(rows.iter().rev().map(parts));
            prop_assert_eq!(read(&rows).remove(&(HEAD.to_owned(), entry.born)), Some(entry.value.clone()));
            prop_assert!(rows.len() == 1 || read(&rows[..rows.len() - 1]).is_empty());
        }
    }
}
