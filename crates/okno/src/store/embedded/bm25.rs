//! Lexical search: BM25 of the units of any layer, from the posting lists of sentences.
//!
//! A unit's count of a term is the sum of its sentences' plus that of its title and headings, with a document frequency
//! and mean length of the layer's own. Frequencies are those of the whole index, whatever a filter allows: how rare a
//! word is does not depend on who asks.
//!
//! All layers are scored in one pass over blocks of texts, because what takes time is going to the postings of a block,
//! which its sentences, windows and paragraphs share. Of a layer only the blocks are scored that have terms enough for
//! one of the best: the result is the same.

use super::atlas::{Allowed, Atlas, Findable};
use super::best::{BestUnits, ScoredUnit};
use super::known_terms::{QuestionTerm, Term};
use super::postings::{Posting, before};
use super::units::{BLOCK, BlockPlaces, CONTEXT_WEIGHT, UnitBlock, Units};
use crate::document::Layer;
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

/// What a term of this weight scores in a unit of this length, in mean lengths, that has it so often.
fn score_of(weight: f32, count: f32, length: f32) -> f32 {
    weight * count * (K1 + 1.0) / (count + K1 * length)
}

/// The units with the highest scores, for each of these layers; none of those that have none of the terms.
pub fn best(
    atlas: &Atlas<'_>,
    terms: &[QuestionTerm],
    layers: &[(Layer, &Units)],
    findable: Findable<'_>,
    depth: usize,
) -> Vec<Vec<ScoredUnit>> {
    let mut layers: Vec<LayerSearch<'_>> =
        layers.iter().map(|&(layer, units)| LayerSearch::new(layer, units, terms, depth)).collect();
    let blocks = PromisingBlocks::new(&TermBits::new(atlas, terms), &layers, findable);
    let enough: Vec<f32> = (0..layers.len()).map(|at| blocks.most_of_one_in(FIRST, at)).collect();
    let mut cursors: Vec<TermCursor<'_>> = terms.iter().map(|asked| TermCursor::new(&asked.term)).collect();
    let mut scores = ScoredBlock::default();
    // The blocks whose units can score most come first, so that most others cannot win; all in the order in which they
    // lie, because memory that is read in order need not be waited for.
    for is_first in [true, false] {
        for (block, most) in blocks.each() {
            let is_next = |at: usize, search: &LayerSearch<'_>| {
                (most[at] >= enough[at]) == is_first && most[at] > 0.0 && search.best.may_take(most[at])
            };
            if !layers.iter().enumerate().any(|(at, search)| is_next(at, search)) {
                continue;
            }
            let places = places_of(&layers, block);
            for cursor in &mut cursors {
                cursor.go_to(&places);
            }
            for (at, search) in layers.iter_mut().enumerate() {
                if is_next(at, search) {
                    search.score(block, &cursors, findable, &mut scores);
                }
            }
        }
        for search in &mut layers {
            search.best.cut();
        }
    }
    layers.into_iter().map(|search| search.best.ranked()).collect()
}

/// One block in so many is scored before all others.
const FIRST: usize = 64;

/// The texts and sections that the units of a block hold, those of all layers together.
fn places_of(layers: &[LayerSearch<'_>], block: usize) -> BlockPlaces {
    let blocks = layers.iter().filter_map(|search| search.units.blocks().get(block));
    blocks.fold(BlockPlaces::default(), |all, block| all.with(&block.places))
}

/// Blocks that may have terms, in the order in which they lie, and what a unit of each layer scores in them at most.
struct PromisingBlocks {
    blocks: Vec<u32>,
    /// For each block one number for each layer.
    most: Vec<f32>,
    layers: usize,
}

impl PromisingBlocks {
    fn new(places: &TermBits, layers: &[LayerSearch<'_>], findable: Findable<'_>) -> Self {
        let mut promising = Self { blocks: Vec::new(), most: Vec::new(), layers: layers.len() };
        let count = layers.iter().map(|search| search.units.blocks().len()).max().unwrap_or(0);
        for block in 0..count {
            let own = places_of(layers, block);
            let bits = if findable.finds_any(own.texts.clone()) { places.of(&own) } else { 0 };
            if bits != 0 {
                promising.blocks.push(block as u32);
                promising.most.extend(layers.iter().map(|search| search.most_of(bits)));
            }
        }
        promising
    }

    fn each(&self) -> impl Iterator<Item = (usize, &[f32])> {
        self.blocks.iter().map(|&block| block as usize).zip(self.most.chunks_exact(self.layers.max(1)))
    }

    /// What a unit of a layer can score at least in one block in so many, those with the most.
    fn most_of_one_in(&self, share: usize, layer: usize) -> f32 {
        let mut most: Vec<f32> = self.each().map(|(_, most)| most[layer]).collect();
        let at = most.len() / share;
        if most.is_empty() { 0.0 } else { *most.select_nth_unstable_by(at, |a, b| b.total_cmp(a)).1 }
    }
}

/// Which terms of a question are where, roughly: a bit for each, for texts that lie together and for sections.
struct TermBits {
    texts: Vec<u64>,
    sections: Vec<u64>,
    /// Those that are nearly everywhere.
    everywhere: u64,
}

/// Texts and sections of one number; a few blocks of units more are looked at than with fewer.
const TEXTS_TOGETHER: usize = 32;
const SECTIONS_TOGETHER: usize = 8;

/// A term that one text in so many has is in nearly every block.
const EVERYWHERE: usize = 64;

/// The bit of a term; those beyond the last bit share it.
fn bit_of(term: usize) -> u32 {
    term.min(u64::BITS as usize - 1) as u32
}

impl TermBits {
    fn new(atlas: &Atlas<'_>, terms: &[QuestionTerm]) -> Self {
        let mut texts = vec![0; atlas.texts().div_ceil(TEXTS_TOGETHER)];
        let mut sections = vec![0; atlas.sections().div_ceil(SECTIONS_TOGETHER)];
        let mut everywhere = 0;
        for (at, QuestionTerm { term, .. }) in terms.iter().enumerate() {
            let bit = 1u64 << bit_of(at);
            if (term.texts.all().len() + term.sections.all().len()) * EVERYWHERE > atlas.texts() {
                everywhere |= bit;
                continue;
            }
            term.texts.all().iter().for_each(|&(text, _)| texts[text as usize / TEXTS_TOGETHER] |= bit);
            term.sections.all().iter().for_each(|&(section, _)| sections[section as usize / SECTIONS_TOGETHER] |= bit);
        }
        Self { texts, sections, everywhere }
    }

    /// The terms that may be in these places.
    fn of(&self, places: &BlockPlaces) -> u64 {
        let all = |bits: &[u64], together: usize, Range { start, end }: &Range<u32>| {
            let (start, end) = (*start as usize / together, (*end as usize).div_ceil(together));
            bits[start..end].iter().fold(0, |all, bits| all | bits)
        };
        let texts = all(&self.texts, TEXTS_TOGETHER, &places.texts);
        self.everywhere | texts | all(&self.sections, SECTIONS_TOGETHER, &places.sections)
    }
}

/// The search of one layer.
struct LayerSearch<'s> {
    units: &'s Units,
    share: f32,
    /// Those that are worth most first: what is left for the last ones rarely changes who wins.
    terms: Vec<WeighedTerm>,
    /// What the terms of each bit add to a score, at most.
    adds: [f32; u64::BITS as usize],
    /// Room for the terms of a block.
    here: Vec<(WeighedTerm, f32)>,
    best: BestUnits,
}

/// A term, by its place among those of the question, and how much it counts in a layer.
#[derive(Clone, Copy)]
struct WeighedTerm {
    at: usize,
    weight: f32,
    /// What it adds to a score, at most.
    most: f32,
}

/// So many times what terms can score at most: sums of rounded numbers are not exact.
const ROUNDING: f32 = 1.0 + 1e-5;

impl<'s> LayerSearch<'s> {
    fn new(layer: Layer, units: &'s Units, terms: &[QuestionTerm], depth: usize) -> Self {
        let count = units.count() as f32;
        let share = length_share(layer);
        let weighed = terms.iter().enumerate().map(|(at, asked)| {
            let spread = asked.term.spread(layer, units);
            let weight = asked.weight * rarity(count, spread.units as f32);
            // As often as in any unit, and that the shortest there can be.
            WeighedTerm { at, weight, most: ROUNDING * score_of(weight, spread.most, 1.0 - share) }
        });
        let mut terms: Vec<WeighedTerm> = weighed.collect();
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut adds = [0.0; u64::BITS as usize];
        for term in &terms {
            adds[bit_of(term.at) as usize] += term.most;
        }
        let (here, best) = (Vec::with_capacity(terms.len()), BestUnits::new(depth, 0.0));
        Self { units, share, terms, adds, here, best }
    }

    /// What a unit that has these terms scores, at most.
    fn most_of(&self, mut bits: u64) -> f32 {
        let mut most = 0.0;
        while bits != 0 {
            most += self.adds[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        most
    }

    /// Scores the units of a block.
    fn score(&mut self, block: usize, cursors: &[TermCursor<'_>], findable: Findable<'_>, scores: &mut ScoredBlock) {
        let Some(UnitBlock { units, .. }) = self.units.blocks().get(block) else { return };
        // The terms that are here, the last first, and what each of them and those behind it add at most.
        let (here, mut left) = (&mut self.here, 0.0);
        here.clear();
        for term in self.terms.iter().rev().filter(|term| cursors[term.at].is_here()) {
            left += term.most;
            here.push((*term, left));
        }
        if !self.best.may_take(left) {
            return;
        }
        scores.begin(units.start as usize..units.end as usize);
        for &(term, left) in self.here.iter().rev() {
            if self.best.may_take(left) {
                self.count(&cursors[term.at], findable.allowed, scores);
                scores.score(|unit, count| self.of_term(term, unit, count));
            } else {
                // No unit that has none of the terms before can be among the best.
                scores.keep(|score| self.best.may_take(score + left));
                self.add(term, &cursors[term.at], scores);
            }
        }
        for &at in &scores.scored {
            let (score, unit) = (scores.scores[at as usize], scores.run.start as u32 + at);
            if self.best.may_take(score) && findable.finds(self.units.section[unit as usize]) {
                self.best.offer(score, unit);
            }
        }
    }

    /// What a unit scores by having a term so often.
    fn of_term(&self, term: WeighedTerm, unit: usize, count: f32) -> f32 {
        let length = 1.0 - self.share + self.share * self.units.terms_of(unit) / self.units.mean_terms;
        score_of(term.weight, count, length)
    }

    /// Counts a term in every unit that is allowed.
    fn count(&self, term: &TermCursor<'_>, allowed: Option<&Allowed>, scores: &mut ScoredBlock) {
        for &(text, count) in term.texts {
            if allowed.is_none_or(|allowed| allowed.texts.has(text)) {
                scores.count(self.units.holding(text), count);
            }
        }
        for &(section, count) in term.sections {
            if allowed.is_none_or(|allowed| allowed.sections.has(section)) {
                scores.count(self.units.in_section(section), CONTEXT_WEIGHT * count);
            }
        }
    }

    /// Adds what a term scores in the units that have a score already, and in no other.
    fn add(&self, term: WeighedTerm, cursor: &TermCursor<'_>, block: &mut ScoredBlock) {
        let (mut texts, mut sections) = (Following { rest: cursor.texts }, Following { rest: cursor.sections });
        for &at in &block.scored {
            let unit = block.run.start + at as usize;
            let held = self.units.texts(unit);
            let texts = texts.within(&(held.start as u32..held.end as u32));
            let sections = sections.within(&(self.units.section[unit]..self.units.section[unit] + 1));
            let sum = |postings: &[Posting]| postings.iter().map(|&(_, count)| count).sum::<f32>();
            let count = sum(texts) + CONTEXT_WEIGHT * sum(sections);
            if count > 0.0 {
                block.scores[at as usize] += self.of_term(term, unit, count);
            }
        }
    }
}

/// Where a term is in the block that is scored.
struct TermCursor<'p> {
    term: &'p Term,
    texts: &'p [Posting],
    sections: &'p [Posting],
}

impl<'p> TermCursor<'p> {
    fn new(term: &'p Term) -> Self {
        Self { term, texts: &[], sections: &[] }
    }

    fn go_to(&mut self, places: &BlockPlaces) {
        self.texts = self.term.texts.within(&places.texts);
        self.sections = self.term.sections.within(&places.sections);
    }

    fn is_here(&self) -> bool {
        !self.texts.is_empty() || !self.sections.is_empty()
    }
}

/// Postings that are gone through by ascending ranges.
struct Following<'p> {
    rest: &'p [Posting],
}

impl<'p> Following<'p> {
    /// Those in a range that does not begin before the one before.
    fn within(&mut self, range: &Range<u32>) -> &'p [Posting] {
        self.rest = &self.rest[before(self.rest, range.start)..];
        &self.rest[..before(self.rest, range.end)]
    }
}

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

    /// Keeps the units whose scores so far are `enough`, ascending.
    fn keep(&mut self, enough: impl Fn(f32) -> bool) {
        self.scored.retain(|&at| enough(self.scores[at as usize]));
        self.scored.sort_unstable();
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
    use crate::store::{Ask, DocumentSet, Leg, Store};

    #[test]
    fn blocks_that_are_passed_over_hold_none_of_the_best() {
        let folder = tempfile::tempdir().unwrap();
        let snapshot = many_sentences(folder.path()).snapshot().unwrap();
        let rankings = [Layer::Sentence, Layer::Window(2), Layer::Paragraph].map(|layer| (Leg::Lexical, layer));
        let some: DocumentSet = snapshot.numbers().into_iter().filter(|number| number % 3 != 1).collect();
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
