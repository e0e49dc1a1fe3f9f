//! Which pieces of a page are its content.
//!
//! Not by scoring paragraphs, as readers for news do: on documentation that drops tables, lists and code. Everything
//! stays that the mark-up does not call furniture – and what it calls so is believed as far as the text agrees:
//! navigation is mostly links; a box of prose with the class `sidebar` is not.

use super::pieces::{HtmlPiece, PieceKind, Region};
use super::tags::Furniture;

/// Navigation has at least this share of its letters in links (in percent); prose in a box has far less.
const LINKED: usize = 35;
/// Furniture is never more than this share of a page's text (in percent): then the mark-up is wrong.
const MOST: usize = 60;
/// `main` or `article` is believed from this share on; below it the page marks something else so.
const MAIN: usize = 25;
/// A list with this share of its letters in links to the page itself is a table of contents.
const CONTENTS: usize = 80;

#[derive(Debug, Default, Clone, Copy)]
struct Sum {
    letters: usize,
    links: usize,
    anchors: usize,
    items: usize,
}

/// Removes the pieces that are furniture.
pub(super) fn keep_content(pieces: &mut Vec<HtmlPiece>, regions: &[Region]) {
    let dropped = dropped_regions(pieces, regions);
    pieces.retain(|piece| !dropped[piece.region] && !furniture_heading(piece));
    let inside = |piece: &HtmlPiece| regions[piece.region].in_main;
    let total: usize = pieces.iter().map(|piece| piece.text.len()).sum();
    let main: usize = pieces.iter().filter(|piece| inside(piece)).map(|piece| piece.text.len()).sum();
    if main * 100 >= total * MAIN && main > 0 {
        pieces.retain(inside);
    }
}

fn dropped_regions(pieces: &[HtmlPiece], regions: &[Region]) -> Vec<bool> {
    let sums = sums(pieces, regions);
    let total = sums[0].letters;
    inherited(regions, |at| {
        let (region, sum) = (&regions[at], sums[at]);
        let small = sum.letters * 100 <= total * MOST;
        let linked = sum.links * 100 >= sum.letters * LINKED;
        let contents = region.list && sum.items > 2 && sum.anchors * 100 >= sum.letters * CONTENTS;
        match region.furniture {
            Furniture::Surely => small || linked,
            Furniture::Perhaps => linked || contents,
            Furniture::No => contents,
        }
    })
}

/// What each region holds, with all regions inside it. Inner regions come after outer ones.
fn sums(pieces: &[HtmlPiece], regions: &[Region]) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); regions.len()];
    for piece in pieces {
        let sum = &mut sums[piece.region];
        sum.letters += piece.text.chars().filter(|c| !c.is_whitespace()).count();
        sum.links += piece.links;
        sum.anchors += piece.anchors;
        sum.items +=
            usize::from(matches!(piece.kind, PieceKind::Item { .. } | PieceKind::Paragraph | PieceKind::Definition));
    }
    for at in (1..regions.len()).rev() {
        let inner = sums[at];
        let outer = &mut sums[regions[at].parent];
        outer.letters += inner.letters;
        outer.links += inner.links;
        outer.anchors += inner.anchors;
        outer.items += inner.items;
    }
    sums
}

/// For each region, whether `test` holds for it or for one around it. The page itself is never tested.
fn inherited(regions: &[Region], test: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut found = vec![false; regions.len()];
    for at in 1..regions.len() {
        found[at] = found[regions[at].parent] || test(at);
    }
    found
}

/// A heading over a table of contents stays behind when that is dropped.
fn furniture_heading(piece: &HtmlPiece) -> bool {
    let words = ["contents", "table of contents", "on this page", "目录", "目錄", "本页内容", "在此页面"];
    matches!(piece.kind, PieceKind::Heading(_)) && words.iter().any(|word| word.eq_ignore_ascii_case(&piece.text))
}

/// The words of a heading without the page's own marks: `[edit]`, `¶`, `#`.
pub(super) fn heading_words(text: &str) -> String {
    let mut words = text.trim();
    loop {
        let shorter = words.trim_end_matches(['¶', '#', '§', '🔗', '\n', ' ']);
        let marks = ["[edit]", "[编辑]", "[編輯]", "[ edit ]", "[edit source]", "[edit | edit source]", "[编辑源代码]"];
        let shorter = marks.iter().find_map(|mark| shorter.strip_suffix(mark)).unwrap_or(shorter);
        if shorter == words || shorter.is_empty() {
            return words.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        words = shorter;
    }
}
