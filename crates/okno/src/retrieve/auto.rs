//! `auto`: the best sentences, as many as the budget holds.
//!
//! Every sentence has a value from its hits; a share of each value spreads to the two neighbours, so
//! that a sentence between two good ones is worth having and a good one brings its surroundings.
//! Sentences are taken by value while they fit, and those that touch become one piece.

use super::expand::{Piece, Views, merge};
use super::fuse::Hit;
use crate::document::{Layer, Structure};
use crate::store::{DocumentNumber, Run};
use std::collections::HashMap;

/// The share of a sentence's value that each neighbour receives.
const SPREAD: f32 = 0.3;

type Place = (DocumentNumber, u32);

/// Chooses sentences for a budget.
pub fn select(hits: &[Hit], candidates: usize, budget: usize, views: &Views<'_>) -> Vec<Piece> {
    let own: HashMap<Place, &Hit> = hits.iter().map(|hit| ((hit.run.document, hit.run.first), hit)).collect();
    let values = spread(hits, views);
    let mut left = budget;
    let mut pieces = Vec::new();
    for ((document, sentence), value) in values.into_iter().take(candidates) {
        let cost = views[&document].structure.sentences[sentence as usize].tokens as usize;
        if cost <= left {
            left -= cost;
            let hit = own.get(&(document, sentence)).map_or_else(|| neighbour(document, sentence), |&hit| hit.clone());
            let at = sentence as usize;
            pieces.push(Piece { document, sentences: at..at + 1, score: value, anchor: at, hits: vec![hit] });
        }
    }
    merge(pieces)
}

/// A sentence that no ranking found, taken for its neighbours' sake.
fn neighbour(document: DocumentNumber, sentence: u32) -> Hit {
    let run = Run { document, first: sentence, end: sentence + 1, anchor: sentence };
    Hit { run, layer: Layer::Sentence, score: 0.0, trace: Vec::new() }
}

/// Values with their share of the neighbours', best first.
fn spread(hits: &[Hit], views: &Views<'_>) -> Vec<(Place, f32)> {
    let mut values: HashMap<Place, f32> = HashMap::new();
    for hit in hits {
        let (document, at) = (hit.run.document, hit.run.first);
        *values.entry((document, at)).or_default() += hit.score;
        for next in neighbours(at, &views[&document].structure) {
            *values.entry((document, next)).or_default() += SPREAD * hit.score;
        }
    }
    let mut values: Vec<(Place, f32)> = values.into_iter().collect();
    values.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    values
}

fn neighbours(at: u32, structure: &Structure) -> impl Iterator<Item = u32> {
    let section = structure.section(at as usize);
    [at.checked_sub(1), at.checked_add(1)].into_iter().flatten().filter(move |&next| section.contains(&(next as usize)))
}
