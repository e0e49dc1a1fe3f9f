//! Diversity: a hit that says what a better one says already is worth less.
//!
//! Maximal marginal relevance over the words of the hits: each hit's score is lowered by the share of
//! its terms that some better hit has too, times the diversity asked for. At 1 a copy of a better hit
//! is worth nothing; at 0 nothing changes. Words, not vectors, because copies and near copies – a page
//! and its backup, a notice repeated in every file – are what repeats in people's folders, and because
//! it needs nothing from the store.

use super::fuse::Hit;
use super::views::Views;
use crate::text::terms::terms;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

/// Hits that are compared with each other; what comes after is not going to be read.
const COMPARED: usize = 100;

/// Lowers the scores of hits that repeat better ones. Best first.
pub fn diversify(mut hits: Vec<Hit>, diversity: f32, views: &Views<'_>) -> Vec<Hit> {
    if diversity <= 0.0 {
        return hits;
    }
    let rest = hits.split_off(hits.len().min(COMPARED));
    let mut waiting: Vec<Waiting> = hits.into_iter().map(|hit| Waiting::new(hit, views)).collect();
    let mut chosen: Vec<Hit> = Vec::with_capacity(waiting.len() + rest.len());
    while let Some(best) = waiting.iter().enumerate().max_by(|(i, a), (j, b)| a.cmp(b, diversity).then(j.cmp(i))) {
        let next = waiting.remove(best.0);
        for other in &mut waiting {
            other.repeats = other.repeats.max(shared(&other.terms, &next.terms));
        }
        chosen.push(Hit { score: next.worth(diversity), ..next.hit });
    }
    // What was not compared must not overtake what lost by comparison, nor the other way round.
    let floor = chosen.last().map_or(0.0, |hit| hit.score);
    chosen.extend(rest.into_iter().map(|hit| Hit { score: hit.score.min(floor), ..hit }));
    chosen
}

struct Waiting {
    hit: Hit,
    terms: FxHashSet<u64>,
    /// The largest share of its terms that one chosen hit has.
    repeats: f32,
}

impl Waiting {
    fn new(hit: Hit, views: &Views<'_>) -> Self {
        let view = &views[&hit.run.document];
        let mut found = FxHashSet::default();
        terms(view.structure.span(hit.run.sentences()).of(&view.text), &mut |term: &str| {
            found.insert(xxh3_64(term.as_bytes()));
        });
        Self { hit, terms: found, repeats: 0.0 }
    }

    fn worth(&self, diversity: f32) -> f32 {
        self.hit.score * (1.0 - diversity * self.repeats)
    }

    fn cmp(&self, other: &Self, diversity: f32) -> std::cmp::Ordering {
        self.worth(diversity).total_cmp(&other.worth(diversity))
    }
}

/// The share of a hit's terms that another has too.
fn shared(terms: &FxHashSet<u64>, other: &FxHashSet<u64>) -> f32 {
    terms.intersection(other).count() as f32 / terms.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, BlockKind, Layer, Span};
    use crate::retrieve::views::View;
    use crate::store::Run;
    use std::sync::Arc;

    #[test]
    fn a_copy_of_a_better_hit_comes_last_and_is_worth_nothing() {
        let text = "Tea needs hot water. Tea needs hot water. Coffee is ground first.";
        let blocks = [Block { kind: BlockKind::Paragraph, span: Span::new(0, text.len()) }];
        let structure = Arc::new(crate::split::structure(text, "", &blocks));
        let views: Views<'_> = std::iter::once((1, View { structure, text: text.into() })).collect();
        let hit =
            |i, score| Hit { run: Run { document: 1, first: i, end: i + 1, anchor: i }, layer: Layer::Sentence, score };
        let hits = vec![hit(0, 0.9), hit(1, 0.8), hit(2, 0.3)];
        let order = |diversity| {
            diversify(hits.clone(), diversity, &views).iter().map(|h| (h.run.first, h.score)).collect::<Vec<_>>()
        };
        assert_eq!(order(0.0), [(0, 0.9), (1, 0.8), (2, 0.3)]);
        assert_eq!(order(1.0), [(0, 0.9), (2, 0.3), (1, 0.0)]);
    }
}
