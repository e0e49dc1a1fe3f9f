//! The terms of questions: where each is, and in how many units of a layer.
//!
//! Lists are read whole, because how rare a word is does not depend on what a question may find. Questions share their
//! most frequent words, whose lists are long, so lists that were read lately are kept.

use super::atlas::Atlas;
use super::lexical::{Lexical, LexicalResult, RowPlace, TermSource};
use super::postings::Postings;
use super::recent::Recent;
use super::units::{CONTEXT_WEIGHT, Units};
use crate::document::Layer;
use crate::text::terms::{of_query, resolve};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Where one term is: (text, count) and (section, count), in the row's numbers, ascending.
pub struct Term {
    pub texts: Postings,
    pub sections: Postings,
    /// How it is spread over the units of a layer, for the layers that were asked.
    spreads: Mutex<Vec<(Layer, TermSpread)>>,
}

/// How a term is spread over the units of a layer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TermSpread {
    /// How many units have it.
    pub units: u32,
    /// How often one has it, at most.
    pub most: f32,
}

/// Terms that were looked up lately: questions share their most frequent ones, whose lists are long.
pub struct KnownTerms {
    /// By their text, those of derived texts too apart from the others.
    recent: [Recent<String, Term>; 2],
}

/// Bytes of terms that are kept, for each sentence of the index, and at most. Not compared with other sizes.
const KEPT_EACH: usize = 64;
const MOST_KEPT: usize = 256 << 20;

/// What a term takes besides its places, about: its text, counts of layers, a place in the list of those that are kept.
/// Most terms are in a few sentences or in none, and anybody may ask for as many as he likes.
const BESIDES: usize = 512;

impl KnownTerms {
    /// Room for terms of this generation.
    pub fn new(atlas: &Atlas<'_>) -> Self {
        let most = MOST_KEPT.min(KEPT_EACH * atlas.sentences());
        Self { recent: [most, most / 4].map(Recent::new) }
    }
}

/// A term of a question, and what it weighs by itself.
pub struct QuestionTerm {
    pub term: Arc<Term>,
    pub weight: f32,
}

/// The terms of a question; in derived texts they are looked for only where that is asked.
pub fn terms_of(
    question: &str,
    atlas: &Atlas<'_>,
    lexical: &Lexical,
    known: &KnownTerms,
    derived: bool,
) -> LexicalResult<Vec<QuestionTerm>> {
    let fields: &[TermSource] = if derived { &[TermSource::Body, TermSource::Derived] } else { &[TermSource::Body] };
    let recent = &known.recent[usize::from(derived)];
    let row = |place| row(atlas, place);
    let asked = of_query(question);
    let mut is_known: FxHashMap<&str, bool> = FxHashMap::default();
    for term in &asked {
        if !is_known.contains_key(term.text.as_str()) {
            let somewhere = recent.get(term.text.as_str()).is_some()
                || lexical.has(fields, &term.text, row, |_| true)?
                || lexical.has(&[TermSource::Context], &term.text, row, |_| true)?;
            is_known.insert(&term.text, somewhere);
        }
    }
    let look_up = |(text, weight): (&str, f32)| {
        if let Some(term) = recent.get(text) {
            return Ok(QuestionTerm { term, weight });
        }
        let texts = Postings::new(lexical.postings(fields, text, row)?);
        let sections = Postings::new(lexical.postings(&[TermSource::Context], text, row)?);
        let bytes = BESIDES + text.len() + texts.bytes() + sections.bytes();
        let term = Arc::new(Term { texts, sections, spreads: Mutex::default() });
        recent.keep(text.to_owned(), &term, bytes);
        Ok(QuestionTerm { term, weight })
    };
    resolve(&asked, |term| is_known[term]).into_iter().map(look_up).collect()
}

/// The row's number of a place of the lexical index; `None` for documents that the generation does not hold: replaced
/// ones not yet deleted, and new ones not yet visible.
pub fn row(atlas: &Atlas<'_>, place: RowPlace) -> Option<u32> {
    let entry = atlas.get(place.document)?;
    Some(match place.field {
        TermSource::Body => entry.first + place.at,
        TermSource::Context => entry.first_section + place.at,
        TermSource::Derived => atlas.derived(entry, place.at),
    })
}

impl Term {
    /// In how many places it is.
    pub fn count(&self) -> usize {
        self.texts.all().len() + self.sections.all().len()
    }

    /// How it is spread over the units of a layer.
    pub fn spread(&self, layer: Layer, units: &Units) -> TermSpread {
        // Only whole entries are added.
        let spreads = || self.spreads.lock().unwrap_or_else(PoisonError::into_inner);
        let known = spreads().iter().find(|(of, _)| *of == layer).map(|&(_, spread)| spread);
        known.unwrap_or_else(|| {
            let most = self.most_in_texts(units)
                + CONTEXT_WEIGHT * largest(self.sections.all().iter().map(|&(_, count)| count));
            let spread = TermSpread { units: self.counted(units), most };
            spreads().push((layer, spread));
            spread
        })
    }

    /// How many units have it: the length of all their ranges, each begun not before the one before.
    fn counted(&self, units: &Units) -> u32 {
        let mut sections = self.sections.all().iter().map(|&(section, _)| units.in_section(section)).peekable();
        let (mut having, mut end) = (0, 0);
        let mut add = |range: Range<u32>| {
            having += range.end.saturating_sub(range.start.max(end));
            end = end.max(range.end);
        };
        for &(text, _) in self.texts.all() {
            let range = units.holding(text);
            while let Some(section) = sections.next_if(|section| section.start < range.start) {
                add(section);
            }
            add(range);
        }
        sections.for_each(add);
        having
    }

    /// How often the texts of one unit have it, at most. Those of one unit follow one another, and two are of one unit
    /// where the units of the first end behind the beginning of those of the second.
    fn most_in_texts(&self, units: &Units) -> f32 {
        let (texts, mut first, mut sum) = (self.texts.all(), 0, 0.0);
        largest(texts.iter().map(|&(text, count)| {
            let begin = units.holding(text).start;
            while units.holding(texts[first].0).end <= begin && texts[first].0 < text {
                sum -= texts[first].1;
                first += 1;
            }
            sum += count;
            sum
        }))
    }
}

fn largest(counts: impl Iterator<Item = f32>) -> f32 {
    counts.fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::embedded::dense::tests::many_sentences;
    use crate::store::{Ask, Leg, Snapshot};

    #[test]
    fn words_that_nobody_wrote_do_not_gather() {
        let folder = tempfile::tempdir().unwrap();
        let snapshot = many_sentences(folder.path()).opened().unwrap();
        let rankings = [(Leg::Lexical, Layer::Sentence)];
        for number in 0..2000 {
            let text = format!("word3 nobody{number}");
            let (sections, fields) = (None, None);
            let ask = Ask { text: &text, vector: &[], rankings: &rankings, allowed: None, sections, fields, depth: 10 };
            assert_eq!(snapshot.search(&ask).unwrap()[0].len(), 10);
        }
        let kept = snapshot.known_terms().recent[0].count();
        assert!((1..=KEPT_EACH * 3000 / BESIDES).contains(&kept), "{kept}");
    }
}
