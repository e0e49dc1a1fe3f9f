//! `okno ask` and `okno eval --judge` as their user sees them, with a service on this machine that says what it is
//! told.
#![cfg(feature = "models")]

#[path = "../../okno-models/tests/support/server.rs"]
mod server;
mod support;

use serde_json::{Value, json};
use server::{Reply, Server, error, said};
use std::process::Command;
use support::{Ran, World, text};

const TEA: &str = "# Tea\n\nBlack tea needs boiling water and five minutes. Green tea is brewed at eighty degrees, or \
    it turns bitter. Milk goes in last.\n";
const QUESTION: &str = "How hot should water for green tea be?";

/// A world with a document about tea, and no key of the machine's in it.
fn world() -> World {
    let world = World::new();
    world
        .write("notes/tea.md", TEA)
        .write("notes/土豆丝.md", "# 酸辣土豆丝\n\n土豆去皮切丝，用清水泡十分钟去掉淀粉。\n");
    world.index(["notes"]);
    world
}

fn command(world: &World) -> Command {
    let mut command = world.command();
    for name in ["DASHSCOPE_API_KEY", "DASHSCOPE_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "DEEPSEEK_API_KEY"] {
        command.env_remove(name);
    }
    command.env("XDG_CACHE_HOME", world.path(".cache"));
    command
}

fn ask(world: &World, server: &Server, arguments: &[&str]) -> Ran {
    let mut command = command(world);
    command.env("OKNO_MODEL_BASE_URL", server.url()).env("OKNO_MODEL_NAME", "m");
    Ran::of(command.arg("ask").args(arguments))
}

#[test]
fn the_model_writes_a_query_where_rows_are_counted_and_the_rule_is_not_sure() {
    let world = world();
    world.write("notes/cups.csv", "kind,size\nmug,3\nmug,4\nglass,2\n");
    world.index(["notes"]);
    let question = "How many cups are there of each kind?";
    let written = r#"{"sql": "SELECT kind, count(*) AS cups FROM cups GROUP BY kind"}"#;
    // One request only: what was computed is told as it is.
    let server = Server::saying(vec![said(&[written])]);
    let ran = ask(&world, &server, &[question]).succeeds();
    assert!(ran.out.contains("kind: mug; cups: 2") && ran.out.contains("SQL that the model wrote"), "{}", ran.out);
    let asked = ask(&world, &server, &["--json", question]).succeeds().json();
    assert_eq!((&asked["rows"]["by"], &asked["steps"][0]["step"]), (&json!("model"), &json!("sql")), "{asked}");
    // A search that names the step, and says how it came about.
    let mut command = command(&world);
    command.env("OKNO_MODEL_BASE_URL", server.url()).env("OKNO_MODEL_NAME", "m");
    let ran = Ran::of(command.args(["search", "--explain", "--transform", "sql", question])).succeeds();
    assert!(ran.out.contains("SQL (by the model): SELECT kind"), "{}", ran.out);
    assert!(ran.out.contains("model    sql (") && ran.out.contains("route    sql"), "{}", ran.out);
    // The same tables by the same names.
    let again = world.okno(["sql", "SELECT kind, count(*) AS cups FROM cups GROUP BY kind"]).succeeds().out;
    assert_eq!(again, "kind\tcups\nglass\t1\nmug\t2\n");
    // Nothing usable, asked twice: the usual search answers, and it is said.
    let no = r#"{"sql": "SELECT colour FROM cups"}"#;
    let counting = "How many minutes does black tea with boiling water need?";
    let server = Server::saying(vec![said(&[no]), said(&[no]), said(&["Five [1]."])]);
    let ran = ask(&world, &server, &["--transform", "sql", counting]).succeeds();
    assert!(ran.err.contains("searched without `sql`") && ran.err.contains("no such column: colour"), "{}", ran.err);
    assert!(ran.out.starts_with("Five [1]."), "{}", ran.out);
    // Steps that are named are all that is done.
    let server = Server::saying(vec![said(&["Five [1]."])]);
    let ran = ask(&world, &server, &["--transform", "none", counting]).succeeds();
    assert!(ran.out.starts_with("Five [1]."), "{}", ran.out);
}

#[test]
fn a_conversation_goes_on() {
    let world = world();
    let asked = |arguments: &[&str]| Ran::of(command(&world).arg("ask").args(arguments)).succeeds();
    asked(&["--no-model", QUESTION]);
    let ran = asked(&["--no-model", "--continue", "and how long does it need?"]);
    assert!(ran.err.contains("asked as: how long does water for green tea need?"), "{}", ran.err);
    // What was asked as a follow-up is part of the conversation; a question without the flag begins another.
    let ran = asked(&["--no-model", "--continue", "is it bitter?"]);
    assert!(ran.err.contains("asked as: is water for green tea bitter?"), "{}", ran.err);
    asked(&["--no-model", "Who drinks milk?"]);
    assert!(!asked(&["--no-model", "--continue", "土豆怎么切？"]).err.contains("asked as"));
    // The model makes it whole where there is one.
    let whole = r#"{"question": "How long does green tea brew?"}"#;
    let server = Server::saying(vec![said(&[whole]), said(&["Two minutes [1]."])]);
    let ran = ask(&world, &server, &["--continue", "and how long?"]).succeeds();
    assert!(ran.err.contains("asked as: How long does green tea brew?"), "{}", ran.err);
    assert!(ran.out.starts_with("Two minutes [1]."), "{}", ran.out);
}

#[test]
fn an_answer_comes_with_the_places_it_rests_on() {
    let world = world();
    let server = Server::saying(vec![said(&["Eighty ", "degrees [", "1]. More [9]."])]);
    let ran = ask(&world, &server, &[QUESTION]).succeeds();
    assert!(ran.out.starts_with("Eighty degrees [1]. More .\n\n[1] tea.md:3  Tea\n"), "{}", ran.out);
    assert!(ran.err.contains("7 + 3 tokens") && ran.err.contains("1 invalid citations"), "{}", ran.err);
    let sent = &server.asked()[0].body;
    assert_eq!((&sent["temperature"], &sent["model"]), (&json!(0.1), &json!("m")));
    let prompt = sent["messages"][1]["content"].as_str().unwrap();
    assert!(prompt.contains("Green tea is brewed at eighty degrees") && prompt.contains(QUESTION));
    let json = ask(&world, &server, &[QUESTION, "--json"]).succeeds().json();
    assert_eq!(json["cached"], true, "asked before, and kept");
    assert_eq!(server.asked().len(), 1);
    let citation = &json["citations"][0];
    let (start, end) = (citation["start"].as_u64().unwrap() as usize, citation["end"].as_u64().unwrap() as usize);
    assert_eq!(text(citation, "text"), TEA.chars().skip(start).take(end - start).collect::<String>());
    assert_eq!((&json["citations_removed"], &json["found"]), (&json!(1), &json!(true)));
    assert!(json["contexts"][0]["text"].is_string());
}

#[test]
fn all_flags_of_search_are_there_and_the_prompt_can_be_seen() {
    let world = world();
    let server = Server::saying(vec![said(&["x [1]"])]);
    let ran =
        ask(&world, &server, &[QUESTION, "--show-prompt", "--window", "0", "-k", "1", "--budget", "60"]).succeeds();
    assert!(ran.out.contains("=== system") && ran.out.contains("[1] begins"), "{}", ran.out);
    assert!(!ran.out.contains("Milk goes in last"), "a window of nothing: {}", ran.out);
    assert!(server.asked().is_empty(), "only shown");
    let ran = ask(&world, &server, &["土豆丝要泡多久？", "--show-prompt", "--json"]).succeeds().json();
    assert!(text(&ran["messages"][0], "text").contains("用中文"));
    let whole = ask(&world, &server, &[QUESTION, "--no-stream"]).succeeds();
    assert!(whole.out.starts_with("x [1]\n\n[1] tea.md"), "{}", whole.out);
}

#[test]
fn without_a_model_the_best_passages_and_how_to_set_one_up() {
    let world = world();
    let ran = Ran::of(command(&world).args(["ask", QUESTION])).succeeds();
    assert!(ran.out.contains("Green tea is brewed at eighty degrees, or it turns bitter. Milk"), "{}", ran.out);
    assert!(ran.err.contains("no language model is set up") && ran.err.contains("DASHSCOPE_API_KEY"), "{}", ran.err);
    let ran = Ran::of(command(&world).args(["ask", "土豆丝要泡多久？", "--lang", "zh"])).succeeds();
    assert!(ran.out.contains("用清水泡十分钟") && ran.err.contains("没有设置语言模型"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("以上是文档中最相关的段落"), "{}", ran.err);
    let nothing = Ran::of(command(&world).args(["ask", "Who composed the opera Carmen?"])).succeeds();
    assert!(
        nothing.err.contains("no language model is set up") && !nothing.err.contains("relevant passages"),
        "{}",
        nothing.err
    );
    let ran = Ran::of(command(&world).args(["ask", "Who composed the opera Carmen?", "--json"])).succeeds().json();
    let said = json!("Nothing relevant was found in the documents.");
    assert_eq!((&ran["found"], &ran["answer"]), (&json!(false), &said));
}

#[test]
fn failures_say_what_to_do_in_both_languages_and_never_the_key() {
    let world = world();
    world.write(".env", "MY_KEY=sk-very-secret-123456\n");
    world.write("okno.toml", "[model]\nkey_env = \"MY_KEY\"\ntimeout = 5\n");
    let server = Server::saying(vec![error(401, "", "bad key sk-very-secret-123456")]);
    let ran = ask(&world, &server, &[QUESTION]).ends_with(1);
    assert!(ran.err.contains("refused: 401: bad key [key]") && ran.err.contains("`MY_KEY`"), "{}", ran.err);
    let zh = ask(&world, &server, &[QUESTION, "--lang", "zh"]).ends_with(1);
    assert!(zh.err.contains("拒绝了请求"), "{}", zh.err);
    assert!(!format!("{}{}{}{}", ran.out, ran.err, zh.out, zh.err).contains("very-secret"));
    world.write(".env", "");
    let ran = ask(&world, &server, &[QUESTION]).ends_with(1);
    assert!(ran.err.contains("needs a key: set `MY_KEY`"), "{}", ran.err);
}

#[test]
fn a_model_is_picked_by_its_name() {
    let world = world();
    world.write(".env", "MY_KEY=sk-mine-1234567890\n");
    let [usual, other] = ["Eighty [1].", "Boiling [1]."].map(|text| Server::saying(vec![said(&[text]), said(&[text])]));
    world.write(
        "okno.toml",
        format!(
            "[model]\nkey_env = \"MY_KEY\"\ntemperature = 0.5\n[models.large]\nname = \"l\"\n[models.far]\n\
             base_url = \"{}\"\nname = \"f\"\n",
            other.url()
        ),
    );
    let far = ask(&world, &usual, &[QUESTION, "--model", "far"]).succeeds();
    assert!(far.out.starts_with("Boiling [1].") && far.err.contains("/f:"), "{}{}", far.out, far.err);
    let sent = &other.asked()[0];
    assert_eq!((&sent.body["model"], &sent.body["temperature"]), (&json!("f"), &json!(0.5)));
    assert!(!sent.head.contains("sk-mine"), "the key is for another service");
    // A model that does not say where it is, is at the service of `[model]`.
    let large = ask(&world, &usual, &[QUESTION, "--model", "large"]).succeeds();
    assert!(large.out.starts_with("Eighty [1]."), "{}", large.out);
    assert!(usual.asked()[0].body["model"] == "l" && usual.asked()[0].head.contains("sk-mine"));
    ask(&world, &usual, &[QUESTION, "--model", "default"]).succeeds();
    assert_eq!((&usual.asked()[1].body["model"], other.asked().len()), (&json!("m"), 1));
    let ran = ask(&world, &usual, &[QUESTION, "--model", "fra"]).ends_with(1);
    assert!(
        ran.err.contains("no model `fra` is set up") && ran.err.contains("`default`, `far`, `large`"),
        "{}",
        ran.err
    );
    let zh = ask(&world, &usual, &[QUESTION, "--model", "fra", "--lang", "zh"]).ends_with(1);
    assert!(zh.err.contains("没有设置名为 `fra` 的模型"), "{}", zh.err);
    ask(&world, &usual, &[QUESTION, "--model", "far", "--no-model"]).ends_with(2);
    let shown = Ran::of(command(&world).arg("config")).succeeds().out;
    assert!(shown.lines().any(|line| line.starts_with("models.large") && line.contains("okno.toml")), "{shown}");
    // Without one in `[model]`, those that there are are named.
    let ran = Ran::of(command(&world).env("OKNO_MODEL_PROVIDER", "none").args(["ask", QUESTION])).succeeds();
    assert!(ran.err.contains("`--model` picks one of: far, large"), "{}", ran.err);
}

#[test]
fn a_provider_is_found_by_its_key_and_named_ones_are_checked() {
    let world = world();
    let server = Server::saying(vec![said(&["Eighty [1]"])]);
    let mut by_key = command(&world);
    by_key.env("DASHSCOPE_API_KEY", "sk-dash-1234567890").env("DASHSCOPE_BASE_URL", server.url());
    let json = Ran::of(by_key.args(["ask", QUESTION, "--json"])).succeeds().json();
    assert!(text(&json, "model").starts_with("dashscope@127.0.0.1") && text(&json, "model").ends_with("/qwen-plus"));
    assert!(server.asked()[0].head.contains("sk-dash-1234567890"));
    let mut off = command(&world);
    off.env("DASHSCOPE_API_KEY", "sk-dash-1234567890").env("OKNO_MODEL_PROVIDER", "none");
    assert_eq!(Ran::of(off.args(["ask", QUESTION, "--json"])).succeeds().json()["model"], Value::Null);
    let ran = Ran::of(command(&world).env("OKNO_MODEL_PROVIDER", "opnai").args(["ask", QUESTION])).ends_with(1);
    assert!(ran.err.contains("unknown provider `opnai`") && ran.err.contains("`openai`"), "{}", ran.err);
    let ran = Ran::of(command(&world).env("OKNO_MODEL_PROVIDER", "openai").args(["ask", QUESTION])).ends_with(1);
    assert!(ran.err.contains("OPENAI_API_KEY"), "{}", ran.err);
}

#[test]
fn the_key_of_a_known_provider_is_not_sent_to_an_unknown_place() {
    let world = world();
    let server = Server::saying(vec![said(&["Eighty [1]"])]);
    world.write("okno.toml", format!("[model]\nbase_url = \"{}\"\nname = \"m\"\n", server.url()));
    Ran::of(command(&world).env("OPENAI_API_KEY", "sk-open-1234567890").args(["ask", QUESTION])).succeeds();
    assert!(!server.asked()[0].head.contains("sk-open"), "{}", server.asked()[0].head);
}

#[test]
fn own_prompts_and_hidden_fields() {
    let world = world();
    world.write("notes/black.md", "---\nauthor: Lu Yu\nmood: gloomy\n---\nBlack tea wants boiling water.\n");
    world.index(["notes"]);
    world.write("okno.toml", "[fields.mood]\nprompt = false\n");
    world.write("okno-prompts/en/answer.user.md", "My own words.\n{{contexts}}\n{{question}}\n");
    let server = Server::saying(vec![said(&["x"])]);
    let ran = ask(&world, &server, &["What does black tea want?", "--show-prompt"]).succeeds();
    assert!(
        ran.out.contains("My own words.") && ran.out.contains("Lu Yu") && !ran.out.contains("gloomy"),
        "{}",
        ran.out
    );
    world.write("okno-prompts/en/answer.user.md", "{{contxts}}");
    let ran = ask(&world, &server, &[QUESTION]).ends_with(1);
    assert!(ran.err.contains("nothing fills in `{{contxts}}`"), "{}", ran.err);
}

#[test]
fn what_a_hostile_answer_does_to_a_terminal_is_nothing() {
    let world = world();
    let server = Server::saying(vec![said(&["\u{1b}]0;owned\u{7}![a](http://evil.example/q) <b>x</b> [1]"])]);
    let ran = ask(&world, &server, &[QUESTION]).succeeds();
    assert!(ran.out.starts_with("]0;owneda ‹b>x‹/b> [1]\n"), "{:?}", ran.out);
    assert!(ran.err.contains("3 links, images or tags were made inactive"), "{}", ran.err);
}

/// Answers questions, and judges them as asked.
fn judging(count: usize, body: &Value) -> Reply {
    if body.get("response_format").is_none() {
        return said(&["Eighty degrees [1]."]);
    }
    let prompt = body["messages"][1]["content"].as_str().unwrap_or_default();
    let contexts = prompt.matches("] begins").count();
    match () {
        () if prompt.contains("Does the answer answer") && count.is_multiple_of(2) => said(&["I would rather not."]),
        () if prompt.contains("how much does it help") => {
            let one = |number: usize| json!({"number": number, "reason": "it is about tea", "score": 3});
            said(&[&json!({"verdicts": (1..contexts).map(one).collect::<Vec<_>>()}).to_string()])
        }
        () => said(&[r#"{"verdicts": [{"number": 1, "reason": "it says so", "score": 2}]}"#]),
    }
}

#[test]
fn eval_judges_answers_and_says_where_it_could_not() {
    let world = world();
    let start = TEA.find("eighty degrees").unwrap();
    let question = json!({"qid": "q1", "question": QUESTION, "doc_id": "tea.md", "start": start, "end": start + 14});
    world.write("questions.jsonl", question.to_string());
    let server = Server::answering(judging);
    let eval = |arguments: &[&str]| {
        let mut command = command(&world);
        command.env("OKNO_MODEL_BASE_URL", server.url()).env("OKNO_MODEL_NAME", "m").env("OKNO_MODEL_CACHE", "0");
        Ran::of(command.args(["eval", "questions.jsonl", "--budget", "100", "--judge"]).args(arguments)).succeeds()
    };
    let json = eval(&["--recipes", "auto", "--json"]).json();
    let figures = &json["judged"][0]["figures"];
    assert!((figures["groundedness"]["score"]["mean"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{figures}");
    assert_eq!(figures["context_relevance"]["score"]["mean"], 1.0, "{figures}");
    let answered = &json["judged"][0]["questions"][0];
    assert_eq!(answered["aspects"]["groundedness"]["judged"][0]["reason"], "it says so");
    let ran = eval(&["--recipes", "auto", "--report", "out.html"]);
    assert!(ran.out.contains("groundedness") && ran.out.contains("judge @100"), "{}", ran.out);
    assert!(std::fs::read_to_string(world.path("out.html")).unwrap().contains("it says so"));
    eval(&["--recipes", "auto", "--name", "one"]);
    eval(&["--recipes", "auto", "--name", "two"]);
    let runs = |arguments: &[&str]| Ran::of(command(&world).arg("runs").args(arguments)).succeeds();
    let board = runs(&[]).out;
    assert!(board.contains("groundedness 66.7 (n 1)") && board.contains("context_relevance 100.0 (n 1)"), "{board}");
    let place = &runs(&["--json"]).json()[0]["places"][0];
    assert!((place["scores"]["groundedness"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-3, "{place}");
    let compared = runs(&["compare", "one", "two"]).out;
    assert!(compared.contains("context_relevance at 100 tokens: 0.0 points"), "{compared}");
    assert!(!std::fs::read_to_string(world.path(".okno-eval/runs/one.json")).unwrap().contains("it says so"));
    let ran = Ran::of(command(&world).args(["eval", "questions.jsonl", "--judge"])).ends_with(1);
    assert!(ran.err.contains("`--judge` needs a language model"), "{}", ran.err);
}

#[test]
fn eval_says_which_recipes_it_left_out() {
    let world = world();
    let question = json!({"question": QUESTION, "doc_id": "tea.md", "answer": "eighty degrees"});
    world.write("questions.jsonl", question.to_string());
    let ran = Ran::of(command(&world).args(["eval", "questions.jsonl", "--budget", "100"])).succeeds();
    assert!(ran.err.contains("not measured") && ran.err.contains("`summary` (summary)"), "{}", ran.err);
}
