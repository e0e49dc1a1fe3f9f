//! Document frequencies: how many units have a term, stored in segments that are added up.
//!
//! A table counts, for each layer, the units that hold a term. Terms are counted by the lower [`BITS`] of their
//! dimension, so a table stays below some tens of megabytes for any corpus: terms that share a slot are counted
//! together, which makes a rare one look a little less rare. Each commit adds a segment of differences; a head names
//! the valid segments, and many are merged into one from time to time.

use crate::layers::{LayerCode, MADE};
use crate::units::{Dimension, TermCounts};
use rustc_hash::FxHashMap;

/// Slots of a table: 2^20. Of 250,000 terms, more than our largest question set has, one in five shares a slot.
const BITS: u32 = 20;

/// Counts, or differences of counts, by layer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frequencies {
    counts: [FxHashMap<u32, i32>; MADE.len()],
}

fn place(term: Dimension) -> u32 {
    term & ((1 << BITS) - 1)
}

impl Frequencies {
    pub fn is_empty(&self) -> bool {
        self.counts.iter().all(FxHashMap::is_empty)
    }

    /// Adds a unit's terms `times` times; a negative number subtracts them.
    pub fn count(&mut self, code: LayerCode, terms: &TermCounts, times: i32) {
        for &(term, _) in terms {
            *self.counts[code].entry(place(term)).or_default() += times;
        }
    }

    /// How many units of a layer have a term.
    pub fn of(&self, code: LayerCode, term: Dimension) -> u64 {
        self.counts[code].get(&place(term)).map_or(0, |&count| u64::try_from(count).unwrap_or(0))
    }

    /// Adds a segment.
    pub fn add(&mut self, segment: &Self) {
        for (own, other) in self.counts.iter_mut().zip(&segment.counts) {
            for (&place, &count) in other {
                *own.entry(place).or_default() += count;
            }
        }
    }

    /// As bytes: gaps between slots, and counts.
    pub fn write(&self) -> Vec<u8> {
        let layer = |counts: &FxHashMap<u32, i32>| {
            let mut sorted: Vec<(u32, i32)> =
                counts.iter().filter(|(_, count)| **count != 0).map(|(&place, &count)| (place, count)).collect();
            sorted.sort_unstable();
            let mut last = 0;
            for (place, _) in &mut sorted {
                (*place, last) = (*place - last, *place);
            }
            sorted
        };
        let layers: Vec<Vec<(u32, i32)>> = self.counts.iter().map(layer).collect();
        postcard::to_stdvec(&layers).unwrap_or_default() // numbers in lists cannot fail to be written
    }

    /// Reads what [`Self::write`] wrote; `None` if it is not valid.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let layers: Vec<Vec<(u32, i32)>> = postcard::from_bytes(bytes).ok()?;
        let mut table = Self::default();
        for (counts, layer) in table.counts.iter_mut().zip(layers) {
            counts.reserve(layer.len());
            let mut place = 0u32;
            for (gap, count) in layer {
                place = place.checked_add(gap)?;
                counts.insert(place, count);
            }
        }
        Some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn segments_add_up(
            steps in prop::collection::vec((0..MADE.len(), prop::collection::vec(0..50u32, 0..9), -1..2i32), 0..30),
        ) {
            let (mut whole, mut summed) = (Frequencies::default(), Frequencies::default());
            for (code, terms, times) in steps {
                let counts: TermCounts = terms.into_iter().map(|term| (term, 1.0)).collect();
                whole.count(code, &counts, times);
                let mut segment = Frequencies::default();
                segment.count(code, &counts, times);
                summed.add(&Frequencies::read(&segment.write()).unwrap());
            }
            for (code, term) in (0..MADE.len()).flat_map(|code| (0..50).map(move |term| (code, term))) {
                prop_assert_eq!(whole.of(code, term), summed.of(code, term));
            }
        }
    }
}
