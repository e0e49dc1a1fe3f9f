//! Lexical search: BM25 of the units of any layer, from the posting lists of sentences.
//!
//! A unit's count of a term is the sum of its sentences' plus that of its title and headings, with a document frequency
//! and mean length of the layer's own. Frequencies are those of the whole index, whatever a filter allows: how rare a
//! word is does not depend on who asks. Only what a filter allows is scored.

use super::atlas::{Allowed, Atlas};
use super::best::{BestUnits, ScoredUnit};
use super::lexical::{Lexical, RowPlace, TermSource};
use super::marks::Marks;
use super::units::{CONTEXT_WEIGHT, Units};
use crate::document::Layer;
use crate::text::terms::{of_query, resolve};
use rustc_hash::FxHashMap;

/// BM25's saturation; the usual value.
pub const K1: f32 = 1.2;

/// How much of a unit's length BM25 discounts: sentences are short and alike, so less than the usual 0.75. Values of
/// the prototype; in a study of k1 and this share smaller ones fitted better and coverage was a tie.
pub fn length_share(layer: Layer) -> f32 {
    if layer == Layer::Sentence { 0.5 } else { 0.4 }
}

/// BM25's idf: always above 0, small for a term that nearly every unit has.
pub fn rarity(units: f32, having: f32) -> f32 {
    ((units - having + 0.5) / (having + 0.5)).ln_1p()
}

/// Where the terms of a question are.
pub struct Postings {
    terms: Vec<Term>,
}

/// Where one term is: (text, count) and (section, count), in the row's numbers.
struct Term {
    texts: Vec<(u32, f32)>,
    sections: Vec<(u32, f32)>,
    weight: f32,
}

impl Postings {
    /// Looks up the terms of a question; in derived texts only where they are asked for.
    pub fn new(atlas: &Atlas<'_>, lexical: &Lexical, text: &str, derived: bool) -> tantivy::Result<Self> {
        let fields: &[TermSource] =
            if derived { &[TermSource::Body, TermSource::Derived] } else { &[TermSource::Body] };
        let row = |place| row(atlas, place);
        let asked = of_query(text);
        let mut known: FxHashMap<&str, bool> = FxHashMap::default();
        for term in &asked {
            if !known.contains_key(term.text.as_str()) {
                let somewhere = lexical.has(fields, &term.text, row, |_| true)?
                    || lexical.has(&[TermSource::Context], &term.text, row, |_| true)?;
                known.insert(&term.text, somewhere);
            }
        }
        let resolved = resolve(&asked, |term| known[term]);
        let look_up = |(term, weight)| {
            let texts = lexical.postings(fields, term, row)?;
            Ok(Term { texts, sections: lexical.postings(&[TermSource::Context], term, row)?, weight })
        };
        Ok(Self { terms: resolved.into_iter().map(look_up).collect::<tantivy::Result<_>>()? })
    }

    /// The units with the highest scores; none of those that have none of the terms.
    pub fn best(&self, units: &Units, layer: Layer, allowed: Option<&Allowed>, depth: usize) -> Vec<ScoredUnit> {
        let mut tally = Tally::new(units);
        let share = length_share(layer);
        for term in &self.terms {
            let having = term.frequency(units, &mut tally.having);
            let rarity = term.weight * rarity(units.count() as f32, having as f32);
            term.count(units, allowed, &mut tally);
            tally.score(|unit, count| {
                let length = 1.0 - share + share * units.terms[unit] / units.mean_terms;
                rarity * count * (K1 + 1.0) / (count + K1 * length)
            });
        }
        tally.best(depth, |unit| allowed.is_none_or(|allowed| allowed.finds(units.section[unit as usize])))
    }
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
    /// How many units have the term.
    fn frequency(&self, units: &Units, having: &mut Marks) -> u32 {
        having.clear();
        self.texts.iter().for_each(|&(text, _)| having.add(units.holding(text)));
        self.sections.iter().for_each(|&(section, _)| having.add(units.in_section(section)));
        having.count()
    }

    /// Counts the term in every unit that is allowed.
    fn count(&self, units: &Units, allowed: Option<&Allowed>, tally: &mut Tally) {
        for &(text, count) in &self.texts {
            if allowed.is_none_or(|allowed| allowed.texts.has(text)) {
                units.holding(text).for_each(|unit| tally.count(unit, count));
            }
        }
        for &(section, count) in &self.sections {
            if allowed.is_none_or(|allowed| allowed.sections.has(section)) {
                units.in_section(section).for_each(|unit| tally.count(unit, CONTEXT_WEIGHT * count));
            }
        }
    }
}

/// Counts of one term and scores of all so far, for every unit; with lists of those that are not 0, which are few.
struct Tally {
    counts: Vec<f32>,
    counted: Vec<u32>,
    scores: Vec<f32>,
    scored: Vec<u32>,
    having: Marks,
}

impl Tally {
    fn new(units: &Units) -> Self {
        let count = units.count();
        Self {
            counts: vec![0.0; count],
            counted: Vec::new(),
            scores: vec![0.0; count],
            scored: Vec::new(),
            having: Marks::new(count),
        }
    }

    fn count(&mut self, unit: u32, count: f32) {
        let total = &mut self.counts[unit as usize];
        if *total == 0.0 {
            self.counted.push(unit);
        }
        *total += count;
    }

    /// Turns the counts into scores, and forgets them.
    fn score(&mut self, score: impl Fn(usize, f32) -> f32) {
        for unit in self.counted.drain(..) {
            let at = unit as usize;
            if self.scores[at] == 0.0 {
                self.scored.push(unit);
            }
            self.scores[at] += score(at, std::mem::take(&mut self.counts[at]));
        }
    }

    fn best(&self, depth: usize, may_be_found: impl Fn(u32) -> bool) -> Vec<ScoredUnit> {
        let mut best = BestUnits::new(depth, 0.0);
        self.scored
            .iter()
            .filter(|unit| may_be_found(**unit))
            .for_each(|&unit| best.offer(self.scores[unit as usize], unit));
        best.ranked()
    }
}
