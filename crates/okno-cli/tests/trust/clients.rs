//! Clients that are slow, ask for much, or stay for ever.

use super::{Server, World};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Was broken: such a connection stayed for ever, and so did a server that was told to end.
#[test]
fn half_of_a_header_holds_neither_a_connection_nor_the_end() {
    let world = World::with_tea();
    let mut server = Server::start(&world, &[]);
    let half = || {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: local").unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream
    };
    let (mut waiting, begun) = (half(), Instant::now());
    let mut answer = Vec::new();
    // Closed, with or without a word.
    let _ = waiting.read_to_end(&mut answer);
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    let _half = half();
    std::thread::sleep(Duration::from_millis(100));
    super::support::signal(&server.child, "TERM");
    let begun = Instant::now();
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn no_more_connections_than_allowed_are_served_and_the_next_is_told_to_come_back() {
    let world = World::with_tea();
    world.write("okno.toml", "[serve]\nmax_connections = 2\n");
    let server = Server::start(&world, &[]);
    let held: Vec<TcpStream> = (0..2).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    std::thread::sleep(Duration::from_millis(200));
    let ask = |language: &str| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request = format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nAccept-Language: {language}\r\n");
        stream.write_all(format!("{request}Connection: close\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    for (language, message) in [("en", "too many connections are open"), ("zh", "打开的连接过多")] {
        let answer = ask(language).to_lowercase();
        assert!(answer.starts_with("http/1.1 503") && answer.contains("retry-after: 1\r\n"), "{answer}");
        assert!(answer.contains("\"overloaded\"") && answer.contains(message), "{answer}");
    }
    drop(held);
    super::wait_until("there is room again", || ask("en").starts_with("HTTP/1.1 200"));
}

#[test]
fn what_a_request_may_cost_is_configured_and_told() {
    let world = World::with_tea();
    world.write("okno.toml", "[serve]\nmax_k = 40\nmax_budget = 1000\nmax_recipes = 3\nmax_filter = 30\n");
    let server = Server::start(&world, &[]);
    let refused = |path: &str, body: serde_json::Value, says: &str| {
        let (status, told) = server.post(path, &body);
        let message = told["error"]["message"].as_str().unwrap_or_default();
        assert!(status == 400 && message.contains(says), "{status} {told}");
    };
    refused("/api/v1/search", json!({"question": "tea", "k": 41}), "the limit is 40");
    refused("/api/v1/search", json!({"question": "tea", "budget": 1001}), "the limit is 1000");
    refused(
        "/api/v1/search",
        json!({"question": "tea", "filter": format!("a = {}", "1".repeat(40))}),
        "the limit is 30",
    );
    let compare = |recipes: &[&str], budget: usize| json!({"question": "tea", "recipes": recipes, "budget": budget});
    refused("/api/v1/compare", compare(&["auto", "window", "chunks"], 400), "together is 1200; the limit is 1000");
    refused("/api/v1/compare", compare(&["auto", "window", "chunks", "section"], 10), "3");
    assert_eq!(server.post("/api/v1/compare", &compare(&["auto", "window"], 400)).0, 200);
}

/// Was broken: a request whose time was over kept its core, and every other one waited for it.
#[test]
fn a_request_that_takes_too_long_is_stopped_and_short_ones_do_not_wait_for_it() {
    let world = World::new();
    let sentence = "The keeper of the harbour counted the lamps of the pier and the boats of the bay every night. ";
    for number in 0..400 {
        world.write(&format!("notes/n{number}.md"), format!("# Note {number}\n\n{}", sentence.repeat(40)));
    }
    world.index(["notes"]);
    world.write("okno.toml", "[serve]\ntimeout = 10\n");
    let server = Server::start(&world, &[]);
    assert_eq!(server.post("/api/v1/search", &json!({"question": "lamps"})).0, 200, "opened");
    let long = "the keeper of the harbour counted the lamps of the pier and the boats ".repeat(80);
    let begun = Instant::now();
    let heavy: Vec<_> = (0..4)
        .map(|_| {
            let (client, long) = ((*server).clone(), long.clone());
            std::thread::spawn(move || {
                let body = json!({"question": long, "k": 1250, "budget": 25_000,
                    "recipes": ["auto", "window", "chunks", "section", "auto", "window", "chunks", "section"]});
                client.post("/api/v1/compare", &body).0
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    let (status, told) = server.post("/api/v1/search", &json!({"question": "boats of the bay", "budget": 50}));
    assert_eq!(status, 200, "{told}");
    let waited = asked.elapsed();
    let statuses: Vec<u16> = heavy.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(statuses.iter().all(|status| [200, 504].contains(status)), "{statuses:?}");
    assert!(waited < Duration::from_secs(10), "waited {waited:?} of {:?}: {statuses:?}", begun.elapsed());
}
