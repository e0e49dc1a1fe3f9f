//! Scoring the units of any layer from the sentence index alone.
//!
//! Dense: a unit's dot product is the sum of its sentences' plus its section's context, over one
//! length. Lexical: a unit's count of a term is the sum of its sentences' plus that of its title and
//! headings, with a document frequency and mean length of the layer's own. Title and headings are
//! added once per unit, so that a window of five sentences does not count the title five times.

use super::atlas::{Atlas, Units};
use super::lexical::{Lexical, Posting};
use super::vectors::Question;
use crate::document::Layer;
use crate::store::terms::{of_query, resolve};
use crate::store::{DocumentNumber, Scored};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// BM25's saturation; the usual value.
const K1: f32 = 1.2;

/// How much of a unit's length BM25 discounts: sentences are short and alike, so less than the usual 0.75. Values of the
/// prototype; in a study of k1 and this share smaller ones fitted better and coverage was a tie.
fn length_share(layer: Layer) -> f32 {
    if layer == Layer::Sentence { 0.5 } else { 0.4 }
}

/// How much a term in the title or a heading counts beside one in the text.
pub const CONTEXT_WEIGHT: f32 = 1.0;

/// The dot products of a question with every text of the row and every section's context.
pub struct Dots {
    texts: Vec<f32>,
    sections: Vec<f32>,
}

impl Dots {
    /// Scans all vectors; those of derived texts only where they are asked for.
    pub fn new(atlas: &Atlas<'_>, vector: &[f32], derived: bool) -> Self {
        let question = Question::new(vector);
        let (mut texts, mut sections) = (Vec::with_capacity(atlas.texts()), Vec::with_capacity(atlas.sections()));
        for entry in &atlas.documents {
            let (first, all) =
                (entry.structure.sentences.len(), entry.structure.sentences.len() + entry.structure.sections.len());
            entry.vectors.dots(&question, 0..first, &mut texts);
            entry.vectors.dots(&question, first..all, &mut sections);
        }
        for entry in atlas.documents.iter().filter(|_| derived) {
            entry.derived_vectors.dots(&question, 0..entry.derived.len(), &mut texts);
        }
        Self { texts, sections }
    }

    /// The cosine of every unit with the question.
    pub fn scores(&self, units: &Units, layer: Layer) -> Vec<f32> {
        if matches!(layer, Layer::Derived(_)) {
            return units.runs.iter().map(|run| self.texts[run.start as usize]).collect();
        }
        (0..units.runs.len())
            .map(|unit| {
                let run = units.runs[unit].start as usize..units.runs[unit].end as usize;
                let dot = self.texts[run].iter().sum::<f32>() + self.sections[units.section[unit] as usize];
                if units.lengths[unit] > 0.0 { dot / units.lengths[unit] } else { 0.0 }
            })
            .collect()
    }
}

/// Where the terms of a question are.
pub struct Postings {
    /// Each term with its weight.
    terms: Vec<(TermPostings, f32)>,
}

/// Where one term is: (text, count) and (section, count), in the row's numbers.
#[derive(Default)]
struct TermPostings {
    texts: Vec<(u32, f32)>,
    sections: Vec<(u32, f32)>,
}

impl Postings {
    /// Looks up the terms of a question; in derived texts only where they are asked for.
    pub fn new(atlas: &Atlas<'_>, lexical: &Lexical, text: &str, derived: bool) -> tantivy::Result<Self> {
        let asked = of_query(text);
        let mut found: HashMap<&str, TermPostings> = HashMap::new();
        for term in &asked {
            if !found.contains_key(term.text.as_str()) {
                found.insert(&term.text, look_up(atlas, lexical, &term.text, derived)?);
            }
        }
        let resolved = resolve(&asked, |term| found[term].is_somewhere());
        let terms =
            resolved.into_iter().filter_map(|(term, weight)| found.remove(term).map(|postings| (postings, weight)));
        Ok(Self { terms: terms.collect() })
    }

    /// The BM25 score of every unit; 0 where it has none of the terms.
    pub fn scores(&self, units: &Units, layer: Layer) -> Vec<f32> {
        let mut scores = vec![0.0; units.runs.len()];
        let mut counts = vec![0.0f32; units.runs.len()];
        let mut touched = Vec::new();
        let share = length_share(layer);
        for (term, weight) in &self.terms {
            term.count(units, &mut counts, &mut touched);
            let rarity = weight * rarity(units.runs.len() as f32, touched.len() as f32);
            for unit in touched.drain(..) {
                let count = std::mem::take(&mut counts[unit]);
                let length = 1.0 - share + share * units.terms[unit] / units.mean_terms;
                scores[unit] += rarity * count * (K1 + 1.0) / (count + K1 * length);
            }
        }
        scores
    }
}

/// BM25's idf: always above 0, small for a term that nearly every unit has.
fn rarity(units: f32, having: f32) -> f32 {
    ((units - having + 0.5) / (having + 0.5)).ln_1p()
}

impl TermPostings {
    fn is_somewhere(&self) -> bool {
        !self.texts.is_empty() || !self.sections.is_empty()
    }

    /// Counts the term in every unit; `touched` are those with a count.
    fn count(&self, units: &Units, counts: &mut [f32], touched: &mut Vec<usize>) {
        let mut add = |unit: u32, count: f32| {
            let total = &mut counts[unit as usize];
            if *total == 0.0 {
                touched.push(unit as usize);
            }
            *total += count;
        };
        for &(text, count) in &self.texts {
            units.holding[text as usize].clone().for_each(|unit| add(unit, count));
        }
        for &(section, count) in &self.sections {
            units.of_section[section as usize].clone().for_each(|unit| add(unit, CONTEXT_WEIGHT * count));
        }
    }
}

/// Postings of documents that the generation does not hold are left out: replaced ones not yet
/// deleted, and new ones not yet visible.
fn look_up(atlas: &Atlas<'_>, lexical: &Lexical, term: &str, derived: bool) -> tantivy::Result<TermPostings> {
    let mut found = TermPostings::default();
    lexical.sentences(term, |Posting { document, at, count }| {
        if let Some(entry) = atlas.get(document) {
            found.texts.push((entry.first + at, count as f32));
        }
    })?;
    if derived {
        lexical.derived(term, |Posting { document, at, count }| {
            if let Some(entry) = atlas.get(document) {
                found.texts.push((atlas.derived(entry, at), count as f32));
            }
        })?;
    }
    lexical.sections(term, |Posting { document, at, count }| {
        if let Some(entry) = atlas.get(document) {
            found.sections.push((entry.first_section + at, count as f32));
        }
    })?;
    Ok(found)
}

/// The best units of allowed documents with a score above `floor`: highest first, then first in the row.
pub fn best(
    scores: &[f32],
    units: &Units,
    atlas: &Atlas<'_>,
    allowed: Option<&HashSet<DocumentNumber>>,
    depth: usize,
    floor: f32,
) -> Vec<Scored> {
    let mut best = Best { units: Vec::with_capacity(depth.saturating_mul(4)), floor, depth };
    match allowed {
        None => best.offer(scores, 0..scores.len()),
        Some(allowed) => {
            for entry in atlas.documents.iter().filter(|entry| allowed.contains(&entry.number)) {
                best.offer(scores, units.of_document(entry));
            }
        }
    }
    best.cut();
    best.units.sort_unstable_by(by_score);
    let named = |(score, unit): (f32, u32)| {
        let (run, derived) = units.run(unit as usize, atlas);
        Scored { run, derived, score }
    };
    best.units.into_iter().map(named).collect()
}

/// The best so far and some more; cut back to the best whenever four times as many have come.
struct Best {
    units: Vec<(f32, u32)>,
    /// A score that is certainly not among the best.
    floor: f32,
    depth: usize,
}

impl Best {
    fn offer(&mut self, scores: &[f32], units: std::ops::Range<usize>) {
        for unit in units {
            if scores[unit] > self.floor {
                self.units.push((scores[unit], unit as u32));
                if self.units.len() >= self.depth * 4 {
                    self.cut();
                }
            }
        }
    }

    fn cut(&mut self) {
        if self.depth == 0 {
            self.units.clear();
        } else if self.units.len() > self.depth {
            let (_, last, _) = self.units.select_nth_unstable_by(self.depth - 1, by_score);
            // Units come in the order of the row: a later one of the same score is not better.
            self.floor = last.0;
            self.units.truncate(self.depth);
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what sorting hands over
fn by_score(a: &(f32, u32), b: &(f32, u32)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}
