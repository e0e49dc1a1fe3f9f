//! The loop that every splitter by size shares, and the boundaries of graphemes.

use crate::document::Span;
use unicode_segmentation::{GraphemeCursor, GraphemeIncomplete};

/// The longest grapheme that is kept whole, in characters: a family of four with skin tones has 11, a heavily
/// accented letter a few more. What is longer is noise, and a text of nothing but accents would otherwise be one piece.
const LONGEST_GRAPHEME: usize = 32;

/// Cuts `text` from `start` on. `end(start, past)` is where the piece at `start` ends: behind `start`, and behind
/// `past` if it can be. `back(start, end)` is where the next one starts: behind `start`, at `end` or before it.
/// Pieces are trimmed; one that would add nothing to the one before is left out.
pub(super) fn pieces(
    text: &str,
    end: impl Fn(usize, usize) -> usize,
    back: impl Fn(usize, usize) -> usize,
) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let (mut start, mut past) = (skip_space(text, 0), 0);
    while start < text.len() {
        let mut stop = end(start, past);
        if stop <= past {
            // What is repeated leaves no room for anything new.
            start = skip_space(text, past);
            if start == text.len() {
                break;
            }
            stop = end(start, past);
        }
        let trimmed = start + text[start..stop].trim_end().len();
        if spans.last().is_none_or(|last| trimmed > last.end as usize) {
            spans.push(Span::new(start, trimmed));
        }
        if stop == text.len() {
            break;
        }
        start = skip_space(text, back(start, stop));
        past = stop;
    }
    spans
}

pub(super) fn skip_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// The last grapheme boundary at or before `at` that is behind `start`; if there is none, the end of the grapheme at
/// `start`.
pub(super) fn grapheme(text: &str, start: usize, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    let mut before = text[start..at].char_indices().rev().map(|(offset, _)| start + offset);
    let mut candidate = at;
    for _ in 0..LONGEST_GRAPHEME {
        if candidate <= start {
            return next_grapheme(text, start);
        }
        if is_boundary(text, candidate) {
            return candidate;
        }
        let Some(further) = before.next() else { break };
        candidate = further;
    }
    at
}

/// The end of the grapheme at `start`, at most [`LONGEST_GRAPHEME`] characters on.
fn next_grapheme(text: &str, start: usize) -> usize {
    let starts = text[start..].char_indices().skip(1).map(|(offset, _)| start + offset);
    let mut last = text.len();
    for end in starts.chain([text.len()]).take(LONGEST_GRAPHEME) {
        last = end;
        if is_boundary(text, end) {
            break;
        }
    }
    last
}

/// Whether a grapheme ends at `at`, judged by the [`LONGEST_GRAPHEME`] characters before it.
fn is_boundary(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let plain = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_graphic() || *b == b' ');
    if at == 0 || at == text.len() || (plain(bytes.get(at - 1)) && plain(bytes.get(at))) {
        return true;
    }
    let from = text[..at].char_indices().rev().take(LONGEST_GRAPHEME).last().map_or(0, |(offset, _)| offset);
    let upto = text[at..].chars().next().map_or(text.len(), |c| at + c.len_utf8());
    let window = &text[from..upto];
    let mut cursor = GraphemeCursor::new(at - from, window.len(), true);
    match cursor.is_boundary(window, 0) {
        Ok(boundary) => boundary,
        // The window is all there is: it cannot be incomplete, and if it were, a cut is allowed.
        Err(GraphemeIncomplete::PreContext(_) | GraphemeIncomplete::PrevChunk | GraphemeIncomplete::NextChunk) => true,
        Err(GraphemeIncomplete::InvalidOffset) => false,
    }
}
