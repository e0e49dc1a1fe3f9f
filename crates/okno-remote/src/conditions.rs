//! Which rows a lookup, a search or a deletion concerns, before an engine's language.
//!
//! A condition contains numbers, hashes and, where a driver checks fields, tokens of values (`fields`), which that
//! driver writes as strings of its language. Conditions are bounded: one of more runs than [`RunLimits`] is split into
//! several, which are searched in parallel and whose rankings are merged, with the exact result.

use crate::layers::pair;
use crate::numbers::Numbers;
use okno::store::{DocumentNumber, DocumentSet, Sections};
use std::ops::Range;

/// A condition on the fields of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowCondition {
    /// The number is one of these.
    In(&'static str, Vec<i64>),
    /// The number is at least this.
    From(&'static str, i64),
    /// The number is below this.
    Below(&'static str, i64),
    /// The text is one of these: names of ours, letters, digits and `/`.
    Named(&'static str, Vec<String>),
    /// The text is not before the first and before the second.
    NamedFrom(&'static str, String, String),
    /// Every one holds.
    All(Vec<Self>),
    /// One holds.
    Any(Vec<Self>),
    /// It does not hold.
    Not(Box<Self>),
    /// One of the row's tokens is one of these. This and the next two only where [`crate::StoreDriver::checks_fields`].
    Has(Vec<String>),
    /// One of the row's tokens is not before the first and before the second, by bytes.
    HasFrom(String, String),
    /// One of the row's tokens begins so, and holds the other text after that, or ends with it.
    HasLike {
        /// How it begins.
        begins: String,
        /// What follows somewhere.
        then: String,
        /// Whether it is the end.
        ends: bool,
    },
}

impl RowCondition {
    /// The number is this.
    pub(crate) fn is(field: &'static str, number: impl Into<i64>) -> Self {
        Self::In(field, vec![number.into()])
    }

    /// The text is this.
    pub(crate) fn named(field: &'static str, name: impl Into<String>) -> Self {
        Self::Named(field, vec![name.into()])
    }

    /// Both hold.
    pub(crate) fn and(self, other: Self) -> Self {
        Self::All(vec![self, other])
    }
}

/// How much one expression may name.
#[derive(Debug, Clone, Copy)]
pub struct RunLimits {
    /// Runs of several numbers.
    pub ranges: usize,
    /// Single numbers.
    pub singles: usize,
}

impl RunLimits {
    /// Runs in groups, each within the limits.
    pub(crate) fn groups(self, runs: &[Range<DocumentNumber>]) -> Vec<&[Range<DocumentNumber>]> {
        let (mut groups, mut begins, mut ranges, mut singles) = (Vec::new(), 0, 0, 0);
        for (at, run) in runs.iter().enumerate() {
            let (range, single) = if run.len() > 1 { (1, 0) } else { (0, 1) };
            if ranges + range > self.ranges || singles + single > self.singles {
                groups.push(&runs[begins..at]);
                (begins, ranges, singles) = (at, 0, 0);
            }
            ranges += range;
            singles += single;
        }
        groups.push(&runs[begins..]);
        groups.retain(|group| !group.is_empty());
        groups
    }

    pub(crate) fn hold(self, runs: &[Range<DocumentNumber>]) -> bool {
        self.groups(runs).len() <= 1
    }
}

/// A search finds what fulfils any of these; without one it finds nothing.
pub type Conditions = Vec<RowCondition>;

/// Everything below `next` that is not removed and, if given, allowed.
pub fn visible(next: DocumentNumber, dead: &Numbers, allowed: Option<&Numbers>, limits: RunLimits) -> Conditions {
    let Some(allowed) = allowed else {
        return vec![all_but(next, dead)];
    };
    let left_out = complement(allowed, next);
    if left_out.runs().len() + dead.runs().len() < allowed.runs().len() {
        let both = left_out.with(dead);
        if limits.hold(both.runs()) {
            return vec![all_but(next, &both)];
        }
    }
    limits.groups(allowed.runs()).into_iter().map(among).collect()
}

/// The same, and of documents named in `sections` only those sections.
pub fn within(allowed: &Numbers, sections: &Sections, limits: RunLimits) -> Conditions {
    let whole: Numbers = allowed.iter().filter(|number| !sections.contains_key(number)).collect();
    let mut named: Vec<i64> = sections
        .iter()
        .filter(|(number, _)| allowed.contains(**number))
        .flat_map(|(&number, kept)| kept.iter().map(move |&section| pair(number, section)))
        .collect();
    named.sort_unstable();
    let of_sections = named.chunks(limits.singles).map(|chunk| RowCondition::In("section", chunk.to_vec()));
    limits.groups(whole.runs()).into_iter().map(among).chain(of_sections).collect()
}

/// The allowed documents that exist.
pub(crate) fn allowed(numbers: &DocumentSet, live: &Numbers) -> Numbers {
    numbers.numbers().iter().copied().filter(|&number| live.contains(number)).collect()
}

/// These documents.
pub(crate) fn among(runs: &[Range<DocumentNumber>]) -> RowCondition {
    let singles: Vec<i64> = runs.iter().filter(|run| run.len() == 1).map(|run| i64::from(run.start)).collect();
    let singles = (!singles.is_empty()).then_some(RowCondition::In("document", singles));
    let range = |run: &Range<DocumentNumber>| {
        let (from, below) = (i64::from(run.start), i64::from(run.end));
        RowCondition::From("document", from).and(RowCondition::Below("document", below))
    };
    let mut any: Vec<RowCondition> = runs.iter().filter(|run| run.len() > 1).map(range).chain(singles).collect();
    if any.len() == 1 { any.remove(0) } else { RowCondition::Any(any) }
}

/// What fulfils a condition on fields, but for documents that are told by number: removed and left out ones are not
/// found, and of those whose rows do not say their fields, `named` are.
///
/// `None` where that would be too much for one expression.
pub(crate) fn told_by_fields(
    next: DocumentNumber,
    fields: RowCondition,
    left_out: &Numbers,
    named: &Numbers,
    limits: RunLimits,
) -> Option<RowCondition> {
    if !limits.hold(left_out.runs()) || !limits.hold(named.runs()) {
        return None;
    }
    let said = all_but(next, left_out).and(fields);
    Some(if named.is_empty() { said } else { RowCondition::Any(vec![said, among(named.runs())]) })
}

fn all_but(next: DocumentNumber, dead: &Numbers) -> RowCondition {
    let below = RowCondition::Below("document", i64::from(next));
    if dead.is_empty() { below } else { below.and(RowCondition::Not(Box::new(among(dead.runs())))) }
}

fn complement(numbers: &Numbers, next: DocumentNumber) -> Numbers {
    let ends = std::iter::once(0).chain(numbers.runs().iter().map(|run| run.end));
    let starts = numbers.runs().iter().map(|run| run.start).chain([next]);
    // By runs, not by numbers, so that it is fast for a large index.
    Numbers::of_runs(ends.zip(starts).map(|(start, end)| start..end.max(start)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMITS: RunLimits = RunLimits { ranges: 3, singles: 5 };

    fn fulfils(condition: &RowCondition, document: i64) -> bool {
        match condition {
            RowCondition::In(_, numbers) => numbers.contains(&document),
            RowCondition::From(_, from) => document >= *from,
            RowCondition::Below(_, below) => document < *below,
            RowCondition::All(all) => all.iter().all(|one| fulfils(one, document)),
            RowCondition::Any(any) => any.iter().any(|one| fulfils(one, document)),
            RowCondition::Not(not) => !fulfils(not, document),
            _ => unreachable!("documents have numbers"),
        }
    }

    proptest! {
        /// Whatever is allowed and removed: a document is found by exactly one condition, or by none if it is not
        /// allowed, and no condition is larger than the limits.
        #[test]
        fn conditions_name_what_is_allowed(
            allowed in prop::collection::btree_set(0..60u32, 0..60),
            dead in prop::collection::btree_set(0..60u32, 0..4),
        ) {
            let own: Numbers = allowed.difference(&dead).copied().collect();
            let conditions = visible(60, &dead.iter().copied().collect(), Some(&own), LIMITS);
            for document in 0..70 {
                let found = conditions.iter().filter(|condition| fulfils(condition, document)).count();
                prop_assert_eq!(found, usize::from(own.contains(document as u32)), "{}", document);
            }
            prop_assert!(LIMITS.groups(own.runs()).iter().all(|group| LIMITS.hold(group)));
        }
    }
}
