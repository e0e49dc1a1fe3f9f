//! Who may ask, and what the strangest requests get.

mod support;

use okno_server::{ServeError, ServerParts, serve};
use support::{Server, settings};

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn a_page_of_another_site_gets_nothing() {
    let server = Server::start();
    let status =
        |method, path, headers: &[(&str, &str)]| server.request(method, path, headers, b"{\"question\": \"tea\"}");
    assert_eq!(status("POST", "/api/v1/search", &[JSON]).0, 200);
    let rebound = status("POST", "/api/v1/search", &[JSON, ("Host", "evil.example")]);
    assert!(rebound.0 == 403 && rebound.2.contains("wrong_host"), "{}", rebound.2);
    let foreign = status("POST", "/api/v1/search", &[JSON, ("Origin", "http://evil.example")]);
    assert!(
        foreign.0 == 403 && foreign.2.contains("cross_origin") && !foreign.1.contains("access-control"),
        "{}",
        foreign.1
    );
    for path in ["/mcp", "/v1/chat/completions", "/api/v1/documents"] {
        assert_eq!(status("POST", path, &[("Host", "evil.example"), JSON]).0, 403, "{path}");
    }
}

#[test]
fn a_key_opens_and_nothing_else_does() {
    let server = Server::with(|settings| settings.key = Some("0123456789abcdef".into()));
    let get = |path: &str, headers: &[(&str, &str)]| server.request("GET", path, headers, b"").0;
    for path in ["/api/v1/status", "/metrics", "/api/v1/openapi.json", "/api/v1/none"] {
        assert_eq!(get(path, &[]), 401, "{path}");
        assert_eq!(get(path, &[("Authorization", "Bearer 0123456789abcdeX")]), 401, "{path}");
    }
    assert_eq!(get("/api/v1/status", &[("Authorization", "Bearer 0123456789abcdef")]), 200);
    assert_eq!(get("/api/v1/status", &[("X-API-Key", "0123456789abcdef")]), 200);
    assert_eq!((get("/", &[]), get("/healthz", &[])), (200, 200));
}

#[test]
fn other_addresses_need_a_key() {
    let refused = |change: &dyn Fn(&mut okno_server::ServeSettings)| {
        let mut settings = settings();
        change(&mut settings);
        let parts = ServerParts { indexes: Vec::new(), generator: None, models: vec![], pages: None };
        serve(parts, &settings, |_| panic!("it must not listen"), async {}).unwrap_err()
    };
    let open = |settings: &mut okno_server::ServeSettings| settings.host = "0.0.0.0".parse().unwrap();
    assert!(matches!(refused(&open), ServeError::NoKey { .. }));
    assert!(matches!(refused(&|settings| settings.key = Some("short".into())), ServeError::ShortKey { length: 5, .. }));
    assert!(matches!(refused(&|_| {}), ServeError::NoIndex));
}

#[test]
fn a_site_that_was_let_in_may_ask() {
    let server = Server::with(|settings| settings.cors = vec!["https://notes.example".into()]);
    let asked = [
        ("Origin", "https://notes.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type"),
    ];
    let (status, head, _) = server.request("OPTIONS", "/api/v1/search", &asked, b"");
    assert!(status == 200 && head.contains("access-control-allow-origin: https://notes.example"), "{head}");
    let asked = [("Origin", "https://notes.example"), JSON];
    assert_eq!(server.request("POST", "/api/v1/search", &asked, b"{\"question\": \"tea\"}").0, 200);
    let (_, head, _) = server.request(
        "OPTIONS",
        "/api/v1/search",
        &[("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")],
        b"",
    );
    assert!(!head.contains("access-control-allow-origin"), "{head}");
}

/// A small generator of pseudo-random numbers, the same every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn of<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

/// A request that is wrong in some way: method, path, header, body, or all of it.
fn malformed(chance: &mut Chance) -> Vec<u8> {
    let path = chance.of(&[
        "/api/v1/search",
        "/api/v1/compare",
        "/api/v1/feedback",
        "/api/v1/jobs/index",
        "/api/v1/eval",
        "/api/v1/documents",
        "/mcp",
        "/api/v1/jobs/%00",
        "/api/v1/documents/%2e%2e%2f",
        "/api/v1/runs/..%2fx",
        "/api/v1/search?index=%ff",
        "/../etc/passwd",
    ]);
    let body: &[u8] = chance.of(&[
        b"{",
        b"[]",
        b"null",
        b"\"x\"",
        b"{\"question\": 1}",
        b"{\"question\": null}",
        b"{\"question\": \"\"}",
        b"{\"question\":\"x\",\"k\":-1}",
        b"{\"question\":\"x\",\"k\":1e99}",
        b"{\"question\":\"x\",\"budget\":18446744073709551615}",
        b"\xff\xfe\x00",
        b"{\"question\":\"x\",\"expand\":\"window:99999999999\"}",
        b"{\"question\":\"x\",\"filter\":{\"and\":[{\"and\":[{\"or\":3}]}]}}",
        b"{\"question\":\"x\",\"legs\":[\"none\"]}",
        b"{\"question\":\"x\",\"min_relevance\":-5}",
        b"{\"question\":\"x\",\"unknown\":true}",
        b"{\"recipes\":[]}",
        b"{\"paths\":[\"/\"]}",
        b"{\"questions\":[1,2]}",
        b"{\"make\":0}",
        b"--x\r\n",
        b"",
    ]);
    let kind = chance.of(&[
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=x",
        "multipart/form-data",
        "application/json; charset=\"",
        "",
    ]);
    let method = chance.of(&["POST", "POST", "POST", "PUT", "PATCH", "TRACE", "BREW"]);
    let length = match chance.below(12) {
        0 => "-1".to_owned(),
        1 => "99999999999999999999".to_owned(),
        _ => body.len().to_string(),
    };
    let mut request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\n\
         Content-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    request.extend_from_slice(body);
    // Now and then a byte of the head itself is another.
    if chance.below(4) == 0 {
        let (at, byte) = (chance.below(request.len().min(60)), chance.below(256) as u8);
        request[at] = byte;
    }
    request
}

/// 1,000 malformed requests: each is refused with a 4xx (or, where it is no HTTP at all, by closing), and the server
/// lives on.
#[test]
fn malformed_requests_are_refused_and_nothing_else() {
    let server = Server::start();
    let mut chance = Chance(20);
    let mut closed = 0;
    for number in 0..1000 {
        let request = malformed(&mut chance);
        let (status, _, body) = server.raw(&request);
        closed += usize::from(status == 0);
        let shown = String::from_utf8_lossy(&request);
        assert!(status == 0 || (400..500).contains(&status), "request {number} got {status} {body}:\n{shown}");
    }
    assert!(closed < 100, "{closed} of 1000 got no answer at all");
    assert_eq!(server.get("/api/v1/status").0, 200);
}
