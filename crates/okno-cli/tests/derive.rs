//! `okno derive`, the model's help in a search, `okno sql --ask` and `okno questions make --by model` as their user
//! sees them, with a service on this machine that says what it is told.
#![cfg(feature = "models")]

#[path = "../../okno-models/tests/support/server.rs"]
mod server;
mod support;

use serde_json::{Value, json};
use server::{Reply, Server, error, said};
use std::process::Command;
use support::{Ran, World};

const TEA: &str = "# Tea\n\nBlack tea needs boiling water and five minutes. Green tea is brewed at eighty degrees, or \
    it turns bitter. Milk goes in last.\n";
const PRICES: &str = "# Prices\n\n| City | Ticket |\n|---|---|\n| Bern | 20 |\n| Oslo | 30 |\n";

fn world() -> World {
    let world = World::new();
    world.write("notes/tea.md", TEA).write("notes/prices.md", PRICES);
    world.index(["notes"]);
    world
}

fn command(world: &World, server: &Server) -> Command {
    let mut command = world.command();
    command.env("XDG_CACHE_HOME", world.path(".cache"));
    command.env("OKNO_MODEL_BASE_URL", server.url()).env("OKNO_MODEL_NAME", "m");
    command
}

fn run(world: &World, server: &Server, arguments: &[&str]) -> Ran {
    Ran::of(command(world, server).args(arguments))
}

/// Answers by what the prompt asks for.
fn obedient(_: usize, body: &Value) -> Reply {
    let prompt = body["messages"].to_string();
    let answer = match () {
        () if prompt.contains("SELECT") => {
            json!({"sql": "SELECT \"City\" FROM \"prices\" ORDER BY \"Ticket\" DESC LIMIT 1"})
        }
        () if prompt.contains("exam questions") => {
            json!({"question": "When is milk added?", "sentence": "Milk goes in last.", "kind": "fact"})
        }
        () if prompt.contains("check whether a sentence") => json!({"answers": true}),
        () if prompt.contains("exactly 4") => json!({"questions": ["Who?", "What?", "When?", "Why so?"]}),
        () if prompt.contains("Summarise") => json!({"summary": "In short."}),
        () if prompt.contains("Rewrite") => json!({"question": "boiling water for black tea"}),
        () => json!({}),
    };
    said(&[answer.to_string().as_str()])
}

#[test]
fn units_are_planned_made_once_listed_and_searched() {
    let (world, server) = (world(), Server::answering(obedient));
    let plan = run(&world, &server, &["derive", "--dry-run", "--json"]).succeeds().json();
    assert_eq!((&plan["parts"]["summary"], &plan["parts"]["question"]), (&json!(2), &json!(2)));
    assert!(plan["estimated_tokens"]["prompt"].as_u64().unwrap() > 100 && server.asked().is_empty(), "{plan}");
    let made = run(&world, &server, &["derive", "--json"]).succeeds().json();
    assert_eq!((&made["units"], &made["failed"]), (&json!({"summary": 2, "question": 8}), &json!([])));
    assert_eq!(made["tokens"], json!({"prompt": 28, "completion": 12}), "four answers of 7 + 3 tokens");
    let again = run(&world, &server, &["derive"]).succeeds();
    assert!(again.err.contains("0 units for 0 documents") && server.asked().len() == 4, "{}", again.err);
    assert_eq!(
        run(&world, &server, &["units"]).succeeds().out.lines().filter(|line| line.contains("\tquestion\t")).count(),
        8
    );
    let status = run(&world, &server, &["status", "--json"]).succeeds().json();
    assert_eq!(status["lacking"], json!({"summary": 0, "question": 0}));
    world.write("notes/new.md", "A new page about bees.");
    world.index(["notes"]);
    let status = run(&world, &server, &["status"]).succeeds().out;
    assert!(status.contains("summary: 1 parts"), "{status}");
}

#[test]
fn a_failure_names_place_and_reason_and_the_rest_is_kept() {
    let world = world();
    let server = Server::answering(|count, body| {
        if body["messages"].to_string().contains("exactly 4") { said(&["no idea"]) } else { obedient(count, body) }
    });
    let ran = run(&world, &server, &["derive"]).succeeds();
    assert!(ran.err.contains("2 summary units for 2 documents") && ran.err.contains("2 failed"), "{}", ran.err);
    assert!(
        ran.err.contains("tea.md 0–") && ran.err.contains("(question)") && ran.err.contains("no JSON"),
        "{}",
        ran.err
    );
}

/// Unusable answers were kept like any other, and every later run failed without asking.
#[test]
fn a_model_that_was_wrong_is_asked_again_by_the_next_run() {
    let world = world();
    let server = Server::answering(|count, body| if count < 4 { said(&["no idea"]) } else { obedient(count, body) });
    let derive = ["derive", "--kinds", "summary"];
    let ran = run(&world, &server, &derive).succeeds();
    assert!(ran.err.contains("2 failed") && server.asked().len() == 4, "{}", ran.err);
    let ran = run(&world, &server, &derive).succeeds();
    assert!(ran.err.contains("2 summary units for 2 documents") && server.asked().len() == 6, "{}", ran.err);
}

#[test]
fn without_a_model_it_is_said_what_to_do() {
    let world = world();
    let mut command = world.command();
    for name in ["DASHSCOPE_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY"] {
        command.env_remove(name);
    }
    let ran = Ran::of(command.args(["derive"]));
    assert!(ran.err.contains("--extractive"), "{}", ran.err);
    let (ran, server) =
        (Ran::of(world.command().args(["derive", "--extractive"])).succeeds(), Server::answering(obedient));
    assert!(ran.err.contains("2 summary units"), "{}", ran.err);
    let ran = run(&world, &server, &["derive", "--kinds", "image"]);
    assert!(ran.err.contains("vision = true"), "{}", ran.err);
    let ran = run(&world, &server, &["derive", "--kinds", "poem", "--lang", "zh"]);
    assert!(ran.err.contains("没有 `poem`"), "{}", ran.err);
}

#[test]
fn a_search_shows_what_the_model_did_and_goes_on_without_it() {
    let (world, server) = (world(), Server::answering(obedient));
    let ran = run(&world, &server, &["search", "How hot?", "--transform", "rewrite", "--explain"]).succeeds();
    assert!(
        ran.out.contains("rewrite (7 + 3 tokens)") && ran.out.contains("→ boiling water for black tea"),
        "{}",
        ran.out
    );
    let away = Server::saying(vec![error(400, "", "no such model")]);
    let ran =
        run(&world, &away, &["search", "How hot is black tea?", "--transform", "hyde", "--post-filter"]).succeeds();
    assert!(ran.out.contains("Black tea needs boiling water"), "{}", ran.out);
    assert!(ran.err.contains("searched without `hyde`") && ran.err.contains("`post-filter`"), "{}", ran.err);
    let json = run(&world, &server, &["search", "How hot?", "--transform", "rewrite", "--json"]).succeeds().json();
    assert_eq!(json["steps"][0]["gave"], json!(["boiling water for black tea"]));
}

#[test]
#[cfg(feature = "sql")]
fn sql_is_shown_and_runs_only_when_allowed() {
    let (world, server) = (world(), Server::answering(obedient));
    let ran = run(&world, &server, &["sql", "--ask", "Which city has the dearest ticket?"]);
    assert!(ran.err.contains("SELECT \"City\"") && ran.err.contains("--yes") && ran.out.is_empty(), "{}", ran.err);
    let ran = run(&world, &server, &["sql", "--ask", "Which city has the dearest ticket?", "--yes"]).succeeds();
    assert_eq!(ran.out, "City\nOslo\n");
    let hostile = Server::saying(vec![said(&[r#"{"sql": "DROP TABLE prices"}"#])]);
    let ran = run(&world, &hostile, &["sql", "--ask", "Remove everything", "--yes"]);
    assert!(ran.err.contains("only reading is allowed") && ran.out.is_empty(), "{}", ran.err);
    assert_eq!(hostile.asked().len(), 2, "repaired once");
}

#[test]
fn questions_by_a_model_have_exact_gold() {
    let (world, server) = (world(), Server::answering(obedient));
    let file = world.path("made.jsonl");
    let out = file.to_str().unwrap();
    run(&world, &server, &["questions", "make", "--by", "model", "--out", out, "--count", "3"]).succeeds();
    let made: Value = serde_json::from_str(std::fs::read_to_string(&file).unwrap().lines().next().unwrap()).unwrap();
    let (start, end) = (made["start"].as_u64().unwrap() as usize, made["end"].as_u64().unwrap() as usize);
    assert_eq!(TEA.chars().skip(start).take(end - start).collect::<String>(), "Milk goes in last.");
    assert_eq!((&made["question"], &made["doc_id"]), (&json!("When is milk added?"), &json!("tea.md")));
}
