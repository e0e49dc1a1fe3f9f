//! A server over the index of a world, and requests to it.

use super::World;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::Deref;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A running server, ended with the test.
pub struct Server {
    pub child: Child,
    client: Client,
}

/// Sends requests to a server.
#[derive(Clone)]
pub struct Client {
    pub address: String,
}

impl Deref for Server {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Server {
    /// Serves the index of a world, with further flags.
    pub fn start(world: &World, flags: &[&str]) -> Self {
        let log = std::fs::File::create(world.path("serve.log")).unwrap();
        let mut command = world.command();
        let command = command.args(["serve", "--json", "--port", "0"]).args(flags);
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
            panic!("`{line}`: {}", std::fs::read_to_string(world.path("serve.log")).unwrap_or_default())
        });
        let address = told["url"].as_str().unwrap().trim_start_matches("http://").to_owned();
        Self { child, client: Client { address } }
    }
}

impl Client {
    /// Sends a request; the status and the body.
    pub fn send(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> (u16, String) {
        self.request(method, path, &[("Content-Type", kind)], body)
    }

    /// Sends a request with these headers; the status and the body.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("`{answer}`"));
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// The status and the body of a `GET`.
    pub fn get(&self, path: &str) -> (u16, String) {
        self.send("GET", path, "text/plain", b"")
    }

    /// The status and the JSON of a `POST`.
    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, body) = self.send("POST", path, "application/json", body.to_string().as_bytes());
        (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("`{body}`")))
    }

    /// Uploads a file, waits until its job has ended, and gives the job.
    pub fn upload(&self, name: &str, content: &[u8]) -> Value {
        let mut body = format!(
            "--edge\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n--edge--\r\n");
        let (status, told) = self.send("POST", "/api/v1/documents", "multipart/form-data; boundary=edge", &body);
        assert_eq!(status, 202, "{told}");
        let told: Value = serde_json::from_str(&told).unwrap();
        self.ended(told["job"]["id"].as_str().unwrap())
    }

    /// Waits until a job has ended.
    pub fn ended(&self, job: &str) -> Value {
        let begun = Instant::now();
        loop {
            let (_, told) = self.get(&format!("/api/v1/jobs/{job}"));
            let view: Value = serde_json::from_str(&told).unwrap();
            if !view["ended"].is_null() {
                return view;
            }
            assert!(begun.elapsed() < Duration::from_mins(2), "{view}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
