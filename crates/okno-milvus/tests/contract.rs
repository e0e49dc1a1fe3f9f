//! The store's contract on a real server: one that `OKNO_TEST_MILVUS` names, or one of our own where `milvus-lite` is
//! installed.

mod common;

use common::{address, documents, host, open};
use okno::document::{Derived, DerivedKind, ImageHash, Metadata, Value};
use okno::error::RemoteError;
use okno::store::contract::{self, HistoryStep, document};
use okno::store::copy::{copy, verify};
use okno::store::{EmbeddedStore, Manifest, Store};
use okno::{Error, Query};
use okno_milvus::MilvusStore;

#[test]
fn keeps_the_contract() {
    let Some(host) = host() else { return };
    for (name, check) in contract::CHECKS.iter().chain(contract::IMAGE_CHECKS) {
        println!("{name}");
        let address = address(&host);
        check(&|| Box::new(open(&address)));
        MilvusStore::drop_index(&address).unwrap();
    }
}

/// A history with everything that random ones have, once: a server is too slow for many.
#[test]
fn a_history_equals_a_map() {
    let Some(host) = host() else { return };
    use HistoryStep::{Commit, Put, Remove, Reopen};
    let begins = [Put(1, 1), Put(2, 2), Commit, Put(1, 3), Remove(2), Reopen, Put(3, 3), Remove(1), Commit];
    let ends = [Put(1, 1), Put(1, 4), Commit, Remove(7), Remove(3), Put(3, 9), Commit, Put(5, 5), Reopen, Commit];
    let address = address(&host);
    contract::history(&|| Box::new(open(&address)), &[&begins[..], &ends[..]].concat());
    MilvusStore::drop_index(&address).unwrap();
}

#[test]
fn what_is_wrong_with_a_server_is_said() {
    let nobody = "milvus://127.0.0.1:1/nobody".parse().unwrap();
    let Err(error) = MilvusStore::open(&nobody) else { panic!("nobody listens there") };
    assert!(matches!(&error, Error::Remote { reason: RemoteError::NoAnswer { .. }, .. }), "{error}");
    let Some(host) = host() else { return };
    let address = address(&host);
    assert!(matches!(MilvusStore::open(&address), Err(Error::NoIndex(_))));
    drop(open(&address));
    let other = okno::Engine::builder().over("x", Box::new(open(&address)));
    let Err(error) = other else { panic!("made with another embedder") };
    assert!(matches!(&error, Error::Embedder { index, .. } if index == contract::EMBEDDER), "{error}");
    MilvusStore::drop_index(&address).unwrap();
}

/// Names, values and texts that would end a string or an expression, were they ever put into one.
#[test]
fn hostile_words_are_only_words() {
    let Some(host) = host() else { return };
    let address = address(&host);
    let hostile = ["\" or document >= 0 or key == \"", "'] or 1 == 1 --", "\\\" \\u0000 \n{x}", "%_$ {{}} </a>"];
    let store = open(&address);
    let mut writer = store.writer().unwrap();
    for (at, words) in hostile.iter().enumerate() {
        let mut document = document(words, &format!("Tea{at}: {words}."));
        document.record.id.root = format!("/{words}");
        document.record.metadata =
            Metadata([("kind".to_owned(), Value::Text((*words).to_owned()))].into_iter().collect());
        writer.put(&document).unwrap();
        writer.set_removed(&document.record.id, Some(at as u128)).unwrap();
    }
    writer.finish().unwrap();
    let snapshot = store.snapshot().unwrap();
    for words in hostile {
        let filter = okno::document::Filter::equal("kind", words);
        let found = okno::retrieve::matching(&*snapshot, &filter).unwrap();
        assert_eq!(found.len(), 1, "{words}");
        assert_eq!(snapshot.record(found[0]).unwrap().id.path, words);
    }
    MilvusStore::drop_index(&address).unwrap();
}

/// Regression: derived units came back at another length than they were put with, and a good copy was called a bad one.
#[test]
fn a_copy_goes_there_and_back() {
    let Some(host) = host() else { return };
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let manifest = Manifest::new(contract::EMBEDDER, contract::DIMENSIONS);
    let local = |at: usize| EmbeddedStore::open_or_create(folders[at].path(), &manifest).unwrap();
    let (from, back, address) = (local(0), local(1), address(&host));
    let mut writer = from.writer().unwrap();
    let numbers: Vec<_> = documents(5).iter().map(|document| writer.put(document).unwrap()).collect();
    let unit = Derived { kind: DerivedKind::Question, first: 0, end: 2, text: "Which word shared?".into() };
    writer.derive(numbers[2], &[unit], &contract::vector("which word shared shared")).unwrap();
    // Larger than a field: it is kept in parts.
    let (pixels, gone) =
        ((0..200_000u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>(), document("gone", "Gone.").record.id);
    let pictured = writer.put(&contract::with_image("pictured", "A picture.", &pixels)).unwrap();
    writer.keep_image(pictured, ImageHash::of(&pixels), &mut || Some(pixels.clone())).unwrap();
    writer.set_removed(&gone, Some(7)).unwrap();
    writer.finish().unwrap();
    let there = open(&address);
    for (from, to) in [(&from as &dyn Store, &there as &dyn Store), (&there, &back)] {
        assert_eq!(copy(from, to, &mut |_, _| {}).unwrap().written, 6);
        assert_eq!(verify(from, to, &mut |_, _| {}).unwrap(), 6);
        let generation = to.snapshot().unwrap().generation();
        assert_eq!(copy(from, to, &mut |_, _| {}).unwrap().unchanged, 6);
        // A folder counts every copy as a generation; a server is written to only where something changed.
        let written = to.snapshot().unwrap().generation() != generation;
        assert!(!written || to.bytes().unwrap().is_some(), "a second copy writes nothing to a server");
        assert_eq!(to.snapshot().unwrap().image(ImageHash::of(&pixels)).unwrap().as_ref(), Some(&pixels));
        assert_eq!(to.writer().unwrap().removed(&gone).unwrap(), Some(7));
    }
    MilvusStore::drop_index(&address).unwrap();
}

/// One question costs a look for a newer generation, one search of all rankings, and one reading of documents. One that
/// names a document, or finds passages that do, reads the best passages and searches inside of those documents too.
#[test]
fn a_question_is_three_round_trips_and_three_more_where_it_names_documents() {
    let Some(host) = host() else { return };
    let address = address(&host);
    let embedder = std::sync::Arc::new(okno::embed::BuiltIn::default());
    let manifest =
        Manifest::new(okno::embed::Embedder::identity(&*embedder), okno::embed::Embedder::dimensions(&*embedder));
    let store = MilvusStore::open_or_create(&address, &manifest).unwrap();
    let meter = store.meter();
    let folder = tempfile::tempdir().unwrap();
    for document in documents(5) {
        std::fs::write(folder.path().join(format!("{}.txt", document.record.title)), &document.text).unwrap();
    }
    let engine = okno::Engine::builder().embedder(embedder).over("x", Box::new(store)).unwrap();
    engine.index(&[folder.path()]).unwrap();
    // The first question also reads the frequencies and the catalogue of its generation.
    engine.search(&Query::new("word1")).unwrap();
    for question in ["word3 shared", "绿茶", "第四章"] {
        let before = meter.traffic();
        let answer = engine.search(&Query::new(question)).unwrap();
        let trips = meter.traffic().round_trips - before.round_trips;
        assert!(!answer.contexts.is_empty());
        assert!(trips <= if answer.stage.led.is_empty() { 3 } else { 6 }, "{question}: {trips}");
    }
    MilvusStore::drop_index(&address).unwrap();
}
