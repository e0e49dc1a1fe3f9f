//! Permissions: for every read route of the server's own description, and for MCP, a key is answered as a server over
//! an index that holds only the documents of the key's groups would answer.
//!
//! Compared are documents, texts, counts, fields and their values, images, corrected spellings and unknown names.
//! Scores are not: how rare a word is is counted in the whole index, so the order of contexts, and how many fit, may
//! differ; of these only allowed documents are named. And no answer of any route holds a word of a hidden document.

mod support;

use okno::Engine;
use okno_server::{KeyFile, KeyRole, NamedIndex, ServeError, ServerParts, serve};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use support::{KETTLE, Server, settings};

/// A small generator of random numbers, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

const GROUPS: [&str; 3] = ["hr", "board", "研发"];
const TOPICS: [&str; 4] = ["harvest", "voyage", "furnace", "lantern"];

/// A document of the test: nothing else has its word.
struct Drawn {
    name: String,
    word: String,
    topic: &'static str,
    allow: Option<Vec<&'static str>>,
    text: String,
}

/// A word that no dictionary has, and that is not like another one.
fn word(dice: &mut Dice) -> String {
    let syllables = ["zor", "quib", "plend", "vax", "mirt", "dobe", "kesh", "wunt", "yalg", "frub"];
    (0..4).map(|_| syllables[dice.below(syllables.len())]).collect()
}

fn draw(dice: &mut Dice) -> Vec<Drawn> {
    let mut words = BTreeSet::new();
    while words.len() < 9 {
        words.insert(word(dice));
    }
    let document = |(number, word): (usize, String)| {
        let groups: Vec<&str> = GROUPS.into_iter().filter(|_| dice.below(2) == 0).collect();
        let allow = (dice.below(3) > 0).then_some(groups);
        let topic = TOPICS[dice.below(TOPICS.len())];
        let front = match &allow {
            // By a rule, by front matter.
            Some(groups) if number % 2 == 0 => format!("---\nallow: [{}]\nkind: k{word}\n---\n", groups.join(", ")),
            _ => format!("---\nkind: k{word}\n---\n"),
        };
        let image = if number % 3 == 0 { "\n\n![A plan](plan.png)\n" } else { "\n" };
        let text = format!(
            "{front}# Report {word}\n\nThe {topic} of {word} was long. Its captain wrote about the {topic} every day. \
             Nobody else knew {word}.\n\n## Figures {number}\n\nThe {topic} took {number} weeks.{image}"
        );
        Drawn { name: format!("{word}.md"), word, topic, allow, text }
    };
    words.into_iter().enumerate().map(document).collect()
}

fn sees(groups: &[&str], document: &Drawn) -> bool {
    document.allow.as_ref().is_none_or(|allow| allow.iter().any(|group| groups.contains(group)))
}

/// Its address, what ends it, and its thread.
type RunningServer = (SocketAddr, Option<tokio::sync::oneshot::Sender<()>>, Option<JoinHandle<Result<(), ServeError>>>);

/// A server over an index of some documents.
struct Side {
    server: RunningServer,
    folder: tempfile::TempDir,
    key: String,
}

impl Drop for Side {
    fn drop(&mut self) {
        drop(self.server.1.take());
        self.server.2.take().expect("it was started").join().expect("no panic").expect("it ends");
    }
}

impl Side {
    /// The documents with odd numbers get their groups by rules.
    fn start(documents: &[&Drawn], groups: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Arc::new(index(folder.path(), documents));
        let keys = KeyFile::beside(&folder.path().join(".okno"));
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        let key = keys.make("reader", KeyRole::Search, None, Some(groups)).unwrap();
        let mut settings = settings();
        settings.keys = Some(keys);
        let parts = ServerParts {
            indexes: vec![NamedIndex::plain("notes", engine)],
            generator: None,
            models: vec![],
            pages: None,
        };
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let (ready, address) = std::sync::mpsc::channel();
        let wait = async {
            let _ = ended.await;
        };
        let thread = std::thread::spawn(move || serve(parts, &settings, |address| ready.send(address).unwrap(), wait));
        Self { server: (address.recv().unwrap(), Some(end), Some(thread)), folder, key }
    }

    fn with_groups(&self, groups: &[&str]) -> String {
        let keys = KeyFile::beside(&self.folder.path().join(".okno"));
        let own: BTreeSet<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        let name = format!("groups-{}", keys.read().unwrap().unwrap().len());
        keys.make(&name, KeyRole::Search, None, Some(own)).unwrap()
    }

    fn send(&self, key: &str, method: &str, path: &str, body: Option<&Value>) -> (u16, String) {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let url = format!("http://{}{path}", self.server.0);
        let accept = "application/json, text/event-stream";
        let answer = match (method, body) {
            ("GET", _) => agent.get(&url).header("X-API-Key", key).call(),
            (_, body) => agent
                .post(&url)
                .header("X-API-Key", key)
                .header("Accept", accept)
                .header("Content-Type", "application/json")
                .send(body.map(Value::to_string).unwrap_or_default()),
        };
        let mut answer = answer.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let bytes = answer.body_mut().read_to_vec().unwrap();
        (answer.status().as_u16(), String::from_utf8_lossy(&bytes).into_owned())
    }

    fn json(&self, key: &str, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let (status, text) = self.send(key, method, path, body);
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }
}

fn index(folder: &Path, documents: &[&Drawn]) -> Engine {
    let notes = folder.join("notes");
    std::fs::create_dir(&notes).unwrap();
    let mut rules = Vec::new();
    for document in documents {
        let picture = format!("plan-{}.png", document.word);
        std::fs::write(notes.join(&document.name), document.text.replace("plan.png", &picture)).unwrap();
        if document.text.contains("plan.png") {
            std::fs::write(notes.join(&picture), image(document)).unwrap();
        }
        let allow = document.allow.clone().unwrap_or_default();
        if document.allow.is_some() && !document.text.contains("allow:") {
            let rule = json!({"path": document.name, "set": {"allow": allow}});
            rules.push(serde_json::from_value(rule).unwrap());
        }
        // The image is a document too, and as secret.
        if document.allow.is_some() {
            rules.push(serde_json::from_value(json!({"path": picture, "set": {"allow": allow}})).unwrap());
        }
    }
    let engine = Engine::create(folder.join(".okno")).unwrap();
    let mut options = okno::IndexOptions::default();
    options.rules = Some(rules);
    engine.index_with(&[notes], &options, &okno::Silent).unwrap();
    engine
}

/// Without what differs between two folders.
fn plain(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            for field in ["root", "folder", "roots", "uploads", "disk_bytes", "modified", "generation", "file", "score"]
            {
                fields.remove(field);
            }
            fields.values_mut().for_each(|value| *value = plain(value.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| *value = plain(value.take())),
        _ => {}
    }
    value
}

/// All texts under a key, wherever it is.
fn all<'v>(value: &'v Value, key: &str, out: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(fields) => {
            out.extend(fields.get(key).and_then(Value::as_str));
            fields.values().for_each(|value| all(value, key, out));
        }
        Value::Array(items) => items.iter().for_each(|value| all(value, key, out)),
        _ => {}
    }
}

fn named(value: &Value) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    all(value, "doc_id", &mut names);
    names
}

/// Requests of one route, and whether their answers must be the same.
enum Expected {
    /// The same on both sides.
    Same(String, Option<Value>),
    /// Only allowed documents are named; what was understood of the question is the same.
    Subset(String, Value),
}

/// The requests to a described route; `None` for one that changes something, or shows nothing of documents.
fn requests(method: &str, path: &str, documents: &[Drawn], images: &[String]) -> Option<Vec<Expected>> {
    use Expected::{Same, Subset};
    let same = |path: &str| Same(path.to_owned(), None);
    // Every word of every document, as it is and misspelled; whoever may see none of them asks for them all the same.
    let mut questions: Vec<String> =
        documents.iter().map(|document| format!("What is {} about?", document.word)).collect();
    questions
        .extend(documents.iter().map(|document| format!("Who knew {}x in the {}?", document.word, document.topic)));
    questions.extend(TOPICS.map(|topic| format!("How long was the {topic}?")));
    let asked = |extra: Value| {
        let body = |question: &String| {
            let mut body = extra.clone();
            body["question"] = json!(question);
            body
        };
        questions.iter().map(body).map(|body| Subset(path.to_owned(), body)).collect::<Vec<_>>()
    };
    Some(match (method, path) {
        ("get", "/api/v1/status" | "/api/v1/recipes" | "/api/v1/fields" | "/api/v1/models" | "/metrics") => {
            vec![same(path)]
        }
        ("get", "/api/v1/jobs" | "/api/v1/runs" | "/v1/models" | "/api/v1/openapi.json") => vec![same(path)],
        ("get", "/api/v1/jobs/{id}" | "/api/v1/jobs/{id}/events") => vec![same(&path.replace("{id}", "1"))],
        ("get", "/api/v1/runs/{name}" | "/api/v1/reports/{name}") => vec![same(&path.replace("{name}", "first"))],
        ("get", "/api/v1/documents") => documents
            .iter()
            .flat_map(|document| {
                let word = &document.word;
                [
                    same(&format!("{path}?filter=kind%20%3D%20k{word}")),
                    same(&format!("{path}?filter=%22{word}%22%20%3D%201")),
                ]
            })
            .chain([
                same(path),
                same(&format!("{path}?limit=2&offset=1")),
                same(&format!("{path}?filter=allow%20%3D%20hr")),
            ])
            .collect(),
        (
            "get",
            "/api/v1/documents/{name}"
            | "/api/v1/documents/{name}/text"
            | "/api/v1/documents/{name}/pages"
            | "/api/v1/documents/{name}/pages/{page}/picture"
            | "/api/v1/documents/{name}/pages/{page}/marks",
        ) => {
            let path = path.replace("{page}", "1") + if path.ends_with("marks") { "?start=0&end=9" } else { "" };
            documents.iter().map(|document| same(&path.replace("{name}", &document.name))).collect()
        }
        ("get", "/api/v1/images/{hash}") => images.iter().map(|hash| same(&path.replace("{hash}", hash))).collect(),
        ("post", "/api/v1/search") => {
            let mut all = asked(json!({}));
            all.extend(asked(json!({"recipe": "window", "k": 50, "legs": ["lexical"], "explain": true})));
            all
        }
        ("post", "/api/v1/compare") => asked(json!({"recipes": ["chunks", "window"]})),
        ("post", "/api/v1/ask") => asked(json!({"stream": false})),
        ("post", "/v1/chat/completions") => {
            let body = |question: &String| json!({"messages": [{"role": "user", "content": question}]});
            questions.iter().map(|question| Subset(path.to_owned(), body(question))).collect()
        }
        ("post", "/retrieval") => {
            let body = |question: &String| {
                let setting = json!({"top_k": 5, "score_threshold": 0.0});
                json!({"knowledge_id": "notes", "query": question, "retrieval_setting": setting})
            };
            questions.iter().map(|question| Subset(path.to_owned(), body(question))).collect()
        }
        // These change something, or need a key that sees everything.
        ("post", "/api/v1/documents" | "/api/v1/feedback" | "/api/v1/eval" | "/api/v1/jobs/index")
        | ("put" | "delete", _)
        | ("get", "/api/v1/feedback" | "/healthz" | "/readyz") => return None,
        _ => panic!("{method} {path} is a new route: how are permissions tested there?"),
    })
}

fn calls(documents: &[Drawn]) -> Vec<(bool, Value)> {
    let tool = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let rpc = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let call = |name: &str, arguments: Value| rpc("tools/call", tool(name, arguments));
    let mut calls = vec![
        (true, call("list_documents", json!({}))),
        (true, call("filters", json!({}))),
        (true, rpc("resources/list", json!({}))),
    ];
    for Drawn { name, word, .. } in documents {
        calls.push((true, call("open", json!({"document": name}))));
        calls.push((true, call("list_documents", json!({"filter": format!("kind = k{word}")}))));
        calls.push((true, rpc("resources/read", json!({"uri": format!("okno://notes/{name}")}))));
        calls.push((false, call("search", json!({"question": format!("What is {word}x about?")}))));
        calls.push((false, call("ask", json!({"question": format!("What is {word} about?")}))));
    }
    calls
}

/// The hashes of all images.
fn image_hashes(documents: &[Drawn]) -> Vec<String> {
    let with_image = documents.iter().filter(|document| document.text.contains("plan.png"));
    with_image.map(|document| okno::document::ImageHash::of(&image(document)).to_string()).collect()
}

/// Each its own image, so that it is nobody else's.
fn image(document: &Drawn) -> Vec<u8> {
    [KETTLE, document.word.as_bytes()].concat()
}

struct Checked<'a> {
    hidden: Vec<&'a Drawn>,
    visible: BTreeSet<&'a str>,
}

impl Checked<'_> {
    /// No word of a hidden document is in an answer, unless the question said it.
    fn keeps_quiet(&self, asked: &str, answer: &str) {
        for document in &self.hidden {
            assert!(asked.contains(&document.word) || !answer.contains(&document.word), "{asked}: {answer}");
        }
    }

    fn names_only_visible(&self, asked: &str, answer: &Value) {
        for name in named(answer) {
            let own = |visible: &&str| *visible == name || name.contains(visible.trim_end_matches(".md"));
            assert!(self.visible.iter().any(own), "{asked}: {name} of {answer}");
        }
    }
}

/// What was read from a question, and what it was corrected to.
fn understood(answer: &Value) -> Value {
    answer.get("understood").cloned().unwrap_or_default()
}

fn compare(whole: &Side, key: &str, own: &Side, documents: &[Drawn], groups: &[&str], hashes: &[String]) {
    let (visible, hidden): (Vec<&Drawn>, Vec<&Drawn>) = documents.iter().partition(|document| sees(groups, document));
    let checked = Checked { hidden, visible: visible.iter().map(|document| document.name.as_str()).collect() };
    let described: Value = serde_json::from_str(&okno_server::openapi().to_json().unwrap()).unwrap();
    let mut walked = BTreeMap::<&str, usize>::new();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let Some(requests) = requests(method, path, documents, hashes) else { continue };
            *walked.entry(path).or_default() += requests.len();
            for request in requests {
                let (path, body) = match &request {
                    Expected::Same(path, body) => (path, body.as_ref()),
                    Expected::Subset(path, body) => (path, Some(body)),
                };
                let asked = format!("{groups:?} {method} {path} {}", body.map(Value::to_string).unwrap_or_default());
                let method = method.to_uppercase();
                let (status, answer) = whole.json(key, &method, path, body);
                let (expected_status, expected) = own.json(&own.key, &method, path, body);
                assert_eq!(status, expected_status, "{asked}: {answer} {expected}");
                checked.keeps_quiet(&asked, &answer.to_string());
                match request {
                    Expected::Same(path, _) if path == "/metrics" => assert_eq!(gauges(&answer), gauges(&expected)),
                    Expected::Same(..) => assert_eq!(plain(answer), plain(expected), "{asked}"),
                    Expected::Subset(_, body) => {
                        checked.names_only_visible(&asked, &answer);
                        assert_eq!(understood(&answer), understood(&expected), "{asked}");
                        if body["legs"].is_array() {
                            assert_eq!(named(&answer), named(&expected), "{asked}");
                        }
                    }
                }
            }
        }
    }
    assert!(walked.len() > 18, "{walked:?}");
    for (same, call) in calls(documents) {
        let asked = format!("{groups:?} {call}");
        let (status, answer) = whole.json(key, "POST", "/mcp", Some(&call));
        let (expected_status, expected) = own.json(&own.key, "POST", "/mcp", Some(&call));
        assert_eq!((status, expected_status), (200, 200), "{asked}: {answer}");
        checked.keeps_quiet(&asked, &answer.to_string());
        assert!(!same || answer == expected, "{asked}: {answer} {expected}");
    }
}

fn gauges(text: &Value) -> Vec<String> {
    let text = text.as_str().unwrap();
    text.lines()
        .filter(|line| line.starts_with("okno_documents") || line.starts_with("okno_sentences"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_key_sees_what_an_index_of_its_documents_holds() {
    let mut dice = Dice(20);
    for round in 0..2 {
        let documents = draw(&mut dice);
        let whole = Side::start(&documents.iter().collect::<Vec<_>>(), &[]);
        let hashes = image_hashes(&documents);
        let none: &[&str] = &[];
        let asking: [&[&str]; 3] = [none, &GROUPS[round..=round], &GROUPS[1..]];
        for groups in asking {
            let key = whole.with_groups(groups);
            let visible: Vec<&Drawn> = documents.iter().filter(|document| sees(groups, document)).collect();
            let own = Side::start(&visible, groups);
            compare(&whole, &key, &own, &documents, groups, &hashes);
        }
    }
}

#[test]
fn a_key_counts_only_the_rows_that_it_may_see() {
    let folder = tempfile::tempdir().unwrap();
    let keys = KeyFile::beside(&folder.path().join(".okno"));
    let made = |name: &str, groups: &[&str]| {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        keys.make(name, KeyRole::Search, None, Some(groups)).unwrap()
    };
    let (guest, clerk) = (made("guest", &[]), made("clerk", &["hr"]));
    let server = Server::with(|settings| settings.keys = Some(KeyFile::beside(&folder.path().join(".okno"))));
    let open = "| guild | members |\n|---|---|\n| weavers | 3 |\n| bakers | 4 |\n";
    std::fs::write(server.path("notes/guilds.md"), open).unwrap();
    let hidden = "---\nallow: hr\n---\n| clerk | salary |\n|---|---|\n| Ada | 10 |\n| Bob | 20 |\n";
    std::fs::write(server.path("notes/pay.md"), hidden).unwrap();
    server.engine.index(&[server.path("notes")]).unwrap();
    let found = |key: &str, question: &str| {
        let (bearer, body) = (format!("Bearer {key}"), json!({"question": question}).to_string());
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let (status, _, answer) = server.request("POST", "/api/v1/search", &headers, body.as_bytes());
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str::<Value>(&answer).unwrap()["rows"]["rows"][0][0].clone()
    };
    for (question, guests, clerks) in [
        ("What is the sum of members?", json!(7), json!(7)),
        ("What is the sum of salary?", Value::Null, json!(30)),
        ("How many clerks are there?", Value::Null, json!(2)),
    ] {
        // In both orders: what one key was answered is not kept for the other.
        assert_eq!((found(&clerk, question), found(&guest, question)), (clerks.clone(), guests.clone()), "{question}");
        assert_eq!((found(&guest, question), found(&clerk, question)), (guests, clerks), "{question}");
    }
}
