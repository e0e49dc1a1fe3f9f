//! The documents that a search may find, as filter expressions of Milvus.
//!
//! Filters are resolved to documents before, so an expression contains only numbers, and no value of a document can
//! inject anything. Expressions are bounded: one of more than [`MOST`] runs is split into several, which are searched
//! in parallel and whose rankings are merged, with the exact result.

use crate::layers::pair;
use crate::numbers::Numbers;
use okno::store::{DocumentNumber, Sections};
use std::collections::HashSet;
use std::ops::Range;

/// Runs in one expression: about 60 kB of text at most.
pub const MOST: usize = 4000;

/// A search finds what matches any of these expressions; without one it finds nothing.
pub type Expressions = Vec<String>;

/// Everything below `next` that is not removed and, if given, allowed.
pub fn visible(next: DocumentNumber, dead: &Numbers, allowed: Option<&Numbers>) -> Expressions {
    let Some(allowed) = allowed else {
        return vec![all_but(next, dead)];
    };
    let left_out = complement(allowed, next);
    if left_out.runs().len() + dead.runs().len() < allowed.runs().len().min(MOST) {
        let mut both: Vec<Range<DocumentNumber>> = left_out.runs().iter().chain(dead.runs()).cloned().collect();
        both.sort_unstable_by_key(|run| run.start);
        return vec![all_but(next, &Numbers::of_runs(both.into_iter()))];
    }
    allowed.runs().chunks(MOST).map(among).collect()
}

/// The same, and of documents named in `sections` only those sections.
pub fn within(allowed: &Numbers, sections: &Sections) -> Expressions {
    let whole: Numbers = allowed.iter().filter(|number| !sections.contains_key(number)).collect();
    let mut named: Vec<i64> = sections
        .iter()
        .filter(|(number, _)| allowed.contains(**number))
        .flat_map(|(&number, kept)| kept.iter().map(move |&section| pair(number, section)))
        .collect();
    named.sort_unstable();
    let of_sections = named.chunks(MOST).map(|chunk| format!("section in [{}]", joined(chunk)));
    whole.runs().chunks(MOST).map(among).chain(of_sections).collect()
}

/// The allowed documents that exist.
pub fn allowed(numbers: &HashSet<DocumentNumber>, live: &Numbers) -> Numbers {
    numbers.iter().copied().filter(|&number| live.contains(number)).collect()
}

/// These documents.
pub fn among(runs: &[Range<DocumentNumber>]) -> String {
    let singles: Vec<DocumentNumber> = runs.iter().filter(|run| run.len() == 1).map(|run| run.start).collect();
    let singles = (!singles.is_empty()).then(|| format!("document in [{}]", joined(&singles)));
    let longer = runs.iter().filter(|run| run.len() > 1);
    let parts = longer.map(|run| format!("(document >= {} and document < {})", run.start, run.end)).chain(singles);
    parts.collect::<Vec<_>>().join(" or ")
}

fn all_but(next: DocumentNumber, dead: &Numbers) -> String {
    if dead.is_empty() {
        format!("document < {next}")
    } else {
        format!("document < {next} and not ({})", among(dead.runs()))
    }
}

fn complement(numbers: &Numbers, next: DocumentNumber) -> Numbers {
    let ends = std::iter::once(0).chain(numbers.runs().iter().map(|run| run.end));
    let starts = numbers.runs().iter().map(|run| run.start).chain([next]);
    // By runs, not by numbers, so that it is fast for a large index.
    Numbers::of_runs(ends.zip(starts).map(|(start, end)| start..end.max(start)))
}

/// Numbers with commas between them.
pub fn joined<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(numbers: &[u32]) -> Numbers {
        numbers.iter().copied().collect()
    }

    #[test]
    fn expressions_read_as_expected() {
        assert_eq!(visible(9, &set(&[]), None), ["document < 9"]);
        assert_eq!(visible(9, &set(&[3]), None), ["document < 9 and not (document in [3])"]);
        let few = set(&[1, 2, 3, 7]);
        assert_eq!(visible(9, &set(&[]), Some(&few)), ["(document >= 1 and document < 4) or document in [7]"]);
        let nearly_all: Numbers = (0..100).filter(|number| number % 40 != 1).collect();
        assert_eq!(visible(100, &set(&[]), Some(&nearly_all)), ["document < 100 and not (document in [1,41,81])"]);
        assert!(visible(9, &set(&[]), Some(&set(&[]))).is_empty());
        let sections = Sections::from([(2, vec![0, 3])]);
        assert_eq!(
            within(&set(&[1, 2]), &sections),
            ["document in [1]".to_owned(), format!("section in [{},{}]", pair(2, 0), pair(2, 3))]
        );
    }

    proptest! {
        /// Nothing but numbers, names of fields and operators; never longer than bounded.
        #[test]
        fn expressions_are_bounded_and_plain(
            numbers in prop::collection::btree_set(0..100_000u32, 0..12_000),
            next in 100_000..200_000u32,
        ) {
            let allowed: Numbers = numbers.iter().copied().collect();
            let expressions = visible(next, &Numbers::default(), Some(&allowed));
            for expression in &expressions {
                prop_assert!(expression.len() < 64 * MOST);
                prop_assert!(expression.chars().all(|c| c.is_ascii_alphanumeric() || " <>=()[],".contains(c)));
            }
            prop_assert_eq!(expressions.is_empty(), numbers.is_empty());
        }
    }
}
