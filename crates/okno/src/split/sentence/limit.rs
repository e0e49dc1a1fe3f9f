//! The hard maximum: what no stop ends in a thousand characters is cut at the best clause mark.

use super::marks::{char_at, is_combining};
use crate::document::Span;

/// Ten times a long English sentence. What is longer is a table, a log or a list without stops,
/// and no embedding model reads it as one unit.
pub const MAX_CHARS: usize = 1000;

/// How far a cut looks back for the start of a run of combining marks. Real ones are short.
const MAX_COMBINING: usize = 32;

/// Appends `start..end`, in as many pieces as the maximum asks for, each trimmed.
pub(super) fn push(text: &str, start: usize, end: usize, base: usize, out: &mut Vec<Span>) {
    let mut rest = start;
    while let Some(cut) = cut(&text[rest..end]) {
        push_trimmed(text, rest, rest + cut, base, out);
        rest += cut;
    }
    push_trimmed(text, rest, end, base, out);
}

fn push_trimmed(text: &str, start: usize, end: usize, base: usize, out: &mut Vec<Span>) {
    let tail = text[start..end].trim_start();
    let start = end - tail.len();
    let end = start + tail.trim_end().len();
    if start < end {
        out.push(Span::new(base + start, base + end));
    }
}

/// Where to cut `text` so that the first piece is within the maximum; `None` if all of it is.
fn cut(text: &str) -> Option<usize> {
    if text.len() <= MAX_CHARS {
        return None;
    }
    let (limit, _) = text.char_indices().nth(MAX_CHARS)?;
    // Half a limit is a fair piece, less is a crumb.
    let floor = text.floor_char_boundary(limit / 2);
    Some(at_clause(text, floor, limit).unwrap_or_else(|| before_combining(text, limit)))
}

/// Behind the last of the strongest clause marks and blanks of `text` from `floor` on, at `limit` at most.
pub(in crate::split) fn at_clause(text: &str, floor: usize, limit: usize) -> Option<usize> {
    let mut best = None;
    for (offset, c) in text[floor..limit].char_indices() {
        let after = floor + offset + c.len_utf8();
        let rank = rank(c, text[after..].starts_with(char::is_whitespace));
        if rank > 0 && best.is_none_or(|(top, _)| rank >= top) {
            best = Some((rank, after));
        }
    }
    best.map(|(_, after)| after)
}

/// How good a place to cut is after `c`. ASCII marks need white space after them: `1,000`, `10:30`.
fn rank(c: char, spaced: bool) -> u8 {
    match c {
        '；' => 4,
        ';' if spaced => 4,
        '，' | '：' => 3,
        ',' | ':' if spaced => 3,
        '、' => 2,
        _ => u8::from(c.is_whitespace()),
    }
}

fn before_combining(text: &str, limit: usize) -> usize {
    let joined = |at: usize| char_at(text, at).is_some_and(is_combining);
    let mut at = limit;
    for (before, _) in text[..limit].char_indices().rev().take(MAX_COMBINING) {
        if !joined(at) && !text[..at].ends_with('\u{200D}') {
            return at;
        }
        at = before;
    }
    limit
}
