//! Cleaning up: rows of a writer that was killed, and rows that no generation needs.

use crate::expression::{MOST, among};
use crate::ledger::{EntryKind, LedgerEntry};
use crate::state::GenerationState;
use crate::store::StoreParts;
use okno::Result;

/// Names in one expression.
const NAMES: usize = 500;

/// Deletes what was written for a generation that never became visible.
pub fn clear(parts: &StoreParts, state: &GenerationState) -> Result<()> {
    let (next, generation) = (state.next, state.generation);
    parts.client.delete(&parts.collections.units, format!("document >= {next}"))?;
    parts.client.delete(&parts.collections.documents, format!("document >= {next} or born > {generation}"))?;
    parts.ledger.delete(format!("born > {generation}"))
}

/// Deletes the rows of documents that were removed long enough ago, and of values that were replaced.
pub fn bury(parts: &StoreParts, state: &mut GenerationState, now: u64) -> Result<()> {
    let buried = state.buried(now);
    for runs in buried.runs().chunks(MOST) {
        parts.client.delete(&parts.collections.units, among(runs))?;
        parts.client.delete(&parts.collections.documents, among(runs))?;
    }
    state.swept(now).into_iter().try_for_each(|expression| parts.ledger.delete(expression))
}

/// The rows that these values replace, to be deleted when no reader needs them.
pub fn superseded(entries: &[LedgerEntry], now: u64) -> Vec<(u64, String)> {
    let named: Vec<&LedgerEntry> =
        entries.iter().filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Removed)).collect();
    let expression = |older: &[&LedgerEntry]| {
        let bases: Vec<String> = older.iter().map(|entry| format!("\"{}\"", entry.base)).collect();
        format!("base in [{}] and born < {}", bases.join(","), older[0].born)
    };
    named.chunks(NAMES).map(|entries| (now, expression(entries))).collect()
}

/// Deletes old heads: readers take the last, and the one before it may be in use.
pub fn old_heads(parts: &StoreParts, before: u64) -> Result<()> {
    parts.ledger.delete(format!("kind in [{},{}] and born < {before}", EntryKind::Head as i64, EntryKind::Rest as i64))
}
