//! Numbered steps begin at the first one: what is less likely to answer makes room for it.

use super::super::blocks;
use super::super::steps::SentenceStep;
use super::super::views::View;
use super::{Filling, LONGEST, SentencePlace, scaled};
use crate::store::DocumentNumber;
use std::ops::Range;

/// What may go from the end of a piece for the first steps before it, as a share of its probability. Seen on one
/// recipe; no figure of `benches/quality.py`, `parts.py` or `natural.py` moves with it or without.
const MOST_DROPPED: f32 = 0.25;

impl Filling<'_, '_> {
    /// Gives numbered steps whose first ones were not taken these too, in place of what stands at the end of their
    /// piece: who is told how something is done begins at the beginning.
    pub(super) fn begin_at_first_steps(&mut self, new: &mut Vec<SentencePlace>, budget: usize) {
        let mut runs: Vec<(DocumentNumber, Range<u32>)> =
            new.iter().filter_map(|place| Some((place.0, self.runs.get(place)?.clone()))).collect();
        runs.sort_unstable_by_key(|(document, run)| (*document, run.start));
        runs.dedup();
        for (document, run) in runs {
            let Some((missing, dropped)) = self.first_steps_for_last(document, run, budget) else { continue };
            let cost = |sentences: &Range<u32>| {
                self.views[&document].structure.tokens(sentences.start as usize..sentences.end as usize)
            };
            self.spent = self.spent + cost(&missing) - cost(&dropped);
            new.retain(|place| place.0 != document || !dropped.contains(&place.1));
            new.extend(missing.clone().map(|at| (document, at)));
            for at in dropped.clone() {
                self.taken.remove(&(document, at));
            }
            self.taken.extend(missing.map(|at| ((document, at), self.stage)));
            if !dropped.is_empty() {
                self.later.push(SentenceStep { document, sentences: dropped });
            }
        }
    }

    /// The first steps of a run that are missing, and what of the piece behind them makes room for them: what is less
    /// likely to answer.
    fn first_steps_for_last(
        &self,
        document: DocumentNumber,
        run: Range<u32>,
        budget: usize,
    ) -> Option<(Range<u32>, Range<u32>)> {
        let View { structure, text } = &self.views[&document];
        let tokens = |sentences: Range<u32>| structure.tokens(sentences.start as usize..sentences.end as usize);
        let is_new = |at: &u32| self.taken.get(&(document, *at)) == Some(&self.stage);
        let first = run.clone().find(|&at| self.taken.contains_key(&(document, at)))?;
        let missing = run.start..first;
        let is_step = |at: u32| blocks::is_numbered(structure.sentences[at as usize].span.of(text));
        if !missing.clone().any(is_step) || !is_step(first) {
            return None;
        }
        let end = first + (first..structure.sentences.len() as u32).take_while(is_new).count() as u32;
        let likely = |at: &u32| self.likely.get(&(document, *at)).copied().unwrap_or(0.0);
        let best = (first..end).max_by(|a, b| likely(a).total_cmp(&likely(b)))?;
        let cost = tokens(missing.clone());
        let fits = |&kept: &u32| {
            let heading = structure.sentences[kept as usize - 1].heading;
            let spent = self.spent + cost - tokens(kept..end);
            !heading && spent <= budget && tokens(run.start..kept) <= scaled(LONGEST, self.scale)
        };
        let kept = (best + 1..=end).rev().find(fits)?;
        let mass = |sentences: Range<u32>| sentences.map(|at| likely(&at)).sum::<f32>();
        (mass(kept..end) <= MOST_DROPPED * mass(first..end)).then_some((missing, kept..end))
    }
}
