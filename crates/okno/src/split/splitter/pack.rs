//! Sentences packed up to a size that holds: `tokens` and `hierarchy`.
//!
//! The packing is that of [`Layer::Chunk`](crate::document::Layer::Chunk). A layer leaves a sentence that is too
//! large alone; here it is cut first, by the rules of [`recursive`], so that only a single word or grapheme may be
//! larger than the size.

use super::measure::CountedSize;
use super::{Piece, Text, recursive};
use crate::document::{Size, Span, characters, chunks};
use std::ops::Range;

/// Sentences packed up to the size, each piece repeating up to `overlap` of the one before.
pub(super) fn sentences(text: &Text<'_>, measure: CountedSize<'_>, overlap: usize) -> Vec<Span> {
    let spans = text.sentences().sentences.into_iter().map(|sentence| sentence.span);
    packed(text.text, spans, measure, overlap)
}

/// Ordered spans packed the same way.
pub(super) fn packed(
    text: &str,
    spans: impl Iterator<Item = Span>,
    measure: CountedSize<'_>,
    overlap: usize,
) -> Vec<Span> {
    let items = fitted(text, spans, measure);
    let costs = costs(text, &items, measure);
    let runs = chunks(&costs, measure.number(), overlap);
    runs.into_iter().map(|run| cover(&items, run)).collect()
}

/// Parents packed up to `measure`, each followed by its children of at most `child`.
pub(super) fn hierarchy(text: &Text<'_>, measure: CountedSize<'_>, child: usize) -> Vec<Piece> {
    let spans = text.sentences().sentences.into_iter().map(|sentence| sentence.span);
    let items = fitted(text.text, spans, measure.with(child));
    let costs = costs(text.text, &items, measure);
    let mut pieces: Vec<Piece> = Vec::new();
    for run in chunks(&costs, measure.number(), 0) {
        let parent = pieces.len() as u32;
        pieces.push(cover(&items, run.clone()).into());
        for inner in chunks(&costs[run.clone()], child, 0) {
            let span = cover(&items[run.clone()], inner);
            pieces.push(Piece { parent: Some(parent), ..span.into() });
        }
    }
    pieces
}

fn cover(items: &[Span], run: Range<usize>) -> Span {
    items[run.start].cover(items[run.end - 1])
}

/// The spans, those that are larger than the size cut.
fn fitted(text: &str, spans: impl Iterator<Item = Span>, measure: CountedSize<'_>) -> Vec<Span> {
    let mut items = Vec::new();
    for span in spans {
        let words = span.of(text);
        if measure.holds(words) {
            items.push(span);
            continue;
        }
        let base = span.start as usize;
        let moved = |part: Span| Span::new(base + part.start as usize, base + part.end as usize);
        items.extend(recursive::split(words, measure, 0).into_iter().map(moved));
    }
    items
}

fn costs(text: &str, items: &[Span], measure: CountedSize<'_>) -> Vec<usize> {
    match measure.size {
        Size::Characters(_) => characters(text, items.iter().copied()),
        Size::Tokens(_) => items.iter().map(|item| measure.count.count(item.of(text))).collect(),
    }
}
