//! Dense search: the cosine of a question with the units of any layer, from one scan of the sentences.
//!
//! A unit's dot product is the sum of its sentences' plus its section's context, over one length. Title and headings
//! are added once per unit, so that a window of five sentences does not count the title five times. Where a filter
//! leaves some documents, only their vectors are read.
//!
//! A scan of a small index is exact ([`Scan`]). That of a large one finds the sentences that are most like the question
//! by a [`Sketch`] – by the signs of all vectors, then by two bits per component of some –, estimates the units around
//! them, and scores exactly those of each layer that may be among the best; `cargo bench --bench scale -- recall`
//! prints what that finds of an exact scan.

use super::atlas::{Allowed, Atlas, AtlasEntry, Findable};
use super::best::{BestUnits, ScoredUnit};
use super::big_row::BigRow;
use super::marks::Marks;
use super::signs::{BySigns, LikenessRows};
use super::sketch::{LevelTables, Sketch};
use super::spare::{Room, Spare};
use super::units::Units;
use super::vectors::QuestionVector;
use crate::embed::dot::ROWS_TOGETHER;
use std::ops::Range;
use std::sync::Arc;

/// Sentences that [`Scan::Auto`] scans exactly; a filter that leaves fewer makes a scan of any index exact. With fewer
/// an estimate is no faster. (Tests have few.)
const EXACT_UP_TO: usize = if cfg!(test) { 90 } else { 100_000 };

/// Sentences around which units are estimated, of those most like the question by their sketch: at least so many for
/// each unit wanted, and one in so many of all, so that recall is the same at every size. Of 15, 10, 7 and 5 for each of
/// 200, tried on 228 questions to a million sentences, .999, .996, .993 and .989 of the ten best paragraphs are found; 10
/// take a twelfth less time than 15, and as many of the 144 with known answers get them.
const PROMISING_EACH: usize = if cfg!(test) { 60 } else { 10 };
const PROMISING_ONE_IN: usize = 1000;

/// So many times as many sentences are looked at by two bits as are wanted: the best by the signs alone.
const BY_SIGNS: usize = 4;

/// At most so many units of each layer are scored exactly after an estimate, or so many for each unit wanted.
const CANDIDATES: usize = 1000;
const CANDIDATES_EACH: usize = 10;

/// So many of them are scored first, at least: they tell how far estimates are from what they estimate.
const FIRST: usize = 300;

/// How far beyond the worst of the best an estimate may be for its unit to be scored exactly, in standard deviations
/// of the estimates of the best. Of 3, 5 and no limit, tried on 210 questions to a million sentences, 5 keeps the ten
/// best and takes an eighth less time than no limit; 72 others lost one paragraph of 720.
const PLAUSIBLE: f32 = 5.0;

/// Sentences that are looked at to learn how like the question such a sentence is, about: of ten million some 75 of
/// them tell the limit, so that a tenth more or fewer than wanted are found. Not compared with other numbers.
const SAMPLE: usize = 8192;

/// How dense search reads the vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scan {
    /// Exactly while that is fast, by estimate and exact scores for the best beyond.
    #[default]
    Auto,
    /// Every vector, whatever it costs.
    Exact,
    /// By estimate, whatever the size.
    Approximate,
}

impl Scan {
    /// Whether a search over this many sentences is by estimate.
    pub fn is_approximate(self, sentences: usize) -> bool {
        match self {
            Self::Auto => sentences > EXACT_UP_TO,
            Self::Exact => false,
            Self::Approximate => true,
        }
    }
}

/// What is asked of the vectors.
#[derive(Clone, Copy)]
pub struct DenseQuestion<'q> {
    pub vector: &'q [f32],
    /// Whether derived texts are asked for.
    pub derived: bool,
    pub findable: Findable<'q>,
    /// How many units of each layer are wanted.
    pub depth: usize,
}

/// The dot products of a question with every text of the row and every section's context.
pub struct Dots<'s> {
    rows: DotRows,
    spare: &'s SpareDense,
    /// Where those of sentences are estimates, and only of some: how to find them.
    near: Option<NearSentences<'s>>,
}

/// Room for what one search computes of an index: one number for each text and section.
#[derive(Default)]
pub struct DotRows {
    texts: BigRow<f32>,
    sections: BigRow<f32>,
}

impl DotRows {
    /// The same of the lengths that an atlas needs.
    fn of(self, atlas: &Atlas<'_>) -> Self {
        Self { texts: self.texts.of_length(atlas.texts()), sections: self.sections.of_length(atlas.sections()) }
    }
}

impl Room for DotRows {
    fn bytes(&self) -> usize {
        size_of_val(&*self.texts) + size_of_val(&*self.sections)
    }
}

/// Room of earlier searches.
#[derive(Default)]
pub struct SpareDense {
    dots: Spare<DotRows>,
    pub likenesses: Spare<LikenessRows>,
}

/// The sentences most like the question by their sketches: the best units are around them.
struct NearSentences<'s> {
    atlas: &'s Atlas<'static>,
    sketch: &'s Sketch,
    /// As units.
    sentences: Arc<Units>,
    question: QuestionVector,
    findable: Findable<'s>,
    tables: LevelTables,
    rows: LikenessRows,
    /// The blocks whose likenesses are by two bits, not by signs alone.
    refined: Marks,
    /// Those most like the question, ascending.
    promising: Vec<u32>,
    /// The sentences whose dot products are estimated, and those that are exact.
    estimated: Marks,
    exact: Marks,
    /// The sections whose dot products are there.
    sections: Marks,
    /// The document that was looked at last.
    place: usize,
}

impl Drop for Dots<'_> {
    fn drop(&mut self) {
        if let Some(near) = &mut self.near {
            self.spare.likenesses.give_back(std::mem::take(&mut near.rows));
        }
        self.spare.dots.give_back(std::mem::take(&mut self.rows));
    }
}

impl<'s> Dots<'s> {
    /// Scans the vectors of all allowed documents; those of derived texts only where they are asked for.
    pub fn new(atlas: &Atlas<'_>, spare: &'s SpareDense, asked: DenseQuestion<'_>) -> Self {
        let question = QuestionVector::new(asked.vector);
        let mut dots = Self { rows: spare.dots.take().of(atlas), spare, near: None };
        each_document(atlas, asked.findable.allowed, |at| {
            let entry = atlas.document(at);
            let sentences = entry.sentences().len();
            entry.vectors.dots(&question, 0, &mut dots.rows.texts[entry.sentences()]);
            entry.vectors.dots(&question, sentences, &mut dots.rows.sections[entry.sections()]);
        });
        dots.add_derived(atlas, &question, asked);
        dots
    }

    /// Looks for promising sentences, by their signs if these were compared already, and scans the vectors of derived
    /// texts, which are few.
    pub fn near(
        atlas: &'s Atlas<'static>,
        sketch: &'s Sketch,
        sentences: Arc<Units>,
        spare: &'s SpareDense,
        asked: DenseQuestion<'s>,
        signs: Option<BySigns>,
    ) -> Self {
        let question = QuestionVector::new(asked.vector);
        let mut dots = Self { rows: spare.dots.take().of(atlas), spare, near: None };
        dots.add_derived(atlas, &question, asked);
        let BySigns { tables, rows } = signs.unwrap_or_else(|| {
            let blocks = (0..sketch.blocks()).filter(|&block| asked.findable.finds_any(sentences_of(atlas, block)));
            BySigns::of(&[asked.vector], sketch, blocks, &spare.likenesses).swap_remove(0)
        });
        let mut near = NearSentences {
            atlas,
            sketch,
            sentences,
            question,
            findable: asked.findable,
            tables,
            rows,
            refined: Marks::new(sketch.blocks()),
            promising: Vec::new(),
            estimated: Marks::new(atlas.texts()),
            exact: Marks::new(atlas.texts()),
            sections: Marks::new(atlas.sections()),
            place: 0,
        };
        let of_all = atlas.sentences() / PROMISING_ONE_IN;
        near.look_for(of_all.max(asked.depth.saturating_mul(PROMISING_EACH)));
        dots.near = Some(near);
        dots
    }

    fn add_derived(&mut self, atlas: &Atlas<'_>, question: &QuestionVector, asked: DenseQuestion<'_>) {
        if asked.derived {
            each_document(atlas, asked.findable.allowed, |at| {
                let entry = atlas.document(at);
                entry.derived_vectors.dots(question, 0, &mut self.rows.texts[atlas.derived_texts(entry)]);
            });
        }
    }

    /// The units most like the question.
    pub fn best(&mut self, units: &Units, findable: Findable<'_>, depth: usize) -> Vec<ScoredUnit> {
        // Where a filter leaves few documents, all of them are an answer, the unlike ones last.
        let floor = if findable.allowed.is_some() { f32::NEG_INFINITY } else { 0.0 };
        let Some(mut near) = self.near.take_if(|_| !units.lengths.is_empty()) else {
            return self.scan(units, findable, depth, floor);
        };
        let count = CANDIDATES.max(depth.saturating_mul(CANDIDATES_EACH));
        let mut first = self.candidates(&mut near, units, findable, count);
        let rest = first.split_off(first.len().min(FIRST.max(depth.saturating_add(depth / 2))));
        let mut scored = self.exactly(&mut near, units, first);
        let least = least_plausible(&scored, depth);
        let plausible = rest.into_iter().take_while(|&(estimate, _)| estimate >= least).collect();
        scored.extend(self.exactly(&mut near, units, plausible));
        self.near = Some(near);
        let mut best = BestUnits::new(depth, floor);
        for EstimatedUnit { unit, exact, .. } in scored {
            best.offer(exact, unit);
        }
        best.ranked()
    }

    /// Scores candidates exactly.
    fn exactly(
        &mut self,
        near: &mut NearSentences<'_>,
        units: &Units,
        mut candidates: Vec<ScoredUnit>,
    ) -> Vec<EstimatedUnit> {
        // In the order in which their vectors lie.
        candidates.sort_unstable_by_key(|&(_, unit)| unit);
        let mut scored = Vec::with_capacity(candidates.len());
        for (estimate, unit) in candidates {
            let at = unit as usize;
            self.make_exact(near, units.texts(at));
            self.each_score(units, at..at + 1, |_, exact| scored.push(EstimatedUnit { unit, estimate, exact }));
        }
        scored
    }

    /// The best units by estimate.
    fn candidates(
        &mut self,
        near: &mut NearSentences<'_>,
        units: &Units,
        findable: Findable<'_>,
        count: usize,
    ) -> Vec<ScoredUnit> {
        let mut best = BestUnits::new(count, f32::NEG_INFINITY);
        if units.are_sentences() {
            for &text in &near.promising {
                best.offer(near.cosine(text as usize), text);
            }
            return best.ranked();
        }
        let mut next = 0;
        for at in 0..near.promising.len() {
            let holding = units.holding(near.promising[at]);
            let holding = holding.start.max(next) as usize..holding.end as usize;
            if !holding.is_empty() {
                next = holding.end as u32;
                self.estimate(near, units.texts(holding.start).start..units.texts(holding.end - 1).end);
                self.offer(units, holding, findable, &mut best);
            }
        }
        best.ranked()
    }

    /// Estimates the dot products of sentences, and finds those of their sections. A sketch is one of both together.
    fn estimate(&mut self, near: &mut NearSentences<'_>, sentences: Range<usize>) {
        for text in sentences {
            if !near.estimated.insert(text as u32) {
                continue;
            }
            near.refine(text / ROWS_TOGETHER);
            let context = self.context(near, text);
            self.rows.texts[text] = near.cosine(text) * near.sentences.lengths[text] - context;
        }
    }

    /// The dot product of a sentence's section.
    fn context(&mut self, near: &mut NearSentences<'_>, text: usize) -> f32 {
        let section = near.sentences.section[text] as usize;
        if near.sections.insert(section as u32) {
            let entry = near.holder(text);
            let row = entry.sentences().len() + section - entry.first_section as usize;
            entry.vectors.dots(&near.question, row, &mut self.rows.sections[section..=section]);
        }
        self.rows.sections[section]
    }

    /// Replaces estimates by the numbers that an exact scan gives. Units share sentences: each is read once.
    fn make_exact(&mut self, near: &mut NearSentences<'_>, sentences: Range<usize>) {
        let entry = near.holder(sentences.start);
        for text in sentences {
            if near.exact.insert(text as u32) {
                // No estimate takes its place.
                near.estimated.insert(text as u32);
                self.context(near, text);
                entry.vectors.dots(&near.question, text - entry.first as usize, &mut self.rows.texts[text..=text]);
            }
        }
    }

    fn scan(&self, units: &Units, findable: Findable<'_>, depth: usize, floor: f32) -> Vec<ScoredUnit> {
        let mut best = BestUnits::new(depth, floor);
        match findable.allowed {
            None => self.offer(units, 0..units.count(), findable, &mut best),
            Some(Allowed { runs, .. }) => {
                for run in runs {
                    self.offer(units, units.of_documents(run.clone()), findable, &mut best);
                }
            }
        }
        best.ranked()
    }

    #[inline]
    fn offer(&self, units: &Units, range: Range<usize>, findable: Findable<'_>, best: &mut BestUnits) {
        self.each_score(units, range, |unit, score| {
            // Nearly all are worse: what is allowed is asked of the others.
            if best.may_take(score) && findable.finds(units.section[unit]) {
                best.offer(score, unit as u32);
            }
        });
    }

    /// The cosines of units with the question.
    #[inline]
    fn each_score(&self, units: &Units, range: Range<usize>, mut each: impl FnMut(usize, f32)) {
        if units.lengths.is_empty() {
            return units.each_sum(&self.rows.texts, range, each);
        }
        units.each_sum(&self.rows.texts, range, |unit, own| {
            each(unit, cosine(own, self.rows.sections[units.section[unit] as usize], units.lengths[unit]));
        });
    }
}

/// A unit with what its score was estimated to be, and what it is.
struct EstimatedUnit {
    unit: u32,
    estimate: f32,
    exact: f32,
}

/// The least estimate of a unit that may still be among the best; of these units, scored first, some more than `depth`
/// are the best by estimate.
fn least_plausible(scored: &[EstimatedUnit], depth: usize) -> f32 {
    if depth == 0 || scored.len() <= depth {
        return f32::NEG_INFINITY;
    }
    let mut exact: Vec<f32> = scored.iter().map(|unit| unit.exact).collect();
    let (_, &mut worst, _) = exact.select_nth_unstable_by(depth - 1, |a, b| b.total_cmp(a));
    let count = scored.len() as f32;
    let errors = || scored.iter().map(|unit| unit.exact - unit.estimate);
    let mean = errors().sum::<f32>() / count;
    let deviation = (errors().map(|error| (error - mean).powi(2)).sum::<f32>() / count).sqrt();
    // The best by estimate are those that were estimated too high; the others need not be.
    worst - mean.max(0.0) - PLAUSIBLE * deviation
}

impl<'s> NearSentences<'s> {
    /// Finds the sentences that are most like the question, about as many as wanted.
    fn look_for(&mut self, wanted: usize) {
        let is_asked = |block: &usize| self.findable.finds_any(sentences_of(self.atlas, *block));
        let asked: Vec<usize> = (0..self.sketch.blocks()).filter(is_asked).collect();
        let by_signs = self.least_of_largest(&asked, wanted.saturating_mul(BY_SIGNS));
        let looked_at: Vec<usize> = asked.into_iter().filter(|&block| self.rows.largest[block] >= by_signs).collect();
        for &block in &looked_at {
            self.refine(block);
        }
        // Lower bits only add: what was not refined is hardly among the best.
        let least = self.least_of_largest(&looked_at, wanted);
        let likenesses = self.rows.likenesses.as_flattened();
        let promising = looked_at.into_iter().filter(|&block| self.rows.largest[block] >= least);
        let promising = promising.flat_map(|block| sentences_of(self.atlas, block));
        let promising = promising.filter(|&sentence| likenesses[sentence as usize] >= least);
        self.promising = promising.filter(|&sentence| self.may_be_found(sentence)).collect();
    }

    /// What about so many of the largest likenesses of sentences in these blocks are at least.
    fn least_of_largest(&self, blocks: &[usize], count: usize) -> u16 {
        // Neighbours are alike: a few sentences of every block, or one of some, tell more than all of a few blocks.
        let of_block = (SAMPLE / blocks.len().max(1)).clamp(1, ROWS_TOGETHER);
        let (step, step_of_blocks) = (ROWS_TOGETHER / of_block, (blocks.len() / SAMPLE).max(1));
        let some = blocks.iter().step_by(step_of_blocks);
        let some = some.flat_map(|&block| sentences_of(self.atlas, block).skip(block % step).step_by(step));
        let likenesses = self.rows.likenesses.as_flattened();
        let mut sample: Vec<u16> =
            some.filter(|row| self.may_be_found(*row)).map(|row| likenesses[row as usize]).collect();
        let at = count / (step * step_of_blocks);
        if at < sample.len() { *sample.select_nth_unstable_by(at, |a, b| b.cmp(a)).1 } else { 0 }
    }

    fn may_be_found(&self, sentence: u32) -> bool {
        self.findable.finds_sentence(self.atlas, sentence)
    }

    /// Looks at both bits of a block, unless that was done.
    fn refine(&mut self, block: usize) {
        if self.refined.insert(block as u32) {
            self.rows.largest[block] = self.sketch.refine(&self.tables, block, &mut self.rows.likenesses[block]);
        }
    }

    /// The estimate of a sentence's cosine.
    fn cosine(&self, text: usize) -> f32 {
        self.tables.cosine(self.rows.likenesses.as_flattened()[text])
    }

    /// The document that holds a sentence.
    fn holder(&mut self, text: usize) -> &'s AtlasEntry<'static> {
        self.place = self.atlas.holder_near(text as u32, self.place);
        self.atlas.document(self.place)
    }
}

/// The sentences of a block of the sketch.
fn sentences_of(atlas: &Atlas<'_>, block: usize) -> Range<u32> {
    let end = ((block + 1) * ROWS_TOGETHER).min(atlas.sentences());
    (block * ROWS_TOGETHER) as u32..end as u32
}

#[inline]
fn cosine(own: f32, context: f32, length: f32) -> f32 {
    if length > 0.0 { (own + context) / length } else { 0.0 }
}

fn each_document(atlas: &Atlas<'_>, allowed: Option<&Allowed>, each: impl FnMut(usize)) {
    match allowed {
        None => (0..atlas.count()).for_each(each),
        Some(allowed) => allowed.runs.iter().cloned().flatten().for_each(each),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::document::Layer;
    use crate::store::contract::{DIMENSIONS, EMBEDDER, document, vector};
    use crate::store::embedded::EmbeddedStore;
    use crate::store::{Ask, DocumentSet, Leg, Manifest, Run, Store};
    use std::collections::HashSet;
    use std::path::Path;

    /// An index of sentences of four words of some eighty, the same each time.
    pub fn many_sentences(folder: &Path) -> EmbeddedStore {
        let store = EmbeddedStore::open_or_create(folder, &Manifest::new(EMBEDDER, DIMENSIONS)).unwrap();
        let mut writer = store.writer().unwrap();
        for number in 0..300 {
            let word = |at: usize| format!("word{}", (number * 7919 + at * 104_729 + number * at * 31) % 83);
            let sentence = |at: usize| format!("{} {} {} {}.", word(at), word(at + 17), word(at + 40), word(at + 90));
            let text = (0..10).map(sentence).collect::<Vec<_>>().join(" ");
            writer.put(&document(&format!("d{number}"), &text)).unwrap();
        }
        writer.finish().unwrap();
        store
    }

    #[test]
    fn what_is_estimated_is_nearly_what_is_exact() {
        let folder = tempfile::tempdir().unwrap();
        let store = many_sentences(folder.path());
        let snapshots = [Scan::Exact, Scan::Approximate].map(|scan| {
            store.set_scan(scan);
            store.snapshot().unwrap()
        });
        let rankings = [Layer::Sentence, Layer::Window(2), Layer::Paragraph].map(|layer| (Leg::Dense, layer));
        let third: DocumentSet = snapshots[0].numbers().into_iter().filter(|number| number % 3 == 1).collect();
        let (mut same, mut all) = (0, 0);
        for (number, allowed) in (0..40).flat_map(|number| [(number, None), (number, Some(&third))]) {
            let question = format!("word{} word{}", number * 2, number + 1);
            let ask = Ask {
                text: &question,
                vector: &vector(&question),
                rankings: &rankings,
                allowed,
                sections: None,
                fields: None,
                depth: 10,
            };
            let [exact, estimated] = [0, 1].map(|at| snapshots[at].search(&ask).unwrap());
            for (exact, estimated) in exact.iter().zip(&estimated) {
                let runs: HashSet<Run> = estimated.iter().map(|unit| unit.run).collect();
                // Units of one score may come in any number: what counts is that none is worse.
                let least = exact.last().map_or(0.0, |unit| unit.score);
                assert_eq!(runs.len(), exact.len());
                assert!(runs.iter().all(|run| allowed.is_none_or(|allowed| allowed.contains(run.document))));
                same += estimated.iter().filter(|unit| unit.score >= least).count();
                all += exact.len();
            }
        }
        assert!(same * 100 >= all * 99, "{same} of {all}");
    }

    #[test]
    fn questions_that_are_asked_together_find_what_each_finds() {
        let folder = tempfile::tempdir().unwrap();
        let store = many_sentences(folder.path());
        store.set_scan(Scan::Approximate);
        let snapshot = store.snapshot().unwrap();
        let rankings = [(Leg::Dense, Layer::Sentence), (Leg::Dense, Layer::Window(2)), (Leg::Lexical, Layer::Sentence)];
        let third: DocumentSet = snapshot.numbers().into_iter().filter(|number| number % 3 == 1).collect();
        let questions = ["word3 word4", "word80", "word7 d17", "word9 word12"].map(|text| (text, vector(text)));
        let asks: Vec<Ask<'_>> = questions
            .iter()
            .zip([None, Some(&third), None, None])
            .map(|((text, vector), allowed)| {
                let (rankings, sections, fields) = (&rankings, None, None);
                Ask { text, vector, rankings, allowed, sections, fields, depth: 10 }
            })
            .collect();
        let together = snapshot.search_all(&asks).unwrap();
        for (ask, together) in asks.iter().zip(together) {
            assert!(together.iter().all(|ranking| ranking.len() == 10));
            assert_eq!(together, snapshot.search(ask).unwrap(), "{}", ask.text);
        }
    }
}
