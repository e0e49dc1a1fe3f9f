//! A server for tests, and documents for it.
#![allow(dead_code)] // each test file uses some of it

use okno::document::Layer;
use okno::embed::normalize;
use okno::store::contract::{DIMENSIONS, EMBEDDER, document, vector};
use okno::store::{Ask, Leg, Manifest, Prepared, Scored, Snapshot};
use okno_milvus::{Address, MilvusStore};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// The server's host and port; `None`, and said, where there is none.
pub fn host() -> Option<String> {
    let server = std::env::var("OKNO_TEST_MILVUS").ok().filter(|server| !server.is_empty());
    if server.is_none() {
        println!("skipped: no Milvus server – set OKNO_TEST_MILVUS, for example to `http://127.0.0.1:19530`");
    }
    server.map(|server| server.split("://").last().unwrap_or_default().to_owned())
}

/// An address of an index that is not there yet.
pub fn address(host: &str) -> Address {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    format!("milvus://{host}/{name}").parse().unwrap()
}

pub fn open(address: &Address) -> MilvusStore {
    MilvusStore::open_or_create(address, &Manifest::new(EMBEDDER, DIMENSIONS)).unwrap()
}

/// Documents that differ, and share words.
pub fn documents(count: usize) -> Vec<Prepared> {
    let text = |at: usize| format!("Word{at} is here. Shared word{} too. 第{at}章 绿茶。", at % 7);
    (0..count).map(|at| document(&format!("n{at}"), &text(at))).collect()
}

/// Everything a reader sees: texts by name, and rankings with their scores.
pub type Seen = (BTreeMap<String, String>, Vec<Vec<(String, u32, String)>>);

/// What a reader sees.
pub fn seen(snapshot: &dyn Snapshot) -> Seen {
    let name = |number| snapshot.record(number).unwrap().id.path;
    let texts = snapshot.numbers().into_iter().map(|number| (name(number), snapshot.text(number).unwrap().to_owned()));
    let texts = texts.collect();
    let mut rankings = Vec::new();
    for question in ["word3 shared", "绿茶", "word11"] {
        let mut vector = vector(question);
        normalize(&mut vector);
        let wanted =
            [(Leg::Lexical, Layer::Sentence), (Leg::Lexical, Layer::Window(2)), (Leg::Dense, Layer::Paragraph)];
        let ask =
            Ask { text: question, vector: &vector, rankings: &wanted, allowed: None, sections: None, depth: 1000 };
        let shown = |scored: &Scored| (name(scored.run.document), scored.run.anchor, format!("{:.4}", scored.score));
        for ranking in snapshot.search(&ask).unwrap() {
            let mut ranking: Vec<_> = ranking.iter().map(shown).collect();
            // Numbers, which order equal scores, differ between histories.
            ranking.sort();
            rankings.push(ranking);
        }
    }
    (texts, rankings)
}
