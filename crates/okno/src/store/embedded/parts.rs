//! Units that follow each other without a gap, such as paragraphs: where each begins, and which one holds a sentence.
//!
//! The second is counted: a bit for each sentence that begins a unit, and for each word of bits how many came before.
//! That is a fifth of a byte for a sentence where a number would be four, so that it stays in the fastest caches.

use crate::packed::series::{Series, SeriesReader, SeriesWriter};
use std::ops::Range;

/// A row of sentences, cut into units.
pub struct Parts {
    /// The beginnings, and the last end.
    bounds: Series<u32>,
    /// The sentences that begin a unit.
    begins: Series<u64>,
    /// How many began before each word of these.
    before: Series<u32>,
}

impl Parts {
    /// Units of these runs of sentences, none of them empty: the first begins with the first sentence, and each other
    /// one where the one before it ends.
    pub fn new(runs: &[Range<u32>]) -> Self {
        let end = runs.last().map_or(0, |run| run.end);
        let mut begins = vec![0u64; end.div_ceil(u64::BITS) as usize];
        for run in runs {
            begins[(run.start / u64::BITS) as usize] |= 1 << (run.start % u64::BITS);
        }
        let before = begins.iter().scan(0, |count, word| {
            let before = *count;
            *count += word.count_ones();
            Some(before)
        });
        let bounds = runs.first().map(|run| run.start).into_iter().chain(runs.iter().map(|run| run.end));
        Self { bounds: bounds.collect(), before: before.collect(), begins: begins.into() }
    }

    /// Writes them for [`Self::kept`].
    pub fn keep(&self, rows: &mut SeriesWriter) {
        rows.put(&self.bounds);
        rows.put(&self.begins);
        rows.put(&self.before);
    }

    /// What [`Self::keep`] wrote.
    pub fn kept(rows: &mut SeriesReader) -> Option<Self> {
        Some(Self { bounds: rows.next()?, begins: rows.next()?, before: rows.next()? })
    }

    /// The sentences of a unit.
    #[inline]
    pub fn texts(&self, unit: usize) -> Range<usize> {
        self.bounds[unit] as usize..self.bounds[unit + 1] as usize
    }

    /// The unit that holds a sentence; `None` where there is no such sentence.
    #[inline]
    pub fn holding(&self, sentence: u32) -> Option<u32> {
        let at = (sentence / u64::BITS) as usize;
        let upto = self.begins.get(at)? & (u64::MAX >> (u64::BITS - 1 - sentence % u64::BITS));
        let is_there = self.bounds.last().is_some_and(|&end| sentence < end);
        is_there.then(|| (self.before[at] + upto.count_ones()).wrapping_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_sentence_is_held_by_its_unit(lengths in prop::collection::vec(1..90u32, 0..40), beyond in 0..200u32) {
            let mut end = 0;
            let runs: Vec<Range<u32>> = lengths.into_iter().map(|length| {
                end += length;
                end - length..end
            }).collect();
            let parts = Parts::new(&runs);
            for (unit, run) in runs.iter().enumerate() {
                prop_assert_eq!(parts.texts(unit), run.start as usize..run.end as usize);
                prop_assert!(run.clone().all(|sentence| parts.holding(sentence) == Some(unit as u32)));
            }
            prop_assert_eq!(parts.holding(end + beyond), None);
        }
    }
}
