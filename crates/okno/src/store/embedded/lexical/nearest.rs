//! Whether a term is in the index, and which are spelled like one that is not.

use super::damage::guarded;
use super::{Lexical, TantivyResult};
use crate::text::spelling::{SHORTEST, edits, tolerated};
use std::collections::HashMap;
use tantivy::Term;

/// Terms like another one, at most.
const MOST_NEAR: usize = 8;

/// How many of the sentences that count have a term.
pub type HowOften<'l> = &'l dyn Fn(&str) -> TantivyResult<u32>;

impl Lexical {
    /// Whether a term is in a text, a title or a heading, perhaps of a document that was replaced.
    pub fn holds(&self, term: &str) -> TantivyResult<bool> {
        guarded(|| {
            for column in [self.fields.body, self.fields.context] {
                if self.searcher.doc_freq(&Term::from_field_text(column, term))? > 0 {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// The terms of the texts that are spelled most like another one, the likeliest first: those with the fewest edits,
    /// then those of the most sentences. The first letter is seldom mistyped, so only terms that begin with it are
    /// compared. Where not all sentences count, `often` says how many that have a term do.
    pub fn nearest(&self, term: &str, often: Option<HowOften<'_>>) -> TantivyResult<Vec<String>> {
        let Some(&first) = term.as_bytes().first().filter(|first| first.is_ascii_lowercase()) else {
            return Ok(Vec::new());
        };
        let mut near: Vec<(Vec<u8>, (usize, u32))> = guarded(|| self.alike(term, first))?.into_iter().collect();
        if let Some(often) = often {
            for (term, (_, count)) in &mut near {
                *count = often(std::str::from_utf8(term).unwrap_or_default())?;
            }
            near.retain(|(_, (_, count))| *count > 0);
        }
        near.sort_by(|(a, (edits_a, often_a)), (b, (edits_b, often_b))| {
            edits_a.cmp(edits_b).then(often_b.cmp(often_a)).then(a.cmp(b))
        });
        Ok(near.into_iter().take(MOST_NEAR).filter_map(|(term, _)| String::from_utf8(term).ok()).collect())
    }

    /// The terms that begin with this letter and are spelled like another one: edits, and how many rows have them.
    fn alike(&self, term: &str, first: u8) -> TantivyResult<HashMap<Vec<u8>, (usize, u32)>> {
        let most = tolerated(term.len());
        let mut near: HashMap<Vec<u8>, (usize, u32)> = HashMap::new();
        for segment in self.searcher.segment_readers() {
            let inverted = segment.inverted_index(self.fields.body)?;
            let mut terms = inverted.terms().range().ge([first]).lt([first + 1]).into_stream()?;
            while terms.advance() {
                let edits = if terms.key().len() < SHORTEST { None } else { edits(term.as_bytes(), terms.key(), most) };
                if let Some(edits) = edits {
                    near.entry(terms.key().to_vec()).or_insert((edits, 0)).1 += terms.value().doc_freq;
                }
            }
        }
        Ok(near)
    }
}
