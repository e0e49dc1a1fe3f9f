//! Document frequencies: how many units have a term, stored in segments that are added up.
//!
//! A table counts, for each layer, the units that hold a term. Terms are counted by the lower [`BITS`] of their
//! dimension, so a table has some ten megabytes for any corpus: terms that share a slot are counted together, which
//! makes a rare one look a little less rare. Each commit adds a segment of differences; a head names the valid
//! segments, and many are merged into one from time to time.

use crate::layers::{LayerCode, MADE};
use crate::units::{Dimension, TermCounts};

/// Slots of a table: 2^20. Of 250,000 terms, more than our largest question set has, one in five shares a slot.
const BITS: u32 = 20;

/// Counts, or differences of counts, by layer: a number for each slot, or none where nothing was counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frequencies {
    counts: [Vec<i32>; MADE.len()],
}

fn place(term: Dimension) -> usize {
    (term & ((1 << BITS) - 1)) as usize
}

impl Frequencies {
    pub fn is_empty(&self) -> bool {
        self.counts.iter().flatten().all(|count| *count == 0)
    }

    fn layer(&mut self, code: LayerCode) -> &mut [i32] {
        let counts = &mut self.counts[code];
        if counts.is_empty() {
            // Only the pages of slots that are counted in take memory.
            *counts = vec![0; 1 << BITS];
        }
        counts
    }

    /// Adds a unit's terms `times` times; a negative number subtracts them.
    pub fn count(&mut self, code: LayerCode, terms: &TermCounts, times: i32) {
        let counts = self.layer(code);
        for &(term, _) in terms {
            counts[place(term)] += times;
        }
    }

    /// How many units of a layer have a term.
    pub fn of(&self, code: LayerCode, term: Dimension) -> u64 {
        self.counts[code].get(place(term)).map_or(0, |&count| u64::try_from(count).unwrap_or(0))
    }

    /// As a segment: gaps between slots, and counts.
    pub fn write(&self) -> Vec<u8> {
        let layer = |counts: &Vec<i32>| {
            let mut last = 0;
            let counted = (0..).zip(counts).filter(|(_, count)| **count != 0);
            counted.map(|(place, &count)| (place - std::mem::replace(&mut last, place), count)).collect()
        };
        let layers: Vec<Vec<(u32, i32)>> = self.counts.iter().map(layer).collect();
        postcard::to_stdvec(&layers).unwrap_or_default() // numbers in lists cannot fail to be written
    }

    /// Adds a segment that [`Self::write`] wrote; `None` if it is not valid.
    pub fn add(&mut self, segment: &[u8]) -> Option<()> {
        let layers: Vec<Vec<(u32, i32)>> = postcard::from_bytes(segment).ok()?;
        for (code, layer) in layers.into_iter().enumerate().take(MADE.len()) {
            let (counts, mut place) = (self.layer(code), 0u32);
            for (gap, count) in layer {
                place = place.checked_add(gap)?;
                *counts.get_mut(place as usize)? += count;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        // Each writes millions of slots.
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn segments_add_up(
            steps in prop::collection::vec((0..MADE.len(), prop::collection::vec(0..50u32, 0..9), -1..2i32), 0..8),
        ) {
            let (mut whole, mut summed) = (Frequencies::default(), Frequencies::default());
            for (code, terms, times) in steps {
                let counts: TermCounts = terms.into_iter().map(|term| (term, 1.0)).collect();
                whole.count(code, &counts, times);
                let mut segment = Frequencies::default();
                segment.count(code, &counts, times);
                summed.add(&segment.write()).unwrap();
            }
            prop_assert_eq!(whole.write(), summed.write());
            for (code, term) in (0..MADE.len()).flat_map(|code| (0..50).map(move |term| (code, term))) {
                prop_assert_eq!(whole.of(code, term), summed.of(code, term));
            }
        }
    }

    #[test]
    fn a_segment_that_cannot_be_one_is_refused() {
        let beyond = postcard::to_stdvec(&vec![vec![(1u32 << BITS, 1i32)]]).unwrap();
        assert!(Frequencies::default().add(&beyond).is_none());
        assert!(Frequencies::default().add(&[7]).is_none());
    }
}
