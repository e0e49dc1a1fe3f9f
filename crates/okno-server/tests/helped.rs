//! The language model's help over HTTP and MCP: steps that are asked for are taken and told, and images reach a model
//! that looks.

mod support;

use okno::generate::{Completion, GenerateError, Generator, Request, Usage};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{KETTLE, Server};

/// A model that fills in whatever shape it is asked for, and remembers what it was shown.
#[derive(Default)]
struct Helping {
    asked: Mutex<Vec<Request>>,
    pause: Duration,
}

impl Helping {
    fn said(request: &Request) -> String {
        let shape = request.schema.as_ref().map(|schema| schema["properties"].to_string()).unwrap_or_default();
        let answers = [
            ("\"questions\"", json!({"questions": ["How warm is the water for black tea?"]})),
            ("\"question\"", json!({"question": "water temperature of black tea"})),
            ("\"passage\"", json!({"passage": "Black tea needs boiling water."})),
            ("\"route\"", json!({"route": "lexical", "reason": "a word"})),
            ("\"conditions\"", json!({"conditions": []})),
            ("\"sql\"", json!({"sql": "SELECT kind, count(*) AS cups FROM cups GROUP BY kind"})),
        ];
        let fitting = answers.iter().find(|(field, _)| shape.contains(field));
        fitting.map_or_else(|| "Boiling water [1].".to_owned(), |(_, answer)| answer.to_string())
    }
}

impl Generator for Helping {
    fn identity(&self) -> &'static str {
        "test/helping"
    }

    fn generate(
        &self,
        request: &Request,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        std::thread::sleep(self.pause);
        self.asked.lock().unwrap().push(request.clone());
        let text = Self::said(request);
        let _ = on_text(&text);
        Ok(Completion { text, usage: Usage { prompt: 7, completion: 5 }, cut: false, cached: false })
    }
}

const QUESTION: &str = "How hot should water for black tea be?";

fn names(answer: &Value) -> Vec<&str> {
    answer["steps"].as_array().into_iter().flatten().filter_map(|taken| taken["step"].as_str()).collect()
}

#[test]
fn steps_are_taken_where_they_are_asked_for_and_told() {
    let model = Arc::new(Helping::default());
    let server = Server::speaking(model.clone());
    let (status, plain) = server.post("/api/v1/search", &json!({"question": QUESTION}));
    assert_eq!((status, plain.get("steps")), (200, None), "nobody asked for help: {plain}");
    assert!(model.asked.lock().unwrap().is_empty());
    let body = json!({"question": QUESTION, "transform": ["rewrite", "multi-query"], "route": "model"});
    let (status, helped) = server.post("/api/v1/search", &body);
    assert_eq!((status, names(&helped)), (200, vec!["route", "rewrite", "multi-query"]), "{helped}");
    assert_eq!(helped["steps"][1]["gave"], json!(["water temperature of black tea"]));
    assert_eq!((&helped["route"]["route"], &helped["route"]["because"]), (&json!("lexical"), &json!("model")));
    assert_eq!(helped["contexts"][0]["doc_id"], "tea.md");
    let asked = model.asked.lock().unwrap().len();
    assert_eq!(server.post("/api/v1/search", &body).1, helped, "kept from before");
    assert_eq!(model.asked.lock().unwrap().len(), asked);
}

#[test]
fn whoever_asks_lets_the_model_write_a_query_over_rows() {
    let model = Arc::new(Helping::default());
    let server = Server::speaking(model.clone());
    std::fs::write(server.path("notes/cups.csv"), "kind,size\nmug,3\nmug,4\nglass,2\n").unwrap();
    server.engine.index(&[server.path("notes")]).unwrap();
    let body = json!({"question": "How many cups are there of each kind?", "stream": false});
    let (status, reply) = server.post("/api/v1/ask", &body);
    assert_eq!(status, 200, "{reply}");
    let answer = reply["answer"].as_str().unwrap();
    assert!(answer.contains("kind: mug; cups: 2") && answer.contains("SQL that the model wrote"), "{answer}");
    assert_eq!((names(&reply), &reply["rows"]["by"]), (vec!["sql"], &json!("model")), "{reply}");
    // The route, the writer and the statement are in what is streamed too.
    let body = json!({"question": "How many cups are there of each kind?"});
    let (_, _, events) =
        server.request("POST", "/api/v1/ask", &[("Content-Type", "application/json")], body.to_string().as_bytes());
    assert!(events.contains(r#""by":"model""#) && events.contains(r#""route":"sql""#), "{events}");
    let params = json!({"name": "ask", "arguments": body});
    let called = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let (_, _, told) = server.request("POST", "/mcp", &headers, called.to_string().as_bytes());
    assert!(told.contains("Model, sql: SELECT kind") && told.contains("mug"), "{told}");
    let params = json!({"name": "search", "arguments": {"question": "What is the sum of size?"}});
    let called = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let (_, _, told) = server.request("POST", "/mcp", &headers, called.to_string().as_bytes());
    assert!(told.contains("Computed with SQL, by rule: SELECT sum(") && told.contains("9}"), "{told}");
    // A search asks nobody, unless it names the step.
    let before = model.asked.lock().unwrap().len();
    let (_, plain) = server.post("/api/v1/search", &body);
    assert_eq!((plain.get("rows"), model.asked.lock().unwrap().len()), (None, before), "{plain}");
    let named = json!({"question": "How many cups are there of each kind?", "transform": ["sql"]});
    let (_, named) = server.post("/api/v1/search", &named);
    assert_eq!((&named["rows"]["by"], names(&named)), (&json!("model"), vec!["sql"]), "{named}");
}

#[test]
fn compare_and_ask_take_the_same_steps() {
    let server = Server::speaking(Arc::new(Helping::default()));
    let body = json!({"question": QUESTION, "recipes": ["chunks", "auto"], "transform": ["hyde"], "explain": true});
    let (status, compared) = server.post("/api/v1/compare", &body);
    assert_eq!(status, 200, "{compared}");
    for side in compared["recipes"].as_array().unwrap() {
        assert_eq!(names(side), ["hyde"], "{side}");
        let context = &side["contexts"][0];
        assert_eq!((&context["title"], &context["headings"]), (&json!("Tea"), &json!(["Tea"])), "as search gives it");
        assert!(context["hits"][0]["trace"][0]["rank"].is_number() && context["lines"].is_array(), "{context}");
        assert!(side["understood"].is_object() && side["settings"]["fusion"].is_string(), "{side}");
    }
    let body = json!({"question": QUESTION, "transform": ["rewrite"], "stream": false});
    let (_, reply) = server.post("/api/v1/ask", &body);
    assert_eq!((names(&reply), &reply["model"]), (vec!["rewrite"], &json!("test/helping")), "{reply}");
}

#[test]
fn without_a_model_the_search_goes_on_and_says_so() {
    let server = Server::start();
    let body = json!({"question": QUESTION, "transform": ["rewrite"], "post_filter": true});
    let (status, answer) = server.post("/api/v1/search", &body);
    assert_eq!((status, names(&answer)), (200, vec!["rewrite", "post-filter"]), "{answer}");
    assert_eq!(answer["steps"][0]["failed"], "no language model is set");
    assert_eq!(answer["contexts"][0]["doc_id"], "tea.md");
    let (status, refused) = server.post("/api/v1/search", &json!({"question": QUESTION, "transform": ["rewire"]}));
    assert_eq!((status, &refused["error"]["code"]), (400, &json!("bad_option")));
}

#[test]
fn a_model_that_takes_its_time_keeps_no_core_from_others() {
    let model = Arc::new(Helping { pause: Duration::from_secs(5), ..Helping::default() });
    let server = Server::speaking(model);
    let slow = |number: usize| json!({"question": QUESTION, "transform": ["rewrite"], "budget": 100 + number});
    std::thread::scope(|threads| {
        // More than there are cores.
        let waiting: Vec<_> = (0..6)
            .map(|number| {
                threads.spawn({
                    let (server, slow) = (&server, &slow);
                    move || server.post("/api/v1/search", &slow(number))
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        assert_eq!(server.post("/api/v1/search", &json!({"question": QUESTION})).0, 200);
        assert!(begun.elapsed() < Duration::from_millis(4500), "{:?}", begun.elapsed());
        for waiting in waiting {
            assert_eq!(waiting.join().unwrap().0, 200);
        }
    });
}

#[test]
fn images_among_the_contexts_reach_a_model_that_looks() {
    let model = Arc::new(Helping::default());
    let server = Server::speaking(model.clone());
    let (status, reply) =
        server.post("/api/v1/ask", &json!({"question": "Where is the vermilion kettle?", "stream": false}));
    assert_eq!(status, 200, "{reply}");
    let asked = model.asked.lock().unwrap();
    let pictures: Vec<_> = asked.iter().flat_map(|request| &request.messages).flat_map(|one| &one.pictures).collect();
    // The image is a document of its own too: it may stand in two contexts.
    assert!(!pictures.is_empty(), "{reply}");
    for picture in pictures {
        assert_eq!((picture.media_type.as_str(), picture.bytes.as_slice()), ("image/png", KETTLE));
    }
}

#[test]
fn agents_may_ask_for_the_same_help() {
    let server = Server::speaking(Arc::new(Helping::default()));
    let call = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        let (status, _, answer) = server.request("POST", "/mcp", &headers, body.to_string().as_bytes());
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status} {answer}"));
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    let found =
        call("search", json!({"question": QUESTION, "transform": ["rewrite"], "route": "model", "filter_by": "rules"}));
    assert!(
        found.contains("Model, rewrite: water temperature of black tea") && found.contains("Model, route: lexical"),
        "{found}"
    );
    assert!(found.contains("Black tea needs boiling water."), "{found}");
    let said = call("ask", json!({"question": QUESTION, "transform": ["step-back"]}));
    assert!(said.contains("Model, step-back:") && said.contains("Boiling water [1]."), "{said}");
    let wrong = call("search", json!({"question": QUESTION, "transform": ["rewire"]}));
    assert!(wrong.contains("invalid `transform` `rewire`"), "{wrong}");
}
