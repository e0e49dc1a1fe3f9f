//! Several segments become one, without the documents that were removed.

use super::error::LexicalResult;
use super::segment::{Segment, SegmentDocument, SegmentWriter, Terms};
use crate::store::DocumentNumber;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// So many segments of about the same size become one. Not tuned: fewer would be merged more often, of more every
/// term would be looked up in each.
const ALIKE: usize = 8;

/// Segments up to [`ALIKE`] times this many bytes are about the same size. Not tuned.
const SMALL: usize = 1 << 18;

/// Which of these segments should become one: the first that are alike, or one that mostly holds what was removed.
pub fn due(segments: &[Segment], removed: &BTreeSet<DocumentNumber>) -> Option<Vec<usize>> {
    let class = |segment: &Segment| (segment.bytes() / SMALL).max(1).ilog(ALIKE);
    let alike = |one: u32| (0..segments.len()).filter(|&at| class(&segments[at]) == one).collect::<Vec<_>>();
    let classes: BTreeSet<u32> = segments.iter().map(class).collect();
    let is_stale = |segment: &Segment| {
        let gone = segment.documents().filter(|document| removed.contains(&document.number));
        2 * gone.map(|document| document.rows()).sum::<u32>() > segment.rows
    };
    let stale = || segments.iter().position(is_stale).map(|at| vec![at]);
    classes.into_iter().map(alike).find(|alike| alike.len() >= ALIKE).or_else(stale)
}

/// Makes one segment of several; `None` where nothing is left.
pub fn merged(
    segments: &[&Segment],
    removed: &BTreeSet<DocumentNumber>,
    path: PathBuf,
) -> LexicalResult<Option<Segment>> {
    let mut documents = Vec::new();
    let mut sources = Vec::new();
    for segment in segments {
        let rows = moved_rows(segment, removed, &mut documents);
        sources.push(MergeSource { terms: segment.terms_from(&[])?, rows, is_over: false });
    }
    if documents.is_empty() {
        return Ok(None);
    }
    let mut writer = SegmentWriter::create(path)?;
    for source in &mut sources {
        source.advance()?;
    }
    let mut postings = Vec::new();
    while let Some(term) = sources.iter().filter(|source| !source.is_over).map(|source| &source.terms.term).min() {
        let term = term.clone();
        postings.clear();
        for source in sources.iter_mut().filter(|source| !source.is_over && source.terms.term == term) {
            source.take(&mut postings)?;
        }
        if !postings.is_empty() {
            writer.put(&term, &postings)?;
        }
    }
    writer.finish(&documents).map(Some)
}

/// A segment that is read to its end.
struct MergeSource<'s> {
    terms: Terms<'s>,
    /// What becomes of its rows.
    rows: Vec<Option<u32>>,
    is_over: bool,
}

impl MergeSource<'_> {
    fn advance(&mut self) -> LexicalResult<()> {
        self.is_over = !self.terms.advance()?;
        Ok(())
    }

    /// Adds the postings of its term, and goes to the next.
    fn take(&mut self, postings: &mut Vec<(u32, u32)>) -> LexicalResult<()> {
        let list = self.terms.list();
        let _ = list.read(|row, count| {
            let row = self.rows.get(row as usize).copied().flatten();
            postings.extend(row.map(|row| (row, count)));
            ControlFlow::Continue(())
        })?;
        self.advance()
    }
}

/// Adds the documents of a segment that stay, and gives each of its rows its new number.
fn moved_rows(
    segment: &Segment,
    removed: &BTreeSet<DocumentNumber>,
    documents: &mut Vec<SegmentDocument>,
) -> Vec<Option<u32>> {
    let mut rows = vec![None; segment.rows as usize];
    for document in segment.documents() {
        if !removed.contains(&document.number) {
            let first = documents.last().map_or(0, |last| last.first + last.rows());
            for at in 0..document.rows() {
                rows[(document.first + at) as usize] = Some(first + at);
            }
            documents.push(SegmentDocument { first, ..document });
        }
    }
    rows
}
