//! A service as embedder: order, batches, several at once, what fails, and a real one where there is one
//! (`OKNO_TEST_CHAT_URL`).

#[path = "support/server.rs"]
mod server;
mod skipped;

use okno::embed::{Embedder, Role};
use okno_models::service::{Embeddings, MadeBy, Options, Patience};
use serde_json::{Value, json};
use server::{Reply, Server, error};
use std::sync::atomic::Ordering;
use std::time::Duration;

fn options(server: &Server) -> Options {
    Options {
        table: "embedding".to_owned(),
        model: Some("e".to_owned()),
        patience: Patience { pause: Duration::from_millis(5), ..Patience::within(Duration::from_secs(5)) },
        ..Options::at(&server.url(), None)
    }
}

/// Vectors that say which text they are of: its length, and 1; in reverse order.
fn vectors(body: &Value) -> Reply {
    let texts = body["input"].as_array().unwrap();
    let one = |(at, text): (usize, &Value)| json!({"index": at, "embedding": [text.as_str().unwrap().len(), 1]});
    let data: Vec<_> = texts.iter().enumerate().map(one).rev().collect();
    Reply::Whole(200, "", json!({ "data": data }).to_string())
}

/// The lengths of the texts, as their vectors say.
fn lengths(vectors: &[f32]) -> Vec<u32> {
    vectors.chunks(2).map(|vector| (vector[0] / vector[1]).round() as u32).collect()
}

#[test]
fn vectors_come_in_the_order_of_the_texts_and_empty_texts_are_zeros() {
    let server = Server::answering(|_, body| vectors(body));
    let embedder = Embeddings::connect(Options { batch: 2, ..options(&server) }).unwrap();
    assert_eq!((embedder.dimensions(), embedder.identity()), (2, "service:openai/e#2"));
    let got = embedder.embed(&["a", "", "abc", "abcde", " "], Role::Passage).unwrap();
    assert_eq!(lengths(&[&got[..2], &got[4..8]].concat()), [1, 3, 5]);
    assert_eq!((&got[2..4], &got[8..10]), (&[0.0, 0.0][..], &[0.0, 0.0][..]));
    assert_eq!(server.asked().len(), 3, "one to learn the length, two batches");
}

#[test]
fn batches_go_out_several_at_once_and_each_is_tried_again_by_itself() {
    let server = Server::answering(|count, body| match count % 3 {
        1 => error(429, "", "slow down"),
        2 => Reply::Late(Duration::from_millis(50), Box::new(vectors(body))),
        _ => vectors(body),
    });
    let embedder = Embeddings::connect(Options { batch: 5, concurrency: 3, ..options(&server) }).unwrap();
    let texts: Vec<String> = (1..=60).map(|length| "x".repeat(length)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let got = embedder.embed(&texts, Role::Passage).unwrap();
    assert_eq!(lengths(&got), (1..=60).collect::<Vec<u32>>());
    let most = server.most.load(Ordering::SeqCst);
    assert!((2..=3).contains(&most), "{most} at once");
    assert!(server.asked().iter().all(|asked| asked.body["input"].as_array().unwrap().len() <= 5));
}

#[test]
fn a_batch_that_fails_for_good_ends_the_rest() {
    let refuses = |count: usize, body: &Value| if count < 4 { vectors(body) } else { error(400, "", "no more credit") };
    let server = Server::answering(refuses);
    let embedder = Embeddings::connect(Options { batch: 1, concurrency: 2, ..options(&server) }).unwrap();
    let failed = embedder.embed(&["text"; 100], Role::Passage).unwrap_err();
    assert!(failed.to_string().contains("no more credit") && failed.to_string().contains("127.0.0.1"), "{failed}");
    assert!(server.asked().len() < 10, "{} requests", server.asked().len());
}

#[test]
fn vectors_of_the_wrong_number_or_length_are_refused() {
    let few = Reply::Whole(200, "", json!({"data": [{"index": 0, "embedding": [1, 2]}]}).to_string());
    let server = Server::saying(vec![few]);
    let embedder = Embeddings::connect(options(&server)).unwrap();
    assert!(embedder.embed(&["a", "b"], Role::Query).unwrap_err().to_string().contains("1 vectors for 2 texts"));
    let longer = |count: usize, _: &Value| {
        Reply::Whole(200, "", json!({"data": [{"index": 0, "embedding": vec![1; count + 1]}]}).to_string())
    };
    let embedder = Embeddings::connect(options(&Server::answering(longer))).unwrap();
    assert!(embedder.embed(&["a"], Role::Query).unwrap_err().to_string().contains("2 components, expected 1"));
    let failed = Embeddings::connect(Options { dimensions: Some(256), ..options(&server) }).unwrap_err();
    assert!(failed.to_string().contains("2 components, expected 256; `embedding.dimensions`"), "{failed}");
}

#[test]
fn a_length_is_asked_for_only_where_somebody_wants_one() {
    let server = Server::answering(|_, body| vectors(body));
    Embeddings::connect(options(&server)).unwrap();
    Embeddings::connect(Options { dimensions: Some(2), ..options(&server) }).unwrap();
    let asked = server.asked();
    assert_eq!((asked[0].body.get("dimensions"), &asked[1].body["dimensions"]), (None, &json!(2)));
}

#[test]
fn the_model_of_an_index_is_asked_nothing_before_something_is_embedded() {
    let server = Server::answering(|_, body| vectors(body));
    let made_by: MadeBy = "service:openai/e#2".parse().unwrap();
    let embedder = Embeddings::again(options(&server), made_by);
    assert_eq!((embedder.identity(), embedder.dimensions(), server.asked().len()), ("service:openai/e#2", 2, 0));
    assert_eq!(lengths(&embedder.embed(&["abc"], Role::Query).unwrap()), [3]);
    let other = Embeddings::again(options(&server), "service:openai/e#3".parse().unwrap());
    assert!(other.embed(&["abc"], Role::Query).unwrap_err().to_string().contains("expected 3"));
}

#[test]
fn a_model_that_is_not_named_is_asked_for() {
    let server = Server::answering(|count, body| match count {
        0 => Reply::Whole(200, "", json!({"data": [{"id": "BAAI/bge-m3"}]}).to_string()),
        _ => vectors(body),
    });
    let embedder = Embeddings::connect(Options { model: None, ..options(&server) }).unwrap();
    assert_eq!(embedder.identity(), "service:openai/BAAI/bge-m3#2");
    let nothing = Server::saying(vec![Reply::Whole(200, "", json!({"data": []}).to_string())]);
    let failed = Embeddings::connect(Options { model: None, ..options(&nothing) }).unwrap_err();
    assert!(failed.to_string().contains("name one in `embedding.name`"), "{failed}");
}

#[test]
fn a_real_server_embeds() {
    let Some(url) = skipped::chat_url() else { return };
    let embedder = Embeddings::connect(Options { batch: 2, ..Options::at(&url, None) }).unwrap();
    println!("{}", embedder.identity());
    let texts = [
        "Green tea is brewed at eighty degrees.",
        "The canal was dug in 1801.",
        "Green tea is brewed at eighty degrees.",
    ];
    let got = embedder.embed(&texts, Role::Passage).unwrap();
    let rows: Vec<&[f32]> = got.chunks(embedder.dimensions()).collect();
    let cosine = |a: &[f32], b: &[f32]| {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    assert!(cosine(rows[0], rows[2]) > 0.999 && cosine(rows[0], rows[1]) < 0.99);
}
