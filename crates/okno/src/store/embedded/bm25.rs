//! Lexical search: BM25 of the units of any layer, from the posting lists of sentences.
//!
//! A unit's count of a term is the sum of its sentences' plus that of its title and headings, with a document frequency
//! and mean length of the layer's own. Frequencies are those of the whole index, whatever a filter allows: how rare a
//! word is does not depend on who asks.
//!
//! A first pass over the postings marks which terms are in which block of a few units, and which may be there twice.
//! That bounds what a unit of a block can score; of all blocks only those are scored that may hold one of the best,
//! those that promise most first. The result is that of scoring all. (To go through the postings once more for these
//! blocks, in order, instead of looking for each term in each block took an eighth longer at a million sentences.)

use super::atlas::Findable;
use super::best::{BestUnits, ScoredUnit};
use super::known_terms::{QuestionTerm, Term};
use super::spare::{Room, Spare};
use super::units::{CONTEXT_WEIGHT, Units};
use crate::document::Layer;
use std::ops::{BitAnd, BitOr, Not, Range};

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

/// To look for a term in a block takes as long as to mark so many of its postings, about. Reasoned, not compared, like
/// the numbers below that do not say otherwise.
const MARKED_MEANWHILE: usize = 4;

/// Units of a block: few, so that few terms are in one, and enough that there are not too many blocks to look at. Not
/// compared with other numbers; with 128 texts a median question scored a seventh of all blocks, now a fiftieth.
const BLOCK: usize = 16;

/// The units of a layer with the highest scores; none of those that have none of the terms.
pub fn best(
    layer: Layer,
    units: &Units,
    terms: &[QuestionTerm],
    findable: Findable<'_>,
    depth: usize,
    spare: &Spare<WordRows>,
) -> Vec<ScoredUnit> {
    let search = LayerSearch::new(layer, units, terms, findable);
    let mut rows = spare.take();
    let best = match terms.len() {
        ..=FEW_MARKED => search.best::<u32>(&mut rows, depth),
        _ => search.best::<u128>(&mut rows, depth),
    };
    spare.give_back(rows);
    best
}

/// Room for what a search computes of the blocks of a layer.
#[derive(Default)]
pub struct WordRows {
    few: Vec<[u32; 2]>,
    many: Vec<[u128; 2]>,
    most: Vec<f32>,
}

impl Room for WordRows {
    fn bytes(&self) -> usize {
        size_of_val(&*self.few) + size_of_val(&*self.many) + size_of_val(&*self.most)
    }
}

/// Terms that have a bit of their own, at most.
const MOST_MARKED: usize = u128::BITS as usize;

/// Those of nearly all questions.
const FEW_MARKED: usize = u32::BITS as usize;

/// A bit for each term of a question. Two of them for a block: the terms that it may have, and those that one of its
/// units may have more than once.
trait TermMarks: Copy + Default + BitAnd<Output = Self> + BitOr<Output = Self> + PartialEq + Not<Output = Self> {
    /// The bits of eight terms each.
    type Bytes: AsRef<[u8]>;

    fn bytes(self) -> Self::Bytes;

    /// The bit of a term; those beyond the last bit share it.
    fn of(term: usize) -> Self;

    /// Where they are kept for all blocks, and what these can score.
    fn rows(rows: &mut WordRows) -> (&mut Vec<[Self; 2]>, &mut Vec<f32>);

    /// Whether it has one of these bits.
    fn has(self, bits: Self) -> bool {
        self & bits != Self::default()
    }
}

macro_rules! term_marks {
    ($marks:ty, $rows:ident) => {
        impl TermMarks for $marks {
            type Bytes = [u8; size_of::<$marks>()];

            fn bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }

            fn of(term: usize) -> Self {
                1 << term.min(<$marks>::BITS as usize - 1)
            }

            fn rows(rows: &mut WordRows) -> (&mut Vec<[Self; 2]>, &mut Vec<f32>) {
                (&mut rows.$rows, &mut rows.most)
            }
        }
    };
}

term_marks!(u32, few);
term_marks!(u128, many);

/// A term that is in more than so many times as many places as there are blocks is marked in none: it is in most. With
/// 1 and a half 228 questions to a million sentences take as long, with a quarter a tenth longer.
const EVERYWHERE: usize = 2;

/// The blocks that may score most are scored first, best first: one in so many. With 16 and 64 the same 228 questions
/// take as long.
const FIRST: usize = 32;

/// Blocks that are scored between looks at what is needed to be among the best.
const BETWEEN: usize = 16;

/// Blocks that are looked at to learn what one in so many can score.
const SAMPLE: usize = 8192;

/// What about one in [`FIRST`] of these is at least; 0 where that is less than one.
fn enough_for_first(most: &[f32]) -> f32 {
    let mut sample: Vec<f32> = most.iter().copied().step_by((most.len() / SAMPLE).max(1)).collect();
    let at = sample.len() / FIRST;
    if at == 0 { 0.0 } else { *sample.select_nth_unstable_by(at, |a, b| b.total_cmp(a)).1 }
}

/// The search of one layer.
struct LayerSearch<'s> {
    units: &'s Units,
    share: f32,
    /// Those that are worth most first: what is left for the last ones rarely changes who wins.
    terms: Vec<WeighedTerm<'s>>,
    findable: Findable<'s>,
}

/// A term, and how much it counts in a layer.
#[derive(Clone, Copy)]
struct WeighedTerm<'s> {
    term: &'s Term,
    weight: f32,
    /// What it adds to a score at most where a unit has it once, and where it has it more than once.
    most: [f32; 2],
}

/// So many times what terms can score at most: sums of rounded numbers are not exact.
const ROUNDING: f32 = 1.0 + 5e-5;

impl<'s> LayerSearch<'s> {
    fn new(layer: Layer, units: &'s Units, terms: &'s [QuestionTerm], findable: Findable<'s>) -> Self {
        let count = units.count() as f32;
        let share = length_share(layer);
        let weighed = terms.iter().map(|asked| {
            let spread = asked.term.spread(layer, units);
            let weight = asked.weight * rarity(count, spread.units as f32);
            // In the shortest unit there can be.
            let most = [1.0, spread.most.max(1.0)].map(|count| ROUNDING * score_of(weight, count, 1.0 - share));
            WeighedTerm { term: &asked.term, weight, most }
        });
        let mut terms: Vec<WeighedTerm<'_>> = weighed.collect();
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        Self { units, share, terms, findable }
    }

    fn best<M: TermMarks>(&self, rows: &mut WordRows, depth: usize) -> Vec<ScoredUnit> {
        let (marks, most) = M::rows(rows);
        let numbers = self.numbers_of_blocks();
        let is_marked = self.bound(numbers.as_deref(), marks, most);
        let mut best = BestUnits::new(depth, 0.0);
        let mut room = Vec::with_capacity(self.terms.len());
        let mut score = |at: usize, best: &mut BestUnits| {
            let block = numbers.as_ref().map_or(at, |numbers| numbers[at] as usize);
            let marks = if is_marked { marks[block] } else { [!M::default(); 2] };
            self.score(block, marks, &mut room, best);
        };
        let enough = enough_for_first(most);
        let is_first = |&(_, most): &(usize, f32)| most >= enough && most > 0.0;
        let mut first: Vec<(usize, f32)> = most.iter().copied().enumerate().filter(is_first).collect();
        // Of blocks that promise as much as each other the first comes first: what is read in order is not waited for.
        first.sort_by(|a, b| b.1.total_cmp(&a.1));
        for some in first.chunks(BETWEEN) {
            for &(at, most) in some {
                if best.may_take(most) {
                    score(at, &mut best);
                }
            }
            best.cut();
        }
        if best.may_take(enough) {
            for (at, &most) in most.iter().enumerate() {
                if most < enough && most > 0.0 && best.may_take(most) {
                    score(at, &mut best);
                }
            }
        }
        best.ranked()
    }

    /// The blocks that may hold something that may be found, ascending; `None` for all.
    fn numbers_of_blocks(&self) -> Option<Vec<u32>> {
        let mut numbers: Vec<u32> = Vec::new();
        for run in &self.findable.allowed?.runs {
            let units = self.units.of_documents(run.clone());
            let first = (units.start / BLOCK).max(numbers.last().map_or(0, |&last| last as usize + 1));
            numbers.extend(first as u32..units.end.div_ceil(BLOCK) as u32);
        }
        Some(numbers)
    }

    /// Computes what the units of these blocks score at most, from marks of which terms are in which block. Where there
    /// are few blocks nothing is marked, and every term may be in each: returns whether something was.
    fn bound<M: TermMarks>(&self, numbers: Option<&[u32]>, marks: &mut Vec<[M; 2]>, most: &mut Vec<f32>) -> bool {
        most.clear();
        let postings = || self.terms.iter().map(|one| one.term.count()).sum::<usize>();
        if let Some(numbers) = numbers
            && numbers.len() * self.terms.len() * MARKED_MEANWHILE < postings()
        {
            most.resize(numbers.len(), self.terms.iter().map(|term| term.most[1]).sum());
            return false;
        }
        self.mark(marks);
        let bounds = ScoreBounds::new(&self.terms);
        match numbers {
            None => most.extend(marks.iter().map(|marks| bounds.of(*marks))),
            Some(numbers) => most.extend(numbers.iter().map(|&number| bounds.of(marks[number as usize]))),
        }
        true
    }

    /// Marks which terms are in which block.
    fn mark<M: TermMarks>(&self, marks: &mut Vec<[M; 2]>) {
        let blocks = self.units.count().div_ceil(BLOCK);
        marks.clear();
        marks.resize(blocks, [M::default(); 2]);
        let mut everywhere = M::default();
        for (at, WeighedTerm { term, .. }) in self.terms.iter().enumerate() {
            let bit = M::of(at);
            if term.count() > EVERYWHERE * blocks {
                everywhere = everywhere | bit;
                continue;
            }
            let mut mark = |units: Range<u32>, count: f32| {
                if !units.is_empty() {
                    for [once, more] in &mut marks[units.start as usize / BLOCK..=(units.end - 1) as usize / BLOCK] {
                        *more = *more | if count > 1.0 { bit } else { *once & bit };
                        *once = *once | bit;
                    }
                }
            };
            let texts = term.texts.all().iter().copied();
            match self.findable.allowed {
                None => self.units.each_holding(texts, &mut mark),
                Some(allowed) => self.units.each_holding(texts.filter(|(text, _)| allowed.texts.has(*text)), &mut mark),
            }
            for &(section, count) in term.sections.all().iter().filter(|(section, _)| self.is_allowed(*section)) {
                mark(self.units.in_section(section), CONTEXT_WEIGHT * count);
            }
        }
        if everywhere != M::default() {
            marks.as_flattened_mut().iter_mut().for_each(|marks| *marks = *marks | everywhere);
        }
    }

    /// Scores the units of a block.
    fn score<M: TermMarks>(
        &self,
        block: usize,
        [once, more]: [M; 2],
        room: &mut Vec<(usize, f32)>,
        best: &mut BestUnits,
    ) {
        let start = block * BLOCK;
        let units = start..(start + BLOCK).min(self.units.count());
        let texts = self.units.texts(units.start).start as u32..self.units.texts(units.end - 1).end as u32;
        let sections = self.units.section[units.start]..self.units.section[units.end - 1] + 1;
        // The terms that may be here, the last first, and what each of them and those behind it add at most.
        let mut left = 0.0;
        room.clear();
        for at in (0..self.terms.len()).rev().filter(|at| once.has(M::of(*at))) {
            left += self.terms[at].most[usize::from(more.has(M::of(at)))];
            room.push((at, left));
        }
        let norms = self.norms(units.clone());
        let (mut scores, mut highest) = ([0.0f32; BLOCK], 0.0f32);
        for &(at, left) in room.iter().rev() {
            if !best.may_take(highest + left) {
                return;
            }
            let WeighedTerm { term, weight, .. } = self.terms[at];
            let counts = self.counts(term, &texts, &sections, start);
            for ((score, count), norm) in scores.iter_mut().zip(counts).zip(norms) {
                *score += weight * count * (K1 + 1.0) / (count + norm);
            }
            highest = largest(&scores);
        }
        for (unit, score) in units.zip(scores) {
            if score > 0.0 && best.may_take(score) && self.findable.finds(self.units.section[unit]) {
                best.offer(score, unit as u32);
            }
        }
    }

    /// What is added to a count below the line, for each unit of a block.
    fn norms(&self, units: Range<usize>) -> [f32; BLOCK] {
        let mut norms = [K1; BLOCK];
        for (norm, unit) in norms.iter_mut().zip(units) {
            *norm = K1 * (1.0 - self.share + self.share * self.units.terms_of(unit) / self.units.mean_terms);
        }
        norms
    }

    /// How often each unit of a block has a term, as far as that is allowed.
    fn counts(&self, term: &Term, texts: &Range<u32>, sections: &Range<u32>, start: usize) -> [f32; BLOCK] {
        let mut counts = [0.0; BLOCK];
        let mut add = |units: Range<u32>, count: f32| {
            let (first, end) = ((units.start as usize).max(start), (units.end as usize).min(start + BLOCK));
            (first..end).for_each(|unit| counts[unit - start] += count);
        };
        let allowed = self.findable.allowed;
        for &(text, count) in term.texts.from(texts.start).iter().take_while(|(text, _)| *text < texts.end) {
            if allowed.is_none_or(|allowed| allowed.texts.has(text)) {
                add(self.units.holding(text), count);
            }
        }
        for &(section, count) in term.sections.from(sections.start).iter().take_while(|(at, _)| *at < sections.end) {
            if self.is_allowed(section) {
                add(self.units.in_section(section), CONTEXT_WEIGHT * count);
            }
        }
        counts
    }

    /// Whether a section is of a document that may be found.
    fn is_allowed(&self, section: u32) -> bool {
        self.findable.allowed.is_none_or(|allowed| allowed.sections.has(section))
    }
}

/// Four numbers are compared at a time: one after the other each waits for the one before.
fn largest(scores: &[f32; BLOCK]) -> f32 {
    let mut lanes = [0.0f32; 4];
    for scores in scores.as_chunks::<4>().0 {
        for (lane, &score) in lanes.iter_mut().zip(scores) {
            *lane = if score > *lane { score } else { *lane };
        }
    }
    lanes.into_iter().fold(0.0, f32::max)
}

/// What marks say of a score at most, eight terms at a time.
struct ScoreBounds {
    /// What terms that are there add, and what they add beyond that by being there more than once.
    tables: [Vec<[f32; 256]>; 2],
}

impl ScoreBounds {
    fn new(terms: &[WeighedTerm<'_>]) -> Self {
        let mut adds = [[0.0; MOST_MARKED]; 2];
        for (at, term) in terms.iter().enumerate() {
            adds[0][at.min(MOST_MARKED - 1)] += term.most[0];
            adds[1][at.min(MOST_MARKED - 1)] += term.most[1] - term.most[0];
        }
        let bytes = terms.len().min(MOST_MARKED).div_ceil(8);
        Self { tables: adds.map(|adds| adds.as_chunks::<8>().0[..bytes].iter().map(sums_of_some).collect()) }
    }

    #[inline]
    fn of<M: TermMarks>(&self, marks: [M; 2]) -> f32 {
        let mut most = 0.0;
        for (tables, marks) in self.tables.iter().zip(marks) {
            for (table, byte) in tables.iter().zip(marks.bytes().as_ref()) {
                most += table[usize::from(*byte)];
            }
        }
        most
    }
}

/// For each set of eight numbers their sum.
fn sums_of_some(numbers: &[f32; 8]) -> [f32; 256] {
    let mut sums = [0.0; 256];
    for set in 1..sums.len() {
        sums[set] = sums[set & (set - 1)] + numbers[set.trailing_zeros() as usize];
    }
    sums
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
        // More terms than have a bit of their own.
        let many: Vec<String> =
            (0..83).map(|at| format!("word{at}")).chain((0..60).map(|at| format!("d{at}"))).collect();
        for (text, allowed) in [
            ("word3 word4 word5", None),
            ("word80 word7 d17", None),
            ("word80 d17 d290 word1 word2 word9", Some(&some)),
            (&many[..40].join(" "), None),
            (&many.join(" "), None),
            (&many.join(" "), Some(&some)),
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
