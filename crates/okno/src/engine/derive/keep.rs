//! Writing what a batch made: one commit, and only to documents that are still what they were.

use super::plan::numbers;
use super::{DeriveProgress, DeriveReport, Ready, captions};
use crate::document::{Derived, DerivedKind, DocumentId};
use crate::engine::content_hash::same_body;
use crate::engine::units::follow;
use crate::engine::{Engine, Skipped, SkippedReason};
use crate::enrich;
use crate::store::{DocumentNumber, Snapshot, Store, Writer};
use crate::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How often, and how many times, a writer that is taken is asked for again: an indexing run of another process
/// commits and ends.
const WAIT: Duration = Duration::from_millis(500);
const WAITS: usize = 240;

/// Writes the texts that were made; the documents that have new units.
pub fn keep(
    engine: &Engine,
    ready: &[Ready],
    texts: Vec<Option<Vec<String>>>,
    again: bool,
    progress: &dyn DeriveProgress,
    report: &mut DeriveReport,
) -> Result<BTreeSet<DocumentId>> {
    let mut new: BTreeMap<&DocumentId, Vec<(&Ready, Vec<String>)>> = BTreeMap::new();
    for (item, texts) in ready.iter().zip(texts) {
        if let Some(texts) = texts {
            new.entry(&item.item.id).or_default().push((item, texts));
        }
    }
    if new.is_empty() {
        return Ok(BTreeSet::new());
    }
    let store = engine.store()?;
    let mut writer = writer(&*store, progress)?;
    let snapshot = store.snapshot()?;
    let numbers = numbers(&*snapshot)?;
    let (mut moved, mut kept) = (BTreeMap::new(), BTreeSet::new());
    for (id, made) in new {
        let current = numbers.get(id).filter(|(_, hash)| same_body(*hash, made[0].0.item.hash));
        let Some(&(number, _)) = current else {
            report.failed.push(Skipped { place: id.name().to_owned(), reason: SkippedReason::Changed });
            continue;
        };
        moved.insert(number, put(engine, &*snapshot, &mut *writer, number, &made, again)?);
        for (item, texts) in &made {
            *report.units.entry(item.item.kind).or_default() += texts.len();
        }
        kept.insert(id.clone());
    }
    follow(&*snapshot, &mut *writer, &moved)?;
    drop(snapshot);
    engine.finish(writer)?;
    Ok(kept)
}

/// The writer, as soon as nobody else has it.
fn writer<'s>(store: &'s dyn Store, progress: &dyn DeriveProgress) -> Result<Box<dyn Writer + 's>> {
    for _ in 0..WAITS {
        match store.writer() {
            Err(Error::Locked(_)) if !progress.stop() => std::thread::sleep(WAIT),
            other => return other,
        }
    }
    store.writer()
}

fn put(
    engine: &Engine,
    snapshot: &dyn Snapshot,
    writer: &mut dyn Writer,
    number: DocumentNumber,
    made: &[(&Ready, Vec<String>)],
    again: bool,
) -> Result<DocumentNumber> {
    let (text, structure) = (snapshot.text(number)?, snapshot.structure(number)?);
    let plain = |unit: &Derived| match unit.kind {
        DerivedKind::Table => enrich::is_plain_table(&unit.text, structure.span(unit.sentences()).of(&text)),
        // Captions have rules of their own: several images may stand at one place.
        DerivedKind::Image => true,
        _ => false,
    };
    let replaced = |unit: &Derived| {
        let overlaps = |item: &Ready| (item.item.run.start as u32) < unit.end && unit.first < item.item.run.end as u32;
        !plain(unit) && made.iter().any(|(item, _)| item.item.kind == unit.kind && overlaps(item))
    };
    let old = snapshot.derived(number)?;
    let outdated = captions::outdated(&old, made, &structure, &text);
    let stays = |&(at, unit): &(usize, &Derived)| !again || !(replaced(unit) || outdated.contains(&at));
    let mut units: Vec<Derived> = old.iter().enumerate().filter(stays).map(|(_, unit)| unit.clone()).collect();
    for (item, texts) in made {
        let (first, end) = (item.item.run.start as u32, item.item.run.end as u32);
        units.extend(texts.iter().map(|text| Derived { kind: item.item.kind, first, end, text: text.clone() }));
    }
    engine.set_units(snapshot, writer, number, units)
}
