//! A service as an index's embedder, as its user sees it: chosen by name and configuration, remembered, refused when it
//! is another.
#![cfg(feature = "models")]

#[path = "../../okno-models/tests/support/server.rs"]
mod server;
mod support;

use serde_json::{Value, json};
use server::{Reply, Server, error};
use std::process::Command;
use support::{Ran, World, contexts, text};

/// Letters counted, so that texts with the same words are near one another.
fn letters(body: &Value) -> Reply {
    let vector = |text: &Value| {
        let mut counts = vec![0; body["dimensions"].as_u64().unwrap_or(32) as usize];
        for word in text.as_str().unwrap().to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            let place = word.bytes().fold(0usize, |sum, byte| sum * 31 + usize::from(byte)) % counts.len();
            counts[place] += usize::from(!word.is_empty());
        }
        counts
    };
    let texts = body["input"].as_array().unwrap();
    let data: Vec<Value> =
        texts.iter().enumerate().map(|(at, text)| json!({"index": at, "embedding": vector(text)})).collect();
    Reply::Whole(200, "", json!({ "data": data }).to_string())
}

fn world() -> (World, Server) {
    let world = World::new();
    for name in ["tea", "coffee", "river"] {
        let sentences: String = (0..20).map(|i| format!("The {name} of day {i} is number {}. ", i * 7)).collect();
        world.write(&format!("notes/{name}.md"), format!("# {name}\n\n{sentences}\n"));
    }
    (world, Server::answering(|_, body| letters(body)))
}

/// The program with `DashScope`'s key and address, and no other key of the machine's.
fn okno(world: &World, server: &Server, arguments: &[&str]) -> Command {
    let mut command = world.command();
    for name in ["OPENAI_API_KEY", "OPENAI_BASE_URL", "DEEPSEEK_API_KEY"] {
        command.env_remove(name);
    }
    command.env("DASHSCOPE_API_KEY", "sk-dash-1234567890").env("DASHSCOPE_BASE_URL", server.url());
    command.args(arguments);
    command
}

fn ran(world: &World, server: &Server, arguments: &[&str]) -> Ran {
    Ran::of(&mut okno(world, server, arguments))
}

fn best(world: &World, server: &Server) -> String {
    let found = ran(world, server, &["search", "the coffee of day 3", "--json"]).succeeds().json();
    text(&contexts(&found)[0], "doc_id")
}

#[test]
fn a_key_is_enough_and_the_index_remembers_who_made_its_vectors() {
    let (world, server) = world();
    ran(&world, &server, &["index", "--embedder", "service", "notes"]).succeeds();
    let asked = server.asked();
    assert!(
        asked.iter().all(|one| one.head.starts_with("POST /v1/embeddings") && one.head.contains("sk-dash-1234567890"))
    );
    assert!(asked.iter().all(|one| one.body["model"] == "text-embedding-v2" && one.body.get("dimensions").is_none()));
    assert!(asked.iter().all(|one| one.body["input"].as_array().unwrap().len() <= 25), "the provider's limit");
    let status = ran(&world, &server, &["status", "--json"]).succeeds().json();
    assert_eq!(
        (&status["embedder"], &status["dimensions"]),
        (&json!("service:dashscope/text-embedding-v2#32"), &json!(32))
    );
    assert_eq!(server.asked().len(), asked.len(), "what the index holds is listed without asking");
    assert_eq!(best(&world, &server), "coffee.md");
    assert_eq!(server.asked().len(), asked.len() + 1, "one question, one request");
    ran(&world, &server, &["index"]).succeeds();
    assert_eq!(server.asked().len(), asked.len() + 1, "nothing new, nothing asked");
}

#[test]
fn another_model_length_or_kind_is_refused_with_both_names_and_reembed_exchanges() {
    let (world, server) = world();
    ran(&world, &server, &["index", "--embedder", "service:text-embedding-v1", "notes"]).succeeds();
    let both = ["`service:dashscope/text-embedding-v1#32`", "okno reembed"];
    ran(&world, &server, &["index", "--embedder", "service"])
        .refuses()
        .says(&both)
        .says(&["`service:dashscope/text-embedding-v2#32`"]);
    let mut longer = okno(&world, &server, &["index", "--embedder", "service:text-embedding-v1"]);
    Ran::of(longer.env("OKNO_EMBEDDING_DIMENSIONS", "64"))
        .refuses()
        .says(&both)
        .says(&["`service:dashscope/text-embedding-v1#64`"]);
    ran(&world, &server, &["index", "--embedder", "builtin"]).refuses().says(&both);
    ran(&world, &server, &["reembed", "--embedder", "builtin"]).succeeds();
    ran(&world, &server, &["reembed", "--embedder", "service:dashscope/text-embedding-v2"]).succeeds();
    assert_eq!(best(&world, &server), "coffee.md");
}

#[test]
fn what_is_missing_is_said_when_it_is_needed() {
    let (world, server) = world();
    ran(&world, &server, &["index", "--embedder", "service", "notes"]).succeeds();
    let without = |arguments: &[&str]| Ran::of(okno(&world, &server, arguments).env_remove("DASHSCOPE_API_KEY"));
    without(&["documents"]).succeeds();
    without(&["search", "tea"]).ends_with(1).says(&["`dashscope` needs a key: set `DASHSCOPE_API_KEY`"]);
    without(&["index", "--embedder", "service", "--index", "new", "notes"]).refuses().says(&["embedding.provider"]);
    let zh = without(&["--lang", "zh", "index", "--embedder", "service", "--index", "new", "notes"]).ends_with(1);
    zh.says(&["需要指明服务"]);
    let mut deepseek = okno(&world, &server, &["index", "--embedder", "service", "--index", "new", "notes"]);
    deepseek.env("OKNO_EMBEDDING_PROVIDER", "deepseek").env("DEEPSEEK_API_KEY", "sk-deep-1234567890");
    Ran::of(&mut deepseek).refuses().says(&["`deepseek` has no known embedding model"]);
    assert!(!world.path("new").exists(), "no index was made");
}

#[test]
fn a_service_of_ones_own_may_move_and_gets_no_key_of_a_known_one() {
    let (world, server) = world();
    let at =
        |url: &str| format!("embedder = \"service\"\n[embedding]\nbase_url = \"{url}\"\nname = \"m\"\nbatch = 3\n");
    world.write("okno.toml", at(&server.url()));
    ran(&world, &server, &["index", "notes"]).succeeds();
    assert!(
        server
            .asked()
            .iter()
            .all(|one| !one.head.contains("sk-dash") && one.body["input"].as_array().unwrap().len() <= 3)
    );
    let elsewhere = Server::answering(|_, body| letters(body));
    world.write("okno.toml", at(&elsewhere.url()));
    assert_eq!(best(&world, &server), "coffee.md");
    assert_eq!(elsewhere.asked().len(), 1, "asked where it is now");
    let status = ran(&world, &server, &["status", "--json"]).succeeds().json();
    assert_eq!(status["embedder"], "service:own/m#32");
}

#[test]
fn a_service_that_fails_half_way_is_not_paid_twice() {
    let (world, _) = world();
    for number in 0..30 {
        let sentences: String = (0..20).map(|i| format!("Note {number} says x{number}y{i}. ")).collect();
        world.write(&format!("notes/{number}.md"), sentences);
    }
    // A block of 256 texts is eleven requests; the credit ends in the second.
    let server = Server::answering(|count, body| if count == 15 { error(402, "", "no credit") } else { letters(body) });
    let index = || {
        let mut command = okno(&world, &server, &["index", "--embedder", "service", "notes"]);
        Ran::of(command.env("OKNO_EMBEDDING_CONCURRENCY", "1"))
    };
    index().ends_with(1).says(&["402: no credit"]);
    index().succeeds();
    assert_eq!(best(&world, &server), "coffee.md");
    let asked: Vec<Vec<Value>> =
        server.asked().iter().map(|one| one.body["input"].as_array().unwrap().clone()).collect();
    let again = |text: &Value| asked.iter().flatten().filter(|other| *other == text).count() > 1;
    assert!(!asked[1..=11].iter().flatten().any(again), "the first block was kept");
}
