//! `auto`: the sentences that are most likely to answer, with what makes them readable, as many as
//! the budget holds.
//!
//! A budget is filled by *expected gain*. Values become probabilities: p = softmax([`SHARPNESS`] · value) –
//! how likely is it that this sentence answers? Taking sentences gains the probability that the
//! answer is among them, and once more the probability that it can be understood, because the
//! sentences before and after it are there too. A step takes a sentence alone, with its neighbour
//! before or after, or with both, the whole list or table it belongs to ([`blocks`]), or its section if that is short;
//! a heading only with what stands below it. The step with the most gain for its cost is taken until nothing fits or
//! nothing is worth taking; completing a list gains the probability of its lines once more. Sentences that touch
//! become one piece.
//!
//! A large budget is filled in stages: 500 tokens, then 1,000, 2,000 and so on. What a stage takes comes after what the
//! stages before took, and is a piece of its own even where it touches one of theirs, so the answer for a large budget
//! begins with the answer for a small one: a reader who stops early has read the best. Measured: of an answer of 2,000
//! tokens the first 500 cover 84 to 97 % of the answers when all is filled at once and touching pieces grow together
//! (72 to 92 % when they may grow without limit), 92 to 98 % in stages – as much as an answer of 500. From stage to
//! stage the better sentence loses its lead over the next, so that a large budget is used.
//!
//! Neighbours are the sentences of the same block: a blank line and a heading separate, a single line
//! break (items of a list, rows of a table) does not.
//!
//! Measured on eight question sets with this engine and the model's first version (coverage / context
//! at 500 tokens, mean): best sentences by value with a share of .3 spread to neighbours .926 / .901,
//! by expected gain .938 / .927. Sharpness, spread and the square root were picked on those same sets
//! in a prototype of this search, among some 65 settings; nothing was held out to check them.

mod first_steps;

use super::blocks;
use super::expand::{ContextPiece, merge};
use super::fuse::Hit;
use super::steps::{SentenceStep, StepGain, StepQueue};
use super::tables;
use super::views::{View, Views};
use crate::store::DocumentNumber;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::ops::Range;

/// How much more likely a better sentence is to answer.
const SHARPNESS: f32 = 3.0;

/// The share of a sentence's value that each neighbour receives first: a sentence between two good
/// ones is worth more.
const SPREAD: f32 = 0.1;

/// Sentences that share the probability; the rest have none.
const LIKELY: usize = 300;

/// No piece grows beyond this many tokens: with a large budget whole documents would grow together, the best sentence
/// somewhere inside.
const LONGEST: usize = 500;

/// A step that gains less probability than this is not taken: a budget need not be filled. The mildest of four values
/// tried on the same eight sets at 500 tokens: pieces per question fall from 3.9 to 2.8 in the mean, coverage stays
/// on six sets and falls by one question on two. At four times this it is 2.4 pieces, and two questions on two sets.
const NEGLIGIBLE: f32 = 0.0005;

/// From this stage on – budgets of more than 1,000 tokens – what gained too little is considered once more: who asks
/// for so much wants what is less likely too.
const GENEROUS: usize = 3;

/// The first of the budgets that are filled one after the other: what a small model is given.
const SMALLEST: usize = 500;

/// How many candidates a stage chooses from: the recipe's own number, and more where the budget is large – the
/// shortest sentences of real text have about ten tokens, so this many fill any budget.
const FEWEST: usize = 60;
pub const TOKENS_PER_CANDIDATE: usize = 10;

/// What a new piece costs beside its text when steps are compared: its citation and headings, about a line. And it must
/// gain a little more than a sentence that joins a piece. Of 0, 20 and 40 tokens, and one to four times the gain,
/// tried on the eight sets this is the middle: pieces per question fall (squad 3.9 to 3.5, chunkeval 5.5 to 4.7),
/// coverage is the same within a question or two, and more is readable (+0.3 points, 95 % interval 0.1 to 0.6).
const OPENING: f32 = 30.0;
const OPENING_GAIN: f32 = 1.5;

/// A row of a table is returned with its header and what stands between them up to this many tokens: without the header
/// nobody knows what its cells mean.
const LONGEST_TO_HEADER: usize = 180;

/// What completing a list, a table or numbered steps gains, as a share of the probability that the answer is in it:
/// where one line of a list is likely to answer, all of them are.
const WHOLE: f32 = 1.0;

/// The same for completing a section below a heading, however it is written. Of .2, .3 and .5: the answers of
/// `howtocook` that are whole in 500 tokens rise from .893 to .917, .920, .923; `natural` gains a question at .2, none
/// at .5. Sections without a heading are whole documents; with them `wiki2` loses two questions.
const WHOLE_SECTION: f32 = 0.25;

type SentencePlace = (DocumentNumber, u32);

/// Chooses sentences for a budget.
///
/// Where sentences cost something else than tokens, `scale` is how much of it a token is. Where an answer is `ordered`,
/// numbered steps that do not fit are taken from the first one on.
pub fn select(
    hits: &[Hit],
    candidates: usize,
    budget: usize,
    scale: f32,
    ordered: bool,
    views: &Views<'_>,
) -> Vec<ContextPiece> {
    let values = spread(hits, candidates.max(LIKELY), views);
    let places: Vec<SentencePlace> = values.iter().map(|&(place, _)| place).collect();
    let cost =
        |&(document, sentence): &SentencePlace| views[&document].structure.sentences[sentence as usize].tokens as usize;
    let cost_of_best = places.first().map_or(0, cost);
    let mut filling = Filling::new(&values, views, scale);
    filling.head = ordered.then(|| budget.min(scaled(LONGEST, scale)));
    let values: FxHashMap<SentencePlace, f32> = values.into_iter().collect();
    let hits: FxHashMap<SentencePlace, &Hit> =
        hits.iter().map(|hit| ((hit.run.document, hit.run.first), hit)).collect();
    let piece = |(document, sentence): SentencePlace| ContextPiece {
        document,
        sentences: sentence as usize..sentence as usize + 1,
        score: values.get(&(document, sentence)).copied().unwrap_or(0.0),
        anchor: sentence as usize,
        hits: hits.get(&(document, sentence)).map(|&&hit| hit).into_iter().collect(),
    };
    let stage = |budget| {
        let count = candidates.min(FEWEST.max(budget / TOKENS_PER_CANDIDATE)).min(places.len());
        merge(filling.fill(budget, &places[..count]).into_iter().map(piece).collect())
    };
    stages(scaled(SMALLEST, scale).max(cost_of_best), budget).flat_map(stage).collect()
}

fn scaled(tokens: usize, scale: f32) -> usize {
    (tokens as f32 * scale) as usize
}

/// The budgets that are filled one after the other: [`SMALLEST`], or what the best sentence takes, twice that, and so
/// on up to what was asked for.
fn stages(smallest: usize, budget: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(smallest), |stage| stage.checked_mul(2))
        .take_while(move |&stage| stage < budget)
        .chain([budget])
}

/// The best values, each with its share of the neighbours', best first.
fn spread(hits: &[Hit], most: usize, views: &Views<'_>) -> Vec<(SentencePlace, f32)> {
    let mut values: FxHashMap<SentencePlace, f32> = FxHashMap::with_capacity_and_hasher(2 * hits.len(), FxBuildHasher);
    for hit in hits {
        let (document, at) = (hit.run.document, hit.run.first);
        for sentence in block(at, &views[&document]) {
            *values.entry((document, sentence)).or_default() +=
                if sentence == at { hit.score } else { SPREAD * hit.score };
        }
    }
    let mut values: Vec<(SentencePlace, f32)> = values.into_iter().collect();
    let order = |a: &(SentencePlace, f32), b: &(SentencePlace, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if values.len() > most {
        values.select_nth_unstable_by(most, order);
        values.truncate(most);
    }
    values.sort_unstable_by(order);
    values
}

/// A sentence with its neighbours in the same block.
pub(super) fn block(at: u32, view: &View<'_>) -> Range<u32> {
    let sentences = view.structure.with_neighbours(at as usize);
    sentences.start as u32..sentences.end as u32
}

/// A budget being filled.
struct Filling<'a, 's> {
    views: &'a Views<'s>,
    /// What a token costs.
    scale: f32,
    /// How likely each sentence is to answer.
    likely: FxHashMap<SentencePlace, f32>,
    values: Vec<(SentencePlace, f32)>,
    /// What was taken, and at which stage.
    taken: FxHashMap<SentencePlace, usize>,
    stage: usize,
    spent: usize,
    /// What may still be taken.
    steps: StepQueue,
    /// What was too large for the budgets so far.
    later: Vec<SentenceStep>,
    /// What gained too little.
    dropped: Vec<SentenceStep>,
    /// What was ever considered.
    known: FxHashSet<(DocumentNumber, u32, u32)>,
    /// The runs that answer as one, by their sentences.
    runs: FxHashMap<SentencePlace, Range<u32>>,
    /// What may be taken of numbered steps that do not fit, from the first one on, if anything.
    head: Option<usize>,
    /// Sections, and stretches of them, whose runs are known.
    looked: FxHashSet<(DocumentNumber, u32, u32)>,
}

impl<'a, 's> Filling<'a, 's> {
    fn new(values: &[(SentencePlace, f32)], views: &'a Views<'s>, scale: f32) -> Self {
        Self {
            views,
            scale,
            likely: likely(values, SHARPNESS),
            values: values.to_vec(),
            taken: FxHashMap::default(),
            stage: 0,
            spent: 0,
            steps: StepQueue::default(),
            later: Vec::new(),
            dropped: Vec::new(),
            known: FxHashSet::default(),
            runs: FxHashMap::default(),
            head: None,
            looked: FxHashSet::default(),
        }
    }

    /// Finds the runs near a sentence.
    fn look(&mut self, document: DocumentNumber, sentence: u32) {
        let view = &self.views[&document];
        let section = view.structure.section(sentence as usize).start as u32;
        if !self.looked.insert((document, section, sentence / blocks::REACH as u32)) {
            return;
        }
        for mut run in blocks::near(sentence as usize, view) {
            if let Some(most) = self.head {
                run = blocks::head(run, most, view);
            }
            if view.structure.tokens(run.clone()) <= scaled(LONGEST, self.scale) {
                let run = run.start as u32..run.end as u32;
                self.runs.extend(run.clone().map(|sentence| ((document, sentence), run.clone())));
            }
        }
    }

    /// Notes what could be taken around these sentences.
    fn consider(&mut self, candidates: &[SentencePlace]) {
        for &(document, sentence) in candidates {
            for sentences in self.choices(document, sentence) {
                let step = SentenceStep { document, sentences };
                if self.known.insert((document, step.sentences.start, step.sentences.end)) {
                    let gain = self.gain(&step);
                    self.steps.push(step, gain);
                }
            }
        }
    }

    /// Gives what a sentence announces the probability of the sentence too: "the steps are:" answers by the steps.
    fn promise(&mut self, candidates: &[SentencePlace]) {
        for &(document, at) in candidates {
            self.look(document, at);
            let Some(below) = self.announced(document, at) else { continue };
            let share = self.likely.get(&(document, at)).copied().unwrap_or(0.0) / below.len() as f32;
            for place in below {
                *self.likely.entry((document, place)).or_default() += share;
            }
        }
    }

    /// Takes what is worth most until `budget` is spent, earlier stages included; returns what this stage took.
    fn fill(&mut self, budget: usize, candidates: &[SentencePlace]) -> Vec<SentencePlace> {
        self.stage += 1;
        if self.stage > 1 {
            self.likely = likely(&self.values, SHARPNESS / self.stage as f32);
        }
        self.promise(candidates);
        if self.stage >= GENEROUS {
            self.later.append(&mut self.dropped);
        }
        for step in std::mem::take(&mut self.later) {
            let gain = self.gain(&step);
            if gain.cost > 0 {
                self.steps.push(step, gain);
            }
        }
        self.consider(candidates);
        let mut new = Vec::new();
        while let Some((step, gain)) = self.steps.pop() {
            if gain.mass < self.negligible(&step) {
                self.dropped.push(step);
                continue;
            }
            let run = self.run_with(&step);
            // A sentence that alone is longer must still be found.
            let grows = step.sentences.len() > 1 || run > gain.cost;
            if self.spent + gain.cost > budget || (grows && run > scaled(LONGEST, self.scale)) {
                self.later.push(step);
                continue;
            }
            self.spent += gain.cost;
            new.extend(self.take(&step));
        }
        if self.head.is_some() {
            self.begin_at_first_steps(&mut new, budget);
        }
        new
    }

    /// Takes a step; what is left to take around it is worth something else now.
    fn take(&mut self, step: &SentenceStep) -> Vec<SentencePlace> {
        let new: Vec<SentencePlace> = step
            .sentences
            .clone()
            .map(|sentence| (step.document, sentence))
            .filter(|place| !self.taken.contains_key(place))
            .collect();
        self.taken.extend(new.iter().map(|&place| (place, self.stage)));
        let mut steps = std::mem::take(&mut self.steps);
        // Only steps within two sentences can gain less, or more, than before.
        let near = |other: &SentenceStep| {
            other.sentences.start <= step.sentences.end + 2 && step.sentences.start <= other.sentences.end + 2
        };
        steps.weigh(step.document, near, |other| self.gain(other));
        self.steps = steps;
        new
    }

    /// The tokens of the run that a step would make or grow.
    fn run_with(&self, step: &SentenceStep) -> usize {
        let structure = &self.views[&step.document].structure;
        let taken = |sentence: &u32| self.taken.get(&(step.document, *sentence)) == Some(&self.stage);
        let before = (0..step.sentences.start).rev().take_while(taken).count();
        let after = (step.sentences.end..structure.sentences.len() as u32).take_while(taken).count();
        structure.tokens(step.sentences.start as usize - before..step.sentences.end as usize + after)
    }

    /// A sentence alone, with its neighbour before or after, or with both; the run it belongs to; a heading only with
    /// what it is about.
    fn choices(&self, document: DocumentNumber, at: u32) -> Vec<Range<u32>> {
        let view = &self.views[&document];
        let mut choices = if view.structure.sentences[at as usize].heading {
            self.below(document, at)
        } else {
            let Range { start, end } = block(at, view);
            vec![at..at + 1, start..at + 1, at..end, start..end]
        };
        choices.extend(self.runs.get(&(document, at)).cloned());
        choices.extend(self.announced(document, at).map(|below| at..below.end));
        choices.extend(self.header_near(document, at).map(|header| header..at + 1));
        let longest = scaled(LONGEST, self.scale);
        let sections = [blocks::section(at as usize, view, longest), blocks::chapter(at as usize, view, longest)];
        choices.extend(sections.into_iter().flatten().map(|run| run.start as u32..run.end as u32));
        choices
    }

    /// The list or block that a sentence announces, unless it is long.
    fn announced(&self, document: DocumentNumber, at: u32) -> Option<Range<u32>> {
        let view = &self.views[&document];
        let run = self.runs.get(&(document, at)).map(|run| run.start as usize..run.end as usize);
        let below = blocks::announced(at as usize, run.as_ref(), view)?;
        let short = view.structure.tokens(below.clone()) <= scaled(LONGEST, self.scale);
        short.then_some(below.start as u32..below.end as u32)
    }

    /// The header of a table that a row can be returned with: what stands between them comes too.
    fn header_near(&self, document: DocumentNumber, row: u32) -> Option<u32> {
        let View { structure, text } = &self.views[&document];
        let header = tables::header_of(row as usize, structure, text)?;
        let most = scaled(LONGEST_TO_HEADER, self.scale);
        // A row has at least one token, and a table may have a hundred thousand rows.
        let near = row as usize - header < most && structure.tokens(header..row as usize + 1) <= most;
        near.then_some(header as u32)
    }

    /// A heading with the block below it; headings that follow one another are passed over.
    fn below(&self, document: DocumentNumber, heading: u32) -> Vec<Range<u32>> {
        let sentences = &self.views[&document].structure.sentences;
        let count = sentences.len() as u32;
        let Some(first) = (heading..count).find(|&at| !sentences[at as usize].heading) else { return Vec::new() };
        // A table may have a hundred thousand rows.
        let last = count.min(first + blocks::REACH as u32);
        let end = (first + 1..last).find(|&at| !sentences[at as usize].attached).unwrap_or(last);
        vec![heading..first + 1, heading..end]
    }

    /// The probability newly covered, and newly readable, for what it costs.
    fn gain(&self, step: &SentenceStep) -> StepGain {
        let view = &self.views[&step.document];
        let place = |sentence| (step.document, sentence);
        let new = |sentence: &u32| !self.taken.contains_key(&place(*sentence));
        let cost = step
            .sentences
            .clone()
            .filter(new)
            .map(|sentence| view.structure.sentences[sentence as usize].tokens as usize)
            .sum();
        let covered: f32 =
            step.sentences.clone().filter(new).filter_map(|sentence| self.likely.get(&place(sentence))).sum();
        let around =
            step.sentences.start.saturating_sub(1)..(step.sentences.end + 1).min(view.structure.sentences.len() as u32);
        let readable: f32 = around
            .filter(|&sentence| self.becomes_readable(step, sentence))
            .filter_map(|sentence| self.likely.get(&place(sentence)))
            .sum();
        // The square root: neither the cheapest (fragments) nor the most (one long passage) at any price.
        let mass = covered + readable + self.completed(step) + WHOLE * self.headed(step);
        let opening = if self.opens(step) { OPENING * self.scale } else { 0.0 };
        StepGain { cost, mass, worth: mass / (cost.max(1) as f32 + opening).sqrt() }
    }

    /// What a step gains by completing runs, and the section it begins in.
    fn completed(&self, step: &SentenceStep) -> f32 {
        let run = |at: u32| self.runs.get(&(step.document, at));
        let (first, last) = (run(step.sentences.start), run(step.sentences.end - 1));
        let others = last.filter(|last| first != Some(last));
        let runs: f32 = first.into_iter().chain(others).map(|run| self.gained_whole(step, run)).sum();
        let section = self.short_section(step.document, step.sentences.start);
        WHOLE * runs + WHOLE_SECTION * section.map_or(0.0, |section| self.gained_whole(step, &section))
    }

    /// The probability in a run, if a step takes all that is missing of it.
    fn gained_whole(&self, step: &SentenceStep, run: &Range<u32>) -> f32 {
        let taken = |at: u32| self.taken.contains_key(&(step.document, at));
        let mut missing = run.clone().filter(|&at| !taken(at)).peekable();
        if missing.peek().is_none() || !missing.all(|at| step.sentences.contains(&at)) {
            return 0.0;
        }
        run.clone().filter_map(|at| self.likely.get(&(step.document, at))).sum()
    }

    /// The section of a sentence, if it is short and has a heading.
    fn short_section(&self, document: DocumentNumber, at: u32) -> Option<Range<u32>> {
        let view = &self.views[&document];
        if !view.structure.sentences[view.structure.section(at as usize).start].heading {
            return None;
        }
        let section = blocks::section(at as usize, view, scaled(LONGEST, self.scale))?;
        Some(section.start as u32..section.end as u32)
    }

    /// The probability in rows that get their header by a step.
    fn headed(&self, step: &SentenceStep) -> f32 {
        let place = |sentence| (step.document, sentence);
        let header = self.header_near(step.document, step.sentences.end - 1);
        if header != Some(step.sentences.start) || self.taken.contains_key(&place(step.sentences.start)) {
            return 0.0;
        }
        step.sentences.clone().filter_map(|sentence| self.likely.get(&place(sentence))).sum()
    }

    /// What a step must gain to be taken.
    fn negligible(&self, step: &SentenceStep) -> f32 {
        if self.opens(step) { OPENING_GAIN * NEGLIGIBLE } else { NEGLIGIBLE }
    }

    /// Whether a step touches nothing that was taken.
    fn opens(&self, step: &SentenceStep) -> bool {
        let mut around = step.sentences.start.saturating_sub(1)..step.sentences.end + 1;
        !around.any(|sentence| self.taken.contains_key(&(step.document, sentence)))
    }

    /// Whether a sentence and its neighbours would all be there after a step, and are not yet.
    fn becomes_readable(&self, step: &SentenceStep, sentence: u32) -> bool {
        let mut needed = block(sentence, &self.views[&step.document]);
        let taken = |sentence: u32| self.taken.contains_key(&(step.document, sentence));
        needed.clone().all(|s| taken(s) || step.sentences.contains(&s)) && needed.any(|s| !taken(s))
    }
}

/// How likely each sentence is to answer.
fn likely(values: &[(SentencePlace, f32)], sharpness: f32) -> FxHashMap<SentencePlace, f32> {
    let best = values.first().map_or(0.0, |&(_, value)| value);
    let odds: Vec<(SentencePlace, f32)> =
        values.iter().take(LIKELY).map(|&(place, value)| (place, (sharpness * (value - best)).exp())).collect();
    let total: f32 = odds.iter().map(|(_, odds)| odds).sum();
    odds.into_iter().map(|(place, odds)| (place, odds / total)).collect()
}
