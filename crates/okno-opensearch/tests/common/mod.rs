//! A cluster for tests.
#![allow(dead_code)] // each test file uses some of it

use okno_opensearch::ClusterAddress;
use okno_remote::RemoteStore;
use okno_remote::suite::{ServerUnderTest, manifest, new_name};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
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

/// The index of a name.
pub fn named(hosts: &str, name: &str) -> ClusterAddress {
    format!("opensearch://{hosts}/{name}").parse().unwrap()
}

/// An address of an index that is not there yet.
pub fn address(hosts: &str) -> ClusterAddress {
    named(hosts, &new_name())
}

pub fn open(address: &ClusterAddress) -> RemoteStore {
    okno_opensearch::open_or_create(address, &manifest()).unwrap()
}

/// Does something with a cluster, where there is one.
pub fn with_server(does: impl Fn(&ServerUnderTest)) {
    let Some(hosts) = hosts() else { return };
    let told_by = ("OKNO_TEST_OPENSEARCH", hosts.clone());
    let at = move |name: &str| named(&hosts, name);
    let (opened, dropped) = (at.clone(), at);
    does(&ServerUnderTest {
        open: Box::new(move |name, manifest| okno_opensearch::open_or_create(&opened(name), manifest).unwrap()),
        drop: Box::new(move |name| okno_opensearch::drop_index(&dropped(name)).unwrap()),
        told_by,
    });
}

/// Asks a node directly; `None` where it does not answer so.
pub fn ask(method: &str, host: &str, path: &str, body: &str) -> Option<String> {
    let request = ureq::http::Request::builder().method(method).uri(format!("http://{host}{path}"));
    let request = request.header("content-type", "application/json").body(body.to_owned()).unwrap();
    ureq::run(request).ok()?.into_body().read_to_string().ok()
}

/// Waits until all copies of an index are there.
pub fn wait_green(hosts: &str, name: &str) {
    let asked = |path: &str| hosts.split(',').find_map(|host| ask("GET", host, path, ""));
    assert!(
        is_green_within(Duration::from_mins(5), hosts, name),
        "{name} never gets green: {:?}, {:?}",
        asked(&format!("/_cluster/health/{name}*")),
        asked("/_cluster/allocation/explain")
    );
}

/// Whether all copies of an index are there soon enough. A cluster tries only a few times to put a copy back where its
/// node was killed, then leaves it until somebody asks for more: here now.
pub fn is_green_within(patience: Duration, hosts: &str, name: &str) -> bool {
    let (path, began) = (format!("/_cluster/health/{name}*"), Instant::now());
    let asked = |method, path: &str| hosts.split(',').find_map(|host| ask(method, host, path, ""));
    let mut next_retry = Duration::from_secs(20);
    while began.elapsed() < patience {
        if asked("GET", &path).is_some_and(|told| told.contains("\"status\":\"green\"")) {
            return true;
        }
        if began.elapsed() > next_retry {
            asked("POST", "/_cluster/reroute?retry_failed=true&filter_path=acknowledged");
            next_retry += Duration::from_secs(20);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    false
}

/// Kills a node of our own; the first is 1.
pub fn kill_node(folder: &Path, node: usize) {
    let pid = std::fs::read_to_string(folder.join(format!("node{node}.pid"))).unwrap();
    assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
}

/// Starts nodes again, with what they had, and waits until all are there.
pub fn start_nodes(folder: &Path, hosts: &str, nodes: impl Iterator<Item = usize>) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/serve-opensearch.sh");
    let first = hosts.split(',').next().unwrap();
    let (port, count) = (first.rsplit(':').next().unwrap(), hosts.split(',').count().to_string());
    let start = |node: usize| {
        let mut command = Command::new(&script);
        command.arg(folder).args([port, &count, &node.to_string()]).stdout(Stdio::piped()).spawn().unwrap()
    };
    let starting: Vec<Child> = nodes.map(start).collect();
    for one in starting {
        let started = one.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&started.stdout).trim(), hosts);
    }
}
