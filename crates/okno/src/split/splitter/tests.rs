//! The suite for each of ours, sizes that hold, and names.

use super::super::contract::{self, HOSTILE, UNITS};
use super::super::count_tokens;
use super::*;
use proptest::prelude::*;
use std::hint::black_box;

/// One of each, at sizes that cut the suite's short texts too.
const ALL: &[&str] = &[
    "sentence",
    "sentences:3",
    "window:2",
    "paragraph",
    "section",
    "chunk:40c/20c",
    "chunk:16t/4t",
    "words:7/3",
    "chars:10/4",
    "chars:1",
    "recursive:40c/15c",
    "recursive:3000c/300c",
    "recursive:12t/4t",
    "tokens:12t/4t",
    "tokens:60c/20c",
    "markdown",
    "markdown:2",
    "html",
    "semantic:50p/200c",
    "semantic:80g/30t",
    "hierarchy:120c/30c",
    "hierarchy:40t/10t",
    "code:80c",
];

fn named(name: &str) -> Splitter {
    name.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn cut<'t>(name: &str, text: &'t str) -> Vec<&'t str> {
    named(name).split(&Text::markdown(text)).unwrap().iter().map(|piece| piece.span.of(text)).collect()
}

#[test]
fn every_splitter_passes_the_suite() {
    for name in ALL {
        contract::check_all(&named(name));
    }
}

#[test]
fn time_stays_linear_for_long_texts() {
    for name in
        ["sentence", "paragraph", "section", "chunk:400c/200c", "words:200/40", "chars:400/200", "recursive:500c/50c"]
    {
        contract::check_long(&named(name));
    }
    for name in ["recursive:100t/20t", "tokens:512t/64t", "markdown", "html", "semantic", "hierarchy", "code:1500c"] {
        contract::check_long(&named(name));
    }
}

/// The suite itself: a splitter that looks back over all of the text for every kilobyte of it must not pass.
#[test]
#[should_panic(expected = "\"a\"")]
fn quadratic_time_is_noticed() {
    struct LooksBack;
    impl Split for LooksBack {
        fn split(&self, text: &Text<'_>) -> Result<Vec<Piece>, EmbedError> {
            // One byte after the other: what a processor counts thirty-two at a time is over before it can be timed.
            let seen = |end: usize| text.text[..end].bytes().filter(|byte| black_box(*byte) == b'a').count();
            let ends = (128..=text.text.len()).step_by(128).map(|end| text.text.floor_char_boundary(end));
            assert!(ends.map(seen).sum::<usize>() < usize::MAX);
            Ok(vec![Span::new(0, text.text.len()).into()])
        }
    }
    contract::check_long(&LooksBack);
}

/// What may be larger than the size: for characters one grapheme, for tokens one word, for layers one sentence.
fn assert_fits(name: &str, text: &str) {
    let splitter = named(name);
    let characters = |text: &str| text.chars().count();
    let one_grapheme = |words: &str| cut::grapheme(words, 0, 0) == words.len();
    let sentences = Text::plain(text).sentences().sentences;
    let one_sentence = |span: Span| sentences.iter().any(|sentence| sentence.span == span);
    // Characters that cost nothing may stand around it.
    let one_word = |words: &str| words.split_whitespace().filter(|word| count_tokens(word) > 0).count() <= 1;
    for piece in contract::check(&splitter, text) {
        let words = piece.span.of(text);
        let most = |size: Size| match size {
            Size::Characters(most) => characters(words) <= most as usize || one_grapheme(words),
            Size::Tokens(most) => count_tokens(words) <= most as usize || one_word(words),
        };
        let fits = match splitter {
            Splitter::Layer(Layer::Chunk { size, .. }) => most(size) || one_sentence(piece.span),
            Splitter::Characters { size, .. } => most(Size::Characters(size)),
            Splitter::Recursive { size, .. }
            | Splitter::Tokens { size, .. }
            | Splitter::Code(size)
            | Splitter::Semantic { most: size, .. } => most(size),
            Splitter::Hierarchy { parent, .. } if piece.parent.is_none() => most(parent),
            Splitter::Hierarchy { parent: Size::Characters(_), child } => most(Size::Characters(child)),
            Splitter::Hierarchy { parent: Size::Tokens(_), child } => most(Size::Tokens(child)),
            _ => true,
        };
        assert!(fits, "{name}: {words:?}");
    }
}

#[test]
fn sizes_hold_for_the_suites_texts() {
    for name in ALL {
        for text in HOSTILE {
            assert_fits(name, text);
        }
        for unit in UNITS {
            assert_fits(name, &unit.repeat(300));
        }
    }
}

/// Words, marks, junk and blanks of many scripts in any order.
fn messy() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "word",
        "Mr.",
        "He left. ",
        "U.S.",
        "3.14",
        "你好",
        "。",
        "！",
        "，",
        "；",
        "“",
        "”",
        "（",
        "）",
        "《",
        "》",
        ".",
        "?",
        "! ",
        ", ",
        "; ",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\t",
        "\u{3000}",
        "\0",
        "\u{301}",
        "\u{200d}",
        "\u{fe0f}",
        "👩🏽‍🚀",
        "🇩🇪",
        "שלום",
        "مرحبا",
        "\u{202e}",
        "\u{fffd}",
        "# ",
        "## T\n",
        "- ",
        "1. ",
        "| a |\n",
        "|-|\n",
        "```\n",
        "---\n",
        "    ",
        "한국",
        "supercalifragilisticexpialidocious",
        "http://a.b/c?d=e.f",
        "é",
        "\u{feff}",
    ]);
    prop::collection::vec(parts, 0..80).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sizes_hold_for_messy_text(text in messy()) {
        for name in ALL {
            assert_fits(name, &text);
        }
    }

    #[test]
    fn the_laws_hold_for_anything(text in any::<String>()) {
        for name in ALL {
            assert_fits(name, &text);
        }
    }

    #[test]
    fn sizes_and_overlaps_of_any_kind(text in messy(), size in 1..60_u32, share in 0.0..1.0_f64) {
        let overlap = (f64::from(size) * share) as u32;
        for kind in ["chars:{s}/{o}", "words:{s}/{o}", "recursive:{s}c/{o}c", "recursive:{s}t/{o}t",
            "tokens:{s}t/{o}t"] {
            assert_fits(&kind.replace("{s}", &size.to_string()).replace("{o}", &overlap.to_string()), &text);
        }
    }
}

#[test]
fn names_round_trip() {
    for name in ALL {
        let splitter = named(name);
        assert_eq!(named(&splitter.to_string()), splitter);
    }
    assert_eq!(named("recursive").to_string(), "recursive:3000c/300c");
    assert_eq!(named("chars").to_string(), "chars:400/200");
    assert_eq!(named("tokens:256").to_string(), "tokens:256t/0t");
    assert_eq!(named("tokens:256c/64").to_string(), "tokens:256c/64c");
    assert_eq!(named("semantic:90").to_string(), "semantic:90p/3000c");
    assert_eq!(named("hierarchy").to_string(), "hierarchy:3000c/500c");
}

#[test]
fn names_that_cannot_work_say_what_does() {
    let says = |name: &str, what: &str| {
        let message = name.parse::<Splitter>().unwrap_err().to_string();
        assert!(message.contains(what), "{name}: {message}");
    };
    says("recursive:300c/300c", "smaller than size 300; try half of it");
    says("chars:4/9", "smaller than size 4; try half of it");
    says("chunk:200c/200c", "try half of it");
    says("words:0", "size of 0");
    says("hierarchy:500c/3000c", "try a sixth of it");
    says("recursive:300c/30t", "both in tokens");
    for name in
        ["", "sentenc", "recursive:", "recursive:x", "summary", "words:5t", "markdown:0", "markdown:7", "semantic:101p"]
    {
        says(name, "`hierarchy:3000c/500c`");
    }
}

#[test]
fn recursive_cuts_at_the_best_place() {
    let text =
        "First paragraph. It has two sentences.\n\nSecond paragraph, which is long enough to be cut. It ends here.";
    assert_eq!(
        cut("recursive:60c", text),
        [
            "First paragraph. It has two sentences.",
            "Second paragraph, which is long enough to be cut.",
            "It ends here."
        ]
    );
    let wrapped = "A sentence that is wrapped\nat a width. Another one that is also\nwrapped at a width.";
    assert_eq!(
        cut("recursive:60c", wrapped)[0],
        "A sentence that is wrapped\nat a width.",
        "a line end is no better than a stop"
    );
    let chinese = "今天下雨，我们没有出门；明天也许会晴，到时候再说。后天呢？";
    assert_eq!(cut("recursive:16c", chinese), ["今天下雨，我们没有出门；", "明天也许会晴，到时候再说。", "后天呢？"]);
}

#[test]
fn overlaps_are_whole_sentences_where_they_fit() {
    let text = "One is short. Two is short. Three is short. Four is short. Five is short.";
    assert_eq!(
        cut("recursive:45c/20c", text),
        ["One is short. Two is short. Three is short.", "Three is short. Four is short. Five is short."]
    );
    assert_eq!(cut("tokens:8t/4t", text)[1], "Two is short. Three is short.");
}

#[test]
fn headings_and_their_paths() {
    let text = "before\n\n# A\n\n## B\n\ntext b\n\n### C\n\ntext c\n\n## D\n\ntext d\n";
    let pieces = named("markdown").split(&Text::markdown(text)).unwrap();
    let paths: Vec<String> =
        pieces.iter().map(|p| p.headings.iter().map(|h| h.of(text)).collect::<Vec<_>>().join("/")).collect();
    assert_eq!(paths, ["", "A", "A/B", "A/B/C", "A/D"]);
    assert_eq!(pieces[2].span.of(text), "## B\n\ntext b");
    assert_eq!(cut("markdown:2", text).len(), 4, "a third level stays inside");
}

#[test]
fn children_know_their_parent() {
    let text = "One is short. Two is short.\n\nThree is short. Four is short.";
    let pieces = named("hierarchy:30c/15c").split(&Text::plain(text)).unwrap();
    let parents: Vec<Option<u32>> = pieces.iter().map(|piece| piece.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(0), None, Some(3), Some(3)]);
    assert_eq!(pieces[4].span.of(text), "Three is short.");
}

/// Two subjects, four sentences each: the break is between them.
#[test]
fn the_subject_changes_once() {
    let tea = "Green tea is brewed with hot water. Black tea needs boiling water. Tea leaves are picked by hand. A \
        teapot keeps the tea warm.";
    let football = "The striker scored in the last minute. The goalkeeper saved a penalty. The team won the football \
        league. Fans cheered in the stadium.";
    let text = format!("{tea} {football}");
    assert_eq!(cut("semantic:80p/3000c", &text), [tea, football]);
    assert!(cut("semantic:80p/100c", &text).iter().all(|piece| piece.len() <= 100));
}

#[test]
fn any_tokenizer_counts() {
    /// A token per byte: no tokenizer is worse.
    struct Bytes;
    impl Count for Bytes {
        fn count(&self, text: &str) -> usize {
            text.len()
        }
    }
    let text = "One is short. Two is short. 三也很短。Four is short. ".repeat(20);
    for name in ["tokens:40t/20t", "recursive:40t/20t", "hierarchy:90t/30t", "chunk:40t"] {
        let pieces = named(name).split_with(&Text::plain(&text), &BuiltIn::default(), &Bytes).unwrap();
        assert!(pieces.len() > 10 && pieces.iter().all(|piece| piece.span.len() <= 90), "{name}");
    }
}
