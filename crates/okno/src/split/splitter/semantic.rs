//! Sentences until the subject changes.
//!
//! The two sentences before a gap are compared with the two behind it: sums of vectors stand for runs of sentences (see
//! [`Embedder::embed`]), so each sentence is embedded once, and a single odd one does not break a passage. The gap
//! breaks where the cosine distance – or its slope – is among the largest of this document; how large is a
//! percentile, because distances mean different things to different models. A heading always starts a piece. What is
//! larger than the maximum is packed like any chunk.

use super::Text;
use super::measure::CountedSize;
use super::pack;
use crate::document::{Sentence, Span};
use crate::embed::{EmbedError, Embedder, Role};
use std::ops::Range;

/// Sentences given to the embedder at once; the vectors of no more are in memory.
const BATCH: usize = 1024;
/// Sentences on each side of a gap that are compared.
const SIDE: usize = 2;

/// When a subject has changed: above this percentile, of 100, of …
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Threshold {
    /// … the distances between neighbours: `95p`.
    Percentile(u8),
    /// … the slope of the distances: `95g`. For texts on one subject, whose distances are all alike.
    Gradient(u8),
}

/// The pieces of a text, none larger than the size.
pub(super) fn split(
    text: &Text<'_>,
    threshold: Threshold,
    most: CountedSize<'_>,
    embedder: &dyn Embedder,
) -> Result<Vec<Span>, EmbedError> {
    let sentences = text.sentences().sentences;
    let breaks = breaks(&distances(text.text, &sentences, embedder)?, threshold);
    let mut pieces = Vec::new();
    let mut start = 0;
    for next in 1..=sentences.len() {
        let ends =
            next == sentences.len() || breaks[next - 1] || (sentences[next].heading && !sentences[next - 1].heading);
        if ends {
            let spans = sentences[start..next].iter().map(|sentence| sentence.span);
            pieces.extend(pack::packed(text.text, spans, most, 0));
            start = next;
        }
    }
    Ok(pieces)
}

/// The distance between what stands before and behind each gap between two sentences.
fn distances(text: &str, sentences: &[Sentence], embedder: &dyn Embedder) -> Result<Vec<f32>, EmbedError> {
    let (gaps, dimensions) = (sentences.len().saturating_sub(1), embedder.dimensions());
    let mut distances = Vec::with_capacity(gaps);
    for first in (0..gaps).step_by(BATCH) {
        let here = first..gaps.min(first + BATCH);
        let around = here.start.saturating_sub(SIDE - 1)..sentences.len().min(here.end + SIDE);
        let texts: Vec<&str> = sentences[around.clone()].iter().map(|sentence| sentence.span.of(text)).collect();
        let rows = embedder.embed(&texts, Role::Passage)?;
        let sum = |run: Range<usize>| sum(&rows, dimensions, run.start - around.start..run.end - around.start);
        distances.extend(here.map(|gap| {
            let before = (gap + 1).saturating_sub(SIDE).max(around.start)..gap + 1;
            let behind = gap + 1..around.end.min(gap + 1 + SIDE);
            distance(&sum(before), &sum(behind))
        }));
    }
    Ok(distances)
}

fn sum(rows: &[f32], dimensions: usize, run: Range<usize>) -> Vec<f32> {
    let mut sum = vec![0.0; dimensions];
    for row in rows[run.start * dimensions..run.end * dimensions].chunks_exact(dimensions.max(1)) {
        sum.iter_mut().zip(row).for_each(|(total, value)| *total += value);
    }
    sum
}

fn distance(left: &[f32], right: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let lengths = (dot(left, left) * dot(right, right)).sqrt();
    if lengths > 0.0 { 1.0 - dot(left, right) / lengths } else { 0.0 }
}

/// Which gaps break.
fn breaks(distances: &[f32], threshold: Threshold) -> Vec<bool> {
    match threshold {
        Threshold::Percentile(percent) => above(distances, percent),
        Threshold::Gradient(percent) => above(&slopes(distances), percent),
    }
}

/// How steeply each distance rises: half the difference of its neighbours.
fn slopes(values: &[f32]) -> Vec<f32> {
    let at = |i: usize| values[i.min(values.len() - 1)];
    (0..values.len()).map(|i| (at(i + 1) - at(i.saturating_sub(1))) / 2.0).collect()
}

/// Which values are above this percentile of them all.
fn above(values: &[f32], percent: u8) -> Vec<bool> {
    let mut sorted = values.to_vec();
    let rank = (sorted.len().saturating_sub(1) * usize::from(percent)).div_ceil(100);
    if sorted.is_empty() {
        return Vec::new();
    }
    let (_, &mut limit, _) = sorted.select_nth_unstable_by(rank, f32::total_cmp);
    values.iter().map(|&value| value > limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_above_the_percentile_break() {
        let values: Vec<f32> = (0..20).map(|i| i as f32).collect();
        assert_eq!(above(&values, 95).iter().filter(|breaks| **breaks).count(), 0);
        assert_eq!(above(&values, 90).iter().filter(|breaks| **breaks).count(), 1);
        assert!(above(&[0.5; 9], 50).iter().all(|breaks| !breaks), "all alike, nothing stands out");
        assert!(above(&[], 95).is_empty());
    }

    #[test]
    fn slopes_rise_into_a_peak() {
        assert_eq!(slopes(&[0.0, 0.0, 1.0, 0.0]), [0.0, 0.5, 0.0, -0.5]);
    }
}
