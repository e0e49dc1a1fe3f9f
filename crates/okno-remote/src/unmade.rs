//! Layers that have no rows: chunks of any size, sections, windows of another width.
//!
//! Their units are scored here, exactly, in the documents that the made layers find: a chunk that answers holds
//! sentences, windows or paragraphs that do. Two things differ from the embedded store and may move a rank: a unit of a
//! document that no made layer found is not seen, and how rare a term is comes from paragraphs.

use crate::documents::StoredDocument;
use crate::layers::MADE;
use crate::numbers::Numbers;
use crate::search::{best, rare_terms};
use crate::snapshot::{RemoteSnapshot, SharedSnapshot};
use crate::units::{DocumentTerms, length, saturated, summed};
use okno::Result;
use okno::document::Layer;
use okno::store::{Ask, Leg, Run, Scored, Vectors};
use std::collections::HashMap;
use std::sync::Arc;

/// The layer whose frequencies stand for those of any other: its size is the most like a chunk's.
const LIKE: usize = 2;

/// A document with its vectors and terms.
pub struct CandidateDocument {
    stored: Arc<StoredDocument>,
    vectors: Vectors,
    words: DocumentTerms,
}

/// The documents that hold these units.
pub fn documents<'s>(
    snapshot: &RemoteSnapshot,
    found: impl Iterator<Item = &'s Scored>,
) -> Result<Vec<CandidateDocument>> {
    let numbers: Numbers = found.map(|scored| scored.run.document).collect();
    let candidate = |(stored, vectors): (Arc<StoredDocument>, Vectors)| {
        let words = DocumentTerms::new(&stored.text, &stored.structure, &stored.above);
        CandidateDocument { stored, vectors, words }
    };
    Ok(snapshot.whole(&numbers)?.into_iter().map(candidate).collect())
}

/// Ranks the units of a layer in these documents.
pub fn rank(
    shared: &SharedSnapshot,
    ask: &Ask<'_>,
    leg: Leg,
    layer: Layer,
    documents: &[CandidateDocument],
) -> Result<Vec<Scored>> {
    let units: Vec<(&CandidateDocument, Run, usize)> =
        documents.iter().flat_map(|candidate| units(candidate, layer)).collect();
    let allowed = |candidate: &CandidateDocument, section: usize| {
        let kept = ask.sections.and_then(|sections| sections.get(&candidate.stored.number));
        kept.is_none_or(|kept| kept.contains(&(section as u32)))
    };
    let units: Vec<_> = units.into_iter().filter(|&(candidate, _, section)| allowed(candidate, section)).collect();
    let scores: Vec<f32> = match leg {
        Leg::Dense => units.iter().map(|unit| cosine(shared, ask, unit)).collect(),
        Leg::Lexical => bm25(shared, ask, layer, &units)?,
    };
    let floor = if leg == Leg::Dense && ask.allowed.is_some() { f32::NEG_INFINITY } else { 0.0 };
    let found = units.iter().zip(scores).map(|((_, run, _), score)| Scored { run: *run, derived: None, score });
    Ok(best(found.filter(|found| found.score.is_finite() && found.score > floor).collect(), ask.depth))
}

fn units(candidate: &CandidateDocument, layer: Layer) -> impl Iterator<Item = (&CandidateDocument, Run, usize)> {
    let structure = &candidate.stored.structure;
    let runs = layer.runs(structure, &candidate.stored.text).into_iter().enumerate();
    runs.map(move |(unit, run)| {
        let anchor = layer.anchor(unit, &run);
        let section = structure.section_number(anchor);
        let (first, end, anchor) = (run.start as u32, run.end as u32, anchor as u32);
        (candidate, Run { document: candidate.stored.number, first, end, anchor }, section)
    })
}

fn cosine(
    shared: &SharedSnapshot,
    ask: &Ask<'_>,
    &(candidate, run, section): &(&CandidateDocument, Run, usize),
) -> f32 {
    let vector = summed(&candidate.vectors, run.sentences(), section, shared.manifest.dimensions);
    vector.iter().zip(ask.vector).map(|(x, y)| x * y).sum()
}

fn bm25(
    shared: &SharedSnapshot,
    ask: &Ask<'_>,
    layer: Layer,
    units: &[(&CandidateDocument, Run, usize)],
) -> Result<Vec<f32>> {
    debug_assert_eq!(MADE[LIKE], Layer::Paragraph);
    let asked = rare_terms(shared, ask, LIKE)?.into_iter();
    let terms: HashMap<u32, f32> = asked.map(|asked| (asked.term, asked.weight * asked.rarity)).collect();
    let lengths: Vec<f32> = units
        .iter()
        .map(|(candidate, run, section)| length(&candidate.stored.structure, run.sentences(), *section))
        .collect();
    let mean = (lengths.iter().sum::<f32>() / lengths.len().max(1) as f32).max(1.0);
    let score = |(&(candidate, run, section), &length): (&(&CandidateDocument, Run, usize), &f32)| {
        let mut counts: HashMap<u32, f32> = HashMap::new();
        let texts = candidate.words.sentences[run.sentences()].iter().flatten();
        for &(term, count) in
            texts.chain(&candidate.words.sections[section]).filter(|(term, _)| terms.contains_key(term))
        {
            *counts.entry(term).or_default() += count;
        }
        counts.into_iter().map(|(term, count)| terms[&term] * saturated(count, length, layer, mean)).sum()
    };
    Ok(units.iter().zip(&lengths).map(score).collect())
}
