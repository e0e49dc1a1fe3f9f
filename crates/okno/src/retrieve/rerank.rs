//! Reranking: the best hits are read once more, together with the question, by something slower and wiser than the
//! legs.
//!
//! Hits come in best first, the same hits go out in another order. Only the first `depth` are read; what comes after
//! stays after. The new score is a blend: the fused score and the reranker's, each brought to 0 … 1 within the hits
//! that were read, times the best fused score, so that whatever follows – `auto` makes probabilities of scores – sees
//! numbers of the size it knows. What is read is the hit itself, before it grows, with the sentences next to it in
//! its block: a sentence alone often does not say what it is about.

use super::fuse::Hit;
use super::recipe::Rerank;
use super::views::{View, Views};
pub use crate::error::RerankError;
use crate::store::Run;
use crate::{Error, Result};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::fmt;

/// Says how well passages answer a question.
pub trait Reranker: Send + Sync {
    /// Name and version, for reports.
    fn identity(&self) -> &str;

    /// One number for each passage, in their order: the larger, the better it answers. Any scale will do, also one
    /// that differs from question to question. No passages, no numbers.
    fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError>;
}

impl fmt::Debug for dyn Reranker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.identity())
    }
}

/// What reranking did to one hit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Moved {
    /// Its place before, from 1.
    pub before: usize,
    /// Its place after.
    pub after: usize,
    /// The reranker's own score.
    pub score: f32,
}

/// What reranking did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reranked {
    /// By whom.
    pub by: String,
    /// How many were to be read, and what that weighs.
    pub how: Rerank,
    /// How many hits were read.
    pub read: usize,
    /// Whether it found several of them all alike, as one does whose answer holds no order: then nothing moved.
    pub undecided: bool,
    /// Each hit that was read, and where it went.
    pub moved: FxHashMap<Run, Moved>,
}

/// Reranks hits that come best first.
pub(super) fn rerank(
    hits: &[Hit],
    reranker: &dyn Reranker,
    how: Rerank,
    question: &str,
    views: &Views<'_>,
) -> Result<(Vec<Hit>, Reranked)> {
    let read = &hits[..hits.len().min(how.depth)];
    let passages: Vec<&str> = read.iter().map(|hit| passage(hit, &views[&hit.run.document])).collect();
    let failed = |reason: RerankError| Error::Reranking { name: reranker.identity().to_owned(), reason };
    let scores = if read.is_empty() { Ok(Vec::new()) } else { reranker.scores(question, &passages) };
    let scores = scores.map_err(failed)?;
    if scores.len() != read.len() || scores.iter().any(|score| !score.is_finite()) {
        return Err(failed(RerankError::Scores { got: scores.len(), passages: read.len() }));
    }
    Ok(blended(hits, &scores, how, reranker.identity()))
}

/// The hits in the order of the blended scores, of which the first `scores.len()` have one.
fn blended(hits: &[Hit], scores: &[f32], how: Rerank, by: &str) -> (Vec<Hit>, Reranked) {
    let blend = how.blend;
    let best = hits.first().map_or(0.0, |hit| hit.score);
    let shares = shares(scores);
    let mut read: Vec<(usize, Hit)> = hits.iter().copied().take(scores.len()).enumerate().collect();
    for ((_, hit), share) in read.iter_mut().zip(shares) {
        hit.score = (1.0 - blend) * hit.score + blend * share * best;
    }
    read.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
    let moved = read.iter().enumerate().map(|(after, &(before, hit))| {
        (hit.run, Moved { before: before + 1, after: after + 1, score: scores[before] })
    });
    let undecided = scores.len() > 1 && scores.iter().all(|score| score.total_cmp(&scores[0]).is_eq());
    let reranked = Reranked { by: by.to_owned(), how, read: scores.len(), undecided, moved: moved.collect() };
    // What was not read must not overtake what was.
    let floor = read.last().map_or(f32::INFINITY, |(_, hit)| hit.score);
    let rest = hits[scores.len()..].iter().map(|&hit| Hit { score: hit.score.min(floor), ..hit });
    (read.into_iter().map(|(_, hit)| hit).chain(rest).collect(), reranked)
}

/// Scores from 0, the worst, to 1, the best; all 1 where they are equal.
pub(super) fn shares(scores: &[f32]) -> impl Iterator<Item = f32> {
    let worst = scores.iter().copied().fold(f32::INFINITY, f32::min);
    let reach = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max) - worst;
    scores.iter().map(move |score| if reach > 0.0 { (score - worst) / reach } else { 1.0 })
}

/// What is read of a hit: a slice of its document.
fn passage<'v>(hit: &Hit, view: &'v View<'_>) -> &'v str {
    let own = hit.run.sentences();
    let around = super::auto::block(hit.run.anchor, view);
    let sentences = own.start.min(around.start as usize)..own.end.max(around.end as usize);
    view.structure.span(sentences).of(&view.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Layer;
    use proptest::prelude::*;

    fn hits(scores: &[f32]) -> Vec<Hit> {
        let run = |i: u32| Run { document: 1, first: i, end: i + 1, anchor: i };
        (0..).zip(scores).map(|(i, &score)| Hit { run: run(i), layer: Layer::Sentence, score }).collect()
    }

    #[test]
    fn a_blend_of_one_is_the_rerankers_order_and_of_nought_the_old_one() {
        let order = |blend| {
            let (hits, reranked) =
                blended(&hits(&[4.0, 3.0, 2.0, 1.0]), &[0.1, 0.9, 0.5], Rerank { blend, depth: 3 }, "x");
            let after: Vec<_> = hits.iter().map(|hit| hit.run.first).collect();
            (after, reranked.moved[&hits[0].run].before)
        };
        assert_eq!(order(0.0), (vec![0, 1, 2, 3], 1));
        assert_eq!(order(1.0), (vec![1, 2, 0, 3], 2));
    }

    #[test]
    fn equal_scores_change_nothing() {
        let (after, reranked) = blended(&hits(&[3.0, 2.0, 1.0]), &[0.4, 0.4, 0.4], Rerank::default(), "x");
        assert!(reranked.undecided && !blended(&after, &[0.4, 0.5], Rerank::default(), "x").1.undecided);
        assert_eq!(after.iter().map(|hit| hit.run.first).collect::<Vec<_>>(), [0, 1, 2]);
    }

    proptest! {
        #[test]
        fn the_same_hits_in_descending_order(
            mut fused in prop::collection::vec(0.01..4.0f32, 0..20),
            scores in prop::collection::vec(-9.0..9.0f32, 0..20), blend in 0.0..=1.0f32
        ) {
            fused.sort_by(|a, b| b.total_cmp(a));
            let scores = &scores[..scores.len().min(fused.len())];
            let (after, reranked) = blended(&hits(&fused), scores, Rerank { blend, depth: 30 }, "x");
            let mut runs: Vec<u32> = after.iter().map(|hit| hit.run.first).collect();
            prop_assert!(after.windows(2).all(|pair| pair[0].score >= pair[1].score));
            prop_assert_eq!(reranked.moved.len(), scores.len());
            runs.sort_unstable();
            prop_assert_eq!(runs, (0..fused.len() as u32).collect::<Vec<_>>());
        }
    }
}
