//! Sets of documents: those that a filter leaves, that somebody may see, that a question names.

use super::DocumentNumber;

/// Documents by number, ascending: half of a million of them are made in a moment and take two megabytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentSet {
    numbers: Vec<DocumentNumber>,
}

impl DocumentSet {
    /// The numbers, ascending, each once.
    pub fn numbers(&self) -> &[DocumentNumber] {
        &self.numbers
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether a document is one of them.
    pub fn contains(&self, number: DocumentNumber) -> bool {
        self.numbers.binary_search(&number).is_ok()
    }

    /// Leaves out some of them.
    pub fn retain(&mut self, stays: impl Fn(DocumentNumber) -> bool) {
        self.numbers.retain(|&number| stays(number));
    }

    /// Those that are in another set too.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut others = other.numbers.iter().copied().peekable();
        let is_shared = |number: &DocumentNumber| {
            while others.next_if(|other| other < number).is_some() {}
            others.peek() == Some(number)
        };
        Self { numbers: self.numbers.iter().copied().filter(is_shared).collect() }
    }
}

impl From<Vec<DocumentNumber>> for DocumentSet {
    /// Those that ascend already stay as they are.
    fn from(mut numbers: Vec<DocumentNumber>) -> Self {
        if !numbers.is_sorted_by(|one, next| one < next) {
            numbers.sort_unstable();
            numbers.dedup();
        }
        Self { numbers }
    }
}

impl FromIterator<DocumentNumber> for DocumentSet {
    fn from_iter<I: IntoIterator<Item = DocumentNumber>>(numbers: I) -> Self {
        numbers.into_iter().collect::<Vec<_>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set(one in prop::collection::vec(0..60u32, 0..40), other in prop::collection::vec(0..60u32, 0..40)) {
            let (set, of_other): (DocumentSet, DocumentSet) = (one.clone().into(), other.iter().copied().collect());
            let (one, other) = (BTreeSet::from_iter(one), BTreeSet::from_iter(other));
            prop_assert!(set.numbers().iter().eq(&one));
            prop_assert_eq!((set.len(), set.is_empty()), (one.len(), one.is_empty()));
            prop_assert!((0..61).all(|number| set.contains(number) == one.contains(&number)));
            prop_assert!(set.intersection(&of_other).numbers().iter().eq(one.intersection(&other)));
            let mut rest = set;
            rest.retain(|number| !other.contains(&number));
            prop_assert!(rest.numbers().iter().eq(one.difference(&other)));
        }
    }
}
