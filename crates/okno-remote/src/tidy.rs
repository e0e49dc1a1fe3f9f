//! Cleaning up: rows of a writer that was killed, and rows that no generation needs.

use crate::conditions::{RowCondition, among};
use crate::driver::{RemoteTable, StoreDriver};
use crate::ledger::{EntryKind, LedgerEntry};
use crate::state::GenerationState;
use crate::store::StoreParts;
use okno::Result;

/// Names in one expression.
const NAMES: usize = 500;

/// Deletes what was written for a generation that never became visible.
pub fn clear(parts: &StoreParts, state: &GenerationState) -> Result<()> {
    let new = || RowCondition::From("document", i64::from(state.next));
    let later = || RowCondition::From("born", state.generation as i64 + 1);
    parts.driver.delete_where(RemoteTable::Units, &new())?;
    parts.driver.delete_where(RemoteTable::Documents, &RowCondition::Any(vec![new(), later()]))?;
    parts.driver.delete_where(RemoteTable::Ledger, &later())
}

/// Deletes the rows of documents that were removed long enough ago, and of values that were replaced.
pub fn bury(parts: &StoreParts, state: &mut GenerationState, now: u64) -> Result<()> {
    let buried = state.buried(now);
    for runs in parts.driver.run_limits().groups(buried.runs()) {
        parts.driver.delete_where(RemoteTable::Units, &among(runs))?;
        parts.driver.delete_where(RemoteTable::Documents, &among(runs))?;
    }
    state.swept(now).iter().try_for_each(|expression| parts.ledger.delete(expression))
}

/// The rows that these values replace, to be deleted when no reader needs them.
pub fn superseded(driver: &dyn StoreDriver, entries: &[LedgerEntry], now: u64) -> Vec<(u64, String)> {
    let named: Vec<&LedgerEntry> =
        entries.iter().filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Removed)).collect();
    let expression = |older: &[&LedgerEntry]| {
        let bases = older.iter().map(|entry| entry.base.clone()).collect();
        let before = RowCondition::Below("born", older[0].born as i64);
        driver.expression(&RowCondition::Named("base", bases).and(before))
    };
    named.chunks(NAMES).map(|entries| (now, expression(entries))).collect()
}

/// Deletes old heads: readers take the last, and the one before it may be in use.
pub fn old_heads(parts: &StoreParts, before: u64) -> Result<()> {
    let heads = RowCondition::In("kind", vec![EntryKind::Head as i64, EntryKind::Rest as i64]);
    parts.driver.delete_where(RemoteTable::Ledger, &heads.and(RowCondition::Below("born", before as i64)))
}
