//! The postings of one term, and where to look for a place among them.

use std::ops::Range;

/// A place – a text or a section of the row – and how often a term is there.
pub type Posting = (u32, f32);

/// Postings by ascending place.
#[derive(Debug, Default)]
pub struct Postings {
    all: Vec<Posting>,
    /// For every run of 2^`shift` places how many postings come before it; then how many there are.
    before: Vec<u32>,
    shift: u32,
}

/// Postings between two entries of `before`, on average.
const EACH: usize = 8;

impl Postings {
    /// Postings that ascend.
    pub fn new(all: Vec<Posting>) -> Self {
        let places = all.last().map_or(0, |&(place, _)| place as usize + 1);
        let shift = (places / all.len().div_ceil(EACH).max(1)).max(1).ilog2();
        let mut before = Vec::with_capacity((places >> shift) + 2);
        for (at, &(place, _)) in (0..).zip(&all) {
            before.resize(before.len().max((place >> shift) as usize + 1), at);
        }
        before.push(all.len() as u32);
        Self { all, before, shift }
    }

    /// All of them.
    pub fn all(&self) -> &[Posting] {
        &self.all
    }

    /// Those of places in a range.
    #[inline]
    pub fn within(&self, range: &Range<u32>) -> &[Posting] {
        &self.all[self.before(range.start)..self.before(range.end.max(range.start))]
    }

    /// How many come before a place.
    #[inline]
    fn before(&self, place: u32) -> usize {
        let run = (place >> self.shift) as usize;
        let Some(&[first, end]) = self.before.get(run..).and_then(|before| before.first_chunk()) else {
            return self.all.len();
        };
        first as usize + before(&self.all[first as usize..end as usize], place)
    }

    /// What they take of memory.
    pub fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Posting>() + self.before.capacity() * size_of::<u32>()
    }
}

/// How many of these come before a place: it is near, mostly among the next few.
#[inline]
pub fn before(postings: &[Posting], place: u32) -> usize {
    let is_before = |&(at, _): &Posting| at < place;
    if let Some(near) = postings.iter().take(NEXT_FEW).position(|posting| !is_before(posting)) {
        return near;
    }
    let few = postings.len().min(NEXT_FEW);
    few + postings[few..].partition_point(is_before)
}

/// Postings that are looked at one after another, before a search in halves.
const NEXT_FEW: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn postings_of_a_range_are_found(
            places in prop::collection::btree_set(0..900u32, 0..200),
            range in (0..999u32, 0..999u32),
        ) {
            let all: Vec<Posting> = places.iter().map(|&at| (at, 1.0)).collect();
            let range = range.0..range.1;
            let within: Vec<Posting> = all.iter().copied().filter(|(place, _)| range.contains(place)).collect();
            prop_assert_eq!(super::before(&all, range.start), places.range(..range.start).count());
            let postings = Postings::new(all);
            prop_assert_eq!(postings.within(&range), within);
        }
    }
}
