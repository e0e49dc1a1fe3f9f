//! Questions, uploads, additions and removals at once, for a while: no error, and memory that does not grow.
//!
//! Some seconds by default. For ten minutes, and with the figures:
//!
//! ```text
//! OKNO_TRUST_SECONDS=600 cargo test --release -p okno-cli --test trust load -- --nocapture
//! ```
#![cfg(target_os = "linux")]

use super::many_connections::memory;
use super::server::Client;
use super::support::{Many, size, word};
use super::{Server, World, contexts, text};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Documents that stay: each is found by its word throughout.
const STAYING: usize = 200;

/// Names that come and go.
const CHANGING: usize = 60;

/// Something that is done again and again: its name, by how many threads, and how.
type LoadWork = (&'static str, usize, fn(&Load, usize));

const WORK: [LoadWork; 5] = [
    ("searches", 3, search),
    ("reads", 1, read),
    ("uploads", 1, upload),
    ("additions", 1, add),
    ("removals", 1, remove),
];

struct Load {
    client: Client,
    until: Instant,
    done: [AtomicUsize; WORK.len()],
    /// Writes that came while another one was being written, and came again.
    again: AtomicUsize,
}

impl Load {
    fn keep_on(&self, work: usize) {
        let mut number = 0;
        while Instant::now() < self.until {
            number += 1;
            WORK[work].2(self, number);
            self.done[work].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sends until no other writer is in the way: the one answer that is not an error.
    fn write(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> (u16, Value) {
        loop {
            let (status, told) = self.client.send(method, path, kind, body);
            let told: Value = serde_json::from_str(&told).unwrap_or_default();
            if status != 409 || told["error"]["code"] != "index_busy" {
                return (status, told);
            }
            self.again.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Every question is new to the server; one in three is about a document that must be found.
fn search(load: &Load, number: usize) {
    let known = word(number * 7 % STAYING);
    let (question, recipe) = match number % 3 {
        0 => (format!("What about {known} number {number}?"), "window"),
        1 => (format!("第{number}个秘密的词是什么？"), "auto"),
        _ => (format!("Who asked for the secret word {number} times, and who knows {known}?"), "chunks"),
    };
    let body = json!({"question": question, "recipe": recipe, "budget": 100 + number % 400});
    let (status, answer) = load.client.post("/api/v1/search", &body);
    assert_eq!(status, 200, "{answer}");
    if number.is_multiple_of(3) {
        let found = contexts(&answer).iter().any(|context| text(context, "text").contains(&known));
        assert!(found, "`{known}` is not found: {answer}");
    }
}

fn read(load: &Load, number: usize) {
    let routes = ["/api/v1/status", "/api/v1/documents?limit=20", "/api/v1/fields", "/readyz", "/metrics"];
    let path = routes[number % routes.len()];
    let (status, told) = load.client.get(path);
    assert_eq!(status, 200, "{path}: {told}");
    std::thread::sleep(Duration::from_millis(20));
}

fn upload(load: &Load, number: usize) {
    let body = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"files\"; filename=\"upload{}.md\"\r\n\r\n{}\r\n--edge--\r\n",
        number % CHANGING,
        Many::text(&word(1_000_000 + number))
    );
    let (status, told) = load.write("POST", "/api/v1/documents", "multipart/form-data; boundary=edge", body.as_bytes());
    assert_eq!(status, 202, "{told}");
    let job = load.client.ended(&text(&told["job"], "id"));
    assert_eq!(text(&job, "state"), "done", "{job}");
}

fn name(number: usize) -> String {
    format!("/api/v1/documents/added{}", number % CHANGING)
}

fn add(load: &Load, number: usize) {
    let body = json!({"text": Many::text(&word(2_000_000 + number))}).to_string();
    let (status, told) = load.write("PUT", &name(number), "application/json", body.as_bytes());
    assert_eq!(status, 200, "{told}");
    std::thread::sleep(Duration::from_millis(30));
}

fn remove(load: &Load, number: usize) {
    let (status, told) = load.write("DELETE", &name(number * 7), "application/json", b"");
    assert!([200, 204, 404].contains(&status), "{status} {told}");
    std::thread::sleep(Duration::from_millis(30));
}

/// The most of each quarter.
fn quarters(samples: &[usize]) -> Vec<usize> {
    samples.chunks(samples.len().div_ceil(4)).map(|part| part.iter().copied().max().unwrap_or(0)).collect()
}

#[test]
fn a_load_of_everything_at_once_has_no_error_and_flat_memory() {
    let seconds = size("OKNO_TRUST_SECONDS", 6);
    let world = World::new();
    for number in 0..STAYING {
        world.write(&format!("notes/n{number}.md"), Many::text(&word(number)));
    }
    world.index(["notes"]);
    let server = Server::start(&world, &[]);
    let load = Load {
        client: (*server).clone(),
        until: Instant::now() + Duration::from_secs(seconds as u64),
        done: Default::default(),
        again: AtomicUsize::new(0),
    };
    let (mut samples, load) = (Vec::new(), &load);
    std::thread::scope(|scope| {
        for (work, (_, threads, _)) in WORK.iter().enumerate() {
            for _ in 0..*threads {
                scope.spawn(move || load.keep_on(work));
            }
        }
        while Instant::now() < load.until {
            samples.push((memory(server.child.id(), "RssAnon"), memory(server.child.id(), "VmRSS")));
            std::thread::sleep(Duration::from_millis(200));
        }
    });
    for (count, (what, ..)) in load.done.iter().zip(WORK) {
        println!("{:>8} {what}", count.load(Ordering::Relaxed));
        assert!(count.load(Ordering::Relaxed) > 0, "no {what}");
    }
    println!("{:>8} times a writer waited for another", load.again.load(Ordering::Relaxed));
    let (own, resident): (Vec<usize>, Vec<usize>) = samples.into_iter().unzip();
    let (own, resident) = (quarters(&own), quarters(&resident));
    let mib = |bytes: &[usize]| bytes.iter().map(|&bytes| bytes >> 20).collect::<Vec<_>>();
    println!("most memory in each quarter of {seconds} s, MiB: own {:?}, with files {:?}", mib(&own), mib(&resident));
    let log = std::fs::read_to_string(world.path("serve.log")).unwrap();
    assert!(!log.contains("ERROR") && !log.contains("panicked"), "{log}");
    // Answers that are kept take up to 32 MiB, which a short run does not reach.
    assert!(own[3] < own[1] + own[1] / 10 + (32 << 20), "it grows: {own:?}");
    drop(server);
    world.okno(["check"]).succeeds();
}
