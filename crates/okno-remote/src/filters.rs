//! A cache of the documents that match a filter.
//!
//! Only the numbers of matching documents are kept, as runs. The record of a number changes only by an
//! amendment, so a result is valid for later generations without amendments: only their new documents are evaluated.

use crate::numbers::Numbers;
use crate::state::GenerationState;
use okno::Result;
use okno::document::Filter;
use okno::store::DocumentNumber;
use std::sync::{Mutex, PoisonError};

/// Filters kept, at most.
const MOST: usize = 64;

/// Runs kept, at most, of all filters together: 16 MB.
const MOST_RUNS: usize = 2 << 20;

/// Filters with their results, the most recently used last.
#[derive(Default)]
pub struct Filters {
    known: Mutex<Vec<KnownFilter>>,
}

struct KnownFilter {
    filter: Filter,
    /// The last amendment that was seen.
    amended: u64,
    /// The documents that were looked at.
    seen: Numbers,
    /// Those that match.
    found: Numbers,
}

impl KnownFilter {
    fn runs(&self) -> usize {
        self.seen.runs().len() + self.found.runs().len()
    }
}

/// Finds those of these documents that match.
pub type FindMatching<'l> = dyn FnMut(&Numbers) -> Result<Vec<DocumentNumber>> + 'l;

impl Filters {
    /// The documents of a generation that match; `find` is asked about those that were not evaluated yet.
    pub fn matching(&self, filter: &Filter, state: &GenerationState, find: &mut FindMatching<'_>) -> Result<Numbers> {
        let (seen, found) = self.take(filter, state.amended).unwrap_or_default();
        let new = state.live.without(&seen);
        let mut found = found.common(&state.live);
        if !new.is_empty() {
            found = found.with(&find(&new)?.into_iter().collect());
        }
        let known = KnownFilter { filter: filter.clone(), amended: state.amended, seen: state.live.clone(), found };
        Ok(self.keep(known))
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<KnownFilter>> {
        // Only whole entries are added and removed, so a panic leaves a usable list.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, filter: &Filter, amended: u64) -> Option<(Numbers, Numbers)> {
        let mut known = self.known();
        let at = known.iter().position(|known| known.amended == amended && known.filter == *filter)?;
        let KnownFilter { seen, found, .. } = known.remove(at);
        Some((seen, found))
    }

    fn keep(&self, new: KnownFilter) -> Numbers {
        let found = new.found.clone();
        let mut known = self.known();
        known.push(new);
        while known.len() > MOST || known.iter().map(KnownFilter::runs).sum::<usize>() > MOST_RUNS {
            known.remove(0);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno::document::{Metadata, Record, Value};
    use okno::store::Manifest;
    use okno::store::contract::document;
    use proptest::prelude::*;

    /// A record by its number; every third is a note.
    fn record(number: DocumentNumber) -> Record {
        let kind = if number.is_multiple_of(3) { "note" } else { "book" };
        let metadata = Metadata([("kind".to_owned(), Value::Text(kind.to_owned()))].into_iter().collect());
        Record { metadata, ..document("a", "Text.").record }
    }

    proptest! {
        /// Whatever generations are asked about, and in which order: the naive answer, and no record is looked at
        /// twice.
        #[test]
        fn a_filter_finds_what_is_there(
            generations in prop::collection::vec(prop::collection::btree_set(0..60u32, 0..40), 1..8),
        ) {
            let (filters, filter) = (Filters::default(), Filter::equal("kind", "note"));
            let mut state = GenerationState::new(&Manifest::new("x", 2));
            let mut last = std::collections::BTreeSet::<u32>::default();
            for live in generations {
                state.live = live.iter().copied().collect();
                let mut looked = Vec::new();
                let found = filters.matching(&filter, &state, &mut |new| {
                    looked.extend(new.iter());
                    Ok(new.iter().filter(|&number| record(number).matches(&filter)).collect())
                }).unwrap();
                let expected: Vec<u32> = live.iter().copied().filter(|n| n % 3 == 0).collect();
                prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);
                prop_assert_eq!(looked, live.difference(&last).copied().collect::<Vec<_>>());
                last = live;
            }
            // An amendment makes everything new.
            state.amended += 1;
            let mut count = 0;
            filters.matching(&filter, &state, &mut |new| { count = new.count(); Ok(Vec::new()) }).unwrap();
            prop_assert_eq!(count, last.len());
        }
    }

    #[test]
    fn no_more_filters_are_kept_than_there_is_room_for() {
        let (filters, mut state) = (Filters::default(), GenerationState::new(&Manifest::new("x", 2)));
        state.live = (0..10).collect();
        for value in 0..200 {
            filters.matching(&Filter::equal("kind", value.to_string()), &state, &mut |_| Ok(Vec::new())).unwrap();
        }
        assert_eq!(filters.known().len(), MOST);
        state.live = (0..2_000_000).step_by(2).collect();
        for value in 0..5 {
            filters.matching(&Filter::equal("kind", value.to_string()), &state, &mut |_| Ok(Vec::new())).unwrap();
        }
        assert!(filters.known().iter().map(KnownFilter::runs).sum::<usize>() <= MOST_RUNS);
    }
}
