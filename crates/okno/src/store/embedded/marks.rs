//! A set of small numbers, one bit each: which sentences and sections may be found.

use std::ops::Range;

/// Numbers from 0 to a fixed end, each in the set or not.
pub struct Marks {
    words: Vec<u64>,
}

impl Marks {
    /// The empty set of numbers below `end`.
    pub fn new(end: usize) -> Self {
        Self { words: vec![0; end.div_ceil(64)] }
    }

    /// The set that has these words of bits.
    pub fn of(words: &[u64]) -> Self {
        Self { words: words.to_vec() }
    }

    /// A bit for each number, the lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Adds a range. What is behind the end is an error of the caller, and panics.
    pub fn add(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        let (first, last) = (range.start as usize / 64, (range.end - 1) as usize / 64);
        let from = u64::MAX << (range.start % 64);
        let to = u64::MAX >> (63 - (range.end - 1) % 64);
        if first == last {
            self.words[first] |= from & to;
            return;
        }
        self.words[first] |= from;
        self.words[first + 1..last].fill(u64::MAX);
        self.words[last] |= to;
    }

    /// Adds a number; whether it was not there before.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (&mut self.words[number as usize / 64], 1 << (number % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether a number is in the set.
    pub fn has(&self, number: u32) -> bool {
        self.words[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Whether a number of a range is in the set.
    pub fn has_any(&self, mut range: Range<u32>) -> bool {
        // The next word that has one, and in it the first that is not before the range.
        while !range.is_empty() {
            let word = self.words[range.start as usize / 64] >> (range.start % 64);
            if word != 0 {
                return range.start + word.trailing_zeros() < range.end;
            }
            range.start = (range.start / 64 + 1) * 64;
        }
        false
    }

    /// How many numbers there are.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn marks_are_a_set(ranges in prop::collection::vec((0..300u32, 0..150u32), 0..12)) {
            let mut marks = Marks::new(450);
            let mut set = BTreeSet::new();
            for (start, length) in ranges {
                marks.add(start..start + length);
                set.extend(start..start + length);
            }
            prop_assert_eq!(marks.count() as usize, set.len());
            prop_assert!((0..450).all(|number| marks.has(number) == set.contains(&number)));
            prop_assert!((0..450).all(|number| marks.insert(number) != set.contains(&number)));
            prop_assert_eq!(marks.count(), 450);
        }
    }
}
