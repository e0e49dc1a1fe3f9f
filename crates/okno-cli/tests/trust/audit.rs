//! The audit log of a server: who asked for what, and which documents that touched.

use super::{Server, World, text};
use serde_json::{Value, json};

fn lines(world: &World) -> Vec<Value> {
    let log = std::fs::read_to_string(world.path("audit.jsonl")).unwrap();
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn world() -> World {
    let world = World::new();
    world.write("notes/tea.md", "Green tea is brewed at eighty degrees.");
    world.write("notes/boat.md", "The ferry leaves at noon from the old pier.");
    world.index(["notes"]);
    world
}

/// Method, route, status, documents of a line.
fn told(line: &Value) -> (String, String, u64, Value) {
    (text(line, "method"), text(line, "route"), line["status"].as_u64().unwrap(), line["documents"].clone())
}

#[test]
fn every_request_with_its_key_and_its_documents_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let world = world();
    let made = world.okno(["keys", "make", "reader", "--role", "search", "--json"]).succeeds().json();
    let server = Server::start(&world, &["--audit", "audit.jsonl"]);
    let bearer = format!("Bearer {}", text(&made, "key"));
    let ask = |method: &str, path: &str, body: &Value| {
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        server.request(method, path, &headers, body.to_string().as_bytes())
    };
    let question = json!({"question": "When does the ferry leave?", "budget": 20});
    let asked = |body: &Value, route: &str| assert_eq!(ask("POST", route, body).0, 200);
    asked(&question, "/api/v1/search");
    // The same again is answered from the cache.
    asked(&question, "/api/v1/search");
    asked(&json!({"question": "When does the ferry leave?", "budget": 20, "stream": false}), "/api/v1/ask");
    let (status, compared) = ask("POST", "/api/v1/compare", &question);
    assert_eq!(status, 200);
    assert_eq!(ask("GET", "/api/v1/documents/tea.md", &json!({})).0, 200);
    assert_eq!(ask("DELETE", "/api/v1/documents/tea.md", &json!({})).0, 403);
    assert_eq!(server.get("/api/v1/status").0, 401);
    assert_eq!((server.get("/healthz").0, server.get("/").0), (200, 200));
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "open", "arguments": {"document": "boat.md"}}});
    let (status, opened) = ask("POST", "/mcp", &call);
    assert!(status == 200 && opened.contains("ferry"), "{status} {opened}");
    let log = lines(&world);
    let boat = json!(["boat.md"]);
    // The baseline may return another document as well.
    let compared: Vec<&str> = ["boat.md", "tea.md"].into_iter().filter(|name| compared.contains(name)).collect();
    let expected = [
        ("POST", "/api/v1/search", 200, &boat),
        ("POST", "/api/v1/search", 200, &boat),
        ("POST", "/api/v1/ask", 200, &boat),
        ("POST", "/api/v1/compare", 200, &json!(compared)),
        ("GET", "/api/v1/documents/{name}", 200, &json!(["tea.md"])),
        ("DELETE", "/api/v1/documents/{name}", 403, &json!([])),
        ("GET", "/api/v1/status", 401, &json!([])),
        ("POST", "/mcp", 200, &boat),
    ];
    assert_eq!(log.len(), expected.len(), "{log:#?}");
    for (line, (method, route, status, documents)) in log.iter().zip(expected) {
        assert_eq!(told(line), (method.into(), route.into(), status, documents.clone()));
        assert_eq!(line["key"], if status == 401 { Value::Null } else { json!("reader") }, "{line}");
        assert!(text(line, "time").ends_with('Z') && line.get("question").is_none(), "{line}");
    }
    assert_eq!(text(&log[4], "path"), "/api/v1/documents/tea.md");
    let written = std::fs::read_to_string(world.path("audit.jsonl")).unwrap();
    assert!(!written.contains("ferry") && !written.contains(&bearer[12..]), "{written}");
    let permissions = std::fs::metadata(world.path("audit.jsonl")).unwrap().permissions();
    assert_eq!(permissions.mode() & 0o777, 0o600);
}

#[test]
fn questions_are_written_only_if_asked_for() {
    let world = world();
    world.okno(["serve", "--audit-questions"]).ends_with(2);
    world.okno(["serve", "--port", "0", "--audit", "none/audit.jsonl"]).refuses().says(&["audit log", "none/audit"]);
    {
        let server = Server::start(&world, &["--audit", "audit.jsonl", "--audit-questions"]);
        let (status, _) = server.post("/api/v1/search", &json!({"question": "When does the ferry leave?"}));
        assert_eq!(status, 200);
        let job = server.upload("new.md", b"A new note.");
        assert_eq!(text(&job, "state"), "done");
    }
    let log = lines(&world);
    assert_eq!((text(&log[0], "question"), &log[0]["key"]), ("When does the ferry leave?".into(), &Value::Null));
    let upload = log.iter().find(|line| told(line).1 == "/api/v1/documents").unwrap();
    assert_eq!(told(upload), ("POST".into(), "/api/v1/documents".into(), 202, json!(["new.md"])));
    // A second server adds to the file.
    let server = Server::start(&world, &["--audit", "audit.jsonl"]);
    assert_eq!(server.get("/api/v1/documents/boat.md").0, 200);
    assert_eq!(lines(&world).len(), log.len() + 1);
}
