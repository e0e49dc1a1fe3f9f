//! The store's contract on a real server: one that `OKNO_TEST_MILVUS` names, or one of our own where `milvus-lite` is
//! installed.

mod common;

use common::{address, host, open, with_server};
use okno::Error;
use okno::error::RemoteError;
use okno::store::contract;

okno_remote::suite_tests!(with_server);

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
