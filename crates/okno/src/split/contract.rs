//! What every [`Split`] must do: one suite, run by each implementation.
//!
//! [`check`] asks the laws of one text; [`check_all`] of every text here that has broken a splitter somewhere, and of
//! time.

use super::{Piece, Split, Text};
use crate::document::Span;
use std::time::{Duration, Instant};

/// What texts are made of that broke a splitter, here or elsewhere.
pub const HOSTILE: &[&str] = &[
    "",
    " \t\r\n\u{3000}\u{a0}",
    "a",
    "字",
    "One.\r\nTwo.\r\n\r\nThree.\r\n",
    "Old Mac\rline ends\r\rstay.",
    "nul\0bytes\0. And\0 more\0\0\0",
    "e\u{301}\u{301}\u{301} \u{301}lonely marks\u{300}\u{20dd}",
    "👨‍👩‍👧‍👦👩🏽‍🚀🏳️‍🌈🇩🇪🇫🇷🇨🇳 families. And flags! 🇩🇪🇫",
    "שלום עולם. מה שלומך? \u{202e}gnihtyreve\u{202c} مرحبا بالعالم. كيف حالك؟",
    "\u{fffd}\u{fffd}\u{fffe}\u{ffff}\u{d7ff}\u{e000} lone surrogates were here",
    "한국어 문장입니다. 두 번째 문장입니다. ภาษาไทยไม่มีช่องว่าง",
    "# A\n## B\n### C\n\ntext\n\n# D\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n\n    more\n```\n",
    "---\ntitle: front\ntags: [a, b]\n---\n\n# Heading\n\nText. 文字。\n",
    "# \n#\n##  \n\n===\n---\n",
    "1. one\n2. two\n   - three\n\n     four\n\n    code\n",
    "他说：“走吧。”然后离开了。真的？！《摔跤吧！爸爸》（完）……",
    "no end, no end; no end: no end、没有，没有；没有",
    "<h1>raw</h1><p>html</p>",
    "\u{feff}mark at the start",
    "…。.！!？?\"”’)】》",
];

/// What long texts are made of: one line, only marks, only accents, brackets that never close.
pub const UNITS: &[&str] = &[
    "a",
    "字",
    "word ",
    ".",
    "。",
    "\u{301}",
    "He left. ",
    "你好吗？",
    "(",
    "# \n",
    "- a\n",
    "\n",
    " ",
    "👩🏽‍🚀",
    "|a|\n",
    "\0",
];

/// Asks every law of every text.
pub fn check_all(splitter: &dyn Split) {
    for text in HOSTILE {
        check(splitter, text);
    }
    for unit in UNITS {
        check(splitter, &unit.repeat(1024 / unit.len()));
        check_linear(splitter, unit);
    }
}

/// Asks the laws of one text, read as plain text and as Markdown. Answers its pieces as plain text.
pub fn check(splitter: &dyn Split, text: &str) -> Vec<Piece> {
    check_text(splitter, &Text::markdown(text));
    check_text(splitter, &Text::plain(text))
}

/// Asks the laws of one text as its loader saw it.
pub fn check_text(splitter: &dyn Split, text: &Text<'_>) -> Vec<Piece> {
    let pieces = splitter.split(text).expect("the suite's embedder does not fail");
    assert_eq!(pieces, splitter.split(text).expect("nor does it the second time"), "not deterministic");
    for piece in &pieces {
        check_piece(text.text, piece, &pieces);
    }
    check_order(&pieces);
    check_coverage(text.text, &pieces);
    pieces
}

fn check_piece(text: &str, piece: &Piece, pieces: &[Piece]) {
    let words = text.get(piece.span.range()).expect("on character boundaries");
    assert!(!words.is_empty() && words.trim() == words, "{words:?}");
    for heading in &piece.headings {
        assert!(text.get(heading.range()).is_some(), "{heading:?}");
    }
    if let Some(parent) = piece.parent {
        let whole = pieces[parent as usize].span;
        assert_eq!(whole.cover(piece.span), whole, "a child is inside its parent");
    }
}

/// Starts and ends never descend, among pieces of the same parent; a parent comes first.
fn check_order(pieces: &[Piece]) {
    for (at, piece) in pieces.iter().enumerate() {
        assert!(piece.parent.is_none_or(|parent| (parent as usize) < at), "a parent comes before its children");
        let Some(next) = pieces[at + 1..].iter().find(|next| next.parent == piece.parent) else { continue };
        assert!(next.span.start >= piece.span.start && next.span.end >= piece.span.end, "{piece:?} {next:?}");
    }
}

/// Pieces without a parent cover the text, and the children of a parent cover it.
fn check_coverage(text: &str, pieces: &[Piece]) {
    let tops = pieces.iter().filter(|piece| piece.parent.is_none());
    assert_covered(text, 0, text.len(), tops.map(|piece| piece.span));
    let mut at = 0;
    while at < pieces.len() {
        let children = pieces[at + 1..].iter().take_while(|piece| piece.parent == Some(at as u32));
        let count = children.clone().count();
        if count > 0 {
            let Span { start, end } = pieces[at].span;
            assert_covered(text, start as usize, end as usize, children.map(|piece| piece.span));
        }
        at += count + 1;
    }
}

fn assert_covered(text: &str, start: usize, end: usize, spans: impl Iterator<Item = Span>) {
    let mut seen = start;
    for span in spans {
        let gap = &text[seen..(span.start as usize).max(seen)];
        assert!(gap.trim().is_empty(), "not covered: {gap:?}");
        seen = seen.max(span.end as usize);
    }
    assert!(text[seen..end].trim().is_empty(), "not covered: {:?}", &text[seen..end]);
}

/// Long texts that real files hold: one line without an end, only marks, only accents.
pub const LONG: &[&str] = &["a", "word ", ".", "。", "\u{301}"];

/// Asks of long texts what [`check_all`] asks of short ones: what is linear up to a few kilobytes – a look back that
/// is cut off there – may not be later. Eight times the text is 64 times the work where time is quadratic, every time.
pub fn check_long(splitter: &dyn Split) {
    for unit in LONG {
        let text = |bytes: usize| unit.repeat(bytes / unit.len());
        let (short, long) = (text(1 << 15), text(1 << 18));
        let linear = |_| took(splitter, &long) < took(splitter, &short) * 24 + Duration::from_millis(20);
        assert!((0..3).any(linear), "{unit:?}");
    }
}

/// Quadratic time is a factor of 16 for 4 times the text, every time; a busy machine is not.
fn check_linear(splitter: &dyn Split, unit: &str) {
    let text = |bytes: usize| unit.repeat(bytes / unit.len());
    let (short, long) = (text(1 << 12), text(1 << 14));
    let linear = |_| took(splitter, &long) < took(splitter, &short) * 10 + Duration::from_millis(20);
    assert!((0..5).any(linear), "{unit:?}");
}

fn took(splitter: &dyn Split, text: &str) -> Duration {
    // What is split in parallel is split on this one thread: the system tells only the time of the thread that asks.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be had");
    alone.install(|| {
        let (wall, begun) = (Instant::now(), cpu());
        std::hint::black_box(splitter.split(&Text::markdown(text)).is_ok());
        cpu().zip(begun).map_or_else(|| wall.elapsed(), |(end, begun)| end.saturating_sub(begun))
    })
}

/// How long this thread has been on a core, where the system tells: a busy machine stretches the wall clock.
fn cpu() -> Option<Duration> {
    // The system counts when a thread lets go of its core, and at its own ticks: without this, short work took nothing.
    std::thread::yield_now();
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
