//! A question with parts: each part has its share of the budget.
//!
//! Asked as one, "2022年澳网男单和女单冠军分别是谁" finds the sentences that say most of it, and these are often about one
//! of the two. So each part is searched for by itself as well, and a hit is worth what it is for the part that it
//! answers best. A part may have lost its subject, so the whole question counts as much.
//!
//! Measured with `benches/parts.py`: of `wiki2`, in 2,000 tokens, .825 → .900 have their whole answer, of `rgb_zh_int`
//! .78 → .82, of `dragon_zh` .790 → .803; other sets stay. Half the weight and twice the weight of the whole question
//! were tried on the same sets.

use super::fuse::Hit;
use crate::store::Run;
use rustc_hash::FxHashMap;

/// The hits of a question and of its parts, best first; the best score stays what it was.
pub fn together(whole: Vec<Hit>, parts: &[Vec<Hit>]) -> Vec<Hit> {
    if parts.is_empty() {
        return whole;
    }
    let best = whole.first().map_or(0.0, |hit| hit.score);
    let scores: FxHashMap<Run, f32> = whole.iter().map(|hit| (hit.run, hit.score)).collect();
    let mut together: FxHashMap<Run, Hit> = whole.into_iter().map(|hit| (hit.run, hit)).collect();
    for part in parts {
        let both = |hit: &Hit| hit.score + scores.get(&hit.run).copied().unwrap_or(0.0);
        let highest = part.iter().map(both).fold(f32::MIN_POSITIVE, f32::max);
        for hit in part {
            let score = best * both(hit) / highest;
            let known = together.entry(hit.run).or_insert(Hit { score, ..*hit });
            known.score = known.score.max(score);
        }
    }
    let mut hits: Vec<Hit> = together.into_values().collect();
    hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.run.cmp(&b.run)));
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Layer;
    use proptest::prelude::*;

    fn hit(at: u32, score: f32) -> Hit {
        Hit { run: Run { document: 1, first: at, end: at + 1, anchor: at }, layer: Layer::Sentence, score }
    }

    #[test]
    fn the_best_of_each_part_comes_before_the_second_of_another() {
        let whole = vec![hit(1, 4.0), hit(2, 3.0), hit(3, 1.0)];
        let parts = [vec![hit(1, 4.0), hit(2, 3.0)], vec![hit(3, 4.0)]];
        let order: Vec<u32> = together(whole, &parts).iter().map(|hit| hit.run.first).collect();
        assert_eq!(order, [1, 3, 2]);
    }

    proptest! {
        #[test]
        fn no_hit_is_lost_and_the_best_score_stays(
            whole in prop::collection::vec(0.01..4.0f32, 1..30),
            part in prop::collection::vec((0..60u32, 0.01..4.0f32), 0..30)
        ) {
            let mut whole: Vec<Hit> = (0..).zip(whole).map(|(at, score)| hit(at, score)).collect();
            whole.sort_by(|a, b| b.score.total_cmp(&a.score));
            let part: Vec<Hit> = part.into_iter().map(|(at, score)| hit(at, score)).collect();
            let both = together(whole.clone(), std::slice::from_ref(&part));
            prop_assert!((both[0].score - whole[0].score).abs() < 1e-4);
            prop_assert!(both.windows(2).all(|pair| pair[0].score >= pair[1].score));
            prop_assert!(whole.iter().chain(&part).all(|hit| both.iter().any(|other| other.run == hit.run)));
        }
    }
}
