//! The store's contract on a real cluster: the one that `OKNO_TEST_OPENSEARCH` names.

mod common;

use common::{address, ask, hosts, open, with_server};
use okno::error::RemoteError;
use okno::store::{Store, contract};
use okno::{Engine, Error};
use okno_document::message::Message;
use okno_opensearch::{ClusterAddress, Credentials};
use std::io::{Read, Write};
use std::net::TcpListener;

okno_remote::suite_tests!(with_server);

fn reason(opened: okno::Result<impl Store>) -> RemoteError {
    match opened {
        Err(Error::Remote { reason, .. }) => reason,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("there is no index"),
    }
}

#[test]
fn what_is_wrong_with_a_cluster_is_said() {
    let nobody = "opensearch://127.0.0.1:1,127.0.0.1:2/nobody".parse().unwrap();
    let said = reason(okno_opensearch::open(&nobody));
    assert!(matches!(said, RemoteError::NoAnswer { .. }), "{said}");
    let Some(hosts) = hosts() else { return };
    let address = address(&hosts);
    assert!(matches!(okno_opensearch::open(&address), Err(Error::NoIndex(_))));
    drop(open(&address));
    let Err(error) = Engine::builder().over("x", Box::new(open(&address))) else {
        panic!("made with another embedder")
    };
    assert!(matches!(&error, Error::Embedder { index, .. } if index == contract::EMBEDDER), "{error}");
    okno_opensearch::drop_index(&address).unwrap();
}

/// Hosts that are away are passed over, whichever they are.
#[test]
fn one_node_of_several_is_enough() {
    let Some(hosts) = hosts() else { return };
    let last = hosts.split(',').next_back().unwrap();
    let address = address(&format!("127.0.0.1:1,127.0.0.1:2,{last}"));
    open(&address).snapshot().unwrap();
    okno_opensearch::drop_index(&address).unwrap();
}

/// Units that cannot be written are waited for, and said; what was committed stays readable, and nothing half is seen.
#[test]
fn a_cluster_that_takes_no_writes_is_said() {
    let Some(hosts) = hosts() else { return };
    let (address, host) = (address(&hosts), hosts.split(',').next().unwrap());
    let block = |on: bool| {
        let body = format!("{{\"index.blocks.read_only_allow_delete\": {}}}", if on { "true" } else { "null" });
        ask("PUT", host, &format!("/{}/_settings", address.name), &body).unwrap();
    };
    let store = open(&address);
    let mut writer = store.writer().unwrap();
    writer.put(&contract::document("a", "Alpha.")).unwrap();
    writer.commit().unwrap();
    writer.put(&contract::document("b", "Beta.")).unwrap();
    block(true);
    let Err(Error::Remote { reason, .. }) = writer.commit() else { panic!("nothing can be written") };
    assert_eq!(reason.code(), "cluster_read_only", "{reason}");
    assert_eq!(store.snapshot().unwrap().numbers().len(), 1);
    block(false);
    drop(writer);
    let mut writer = store.writer().unwrap();
    writer.put(&contract::document("b", "Beta.")).unwrap();
    writer.finish().unwrap();
    assert_eq!(store.snapshot().unwrap().numbers().len(), 2);
    okno_opensearch::drop_index(&address).unwrap();
}

/// A server that gives every request this answer. The packages of the cluster for tests have no security plugin and one
/// version, so what others say is said here.
fn server(status: &'static str, body: &'static str) -> ClusterAddress {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut asked = [0; 4096];
            let _ = stream.read(&mut asked);
            let length = body.len();
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        }
    });
    format!("opensearch://127.0.0.1:{port}/books").parse().unwrap()
}

#[test]
fn a_server_that_cannot_be_used_is_said() {
    let mut address = server("401 Unauthorized", "Unauthorized");
    address.credentials = Some(Credentials::User { name: "me".to_owned(), password: "wrong".to_owned() });
    let said = reason(okno_opensearch::open(&address));
    assert!(matches!(said, RemoteError::KeyRefused { .. }) && !said.to_string().contains("wrong"), "{said}");
    let old = r#"{"version": {"distribution": "opensearch", "number": "2.5.0"}}"#;
    let said = reason(okno_opensearch::open(&server("200 OK", old)));
    assert_eq!(said, RemoteError::TooOld { found: "OpenSearch 2.5.0".into(), needed: "2.9".into() });
    let other = r#"{"version": {"number": "8.15.0"}}"#;
    let said = reason(okno_opensearch::open(&server("200 OK", other)));
    assert_eq!(said.code(), "not_opensearch", "{said}");
    let busy = r#"{"error": {"type": "rejected_execution_exception", "reason": "rejected execution"}, "status": 429}"#;
    let said = reason(okno_opensearch::open(&server("429 Too Many Requests", busy)));
    assert_eq!(said.code(), "cluster_too_busy", "{said}");
}
