//! The program with a real, tiny language model: set `OKNO_TEST_CHAT_URL` (`.ci/serve-model.sh` starts one). What is
//! tested is that every way holds – answers, units, transforms, judging, embedding – not that such a model is right:
//! what it cannot do must be said.
#![cfg(feature = "models")]

mod support;

use serde_json::json;
use std::process::Command;
use support::{Ran, World, contexts, text};

const TEA: &str = "# Tea\n\nBlack tea needs boiling water and five minutes. Green tea is brewed at eighty degrees, or \
    it turns bitter. Milk goes in last.\n";
const QUESTION: &str = "How hot should water for green tea be?";

/// A world with a document about tea, where there is a model; says what to set where there is none.
fn world() -> Option<(World, String)> {
    let Ok(url) = std::env::var("OKNO_TEST_CHAT_URL") else {
        support::say_skipped("no language model – set OKNO_TEST_CHAT_URL, as `.ci/serve-model.sh FOLDER` prints it");
        return None;
    };
    let world = World::new();
    world.write("notes/tea.md", TEA);
    Some((world, url))
}

/// The program with this model; little room for its answers, since it fills any with words.
fn with(world: &World, url: &str, tokens: &str) -> Command {
    let mut command = world.command();
    command.env("XDG_CACHE_HOME", world.path(".cache")).env("OKNO_MODEL_BASE_URL", url);
    command.env("OKNO_MODEL_MAX_TOKENS", tokens).env("OKNO_MODEL_TIMEOUT", "600");
    command
}

#[test]
fn it_answers_and_the_second_time_costs_nothing() {
    let Some((world, url)) = world() else { return };
    world.index(["notes"]);
    // A model this small cites nothing by itself; what it is shown three times it repeats.
    let shown = "Q: {{question}}\nA: Green tea is brewed at eighty degrees [1].\n\n".repeat(3);
    world.write("okno-prompts/en/answer.system.md", "Go on.");
    world.write("okno-prompts/en/answer.user.md", format!("{shown}Q: {{{{question}}}}\nA:"));
    let ask = || {
        let mut command = with(&world, &url, "60");
        let command = command.env("OKNO_MODEL_TEMPERATURE", "0").args(["ask", QUESTION, "--json", "--budget", "100"]);
        Ran::of(command).succeeds().json()
    };
    let first = ask();
    println!("{}", first["answer"]);
    assert!(!text(&first, "answer").is_empty() && first["model"].is_string());
    assert!(first["usage"]["prompt_tokens"].as_u64().unwrap() > 0);
    let citations = first["citations"].as_array().unwrap();
    assert!(!citations.is_empty(), "{first}");
    for citation in citations {
        let [start, end] = ["start", "end"].map(|name| citation[name].as_u64().unwrap() as usize);
        assert_eq!(text(citation, "text"), TEA.chars().skip(start).take(end - start).collect::<String>());
        assert!(text(citation, "text").contains("eighty degrees"), "{citation}");
    }
    let again = ask();
    assert_eq!((&again["answer"], &again["cached"]), (&first["answer"], &json!(true)));
}

#[test]
fn it_makes_units_or_the_report_says_why_not_and_a_transform_leaves_the_search_going() {
    let Some((world, url)) = world() else { return };
    world.index(["notes"]);
    let mut derive = with(&world, &url, "60");
    let ran = Ran::of(derive.args(["derive", "--kinds", "summary", "--json"]));
    println!("{}{}", ran.out, ran.err);
    let report = ran.json();
    let made = report["units"].as_object().unwrap().len();
    assert_eq!(made + report["failed"].as_array().unwrap().len(), 1, "made or reported: {report}");
    let mut search = with(&world, &url, "40");
    let found = Ran::of(search.args(["search", QUESTION, "--transform", "rewrite", "--json"])).succeeds().json();
    println!("{}", found["steps"]);
    let step = &found["steps"][0];
    assert_eq!(step["step"], "rewrite");
    assert_ne!(step["failed"].is_null(), step["gave"].as_array().is_none_or(Vec::is_empty), "given or failed: {step}");
    assert!(text(&contexts(&found)[0], "text").contains("eighty degrees"));
}

#[test]
fn its_verdicts_are_kept_or_counted_as_failed_and_never_zero_for_want_of_one() {
    let Some((world, url)) = world() else { return };
    world.index(["notes"]);
    let start = TEA.find("eighty degrees").unwrap();
    let question = json!({"qid": "q1", "question": QUESTION, "doc_id": "tea.md", "start": start, "end": start + 14});
    world.write("questions.jsonl", question.to_string());
    let mut eval = with(&world, &url, "48");
    let eval = eval.args([
        "eval",
        "questions.jsonl",
        "--recipes",
        "auto",
        "--budget",
        "100",
        "--judge",
        "--name",
        "tiny",
        "--json",
    ]);
    let run = Ran::of(eval).succeeds().json();
    let figures = run["judged"][0]["figures"].as_object().unwrap();
    println!("{figures:?}");
    let counted: u64 = figures.values().map(|figure| figure["failed"].as_u64().unwrap()).sum();
    for (name, figure) in figures {
        let judged = figure["judged"].as_u64().unwrap();
        assert_eq!(figure["score"].is_null(), judged == 0, "{name}: no mean of nothing");
        assert_eq!(run["cells"][0]["scores"].get(name).is_some(), judged > 0, "{name}: {run}");
    }
    let place = Ran::of(world.command().args(["runs", "--json"])).succeeds().json()[0]["places"][0].clone();
    assert_eq!(place["judge_failed"], counted);
}

#[test]
fn it_embeds_an_index() {
    let Some((world, url)) = world() else { return };
    world.write("okno.toml", format!("embedder = \"service\"\n[embedding]\nbase_url = \"{url}\"\n"));
    world.okno(["index", "notes"]).succeeds();
    let status = world.okno(["status", "--json"]).succeeds().json();
    println!("{}", status["embedder"]);
    assert!(text(&status, "embedder").starts_with("service:own/") && status["dimensions"].as_u64().unwrap() > 100);
    let found = world.okno(["search", QUESTION, "--json"]).succeeds().json();
    assert!(text(&contexts(&found)[0], "text").contains("eighty degrees"));
}
