//! The tokenizer's last step: a run of letters comes in, the ids of its most probable pieces go out (Unigram, found
//! by Viterbi).
//!
//! Scores are summed in `f64`, starts are tried from left to right and only a strictly better path replaces another,
//! because the ids must be those of the library the model was trained with, ties included. The work is the run's
//! length times the longest piece, 18 bytes in the first model, so that a megabyte without a space takes no longer
//! per byte than a word.

use crate::packed::Trie;
use std::ops::Range;

/// Start of a path that nothing reached yet.
const UNREACHED: u32 = u32::MAX;

/// The best way found to one end: its score, where its last piece starts, that piece.
#[derive(Clone, Copy)]
pub(super) struct BestPath {
    score: f64,
    start: u32,
    id: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Unigram<'a> {
    pub pieces: Trie<'a>,
    /// `f64` log-probabilities by id.
    pub scores: &'a [[u8; 8]],
    pub unknown: u32,
    pub unknown_score: f64,
    /// Longest piece in bytes: where a damaged trie would lead on for ever, this ends the walk.
    pub longest: usize,
}

impl Unigram<'_> {
    /// Appends the ids of one run; neighbouring unknown characters make one unknown id.
    pub fn encode(&self, run: &str, best: &mut Vec<BestPath>, ids: &mut Vec<u32>) {
        best.clear();
        best.resize(run.len() + 1, BestPath { score: 0.0, start: UNREACHED, id: self.unknown });
        for (start, c) in run.char_indices() {
            self.extend_paths(run.as_bytes(), start, c.len_utf8(), best);
        }
        self.trace_back(best, ids);
    }

    /// The most probable pieces of a run: where they stand, and their ids.
    pub fn pieces(&self, run: &str) -> Vec<(Range<usize>, u32)> {
        let mut best = vec![BestPath { score: 0.0, start: UNREACHED, id: self.unknown }; run.len() + 1];
        for (start, c) in run.char_indices() {
            self.extend_paths(run.as_bytes(), start, c.len_utf8(), &mut best);
        }
        let mut pieces = Vec::new();
        let mut end = run.len();
        while end > 0 {
            let BestPath { start, id, .. } = best[end];
            pieces.push((start as usize..end, id));
            end = start as usize;
        }
        pieces.reverse();
        pieces
    }

    /// All pieces that begin at `start`, and the unknown one if none is this one character.
    #[inline]
    fn extend_paths(&self, run: &[u8], start: usize, character: usize, best: &mut [BestPath]) {
        let (before, mut node, mut known) = (best[start].score, self.pieces.root(), false);
        for (end, byte) in (start + 1..).zip(run[start..].iter().take(self.longest)) {
            let Some(next) = self.pieces.child(node, *byte) else { break };
            node = next;
            let Some((id, score)) = self.pieces.value(node).and_then(|id| Some((id, self.score(id)?))) else {
                continue;
            };
            offer(&mut best[end], score + before, start, id);
            known |= end == start + character;
        }
        if !known {
            offer(&mut best[start + character], self.unknown_score + before, start, self.unknown);
        }
    }

    #[inline]
    fn score(&self, id: u32) -> Option<f64> {
        self.scores.get(id as usize).map(|bytes| f64::from_le_bytes(*bytes))
    }

    fn trace_back(&self, best: &[BestPath], ids: &mut Vec<u32>) {
        let (first, mut end) = (ids.len(), best.len() - 1);
        while end > 0 {
            let BestPath { start, id, .. } = best[end];
            let fused = id == self.unknown && ids.len() > first && ids.last() == Some(&id);
            if !fused {
                ids.push(id);
            }
            end = start as usize;
        }
        ids[first..].reverse();
    }
}

#[inline]
fn offer(target: &mut BestPath, score: f64, start: usize, id: u32) {
    if target.start == UNREACHED || score > target.score {
        *target = BestPath { score, start: start as u32, id };
    }
}
