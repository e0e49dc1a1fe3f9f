//! Clients and nodes that die: nothing is lost, nothing is there twice, nobody sees half of anything.

mod common;

use common::{address, ask, folder, hosts, open, wait};
use okno::store::Store;
use okno_opensearch::ClusterAddress;
use okno_remote::suite::{COMMITTED, SeenIndex, ingest, seen};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Nodes are killed by one test only, and not under another.
static ALONE: Mutex<()> = Mutex::new(());

fn host(hosts: &str) -> &str {
    hosts.split(',').next().unwrap()
}

/// What a reader sees. Rows that were deleted count for the engine's frequencies until it merges them away: here now,
/// so that scores can be compared.
fn seen_merged(hosts: &str, address: &ClusterAddress) -> SeenIndex {
    let (host, name) = (host(hosts), &address.name);
    let body = r#"{"index.merge.policy.expunge_deletes_allowed": 0}"#;
    ask("PUT", host, &format!("/{name}/_settings"), body).unwrap();
    let merged = ask("POST", host, &format!("/{name}/_forcemerge?only_expunge_deletes=true"), "").unwrap();
    assert!(merged.contains("\"failed\":0"), "{merged}");
    ask("POST", host, &format!("/{name}/_refresh"), "").unwrap();
    seen(&*open(address).snapshot().unwrap())
}

/// What a run without accidents gives.
fn clean(hosts: &str) -> SeenIndex {
    let address = address(hosts);
    ingest(&open(&address));
    let seen = seen_merged(hosts, &address);
    okno_opensearch::drop_index(&address).unwrap();
    seen
}

/// Not a test by itself: the client that is killed.
#[test]
fn child() {
    if let Ok(address) = std::env::var("OKNO_KILLED_CLIENT") {
        ingest(&open(&address.parse().unwrap()));
    }
}

fn start_child(address: &ClusterAddress) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child"])
        .env("OKNO_KILLED_CLIENT", address.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_client_loses_nothing_and_leaves_nothing_twice() {
    let Some(hosts) = hosts() else { return };
    let _alone = ALONE.lock();
    let expected = clean(&hosts);
    let address = address(&hosts);
    let store = open(&address);
    for committed in [0, 2] {
        let mut child = start_child(&address);
        let began = Instant::now();
        // Killed at some moment after so many commits, while others read.
        while store.snapshot().unwrap().generation() < committed + 1 && began.elapsed() < Duration::from_mins(1) {
            std::thread::sleep(Duration::from_millis(7));
        }
        std::thread::sleep(Duration::from_millis(13 * (committed + 1)));
        child.kill().unwrap();
        child.wait().unwrap();
        let (texts, _) = seen(&*open(&address).snapshot().unwrap());
        assert_eq!(texts.len() % COMMITTED, 0, "only whole commits are seen");
    }
    ingest(&store);
    assert_eq!(seen_merged(&hosts, &address), expected);
    okno_opensearch::drop_index(&address).unwrap();
}

fn kill_node(folder: &Path, node: usize) {
    let pid = std::fs::read_to_string(folder.join(format!("node{node}.pid"))).unwrap();
    assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
}

fn start_node(folder: &Path, hosts: &str, node: usize) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/serve-opensearch.sh");
    let (port, count) = (host(hosts).rsplit(':').next().unwrap(), hosts.split(',').count().to_string());
    let started = Command::new(script).arg(folder).args([port, &count, &node.to_string()]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&started.stdout).trim(), hosts);
}

/// A node dies while documents are put and questions are asked. It is not the first, which the test itself asks.
#[test]
fn a_killed_node_is_done_without() {
    let (Some(hosts), Some(folder)) = (hosts(), folder()) else { return };
    let _alone = ALONE.lock();
    let expected = clean(&hosts);
    let address = address(&hosts);
    let store = open(&address);
    wait(host(&hosts), &format!("/_cluster/health/{}*", address.name), "\"status\":\"green\"");
    let node = hosts.split(',').count();
    // A client that talks to the node that is killed.
    let away = hosts.split(',').rev().collect::<Vec<_>>().join(",");
    let writing: ClusterAddress = format!("opensearch://{away}/{}", address.name).parse().unwrap();
    let ingesting = std::thread::spawn(move || ingest(&open(&writing)));
    while store.snapshot().unwrap().generation() < 2 {
        assert!(!ingesting.is_finished(), "it ended before the node could be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_node(&folder, node);
    let (mut asked, mut last) = (0, 0);
    while !ingesting.is_finished() {
        let (texts, _) = seen(&*store.snapshot().unwrap());
        assert!(texts.len() >= last && texts.len() % COMMITTED == 0, "{} after {last}", texts.len());
        (asked, last) = (asked + 1, texts.len());
    }
    ingesting.join().unwrap();
    assert!(asked > 0);
    assert_eq!(seen_merged(&hosts, &address), expected, "without the node");
    start_node(&folder, &hosts, node);
    wait(host(&hosts), &format!("/_cluster/health/{}*", address.name), "\"status\":\"green\"");
    assert_eq!(seen_merged(&hosts, &address), expected, "with the node again");
    okno_opensearch::drop_index(&address).unwrap();
}
