//! Lexical search: BM25 of the units of any layer, from the posting lists of sentences.
//!
//! A unit's count of a term is the sum of its sentences' plus that of its title and headings, with a document frequency
//! and mean length of the layer's own. Frequencies are those of the whole index, whatever a filter allows: how rare a
//! word is does not depend on who asks. Only what a filter allows is scored, and of that only the blocks that have
//! terms enough to be among the best: the result is the same.

use super::atlas::{Allowed, Atlas};
use super::best::{BestUnits, ScoredUnit};
use super::lexical::{Lexical, LexicalResult, RowPlace, TermSource};
use super::units::{CONTEXT_WEIGHT, Units};
use crate::document::Layer;
use crate::text::terms::{of_query, resolve};
use rustc_hash::FxHashMap;
use std::ops::Range;

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

/// Where one term is: (text, count) and (section, count), in the row's numbers, ascending.
struct Term {
    texts: Vec<(u32, f32)>,
    sections: Vec<(u32, f32)>,
    weight: f32,
}

impl Postings {
    /// Looks up the terms of a question; in derived texts only where they are asked for.
    pub fn new(atlas: &Atlas<'_>, lexical: &Lexical, text: &str, derived: bool) -> LexicalResult<Self> {
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
            let texts = ascending(lexical.postings(fields, term, row)?);
            Ok(Term { texts, sections: ascending(lexical.postings(&[TermSource::Context], term, row)?), weight })
        };
        Ok(Self { terms: resolved.into_iter().map(look_up).collect::<LexicalResult<_>>()? })
    }

    /// The units with the highest scores; none of those that have none of the terms.
    pub fn best(&self, units: &Units, layer: Layer, allowed: Option<&Allowed>, depth: usize) -> Vec<ScoredUnit> {
        let count = units.count();
        let weigh = |term: &Term| term.weight * rarity(count as f32, term.frequency(units) as f32);
        let mut search = LexicalSearch {
            terms: self.terms.iter().map(|term| WeighedTerm::new(term, weigh(term))).collect(),
            units,
            share: length_share(layer),
            allowed,
        };
        let mut best = BestUnits::new(depth, 0.0);
        let mut block = ScoredBlock::default();
        let mut score = |run: Range<usize>| {
            for first in run.clone().step_by(BLOCK) {
                search.score(first..run.end.min(first + BLOCK), &mut block, &mut best);
            }
        };
        match allowed {
            None => score(0..count),
            Some(allowed) => allowed.runs.iter().for_each(|run| score(units.of_documents(run.clone()))),
        }
        best.ranked()
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

/// Postings by their place; those of several segments are not yet.
fn ascending(mut postings: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    postings.sort_by_key(|&(place, _)| place);
    postings
}

/// One search of one layer.
struct LexicalSearch<'s> {
    terms: Vec<WeighedTerm<'s>>,
    units: &'s Units,
    share: f32,
    allowed: Option<&'s Allowed>,
}

impl LexicalSearch<'_> {
    /// Scores some units that come after those scored before, unless none of them can be among the best.
    fn score(&mut self, run: Range<usize>, block: &mut ScoredBlock, best: &mut BestUnits) {
        let places = BlockPlaces::new(self.units, &run);
        self.terms.iter_mut().for_each(|term| term.advance(&places));
        // A count of any size adds less than this.
        let most: f32 = self.terms.iter().filter(|term| term.is_here()).map(|term| term.weight * (K1 + 1.0)).sum();
        if most <= 0.0 || !best.may_take(most) {
            return;
        }
        block.begin(run);
        for term in &self.terms {
            self.count(term, block);
            block.score(|unit, count| {
                let length = 1.0 - self.share + self.share * self.units.terms[unit] / self.units.mean_terms;
                term.weight * count * (K1 + 1.0) / (count + K1 * length)
            });
        }
        for &at in &block.scored {
            let (score, unit) = (block.scores[at as usize], block.run.start as u32 + at);
            let may_be_found = |allowed: &Allowed| allowed.finds(self.units.section[unit as usize]);
            if best.may_take(score) && self.allowed.is_none_or(may_be_found) {
                best.offer(score, unit);
            }
        }
    }

    /// Counts a term in every unit that is allowed.
    fn count(&self, term: &WeighedTerm<'_>, block: &mut ScoredBlock) {
        for &(text, count) in term.texts.here {
            if self.allowed.is_none_or(|allowed| allowed.texts.has(text)) {
                block.count(self.units.holding(text), count);
            }
        }
        for &(section, count) in term.sections.here {
            if self.allowed.is_none_or(|allowed| allowed.sections.has(section)) {
                block.count(self.units.in_section(section), CONTEXT_WEIGHT * count);
            }
        }
    }
}

/// A term, how much it counts in a layer, and where it is in the block that is scored.
struct WeighedTerm<'p> {
    weight: f32,
    texts: Cursor<'p>,
    sections: Cursor<'p>,
}

impl<'p> WeighedTerm<'p> {
    fn new(term: &'p Term, weight: f32) -> Self {
        Self { weight, texts: Cursor::new(&term.texts), sections: Cursor::new(&term.sections) }
    }

    fn advance(&mut self, places: &BlockPlaces) {
        self.texts.advance(&places.texts);
        self.sections.advance(&places.sections);
    }

    fn is_here(&self) -> bool {
        !self.texts.here.is_empty() || !self.sections.here.is_empty()
    }
}

/// Postings by ascending place, read in ranges that ascend too, and may overlap.
struct Cursor<'p> {
    here: &'p [(u32, f32)],
    /// From the first of `here` on.
    rest: &'p [(u32, f32)],
}

impl<'p> Cursor<'p> {
    fn new(postings: &'p [(u32, f32)]) -> Self {
        Self { here: &[], rest: postings }
    }

    fn advance(&mut self, range: &Range<u32>) {
        self.rest = &self.rest[before(self.rest, range.start)..];
        self.here = &self.rest[..before(self.rest, range.end)];
    }
}

/// How many postings come before a place: found in steps that double, because it is near.
fn before(postings: &[(u32, f32)], place: u32) -> usize {
    let mut end = 1;
    while end < postings.len() && postings[end].0 < place {
        end *= 2;
    }
    let (start, end) = (end / 2, postings.len().min(end));
    start + postings[start..end].partition_point(|&(at, _)| at < place)
}

/// The texts and sections that some units hold.
struct BlockPlaces {
    texts: Range<u32>,
    sections: Range<u32>,
}

impl BlockPlaces {
    fn new(units: &Units, run: &Range<usize>) -> Self {
        let last = run.end - 1;
        Self {
            texts: units.texts(run.start).start as u32..units.texts(last).end as u32,
            sections: units.section[run.start]..units.section[last] + 1,
        }
    }
}

impl Term {
    /// How many units have it: the length of all their ranges, each begun not before the one before.
    fn frequency(&self, units: &Units) -> u32 {
        let mut texts = self.texts.iter().map(|&(text, _)| units.holding(text)).peekable();
        let mut sections = self.sections.iter().map(|&(section, _)| units.in_section(section)).peekable();
        let (mut having, mut end) = (0, 0);
        loop {
            let first = match (texts.peek(), sections.peek()) {
                (Some(text), Some(section)) if section.start < text.start => sections.next(),
                (Some(_), _) => texts.next(),
                (None, _) => sections.next(),
            };
            let Some(range) = first else { return having };
            having += range.end.saturating_sub(range.start.max(end));
            end = end.max(range.end);
        }
    }
}

/// Units that are scored at a time: few enough to stay in the fastest cache, and that most blocks lack a rare term.
/// (Tests have few.)
const BLOCK: usize = if cfg!(test) { 32 } else { 1024 };

/// Counts of one term and scores of all so far, for the units of a block; with lists of those that are not 0.
struct ScoredBlock {
    run: Range<usize>,
    counts: [f32; BLOCK],
    counted: Vec<u32>,
    scores: [f32; BLOCK],
    scored: Vec<u32>,
}

impl Default for ScoredBlock {
    fn default() -> Self {
        let (counts, scores) = ([0.0; BLOCK], [0.0; BLOCK]);
        Self { run: 0..0, counts, counted: Vec::with_capacity(BLOCK), scores, scored: Vec::with_capacity(BLOCK) }
    }
}

impl ScoredBlock {
    fn begin(&mut self, run: Range<usize>) {
        self.run = run;
        self.scores.fill(0.0);
        self.scored.clear();
    }

    /// Counts a term in those of these units that are in the block.
    #[inline]
    fn count(&mut self, units: Range<u32>, count: f32) {
        let start = (units.start as usize).max(self.run.start);
        for unit in start..(units.end as usize).min(self.run.end) {
            let at = unit - self.run.start;
            if self.counts[at] == 0.0 {
                self.counted.push(at as u32);
            }
            self.counts[at] += count;
        }
    }

    /// Turns the counts into scores, and forgets them.
    fn score(&mut self, score: impl Fn(usize, f32) -> f32) {
        for at in self.counted.drain(..) {
            let (count, total) = (std::mem::take(&mut self.counts[at as usize]), &mut self.scores[at as usize]);
            if *total == 0.0 {
                self.scored.push(at);
            }
            *total += score(self.run.start + at as usize, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Layer;
    use crate::store::embedded::dense::tests::many_sentences;
    use crate::store::{Ask, Leg, Store};
    use std::collections::HashSet;

    #[test]
    fn blocks_that_are_passed_over_hold_none_of_the_best() {
        let folder = tempfile::tempdir().unwrap();
        let snapshot = many_sentences(folder.path()).snapshot().unwrap();
        let rankings = [Layer::Sentence, Layer::Window(2), Layer::Paragraph].map(|layer| (Leg::Lexical, layer));
        let some: HashSet<u32> = snapshot.numbers().into_iter().filter(|number| number % 3 != 1).collect();
        for (text, allowed) in [
            ("word3 word4 word5", None),
            ("word80 word7 d17", None),
            ("word80 d17 d290 word1 word2 word9", Some(&some)),
        ] {
            let best = |depth| {
                let (sections, fields) = (None, None);
                let ask = Ask { text, vector: &[], rankings: &rankings, allowed, sections, fields, depth };
                snapshot.search(&ask).unwrap()
            };
            for (few, all) in best(4).into_iter().zip(best(10_000)) {
                assert!(all.len() > 40, "{}", all.len());
                assert_eq!(few, all[..4]);
            }
        }
    }
}
