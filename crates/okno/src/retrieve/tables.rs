//! A table's head is not an answer: where one was hit, the rows below it come along.
//!
//! In come the pieces that are to be returned, best first and within the budget; out come pieces within the same
//! budget of which none whose hit is a header ends with it – unless the table has no row, or not even one fits. Rows
//! are taken as far as the budget reaches: first what is still free, and one row in any case, for which the last
//! piece has to give way. A piece that begins where the rows go on is joined: no row is returned twice, and a header
//! stands with those that were found.
//!
//! Why not while splitting: a header joined to its first row is one sentence, and recipes that rank sentences found
//! less (`tests/quality.rs`: `chunks` lost two questions and gained none).

use super::expand::{ContextPiece, covering, within_budget};
use super::views::{View, Views};
use crate::document::{Structure, table};

/// The header of the table that a sentence is a row of.
pub fn header_of(row: usize, structure: &Structure, text: &str) -> Option<usize> {
    let said = |at: usize| structure.sentences[at].span.of(text);
    if !said(row).starts_with('|') {
        return None;
    }
    let first = structure.paragraph(row).start;
    (first < row && table::is_header(said(first))).then_some(first)
}

/// Pieces with the rows that their headers stand for.
pub fn with_rows(pieces: Vec<ContextPiece>, budget: usize, views: &Views<'_>) -> Vec<ContextPiece> {
    if !pieces.iter().any(|piece| wants_rows(piece, &views[&piece.document])) {
        return pieces;
    }
    let spent: usize = pieces.iter().map(|piece| cost(piece, views)).sum();
    let mut left = budget.saturating_sub(spent);
    let (mut grown, mut rest): (Vec<ContextPiece>, Vec<ContextPiece>) = (Vec::new(), pieces);
    while !rest.is_empty() {
        let mut piece = rest.remove(0);
        if wants_rows(&piece, &views[&piece.document]) {
            if let Some(rows) = behind(&grown, &piece) {
                join(&mut grown[rows], piece);
                continue;
            }
            grow(&mut piece, &mut left, &mut rest, &grown, views);
        }
        grown.push(piece);
    }
    within_budget(grown, budget, views)
}

/// Adds rows to a piece until the table, what is left, or what another piece has not taken ends; one row may cost
/// more than is left.
fn grow(
    piece: &mut ContextPiece,
    left: &mut usize,
    rest: &mut Vec<ContextPiece>,
    done: &[ContextPiece],
    views: &Views<'_>,
) {
    let structure = &views[&piece.document].structure;
    let (first, end) = (piece.sentences.end, structure.paragraph(piece.sentences.end - 1).end);
    while piece.sentences.end < end && behind(done, piece).is_none() {
        if let Some(next) = behind(rest, piece) {
            join(piece, rest.remove(next));
            continue;
        }
        let row = structure.sentences[piece.sentences.end].tokens as usize;
        if row > *left && piece.sentences.end > first {
            break;
        }
        *left = left.saturating_sub(row);
        piece.sentences.end += 1;
    }
}

/// The piece that begins where this one ends.
fn behind(pieces: &[ContextPiece], piece: &ContextPiece) -> Option<usize> {
    pieces.iter().position(|other| other.document == piece.document && other.sentences.start == piece.sentences.end)
}

fn join(piece: &mut ContextPiece, mut other: ContextPiece) {
    piece.sentences = covering(&piece.sentences, &other.sentences);
    piece.hits.append(&mut other.hits);
    piece.hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.run.cmp(&b.run)));
}

fn cost(piece: &ContextPiece, views: &Views<'_>) -> usize {
    views[&piece.document].structure.tokens(piece.sentences.clone())
}

/// Whether a piece ends with the header of a table, that header was hit by itself, and rows follow it.
fn wants_rows(piece: &ContextPiece, view: &View<'_>) -> bool {
    let last = piece.sentences.end - 1;
    let alone = |run: crate::store::Run| run.sentences() == (last..last + 1);
    (piece.anchor == last || piece.hits.iter().any(|hit| alone(hit.run)))
        && table::is_header(view.structure.sentences[last].span.of(&view.text))
        && view.structure.paragraph(last).end > last + 1
}

#[cfg(test)]
// Runs are ranges; one alone is a list of one.
#[allow(clippy::single_range_in_vec_init)]
mod tests {
    use super::super::fuse::Hit;
    use super::*;
    use crate::document::{Block, BlockKind, Layer, Span};
    use crate::split;
    use crate::store::Run;
    use proptest::prelude::*;
    use std::ops::Range;
    use std::sync::Arc;

    /// A paragraph, a table of so many rows, a paragraph.
    fn text(rows: usize) -> (String, Vec<Block>) {
        let parts = [
            (BlockKind::Paragraph, "Prices of the season.".to_owned()),
            (BlockKind::Table, "| ware | price |\n| --- | --- |\n".to_owned() + &"| a pear | 3 |\n".repeat(rows)),
            (BlockKind::Paragraph, "All with tax. Ask for more.".to_owned()),
        ];
        let (mut text, mut blocks) = (String::new(), Vec::new());
        for (kind, part) in parts {
            let start = text.len();
            text += part.trim_end();
            blocks.push(Block { kind, span: Span::new(start, text.len()) });
            text += "\n\n";
        }
        (text, blocks)
    }

    fn views((text, blocks): &(String, Vec<Block>)) -> Views<'_> {
        let structure = Arc::new(split::structure(text, "", blocks));
        std::iter::once((1, View { structure, text: text.as_str().into() })).collect()
    }

    fn piece(sentences: Range<usize>, score: f32) -> ContextPiece {
        let anchor = sentences.end - 1;
        let run = Run { document: 1, first: anchor as u32, end: anchor as u32 + 1, anchor: anchor as u32 };
        ContextPiece { document: 1, sentences, score, anchor, hits: vec![Hit { run, layer: Layer::Sentence, score }] }
    }

    fn runs(pieces: Vec<ContextPiece>, budget: usize, views: &Views<'_>) -> Vec<Range<usize>> {
        with_rows(pieces, budget, views).into_iter().map(|piece| piece.sentences).collect()
    }

    #[test]
    fn a_row_has_a_header_and_nothing_else_has() {
        let document = text(2);
        let views = views(&document);
        let View { structure, text } = &views[&1];
        let headers: Vec<Option<usize>> =
            (0..structure.sentences.len()).map(|at| header_of(at, structure, text)).collect();
        assert_eq!(headers, [None, None, Some(1), Some(1), None, None]);
    }

    #[test]
    fn a_header_brings_its_rows() {
        let document = text(5);
        let views = views(&document);
        let sentences = &views[&1].structure.sentences;
        let row = sentences[2].tokens as usize;
        let head = (sentences[0].tokens + sentences[1].tokens) as usize;
        assert_eq!(runs(vec![piece(1..2, 1.0)], 1000, &views), [1..7], "the whole table, not what follows it");
        assert_eq!(runs(vec![piece(0..2, 1.0)], head + 2 * row, &views), [0..4], "rows to the budget");
        assert_eq!(runs(vec![piece(1..3, 1.0)], 1000, &views), [1..3], "a row was hit: nothing is missing");
        assert_eq!(runs(vec![piece(0..1, 1.0)], 1000, &views), [0..1], "no header");
    }

    #[test]
    fn a_row_is_worth_more_than_the_last_piece() {
        let document = text(5);
        let views = views(&document);
        let pieces = vec![piece(1..2, 2.0), piece(7..9, 1.0)];
        let full = pieces.iter().map(|piece| cost(piece, &views)).sum();
        assert_eq!(runs(pieces, full, &views)[0], 1..3);
    }

    #[test]
    fn rows_that_were_found_are_joined() {
        let document = text(5);
        let views = views(&document);
        assert_eq!(runs(vec![piece(1..2, 2.0), piece(3..4, 1.0)], 1000, &views), [1..7]);
        assert_eq!(runs(vec![piece(2..4, 2.0), piece(1..2, 1.0)], 1000, &views), [1..4], "the header joins them");
    }

    #[test]
    fn without_rows_or_room_a_header_stays_alone() {
        let (bare, tight) = (text(0), text(2));
        assert_eq!(runs(vec![piece(1..2, 1.0)], 1000, &views(&bare)), [1..2]);
        let views = views(&tight);
        let head = views[&1].structure.sentences[1].tokens as usize;
        assert_eq!(runs(vec![piece(1..2, 1.0)], head, &views), [1..2]);
    }

    proptest! {
        #[test]
        fn nothing_is_repeated_lost_at_the_front_or_over_the_budget(
            rows in 0..8usize, starts in prop::collection::btree_set(0..11usize, 1..6), slack in 0..60usize,
            seed in any::<u64>(),
        ) {
            let document = text(rows);
            let views = views(&document);
            let count = views[&1].structure.sentences.len();
            let mut pieces: Vec<ContextPiece> =
                starts.into_iter().filter(|&at| at < count).map(|at| piece(at..at + 1, 1.0)).collect();
            prop_assume!(!pieces.is_empty());
            let by = (seed % pieces.len() as u64) as usize;
            pieces.rotate_left(by);
            let first = pieces[0].anchor;
            let budget = pieces.iter().map(|piece| cost(piece, &views)).sum::<usize>() + slack;
            let given = with_rows(pieces, budget, &views);
            prop_assert!(given.iter().map(|piece| cost(piece, &views)).sum::<usize>() <= budget);
            prop_assert!(given[0].sentences.contains(&first), "the best hit stays first");
            let mut seen: Vec<usize> = given.iter().flat_map(|piece| piece.sentences.clone()).collect();
            seen.sort_unstable();
            prop_assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
            let row = views[&1].structure.sentences.get(2).map_or(0, |row| row.tokens as usize);
            let found = given.iter().any(|piece| piece.sentences == (1..2));
            prop_assert!(rows == 0 || slack < row || !found || seen.contains(&2), "{given:?}");
        }
    }
}
