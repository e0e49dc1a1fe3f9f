//! `okno serve` and `okno mcp` as their users start them: the examples of `docs/http.md`, the official MCP client, and
//! the end.
#![cfg(feature = "serve")]

mod support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use support::World;

const TEA: &str = "---\nkind: drink\n---\n# Tea\n\nGreen tea is brewed at 80 °C. Black tea needs boiling water. Leave \
    it for four minutes.\n";

/// A running server over `notes`, ended with the test.
struct Running {
    world: World,
    child: Child,
    url: String,
}

impl Running {
    fn start() -> Self {
        Self::with(&[], Stdio::null())
    }

    /// With further flags, and somebody who reads the log.
    fn with(flags: &[&str], log: Stdio) -> Self {
        let world = World::new();
        world.write("notes/tea.md", TEA);
        world.index(["notes"]);
        let mut command = world.command();
        let mut child = command
            .args(["serve", "--json", "--port", "0", "--index", "notes=.okno"])
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("`{line}`"));
        Self { world, child, url: told["url"].as_str().unwrap().to_owned() }
    }

    /// Asks it to end, and gives its exit code.
    #[cfg(unix)]
    fn end(&mut self) -> Option<i32> {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(asked.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a program is there.
fn has(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The blocks of a page between fences, each with its language.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = page.split("```").collect();
    parts.iter().skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

/// What an answer must have, and where it has something else. A list says how its first items begin.
fn differs(expected: &Value, found: &Value, at: &str) -> Option<String> {
    match (expected, found) {
        (Value::Object(fields), Value::Object(_)) => {
            fields.iter().find_map(|(name, value)| differs(value, &found[name], &format!("{at}.{name}")))
        }
        (Value::Array(items), Value::Array(others)) if items.len() <= others.len() => {
            items.iter().zip(others).enumerate().find_map(|(i, (a, b))| differs(a, b, &format!("{at}[{i}]")))
        }
        _ if expected == found => None,
        _ => Some(format!("{at}: expected {expected}, found {found}")),
    }
}

#[test]
fn the_examples_of_the_page_about_http_work() {
    if !has("curl") || !has("bash") {
        support::say_skipped("the examples need curl and bash – install them");
        return;
    }
    let server = Running::start();
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/http.md")).unwrap();
    let address = server.url.trim_start_matches("http://");
    let mut last = String::new();
    let mut ran = 0;
    for (language, block) in blocks(&page) {
        match language {
            "sh" => {
                let script = block.replace("localhost:7765", address);
                let output =
                    Command::new("bash").args(["-euc", &script]).current_dir(server.world.path("")).output().unwrap();
                assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
                last = String::from_utf8(output.stdout).unwrap();
                ran += 1;
            }
            "json" => {
                // The answer to the last request of the block: values follow one another without a line between.
                let answers =
                    serde_json::Deserializer::from_str(&last[last.find('{').unwrap_or(0)..]).into_iter::<Value>();
                let events =
                    last.rfind("\n\n").map(|at| &last[at..]).and_then(|rest| serde_json::from_str(rest.trim()).ok());
                let answer =
                    events.or_else(|| answers.map_while(Result::ok).last()).unwrap_or_else(|| panic!("{last}"));
                let expected: Value = serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}"));
                assert_eq!(differs(&expected, &answer, ""), None, "{answer:#}");
            }
            _ => {}
        }
    }
    assert!(ran >= 10, "only {ran} examples");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_well() {
    let mut server = Running::start();
    assert_eq!(server.end(), Some(0));
    server.world.okno(["search", "tea"]).succeeds();
}

#[cfg(unix)]
#[test]
fn the_log_is_one_json_object_a_request_where_that_is_wanted() {
    use std::io::{Read, Write};
    let mut server = Running::with(&["--log", "json"], Stdio::piped());
    let log = server.child.stderr.take().unwrap();
    let mut stream = std::net::TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("ok\n"), "{answer}");
    assert_eq!(server.end(), Some(0));
    let lines: Vec<Value> =
        BufReader::new(log).lines().filter_map(|line| serde_json::from_str(&line.unwrap()).ok()).collect();
    let request = lines.iter().find(|line| line["fields"]["route"] == "/healthz");
    let request = request.unwrap_or_else(|| panic!("{lines:?}"));
    assert_eq!((&request["fields"]["status"], &request["level"]), (&json!(200), &json!("INFO")));
}

#[test]
fn what_cannot_be_served_is_refused() {
    let world = World::new();
    world.write("notes/tea.md", TEA);
    world.index(["notes"]);
    world
        .okno(["serve", "--host", "0.0.0.0", "--port", "0"])
        .refuses()
        .says(&["an API key is required", "--api-key-file"]);
    world.write("key", "short");
    world.okno(["serve", "--port", "0", "--api-key-file", "key"]).refuses().says(&["at least 16"]);
    world
        .okno(["serve", "--index", "a=.okno", "--index", "a=other"])
        .refuses()
        .says(&["two indexes have the name `a`"]);
    world.okno(["serve", "--port", "0", "--cors", "notes.example"]).refuses().says(&["not a valid origin"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let ran = world.okno(["serve", "--port", &port.to_string()]).refuses();
    assert_eq!(
        ran.err,
        format!("error: port {port} is in use; try `--port {}`\n", port + 1),
        "said once, with what to do"
    );
    world
        .okno(["--lang", "zh", "serve", "--port", &port.to_string()])
        .refuses()
        .says(&[&format!("端口 {port} 已被占用")]);
}

/// Judges what the official client saw, however it was connected.
fn judge(seen: &Value) {
    let text = |name: &str| seen[name]["text"].as_str().unwrap_or_else(|| panic!("{name}: {seen:#}")).to_owned();
    assert_eq!(seen["server"], "okno");
    for tool in ["filters", "list_documents", "open", "search"] {
        assert!(seen["tools"].as_array().unwrap().contains(&json!(tool)), "{}", seen["tools"]);
    }
    assert!(
        text("search").starts_with("[1] tea.md ") && text("search").contains("Black tea needs boiling water."),
        "{seen:#}"
    );
    assert!(text("search").len() < 600, "a budget of 60 tokens");
    assert_eq!(seen["filtered"]["error"], false);
    assert!(seen["unknown_field"]["error"] == true && text("unknown_field").contains("nofield"), "{seen:#}");
    assert!(text("open").ends_with("\nBlack tea needs boiling water."), "{}", text("open"));
    assert!(
        text("around").ends_with("80 °C. Black tea needs boiling water. Leave it for four minutes."),
        "{}",
        text("around")
    );
    assert!(text("small").starts_with("tea.md 0–10 of "), "{}", text("small"));
    assert!(seen["missing"]["error"] == true && text("missing").contains("no document `none.md`"), "{seen:#}");
    assert!(
        text("list").contains("- tea.md · ") && text("filters").contains("- kind (category, 1 documents): drink"),
        "{seen:#}"
    );
    assert_eq!(seen["resources"], json!(["okno://notes/tea.md"]));
    assert_eq!(seen["read"], TEA);
}

fn client(arguments: &[&str]) -> Option<Value> {
    let Some(python) = std::env::var_os("OKNO_TEST_MCP_PYTHON") else {
        support::say_skipped("needs the official MCP client – set OKNO_TEST_MCP_PYTHON to a python that has `mcp`");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/client.py");
    let output = Command::new(python).arg(script).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    Some(serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}")))
}

#[test]
fn an_agent_is_served_over_standard_input_and_output() {
    let world = World::new();
    world.write("notes/tea.md", TEA);
    world.index(["notes"]);
    let index = format!("notes={}", world.path(".okno").display());
    if let Some(seen) = client(&["stdio", env!("CARGO_BIN_EXE_okno"), &index]) {
        judge(&seen);
    }
}

#[test]
fn an_agent_is_served_over_http() {
    let server = Running::start();
    if let Some(seen) = client(&["http", &format!("{}/mcp", server.url)]) {
        judge(&seen);
    }
}
