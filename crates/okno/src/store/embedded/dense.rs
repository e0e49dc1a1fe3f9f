//! Dense search: the cosine of a question with the units of any layer, from one scan of the sentences.
//!
//! A unit's dot product is the sum of its sentences' plus its section's context, over one length. Title and headings
//! are added once per unit, so that a window of five sentences does not count the title five times. Where a filter
//! leaves some documents, only their vectors are read.
//!
//! A scan is exact unless [`Scan`] says otherwise. An approximate one estimates all units from a [`Sketch`] a quarter
//! the size of the vectors, and scores the [`CANDIDATES`] best of each layer exactly; `cargo bench --bench scale --
//! recall` prints what that finds of an exact scan.

use super::atlas::{Allowed, Atlas};
use super::best::{BestUnits, ScoredUnit};
use super::sketch::{Coarse, Sketch};
use super::units::Units;
use super::vectors::QuestionVector;
use std::ops::Range;

/// Sentences that [`Scan::Auto`] scans exactly; a filter that leaves fewer makes a scan of any index exact.
const EXACT_UP_TO: usize = 300_000;

/// How many units of each layer are scored exactly after an estimate, at least; and for each unit wanted.
const CANDIDATES: usize = 2000;
const CANDIDATES_EACH: usize = 10;

/// How dense search reads the vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scan {
    /// Exactly while that is fast, by estimate and exact scores for the best beyond.
    Auto,
    /// Every vector, whatever it costs.
    #[default]
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

/// The dot products of a question with every text of the row and every section's context.
pub struct Dots<'s> {
    texts: Vec<f32>,
    sections: Vec<f32>,
    /// Where those of sentences and sections are estimates: how to find the exact ones.
    exact: Option<Exact<'s>>,
}

/// Exact dot products of a few units.
struct Exact<'s> {
    atlas: &'s Atlas<'s>,
    question: QuestionVector,
}

impl<'s> Dots<'s> {
    /// Scans the vectors of all allowed documents; those of derived texts only where they are asked for.
    pub fn new(atlas: &Atlas<'_>, vector: &[f32], derived: bool, allowed: Option<&Allowed>) -> Self {
        let question = QuestionVector::new(vector);
        let mut dots = Self { texts: vec![0.0; atlas.texts()], sections: vec![0.0; atlas.sections()], exact: None };
        each_document(atlas, allowed, |at| {
            let entry = &atlas.documents[at];
            let sentences = entry.sentences().len();
            entry.vectors.dots(&question, 0, &mut dots.texts[entry.sentences()]);
            entry.vectors.dots(&question, sentences, &mut dots.sections[entry.sections()]);
        });
        dots.with_derived(atlas, &question, derived, allowed)
    }

    /// Estimates all of them but those of derived texts, which are few.
    pub fn estimated(
        atlas: &'s Atlas<'_>,
        sketch: &Sketch,
        vector: &[f32],
        derived: bool,
        allowed: Option<&Allowed>,
    ) -> Self {
        let (question, coarse) = (QuestionVector::new(vector), Coarse::new(vector));
        let mut texts = sketch.sentences.estimates(&coarse);
        texts.resize(atlas.texts(), 0.0);
        let dots = Self { texts, sections: sketch.sections.estimates(&coarse), exact: None };
        let dots = dots.with_derived(atlas, &question, derived, allowed);
        Self { exact: Some(Exact { atlas, question }), ..dots }
    }

    fn with_derived(
        mut self,
        atlas: &Atlas<'_>,
        question: &QuestionVector,
        asked: bool,
        allowed: Option<&Allowed>,
    ) -> Self {
        if asked {
            each_document(atlas, allowed, |at| {
                let entry = &atlas.documents[at];
                entry.derived_vectors.dots(question, 0, &mut self.texts[atlas.derived_texts(entry)]);
            });
        }
        self
    }

    /// The units most like the question.
    pub fn best(&self, units: &Units, allowed: Option<&Allowed>, depth: usize) -> Vec<ScoredUnit> {
        // Where a filter leaves few documents, all of them are an answer, the unlike ones last.
        let floor = if allowed.is_some() { f32::NEG_INFINITY } else { 0.0 };
        let Some(exact) = self.exact.as_ref().filter(|_| !units.lengths.is_empty()) else {
            return self.scan(units, allowed, depth, floor);
        };
        let mut best = BestUnits::new(depth, floor);
        let candidates = CANDIDATES.max(depth.saturating_mul(CANDIDATES_EACH));
        for (_, unit) in self.scan(units, allowed, candidates, f32::NEG_INFINITY) {
            best.offer(exact.score(units, unit as usize), unit);
        }
        best.ranked()
    }

    fn scan(&self, units: &Units, allowed: Option<&Allowed>, depth: usize, floor: f32) -> Vec<ScoredUnit> {
        let mut best = BestUnits::new(depth, floor);
        let mut offer = |range: Range<usize>| {
            self.each_score(units, range, |unit, score| {
                // Nearly all are worse: what is allowed is asked of the others.
                if best.may_take(score) && allowed.is_none_or(|allowed| allowed.finds(units.section[unit])) {
                    best.offer(score, unit as u32);
                }
            });
        };
        match allowed {
            None => offer(0..units.count()),
            Some(allowed) => allowed.runs.iter().for_each(|run| offer(units.of_documents(run.clone()))),
        }
        best.ranked()
    }

    /// The cosines of units with the question, or their estimates.
    #[inline]
    fn each_score(&self, units: &Units, range: Range<usize>, mut each: impl FnMut(usize, f32)) {
        if units.lengths.is_empty() {
            return units.each_sum(&self.texts, range, each);
        }
        units.each_sum(&self.texts, range, |unit, own| {
            each(unit, cosine(own, self.sections[units.section[unit] as usize], units.lengths[unit]));
        });
    }
}

#[inline]
fn cosine(own: f32, context: f32, length: f32) -> f32 {
    if length > 0.0 { (own + context) / length } else { 0.0 }
}

fn each_document(atlas: &Atlas<'_>, allowed: Option<&Allowed>, each: impl FnMut(usize)) {
    match allowed {
        None => (0..atlas.documents.len()).for_each(each),
        Some(allowed) => allowed.runs.iter().cloned().flatten().for_each(each),
    }
}

impl Exact<'_> {
    /// The same number as an exact scan gives.
    fn score(&self, units: &Units, unit: usize) -> f32 {
        let texts = units.texts(unit);
        let entry = self.atlas.holder(texts.start as u32);
        let section = units.section[unit] - entry.first_section;
        let (mut own, mut context) = (vec![0.0; texts.len()], [0.0]);
        entry.vectors.dots(&self.question, texts.start - entry.first as usize, &mut own);
        entry.vectors.dots(&self.question, entry.sentences().len() + section as usize, &mut context);
        cosine(own.iter().sum(), context[0], units.lengths[unit])
    }
}
