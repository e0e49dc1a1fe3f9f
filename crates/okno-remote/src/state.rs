//! The head of a generation: everything about it that is not a row of its own.
//!
//! A head is written last, as one row, and names what is visible: the live documents, the segments of the frequency
//! table, the manifest. A reader of a head sees the same index until the head is [`GRACE`] old: what is replaced is
//! left out by later heads, and deleted after that time.

use crate::layers::{LayerCode, MADE};
use crate::numbers::Numbers;
use crate::pack;
use okno::document::DerivedKind;
use okno::store::{DocumentNumber, Manifest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a generation stays readable after it was replaced.
pub const GRACE: Duration = Duration::from_mins(10);

/// Runs of removed documents that a search must exclude, at most; beyond it the oldest are deleted early.
const MOST_DEAD: usize = 1000;

/// The version of what is stored on a server: schema, keys, packing. Independent of [`okno::store::FORMAT`], the
/// version of how texts are split.
pub const SCHEMA: u32 = 2;

/// One generation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GenerationState {
    /// [`SCHEMA`] when it was written.
    pub schema: u32,
    /// Grows with every commit.
    pub generation: u64,
    /// The manifest, as JSON.
    manifest: String,
    /// The number of the next document.
    pub next: DocumentNumber,
    /// The documents of the index.
    pub live: Numbers,
    /// Removed documents whose rows may still be stored, by the time of removal.
    pub dead: Vec<Dead>,
    /// The last generation that amended a record.
    pub amended: u64,
    /// Documents of the same text, where there are several.
    pub copies: Vec<Vec<DocumentNumber>>,
    /// How many derived units of each kind there are.
    pub derived: BTreeMap<DerivedKind, usize>,
    /// How many units each layer has.
    pub units: [u64; MADE.len()],
    /// The mean length of a layer's units that weights are made with; 0 before there are any. Set by the first
    /// documents and kept: weights of all rows would change with it.
    pub means: [f32; MADE.len()],
    /// The segments of the frequency table.
    pub segments: Vec<u64>,
    /// Rows of the ledger to delete, as expressions of the engine, and since when.
    pub garbage: Vec<(u64, String)>,
    /// The roots that were indexed.
    pub roots: Vec<String>,
    /// Live documents whose rows do not say their fields as they are: the record was amended, or it holds too much.
    /// Written after everything else: a head without it was written before rows said fields.
    #[serde(skip)]
    pub unsaid: Numbers,
}

/// Documents removed by one commit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Dead {
    /// When, in seconds since 1970.
    pub at: u64,
    /// Which.
    pub numbers: Numbers,
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl GenerationState {
    /// An empty index.
    pub fn new(manifest: &Manifest) -> Self {
        let mut state = Self {
            schema: SCHEMA,
            generation: 0,
            manifest: String::new(),
            next: 0,
            live: Numbers::default(),
            dead: Vec::new(),
            amended: 0,
            copies: Vec::new(),
            derived: BTreeMap::new(),
            units: [0; MADE.len()],
            means: [0.0; MADE.len()],
            segments: Vec::new(),
            garbage: Vec::new(),
            roots: Vec::new(),
            unsaid: Numbers::default(),
        };
        state.set_manifest(manifest);
        state
    }

    /// As text.
    pub fn write(&self) -> String {
        pack::write(&(self, &self.unsaid))
    }

    /// What [`Self::write`] wrote.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = pack::from_text(text)?;
        let (mut state, rest) = postcard::take_from_bytes::<Self>(&bytes).ok()?;
        state.unsaid = if rest.is_empty() { state.live.clone() } else { postcard::from_bytes(rest).ok()? };
        Some(state)
    }

    /// How the index is made; `None` where it cannot be read.
    pub fn manifest(&self) -> Option<Manifest> {
        serde_json::from_str(&self.manifest).ok()
    }

    pub fn set_manifest(&mut self, manifest: &Manifest) {
        // A manifest is text and numbers; writing it to memory cannot fail.
        self.manifest = serde_json::to_string(manifest).unwrap_or_default();
    }

    /// All documents whose rows a search must exclude.
    pub fn all_dead(&self) -> Numbers {
        self.dead.iter().flat_map(|dead| dead.numbers.iter()).collect()
    }

    /// The mean length of a layer's units; that of the sentences' own where there are none yet.
    pub fn mean(&self, code: LayerCode) -> f32 {
        if self.means[code] > 0.0 { self.means[code] } else { 1.0 }
    }

    /// Removes from the list, and returns, the documents whose rows can be deleted: those past [`GRACE`], and the
    /// oldest if there are too many.
    pub fn buried(&mut self, now: u64) -> Numbers {
        let mut runs: usize = self.dead.iter().map(|dead| dead.numbers.runs().len()).sum();
        let mut gone = Vec::new();
        self.dead.retain(|dead| {
            let keep = dead.at + GRACE.as_secs() > now && runs <= MOST_DEAD;
            if !keep {
                runs -= dead.numbers.runs().len();
                gone.extend(dead.numbers.iter());
            }
            keep
        });
        gone.into_iter().collect()
    }

    /// Removes from the list, and returns, the rows of the ledger that can be deleted.
    pub fn swept(&mut self, now: u64) -> Vec<String> {
        let (old, young) = self.garbage.drain(..).partition(|(at, _)| at + GRACE.as_secs() <= now);
        self.garbage = young;
        old.into_iter().map(|(_, expression)| expression).collect()
    }

    /// Removes a document from the groups of copies.
    pub fn forget_copy(&mut self, number: DocumentNumber) {
        self.copies.iter_mut().for_each(|group| group.retain(|&copy| copy != number));
        self.copies.retain(|group| group.len() > 1);
    }

    /// Records that two documents have the same text.
    pub fn same(&mut self, one: DocumentNumber, other: DocumentNumber) {
        match self.copies.iter_mut().find(|group| group.contains(&one) || group.contains(&other)) {
            Some(group) => {
                group.extend([one, other]);
                group.sort_unstable();
                group.dedup();
            }
            None => self.copies.push(vec![one.min(other), one.max(other)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_are_buried_after_their_time_or_when_they_are_too_many() {
        let mut state = GenerationState::new(&Manifest::new("x", 2));
        state.dead.push(Dead { at: 1000, numbers: [1, 2].into_iter().collect() });
        state.dead.push(Dead { at: 1500, numbers: [5].into_iter().collect() });
        assert!(state.buried(1500).is_empty());
        assert_eq!(state.buried(1600).iter().collect::<Vec<_>>(), [1, 2]);
        state.dead.push(Dead { at: 1600, numbers: (0..3000).step_by(2).collect() });
        assert_eq!(state.buried(1601).count(), 1501, "all of them: what is left would still be too many");
        assert_eq!(state.all_dead().count(), 0);
    }

    /// Heads of 0.1 end before the documents that do not say their fields: none of them does.
    #[test]
    fn older_heads_are_read() {
        let mut state = GenerationState::new(&Manifest::new("x", 2));
        state.live = [1, 2, 5].into_iter().collect();
        let old = GenerationState::read(&pack::write(&state)).unwrap();
        assert_eq!((&old.live, &old.unsaid), (&state.live, &state.live));
        state.unsaid = [5].into_iter().collect();
        assert_eq!(GenerationState::read(&state.write()).unwrap().unsaid, state.unsaid);
    }

    #[test]
    fn copies_are_grouped_and_forgotten() {
        let mut state = GenerationState::new(&Manifest::new("x", 2));
        state.same(1, 4);
        state.same(4, 9);
        assert_eq!(state.copies, [vec![1, 4, 9]]);
        state.forget_copy(4);
        state.forget_copy(1);
        assert!(state.copies.is_empty());
    }
}
