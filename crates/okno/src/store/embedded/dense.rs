//! Dense search: the cosine of a question with the units of any layer, from one scan of the sentences.
//!
//! A unit's dot product is the sum of its sentences' plus its section's context, over one length. Title and headings
//! are added once per unit, so that a window of five sentences does not count the title five times. Where a filter
//! leaves some documents, only their vectors are read.

use super::atlas::{Allowed, Atlas};
use super::best::{Best, Candidate};
use super::units::Units;
use super::vectors::Question;

/// The dot products of a question with every text of the row and every section's context.
pub struct Dots {
    texts: Vec<f32>,
    sections: Vec<f32>,
}

impl Dots {
    /// Scans the vectors of all allowed documents; those of derived texts only where they are asked for.
    pub fn new(atlas: &Atlas<'_>, vector: &[f32], derived: bool, allowed: Option<&Allowed>) -> Self {
        let question = Question::new(vector);
        let mut dots = Self { texts: vec![0.0; atlas.texts()], sections: vec![0.0; atlas.sections()] };
        match allowed {
            None => (0..atlas.documents.len()).for_each(|at| dots.scan(atlas, at, &question, derived)),
            Some(allowed) => allowed.documents.iter().for_each(|&at| dots.scan(atlas, at, &question, derived)),
        }
        dots
    }

    fn scan(&mut self, atlas: &Atlas<'_>, at: usize, question: &Question, derived: bool) {
        let entry = &atlas.documents[at];
        entry.vectors.dots(question, 0, &mut self.texts[entry.sentences()]);
        entry.vectors.dots(question, entry.structure.sentences.len(), &mut self.sections[entry.sections()]);
        if derived {
            entry.derived_vectors.dots(question, 0, &mut self.texts[atlas.derived_texts(entry)]);
        }
    }

    /// The units most like the question.
    pub fn best(&self, units: &Units, allowed: Option<&Allowed>, depth: usize) -> Vec<Candidate> {
        // Where a filter leaves few documents, all of them are an answer, the unlike ones last.
        let mut best = Best::new(depth, if allowed.is_some() { f32::NEG_INFINITY } else { 0.0 });
        let mut offer = |unit: usize| {
            if allowed.is_none_or(|allowed| allowed.finds(units.section[unit])) {
                best.offer(self.score(units, unit), unit as u32);
            }
        };
        match allowed {
            None => (0..units.count()).for_each(&mut offer),
            Some(allowed) => allowed.documents.iter().for_each(|&at| units.of_document(at).for_each(&mut offer)),
        }
        best.ranked()
    }

    /// The cosine of a unit with the question.
    #[inline]
    fn score(&self, units: &Units, unit: usize) -> f32 {
        let own = self.texts[units.texts(unit)].iter().sum::<f32>();
        match units.lengths.get(unit) {
            None => own,
            Some(&length) if length > 0.0 => (own + self.sections[units.section[unit] as usize]) / length,
            Some(_) => 0.0,
        }
    }
}
