//! Lexical search: BM25 of the units of any layer, from the posting lists of sentences.
//!
//! A unit's count of a term is the sum of its sentences' plus that of its title and headings, with a document frequency
//! and mean length of the layer's own. Frequencies are those of the whole index, whatever a filter allows: how rare a
//! word is does not depend on who asks. Only what a filter allows is scored, and of that only the blocks that have
//! terms enough to be among the best: the result is the same.

use super::atlas::{Atlas, Findable};
use super::best::{BestUnits, ScoredUnit};
use super::lexical::{Lexical, LexicalResult, RowPlace, TermSource};
use super::recent::Recent;
use super::units::{CONTEXT_WEIGHT, Units};
use crate::document::Layer;
use crate::text::terms::{of_query, resolve};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

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

/// Where one term is: (text, count) and (section, count), in the row's numbers, ascending.
pub struct Term {
    texts: Vec<(u32, f32)>,
    sections: Vec<(u32, f32)>,
    /// How many units of a layer have it, for the layers that were asked.
    frequencies: Mutex<Vec<(Layer, u32)>>,
}

/// Terms that were looked up lately: questions share their most frequent ones, whose lists are long.
pub struct KnownTerms {
    /// By their text, those of derived texts too apart from the others.
    recent: [Recent<String, Term>; 2],
}

/// Bytes of terms that are kept, for each sentence of the index, and at most.
const KEPT_EACH: usize = 64;
const MOST_KEPT: usize = 256 << 20;

impl KnownTerms {
    /// Room for terms of this generation.
    pub fn new(atlas: &Atlas<'_>) -> Self {
        let most = MOST_KEPT.min(KEPT_EACH * atlas.sentences());
        Self { recent: [most, most / 4].map(Recent::new) }
    }
}

/// Where the terms of a question are.
pub struct Postings {
    terms: Vec<QuestionTerm>,
    places: TermPlaces,
}

/// A term and what it weighs by itself.
struct QuestionTerm {
    term: Arc<Term>,
    weight: f32,
}

impl Postings {
    /// Looks up the terms of a question; in derived texts only where they are asked for.
    pub fn new(
        atlas: &Atlas<'_>,
        lexical: &Lexical,
        known: &KnownTerms,
        text: &str,
        derived: bool,
    ) -> LexicalResult<Self> {
        let fields: &[TermSource] =
            if derived { &[TermSource::Body, TermSource::Derived] } else { &[TermSource::Body] };
        let recent = &known.recent[usize::from(derived)];
        let row = |place| row(atlas, place);
        let asked = of_query(text);
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
            let texts = lexical.postings(fields, text, row)?;
            let sections = lexical.postings(&[TermSource::Context], text, row)?;
            let bytes = size_of_val(texts.as_slice()) + size_of_val(sections.as_slice());
            let term = Arc::new(Term { texts, sections, frequencies: Mutex::default() });
            recent.keep(text.to_owned(), &term, bytes);
            Ok(QuestionTerm { term, weight })
        };
        let resolved = resolve(&asked, |term| is_known[term]);
        let terms = resolved.into_iter().map(look_up).collect::<LexicalResult<Vec<_>>>()?;
        Ok(Self { places: TermPlaces::new(atlas, terms.iter().map(|asked| &*asked.term)), terms })
    }

    /// The units with the highest scores; none of those that have none of the terms.
    pub fn best(&self, units: &Units, layer: Layer, findable: Findable<'_>, depth: usize) -> Vec<ScoredUnit> {
        let count = units.count();
        let weighed = self.terms.iter().enumerate().map(|(at, asked)| {
            let weight = asked.weight * rarity(count as f32, asked.term.frequency(layer, units) as f32);
            WeighedTerm { weight, bit: bit_of(at), ..WeighedTerm::new(&asked.term) }
        });
        let mut terms: Vec<WeighedTerm> = weighed.collect();
        // The terms that are worth most first: what is left for the last ones rarely changes who wins.
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut search = LexicalSearch { terms, units, share: length_share(layer), findable };
        let blocks = search.promising(&self.places);
        let enough = most_of_one_in(FIRST, &blocks);
        let mut best = BestUnits::new(depth, 0.0);
        let mut scores = ScoredBlock::default();
        // The blocks whose units can score most come first, so that most others cannot win; all in the order in which
        // they lie, because memory that is read in order need not be waited for.
        for is_first in [true, false] {
            for PromisingBlock { most, run } in &blocks {
                if (*most >= enough) == is_first && best.may_take(*most) {
                    search.score(run.clone(), &mut scores, &mut best);
                }
            }
        }
        best.ranked()
    }
}

/// Some units that follow one another, and what one of them scores at most.
struct PromisingBlock {
    most: f32,
    run: Range<usize>,
}

/// What one block in so many can score at least.
fn most_of_one_in(first: usize, blocks: &[PromisingBlock]) -> f32 {
    let mut most: Vec<f32> = blocks.iter().map(|block| block.most).collect();
    if most.is_empty() { 0.0 } else { *most.select_nth_unstable_by(blocks.len() / first, |a, b| b.total_cmp(a)).1 }
}

/// Runs of units that are scored at a time.
fn blocks_of(run: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    run.clone().step_by(BLOCK).map(move |first| first..run.end.min(first + BLOCK))
}

/// Which terms of a question are where, roughly: a bit for each, for texts that lie together and for sections.
struct TermPlaces {
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

impl TermPlaces {
    fn new<'t>(atlas: &Atlas<'_>, terms: impl Iterator<Item = &'t Term>) -> Self {
        let mut texts = vec![0; atlas.texts().div_ceil(TEXTS_TOGETHER)];
        let mut sections = vec![0; atlas.sections().div_ceil(SECTIONS_TOGETHER)];
        let mut everywhere = 0;
        for (at, term) in terms.enumerate() {
            let bit = 1u64 << bit_of(at);
            if (term.texts.len() + term.sections.len()) * EVERYWHERE > atlas.texts() {
                everywhere |= bit;
                continue;
            }
            term.texts.iter().for_each(|&(text, _)| texts[text as usize / TEXTS_TOGETHER] |= bit);
            term.sections.iter().for_each(|&(section, _)| sections[section as usize / SECTIONS_TOGETHER] |= bit);
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

/// One search of one layer.
struct LexicalSearch<'s> {
    /// Those with the largest weights first.
    terms: Vec<WeighedTerm<'s>>,
    units: &'s Units,
    share: f32,
    findable: Findable<'s>,
}

impl LexicalSearch<'_> {
    /// The blocks that may have terms, in the order in which they lie.
    fn promising(&self, places: &TermPlaces) -> Vec<PromisingBlock> {
        let mut adds = [0.0; u64::BITS as usize];
        self.terms.iter().for_each(|term| adds[term.bit as usize] += term.most());
        let promising = |run: Range<usize>| {
            let mut bits = places.of(&BlockPlaces::new(self.units, &run));
            let mut most = 0.0;
            while bits != 0 {
                most += adds[bits.trailing_zeros() as usize];
                bits &= bits - 1;
            }
            (most > 0.0).then_some(PromisingBlock { most, run })
        };
        match self.findable.allowed {
            None => blocks_of(0..self.units.count()).filter_map(promising).collect(),
            Some(allowed) => {
                let runs = allowed.runs.iter().map(|run| self.units.of_documents(run.clone()));
                runs.flat_map(blocks_of).filter_map(promising).collect()
            }
        }
    }

    /// What the terms from this one on add in the block, at most.
    fn most(&self, from: usize) -> f32 {
        self.terms[from..].iter().filter(|term| term.is_here()).map(WeighedTerm::most).sum()
    }

    /// Scores the units of a block.
    fn score(&mut self, run: Range<usize>, block: &mut ScoredBlock, best: &mut BestUnits) {
        let places = BlockPlaces::new(self.units, &run);
        self.terms.iter_mut().for_each(|term| term.go_to(&places));
        if !best.may_take(self.most(0)) {
            return;
        }
        block.begin(run);
        for (at, term) in self.terms.iter().enumerate().filter(|(_, term)| term.is_here()) {
            let left = self.most(at);
            if best.may_take(left) {
                self.count(term, block);
                block.score(|unit, count| self.of_term(term, unit, count));
            } else {
                // No unit that has none of the terms before can be among the best.
                block.keep(|score| best.may_take(score + left));
                self.add(term, block);
            }
        }
        for &at in &block.scored {
            let (score, unit) = (block.scores[at as usize], block.run.start as u32 + at);
            if best.may_take(score) && self.findable.finds(self.units.section[unit as usize]) {
                best.offer(score, unit);
            }
        }
    }

    /// What a unit scores by having a term so often.
    fn of_term(&self, term: &WeighedTerm<'_>, unit: usize, count: f32) -> f32 {
        let length = 1.0 - self.share + self.share * self.units.terms_of(unit) / self.units.mean_terms;
        term.weight * count * (K1 + 1.0) / (count + K1 * length)
    }

    /// Counts a term in every unit that is allowed.
    fn count(&self, term: &WeighedTerm<'_>, block: &mut ScoredBlock) {
        for &(text, count) in term.texts.here {
            if self.findable.allowed.is_none_or(|allowed| allowed.texts.has(text)) {
                block.count(self.units.holding(text), count);
            }
        }
        for &(section, count) in term.sections.here {
            if self.findable.allowed.is_none_or(|allowed| allowed.sections.has(section)) {
                block.count(self.units.in_section(section), CONTEXT_WEIGHT * count);
            }
        }
    }

    /// Adds what a term scores in the units that have a score already, and in no other.
    fn add(&self, term: &WeighedTerm<'_>, block: &mut ScoredBlock) {
        let (mut texts, mut sections) = (Cursor::of(term.texts.here), Cursor::of(term.sections.here));
        for &at in &block.scored {
            let unit = block.run.start + at as usize;
            let held = self.units.texts(unit);
            texts.advance(&(held.start as u32..held.end as u32));
            sections.advance(&(self.units.section[unit]..self.units.section[unit] + 1));
            let sum = |postings: &[(u32, f32)]| postings.iter().map(|&(_, count)| count).sum::<f32>();
            let count = sum(texts.here) + CONTEXT_WEIGHT * sum(sections.here);
            if count > 0.0 {
                block.scores[at as usize] += self.of_term(term, unit, count);
            }
        }
    }
}

/// A term, how much it counts in a layer, and where it is in the block that is scored.
struct WeighedTerm<'p> {
    weight: f32,
    bit: u32,
    texts: Cursor<'p>,
    sections: Cursor<'p>,
}

impl<'p> WeighedTerm<'p> {
    fn new(term: &'p Term) -> Self {
        Self { weight: 0.0, bit: 0, texts: Cursor::of(&term.texts), sections: Cursor::of(&term.sections) }
    }

    /// What it adds to a score, at most: a count of any size adds less.
    fn most(&self) -> f32 {
        self.weight * (K1 + 1.0)
    }

    fn go_to(&mut self, places: &BlockPlaces) {
        self.texts.go_to(&places.texts);
        self.sections.go_to(&places.sections);
    }

    fn is_here(&self) -> bool {
        !self.texts.here.is_empty() || !self.sections.here.is_empty()
    }
}

/// Postings by ascending place, and some of them that follow one another.
struct Cursor<'p> {
    all: &'p [(u32, f32)],
    here: &'p [(u32, f32)],
    /// Where `here` begins.
    start: usize,
}

impl<'p> Cursor<'p> {
    fn of(all: &'p [(u32, f32)]) -> Self {
        Self { all, here: &[], start: 0 }
    }

    /// Goes to a range that does not begin before the one before.
    fn advance(&mut self, range: &Range<u32>) {
        self.start += before(&self.all[self.start..], range.start);
        let rest = &self.all[self.start..];
        self.here = &rest[..before(rest, range.end)];
    }

    /// Goes to any range.
    fn go_to(&mut self, range: &Range<u32>) {
        let is_behind = self.all.get(self.start).is_none_or(|&(place, _)| place >= range.start);
        if is_behind {
            self.start = self.all[..self.start].partition_point(|&(place, _)| place < range.start);
        }
        self.advance(range);
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
    /// How many units of a layer have it.
    fn frequency(&self, layer: Layer, units: &Units) -> u32 {
        // Only whole entries are added.
        let frequencies = || self.frequencies.lock().unwrap_or_else(PoisonError::into_inner);
        let known = frequencies().iter().find(|(of, _)| *of == layer).map(|&(_, frequency)| frequency);
        known.unwrap_or_else(|| {
            let frequency = self.counted(units);
            frequencies().push((layer, frequency));
            frequency
        })
    }

    /// How many units have it: the length of all their ranges, each begun not before the one before.
    fn counted(&self, units: &Units) -> u32 {
        let mut sections = self.sections.iter().map(|&(section, _)| units.in_section(section)).peekable();
        let (mut having, mut end) = (0, 0);
        let mut add = |range: Range<u32>| {
            having += range.end.saturating_sub(range.start.max(end));
            end = end.max(range.end);
        };
        for &(text, _) in &self.texts {
            let range = units.holding(text);
            while let Some(section) = sections.next_if(|section| section.start < range.start) {
                add(section);
            }
            add(range);
        }
        sections.for_each(add);
        having
    }
}

/// Units that are scored at a time: few enough that most blocks lack a rare term. (Tests have few.)
const BLOCK: usize = if cfg!(test) { 32 } else { 128 };

/// One block in so many is scored before all others.
const FIRST: usize = 64;

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
