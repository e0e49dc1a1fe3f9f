//! Traces as a collector receives them: a real server, a real model call, and a collector that reads what comes over
//! HTTP.
#![cfg(feature = "otel")]

mod support;

use okno::generate::{Completion, GenerateError, Generator, Request};
use okno_server::LogFormat;
use serde_json::json;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use support::Server;

/// A model that rewrites every question.
struct Rewriting;

impl Generator for Rewriting {
    fn identity(&self) -> &'static str {
        "test/rewriting"
    }

    fn generate(&self, _: &Request, _: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<Completion, GenerateError> {
        Ok(Completion { text: json!({"question": "black tea water"}).to_string(), ..Completion::default() })
    }
}

/// The bodies that were sent to `/v1/traces`.
type Received = Arc<Mutex<Vec<Vec<u8>>>>;

/// A collector on a port of its own, for as long as the test runs.
fn collector() -> (String, Received) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let received = Received::default();
    let kept = Arc::clone(&received);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (mut bytes, mut buffer) = (Vec::new(), [0; 65536]);
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..count]);
                let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
                let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
                let length =
                    head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.trim().parse().ok());
                if bytes.len() >= end + 4 + length.unwrap_or(0) {
                    assert!(head.starts_with("post /v1/traces") && head.contains("application/x-protobuf"), "{head}");
                    kept.lock().unwrap().push(bytes.split_off(end + 4));
                    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
                    break;
                }
            }
        }
    });
    (url, received)
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            break;
        }
    }
    value
}

/// The fields of a protobuf message that have a length – texts, bytes, messages – with their numbers.
fn parts(mut bytes: &[u8]) -> Vec<(u64, &[u8])> {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let length = match key & 7 {
            0 => {
                varint(&mut bytes);
                continue;
            }
            1 => 8,
            5 => 4,
            _ => usize::try_from(varint(&mut bytes)).unwrap(),
        };
        let (part, rest) = bytes.split_at(length);
        parts.push((key >> 3, part));
        bytes = rest;
    }
    parts
}

fn inside(messages: Vec<&[u8]>, number: u64) -> Vec<&[u8]> {
    messages.into_iter().flat_map(parts).filter(|(field, _)| *field == number).map(|(_, part)| part).collect()
}

/// A span: its name and trace, and the span around it.
#[derive(Debug, Clone)]
struct Span {
    name: String,
    trace: Vec<u8>,
    parent: Vec<u8>,
}

/// All spans of these bodies by their id: resource spans (1) have scope spans (2), which have spans (2).
fn spans(bodies: &[Vec<u8>]) -> HashMap<Vec<u8>, Span> {
    let messages = bodies.iter().map(Vec::as_slice).collect();
    let spans = inside(inside(inside(messages, 1), 2), 2);
    let field =
        |span: &[u8], number: u64| inside(vec![span], number).first().map(|part| part.to_vec()).unwrap_or_default();
    let read = |span: &[u8]| {
        let name = String::from_utf8(field(span, 5)).unwrap();
        (field(span, 2), Span { name, trace: field(span, 1), parent: field(span, 4) })
    };
    spans.into_iter().map(read).collect()
}

/// The names from a span outwards to the request.
fn way(spans: &HashMap<Vec<u8>, Span>, name: &str) -> Vec<String> {
    let mut span = spans.values().find(|span| span.name == name).cloned();
    let mut way = Vec::new();
    while let Some(Span { name, parent, .. }) = span {
        way.push(name);
        span = spans.get(&parent).cloned();
    }
    way
}

#[test]
fn a_collector_receives_the_request_its_stages_and_its_model_calls() {
    let (url, received) = collector();
    // SAFETY: nothing else runs yet that could read the environment.
    unsafe { std::env::set_var("OTEL_EXPORTER_OTLP_ENDPOINT", url) };
    let logging = okno_server::log(LogFormat::Json);
    let mut server = Server::speaking(Arc::new(Rewriting));
    let body = json!({"question": "How hot should water for black tea be?", "transform": ["rewrite"]});
    assert_eq!(server.post("/api/v1/search", &body).0, 200);
    server.end().unwrap();
    drop(logging);
    let bodies = received.lock().unwrap();
    let spans = spans(&bodies);
    let request = "POST /api/v1/search";
    assert_eq!(way(&spans, "model"), ["model", "understand", "search", request], "{spans:?}");
    for stage in ["embed", "find", "expand"] {
        assert_eq!(way(&spans, stage), [stage, "search", request], "{spans:?}");
    }
    let trace = |name: &str| spans.values().find(|span| span.name == name).unwrap().trace.clone();
    assert_eq!((trace("model"), trace(request).len()), (trace(request), 16), "one trace");
    let whole = bodies.concat();
    for text in ["service.name", "test/rewriting", "http.route"] {
        assert!(whole.windows(text.len()).any(|part| part == text.as_bytes()), "{text}");
    }
}
