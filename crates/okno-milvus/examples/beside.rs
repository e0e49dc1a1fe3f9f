//! Milvus beside the embedded store.
//!
//! ```text
//! cargo run --release -p okno-milvus --example beside -- SERVER CORPUS.jsonl|INDEX QUESTIONS.jsonl [TIMES [NAME]]
//! ```

use okno_milvus::Address;
use okno_remote::beside::beside;
use okno_remote::suite::ServerUnderTest;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((server, rest)) = arguments.split_first() else { return Err("which server?".into()) };
    let host = server.split("://").last().unwrap_or(server).to_owned();
    let at = move |name: &str| -> Address {
        let address = format!("milvus://{host}/{name}").parse();
        address.unwrap_or_else(|error| panic!("{error}"))
    };
    let (opened, dropped) = (at.clone(), at);
    let server = ServerUnderTest {
        open: Box::new(move |name, manifest| {
            okno_milvus::open_or_create(&opened(name), manifest).unwrap_or_else(|error| panic!("{error}"))
        }),
        drop: Box::new(move |name| {
            okno_milvus::drop_index(&dropped(name)).unwrap_or_else(|error| panic!("{error}"));
        }),
        told_by: ("OKNO_TEST_MILVUS", server.clone()),
    };
    beside(&server, rest)
}
