//! A server for tests, and documents for it.
#![allow(dead_code)] // each test file uses some of it

use okno_milvus::Address;
use okno_remote::suite::{ServerUnderTest, manifest, new_name};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The host and port of a server: the one that `OKNO_TEST_MILVUS` names, or one of our own where `milvus-lite` is
/// installed; `None`, and said, where there is neither.
pub fn host() -> Option<String> {
    static OWN: LazyLock<Option<String>> = LazyLock::new(own_server);
    let given = std::env::var("OKNO_TEST_MILVUS").ok().filter(|server| !server.is_empty());
    let host = given.map(|server| server.split("://").last().unwrap_or_default().to_owned()).or_else(|| OWN.clone());
    if host.is_none() {
        say_skipped(
            "no Milvus server – install `milvus-lite`, or set OKNO_TEST_MILVUS, for example to \
             `http://127.0.0.1:19530`",
        );
    }
    host
}

/// Says why a test does nothing, past the test runner, which keeps what passing tests print to itself.
pub fn say_skipped(why: &str) {
    // Nobody may listen; the test passes all the same.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The program `milvus-lite`: the one that is named, or the one on the path.
pub fn program() -> Option<PathBuf> {
    let named = std::env::var_os("OKNO_TEST_MILVUS_SERVER").filter(|program| !program.is_empty());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = || std::env::split_paths(&path).map(|folder| folder.join("milvus-lite")).find(|file| file.is_file());
    named.map(PathBuf::from).or_else(found)
}

pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The arguments of a server.
pub fn arguments(folder: &Path, port: u16) -> Vec<String> {
    let (port, data) = (port.to_string(), folder.join("data").display().to_string());
    ["server", "--host", "127.0.0.1", "--port", &port, "--data-dir", &data].map(str::to_owned).into()
}

/// Waits until somebody listens.
pub fn wait(host: &str) {
    let began = Instant::now();
    while std::net::TcpStream::connect(host).is_err() && began.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A server for all tests of this program. It ends with us, however we end: a shell waits for our end of its input to
/// close.
fn own_server() -> Option<String> {
    let (program, folder, port) = (program()?, tempfile::tempdir().unwrap().keep(), free_port());
    let mut shell = Command::new("sh");
    shell.args(["-c", r#""$@" & server=$!; cat > /dev/null; kill $server; rm -rf "$FOLDER""#, "sh"]).arg(program);
    shell.args(arguments(&folder, port)).env("FOLDER", &folder);
    let child: Child = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Open until this program ends.
    std::mem::forget(child);
    let host = format!("127.0.0.1:{port}");
    wait(&host);
    Some(host)
}

/// An address of an index that is not there yet.
pub fn address(host: &str) -> Address {
    format!("milvus://{host}/{}", new_name()).parse().unwrap()
}

pub fn open(address: &Address) -> okno_remote::RemoteStore {
    okno_milvus::open_or_create(address, &manifest()).unwrap()
}

/// Does something with a server, where there is one.
pub fn with_server(does: impl Fn(&ServerUnderTest)) {
    let Some(host) = host() else { return };
    does(&server_at(host));
}

/// The server at this host and port.
pub fn server_at(host: String) -> ServerUnderTest {
    let told_by = ("OKNO_TEST_MILVUS", host.clone());
    let at = move |name: &str| format!("milvus://{host}/{name}").parse::<Address>().unwrap();
    let (opened, dropped) = (at.clone(), at);
    ServerUnderTest {
        open: Box::new(move |name, manifest| okno_milvus::open_or_create(&opened(name), manifest).unwrap()),
        drop: Box::new(move |name| okno_milvus::drop_index(&dropped(name)).unwrap()),
        told_by,
    }
}
