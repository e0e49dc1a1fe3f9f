//! A server over a small index, on a free port, ended when the test ends.

#![allow(dead_code)] // each test file uses a part

use okno::Engine;
use okno::generate::Generator;
use okno_server::{NamedIndex, NamedModel, RequestLimits, ServeError, ServeSettings, ServerParts, serve};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

pub const TEA: &str = "---\nkind: drink\n---\n# Tea\n\n\
    Green tea is brewed at 80 °C. Black tea needs boiling water. Leave it for four minutes.\n";

/// An image of one pixel.
pub const KETTLE: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 31, 21, 196,
    137, 0, 0, 0, 13, 73, 68, 65, 84, 120, 218, 99, 252, 207, 192, 240, 31, 0, 5, 5, 2, 0, 95, 200, 241, 210, 0, 0, 0,
    0, 73, 69, 78, 68, 174, 66, 96, 130,
];

pub struct Server {
    pub folder: tempfile::TempDir,
    pub engine: Arc<Engine>,
    pub address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

pub fn settings() -> ServeSettings {
    ServeSettings {
        host: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        key: None,
        keys: None,
        groups_header: None,
        rate: None,
        upload_quota: None,
        tls: None,
        audit: None,
        cors: Vec::new(),
        allowed: Vec::new(),
        limits: RequestLimits::default(),
    }
}

type Begun = (SocketAddr, oneshot::Sender<()>, JoinHandle<Result<(), ServeError>>);

fn begin(
    engine: &Arc<Engine>,
    generator: Option<Arc<dyn Generator>>,
    models: Vec<NamedModel>,
    settings: ServeSettings,
) -> Begun {
    let index = NamedIndex { vision: generator.is_some(), ..NamedIndex::plain("notes", Arc::clone(engine)) };
    let parts = ServerParts { indexes: vec![index], generator, models, pages: None };
    let (end, ended) = oneshot::channel();
    let (ready, address) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let wait = async {
            // A test that ends drops the sender.
            let _ = ended.await;
        };
        serve(parts, &settings, |address| ready.send(address).unwrap(), wait)
    });
    (address.recv_timeout(Duration::from_secs(30)).expect("the server starts"), end, thread)
}

impl Server {
    /// Over `notes/tea.md`, `notes/红烧.md` and `notes/kettle.md` with its image.
    pub fn start() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut ServeSettings)) -> Self {
        Self::of(None, Vec::new(), change)
    }

    /// With a language model.
    pub fn speaking(generator: Arc<dyn Generator>) -> Self {
        Self::of(Some(generator), Vec::new(), |_| {})
    }

    /// With others that can be picked.
    pub fn choosing(generator: Arc<dyn Generator>, models: Vec<NamedModel>) -> Self {
        Self::of(Some(generator), models, |_| {})
    }

    fn of(
        generator: Option<Arc<dyn Generator>>,
        models: Vec<NamedModel>,
        change: impl FnOnce(&mut ServeSettings),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let notes = folder.path().join("notes");
        std::fs::create_dir(&notes).unwrap();
        std::fs::write(notes.join("tea.md"), TEA).unwrap();
        std::fs::write(notes.join("红烧.md"), "# 红烧肉\n\n先把肉切块。再加酱油炖一小时。\n").unwrap();
        std::fs::write(notes.join("kettle.png"), KETTLE).unwrap();
        std::fs::write(notes.join("kettle.md"), "# Kettle\n\nThe vermilion kettle.\n\n![A kettle](kettle.png)\n")
            .unwrap();
        let engine = Engine::builder().generator(generator.clone());
        // As the program sets it.
        let engine = engine
            .row_route(Some(Arc::new(okno_sql::TableRoute::default())))
            .create(folder.path().join(".okno"))
            .unwrap();
        engine.index(&[&notes]).unwrap();
        let mut settings = settings();
        settings.allowed = vec![folder.path().join("more")];
        change(&mut settings);
        let engine = Arc::new(engine);
        let (address, end, thread) = begin(&engine, generator, models, settings);
        Self { folder, engine, address, end: Some(end), thread: Some(thread) }
    }

    /// Ends the server, and starts another over the same index.
    pub fn again(&mut self) {
        self.end().unwrap();
        let (address, end, thread) = begin(&self.engine, None, Vec::new(), settings());
        (self.address, self.end, self.thread) = (address, Some(end), Some(thread));
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Sends a request as it is written and gives status, headers and body.
    pub fn raw(&self, request: &[u8]) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // A server may answer, and close, before it has read everything.
        let _ = stream.write_all(request);
        let answer = read(&mut stream);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (status, head.to_lowercase(), unchunked(&head.to_lowercase(), body))
    }

    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String, String) {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if headers.iter().all(|(name, _)| !name.eq_ignore_ascii_case("host")) {
            request += &format!("Host: localhost:{}\r\n", self.address.port());
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            request += &format!("Content-Length: {}\r\n", body.len());
        }
        self.raw(&[format!("{request}\r\n").as_bytes(), body].concat())
    }

    pub fn get(&self, path: &str) -> (u16, Value) {
        let (status, _, body) = self.request("GET", path, &[], b"");
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }

    pub fn delete(&self, path: &str) -> (u16, Value) {
        let (status, _, body) = self.request("DELETE", path, &[], b"");
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }

    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, _, answer) =
            self.request("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes());
        (status, serde_json::from_str(&answer).unwrap_or(Value::String(answer)))
    }

    pub fn upload(&self, files: &[(&str, &str)]) -> (u16, Value) {
        let mut body = String::new();
        for (name, text) in files {
            body += &format!(
                "--frontier\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n\r\n{text}\r\n"
            );
        }
        body += "--frontier--\r\n";
        let kind = ("Content-Type", "multipart/form-data; boundary=frontier");
        let (status, _, answer) = self.request("POST", "/api/v1/documents", &[kind], body.as_bytes());
        (status, serde_json::from_str(&answer).unwrap_or(Value::String(answer)))
    }

    /// Waits until a job is over.
    pub fn finished(&self, id: &str) -> Value {
        let begun = Instant::now();
        loop {
            let (status, job) = self.get(&format!("/api/v1/jobs/{id}"));
            assert_eq!(status, 200, "{job}");
            if !matches!(job["state"].as_str(), Some("queued" | "running")) {
                return job;
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "{job}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the server and waits until it has.
    pub fn end(&mut self) -> Result<(), ServeError> {
        drop(self.end.take());
        self.thread.take().map_or(Ok(()), |thread| thread.join().expect("the server does not panic"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.end();
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}

/// Reads an answer: as long as it says, or until the server closes.
fn read(stream: &mut TcpStream) -> Vec<u8> {
    let (mut answer, mut buffer) = (Vec::new(), vec![0; 65536]);
    while let Ok(count) = stream.read(&mut buffer) {
        answer.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&answer);
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let head = head.to_lowercase();
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse().ok());
            length.is_some_and(|length: usize| body.len() >= length)
        });
        if count == 0 || whole {
            break;
        }
    }
    answer
}

/// The events of a stream: names and data.
pub fn events(body: &str) -> Vec<(String, Value)> {
    let event = |text: &str| {
        let field = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).unwrap_or_default().to_owned()
        };
        let data = field("data:");
        (field("event:"), serde_json::from_str(&data).unwrap_or(Value::String(data)))
    };
    body.split("\n\n").filter(|text| text.contains("data:")).map(event).collect()
}

fn unchunked(head: &str, body: &str) -> String {
    if !head.contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let (mut out, mut rest) = (String::new(), body);
    while let Some((size, behind)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || size > behind.len() {
            break;
        }
        out += &behind[..size];
        rest = behind[size..].trim_start_matches("\r\n");
    }
    out
}
