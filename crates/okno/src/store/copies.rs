//! Documents of the same text: they are searched and returned once.

use super::DocumentNumber;
use crate::packed::series::{Series, SeriesReader, SeriesWriter};
use std::ops::Deref;

/// The groups of documents whose texts are the same, each by ascending number.
#[derive(Debug, Clone, Default)]
pub struct CopyGroups {
    groups: Vec<Vec<DocumentNumber>>,
    /// Every document of a group, ascending, and which one it is in.
    members: Series<[u32; 2]>,
}

impl CopyGroups {
    /// The group of a document, itself among it; empty where nothing has its text.
    pub fn of(&self, document: DocumentNumber) -> &[DocumentNumber] {
        let at = self.members.binary_search_by_key(&document, |&[member, _]| member);
        at.map_or(&[], |at| &self.groups[self.members[at][1] as usize])
    }

    /// Whether a document has the text of one with a smaller number.
    pub fn is_further(&self, document: DocumentNumber) -> bool {
        self.of(document).first().is_some_and(|first| *first != document)
    }

    /// Writes what is found out about the groups for [`Self::kept`].
    pub(crate) fn keep(&self, rows: &mut SeriesWriter) {
        rows.put(&self.members);
    }

    /// These groups, with what [`Self::keep`] wrote of them; `None` where that is of others.
    pub(crate) fn kept(groups: Vec<Vec<DocumentNumber>>, rows: &mut SeriesReader) -> Option<Self> {
        let members = rows.next::<[u32; 2]>()?;
        let fits = members.len() == groups.iter().map(Vec::len).sum::<usize>()
            && members.iter().all(|&[_, group]| (group as usize) < groups.len());
        fits.then_some(Self { groups, members })
    }

    /// How many documents have the text of one with a smaller number.
    pub fn count_further(&self) -> usize {
        self.members.len() - self.groups.len()
    }
}

impl From<Vec<Vec<DocumentNumber>>> for CopyGroups {
    /// Groups of one document and more.
    fn from(groups: Vec<Vec<DocumentNumber>>) -> Self {
        let of = |(at, group): (u32, &Vec<DocumentNumber>)| group.iter().map(|&one| [one, at]).collect::<Vec<_>>();
        let mut members: Vec<_> = (0..).zip(&groups).flat_map(of).collect();
        members.sort_unstable();
        Self { groups, members: members.into() }
    }
}

impl Deref for CopyGroups {
    type Target = [Vec<DocumentNumber>];

    fn deref(&self) -> &Self::Target {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_found_in_its_group() {
        let copies = CopyGroups::from(vec![vec![4, 9], vec![1, 2, 7]]);
        assert_eq!((copies.of(7), copies.of(9), copies.of(3)), (&[1, 2, 7][..], &[4, 9][..], &[][..]));
        let further: Vec<_> = (0..10).filter(|&document| copies.is_further(document)).collect();
        assert_eq!((further, copies.count_further()), (vec![2, 7, 9], 3));
        assert_eq!(copies.len(), 2);
    }
}
