//! The postings of one term, and where to look for a place among them.

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

    /// Those from a place on.
    #[inline]
    pub fn from(&self, place: u32) -> &[Posting] {
        // The next one is among the few of its run, or the first of a later one.
        let first = self.before.get((place >> self.shift) as usize).map_or(self.all.len(), |&first| first as usize);
        let rest = &self.all[first..];
        let next = rest.iter().position(|&(at, _)| at >= place).unwrap_or(rest.len());
        &rest[next..]
    }

    /// What they take of memory.
    pub fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Posting>() + self.before.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn postings_from_a_place_on_are_found(
            places in prop::collection::btree_set(0..900u32, 0..200),
            place in 0..999u32,
        ) {
            let all: Vec<Posting> = places.iter().map(|&at| (at, 1.0)).collect();
            let after: Vec<Posting> = all.iter().copied().filter(|&(at, _)| at >= place).collect();
            let postings = Postings::new(all);
            prop_assert_eq!(postings.from(place), after);
        }
    }
}
