//! Several rankings become one list of hits.
//!
//! *Reciprocal rank*: every unit once, Σ 1 / (c + rank), ranks from 1; a unit is its document and
//! place, whatever found it. *Relative*: each ranking's scores become shares of its best, 0 at the
//! last place when the ranking is full; shares are weighted and summed on the sentences they speak
//! for. Equal RRF measurably loses the first place to lexical search alone on five of six question
//! sets; relative scores do not. A ranking speaks once for a target: of several derived units that
//! stand for the same sentences, the best counts, and places are places among distinct targets. Ties are broken by
//! document and place, so results never depend on the order in which anything was found.

use super::recipe::Fusion;
use crate::document::Layer;
use crate::store::{DocumentNumber, Leg, Run, Scored};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Why there is a ranking beside those of the question in the whole index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LedBy {
    /// The question names the document.
    Name,
    /// A passage that was found names it.
    Link,
    /// A part of the question was searched for by itself.
    Part,
}

/// One ranking, with what it is and what it weighs.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// Which leg found it.
    pub leg: Leg,
    /// What was ranked.
    pub layer: Layer,
    /// What it weighs in relative fusion.
    pub weight: f32,
    /// Why it is not a ranking of the question in the whole index, where it is not.
    pub led: Option<LedBy>,
    /// The units, best first.
    pub units: Vec<Scored>,
}

/// A unit found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The sentences.
    pub run: Run,
    /// The layer it is a unit of.
    pub layer: Layer,
    /// Its fused score.
    pub score: f32,
}

/// What one ranking gave a hit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// The leg.
    pub leg: Leg,
    /// The layer.
    pub layer: Layer,
    /// The unit: for a derived one, what it stands for.
    #[serde(skip)]
    pub run: Run,
    /// Which of its document's derived units it is, if it is one.
    #[serde(skip)]
    pub derived: Option<u32>,
    /// Why it is not the question in the whole index that found it, where it is not; inside of a named or linked
    /// document, the rank is one among its passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub led: Option<LedBy>,
    /// The place in the ranking, from 1, among distinct targets.
    pub rank: usize,
    /// The leg's own score.
    pub score: f32,
    /// What it added to the fused score; 0 where a better unit of the same target counted.
    pub share: f32,
}

/// The hits of the rankings so far, each once; its shares are added in the order of the rankings.
pub struct FusedHits {
    fusion: Fusion,
    depth: usize,
    hits: Vec<Hit>,
    places: FxHashMap<Run, usize>,
}

impl FusedHits {
    /// No hits yet. `depth` is the length that a ranking has when it is full.
    pub fn new(fusion: Fusion, depth: usize) -> Self {
        Self { fusion, depth, hits: Vec::new(), places: FxHashMap::default() }
    }

    /// Adds rankings to those so far.
    pub fn add(&mut self, rankings: &[Ranking]) {
        let units = rankings.iter().map(|ranking| ranking.units.len()).sum();
        self.hits.reserve(units);
        self.places.reserve(units);
        for ranking in rankings {
            let shared = Shared::new(ranking, self.fusion, self.depth);
            for (at, unit) in places(ranking).filter_map(|(at, first, unit)| first.then_some((at, unit))) {
                let share = shared.of(at, unit);
                match self.fusion {
                    Fusion::ReciprocalRank(_) => self.add_share(unit.run, ranking.layer, share),
                    Fusion::Relative => {
                        spoken_for(ranking.layer, unit.run).for_each(|run| self.add_share(run, Layer::Sentence, share));
                    }
                }
            }
        }
    }

    fn add_share(&mut self, run: Run, layer: Layer, share: f32) {
        let at = *self.places.entry(run).or_insert(self.hits.len());
        match self.hits.get_mut(at) {
            Some(hit) => hit.score += share,
            None => self.hits.push(Hit { run, layer, score: share }),
        }
    }

    /// The score of the best; 0 where there is none.
    pub fn best(&self) -> f32 {
        self.hits.iter().map(|hit| hit.score).fold(0.0, f32::max)
    }

    /// Those with a score, best first.
    pub fn ranked(&self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.hits.iter().filter(|hit| hit.score > 0.0).copied().collect();
        hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.run.cmp(&b.run)));
        hits
    }
}

/// The units of a ranking with their places among distinct targets, and whether each is the first of its target.
fn places(ranking: &Ranking) -> impl Iterator<Item = (usize, bool, &Scored)> {
    // Only derived units share targets; a target is as good as its first unit, whose place it keeps.
    let mut seen: FxHashMap<Run, usize> = FxHashMap::default();
    let mut next = 0;
    ranking.units.iter().map(move |unit| {
        let known = unit.derived.and_then(|_| seen.get(&unit.run).copied());
        let at = known.unwrap_or(next);
        if known.is_none() {
            next += 1;
            if unit.derived.is_some() {
                seen.insert(unit.run, at);
            }
        }
        (at, known.is_none(), unit)
    })
}

/// How rankings came to their hits.
pub struct HitTraces<'r> {
    rankings: &'r [Ranking],
    fusion: Fusion,
    /// What each ranking's places are worth.
    shared: Vec<Shared>,
    /// For each document its units.
    units: FxHashMap<DocumentNumber, Vec<RankedUnit<'r>>>,
}

/// A unit in a ranking.
struct RankedUnit<'r> {
    /// What it stands for, beside the rest: most units of a document are not those of a hit.
    run: Run,
    /// The ranking, the place in it, and whether it is the first of its target.
    of: usize,
    at: usize,
    first: bool,
    unit: &'r Scored,
}

impl<'r> HitTraces<'r> {
    /// The traces of rankings that were fused so.
    pub fn new(rankings: &'r [Ranking], fusion: Fusion, depth: usize) -> Self {
        let mut units: FxHashMap<DocumentNumber, Vec<_>> = FxHashMap::default();
        for (of, ranking) in rankings.iter().enumerate() {
            for (at, first, unit) in places(ranking) {
                let ranked = RankedUnit { run: unit.run, of, at, first, unit };
                units.entry(unit.run.document).or_default().push(ranked);
            }
        }
        let shared = rankings.iter().map(|ranking| Shared::new(ranking, fusion, depth)).collect();
        Self { rankings, fusion, shared, units }
    }

    /// How each ranking came to a hit, or to the units that were collapsed to it.
    pub fn of(&self, hit: &Hit) -> Vec<Trace> {
        let units = self.units.get(&hit.run.document).into_iter().flatten();
        let near = units.filter(|one| one.run.first < hit.run.end && hit.run.first < one.run.end);
        let concerning = near.filter(|one| concerns(self.rankings[one.of].layer, one.run, self.fusion, hit));
        let trace = |&RankedUnit { run, of, at, first, unit }: &RankedUnit<'_>| Trace {
            leg: self.rankings[of].leg,
            layer: self.rankings[of].layer,
            run,
            derived: unit.derived,
            led: self.rankings[of].led,
            rank: at + 1,
            score: unit.score,
            share: if first { self.shared[of].of(at, unit) } else { 0.0 },
        };
        concerning.map(trace).collect()
    }
}

/// Whether a unit of a ranking gave its share to a hit of the same document.
fn concerns(layer: Layer, unit: Run, fusion: Fusion, hit: &Hit) -> bool {
    let inside = |sentence: u32| (hit.run.first..hit.run.end).contains(&sentence);
    match fusion {
        Fusion::ReciprocalRank(_) if layer == hit.layer => (unit.first, unit.end) == (hit.run.first, hit.run.end),
        Fusion::ReciprocalRank(_) => inside(unit.anchor),
        Fusion::Relative if matches!(layer, Layer::Window(_)) => inside(unit.anchor),
        Fusion::Relative => unit.first < hit.run.end && hit.run.first < unit.end,
    }
}

/// What a place in a ranking is worth.
enum Shared {
    /// 1 / (constant + rank).
    Reciprocal(f32),
    /// weight · (score − floor) / reach.
    Relative { floor: f32, factor: f32 },
}

impl Shared {
    fn new(ranking: &Ranking, fusion: Fusion, depth: usize) -> Self {
        match (fusion, ranking.units.first(), ranking.units.last()) {
            (Fusion::Relative, Some(best), Some(last)) => {
                // Many units of one score are all as good as the best: nobody is the floor.
                let full = ranking.units.len() >= depth && last.score < best.score;
                let floor = if full { last.score } else { 0.0 };
                Self::Relative { floor, factor: ranking.weight / (best.score - floor).max(1e-9) }
            }
            (Fusion::Relative, ..) => Self::Relative { floor: 0.0, factor: 0.0 },
            (Fusion::ReciprocalRank(constant), ..) => Self::Reciprocal(constant),
        }
    }

    fn of(&self, at: usize, unit: &Scored) -> f32 {
        match self {
            Self::Reciprocal(constant) => 1.0 / (constant + (at + 1) as f32),
            Self::Relative { floor, factor } => factor * (unit.score - floor),
        }
    }
}

/// The sentences a unit's score is about: the centre of a window, all of anything else.
fn spoken_for(layer: Layer, run: Run) -> impl Iterator<Item = Run> {
    let sentences = if matches!(layer, Layer::Window(_)) { run.anchor..run.anchor + 1 } else { run.first..run.end };
    sentences.map(move |i| Run { document: run.document, first: i, end: i + 1, anchor: i })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fuse(rankings: &[Ranking], fusion: Fusion, depth: usize) -> Vec<Hit> {
        let mut fused = FusedHits::new(fusion, depth);
        fused.add(rankings);
        fused.ranked()
    }

    fn run(document: u32, sentence: u32) -> Run {
        Run { document, first: sentence, end: sentence + 1, anchor: sentence }
    }

    fn ranking(leg: Leg, units: &[(u32, u32, f32)]) -> Ranking {
        let units = units.iter().map(|&(d, s, score)| Scored { run: run(d, s), derived: None, score }).collect();
        Ranking { leg, layer: Layer::Sentence, weight: 1.0, led: None, units }
    }

    #[test]
    fn reciprocal_rank_merges_what_both_legs_found() {
        // Source 001 keyed by object identity, so nothing ever merged.
        let lexical = ranking(Leg::Lexical, &[(1, 0, 9.0), (1, 1, 5.0)]);
        let dense = ranking(Leg::Dense, &[(1, 1, 0.9), (2, 0, 0.8)]);
        let rankings = [lexical, dense];
        let hits = fuse(&rankings, Fusion::ReciprocalRank(60.0), 5);
        assert_eq!(hits.iter().map(|h| h.run).collect::<Vec<_>>(), [run(1, 1), run(1, 0), run(2, 0)]);
        assert!((hits[0].score - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-7);
        let trace = HitTraces::new(&rankings, Fusion::ReciprocalRank(60.0), 5).of(&hits[0]);
        assert_eq!(trace.iter().map(|t| (t.leg, t.rank)).collect::<Vec<_>>(), [(Leg::Lexical, 2), (Leg::Dense, 1)]);
    }

    #[test]
    fn relative_scores_are_shares_of_the_best() {
        let mut lexical = ranking(Leg::Lexical, &[(1, 0, 8.0), (1, 1, 2.0)]);
        lexical.weight = 2.0;
        let hits = fuse(&[lexical.clone()], Fusion::Relative, 200);
        assert_eq!(hits.iter().map(|h| h.score).collect::<Vec<_>>(), [2.0, 0.5]);
        let full = fuse(&[lexical], Fusion::Relative, 2);
        assert_eq!(full.iter().map(|h| h.score).collect::<Vec<_>>(), [2.0], "the last of a full ranking is its floor");
    }

    #[test]
    fn equal_scores_are_all_hits() {
        // 300 lines of a catalogue that all say the same must not cancel each other out.
        let equal: Vec<(u32, u32, f32)> = (0..5).map(|i| (i, 0, 2.0)).collect();
        assert_eq!(fuse(&[ranking(Leg::Lexical, &equal)], Fusion::Relative, 5).len(), 5);
    }

    #[test]
    fn a_paragraph_speaks_for_its_sentences_and_a_window_for_its_centre() {
        let of = |layer| Ranking {
            leg: Leg::Dense,
            layer,
            weight: 1.0,
            led: None,
            units: vec![Scored { run: Run { document: 1, first: 3, end: 6, anchor: 4 }, derived: None, score: 1.0 }],
        };
        let found = |layer| fuse(&[of(layer)], Fusion::Relative, 9).iter().map(|h| h.run.first).collect::<Vec<_>>();
        assert_eq!(found(Layer::Paragraph), [3, 4, 5]);
        assert_eq!(found(Layer::Window(1)), [4]);
    }

    #[test]
    fn a_ranking_speaks_once_for_a_target() {
        // Source 003: k children are not k parents.
        let unit = |document, derived, score| Scored { run: run(document, 0), derived: Some(derived), score };
        let units = vec![unit(1, 0, 0.9), unit(1, 2, 0.8), unit(2, 0, 0.7)];
        let rankings = [Ranking { leg: Leg::Dense, layer: Layer::Sentence, weight: 1.0, led: None, units }];
        let hits = fuse(&rankings, Fusion::ReciprocalRank(60.0), 5);
        assert_eq!(hits.iter().map(|hit| hit.score).collect::<Vec<_>>(), [1.0 / 61.0, 1.0 / 62.0]);
        let traced = HitTraces::new(&rankings, Fusion::ReciprocalRank(60.0), 5).of(&hits[0]);
        let found: Vec<_> = traced.iter().map(|t| (t.derived, t.rank, t.score, t.share)).collect();
        assert_eq!(found, [(Some(0), 1, 0.9, 1.0 / 61.0), (Some(2), 1, 0.8, 0.0)], "the child's score is kept");
    }

    proptest! {
        #[test]
        fn fusion_is_deterministic_complete_and_ordered(
            units in prop::collection::vec((0..3u32, 0..9u32, 0.1..9.0f32), 0..20),
            relative in any::<bool>(),
        ) {
            let mut units = units;
            units.sort_by(|a, b| b.2.total_cmp(&a.2));
            units.dedup_by_key(|u| (u.0, u.1));
            let fusion = if relative { Fusion::Relative } else { Fusion::ReciprocalRank(60.0) };
            let rankings = [ranking(Leg::Dense, &units), ranking(Leg::Lexical, &units)];
            let hits = fuse(&rankings, fusion, 100);
            let mut swapped = rankings.clone();
            swapped.reverse();
            let again = fuse(&swapped, fusion, 100);
            prop_assert_eq!(hits.iter().map(|h| h.run).collect::<Vec<_>>(),
                again.iter().map(|h| h.run).collect::<Vec<_>>());
            let distinct: std::collections::HashSet<_> = units.iter().map(|u| (u.0, u.1)).collect();
            prop_assert_eq!(hits.len(), distinct.len());
            prop_assert!(hits.windows(2).all(|w| w[0].score >= w[1].score));
            for hit in &hits {
                let traced: f32 = HitTraces::new(&rankings, fusion, 100).of(hit).iter().map(|t| t.share).sum();
                prop_assert!((traced - hit.score).abs() < 1e-5, "a trace adds up to the score");
            }
        }
    }
}
