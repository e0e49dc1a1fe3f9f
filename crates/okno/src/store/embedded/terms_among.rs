//! The terms of some of the documents: what an index of them alone would know.

use super::atlas::Atlas;
use super::known_terms::row;
use super::lexical::{Lexical, LexicalResult, TermSource};
use crate::store::{DocumentSet, TermState};

/// The terms of some documents.
pub struct TermsAmong<'s> {
    pub atlas: &'s Atlas<'static>,
    pub lexical: &'s Lexical,
    pub among: &'s DocumentSet,
}

impl TermsAmong<'_> {
    /// Whether these documents hold a term, or one like it.
    pub fn state(&self, term: &str) -> LexicalResult<TermState> {
        if self.holds(TermSource::Body, term)? || self.holds(TermSource::Context, term)? {
            return Ok(TermState::Known);
        }
        let near = self.lexical.nearest(term, Some(&|near| self.often(near)))?;
        Ok(if near.is_empty() { TermState::Unknown } else { TermState::Like(near) })
    }

    fn holds(&self, source: TermSource, term: &str) -> LexicalResult<bool> {
        let row = |place| row(self.atlas, place);
        self.lexical.has(&[source], term, row, |row| self.is_among(source, row))
    }

    /// How many sentences of these documents have a term.
    fn often(&self, term: &str) -> LexicalResult<u32> {
        let rows = self.lexical.postings(&[TermSource::Body], term, |place| row(self.atlas, place))?;
        Ok(rows.into_iter().filter(|(row, _)| self.is_among(TermSource::Body, *row)).count() as u32)
    }

    fn is_among(&self, source: TermSource, row: u32) -> bool {
        let entry = match source {
            TermSource::Context => self.atlas.section_holder(row),
            TermSource::Body | TermSource::Derived => self.atlas.holder(row),
        };
        self.among.contains(entry.number)
    }
}
