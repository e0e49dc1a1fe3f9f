//! The store's contract on a real server: one that `OKNO_TEST_MILVUS` names, or one of our own where `milvus-lite` is
//! installed.

mod common;

use common::{address, host, open, with_server};
use okno::Error;
use okno::error::RemoteError;
use okno::store::contract;
use okno_remote::suite::ServerUnderTest;

#[test]
fn keeps_the_contract() {
    with_server(ServerUnderTest::keeps_the_contract);
}

#[test]
fn a_history_equals_a_map() {
    with_server(ServerUnderTest::a_history_equals_a_map);
}

#[test]
fn hostile_words_are_only_words() {
    with_server(ServerUnderTest::hostile_words_are_only_words);
}

#[test]
fn a_copy_goes_there_and_back() {
    with_server(ServerUnderTest::a_copy_goes_there_and_back);
}

#[test]
fn a_question_is_three_round_trips_and_three_more_where_it_names_documents() {
    with_server(ServerUnderTest::a_question_is_three_round_trips_and_three_more_where_it_names_documents);
}

#[test]
fn a_folder_and_a_server_find_the_same() {
    with_server(ServerUnderTest::a_folder_and_a_server_find_the_same);
}

#[test]
fn what_is_wrong_with_a_server_is_said() {
    let nobody = "milvus://127.0.0.1:1/nobody".parse().unwrap();
    let Err(error) = okno_milvus::open(&nobody) else { panic!("nobody listens there") };
    assert!(matches!(&error, Error::Remote { reason: RemoteError::NoAnswer { .. }, .. }), "{error}");
    let Some(host) = host() else { return };
    let address = address(&host);
    assert!(matches!(okno_milvus::open(&address), Err(Error::NoIndex(_))));
    drop(open(&address));
    let other = okno::Engine::builder().over("x", Box::new(open(&address)));
    let Err(error) = other else { panic!("made with another embedder") };
    assert!(matches!(&error, Error::Embedder { index, .. } if index == contract::EMBEDDER), "{error}");
    okno_milvus::drop_index(&address).unwrap();
}
