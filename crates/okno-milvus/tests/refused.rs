//! Servers that cannot be used: one that refuses the key, one that is too old. Both are said, with what to do next.
//!
//! No such server can be had in CI, so one stands in for them that speaks just enough of HTTP/2 to answer every call
//! the same way: with a gRPC status, or with the version it is. The words of a real 2.3.5, started by hand, were the
//! same.

use okno::Error;
use okno::error::RemoteError;
use okno_milvus::Address;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// What it answers.
#[derive(Clone, Copy)]
enum Answer {
    /// This gRPC status, to every call.
    Status(&'static str),
    /// This version to whoever asks for it, and nothing wrong to anybody else.
    Version(&'static str),
}

const SETTINGS: u8 = 4;
const HEADERS: u8 = 1;
const DATA: u8 = 0;
const ACKNOWLEDGED: u8 = 1;
const END_OF_STREAM: u8 = 1;
const END_OF_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, body: &[u8]) -> Vec<u8> {
    let mut frame = (body.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(body);
    frame
}

/// A header field by its name and value, in plain letters.
fn field(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    [vec![0], text(name), text(value)].concat()
}

/// Field `tag` of a message: bytes.
fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag << 3 | 2, body.len() as u8], body].concat()
}

fn answer(answer: Answer, stream: u32) -> Vec<u8> {
    // `:status: 200` is number 8 of the fields that everybody knows.
    let begins = [vec![0x88], field("content-type", "application/grpc")].concat();
    match answer {
        Answer::Status(status) => {
            let whole = [begins, field("grpc-status", status), field("grpc-message", "auth check failure")].concat();
            frame(HEADERS, END_OF_STREAM | END_OF_HEADERS, stream, &whole)
        }
        Answer::Version(version) => {
            // That all is well; and, to the second call, which asks for it, the version. The first only greets.
            let well = message(1, &[]);
            let body = if stream == 1 { well } else { [well, message(2, version.as_bytes())].concat() };
            let body = [&[0][..], &(body.len() as u32).to_be_bytes(), &body].concat();
            [
                frame(HEADERS, END_OF_HEADERS, stream, &begins),
                frame(DATA, 0, stream, &body),
                frame(HEADERS, END_OF_STREAM | END_OF_HEADERS, stream, &field("grpc-status", "0")),
            ]
            .concat()
        }
    }
}

/// Answers until the other side has gone.
fn talk(mut stream: TcpStream, says: Answer) -> std::io::Result<()> {
    // The greeting of HTTP/2 has 24 bytes.
    stream.read_exact(&mut [0; 24])?;
    stream.write_all(&frame(SETTINGS, 0, 0, &[]))?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut body = vec![0; length as usize];
        stream.read_exact(&mut body)?;
        let number = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        match (head[3], head[4]) {
            (SETTINGS, flags) if flags & ACKNOWLEDGED == 0 => {
                stream.write_all(&frame(SETTINGS, ACKNOWLEDGED, 0, &[]))?;
            }
            (HEADERS | DATA, flags) if flags & END_OF_STREAM != 0 => stream.write_all(&answer(says, number))?,
            _ => {}
        }
    }
}

/// A server that says this.
fn server(says: Answer) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // It ends when the client goes away.
            std::thread::spawn(move || talk(stream, says));
        }
    });
    format!("milvus://127.0.0.1:{port}/books").parse().unwrap()
}

fn reason(address: &Address) -> RemoteError {
    match okno_milvus::open(address) {
        Err(Error::Remote { reason, .. }) => reason,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("there is no index"),
    }
}

#[test]
fn a_key_that_is_refused_is_said() {
    // 16: who are you? 7: not you.
    for status in ["16", "7"] {
        let mut address = server(Answer::Status(status));
        address.token = Some("user:wrong".to_owned());
        let reason = reason(&address);
        assert!(matches!(reason, RemoteError::KeyRefused { .. }), "{reason}");
        assert!(!reason.to_string().contains("user:wrong"), "a key is never shown: {reason}");
    }
}

#[test]
fn a_server_that_is_too_old_is_said() {
    let reason = reason(&server(Answer::Version("v2.3.5")));
    assert_eq!(reason, RemoteError::TooOld { found: "Milvus v2.3.5".into(), needed: "2.4".into() });
}

#[test]
fn a_server_that_lacks_a_call_is_said() {
    let reason = reason(&server(Answer::Status("12")));
    assert!(matches!(&reason, RemoteError::TooOld { needed, .. } if needed == "2.4"), "{reason}");
}
