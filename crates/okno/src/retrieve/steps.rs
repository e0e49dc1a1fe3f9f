//! Steps that `auto` may take, the most worth first: a queue whose entries change their worth.

use crate::store::DocumentNumber;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Sentences to be taken together.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceStep {
    /// The document.
    pub document: DocumentNumber,
    /// The sentences.
    pub sentences: Range<u32>,
}

/// What a step would bring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepGain {
    /// What it costs of the budget.
    pub cost: usize,
    /// The probability gained.
    pub mass: f32,
    /// The same for its cost.
    pub worth: f32,
}

/// The steps that are left. An entry of the heap whose worth is not the step's any more is passed over.
#[derive(Debug, Default)]
pub struct StepQueue {
    steps: Vec<Option<(SentenceStep, StepGain)>>,
    /// Where those of each document are.
    of_document: FxHashMap<DocumentNumber, Vec<usize>>,
    heap: BinaryHeap<QueuedStep>,
}

impl StepQueue {
    /// Adds a step.
    pub fn push(&mut self, step: SentenceStep, gain: StepGain) {
        self.heap.push(QueuedStep::new(&step, gain, self.steps.len()));
        self.of_document.entry(step.document).or_default().push(self.steps.len());
        self.steps.push(Some((step, gain)));
    }

    /// Takes out the step that is worth most; the first in the documents among equals.
    pub fn pop(&mut self) -> Option<(SentenceStep, StepGain)> {
        while let Some(best) = self.heap.pop() {
            let entry = &mut self.steps[best.at];
            if entry.as_ref().is_some_and(|(_, gain)| gain.worth.to_bits() == best.worth.to_bits()) {
                return entry.take();
            }
        }
        None
    }

    /// Weighs anew the steps of a document that are near another; those that cost nothing any more are dropped.
    pub fn weigh(
        &mut self,
        document: DocumentNumber,
        near: impl Fn(&SentenceStep) -> bool,
        gain: impl Fn(&SentenceStep) -> StepGain,
    ) {
        for &at in self.of_document.get(&document).into_iter().flatten() {
            let entry = &mut self.steps[at];
            let Some((step, known)) = entry else { continue };
            if !near(step) {
                continue;
            }
            *known = gain(step);
            if known.cost == 0 {
                *entry = None;
            } else {
                self.heap.push(QueuedStep::new(step, *known, at));
            }
        }
    }
}

#[derive(Debug)]
struct QueuedStep {
    worth: f32,
    place: (DocumentNumber, u32, u32),
    at: usize,
}

impl QueuedStep {
    fn new(step: &SentenceStep, gain: StepGain, at: usize) -> Self {
        Self { worth: gain.worth, place: (step.document, step.sentences.start, step.sentences.end), at }
    }
}

impl Ord for QueuedStep {
    fn cmp(&self, other: &Self) -> Ordering {
        self.worth.total_cmp(&other.worth).then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for QueuedStep {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QueuedStep {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for QueuedStep {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step(at: u32) -> SentenceStep {
        SentenceStep { document: 1, sentences: at..at + 1 }
    }

    fn gain(worth: f32) -> StepGain {
        StepGain { cost: 1, mass: worth, worth }
    }

    proptest! {
        #[test]
        fn the_most_worth_comes_first_also_after_a_change(
            worths in prop::collection::vec(0u8..5, 1..30), changed in prop::collection::vec(0u8..5, 30)
        ) {
            let mut queue = StepQueue::default();
            for (at, &worth) in (0..).zip(&worths) {
                queue.push(step(at), gain(f32::from(worth)));
            }
            let first = queue.pop().unwrap();
            let now = |step: &SentenceStep| gain(f32::from(changed[step.sentences.start as usize]));
            queue.weigh(1, |step| step.sentences.start.is_multiple_of(2), now);
            let worth = |at: u32| if at.is_multiple_of(2) { changed[at as usize] } else { worths[at as usize] };
            let mut left: Vec<u32> = (0..worths.len() as u32).filter(|&at| at != first.0.sentences.start).collect();
            left.sort_by_key(|&at| (std::cmp::Reverse(worth(at)), at));
            let popped: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|(step, _)| step.sentences.start).collect();
            prop_assert_eq!(popped, left);
        }
    }

    #[test]
    fn what_costs_nothing_is_dropped() {
        let mut queue = StepQueue::default();
        queue.push(step(0), gain(1.0));
        queue.push(step(1), gain(2.0));
        queue.push(SentenceStep { document: 2, ..step(1) }, gain(0.5));
        queue.weigh(1, |step| step.sentences.start == 1, |_| StepGain { cost: 0, ..gain(3.0) });
        assert_eq!(queue.pop().map(|(step, _)| step.sentences.start), Some(0));
        assert_eq!(queue.pop().map(|(step, _)| step.document), Some(2), "steps of other documents stay");
        assert_eq!(queue.pop(), None);
    }
}
