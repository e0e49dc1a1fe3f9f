//! Named keys of a server: what each role may do, and that revoked and expired keys are refused.

use super::{Server, World, text};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn make(world: &World, name: &str, role: &str) -> String {
    text(&world.okno(["keys", "make", name, "--role", role, "--json"]).succeeds().json(), "key")
}

/// Status and body of a request.
fn ask(server: &Server, method: &str, path: &str, key: Option<&str>) -> (u16, Value) {
    let bearer = key.map(|key| format!("Bearer {key}"));
    let mut headers = vec![("Content-Type", "application/json"), ("Accept-Language", "en")];
    headers.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
    let (status, body) = server.request(method, path, &headers, b"{}");
    (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

fn code(body: &Value) -> &str {
    // Dify has its own form of errors.
    if body["error_code"] == 1002 { "no_key" } else { body["error"]["code"].as_str().unwrap_or_default() }
}

/// The routes that need more than the role `search`; every other one that is described needs just that.
const ABOVE_SEARCH: [(&str, &str, &str); 8] = [
    ("post", "/api/v1/documents", "add"),
    ("put", "/api/v1/documents/{name}", "add"),
    ("delete", "/api/v1/documents/{name}", "administer"),
    ("post", "/api/v1/jobs/index", "administer"),
    ("delete", "/api/v1/jobs/{id}", "administer"),
    ("post", "/api/v1/eval", "administer"),
    ("delete", "/api/v1/runs/{name}", "administer"),
    ("get", "/api/v1/feedback", "administer"),
];

#[test]
fn each_role_may_do_on_every_described_route_what_it_should() {
    let world = World::with_tea();
    let keys: BTreeMap<&str, String> =
        ["search", "add", "administer"].into_iter().map(|role| (role, make(&world, role, role))).collect();
    let server = Server::start(&world, &[]);
    let (status, described) = ask(&server, "GET", "/api/v1/openapi.json", Some(&keys["search"]));
    assert_eq!(status, 200);
    let mut walked = 0;
    for (path, methods) in described["paths"].as_object().unwrap() {
        let asked = path.replace("{name}", "none").replace("{id}", "none").replace("{hash}", "none");
        for method in methods.as_object().unwrap().keys() {
            let upper = method.to_uppercase();
            if ["/healthz", "/readyz"].contains(&path.as_str()) {
                assert_eq!(ask(&server, &upper, &asked, None).0, 200, "{path}");
                continue;
            }
            let needed = ABOVE_SEARCH.iter().find(|(own, at, _)| own == method && at == path);
            let needed = needed.map_or("search", |(.., role)| role);
            let (status, body) = ask(&server, &upper, &asked, None);
            assert_eq!((status, code(&body)), (401, "no_key"), "{method} {path}");
            let (status, body) = ask(&server, &upper, &asked, Some("okno_0123456789abcdef"));
            assert_eq!((status, code(&body)), (401, "no_key"), "{method} {path}");
            for (given, role) in ["search", "add", "administer"].into_iter().enumerate() {
                let enough = ["search", "add", "administer"].iter().position(|own| *own == needed) <= Some(given);
                let (status, body) = ask(&server, &upper, &asked, Some(&keys[role]));
                assert_eq!(![401, 403].contains(&status), enough, "{method} {path} as {role}: {status} {body}");
                assert_eq!(code(&body) == "role_too_low", !enough, "{method} {path} as {role}: {body}");
            }
            walked += 1;
        }
    }
    assert!(walked > 25, "{walked} routes");
    assert_eq!(ask(&server, "POST", "/mcp", None).0, 401);
    let (status, body) = ask(&server, "POST", "/mcp", Some(&keys["search"]));
    assert!(status != 401 && status != 403, "{status} {body}");
    // The page is for everybody; what it shows is asked for with a key.
    assert_eq!(ask(&server, "GET", "/", None).0, 200);
}

#[test]
fn a_refusal_is_told_in_both_languages() {
    let world = World::with_tea();
    let key = make(&world, "reader", "search");
    let server = Server::start(&world, &[]);
    let told = |lang: &str| {
        let bearer = format!("Bearer {key}");
        let headers = [("Authorization", bearer.as_str()), ("Accept-Language", lang)];
        server.request("DELETE", "/api/v1/documents/tea.md", &headers, b"").1
    };
    assert!(told("en").contains("the API key `reader` has the role `search`; this needs `administer`"));
    assert!(told("zh").contains("的角色是"), "{}", told("zh"));
    assert_eq!(world.names(), ["tea.md"]);
}

#[test]
fn a_revoked_or_expired_key_is_refused_at_once() {
    let world = World::with_tea();
    let (first, second) = (make(&world, "first", "search"), make(&world, "second", "add"));
    let server = Server::start(&world, &[]);
    let status = |key: &str| ask(&server, "GET", "/api/v1/status", Some(key)).0;
    assert_eq!((status(&first), status(&second)), (200, 200));
    world.okno(["keys", "revoke", "first"]).succeeds().says(&["revoked `first`"]);
    assert_eq!((status(&first), status(&second)), (401, 200));
    // As if its last day had been long ago.
    let file = std::fs::read_to_string(world.path(".okno-keys.json")).unwrap();
    world.write(".okno-keys.json", file.replace("\"made\"", "\"expires\": \"2024-02-29\", \"made\""));
    let (refused, body) = ask(&server, "GET", "/api/v1/status", Some(&second));
    assert_eq!((refused, code(&body)), (401, "key_expired"), "{body}");
    world.okno(["keys", "list"]).succeeds();
    let listed = world.okno(["keys", "list", "--json"]).succeeds().lines();
    assert_eq!((text(&listed[0], "name"), &listed[0]["expired"]), ("second".into(), &json!(true)));
    world.okno(["keys", "revoke", "second"]).succeeds();
    assert_eq!(status(&second), 401);
    assert_eq!(ask(&server, "GET", "/api/v1/status", None).0, 401, "no keys are left, and none is not enough");
    let new = make(&world, "new", "search");
    assert_eq!(status(&new), 200);
}

#[test]
fn keys_are_hashed_private_and_checked() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with_tea();
    world.okno(["keys", "list"]).succeeds().says(&["no keys"]);
    let ran = world.okno(["keys", "make", "ci", "--role", "add", "--expires", "2999-12-31"]).succeeds();
    let key = ran.out.trim().to_owned();
    assert!(key.starts_with("okno_") && key.len() == 69, "{key}");
    let file = world.path(".okno-keys.json");
    let stored = std::fs::read_to_string(&file).unwrap();
    assert!(!stored.contains(&key[5..]) && stored.contains("2999-12-31"), "{stored}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let listed = world.okno(["keys", "list"]).succeeds().out;
    assert!(listed.contains("ci  add  made ") && listed.contains("expires 2999-12-31"), "{listed}");
    world.okno(["keys", "make", "ci", "--role", "add"]).refuses().says(&["already"]);
    world.okno(["keys", "make", "a b", "--role", "add"]).refuses().says(&["a b"]);
    world.okno(["keys", "make", "x", "--role", "add", "--expires", "2020-01-01"]).refuses().says(&["past"]);
    world.okno(["keys", "make", "x", "--role", "add", "--expires", "soon"]).ends_with(2).says(&["2027-01-31"]);
    world.okno(["keys", "make", "x", "--role", "owner"]).ends_with(2);
    world.okno(["--lang", "zh", "keys", "revoke", "none"]).refuses().says(&["没有密钥"]);
    world.write(".okno-keys.json", "{");
    world.okno(["keys", "list"]).refuses().says(&[".okno-keys.json"]);
    world.okno(["serve", "--port", "0"]).refuses().says(&[".okno-keys.json"]);
}

/// The one key that a server is given goes on working, beside named ones.
#[test]
fn the_single_key_may_do_everything() {
    let world = World::with_tea();
    world.write("key", "0123456789abcdef0123");
    let named = make(&world, "reader", "search");
    let server = Server::start(&world, &["--api-key-file", "key"]);
    let delete = |key: &str| ask(&server, "DELETE", "/api/v1/documents/none", Some(key)).0;
    assert_eq!((delete("0123456789abcdef0123"), delete(&named), delete("0123456789abcdef012")), (404, 403, 401));
}
