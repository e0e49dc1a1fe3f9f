//! OpenSearch beside the embedded store.
//!
//! ```text
//! cargo run --release -p okno-opensearch --example beside_opensearch -- \
//!     HOSTS[?shards=…] CORPUS.jsonl|INDEX QUESTIONS.jsonl [TIMES [NAME]]
//! ```

use okno_opensearch::ClusterAddress;
use okno_remote::beside::beside;
use okno_remote::suite::ServerUnderTest;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((server, rest)) = arguments.split_first() else { return Err("which server?".into()) };
    let hosts = server.split("://").last().unwrap_or(server).to_owned();
    let at = move |name: &str| -> ClusterAddress {
        let (hosts, parameters) = hosts.split_once('?').unwrap_or((&hosts, ""));
        let address = format!("opensearch://{hosts}/{name}?{parameters}").parse();
        address.unwrap_or_else(|error| panic!("{error}"))
    };
    let (opened, dropped) = (at.clone(), at);
    let server = ServerUnderTest {
        open: Box::new(move |name, manifest| {
            okno_opensearch::open_or_create(&opened(name), manifest).unwrap_or_else(|error| panic!("{error}"))
        }),
        drop: Box::new(move |name| {
            okno_opensearch::drop_index(&dropped(name)).unwrap_or_else(|error| panic!("{error}"));
        }),
        told_by: ("OKNO_TEST_OPENSEARCH", server.clone()),
    };
    beside(&server, rest)
}
