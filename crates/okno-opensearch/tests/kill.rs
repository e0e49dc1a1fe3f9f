//! Clients and nodes that die: nothing is lost, nothing is there twice, nobody sees half of anything.

mod common;

use common::{
    address, ask, folder, hosts, is_green_within, kill_node, named, open, start_nodes, wait_green, with_server,
};
use okno::Error;
use okno::document::Layer;
use okno::store::{Ask, Leg, Store, contract};
use okno_document::message::Message;
use okno_opensearch::ClusterAddress;
use okno_remote::suite::{SeenIndex, ServerUnderTest, assert_whole, ingest, new_name, seen};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Child;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Nodes are killed by one test only, and not under another.
static ALONE: Mutex<()> = Mutex::new(());

/// What a reader sees. Rows that were deleted count for the engine's frequencies until it merges them away: here now,
/// so that scores can be compared.
fn seen_merged(hosts: &str, name: &str) -> SeenIndex {
    let asked = |method, path: &str, body| hosts.split(',').find_map(|host| ask(method, host, path, body));
    let body = r#"{"index.merge.policy.expunge_deletes_allowed": 0}"#;
    asked("PUT", &format!("/{name}/_settings"), body).unwrap();
    let began = Instant::now();
    loop {
        // A node that was just killed fails; and copies of a shard keep deleted rows for one another for up to half a
        // minute.
        let merged = asked("POST", &format!("/{name}/_forcemerge?only_expunge_deletes=true"), "").unwrap_or_default();
        let refreshed = asked("POST", &format!("/{name}/_refresh"), "").unwrap_or_default();
        let path = format!("/{name}/_stats/docs?filter_path=_all.total.docs.deleted");
        let told = asked("GET", &path, "").unwrap_or_default();
        let is_done = [&merged, &refreshed].into_iter().all(|told| told.contains("\"failed\":0"));
        if is_done && told.contains("\"deleted\":0") {
            break;
        }
        assert!(began.elapsed() < Duration::from_mins(3), "deleted rows are never merged away: {told}");
        std::thread::sleep(Duration::from_secs(1));
    }
    seen(&*open(&named(hosts, name)).snapshot().unwrap())
}

/// Not a test by itself: the client that is killed.
#[test]
fn child() {
    if std::env::var_os("OKNO_TEST_OPENSEARCH").is_some() {
        with_server(ServerUnderTest::is_the_killed_client);
    }
}

#[test]
fn a_killed_client_loses_nothing_and_leaves_nothing_twice() {
    let Some(hosts) = hosts() else { return };
    let _alone = ALONE.lock();
    with_server(|server| {
        server.a_killed_client_loses_nothing_and_leaves_nothing_twice(&|index| seen_merged(&hosts, index));
    });
}

/// A node dies while documents are put and questions are asked. It is the one that the writing client talks to.
#[test]
fn a_killed_node_is_done_without() {
    let (Some(hosts), Some(folder)) = (hosts(), folder()) else { return };
    let _alone = ALONE.lock();
    let address = address(&hosts);
    let store = open(&address);
    wait_green(&hosts, &address.name);
    let node = hosts.split(',').count();
    let away = hosts.split(',').rev().collect::<Vec<_>>().join(",");
    let writing: ClusterAddress = named(&away, &address.name);
    let ingesting = std::thread::spawn(move || ingest(&open(&writing)));
    while store.snapshot().unwrap().generation() < 2 {
        assert!(!ingesting.is_finished(), "it ended before the node could be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_node(&folder, node);
    let mut asked = 0;
    while !ingesting.is_finished() {
        assert_whole(&*store.snapshot().unwrap());
        asked += 1;
    }
    ingesting.join().unwrap();
    assert!(asked > 0);
    let without = seen_merged(&hosts, &address.name);
    start_nodes(&folder, &hosts, [node].into_iter());
    wait_green(&hosts, &address.name);
    assert_eq!(seen_merged(&hosts, &address.name), without, "with the node again");
    with_server(|server| assert_eq!(server.clean(&|index| seen_merged(&hosts, index)), without));
    okno_opensearch::drop_index(&address).unwrap();
}

/// With most nodes lost nothing can be written, or found where a shard is lost with them. That is said soon, nothing
/// half is seen, and everything is there again with the nodes.
#[test]
fn a_cluster_without_a_manager_is_said() {
    let (Some(hosts), Some(folder)) = (hosts(), folder()) else { return };
    let nodes = hosts.split(',').count();
    let _alone = ALONE.lock();
    let address = address(&hosts);
    let store = open(&address);
    ingest(&store);
    wait_green(&hosts, &address.name);
    let before = seen_merged(&hosts, &address.name);
    let mut writer = store.writer().unwrap();
    writer.put(&contract::document("more", "More.")).unwrap();
    (2..=nodes).for_each(|node| kill_node(&folder, node));
    let lost = LostNodes { folder: &folder, hosts: &hosts, nodes: 2..=nodes };
    let said = |done: okno::Result<()>, began: Instant| {
        let Err(Error::Remote { reason, .. }) = done else { panic!("not done without nodes: {done:?}") };
        assert_eq!(reason.code(), "cluster_no_quorum", "{reason}");
        assert!(reason.to_string().contains(&format!("1 of {nodes} nodes")), "{reason}");
        assert!(began.elapsed() < MOST_PATIENCE, "{:?}", began.elapsed());
    };
    // The node that is left may have a copy of every shard: then it answers.
    let began = Instant::now();
    if let Err(error) = found(&store) {
        said(Err(error), began);
    }
    let began = Instant::now();
    said(writer.commit(), began);
    drop(writer);
    drop(lost);
    // A write that began without a manager may wait for ever inside the node that was left, and with it every refresh
    // of its shard and the shard's second copy (seen with OpenSearch 2.19). Restarting that node ends it.
    if !is_green_within(Duration::from_secs(40), &hosts, &address.name) {
        kill_node(&folder, 1);
        start_nodes(&folder, &hosts, [1].into_iter());
        wait_green(&hosts, &address.name);
    }
    assert_eq!(seen_merged(&hosts, &address.name), before);
    okno_opensearch::drop_index(&address).unwrap();
}

/// Nodes that were killed; they are started again when this goes, also where the test fails: the next one needs them.
struct LostNodes<'t> {
    folder: &'t Path,
    hosts: &'t str,
    nodes: RangeInclusive<usize>,
}

impl Drop for LostNodes<'_> {
    fn drop(&mut self) {
        start_nodes(self.folder, self.hosts, self.nodes.clone());
    }
}

/// A search of all shards.
fn found(store: &dyn Store) -> okno::Result<usize> {
    let (snapshot, rankings) = (store.snapshot()?, [(Leg::Lexical, Layer::Sentence)]);
    let ask = Ask {
        text: "shared",
        vector: &[],
        rankings: &rankings,
        allowed: None,
        sections: None,
        fields: None,
        depth: 10,
    };
    Ok(snapshot.search(&ask)?.len())
}

/// Until a lost quorum is said, at most: two attempts may run into their time limits first, on a machine under load.
const MOST_PATIENCE: Duration = Duration::from_secs(100);

/// How many are killed where nothing is said: every one takes seconds.
const KILLS: usize = 3;

fn random(below: u64) -> u64 {
    RandomState::new().build_hasher().finish() % below
}

/// Clients and nodes, one after the other, each killed at some moment of a run that puts documents while questions are
/// asked: every run ends with what a run without accidents gives. `OKNO_TEST_KILLS` says how many.
#[test]
fn kills_at_random_moments_change_nothing() {
    let (Some(hosts), Some(folder)) = (hosts(), folder()) else { return };
    let kills = std::env::var("OKNO_TEST_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let _alone = ALONE.lock();
    with_server(|server| {
        let began = Instant::now();
        let expected = server.clean(&|index| seen_merged(&hosts, index));
        let takes = began.elapsed();
        for kill in 0..kills {
            // A node in every other run, whichever it is.
            let node = (kill % 2 == 1).then(|| 1 + random(hosts.split(',').count() as u64) as usize);
            let after = Duration::from_millis(random(takes.as_millis() as u64));
            let index = new_name();
            killed_once(server, &hosts, &folder, &index, node, after);
            assert_eq!(seen_merged(&hosts, &index), expected, "kill {kill}");
            if let Some(node) = node {
                start_nodes(&folder, &hosts, [node].into_iter());
                wait_green(&hosts, &index);
                assert_eq!(seen_merged(&hosts, &index), expected, "kill {kill}, with the node again");
            }
            let killed = node.map_or("the client".to_owned(), |node| format!("node {node}"));
            // Nobody may listen.
            let _ = writeln!(std::io::stderr(), "kill {kill}: {killed} after {after:?}, no difference");
            (server.drop)(&index);
        }
    });
}

/// A run with one accident; afterwards everything is put.
fn killed_once(
    server: &ServerUnderTest,
    hosts: &str,
    folder: &Path,
    index: &str,
    node: Option<usize>,
    after: Duration,
) {
    let address = named(hosts, index);
    let store = open(&address);
    wait_green(hosts, index);
    let mut child = server.start_client(index);
    let began = Instant::now();
    while began.elapsed() < after && is_running(&mut child) {
        assert_whole(&*store.snapshot().unwrap());
    }
    if let Some(node) = node {
        kill_node(folder, node);
        while is_running(&mut child) {
            assert_whole(&*store.snapshot().unwrap());
        }
        assert!(child.wait().unwrap().success(), "the client goes on without the node");
    } else {
        child.kill().unwrap();
        child.wait().unwrap();
        assert_whole(&*store.snapshot().unwrap());
        // What the killed one sent last may still take the lock from the next: that one says so, and is run again.
        assert!((0..4).any(|_| server.start_client(index).wait().unwrap().success()), "a client goes on");
    }
}

fn is_running(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_none()
}
