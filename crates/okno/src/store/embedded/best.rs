//! The best units of a ranking, found in one pass.

use std::cmp::Ordering;

/// A score and the unit that has it.
pub type ScoredUnit = (f32, u32);

/// The best so far and some more; cut back to the best whenever four times as many have come.
pub struct BestUnits {
    units: Vec<ScoredUnit>,
    /// What comes after this, or is it, is certainly not among the best.
    last: ScoredUnit,
    depth: usize,
}

impl BestUnits {
    /// The best `depth` of those with a score above `floor`.
    pub fn new(depth: usize, floor: f32) -> Self {
        Self { units: Vec::with_capacity(depth.saturating_mul(4)), last: (floor, 0), depth }
    }

    /// Whether a unit of this score can be among the best; most cannot.
    #[inline]
    pub fn may_take(&self, score: f32) -> bool {
        score >= self.last.0
    }

    /// Offers a unit, in any order, each once.
    #[inline]
    pub fn offer(&mut self, score: f32, unit: u32) {
        // Nearly all are worse, which one comparison tells.
        if self.may_take(score) && by_score(&(score, unit), &self.last) == Ordering::Less {
            self.units.push((score, unit));
            if self.units.len() >= self.depth * 4 {
                self.cut();
            }
        }
    }

    /// Forgets all but the best, so that fewer others may be among them.
    pub fn cut(&mut self) {
        if self.depth == 0 {
            self.units.clear();
        } else if self.units.len() > self.depth {
            let (_, last, _) = self.units.select_nth_unstable_by(self.depth - 1, by_score);
            self.last = *last;
            self.units.truncate(self.depth);
        }
    }

    /// The best: highest score first, then first in the row.
    pub fn ranked(mut self) -> Vec<ScoredUnit> {
        self.cut();
        self.units.sort_unstable_by(by_score);
        self.units
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what sorting hands over
fn by_score(a: &ScoredUnit, b: &ScoredUnit) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_a_full_sort(
            scores in prop::collection::vec(-3i8..4, 0..200),
            depth in 0..20usize,
            turn in 0..200usize,
        ) {
            let mut units: Vec<ScoredUnit> =
                scores.iter().zip(0..).map(|(&score, unit)| (f32::from(score), unit)).collect();
            let turn = turn.min(units.len());
            units.rotate_left(turn);
            let mut best = BestUnits::new(depth, 0.0);
            for &(score, unit) in &units {
                best.offer(score, unit);
            }
            units.retain(|unit| unit.0 > 0.0);
            units.sort_by(by_score);
            units.truncate(depth);
            prop_assert_eq!(best.ranked(), units);
        }
    }
}
