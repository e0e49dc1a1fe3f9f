//! Keys with groups, as their user makes them: who sees a document, who may replace it, and that indexing again forgets
//! nothing.

use super::{Server, World, text};
use serde_json::{Value, json};

const PAY: &str = "The driver of the night bus earns four thousand crowns.";

fn make(world: &World, name: &str, role: &str, groups: &[&str]) -> String {
    let mut arguments = vec!["keys", "make", name, "--role", role, "--json"];
    let groups = groups.join(",");
    if !groups.is_empty() {
        arguments.extend(["--groups", &groups]);
    }
    format!("Bearer {}", text(&world.okno(arguments).succeeds().json(), "key"))
}

fn sent(server: &Server, method: &str, path: &str, key: &str, body: &Value) -> (u16, Value) {
    let headers = [("Content-Type", "application/json"), ("Authorization", key)];
    let (status, body) = server.request(method, path, &headers, body.to_string().as_bytes());
    (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

/// Uploads a file for the group `hr`; the status, and the job or the error.
fn upload(server: &Server, key: &str, content: &str) -> (u16, Value) {
    let body = format!(
        "--cut\r\nContent-Disposition: form-data; name=\"files\"; filename=\"pay.md\"\r\n\r\n{content}\r\n--cut--\r\n"
    );
    let headers = [("Content-Type", "multipart/form-data; boundary=cut"), ("Authorization", key)];
    let (status, body) = server.request("POST", "/api/v1/documents?allow=hr", &headers, body.as_bytes());
    (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

/// Whether a key finds what only `hr` may see.
fn finds(server: &Server, key: &str) -> bool {
    let question = json!({"question": "What does the driver of the night bus earn?"});
    let (status, answer) = sent(server, "POST", "/api/v1/search", key, &question);
    assert_eq!(status, 200, "{answer}");
    answer.to_string().contains("four thousand crowns")
}

fn wait_for(server: &Server, key: &str, job: &Value) {
    let path = format!("/api/v1/jobs/{}", text(&job["job"], "id"));
    super::wait_until("the job ends", || text(&sent(server, "GET", &path, key, &json!({})).1, "state") == "done");
}

#[test]
fn a_document_of_a_group_is_found_and_replaced_by_its_keys_alone() {
    let world = World::with_tea();
    let (hr, board) = (make(&world, "alice", "add", &["hr"]), make(&world, "bob", "add", &["board", "研发"]));
    let nobody = make(&world, "carol", "search", &[]);
    let server = Server::start(&world, &[]);
    let pay = json!({"text": PAY, "metadata": {"allow": ["hr"]}});
    assert_eq!(sent(&server, "PUT", "/api/v1/documents/pay", &hr, &pay).0, 200);
    assert_eq!([&hr, &board, &nobody].map(|key| finds(&server, key)), [true, false, false]);
    let (status, body) = sent(&server, "PUT", "/api/v1/documents/pay", &board, &json!({"text": "Mine now."}));
    assert_eq!((status, &body["error"]["code"]), (409, &json!("name_taken")), "{body}");
    assert_eq!(sent(&server, "GET", "/api/v1/documents/pay", &board, &json!({})).0, 404);
    assert!(finds(&server, &hr), "nothing was replaced");
}

#[test]
fn who_may_see_an_upload_stays_known_when_its_folder_is_indexed_again() {
    let world = World::with_tea();
    let (hr, board) = (make(&world, "alice", "add", &["hr"]), make(&world, "bob", "add", &["board"]));
    let root = make(&world, "root", "administer", &[]);
    let server = Server::start(&world, &[]);
    let (status, job) = upload(&server, &hr, PAY);
    assert_eq!(status, 202, "{job}");
    wait_for(&server, &root, &job);
    assert_eq!([&hr, &board].map(|key| finds(&server, key)), [true, false]);
    let (status, body) = upload(&server, &board, "Mine now.");
    assert_eq!((status, &body["error"]["code"]), (409, &json!("name_taken")), "{body}");
    drop(server);
    // From the command line, after a change of the file.
    world.write("okno-uploads/pay.md", format!("{PAY} The bus leaves at ten."));
    world.index(["okno-uploads"]);
    let server = Server::start(&world, &[]);
    assert_eq!([&hr, &board].map(|key| finds(&server, key)), [true, false]);
}
