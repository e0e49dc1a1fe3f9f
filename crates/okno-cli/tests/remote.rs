//! An index on a server as its users have it: `--store` on every command, servers that share one index, copies there
//! and back. On every engine that the tests are given: `OKNO_TEST_OPENSEARCH=127.0.0.1:9201,127.0.0.1:9202`, and, with
//! a program that has it (`--features okno-cli/milvus`), `OKNO_TEST_MILVUS=http://127.0.0.1:19530`.

mod support;

/// Without Milvus in it, the program says how to get one that has it.
#[cfg(not(feature = "milvus"))]
#[test]
fn a_program_without_milvus_says_how_to_build_one() {
    support::say_skipped("this program is built without Milvus – test with `--features okno-cli/milvus`");
    let world = support::World::new();
    world.write("notes/tea.md", "Green tea.");
    let address = ["--store", "milvus://127.0.0.1:1/books"];
    for command in [&["status"][..], &["search", "tea"], &["index", "notes"], &["serve", "--port", "0"], &["mcp"]] {
        let refused = world.okno(command.iter().chain(&address)).refuses();
        refused.says(&["`milvus://127.0.0.1:1/books` is on Milvus", "build it with `--features milvus`"]);
    }
    world
        .okno(["--lang", "zh", "status", "--store", "milvus://h/books"])
        .refuses()
        .says(&["请用 `--features milvus` 编译"]);
}

#[cfg(feature = "opensearch")]
mod with_a_server {
    use super::support::{Ran, World, contexts, say_skipped, text};
    use serde_json::{Value, json};
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::path::Path;
    use std::process::{Child, Stdio};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::{Duration, Instant};

    const TEA: &str = "---\nkind: drink\n---\n# Tea\n\nGreen tea is brewed at 80 °C. Black tea needs boiling water.\n";

    /// Addresses of indexes that are not there yet, on the servers that the tests are given.
    fn addresses() -> Vec<String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = |scheme: &str, variable: &str| {
            let given = std::env::var(variable).ok().filter(|given| !given.is_empty());
            if given.is_none() {
                say_skipped(&format!("no server – set {variable}, for example to what `.ci/serve-*.sh` prints"));
            }
            let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let host = given?.split("://").last().unwrap_or_default().to_owned();
            Some(format!("{scheme}://{host}/cli_{process}_{count}"))
        };
        let milvus = cfg!(feature = "milvus").then(|| server("milvus", "OKNO_TEST_MILVUS")).flatten();
        server("opensearch", "OKNO_TEST_OPENSEARCH").into_iter().chain(milvus).collect()
    }

    fn okno(world: &World, address: &str, arguments: &[&str]) -> Ran {
        Ran::of(world.command().args(arguments).args(["--store", address]))
    }

    /// A running server, ended with the test.
    struct Server {
        child: Child,
        host: String,
    }

    impl Server {
        fn start(world: &World, address: &str) -> Self {
            let mut command = world.command();
            command.args(["serve", "--json", "--port", "0", "--store", address]);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("`{line}`"));
            let host = told["url"].as_str().unwrap().trim_start_matches("http://").to_owned();
            Self { child, host }
        }

        fn send(&self, head: &str, kind: &str, body: &str) -> Value {
            let mut stream = TcpStream::connect(&self.host).unwrap();
            let (host, length) = (&self.host, body.len());
            write!(
                stream,
                "{head} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: {kind}\r\n\
                Content-Length: {length}\r\n\r\n{body}"
            )
            .unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            let (from, to) = (answer.find('{').unwrap_or(0), answer.rfind('}').map_or(0, |at| at + 1));
            serde_json::from_str(&answer[from..to.max(from)]).unwrap_or_else(|_| panic!("{answer}"))
        }

        /// The contexts that answer a question.
        fn search(&self, question: &str) -> Value {
            let body = json!({"question": question, "explain": true}).to_string();
            self.send("POST /api/v1/search", "application/json", &body)["contexts"].take()
        }

        fn upload(&self, name: &str, content: &str) {
            let body = format!(
                "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n\r\n{content}\r\n\
                 --x--\r\n"
            );
            let taken = self.send("POST /api/v1/documents", "multipart/form-data; boundary=x", &body);
            assert_eq!(taken["files"], json!([name]), "{taken}");
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    /// The words of the contexts that `okno mcp` answers a question with.
    fn asked_by_an_agent(world: &World, address: &str, question: &str) -> String {
        let calls = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                "params": {"protocolVersion": "2025-03-26", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": {"name": "search", "arguments": {"question": question}}}),
        ];
        let lines: String = calls.iter().map(|call| format!("{call}\n")).collect();
        world.okno_reading(["mcp", "--store", address], &lines).succeeds().out
    }

    #[test]
    fn servers_share_one_index() {
        for address in addresses() {
            share_one_index(&address);
        }
    }

    fn share_one_index(address: &str) {
        let worlds = [World::new(), World::new()];
        worlds[0].write("notes/tea.md", TEA);
        okno(&worlds[0], address, &["index", "notes"]).succeeds();
        let servers = [Server::start(&worlds[0], address), Server::start(&worlds[1], address)];
        let question = "How hot is the water for green tea?";
        let [one, other] = [servers[0].search(question), servers[1].search(question)];
        assert_eq!(one, other);
        assert_eq!(text(&one[0], "doc_id"), "tea.md");
        assert!(asked_by_an_agent(&worlds[1], address, question).contains("brewed at 80"));
        // One takes a document in; the other answers from it, without being told.
        servers[0].upload("coffee.md", "# Coffee\n\nCoffee from the harbour is roasted for eleven minutes.\n");
        let (question, began) = ("How long is the coffee roasted?", Instant::now());
        let seen = loop {
            let found = servers[1].search(question);
            if found[0]["doc_id"].as_str() == Some("coffee.md") {
                break found;
            }
            assert!(began.elapsed() < Duration::from_mins(1), "never seen: {found}");
            std::thread::sleep(Duration::from_millis(100));
        };
        assert_eq!(seen, servers[0].search(question));
        assert!(worlds[0].path("okno-uploads/coffee.md").exists(), "uploads are beside where a local index would be");
        assert!(["milvus:", "opensearch:"].iter().all(|name| !worlds[0].path(name).exists()), "no folder is called so");
    }

    #[test]
    fn an_index_goes_to_a_server_and_back() {
        for address in addresses() {
            goes_there_and_back(&address);
        }
    }

    fn goes_there_and_back(address: &str) {
        let world = World::new();
        let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-models/tests/images/tea.png");
        let picture = std::fs::read(picture).unwrap();
        world.write("docs/img/tea.png", &picture);
        world
            .write("docs/a.md", "# Notes\n\nThe notice on the door says when we meet.\n\n![The notice](img/tea.png)\n");
        world.write("docs/b.md", TEA).write("docs/c.md", "# Gone\n\nThis page was taken out by hand.\n");
        world.index(["docs/a.md", "docs/b.md", "docs/c.md"]);
        world.okno(["remove", "c.md"]).succeeds();
        let before = world.search(&["the notice on the door"]);
        let hash = text(&contexts(&before)[0]["images"][0], "hash");
        world.okno(["copy", "--from", ".okno", "--to", address]).succeeds();
        let there = okno(&world, address, &["search", "--json", "the notice on the door"]).succeeds().json();
        assert_eq!(text(&contexts(&there)[0], "text"), text(&contexts(&before)[0], "text"));
        okno(&world, address, &["show", "--image", &hash, "--out", "there.png"]).succeeds();
        assert_eq!(std::fs::read(world.path("there.png")).unwrap(), picture);
        // What was removed by hand stays removed there, too.
        okno(&world, address, &["index"]).succeeds();
        let listed = okno(&world, address, &["documents"]).succeeds().out;
        assert!(listed.contains("b.md") && !listed.contains("c.md"), "{listed}");
        // OpenSearch tells its size, Milvus does not.
        let status = okno(&world, address, &["status", "--json"]).succeeds().json();
        let told = status["disk_bytes"].as_u64().is_some_and(|bytes| bytes > 0);
        assert_eq!((&status["documents"], told), (&json!(2), address.starts_with("opensearch:")));
        let filtered =
            okno(&world, address, &["search", "--json", "--filter", "kind = drink", "water"]).succeeds().json();
        assert!(contexts(&filtered).iter().all(|context| text(context, "doc_id") == "b.md"));
        okno(&world, address, &["search", "--filter", "knd = drink", "water"]).refuses().says(&["knd", "kind"]);
        let refused = okno(&world, address, &["reembed", "--embedder", "builtin"]).refuses();
        refused.says(&["cannot be changed in place", &format!("okno copy --from {address}"), "okno reembed --index"]);
        world.okno(["copy", "--from", address, "--to", "back"]).succeeds();
        let back = world.search(&["--index", "back", "the notice on the door"]);
        assert_eq!(text(&contexts(&back)[0], "text"), text(&contexts(&before)[0], "text"));
        world.okno(["show", "--index", "back", "--image", &hash, "--out", "back.png"]).succeeds();
        assert_eq!(std::fs::read(world.path("back.png")).unwrap(), picture);
    }
}
