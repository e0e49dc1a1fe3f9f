//! Which documents a question may be answered from: what a filter leaves, identical copies once.

use super::sections;
use crate::document::Filter;
use crate::message::DidYouMean;
use crate::store::{CopyGroups, DocumentNumber, DocumentSet, FieldScope, Scored, Sections, Snapshot};
use crate::{Error, Result};
use std::collections::BTreeSet;

/// The documents a question may be answered from: those that match the filter, identical copies once.
#[derive(Default)]
pub(super) struct QuestionScope<'s> {
    /// How many documents match the filter, where there is one.
    pub matching: Option<usize>,
    /// The documents, where a filter says which.
    pub allowed: Option<DocumentSet>,
    /// Where the filter asks about headings: the sections of these documents that match.
    pub sections: Option<Sections>,
    /// The filter that gave the documents, where it is about them and not about their sections.
    filter: Option<Filter>,
    /// The documents of the same text.
    copies: Option<&'s CopyGroups>,
    /// The copies that are left out of the allowed documents, by ascending number.
    without: Vec<DocumentNumber>,
    /// Whether the store finds them all the same, where no filter says which documents it may find.
    finds_copies: bool,
}

impl<'s> QuestionScope<'s> {
    pub fn new(snapshot: &'s dyn Snapshot, filter: Option<&Filter>) -> Result<Self> {
        let copies = snapshot.copies();
        let mut scope = Self { finds_copies: snapshot.finds_copies(), copies: Some(copies), ..Self::default() };
        if let Some(filter) = filter {
            let (numbers, sections) = resolve(snapshot, filter)?;
            scope.matching = Some(numbers.len());
            scope.filter = Some(filter.clone()).filter(|_| sections.is_none());
            scope.sections = sections;
            let mut allowed = DocumentSet::from(numbers);
            for group in copies.iter() {
                scope.without.extend(group.iter().copied().filter(|&number| allowed.contains(number)).skip(1));
            }
            scope.without.sort_unstable();
            allowed.retain(|number| scope.without.binary_search(&number).is_err());
            scope.allowed = Some(allowed);
        }
        Ok(scope)
    }

    /// Whether a document is left out for another one with the same text.
    fn is_copy(&self, document: DocumentNumber) -> bool {
        match self.allowed {
            Some(_) => self.without.binary_search(&document).is_ok(),
            None => self.copies.is_some_and(|copies| copies.is_further(document)),
        }
    }

    /// The other documents of the same text that the question may be answered from.
    pub fn copies_of(&self, document: DocumentNumber) -> Vec<DocumentNumber> {
        let group = self.copies.map_or(&[][..], |copies| copies.of(document));
        group.iter().copied().filter(|other| self.is_copy(*other)).collect()
    }

    /// Whether a document may be returned.
    pub fn is_allowed(&self, document: DocumentNumber) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(document)) && !self.is_copy(document)
    }

    /// How many units must be asked for to have so many without copies. Without a filter a store may find copies too:
    /// to name all documents but these takes longer than the search itself.
    pub fn depth(&self, depth: usize) -> usize {
        let finds_copies = self.finds_copies && self.allowed.is_none();
        let copies = self.copies.filter(|_| finds_copies).map_or(0, CopyGroups::count_further);
        depth + depth.min(copies)
    }

    /// So many units of a ranking, without copies.
    pub fn without_copies(&self, mut units: Vec<Scored>, depth: usize) -> Vec<Scored> {
        units.retain(|unit| !self.is_copy(unit.run.document));
        units.truncate(depth);
        units
    }

    /// How the documents came about, for a store that can check fields itself.
    pub fn fields(&self) -> Option<FieldScope<'_>> {
        let filter = self.filter.as_ref()?;
        Some(FieldScope { filter: Some(filter), access: None, without: &self.without })
    }
}

/// Fields that every document has, beside its metadata.
const EVERY_DOCUMENT: [&str; 4] = ["title", "language", "path", "doc_id"];

/// The documents that match a filter. A field that no document has is an error, not an empty result.
pub fn matching(snapshot: &dyn Snapshot, filter: &Filter) -> Result<Vec<DocumentNumber>> {
    Ok(resolve(snapshot, filter)?.0)
}

/// The documents that match a filter, and which of their sections where it asks about headings.
fn resolve(snapshot: &dyn Snapshot, filter: &Filter) -> Result<(Vec<DocumentNumber>, Option<Sections>)> {
    let unnamed = |field: &&str| !EVERY_DOCUMENT.contains(field) && !sections::is_heading(field);
    let asked: Vec<&str> = filter.fields().into_iter().filter(unnamed).collect();
    // The catalogue is gathered only for a filter that needs it.
    let catalogue = if asked.is_empty() { None } else { Some(snapshot.catalogue()?) };
    let unknown = |field: &str| catalogue.is_some_and(|catalogue| catalogue.field(field).is_none());
    if let Some(field) = asked.into_iter().find(|field| unknown(field)) {
        let named = catalogue.into_iter().flat_map(|catalogue| catalogue.fields().map(|(name, _)| name));
        let known: BTreeSet<&str> = named.chain(EVERY_DOCUMENT).collect();
        return Err(Error::UnknownField { field: field.to_owned(), known: DidYouMean(nearest(field, &known)) });
    }
    if sections::asked_by(filter) {
        let sections = sections::matching(snapshot, filter)?;
        let mut numbers: Vec<DocumentNumber> = sections.keys().copied().collect();
        numbers.sort_unstable();
        return Ok((numbers, Some(sections)));
    }
    Ok((snapshot.matching(filter)?, None))
}

/// The known names most like a given one.
pub(crate) fn nearest(field: &str, known: &BTreeSet<&str>) -> Vec<String> {
    let mut by_distance: Vec<(usize, &str)> = known.iter().map(|&name| (distance(field, name), name)).collect();
    by_distance.sort_unstable();
    by_distance.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// Levenshtein distance between two names, whatever their case.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
