//! Many clients at once that send nothing, half of their headers, or take nothing of their answers: others are served
//! all the same, each connection costs little, and the server ends in time.
//!
//! 300 by default. With 10,000, where a process may open enough files (`ulimit -n 20000`), and with the figures:
//!
//! ```text
//! OKNO_TRUST_CONNECTIONS=10000 cargo test --release -p okno-cli --test trust many_connections -- --nocapture
//! ```
#![cfg(target_os = "linux")]

use super::support::{signal, size};
use super::{Server, World};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// What a connection may cost in the memory of the server, on average.
const MOST_PER_CONNECTION: usize = 64 << 10;

/// What the server keeps for all of them together, and what searches beside them take.
const MOST_BESIDE: usize = 48 << 20;

/// A field of `/proc/PID/status`, in bytes.
pub fn memory(process: u32, field: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')).unwrap();
    line.split_whitespace().next().unwrap().parse::<usize>().unwrap() * 1024
}

/// How many files and connections a process has open.
fn open_files(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).unwrap().count()
}

/// Opens this many connections. One in fifty asks for more than fits into the buffers of the system and takes nothing;
/// of the others, which are closed by and by, one half sends nothing and one half a part of a header.
fn open(address: &str, count: usize) -> Vec<TcpStream> {
    let large = "GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    let sent = |number: usize| match number {
        _ if number < count / 50 => large.as_str(),
        _ if number.is_multiple_of(2) => "",
        _ => "GET /healthz HTTP/1.1\r\nHost: local",
    };
    let connection = |number: usize| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(sent(number).as_bytes()).unwrap();
        stream
    };
    (0..count).map(connection).collect()
}

/// Asks as others do; the longest that an answer took.
fn asked(server: &Server, questions: usize) -> Duration {
    let ask = |number: usize| {
        let begun = Instant::now();
        let question = format!("How hot is the water for tea number {number}?");
        let (status, answer) = server.post("/api/v1/search", &json!({ "question": question }));
        assert_eq!(status, 200, "{answer}");
        begun.elapsed()
    };
    (0..questions).map(ask).max().unwrap()
}

/// The status of a request over a connection of its own; `None` where it is closed without an answer.
fn status(address: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

#[test]
fn many_connections_leave_room_for_others_and_for_the_end() {
    let count = size("OKNO_TRUST_CONNECTIONS", 300);
    let world = World::with_tea();
    world.write("okno.toml", format!("[serve]\nmax_connections = {}\n", count + 5));
    let mut server = Server::start(&world, &[]);
    asked(&server, 50);
    let (before, files) = (memory(server.child.id(), "VmRSS"), open_files(server.child.id()));
    println!("before: {:.1} MiB", before as f64 / f64::from(1 << 20));
    let mut rounds = Vec::new();
    let mut held = Vec::new();
    for round in 0..6 {
        drop(std::mem::take(&mut held));
        super::wait_until("the server has closed them", || open_files(server.child.id()) <= files + 3);
        let begun = Instant::now();
        held = open(&server.address, count);
        let opened = begun.elapsed();
        let longest = asked(&server, 50);
        let resident = memory(server.child.id(), "VmRSS");
        println!(
            "round {round}: {count} connections in {:.2} s, {:.1} MiB, {} bytes each; others: {:.0} ms at most",
            opened.as_secs_f64(),
            resident as f64 / f64::from(1 << 20),
            resident.saturating_sub(before) / count,
            longest.as_secs_f64() * 1e3
        );
        assert!(longest < Duration::from_secs(10), "others waited {longest:?}");
        assert!(resident < before + count * MOST_PER_CONNECTION + MOST_BESIDE, "{resident} bytes for {count}");
        rounds.push(resident);
    }
    // The first rounds find out how much is needed at once.
    assert!(rounds[5] < rounds[2] + rounds[2] / 5 + (8 << 20), "it grows with every round: {rounds:?}");
    // Full: five are left, and asking took none of them for long.
    let more: Vec<TcpStream> = (0..5).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    std::thread::sleep(Duration::from_millis(200));
    let refused: Vec<Option<u16>> = (0..20).map(|_| status(&server.address)).collect();
    assert!(refused.iter().all(|status| *status == Some(503)), "{refused:?}");
    drop(more);
    super::wait_until("there is room again", || status(&server.address) == Some(200));
    signal(&server.child, "TERM");
    let begun = Instant::now();
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let ended = begun.elapsed();
    println!("over the limit: 503; ended within {:.1} s with {} connections open", ended.as_secs_f64(), held.len());
    assert!(ended < Duration::from_secs(20), "{ended:?}");
}
