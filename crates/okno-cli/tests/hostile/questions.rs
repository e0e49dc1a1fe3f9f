//! Questions and filters that ask for nothing, or for too much.

use super::*;

#[test]
fn nothing_to_look_for_finds_nothing() {
    let world = World::with_sample();
    for question in ["", " ", "\t\n"] {
        world.okno(["search", "--", question]).refuses().says(&["the question is empty"]);
    }
    for question in ["?!", "。，！？、；：", "...", "\u{200f}\u{202e}\u{2066}", "\u{feff}", "🙂🙃"] {
        let ran = world.okno(["search", "--", question]).succeeds();
        if ran.out.is_empty() {
            ran.says(&["nothing found"]);
        }
        world.okno(["search", "--json", "--explain", "--", question]).succeeds().json();
        world.okno(["compare", "--", question]).succeeds();
    }
    for question in ["?!", "。，！？"] {
        assert!(contexts(&world.search(&["--", question])).is_empty(), "{question:?} finds something");
    }
}

#[test]
fn marks_and_controls_around_words_do_not_hide_them() {
    let world = World::with_sample();
    for question in [
        "\u{202e}土豆丝怎么切\u{202c}",
        "\u{200f}土豆丝\u{200e}怎么切",
        "土豆丝\u{1b}[31m怎么切\u{7}",
        "土豆丝\r\n怎么切\u{0b}？",
    ] {
        assert!(world.found(question)[0].contains("土豆丝"), "{question:?}");
        let ran = world.okno(["search", question]).succeeds();
        assert!(!has_control(&ran.out) && !has_control(&ran.err));
    }
    let operators = ["-k", "a AND (b OR", "\"unclosed", "body:x^2~", "*", "[a TO", "\\", "a' OR 1=1 --", "%s%n{}{0}"];
    for question in operators {
        world.okno(["search", "--", question]).succeeds();
    }
}

#[test]
fn a_question_of_a_megabyte_is_answered() {
    let world = World::with_sample();
    let long = |piece: &str| piece.repeat((1 << 20) / piece.len());
    let questions = [long("土豆丝怎么切？"), long("x"), long("frost clock "), long("?")];
    let lines: Vec<String> = questions.iter().map(|question| json!({ "question": question }).to_string()).collect();
    world.write("long.jsonl", lines.join("\n"));
    let begun = Instant::now();
    let answers = world.okno(["search", "--queries", "long.jsonl", "--budget", "100"]).succeeds().lines();
    assert_eq!(answers.len(), 4);
    assert!(text(&contexts(&answers[0])[0], "doc_id").contains("土豆丝"));
    assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
}

#[test]
fn a_filter_made_to_exhaust_the_stack_is_refused() {
    let world = World::with_sample();
    for filter in
        ["(".repeat(50_000), "not ".repeat(20_000), format!("{}year = 2023{}", "(".repeat(500), ")".repeat(500))]
    {
        world.okno(["search", "x", "--filter", &filter]).ends_with(1).says(&["nested deeper"]);
    }
}

#[test]
fn a_filter_that_cannot_be_read_has_a_caret_under_the_fault_however_long_it_is() {
    let world = World::with_sample();
    let caret = |filter: &str| {
        let ran = world.okno(["search", "x", "--filter", filter]).ends_with(1);
        let lines: Vec<String> = ran.err.lines().map(str::to_owned).collect();
        let [.., line, caret] = lines.as_slice() else { panic!("{}", ran.err) };
        (line.clone(), caret.find('^').unwrap())
    };
    assert_eq!(caret("category 素菜"), ("  category 素菜".into(), 11));
    assert_eq!(caret("🙂 素菜"), ("  🙂 素菜".into(), 5));
    let (line, at) = caret(&format!("{} 素菜", "year = 2023 and ".repeat(5000)));
    assert!(line.chars().count() < 90 && at < 90, "{line}");
    let long = vec!["year = 2023"; 5000].join(" or ");
    world.okno(["search", "土豆", "--filter", &long]).succeeds();
}
