//! A cluster for tests.
#![allow(dead_code)] // each test file uses some of it

use okno_opensearch::ClusterAddress;
use okno_remote::RemoteStore;
use okno_remote::suite::{ServerUnderTest, manifest, new_name};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The nodes that `OKNO_TEST_OPENSEARCH` names; `None`, and said, where it names none.
pub fn hosts() -> Option<String> {
    let given = std::env::var("OKNO_TEST_OPENSEARCH").ok().filter(|hosts| !hosts.is_empty());
    if given.is_none() {
        say_skipped("no OpenSearch cluster – set OKNO_TEST_OPENSEARCH to what `.ci/serve-opensearch.sh FOLDER` prints");
    }
    given
}

/// The folder with the nodes' process ids; `None`, and said, where the cluster is not one of our own.
pub fn folder() -> Option<PathBuf> {
    let given = std::env::var_os("OKNO_TEST_OPENSEARCH_FOLDER").filter(|folder| !folder.is_empty());
    if given.is_none() {
        say_skipped("no node to kill – set OKNO_TEST_OPENSEARCH_FOLDER to the folder of `.ci/serve-opensearch.sh`");
    }
    given.map(PathBuf::from)
}

/// Says why a test does nothing, past the test runner, which keeps what passing tests print to itself.
pub fn say_skipped(why: &str) {
    // Nobody may listen; the test passes all the same.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// An address of an index that is not there yet.
pub fn address(hosts: &str) -> ClusterAddress {
    format!("opensearch://{hosts}/{}", new_name()).parse().unwrap()
}

pub fn open(address: &ClusterAddress) -> RemoteStore {
    okno_opensearch::open_or_create(address, &manifest()).unwrap()
}

/// Does something with a cluster, where there is one.
pub fn with_server(does: impl Fn(&ServerUnderTest)) {
    let Some(hosts) = hosts() else { return };
    let at = move |name: &str| format!("opensearch://{hosts}/{name}").parse::<ClusterAddress>().unwrap();
    let (opened, dropped) = (at.clone(), at);
    does(&ServerUnderTest {
        open: Box::new(move |name, manifest| okno_opensearch::open_or_create(&opened(name), manifest).unwrap()),
        drop: Box::new(move |name| okno_opensearch::drop_index(&dropped(name)).unwrap()),
    });
}

/// Asks a node directly; `None` where it does not answer so.
pub fn ask(method: &str, host: &str, path: &str, body: &str) -> Option<String> {
    let request = ureq::http::Request::builder().method(method).uri(format!("http://{host}{path}"));
    let request = request.header("content-type", "application/json").body(body.to_owned()).unwrap();
    ureq::run(request).ok()?.into_body().read_to_string().ok()
}

/// Waits until a node says so.
pub fn wait(host: &str, path: &str, says: &str) {
    let began = Instant::now();
    while !ask("GET", host, path, "").is_some_and(|told| told.contains(says)) {
        assert!(began.elapsed() < Duration::from_mins(3), "{host}{path} never says {says}");
        std::thread::sleep(Duration::from_millis(200));
    }
}
