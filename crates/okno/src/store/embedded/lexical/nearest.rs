//! Whether a term is in the index, and which are spelled like one that is not.

use super::error::LexicalResult;
use super::{Lexical, TermSource, key_of};
use crate::text::spelling::{SHORTEST, edits, tolerated};
use std::collections::HashMap;

/// Terms like another one, at most.
const MOST_NEAR: usize = 8;

/// How many of the sentences that count have a term.
pub type HowOften<'l> = &'l dyn Fn(&str) -> LexicalResult<u32>;

impl Lexical {
    /// Whether a term is in a text, a title or a heading, perhaps of a document that was replaced.
    pub fn holds(&self, term: &str) -> LexicalResult<bool> {
        let mut key = Vec::new();
        for source in [TermSource::Body, TermSource::Context] {
            key_of(source, term, &mut key);
            for segment in &self.segments {
                if segment.list(&key)?.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The terms of the texts that are spelled most like another one, the likeliest first: those with the fewest edits,
    /// then those of the most sentences. The first letter is seldom mistyped, so only terms that begin with it are
    /// compared. Where not all sentences count, `often` says how many that have a term do.
    pub fn nearest(&self, term: &str, often: Option<HowOften<'_>>) -> LexicalResult<Vec<String>> {
        if !term.as_bytes().first().is_some_and(u8::is_ascii_lowercase) {
            return Ok(Vec::new());
        }
        let mut near: Vec<(Vec<u8>, (usize, usize))> = self.alike(term)?.into_iter().collect();
        if let Some(often) = often {
            for (term, (_, count)) in &mut near {
                *count = often(std::str::from_utf8(term).unwrap_or_default())? as usize;
            }
            near.retain(|(_, (_, count))| *count > 0);
        }
        near.sort_by(|(a, (edits_a, often_a)), (b, (edits_b, often_b))| {
            edits_a.cmp(edits_b).then(often_b.cmp(often_a)).then(a.cmp(b))
        });
        Ok(near.into_iter().take(MOST_NEAR).filter_map(|(term, _)| String::from_utf8(term).ok()).collect())
    }

    /// The terms that begin with the same letter and are spelled like another one: edits, and how many rows have them.
    fn alike(&self, term: &str) -> LexicalResult<HashMap<Vec<u8>, (usize, usize)>> {
        let mut first = Vec::new();
        key_of(TermSource::Body, &term[..1], &mut first);
        let mut near: HashMap<Vec<u8>, (usize, usize)> = HashMap::new();
        for segment in &self.segments {
            let mut terms = segment.terms_from(&first)?;
            while terms.advance()? && terms.term[..first.len().min(terms.term.len())] <= first[..] {
                let Some(other) = terms.term.strip_prefix(&first[..1]) else { continue };
                let is_alike = terms.term.starts_with(&first) && other.len() >= SHORTEST;
                if let Some(edits) = is_alike.then(|| apart(term.as_bytes(), other)).flatten() {
                    near.entry(other.to_vec()).or_insert((edits, 0)).1 += terms.list().length;
                }
            }
        }
        Ok(near)
    }
}

/// How far two stems are apart, where it is not too far. A slip near the end keeps the ending from being taken off:
/// `footballr` is not cut as `footballer` is, so its beginning is compared too.
fn apart(term: &[u8], other: &[u8]) -> Option<usize> {
    let begins = || {
        let lengths = other.len() - 1..=other.len() + 1;
        lengths.filter_map(|length| edits(term.get(..length)?, other, 1)).min().map(|edits| edits + 1)
    };
    edits(term, other, tolerated(term.len())).or_else(begins)
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn the_beginning_of_a_word_is_compared_with_stems() {
        for (term, other, edits) in [
            ("ephemral", "ephemer", Some(2)),
            ("footballr", "footbal", Some(1)),
            ("provisionn", "provis", Some(1)),
            ("recieve", "receive", Some(1)),
            ("volume", "valley", None),
        ] {
            assert_eq!(apart(term.as_bytes(), other.as_bytes()), edits, "{term}");
        }
    }
}
