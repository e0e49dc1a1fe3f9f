//! Answers in words over HTTP: streamed and whole, with a model and without, as our API and as `OpenAI` does.

mod support;

use okno::answer::ReplyOptions;
use okno::generate::{Completion, GenerateError, Generator, Request, Usage};
use okno_server::NamedModel;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{Server, events};

/// A model that says what it was told to say, word by word; `stopped` says that its listener left, `asked` what it was
/// sent.
#[derive(Default)]
struct Scripted {
    asked: Mutex<Vec<Request>>,
    says: Option<Result<&'static str, GenerateError>>,
    pause: Duration,
    stopped: Arc<AtomicBool>,
}

impl Scripted {
    fn saying(text: &'static str) -> Arc<Self> {
        Arc::new(Self { says: Some(Ok(text)), ..Self::default() })
    }
}

impl Generator for Scripted {
    fn identity(&self) -> &'static str {
        "test/scripted"
    }

    fn generate(
        &self,
        request: &Request,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        assert!(request.messages.iter().any(|message| message.text.contains("Black tea needs boiling water.")));
        self.asked.lock().unwrap().push(request.clone());
        let text = self.says.clone().unwrap()?;
        for word in text.split_inclusive(' ') {
            std::thread::sleep(self.pause);
            if on_text(word).is_break() {
                self.stopped.store(true, Ordering::Relaxed);
                return Err(GenerateError::Stopped);
            }
        }
        Ok(Completion { text: text.to_owned(), usage: Usage { prompt: 70, completion: 5 }, cut: false, cached: false })
    }
}

const QUESTION: &str = "How hot should water for black tea be?";
const ANSWER: &str = "Black tea needs boiling water [1].";

fn post(server: &Server, path: &str, body: &Value) -> (u16, String) {
    let (status, _, answer) =
        server.request("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes());
    (status, answer)
}

#[test]
fn an_answer_comes_as_it_is_written() {
    let server = Server::speaking(Scripted::saying(ANSWER));
    let (status, body) = post(&server, "/api/v1/ask", &json!({"question": QUESTION}));
    let events = events(&body);
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        status == 200 && names.len() > 3 && names[0] == "contexts" && names[names.len() - 1] == "done",
        "{names:?}"
    );
    assert_eq!(events[0].1["contexts"][0]["doc_id"], "tea.md");
    let text: String =
        events.iter().filter(|(name, _)| name == "text").filter_map(|(_, data)| data["text"].as_str()).collect();
    let (_, done) = &events[events.len() - 1];
    assert_eq!((text.as_str(), &done["answer"], &done["model"]), (ANSWER, &json!(ANSWER), &json!("test/scripted")));
    let citation = &done["citations"][0];
    let (start, end) = (&citation["start"], &citation["end"]);
    let (_, part) = server.get(&format!("/api/v1/documents/tea.md/text?start={start}&end={end}"));
    assert_eq!((&part["text"], &part["text"]), (&citation["text"], &json!("Black tea needs boiling water.")));
    let (_, whole) = server.post("/api/v1/ask", &json!({"question": QUESTION, "stream": false}));
    assert_eq!(&whole, done);
}

#[test]
fn without_a_model_the_documents_answer() {
    let server = Server::start();
    let (status, reply) = server.post("/api/v1/ask", &json!({"question": QUESTION, "stream": false}));
    assert_eq!((status, &reply["model"], &reply["found"]), (200, &Value::Null, &json!(true)));
    assert!(reply["answer"].as_str().unwrap().contains("Black tea needs boiling water."), "{reply}");
    let (status, refused) = server.post("/api/v1/ask", &json!({"question": QUESTION, "nonsense": 1}));
    assert_eq!((status, &refused["error"]["code"]), (400, &json!("bad_json")));
}

#[test]
fn a_model_that_fails_is_told_as_such() {
    let away = GenerateError::Away { model: "test/scripted".into(), reason: "refused".into() };
    let failing = || Arc::new(Scripted { says: Some(Err(away.clone())), ..Scripted::default() });
    let server = Server::speaking(failing());
    let (status, failed) = server.post("/api/v1/ask", &json!({"question": QUESTION, "stream": false}));
    assert_eq!((status, &failed["error"]["code"]), (502, &json!("model_failed")), "{failed}");
    let (_, body) = post(&server, "/api/v1/ask", &json!({"question": QUESTION}));
    let (name, data) = events(&body).pop().unwrap();
    assert_eq!((name.as_str(), &data["error"]["code"]), ("error", &json!("model_failed")));
}

#[test]
fn whoever_leaves_stops_the_model() {
    let stopped = Arc::new(AtomicBool::new(false));
    let text = Box::leak("word ".repeat(2000).into_boxed_str());
    let stopped_too = Arc::clone(&stopped);
    let model =
        Scripted { says: Some(Ok(text)), pause: Duration::from_millis(5), stopped: stopped_too, ..Scripted::default() };
    let server = Server::speaking(Arc::new(model));
    {
        use std::io::{Read, Write};
        let body = json!({"question": QUESTION}).to_string();
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        let head = format!(
            "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        assert!(stream.read(&mut [0; 512]).unwrap() > 0);
    }
    let begun = Instant::now();
    while !stopped.load(Ordering::Relaxed) {
        assert!(begun.elapsed() < Duration::from_secs(8), "the model goes on for nobody");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_follow_up_is_asked_as_a_whole_question() {
    let server = Server::start();
    let before = json!([
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
    ]);
    let whole = "how long should water for black tea steep?";
    let body = json!({"question": "and how long should it steep?", "messages": before, "stream": false});
    let (status, reply) = server.post("/api/v1/ask", &body);
    assert_eq!((status, &reply["asked_as"]["question"], &reply["question"]), (200, &json!(whole), &json!(whole)));
    assert_eq!(reply["asked_as"]["by"], "rule");
    let (_, body) = post(&server, "/api/v1/ask", &json!({"question": "and how long?", "messages": before}));
    assert_eq!(events(&body)[0].0, "asked_as");
    let (_, alone) = server.post("/api/v1/ask", &json!({"question": "and how long?", "stream": false}));
    assert!(alone.get("asked_as").is_none() && alone["question"] == "and how long?", "{alone}");
}

#[test]
fn chat_clients_get_what_they_know() {
    let server = Server::speaking(Scripted::saying(ANSWER));
    let models = server.get("/v1/models").1;
    assert_eq!((&models["data"][0]["id"], &models["data"][1]["id"]), (&json!("okno"), &json!("okno/notes")));
    let question = json!([{"type": "text", "text": QUESTION}]);
    let turns = json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]);
    let (status, whole) = server
        .post("/v1/chat/completions", &json!({"model": "okno/notes", "messages": turns, "top_p": 1, "user": "x"}));
    assert_eq!(
        (status, &whole["object"], &whole["model"]),
        (200, &json!("chat.completion"), &json!("okno/notes")),
        "{whole}"
    );
    let content = whole["choices"][0]["message"]["content"].as_str().unwrap();
    assert_eq!(content, format!("{ANSWER}\n\n[1] `tea.md`, line 6"));
    assert_eq!((&whole["usage"]["total_tokens"], &whole["citations"][0]["doc_id"]), (&json!(75), &json!("tea.md")));
    let (_, body) = post(&server, "/v1/chat/completions", &json!({"model": "okno", "messages": turns, "stream": true}));
    let chunks = events(&body);
    assert_eq!(chunks.last().unwrap().1, json!("[DONE]"));
    let streamed: String =
        chunks.iter().filter_map(|(_, chunk)| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(streamed, content);
    assert_eq!(chunks[chunks.len() - 2].1["choices"][0]["finish_reason"], "stop");
    for (body, code) in [
        (json!({"model": "okno", "messages": []}), "no_question"),
        (json!({"model": "okno/none", "messages": turns}), "no_index"),
        (json!({"model": "okno"}), "bad_json"),
    ] {
        let (status, refused) = server.post("/v1/chat/completions", &body);
        assert!((400..500).contains(&status) && refused["error"]["code"] == code, "{refused}");
    }
}

/// A server with a usual model, and one called `large`, which answers at its own temperature.
fn two_models() -> (Server, Arc<Scripted>) {
    let large = Scripted::saying("The large one says: boiling [1].");
    let mut replies = ReplyOptions::default();
    replies.temperature = Some(0.7);
    let named = NamedModel { name: "large".into(), generator: large.clone(), replies, vision: false };
    (Server::choosing(Scripted::saying(ANSWER), vec![named]), large)
}

#[test]
fn a_model_is_picked_by_its_name() {
    let (server, large) = two_models();
    let models = server.get("/api/v1/models").1;
    let names: Vec<_> = models["generators"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["default", "large"], "{models}");
    let ask = |body: Value| server.post("/api/v1/ask", &body);
    for usual in [json!(null), json!("default")] {
        let (_, reply) = ask(json!({"question": QUESTION, "model": usual, "stream": false}));
        assert_eq!(reply["answer"], ANSWER);
    }
    assert!(large.asked.lock().unwrap().is_empty());
    let (_, reply) = ask(json!({"question": QUESTION, "model": "large", "stream": false}));
    assert_eq!(reply["answer"], "The large one says: boiling [1].");
    let (_, streamed) = post(&server, "/api/v1/ask", &json!({"question": QUESTION, "model": "large"}));
    assert_eq!(events(&streamed).pop().unwrap().1["answer"], reply["answer"]);
    let temperatures: Vec<_> = large.asked.lock().unwrap().iter().map(|request| request.temperature).collect();
    assert_eq!(temperatures, [Some(0.7), Some(0.7)]);
    let (status, refused) = ask(json!({"question": QUESTION, "model": "lage"}));
    assert_eq!((status, &refused["error"]["code"]), (404, &json!("no_model")));
    let hint = refused["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("default") && hint.contains("large"), "{hint}");
}

#[test]
fn chat_clients_pick_a_model_behind_the_index() {
    let (server, large) = two_models();
    let models = server.get("/v1/models").1;
    let ids: Vec<_> = models["data"].as_array().unwrap().iter().map(|model| &model["id"]).collect();
    assert_eq!(ids, ["okno", "okno/notes", "okno:large", "okno/notes:large"]);
    let turns = json!([{"role": "user", "content": QUESTION}]);
    let say = |model: &str| server.post("/v1/chat/completions", &json!({"model": model, "messages": turns}));
    for model in ["okno", "okno/notes", "gpt-4o", "large", "okno-rag:latest"] {
        let (status, answer) = say(model);
        assert!(status == 200 && answer["choices"][0]["message"]["content"].as_str().unwrap().starts_with(ANSWER));
    }
    assert!(large.asked.lock().unwrap().is_empty());
    for model in ["okno:large", "okno/notes:large"] {
        let (_, answer) = say(model);
        assert_eq!(answer["model"], model);
        assert!(answer["choices"][0]["message"]["content"].as_str().unwrap().starts_with("The large one"), "{answer}");
    }
    for (model, code) in [("okno:lage", "no_model"), ("okno/notes:lage", "no_model"), ("okno/none:large", "no_index")] {
        assert_eq!(say(model).1["error"]["code"], code, "{model}");
    }
}
