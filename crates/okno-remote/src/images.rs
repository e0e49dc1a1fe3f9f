//! Images: their bytes in the ledger, by hash, and which documents have them.
//!
//! An image exists for a generation if one of its documents has it, so removing a document changes nothing here: the
//! rows of an image that no document has are deleted later ([`crate::tidy`]). The documents that have an image are
//! written once per commit, as runs of numbers: an image that is on every page is one short row.

use crate::conditions::RowCondition;
use crate::driver::{Columns, Lookup};
use crate::failure::DamagedRow;
use crate::ledger::{EntryKind, Ledger, LedgerEntry, hashed, read, seen_by};
use crate::numbers::Numbers;
use crate::pack;
use crate::writer::RemoteWriter;
use okno::Result;
use okno::document::ImageHash;
use okno::store::DocumentNumber;
use std::collections::{BTreeMap, BTreeSet};

/// Images asked about in one round trip.
const AT_ONCE: usize = 64;

/// What a writer knows of images since its last commit.
#[derive(Default)]
pub struct PendingImages {
    /// Those whose bytes are there.
    held: BTreeMap<ImageHash, Held>,
    /// Those that a document which is gone had.
    pub released: BTreeSet<ImageHash>,
}

struct Held {
    /// Documents of generations before.
    before: Numbers,
    /// Documents of this one.
    new: Numbers,
}

/// Everything about an image.
fn rows_of(hash: ImageHash) -> RowCondition {
    RowCondition::Named("base", [EntryKind::Image, EntryKind::Holders].map(|kind| hashed(kind, hash.0)).into())
}

impl Ledger {
    fn image_lookups(&self, hash: ImageHash, generation: u64, fields: &'static [&'static str]) -> [Lookup; 2] {
        let of = |kind| self.lookup(&RowCondition::named("base", hashed(kind, hash.0)).and(seen_by(generation)));
        [Lookup { fields, ..of(EntryKind::Image) }, of(EntryKind::Holders)]
    }

    /// The bytes of an image, where a document of these has it.
    pub fn image(&self, hash: ImageHash, generation: u64, live: &Numbers) -> Result<Option<Vec<u8>>> {
        let lookups = self.image_lookups(hash, generation, &["key", "base", "born", "value"]);
        let tables = self.driver.look_up(lookups.into())?;
        let held = holders(&read(&tables[1..])).iter().any(|number| live.contains(number));
        let Some(value) = read(&tables[..1]).into_values().next().filter(|_| held) else { return Ok(None) };
        pack::from_text(&value).map(Some).ok_or_else(|| self.driver.damaged(DamagedRow::Image))
    }

    /// For each of these images the documents that brought it; `None` where its bytes are not there.
    fn held(&self, hashes: &[ImageHash], generation: u64) -> Result<Vec<Option<Numbers>>> {
        let lookups = hashes.iter().flat_map(|&hash| self.image_lookups(hash, generation, &["key"]));
        let tables = self.driver.look_up(lookups.collect())?;
        // Parts are written last to first: where the first is, all are.
        let is_there = |table: &Columns| table.texts("key").iter().any(|key| key.ends_with("/0"));
        let held = |pair: &[Columns]| is_there(&pair[0]).then(|| holders(&read(&pair[1..])));
        Ok(tables.chunks_exact(2).map(held).collect())
    }
}

fn holders(entries: &BTreeMap<(String, u64), String>) -> Numbers {
    entries
        .values()
        .filter_map(|value| pack::read::<Numbers>(value))
        .flat_map(|own| own.iter().collect::<Vec<_>>())
        .collect()
}

impl RemoteWriter {
    /// What is known of an image; `None` where its bytes are not there.
    fn held(&mut self, hash: ImageHash) -> Result<Option<&mut Held>> {
        if !self.images.held.contains_key(&hash) {
            let Some(before) = self.parts.ledger.held(&[hash], self.born())?.pop().flatten() else { return Ok(None) };
            self.images.held.insert(hash, Held { before, new: Numbers::default() });
        }
        Ok(self.images.held.get_mut(&hash))
    }

    /// Keeps an image of a document; `bytes` is asked where they are not there yet.
    pub fn keep(
        &mut self,
        number: DocumentNumber,
        hash: ImageHash,
        bytes: &mut dyn FnMut() -> Option<Vec<u8>>,
    ) -> Result<()> {
        if self.held(hash)?.is_none() {
            let Some(bytes) = bytes() else { return Ok(()) };
            let (kind, base, born) = (EntryKind::Image, hashed(EntryKind::Image, hash.0), self.born());
            self.parts.ledger.write(&[LedgerEntry { kind, base, born, value: pack::to_text(&bytes) }])?;
            self.images.held.insert(hash, Held { before: Numbers::default(), new: Numbers::default() });
        }
        self.hold(hash, number);
        Ok(())
    }

    fn hold(&mut self, hash: ImageHash, number: DocumentNumber) {
        let Some(held) = self.images.held.get_mut(&hash) else { return };
        if !held.before.contains(number) && held.new.insert(number) {
            self.changed = true;
            // No document had it, and it was about to be deleted.
            let rows = self.parts.driver.expression(&rows_of(hash));
            self.state.garbage.retain(|(_, expression)| *expression != rows);
        }
    }

    /// A document that got a new number has its images still; one that was never kept is not kept now.
    pub fn hand_over(&mut self, hash: ImageHash, old: DocumentNumber, new: DocumentNumber) -> Result<()> {
        let had = |held: &mut Held| held.before.contains(old) || held.new.contains(old);
        if self.held(hash)?.is_some_and(had) {
            self.hold(hash, new);
        }
        Ok(())
    }

    /// What a commit writes about images; those that no live document has are deleted after `at` and their time.
    pub fn settle_images(&mut self, at: u64) -> Result<Vec<LedgerEntry>> {
        let PendingImages { mut held, released } = std::mem::take(&mut self.images);
        let unknown: Vec<ImageHash> = released.into_iter().filter(|hash| !held.contains_key(hash)).collect();
        for page in unknown.chunks(AT_ONCE) {
            let found = page.iter().zip(self.parts.ledger.held(page, self.born())?);
            let known =
                found.filter_map(|(&hash, before)| Some((hash, Held { before: before?, new: Numbers::default() })));
            held.extend(known);
        }
        let born = self.born();
        let mut entries = Vec::new();
        for (hash, Held { before, new }) in held {
            let new = new.without(&new.without(&self.state.live));
            if new.is_empty() && before.without(&self.state.live) == before {
                self.state.garbage.push((at, self.parts.driver.expression(&rows_of(hash))));
            } else if !new.is_empty() {
                let (kind, base) = (EntryKind::Holders, hashed(EntryKind::Holders, hash.0));
                entries.push(LedgerEntry { kind, base, born, value: pack::write(&new) });
            }
        }
        Ok(entries)
    }
}
