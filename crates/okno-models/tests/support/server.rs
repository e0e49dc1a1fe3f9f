//! A service that says what it was told to say, one reply after the other, and remembers what it was asked.
// Each test file uses its own part of this.
#![allow(dead_code)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What one request gets.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A status, headers (`Name: value\r\n`), a body.
    Whole(u16, &'static str, String),
    /// A stream of these events, and whether it is ended properly.
    Stream(Vec<String>, bool),
    /// Nothing at all for this long.
    Silence(Duration),
    /// The same, and then something.
    Late(Duration, Box<Reply>),
}

/// One request as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    pub head: String,
    pub body: Value,
}

/// The service.
pub struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Most requests that were open at once.
    pub most: Arc<AtomicUsize>,
}

impl Server {
    /// Says these replies in turn, the last one for ever.
    pub fn saying(replies: Vec<Reply>) -> Self {
        Self::answering(move |count, _| replies[count.min(replies.len() - 1)].clone())
    }

    /// Answers each request (its number, its body) as a function says.
    pub fn answering(reply: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, most) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (heard, peak, open) = (Arc::clone(&asked), Arc::clone(&most), Arc::new(AtomicUsize::new(0)));
        let reply = Arc::new(reply);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (heard, peak, open, reply) = (heard.clone(), peak.clone(), open.clone(), reply.clone());
                std::thread::spawn(move || {
                    peak.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let answering = heard_out(&stream, &heard, &*reply);
                    // Before the first byte of an answer: whoever has read the last one may ask again at once.
                    open.fetch_sub(1, Ordering::SeqCst);
                    // A client that has gone away is part of some tests.
                    answering.map(|reply| answer(stream, reply));
                });
            }
        });
        Self { port, asked, most }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads a request and waits as long as its answer is to be late.
fn heard_out(
    stream: &TcpStream,
    heard: &Mutex<Vec<Asked>>,
    reply: &(dyn Fn(usize, &Value) -> Reply + Send + Sync),
) -> Option<Reply> {
    let asked = read(stream)?;
    let body = asked.body.clone();
    let count = {
        let mut heard = heard.lock().unwrap();
        heard.push(asked);
        heard.len() - 1
    };
    Some(match reply(count, &body) {
        Reply::Late(time, reply) => {
            std::thread::sleep(time);
            *reply
        }
        reply => reply,
    })
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { head, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}

fn answer(mut stream: TcpStream, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Whole(status, headers, body) => write!(
            stream,
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\
         {headers}\r\n{body}",
            body.len()
        ),
        Reply::Stream(events, ended) => {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            for event in events {
                let data = format!("data: {event}\n\n");
                write!(stream, "{:x}\r\n{data}\r\n", data.len())?;
                stream.flush()?;
            }
            if ended { write!(stream, "0\r\n\r\n") } else { stream.shutdown(std::net::Shutdown::Both) }
        }
        Reply::Silence(time) => {
            std::thread::sleep(time);
            Ok(())
        }
        Reply::Late(_, reply) => answer(stream, *reply),
    }
}

/// A streamed answer in these pieces, with its cost.
pub fn said(pieces: &[&str]) -> Reply {
    let piece = |text: &&str| json!({"choices": [{"index": 0, "delta": {"content": text}}]}).to_string();
    let mut events: Vec<String> = pieces.iter().map(piece).collect();
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}).to_string());
    events.push(json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}).to_string());
    events.push("[DONE]".to_owned());
    Reply::Stream(events, true)
}

/// An error as `OpenAI` writes it.
pub fn error(status: u16, headers: &'static str, message: &str) -> Reply {
    Reply::Whole(status, headers, json!({"error": {"message": message}}).to_string())
}
