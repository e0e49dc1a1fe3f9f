//! Sets of document numbers as runs: numbers are assigned in order, so a corpus of millions is a few runs.

use okno::store::DocumentNumber;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A set of numbers: its runs, ascending, none touching the next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers {
    runs: Vec<Range<DocumentNumber>>,
}

impl Numbers {
    /// The numbers of ascending runs; empty ones are left out.
    pub fn of_runs(runs: impl Iterator<Item = Range<DocumentNumber>>) -> Self {
        let mut joined: Vec<Range<DocumentNumber>> = Vec::new();
        for run in runs.filter(|run| !run.is_empty()) {
            match joined.last_mut() {
                Some(last) if last.end >= run.start => last.end = last.end.max(run.end),
                _ => joined.push(run),
            }
        }
        Self { runs: joined }
    }

    /// The runs.
    pub fn runs(&self) -> &[Range<DocumentNumber>] {
        &self.runs
    }

    /// Returns `true` if there is none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.runs.iter().map(ExactSizeIterator::len).sum()
    }

    /// Returns `true` if the number is in it.
    pub fn contains(&self, number: DocumentNumber) -> bool {
        let after = self.runs.partition_point(|run| run.start <= number);
        after > 0 && number < self.runs[after - 1].end
    }

    /// Returns `true` if all of these are in it.
    pub fn contains_all(&self, others: &Self) -> bool {
        let holds = |other: &Range<DocumentNumber>| {
            let after = self.runs.partition_point(|run| run.start <= other.start);
            after > 0 && other.end <= self.runs[after - 1].end
        };
        others.runs.iter().all(holds)
    }

    /// The numbers that are not in the other set.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        let mut left = Vec::new();
        for run in &self.runs {
            let mut start = run.start;
            let first = others.runs.partition_point(|other| other.end <= run.start);
            for other in others.runs[first..].iter().take_while(|other| other.start < run.end) {
                left.push(start..other.start.max(start));
                start = other.end.max(start);
            }
            left.push(start..run.end.max(start));
        }
        left.retain(|run: &Range<DocumentNumber>| !run.is_empty());
        Self { runs: left }
    }

    /// The numbers of both.
    #[must_use]
    pub fn with(&self, others: &Self) -> Self {
        let mut runs: Vec<Range<DocumentNumber>> = self.runs.iter().chain(&others.runs).cloned().collect();
        runs.sort_unstable_by_key(|run| run.start);
        Self::of_runs(runs.into_iter())
    }

    /// The numbers that are in the other set too.
    #[must_use]
    pub fn common(&self, others: &Self) -> Self {
        self.without(&self.without(others))
    }

    /// The same numbers in sets of this size.
    pub fn pages(&self, size: usize) -> impl Iterator<Item = Self> + '_ {
        let mut numbers = self.iter();
        std::iter::from_fn(move || {
            let page: Self = numbers.by_ref().take(size).collect();
            (!page.is_empty()).then_some(page)
        })
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = DocumentNumber> + '_ {
        self.runs.iter().cloned().flatten()
    }

    /// Adds a number. Returns `true` if it is new.
    pub fn insert(&mut self, number: DocumentNumber) -> bool {
        let after = self.runs.partition_point(|run| run.start <= number);
        if after > 0 && number < self.runs[after - 1].end {
            return false;
        }
        let joins_before = after > 0 && self.runs[after - 1].end == number;
        let joins_after = self.runs.get(after).is_some_and(|run| run.start == number + 1);
        match (joins_before, joins_after) {
            (true, true) => self.runs[after - 1].end = self.runs.remove(after).end,
            (true, false) => self.runs[after - 1].end += 1,
            (false, true) => self.runs[after].start = number,
            (false, false) => self.runs.insert(after, number..number + 1),
        }
        true
    }

    /// Removes a number. Returns `true` if it was there.
    pub fn remove(&mut self, number: DocumentNumber) -> bool {
        let after = self.runs.partition_point(|run| run.start <= number);
        if after == 0 || number >= self.runs[after - 1].end {
            return false;
        }
        let Range { start, end } = self.runs[after - 1].clone();
        let left = [start..number, number + 1..end].into_iter().filter(|run| !run.is_empty());
        self.runs.splice(after - 1..after, left);
        true
    }
}

impl FromIterator<DocumentNumber> for Numbers {
    fn from_iter<I: IntoIterator<Item = DocumentNumber>>(numbers: I) -> Self {
        let mut sorted: Vec<DocumentNumber> = numbers.into_iter().collect();
        sorted.sort_unstable();
        let mut runs: Vec<Range<DocumentNumber>> = Vec::new();
        for number in sorted {
            match runs.last_mut() {
                Some(run) if number < run.end => {}
                Some(run) if number == run.end => run.end += 1,
                _ => runs.push(number..number + 1),
            }
        }
        Self { runs }
    }
}

/// As gaps and lengths, which are small where ends are large.
impl Serialize for Numbers {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = 0;
        let pair = |run: &Range<DocumentNumber>| {
            let gap = run.start - last;
            last = run.end;
            (gap, run.end - run.start)
        };
        self.runs.iter().map(pair).collect::<Vec<_>>().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut last: DocumentNumber = 0;
        let mut runs = Vec::new();
        for (gap, length) in Vec::<(DocumentNumber, DocumentNumber)>::deserialize(deserializer)? {
            let start = last.saturating_add(gap);
            last = start.saturating_add(length);
            runs.push(start..last);
        }
        Ok(Self { runs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn what_is_left_is_a_difference(
            own in prop::collection::btree_set(0..60u32, 0..50),
            others in prop::collection::btree_set(0..60u32, 0..50),
        ) {
            let set = |numbers: &BTreeSet<u32>| numbers.iter().copied().collect::<Numbers>();
            prop_assert_eq!(set(&own).without(&set(&others)), own.difference(&others).copied().collect());
            prop_assert_eq!(set(&own).with(&set(&others)), own.union(&others).copied().collect());
            prop_assert_eq!(set(&own).common(&set(&others)), own.intersection(&others).copied().collect());
        }

        #[test]
        fn a_set_of_runs_is_a_set(steps in prop::collection::vec((any::<bool>(), 0..40u32), 0..120)) {
            let (mut numbers, mut model) = (Numbers::default(), BTreeSet::new());
            for (adds, number) in steps {
                if adds {
                    prop_assert_eq!(numbers.insert(number), model.insert(number));
                } else {
                    prop_assert_eq!(numbers.remove(number), model.remove(&number));
                }
                prop_assert!(numbers.runs().windows(2).all(|pair| pair[0].end < pair[1].start));
            }
            prop_assert_eq!(numbers.iter().collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
            prop_assert!((0..40).all(|number| numbers.contains(number) == model.contains(&number)));
            prop_assert_eq!(&model.iter().copied().collect::<Numbers>(), &numbers);
            let paged = numbers.pages(7).flat_map(|page| page.iter().collect::<Vec<_>>());
            prop_assert_eq!(paged.collect::<BTreeSet<_>>(), model);
            let bytes = postcard::to_stdvec(&numbers).unwrap();
            prop_assert_eq!(postcard::from_bytes::<Numbers>(&bytes).unwrap(), numbers);
        }
    }
}
