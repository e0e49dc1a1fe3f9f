//! As large as allowed, cut at the best place: paragraph, line, sentence, clause, word, character.
//!
//! A piece takes as much as fits. If that is not everything it ends at the last blank line of its second half;
//! failing that, at the last line end that also ends a sentence; then at the last end of a sentence – our own rules,
//! Chinese and English –, the last line end of any kind, the last clause mark (`；，、` too), the last space, and where
//! nothing else is left between two graphemes. Half a size is a fair piece, less is a crumb. The next piece repeats,
//! from the end of this one, as many whole sentences as fit into the overlap; where not even one does, clauses,
//! words, graphemes.
//!
//! Nothing recurses: each piece looks backwards from where it must end, so the time is linear and small.
//!
//! Why not the crate `text-splitter` 0.33, which returns slices too: it brings 35 crates that nothing else here
//! needs, among them the segmentation tables of ICU, it knows nothing of our sentences, and it is slower. English of
//! the Kubernetes documentation, one core, one run, ours on 3.5 MB and theirs on the first 400,000 characters of it,
//! MB per CPU second:
//!
//! | | this | `text-splitter` |
//! |---|---|---|
//! | text, 3000 with an overlap of 300 | 420 | 60 |
//! | Markdown (ours by headings, theirs up to 3000) | 346 | 18 |

use super::cut;
use super::measure::CountedSize;
use crate::document::Span;
use crate::split::sentence::{at_clause, sentences};
use memchr::memrchr_iter;
use std::ops::Range;

/// Where the search for sentences starts before the stretch that matters, in bytes: brackets and quotes that reach
/// further are not asides (see `sentence::MAX_PAIR`).
const RUN_UP: usize = 512;

/// What is read before and behind a stop to tell whether a sentence ends there, in bytes: a few words on each side.
const AROUND: usize = 64;

/// What closes after a stop and the space behind it, in bytes: a few marks of three bytes each.
const CLOSING: usize = 16;

/// Stops that are looked at one by one, from the last, before a whole stretch is read: a list of addresses is full of
/// them.
const FEW: usize = 4;

/// The pieces of `text`, within the size, each repeating up to `overlap` of the one before.
pub(super) fn split(text: &str, measure: CountedSize<'_>, overlap: usize) -> Vec<Span> {
    let repeated = measure.with(overlap);
    let back = |start, end| if overlap == 0 { end } else { repeat_from(text, start, end, repeated) };
    cut::pieces(text, |start, past| end(text, start, past, measure), back)
}

/// Where the piece that starts at `start` ends, behind `past` if its size allows.
fn end(text: &str, start: usize, past: usize, measure: CountedSize<'_>) -> usize {
    let limit = measure.reach(text, start);
    if limit >= text.len() || limit <= past {
        return limit;
    }
    let first = text.ceil_char_boundary(start.max(past) + 1);
    let floor = text.ceil_char_boundary(start.midpoint(limit)).max(first);
    let lines = LineEnds::read(text, start, floor..limit);
    lines
        .paragraph
        .or(lines.sentence)
        .or_else(|| sentence_end(text, start, floor, limit))
        .or(lines.any)
        .or_else(|| at_clause(text, floor, limit))
        .or_else(|| text.get(first..limit)?.rfind(char::is_whitespace).map(|at| first + at))
        .unwrap_or_else(|| cut::grapheme(text, start, limit))
}

/// The last line ends of a stretch, by what else ends there.
#[derive(Default)]
struct LineEnds {
    paragraph: Option<usize>,
    sentence: Option<usize>,
    any: Option<usize>,
}

impl LineEnds {
    fn read(text: &str, start: usize, stretch: Range<usize>) -> Self {
        let mut lines = Self::default();
        // The line feed may stand just behind the last character that fits.
        let upto = (stretch.end + 1).min(text.len());
        for at in memrchr_iter(b'\n', &text.as_bytes()[stretch.start..upto]).map(|at| stretch.start + at) {
            let above = text[start..at].trim_end_matches([' ', '\t', '\r']);
            if above.ends_with('\n') || blank_follows(text, at) {
                lines.paragraph = Some(at);
                break;
            }
            lines.any = lines.any.or(Some(at));
            lines.sentence = lines.sentence.or_else(|| ends_sentence(above).then_some(at));
        }
        lines
    }
}

/// Whether the line behind the line feed at `at` is blank. A few characters tell: longer blanks are not lines.
fn blank_follows(text: &str, at: usize) -> bool {
    let next = text.as_bytes()[at + 1..].iter().take(RUN_UP).find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    next == Some(&b'\n')
}

/// Whether a stop, and what closes after it, is the last thing in `text`. The rules of sentences cut at their maximum
/// too.
fn ends_sentence(text: &str) -> bool {
    let closing = ['”', '’', '"', '\'', ')', '）', ']', '】', '」', '』', '》', '*', '_', '`'];
    text.trim_end_matches(closing).ends_with(['.', '!', '?', '。', '！', '？', '…', '．', '｡'])
}

/// The last end of a sentence between `floor` and `limit`. Reading sentences is what a piece costs, so only what is
/// around its last stops is read. All of its second half, and what is before it, is read where these do not tell, or
/// where a bracket that is still open at the end found would keep what is before and behind it together.
fn sentence_end(text: &str, start: usize, floor: usize, limit: usize) -> Option<usize> {
    let ahead = text.floor_char_boundary((limit + AROUND).min(text.len()));
    let mut at = limit;
    for _ in 0..FEW {
        at = last_stop(&text.as_bytes()[..ahead], floor, at)?;
        let from = text.floor_char_boundary(at.saturating_sub(AROUND)).max(start);
        let upto = text.floor_char_boundary((at + AROUND).min(text.len()));
        match last_end(text, from..upto, floor, limit) {
            Some(end) if closes_outer(&text.as_bytes()[end..ahead]) => break,
            Some(end) => return Some(end),
            None => {}
        }
    }
    let from = text.ceil_char_boundary(floor.saturating_sub(RUN_UP).max(start));
    last_end(text, from..ahead, floor, limit)
}

/// Where the last stop between `floor` and `before` is.
fn last_stop(bytes: &[u8], floor: usize, before: usize) -> Option<usize> {
    (floor..before).rev().find(|&at| is_stop(&bytes[at..]))
}

/// Whether these bytes begin with a mark that may end a sentence: `.` inside of `k8s.io` may not.
fn is_stop(bytes: &[u8]) -> bool {
    match *bytes {
        [b'.' | b'!' | b'?', next, ..] => !next.is_ascii_alphanumeric(),
        // And 。 ！ ． ？ ｡ … ‼ ⁇ ⁈ ⁉
        [b'.' | b'!' | b'?']
        | [0xE3, 0x80, 0x82, ..]
        | [0xEF, 0xBC, 0x81 | 0x8E | 0x9F, ..]
        | [0xEF, 0xBD, 0xA1, ..]
        | [0xE2, 0x80, 0xA6 | 0xBC, ..]
        | [0xE2, 0x81, 0x87..=0x89, ..] => true,
        _ => false,
    }
}

/// The last end between `floor` and `limit` of the sentences of a stretch that goes on behind it.
fn last_end(text: &str, stretch: Range<usize>, floor: usize, limit: usize) -> Option<usize> {
    let from = stretch.start;
    let found = sentences(text, Span::new(from, stretch.end));
    let complete = &found[..found.len().saturating_sub(1)];
    let ends = complete.iter().rev().map(|span| span.end as usize);
    ends.skip_while(|&end| end > limit).take_while(|&end| end >= floor).find(|&end| ends_sentence(&text[from..end]))
}

/// Whether a bracket closes here that was opened before: what is before it may be its inside, and no end of a sentence.
fn closes_outer(bytes: &[u8]) -> bool {
    let mut open = 0;
    for at in 0..bytes.len() {
        match bytes[at..] {
            // ( [ （ ［ 《 〈 【 〔, and what closes them.
            [b'(' | b'[', ..] | [0xEF, 0xBC, 0x88 | 0xBB, ..] | [0xE3, 0x80, 0x88 | 0x8A | 0x90 | 0x94, ..] => {
                open += 1;
            }
            [b')' | b']', ..] | [0xEF, 0xBC, 0x89 | 0xBD, ..] | [0xE3, 0x80, 0x89 | 0x8B | 0x91 | 0x95, ..] => {
                open -= 1;
            }
            _ => {}
        }
        if open < 0 {
            return true;
        }
    }
    false
}

/// Where the next piece starts, so that it repeats at most the size of `measure`: behind `start`, at `end` or before.
fn repeat_from(text: &str, start: usize, end: usize, measure: CountedSize<'_>) -> usize {
    let from = measure.retreat(text, text.ceil_char_boundary(start + 1), end);
    sentence_start(text, start, from, end)
        .or_else(|| after(text, from, end, is_clause_end))
        .or_else(|| after(text, from, end, |c, next| c.is_whitespace() && !next.is_whitespace()))
        .unwrap_or_else(|| cut::grapheme(text, start, from))
}

/// The first sentence that starts at or behind `from` and before `end`. Most overlaps are shorter than a sentence:
/// without a stop in them nothing is read.
fn sentence_start(text: &str, start: usize, from: usize, end: usize) -> Option<usize> {
    let near = text.floor_char_boundary(from.saturating_sub(CLOSING)).max(start);
    // The stop that ends the piece starts no sentence in it.
    let inner = text[near..end].trim_end_matches(|c: char| !c.is_alphanumeric()).as_bytes();
    let stop = near + (0..inner.len()).find(|&at| inner[at] == b'\n' || is_stop(&inner[at..]))?;
    let run_up = if closes_outer(&text.as_bytes()[stop..end]) { RUN_UP } else { AROUND };
    let first = text.floor_char_boundary(stop.saturating_sub(run_up)).max(start);
    let found = sentences(text, Span::new(first, end));
    let starts = |pair: &&[Span]| {
        let (before, next) = (pair[0].end as usize, pair[1].start as usize);
        next >= from && (ends_sentence(&text[first..before]) || text[before..next].contains('\n'))
    };
    found.windows(2).find(starts).map(|pair| pair[1].start as usize)
}

fn is_clause_end(c: char, next: char) -> bool {
    matches!(c, '；' | '，' | '：' | '、') || (matches!(c, ';' | ',' | ':') && next.is_whitespace())
}

/// The first place between `from` and `end` where `is` says yes to the characters before and behind it.
fn after(text: &str, from: usize, end: usize, is: impl Fn(char, char) -> bool) -> Option<usize> {
    let mut before = text[..from].chars().next_back()?;
    for (offset, c) in text[from..end].char_indices() {
        if is(before, c) {
            return Some(from + offset);
        }
        before = c;
    }
    None
}
