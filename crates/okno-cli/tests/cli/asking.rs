//! `search`, `search --queries` and `compare`: what is returned, how it is cited, what limits it.

use super::*;
use std::collections::BTreeSet;

#[test]
fn search_cites_file_and_lines_on_standard_output_and_counts_on_standard_error() {
    let ran = World::with_sample().okno(["search", EN]).succeeds();
    let first = ran.out.lines().next().unwrap();
    assert!(first.starts_with("1. en/handbook.md:"), "{first}");
    assert!(ran.out.contains("FK-07") && ran.out.contains("Tarnbeck Instruments Staff Handbook ›"), "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}'), "no colours where the output is no terminal");
    ran.says(&["contexts,", "tokens of 1000"]);
}

/// The promise the whole design stands on: a context is the document's text from `start` to `end`.
#[test]
fn offsets_are_code_points_of_the_document_text() {
    let world = World::with_sample();
    for question in [ZH, EN, "在青峦岛上想取现金，应该去什么地方？", "Which firmware was released in May?"]
    {
        let answer = world.search(&[question]);
        assert!(!contexts(&answer).is_empty(), "{question}");
        for context in contexts(&answer) {
            let name = text(context, "doc_id");
            let whole: Vec<char> = world.text(&name).chars().collect();
            let (start, end) = (number(context, "start"), number(context, "end"));
            let slice: String = whole[start..end].iter().collect();
            assert_eq!(text(context, "text"), slice, "{name} {start}..{end}");
            let shown = world.okno(["show", "--json", &name, "--start", &start.to_string(), "--end", &end.to_string()]);
            assert_eq!(text(&shown.succeeds().json(), "text"), slice);
            let line = 1 + whole[..start].iter().filter(|c| **c == '\n').count();
            assert_eq!(context["lines"][0], line, "{name}");
            for hit in context["hits"].as_array().unwrap() {
                assert!(start <= number(hit, "start") && number(hit, "end") <= end, "a hit outside its context");
            }
        }
    }
}

#[test]
fn search_json_has_every_field_a_program_needs() {
    let answer = World::with_sample().search(&[ZH]);
    assert_eq!(text(&answer, "question"), ZH);
    assert_eq!(answer["recipe"]["expand"], "auto");
    let best = &contexts(&answer)[0];
    assert_eq!(text(best, "doc_id"), "zh/recipes/醋溜土豆丝.md");
    assert_eq!((text(best, "path"), text(best, "title")), ("zh/recipes/醋溜土豆丝.md".into(), "醋溜土豆丝".into()));
    assert_eq!((&best["metadata"]["category"], &best["metadata"]["difficulty"]), (&json!("素菜"), &json!(2)));
    for field in ["score", "headings", "lines", "tokens", "copies", "hits"] {
        assert!(!best[field].is_null(), "no `{field}` in {best}");
    }
    let sum: usize = contexts(&answer).iter().map(|context| number(context, "tokens")).sum();
    assert_eq!(number(&answer, "tokens"), sum);
}

#[test]
fn no_sentence_is_returned_twice() {
    let world = World::with_sample();
    for recipe in ["auto", "chunks", "window", "neighbors", "parent", "section"] {
        let answer = world.search(&[ZH, "--recipe", recipe, "-k", "10", "--budget", "5000"]);
        let mut places: Vec<(String, usize, usize)> =
            contexts(&answer).iter().map(|c| (text(c, "doc_id"), number(c, "start"), number(c, "end"))).collect();
        places.sort();
        assert!(!places.is_empty());
        let overlapping = places.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[1].1 < pair[0].2);
        assert_eq!(overlapping, None, "{recipe}");
    }
}

#[test]
fn explain_names_legs_ranks_and_shares() {
    let world = World::with_sample();
    let ran = world.okno(["search", ZH, "--explain"]).succeeds();
    for part in ["relative → auto → 1000 tokens", "lexical  sentence", "dense    window:2", "distinct targets", "#1 "]
    {
        assert!(ran.out.contains(part), "`{part}` is missing in {}", ran.out);
    }
    let answer = world.search(&[ZH, "--explain"]);
    assert_eq!(answer["explain"]["rankings"].as_array().unwrap().len(), 6);
    let trace = &contexts(&answer)[0]["hits"][0]["trace"][0];
    for field in ["leg", "layer", "rank", "score", "share"] {
        assert!(!trace[field].is_null(), "no `{field}` in {trace}");
    }
}

/// The sentences `[first, end)` that a span covers exactly.
fn sentences_of(document: &Value, start: usize, end: usize) -> (usize, usize) {
    let spans: Vec<(usize, usize)> = serde_json::from_value(document["sentence_spans"].clone()).unwrap();
    let first = spans.iter().position(|span| span.0 == start).expect("starts with a sentence");
    let last = spans.iter().position(|span| span.1 == end).expect("ends with a sentence");
    (first, last + 1)
}

#[test]
fn windows_change_what_is_returned_and_never_what_is_stored() {
    let world = World::with_sample();
    let before = world.status()["generation"].clone();
    let mut hits_seen = BTreeSet::new();
    for window in [0, 1, 3, 5] {
        let answer = world.search(&[EN, "--window", &window.to_string(), "-k", "3", "--budget", "100000"]);
        let mut hits = BTreeSet::new();
        for context in contexts(&answer) {
            let name = text(context, "doc_id");
            let document = world.okno(["show", "--json", &name]).succeeds().json();
            let count = document["sentence_spans"].as_array().unwrap().len();
            let mut covered = (usize::MAX, 0);
            for hit in context["hits"].as_array().unwrap() {
                let (start, end) = (number(hit, "start"), number(hit, "end"));
                let (first, last) = sentences_of(&document, start, end);
                covered.0 = covered.0.min(first.saturating_sub(window));
                covered.1 = covered.1.max((last + window).min(count));
                hits.insert((name.clone(), start, end));
            }
            assert_eq!(sentences_of(&document, number(context, "start"), number(context, "end")), covered);
        }
        assert_eq!(hits.len(), 3);
        hits_seen.insert(hits);
    }
    assert_eq!(hits_seen.len(), 1, "the same three sentences whatever the window");
    assert_eq!(world.status()["generation"], before, "nothing was indexed again");
}

#[test]
fn asking_for_no_results_says_so() {
    let world = World::with_sample();
    let ran = world.okno(["search", ZH, "-k", "0"]).succeeds().says(&["`-k 0`"]);
    assert_eq!(ran.out, "");
    assert!(contexts(&world.search(&[ZH, "-k", "0"])).is_empty());
}

#[test]
fn no_more_tokens_than_the_budget() {
    let world = World::with_sample();
    for recipe in ["auto", "window", "chunks", "section"] {
        for budget in [0, 1, 7, 50, 333] {
            let answer = world.search(&[ZH, "--recipe", recipe, "--budget", &budget.to_string()]);
            assert!(number(&answer, "tokens") <= budget, "{recipe}: {} of {budget}", number(&answer, "tokens"));
        }
    }
    world
        .okno(["search", ZH, "--budget", "1"])
        .succeeds()
        .says(&["the budget of 1 tokens is too small", "raise --budget"]);
    let ran = world.okno(["search", ZH, "--budget", "50"]).succeeds();
    assert!(ran.err.contains("tokens of 50"), "{}", ran.err);
}

#[test]
fn a_filter_holds_for_every_result() {
    let world = World::with_sample();
    let answer = world.search(&["土豆", "--filter", "category = 素菜 and minutes <= 20"]);
    let names: BTreeSet<String> = contexts(&answer).iter().map(|context| text(context, "doc_id")).collect();
    assert_eq!(names, BTreeSet::from(["zh/recipes/醋溜土豆丝.md".to_owned()]));
    let ran = world.okno(["search", "土豆", "--filter", "category = 甜品"]).succeeds();
    assert_eq!(ran.out, "");
    ran.says(&["no document matches the filter", "okno status"]);
}

#[test]
fn a_filter_with_an_unknown_field_names_the_nearest() {
    let world = World::with_sample();
    for command in [&["search", "土豆"][..], &["documents"], &["compare", "土豆"]] {
        let ran = world.okno(command.iter().chain(&["--filter", "categry = 素菜"])).refuses();
        ran.says(&["`categry`", "did you mean `category`", "`okno status`"]);
    }
}

#[test]
fn a_filter_that_cannot_be_read_points_at_the_character() {
    let world = World::with_sample();
    for command in [&["search", "土豆"][..], &["documents"]] {
        let ran = world.okno(command.iter().chain(&["--filter", "category 素菜"])).refuses();
        ran.says(&["at character 10", "category = 素菜 and year >= 2023"]);
    }
    world.okno(["search", "土豆", "--filter", "(year = 2023"]).refuses().says(&["`)` is missing at character 13"]);
    world.okno(["search", "土豆", "--filter", ""]).refuses().says(&["at character 1"]);
}

#[test]
fn a_file_of_questions_is_answered_in_order_with_each_filter() {
    let world = World::with_sample();
    let mut lines: Vec<String> =
        (0..300).map(|i| json!({"qid": format!("q{i}"), "question": "土豆丝怎么做？"}).to_string()).collect();
    lines[7] = json!({"qid": "object", "question": "土豆", "filter": {"difficulty": {"<=": 2}, "category": "素菜"}})
        .to_string();
    lines[8] = json!({"qid": "text", "question": "土豆", "filter": "tags contains 辣"}).to_string();
    lines[9] = json!({"question": "without a name", "filter": null}).to_string();
    // Blank lines count as lines, so that the number in a message is the editor's.
    lines.insert(3, String::new());
    world.write("questions.jsonl", lines.join("\n"));

    let answers = world.okno(["search", "--queries", "questions.jsonl", "--budget", "80"]).succeeds().lines();
    assert_eq!(answers.len(), 300);
    assert_eq!((&answers[0]["qid"], &answers[299]["qid"]), (&json!("q0"), &json!("q299")));
    assert_eq!(answers[9]["qid"], 11, "a question without a name has its line number");
    for (at, allowed) in
        [(7, &["zh/recipes/酸辣土豆丝.md", "zh/recipes/醋溜土豆丝.md"][..]), (8, &["zh/recipes/酸辣土豆丝.md"])]
    {
        assert!(!contexts(&answers[at]).is_empty());
        for context in contexts(&answers[at]) {
            assert!(allowed.contains(&text(context, "doc_id").as_str()), "{context}");
            let mut fields: Vec<&String> = context.as_object().unwrap().keys().collect();
            fields.sort();
            assert_eq!(fields, ["doc_id", "end", "relevance", "score", "start", "text"]);
        }
    }
    let both = world.okno(["search", "--queries", "questions.jsonl", "--filter", "minutes <= 20"]).succeeds().lines();
    assert!(contexts(&both[8]).is_empty(), "the flag's filter and the line's must both hold");
}

#[test]
fn a_question_that_cannot_be_read_is_named_by_file_and_line() {
    let world = World::with_sample();
    let good = json!({"question": "土豆"}).to_string();
    for (bad, says) in [
        ("{not json", "key must be a string"),
        ("{\"text\": \"no question\"}", "missing field `question`"),
        ("{\"question\": \"x\", \"filter\": \"a b\"}", "at character 3"),
        // Was broken: an error of the engine lost the place it came from.
        ("{\"question\": \"x\", \"filter\": {\"categry\": \"y\"}}", "did you mean `category`"),
    ] {
        world.write("q.jsonl", format!("{good}\n\n{bad}\n{good}\n"));
        let ran = world.okno(["search", "--queries", "q.jsonl"]).ends_with(1).says(&["q.jsonl:3", says]);
        assert_eq!(ran.out.lines().count(), 2, "was broken: a bad line stopped the lines behind it");
    }
    world.okno(["search", "--queries", "none.jsonl"]).ends_with(1).says(&["`none.jsonl`"]);
}

#[test]
fn compare_shows_both_recipes_and_marks_what_only_one_returned() {
    let world = World::with_sample();
    let ran = world.okno(["compare", ZH]).succeeds();
    assert!(ran.out.contains("━━ chunks: ") && ran.out.contains("━━ auto: "), "{}", ran.out);
    assert!(ran.out.contains("\n+ ") && ran.out.contains("\n  "), "marked and unmarked lines");
    assert!(ran.out.contains("characters that only `chunks` returned"));

    let json =
        world.okno(["compare", ZH, "--json", "--recipes", "window,section", "--budget", "200"]).succeeds().json();
    let sides = json["recipes"].as_array().unwrap();
    assert_eq!((text(&sides[0], "recipe"), text(&sides[1], "recipe")), ("window".into(), "section".into()));
    for (own, other) in [(0, 1), (1, 0)] {
        assert!(number(&sides[own], "tokens") <= 200);
        let theirs: String = contexts(&sides[other]).iter().map(|context| text(context, "text")).collect();
        for context in contexts(&sides[own]) {
            for only in context["only_here"].as_array().unwrap() {
                let only = only.as_str().unwrap();
                assert!(text(context, "text").contains(only) && !theirs.contains(only), "{only}");
            }
        }
    }
    world.okno(["compare", ZH, "--recipes", "auto"]).ends_with(1).says(&["two names"]);
}

#[test]
fn a_filter_is_read_from_the_question_and_said() {
    let world = World::with_sample();
    let question = "请总结一下2023年第二季度财报中关于AI的论述";
    let filter = "document_type = 财报 and year = 2023 and quarter = Q2";
    let answer = world.search(&[question]);
    assert_eq!(
        (&answer["understood"]["filter"], &answer["understood"]["text"]),
        (&json!(filter), &json!("关于AI的论述"))
    );
    assert!(contexts(&answer).iter().all(|context| text(context, "doc_id") == "zh/reports/2023-q2.md"));
    let applied = &answer["understood"]["applied"][1];
    assert_eq!(
        (&applied["words"], &applied["start"], &applied["end"]),
        (&json!("2023年第二季度"), &json!(5), &json!(14))
    );
    world.okno(["search", question]).succeeds().says(&[filter, "--no-auto-filter"]);
    let explained = world.okno(["search", question, "--explain", "--lang", "zh"]).succeeds().out;
    assert!(explained.contains("采用") && explained.contains("搜索内容：关于AI的论述"), "{explained}");

    let plain = world.search(&[question, "--no-auto-filter"]);
    assert_eq!((&plain["understood"]["filter"], &plain["understood"]["text"]), (&json!(null), &json!(question)));
}

#[test]
fn questions_about_a_kind_return_that_kind() {
    let world = World::with_sample();
    for (question, field, value) in [
        ("推荐几道素菜", "category", json!("素菜")),
        ("今天喝什么汤", "category", json!("汤")),
        ("有什么简单的菜谱", "difficulty", json!(1)),
    ] {
        let answer = world.search(&[question]);
        assert!(
            !contexts(&answer).is_empty() && contexts(&answer).iter().all(|c| c["metadata"][field] == value),
            "{answer}"
        );
    }
    let lines = world.ask_all(&["适合新手".into(), "土豆丝怎么切".into()], &[]);
    assert_eq!((&lines[0]["filter_read"], &lines[1]["filter_read"]), (&json!("tags = 新手"), &json!(null)));
}

#[test]
fn what_may_be_content_is_offered_and_what_has_no_document_is_refused() {
    let world = World::with_sample();
    world.okno(["search", "土豆丝怎么切"]).succeeds().says(&["did you mean `tags = 土豆`?"]);
    let answer = world.search(&["2019年的财报里的AI"]);
    let refused = &answer["understood"]["refused"][0];
    assert_eq!((&refused["filter"], &refused["why"]), (&json!("year = 2019"), &json!("no document")));
}

#[test]
fn the_route_is_shown() {
    let world = World::with_sample();
    let ran = world.okno(["search", "FK-07", "--explain"]).succeeds();
    assert!(
        ran.out.contains("route    lexical (the question is a code)") && !ran.out.contains("dense "),
        "{}",
        ran.out
    );
    let answer = world.search(&["“土豆丝” 怎么切"]);
    assert_eq!(answer["route"], json!({"route": "hybrid", "because": "usual", "phrases": ["土豆丝"]}));
    assert_eq!(world.search(&["FK-07", "--route", "dense"])["route"]["because"], "chosen");
    world.okno(["search", "x", "--route", "best"]).refuses().says(&["invalid `route` `best`", "`broad`"]);
}

#[test]
fn documents_that_a_question_names_are_shown() {
    let world = World::new();
    for (company, amount) in [("ACME", 11), ("BOREAL", 12)] {
        world.write(
            &format!("reports/{company}_2018_10K.md"),
            format!("# Report\n\nPlant was bought for {amount} million.\n"),
        );
    }
    world.index(["reports"]);
    for (lang, names, inside) in [("en", "the question names ", "(named)"), ("zh", "问题提到 ", "（点名）")] {
        let ran = world.okno(["search", "What did Boreal spend on plant?", "--explain", "--lang", lang]).succeeds();
        let named = format!("{names}BOREAL_2018_10K.md");
        assert!(ran.out.contains(&named) && ran.out.contains(inside), "{}", ran.out);
    }
    let answer = world.search(&["What did Boreal spend on plant?", "--explain"]);
    let first = contexts(&answer)[0].to_string();
    assert!(first.contains("BOREAL") && first.contains("\"led\":\"name\""), "{first}");
}

#[test]
fn sentences_of_the_form_that_is_asked_for_come_first_and_that_is_said() {
    let world = World::new();
    let tea = "# Samovar tea\n\nThe samovar stands in the tea room. Samovar tea is dear.\n\n## Making it\n\n\
        1. Fill the urn with water.\n2. Light the charcoal below it.\n3. Wait for an hour.\n";
    world.write("in/tea.md", tea).write("in/urns.md", "# Samovars\n\nSamovars are metal urns that keep water hot.\n");
    world.write("in/parts.md", "# Anatomy\n\nA samovar has:\n\n- a body\n- a chimney\n- a tap\n");
    world.index(["in"]);
    for (question, form, says, first) in [
        ("What is a samovar?", "definition", "sentences that say what samovar is come first", "urns.md"),
        ("How do I make samovar tea?", "steps", "numbered steps come first", "tea.md"),
        ("Which parts does a samovar have?", "list", "lines that lead into a list come first", "parts.md"),
    ] {
        let answer = world.search(&[question, "--explain"]);
        assert_eq!(answer["understood"]["form"], form, "{answer}");
        assert_eq!(text(&contexts(&answer)[0], "doc_id"), first, "{answer}");
        let ran = world.okno(["search", question, "--explain", "--lang", "en"]).succeeds();
        assert!(ran.out.contains(says), "{}", ran.out);
    }
    let compared = world.okno(["search", "difference between a samovar and a kettle", "--explain", "--lang", "en"]);
    assert!(compared.succeeds().out.contains("sentences that say what kettle is come first"));
    let steps = contexts(&world.search(&["How do I make samovar tea?"]))[0].to_string();
    assert!(steps.contains("Light the charcoal"), "{steps}");
}

#[test]
fn steps_that_do_not_fit_begin_with_the_first_one() {
    let world = World::new();
    // Its ingredients came, and steps from the middle.
    let soup = "# Borscht\n\n## Needed\n\n- borscht bowl\n- beetroot\n- cabbage\n- carrots\n- onions\n- garlic\n\
        - dill\n- sour cream\n\n## Making it\n\n\
        1. Peel the beetroot and grate it into long thin strips with a coarse grater.\n\
        2. Fry the onions and the carrots slowly in butter until they are soft and golden.\n\
        3. Add the grated beetroot with a spoon of vinegar and let it stew for twenty minutes.\n\
        4. Pour on the hot stock, add the cabbage and simmer everything until it is tender.\n\
        5. Take it from the fire, stir in the garlic and serve it with dill and sour cream.\n";
    world.write("in/borscht.md", soup);
    world.index(["in"]);
    for budget in ["60", "80"] {
        let answer = world.search(&["How do I make borscht?", "--budget", budget]);
        let first = text(&contexts(&answer)[0], "text");
        assert!(first.starts_with("## Making it\n\n1. Peel") && first.contains("2. Fry"), "{budget}: {answer}");
    }
}

#[test]
fn what_nothing_names_is_not_relevant_and_that_is_said() {
    let world = World::new();
    let cups = "# Stanley Cups\n\nTeams and the Stanley Cups that they have won: the Blues have won 1 Stanley Cup, the \
        Flyers have won 2 Stanley Cups, and the Maple Leafs have won 13 Stanley Cups.\n";
    world.write("in/cups.md", cups);
    world.write("in/phones.md", "# 电池\n\n这款手机的电池容量是 4000 毫安时，2021 年发布。\n");
    world.index(["in"]);
    for (question, absent) in [
        ("How many Stanley Cups have the Montreal Canadiens won?", vec!["Montreal", "Canadiens"]),
        ("2024 年手机的电池容量是多少？", vec!["2024"]),
        ("How many Stanley Cups have the Maple Leafs won?", vec![]),
        ("2021 年手机的电池容量是多少？", vec![]),
    ] {
        let answer = world.search(&[question]);
        assert_eq!(answer["nothing_relevant"] == true, !absent.is_empty(), "{answer}");
        let said: Vec<&str> =
            answer["understood"]["absent"].as_array().into_iter().flatten().filter_map(|word| word.as_str()).collect();
        assert_eq!(said, absent, "{answer}");
    }
    for (lang, says) in [("en", "nothing that was found says “2024”"), ("zh", "找到的内容都没有提到 “2024”")]
    {
        let ran = world.okno(["search", "2024 年手机的电池容量是多少？", "--explain", "--lang", lang]).succeeds();
        assert!(ran.out.contains(says), "{}", ran.out);
    }
}

const PRESSURE_COOKER: &str = "# 高压锅\n\n不要用高压锅烹饪燕麦和面条等食物，它们会产生泡沫，堵住排气阀。\n\n\
    高压锅里的食物不要超过三分之二。\n\n开盖之前，先让高压锅里的蒸汽排完。\n";

#[test]
fn a_question_in_another_language_is_answered_by_its_meaning_and_that_is_said() {
    let world = World::new();
    // "before" and "let" were found, and weighed twice what the meaning did.
    world.write("in/锅.md", PRESSURE_COOKER);
    let notes = "Open the window before you let visitors in. The cat is let out at eight.\n\n\
        A limit is put into the manifest, and not into a secret.\n";
    world.write("in/notes.md", notes);
    world.index(["in"]);
    let question = "How full with food may a pressure cooker be before I let it cook?";
    let answer = world.search(&[question]);
    assert!(text(&contexts(&answer)[0], "text").contains("燕麦"), "{answer}");
    for (lang, says) in [("en", "is in another language: words weigh"), ("zh", "另一种语言：字词占")] {
        let ran = world.okno(["search", question, "--explain", "--lang", lang]).succeeds();
        assert!(ran.out.contains(says), "{}", ran.out);
    }
    let known = world.okno(["search", "When is the cat let out?", "--explain"]).succeeds();
    assert!(!known.out.contains("words weigh"), "{}", known.out);
}

#[test]
fn of_a_word_with_a_prefix_that_no_document_has_the_rest_is_searched_for() {
    let world = World::new();
    world.write("in/oven.md", "The heating of the oven takes ten minutes.\n\nRepeating a step helps nobody.\n");
    world.index(["in"]);
    let answer = world.search(&["How long does reheating take?"]);
    assert_eq!(answer["understood"]["spelled"][0]["read"], "heating", "{answer}");
    let answer = world.search(&["How long does reprating take?"]);
    assert_eq!(answer["understood"]["spelled"][0]["read"], "repeating", "{answer}");
}

#[test]
fn a_mistyped_word_is_searched_for_as_the_documents_spell_it_and_that_is_said() {
    let world = World::new();
    world.write("in/sets.md", "# Controllers\n\nA daemonset runs one pod on every node.\n\nTea is brewed at 80 °C.\n");
    world.index(["in"]);
    for (lang, said) in [("en", "searched for “daemonset”"), ("zh", "已改为搜索 “daemonset”")] {
        let ran = world.okno(["search", "what does a deamonset run", "--lang", lang]).succeeds();
        assert!(ran.out.contains("on every node") && ran.err.contains(said), "{} {}", ran.out, ran.err);
    }
    let answer = world.search(&["what does a deamonset run"]);
    assert_eq!(answer["understood"]["spelled"][0]["written"], "deamonset");
    let quoted = world.search(&["what does a \"deamonset\" run"]);
    assert_eq!(quoted["understood"]["spelled"].as_array().unwrap().len(), 0, "quoted words stay as they are");
    let unknown = world.okno(["search", "VLOOKUP 怎么用"]).succeeds();
    assert!(unknown.err.contains("no document contains “VLOOKUP”"), "{}", unknown.err);
}

#[test]
fn a_translation_of_what_is_returned_is_not_returned_too() {
    let world = World::new();
    world.write("guide-en/pods.md", "# Pods\n\nA finalizer of a pod prevents that it is deleted too early.\n");
    world.write("guide-zh/pods.md", "# Pod\n\nPod 的 finalizer 用来防止它被过早删除。\n");
    world.write("guide-en/notes.md", "# Notes\n\nA finalizer of a pod is a key in its metadata.\n");
    world.index(["."]);
    let documents = |question: &str| -> Vec<String> {
        let answer = world.search(&[question]);
        contexts(&answer).iter().map(|context| context["doc_id"].as_str().unwrap().to_owned()).collect()
    };
    let (english, chinese) = (documents("What does a finalizer of a pod do?"), documents("pod 的 finalizer 有什么用"));
    assert!(
        english.contains(&"guide-en/pods.md".into()) && !english.contains(&"guide-zh/pods.md".into()),
        "{english:?}"
    );
    assert!(
        chinese.contains(&"guide-zh/pods.md".into()) && !chinese.contains(&"guide-en/pods.md".into()),
        "{chinese:?}"
    );
    assert!(chinese.contains(&"guide-en/notes.md".into()), "what is there in one language only stays: {chinese:?}");
}

#[test]
fn a_row_of_a_table_comes_with_its_header_and_is_judged_with_it() {
    let world = World::new();
    world.write(
        "in/staff.csv",
        "Name,Telephone,Email\nRoy Berry,539-402,beckycarr@hogan.com\nAda Lee,801-77,ada@lee.org\n",
    );
    world.write("in/tea.md", "# Tea\n\nGreen tea is brewed at 80 °C.\n");
    world.index(["in"]);
    let answer = world.search(&["What is the email of Roy Berry?", "--budget", "60"]);
    let first = text(&contexts(&answer)[0], "text");
    assert!(first.contains("Email") && first.contains("beckycarr@hogan.com"), "{first}");
    assert_eq!(answer["nothing_relevant"], false, "{answer}");
}

#[test]
fn a_filter_on_headings_returns_their_sections() {
    let world = World::with_sample();
    let answer = world.search(&["土豆", "--filter", "“Header 2” ＝ 原料 且 category = 素菜"]);
    assert!(!contexts(&answer).is_empty());
    for context in contexts(&answer) {
        assert_eq!(context["headings"].as_array().unwrap().last().unwrap(), "原料");
    }
}

#[test]
fn a_question_about_something_else_gets_nothing_relevant_unless_all_is_asked_for() {
    let world = World::with_sample();
    let foreign = "Who composed the opera Carmen?";
    let ran = world.okno(["search", foreign]).succeeds().says(&["nothing relevant found", "--all"]);
    assert!(ran.out.is_empty(), "{}", ran.out);
    world.okno(["--lang", "zh", "search", "谁创立了清华大学？"]).succeeds().says(&["没有找到相关内容", "--all"]);
    for show in [&["--all"][..], &["--min-relevance", "0"], &["--explain"]] {
        let ran = world.okno([&["search", foreign], show].concat()).succeeds();
        assert!(!ran.out.is_empty(), "{show:?}");
    }
    let answer = world.search(&[foreign]);
    assert_eq!(answer["nothing_relevant"], true);
    assert!(!contexts(&answer).is_empty(), "a program decides for itself");
    assert!(contexts(&world.search(&[foreign, "--min-relevance", "0.5"])).is_empty());
    world.okno(["search", foreign, "--min-relevance", "0.99"]).succeeds().says(&["lower --min-relevance"]);
    world.okno(["search", foreign, "--min-relevance", "2"]).ends_with(2).says(&["expected a number from 0 to 1"]);
    assert_eq!(world.search(&[EN])["nothing_relevant"], false);
}

#[test]
fn a_budget_can_be_counted_in_characters() {
    let world = World::with_sample();
    for (question, recipe) in [(ZH, "auto"), (EN, "auto"), (EN, "window"), (ZH, "parent")] {
        for budget in [60, 300, 2000] {
            let answer = world.search(&[question, "--recipe", recipe, "--budget", &format!("{budget}c")]);
            let spent: usize = contexts(&answer).iter().map(|c| number(c, "end") - number(c, "start")).sum();
            assert!(spent <= budget, "{recipe}: {spent} of {budget}");
            assert!(budget < 300 || spent > 0, "{recipe} {budget}");
            assert_eq!(answer["recipe"]["unit"], "characters");
        }
    }
    let ran = world.okno(["search", EN, "--budget", "400c"]).succeeds();
    ran.says(&["characters of 400"]);
    world.okno(["search", EN, "--budget", "many"]).ends_with(2).says(&["tokens (`500`) or characters (`2000c`)"]);
}
