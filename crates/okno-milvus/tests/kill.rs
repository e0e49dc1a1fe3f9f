//! Clients and servers that die: nothing is lost, nothing is there twice, nobody sees half of anything.

mod common;

use common::{address, host, open};
use okno::store::Store;
use okno_remote::suite::{SeenIndex, ServerUnderTest, ingest, seen};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Not a test by itself: the client that is killed.
#[test]
fn child() {
    if std::env::var_os("OKNO_TEST_MILVUS").is_some() {
        common::with_server(ServerUnderTest::is_the_killed_client);
    }
}

fn seen_at(host: &str, index: &str) -> SeenIndex {
    let address = format!("milvus://{host}/{index}").parse().unwrap();
    seen(&*open(&address).snapshot().unwrap())
}

#[test]
fn a_killed_client_loses_nothing_and_leaves_nothing_twice() {
    let Some(host) = host() else { return };
    let server = common::server_at(host.clone());
    server.a_killed_client_loses_nothing_and_leaves_nothing_twice(&|index| seen_at(&host, index));
}

/// A server of this test's own.
struct Server {
    program: PathBuf,
    folder: tempfile::TempDir,
    port: u16,
    process: Child,
}

impl Server {
    /// `None`, and said, where the program is not known.
    fn start() -> Option<Self> {
        let Some(program) = common::program() else {
            common::say_skipped(
                "no server to kill – install `milvus-lite`, or set OKNO_TEST_MILVUS_SERVER to that program",
            );
            return None;
        };
        let (folder, port) = (tempfile::tempdir().unwrap(), common::free_port());
        let process = Self::spawn(&program, folder.path(), port);
        Some(Self { program, folder, port, process })
    }

    fn spawn(program: &Path, folder: &Path, port: u16) -> Child {
        let mut command = Command::new(program);
        command.args(common::arguments(folder, port)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn restart(&mut self) {
        self.process = Self::spawn(&self.program, self.folder.path(), self.port);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dead already: that is what the test is about.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_killed_server_is_waited_for() {
    let Some(mut server) = Server::start() else { return };
    common::wait(&server.host());
    let host = server.host();
    let expected = common::server_at(host.clone()).clean(&|index| seen_at(&host, index));
    let address = address(&host);
    drop(open(&address));
    let ingesting = std::thread::spawn({
        let address = address.clone();
        move || ingest(&open(&address))
    });
    let store = open(&address);
    while store.snapshot().unwrap().generation() < 2 {
        assert!(!ingesting.is_finished(), "it ended before the server could be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    server.kill();
    std::thread::sleep(Duration::from_millis(500));
    server.restart();
    ingesting.join().unwrap();
    assert_eq!(seen(&*store.snapshot().unwrap()), expected);
}
