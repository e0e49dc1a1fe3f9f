//! The API as a program sees it: requests over a socket, whole answers.

mod support;

use okno::{Query, shapes};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::{Server, events};

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[test]
fn search_is_what_the_engine_says() {
    let server = Server::start();
    let question = "How hot should water for black tea be?";
    let (status, found) = server.post("/api/v1/search", &json!({"question": question, "explain": true}));
    let answer = server.engine.search(&Query::new(question)).unwrap();
    let expected: Value =
        serde_json::from_slice(&serde_json::to_vec(&shapes::FullAnswer::new(&answer, true)).unwrap()).unwrap();
    assert_eq!((status, &found), (200, &expected));
    assert_eq!(found["contexts"][0]["doc_id"], "tea.md");
    // The same from the cache.
    assert_eq!(server.post("/api/v1/search", &json!({"question": question, "explain": true})).1, expected);
    let (_, _, metrics) = server.request("GET", "/metrics", &[], b"");
    assert!(
        metrics.contains("okno_cache_hits_total 1\n") && metrics.contains("okno_documents{index=\"notes\"} 4"),
        "{metrics}"
    );
}

#[test]
fn offsets_are_code_points() {
    let server = Server::start();
    let (_, found) = server.post("/api/v1/search", &json!({"question": "酱油", "window": 0, "k": 1}));
    let context = &found["contexts"][0];
    let (start, end) = (context["start"].as_u64().unwrap(), context["end"].as_u64().unwrap());
    let name = "%E7%BA%A2%E7%83%A7.md";
    let (status, part) = server.get(&format!("/api/v1/documents/{name}/text?start={start}&end={end}"));
    assert_eq!((status, &part["text"]), (200, &context["text"]));
    assert_eq!(part["text"], "再加酱油炖一小时。");
    let (_, whole) = server.get(&format!("/api/v1/documents/{name}"));
    let spans = whole["sentence_spans"].as_array().unwrap();
    assert!(spans.contains(&json!([start, end])), "{spans:?}");
    assert_eq!(server.get(&format!("/api/v1/documents/{name}/text?start=9999999")).1["text"], "");
}

#[test]
fn what_is_there() {
    let server = Server::start();
    let (_, status) = server.get("/api/v1/status");
    assert_eq!((&status["indexes"][0]["name"], &status["indexes"][0]["documents"]), (&json!("notes"), &json!(4)));
    assert_eq!(server.get("/api/v1/recipes").1["auto"]["own"], false);
    let (_, fields) = server.get("/api/v1/fields");
    let kind = fields["fields"].as_array().unwrap().iter().find(|field| field["name"] == "kind").unwrap();
    assert_eq!(kind["values"], json!(["drink"]));
    assert_eq!(server.get("/api/v1/models").1["generator"], Value::Null);
    let (_, listed) = server.get("/api/v1/documents?filter=kind%20%3D%20drink");
    assert_eq!((&listed["total"], &listed["documents"][0]["doc_id"]), (&json!(1), &json!("tea.md")));
    assert_eq!(server.get("/api/v1/documents?limit=1&offset=1").1["documents"].as_array().unwrap().len(), 1);
    let (_, compared) = server
        .post("/api/v1/compare", &json!({"question": "tea", "recipes": ["chunks", "window"], "gold": "four minutes"}));
    assert_eq!(compared["recipes"][0]["gold"]["doc_id"], "tea.md");
    assert_eq!(server.request("GET", "/healthz", &[], b"").2, "ok\n");
}

#[test]
fn errors_have_one_shape() {
    let server = Server::start();
    for (answer, expected) in [
        (server.get("/api/v1/documents/none.md"), (404, "no_document")),
        (server.get("/api/v1/status/x"), (404, "no_route")),
        (server.get("/api/v1/fields?index=none"), (404, "no_index")),
        (server.get("/api/v1/jobs/7"), (404, "no_job")),
        (server.get("/api/v1/runs/none"), (404, "no_run")),
        (server.get("/api/v1/reports/x"), (404, "no_report")),
        (server.get("/api/v1/documents?limit=x"), (400, "bad_parameter")),
        (server.get("/api/v1/documents?filter=kind%20%3D%3D%3D"), (400, "bad_filter")),
        (server.get("/api/v1/documents/%ff"), (400, "bad_path")),
        (server.get("/api/v1/search"), (405, "no_method")),
        (server.post("/", &json!({})), (405, "no_method")),
        (server.post("/api/v1/search", &json!({"question": ""})), (400, "no_question")),
        (server.post("/api/v1/search", &json!({"question": "x", "recpie": "auto"})), (400, "bad_json")),
        (server.post("/api/v1/search", &json!({"question": "x", "recipe": "none"})), (400, "bad_recipe")),
        (server.post("/api/v1/search", &json!({"question": "x", "filter": "nofield = 1"})), (400, "unknown_field")),
        (server.post("/api/v1/compare", &json!({"question": "x", "recipes": ["auto"]})), (400, "bad_option")),
        (server.post("/api/v1/jobs/index", &json!({"paths": ["/etc"]})), (403, "path_not_allowed")),
        (server.post("/api/v1/jobs/index", &json!({"paths": ["notes/../../etc/passwd"]})), (403, "path_not_allowed")),
        (server.post("/api/v1/eval", &json!({})), (400, "bad_question_set")),
        (
            server.post(
                "/api/v1/feedback",
                &json!({"question": "x", "doc_id": "tea.md", "start": 5, "end": 5, "verdict": "useful"}),
            ),
            (400, "bad_place"),
        ),
        (server.upload(&[]), (400, "no_files")),
        (server.upload(&[("..", "x")]), (400, "bad_name")),
    ] {
        assert_eq!((answer.0, code(&answer.1)), expected, "{}", answer.1);
        assert!(answer.1["error"]["message"].is_string() && answer.1["error"].get("hint").is_some(), "{}", answer.1);
    }
    let plain = server.request("POST", "/api/v1/search", &[("Content-Type", "text/plain")], b"{\"question\": \"x\"}");
    assert_eq!((plain.0, code(&serde_json::from_str(&plain.2).unwrap())), (415, "not_json"));
    let large = server.request("POST", "/api/v1/search", &[("Content-Type", "application/json")], &vec![b' '; 3 << 20]);
    assert_eq!(large.0, 413, "{}", large.2);
}

#[test]
fn a_file_is_uploaded_indexed_found_and_deleted() {
    let server = Server::start();
    let (status, taken) =
        server.upload(&[("../../coffee.txt", "Coffee is brewed at 93 °C."), ("bad.bin", "\0\u{1}\u{2}")]);
    assert_eq!((status, &taken["files"]), (202, &json!(["coffee.txt", "bad.bin"])), "{taken}");
    let job = server.finished(taken["job"]["id"].as_str().unwrap());
    assert_eq!((&job["state"], &job["result"]["added"]), (&json!("done"), &json!(1)), "{job}");
    assert_eq!(job["result"]["skipped"].as_array().unwrap().len(), 1, "{job}");
    let file = server.path("okno-uploads/coffee.txt");
    assert!(file.is_file() && !server.path("coffee.txt").exists());
    let found = || {
        server.post("/api/v1/search", &json!({"question": "How is coffee brewed?"})).1["contexts"][0]["doc_id"].clone()
    };
    assert_eq!(found(), "coffee.txt");
    let (_, again) = server.post("/api/v1/jobs/index", &json!({}));
    assert_eq!(server.finished(again["id"].as_str().unwrap())["result"]["removed"], 0);
    assert_eq!(server.delete("/api/v1/documents/coffee.txt"), (200, json!({"removed": 1})));
    assert!(!file.exists());
    assert_ne!(found(), "coffee.txt");
    // The same file may come again.
    let (_, taken) = server.upload(&[("coffee.txt", "Coffee is brewed at 93 °C.")]);
    assert_eq!(server.finished(taken["job"]["id"].as_str().unwrap())["result"]["added"], 1);
    assert_eq!(found(), "coffee.txt");
    // A file of the user's own is never touched.
    assert_eq!(server.delete("/api/v1/documents/tea.md"), (200, json!({"removed": 1})));
    assert!(server.path("notes/tea.md").is_file());
}

/// Enough text that indexing takes a while in a debug build.
const MANY: u64 = 150;

fn write_much(server: &Server) {
    let more = server.path("more");
    std::fs::create_dir(&more).unwrap();
    for number in 0..MANY {
        let text: String =
            (0..40).map(|line| format!("Note {number} line {line} tells of river {}. ", line * number)).collect();
        std::fs::write(more.join(format!("{number}.md")), text).unwrap();
    }
}

#[test]
fn reads_never_wait_for_indexing() {
    let server = Server::start();
    write_much(&server);
    // Another budget is another question: none is answered from the cache.
    let question = |number: usize| json!({"question": "boiling water", "budget": 100 + number});
    server.post("/api/v1/search", &question(0));
    let (status, job) = server.post("/api/v1/jobs/index", &json!({"paths": [server.path("more")]}));
    assert_eq!(status, 202, "{job}");
    let url = format!("/api/v1/jobs/{}", job["id"].as_str().unwrap());
    let (mut during, mut slowest) = (0, Duration::ZERO);
    while server.get(&url).1["ended"].is_null() {
        let begun = Instant::now();
        let (status, found) = server.post("/api/v1/search", &question(during + 1));
        slowest = slowest.max(begun.elapsed());
        assert_eq!((status, &found["contexts"][0]["doc_id"]), (200, &json!("tea.md")));
        during += usize::from(server.get(&url).1["state"] == "running");
    }
    assert_eq!(server.finished(job["id"].as_str().unwrap())["state"], "done");
    assert!(during >= 3, "only {during} searches while indexing");
    println!("{during} searches while indexing, the slowest {slowest:?}");
    let (_, found) = server.post("/api/v1/search", &json!({"question": "Note 17 line 3"}));
    assert_eq!(found["contexts"][0]["doc_id"], "17.md");
}

#[test]
fn a_job_can_be_followed_and_stopped() {
    let server = Server::start();
    write_much(&server);
    let (_, job) = server.post("/api/v1/jobs/index", &json!({"paths": [server.path("more")]}));
    let id = job["id"].as_str().unwrap();
    assert_eq!(server.delete(&format!("/api/v1/jobs/{id}")).0, 202);
    let (status, head, events) = server.request("GET", &format!("/api/v1/jobs/{id}/events"), &[], b"");
    assert!(status == 200 && head.contains("text/event-stream"), "{head}");
    let last = events.rsplit("event: ").next().unwrap();
    let (name, data) = last.split_once("\ndata: ").unwrap_or_else(|| panic!("{events}"));
    let view: Value = serde_json::from_str(data.trim()).unwrap();
    assert_eq!((name, &view["state"]), ("end", &json!("cancelled")), "{view}");
    assert!(view["result"]["added"].as_u64().unwrap() < MANY, "{view}");
}

#[test]
fn ending_finishes_what_is_written() {
    let mut server = Server::start();
    write_much(&server);
    let (_, job) = server.post("/api/v1/jobs/index", &json!({"paths": [server.path("more")]}));
    assert_eq!(job["kind"], "index");
    server.end().unwrap();
    // Whatever was committed is whole, and nobody holds the writer any more.
    let before = server.engine.snapshot().unwrap().numbers().len();
    let report = server.engine.index::<&str>(&[]).unwrap();
    assert_eq!(before + report.added, server.engine.snapshot().unwrap().numbers().len());
}

#[test]
fn recipes_are_measured_the_report_cannot_run_anything_and_both_outlive_the_server() {
    let mut server = Server::start();
    let questions = json!([{"question": "How long is tea left?", "doc_id": "tea.md", "answers": ["four minutes"]}]);
    let body = json!({"questions": questions, "recipes": ["auto", "chunks"], "budgets": [200], "name": "first"});
    let (status, job) = server.post("/api/v1/eval", &body);
    assert_eq!(status, 202, "{job}");
    let job = server.finished(job["id"].as_str().unwrap());
    assert_eq!((&job["state"], &job["done"], &job["total"]), (&json!("done"), &json!(2), &json!(2)), "{job}");
    assert_eq!(job["result"]["cells"][0]["scores"]["coverage"], 1.0, "{job}");
    assert_eq!(server.get("/api/v1/runs").1["runs"][0]["name"], "first");
    assert_eq!(server.get("/api/v1/runs/first").1["questions"], 1);
    assert_eq!(code(&server.post("/api/v1/eval", &body).1), "bad_evaluation");
    let (status, head, page) = server.request("GET", "/api/v1/reports/first", &[], b"");
    assert!(status == 200 && page.contains("<html") && head.contains("content-security-policy: sandbox;"), "{head}");
    // The server ends, what it measured stays.
    server.again();
    assert_eq!(server.get("/api/v1/runs").1["runs"][0]["report"], true);
    assert_eq!(server.request("GET", "/api/v1/reports/first", &[], b"").2, page);
    assert_eq!(server.request("DELETE", "/api/v1/runs/first", &[], b"").0, 204);
    assert_eq!(code(&server.get("/api/v1/runs/first").1), "no_run");
    assert_eq!(code(&server.get("/api/v1/reports/first").1), "no_report", "the report goes with its run");
    let (_, faulty) =
        server.post("/api/v1/eval", &json!({"questions": [{"question": "x", "doc_id": "none.md", "answers": ["y"]}]}));
    assert_eq!(code(&faulty), "bad_question_set");
    let verdict = json!({"question": "tea?", "doc_id": "tea.md", "start": 30, "end": 40, "verdict": "useful"});
    assert_eq!(server.post("/api/v1/feedback", &verdict), (200, json!({"recorded": 1})));
    assert_eq!(server.get("/api/v1/feedback").1["verdicts"][0]["verdict"], "useful");
}

#[test]
fn the_page_is_served_under_a_strict_policy() {
    let server = Server::start();
    let (status, head, body) = server.request("GET", "/", &[], b"");
    assert!(status == 200 && body.contains("<title>Okno"), "{head}");
    for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "x-content-type-options: nosniff"]
    {
        assert!(head.contains(part), "{part}\n{head}");
    }
    assert!(!head.contains("unsafe"));
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    assert_eq!(server.request("GET", "/index.html", &[("If-None-Match", &tag)], b"").0, 304);
    assert!(server.request("GET", "/api/v1/status", &[], b"").1.contains("cache-control: no-store"));
}

/// An evaluation of some thousand searches: long enough to be stopped.
fn long_evaluation() -> Value {
    let question = json!({"question": "How long is tea left?", "doc_id": "tea.md", "answers": ["four minutes"]});
    json!({"questions": vec![question; 400], "budgets": [200, 400, 600, 800], "name": "long"})
}

#[test]
fn an_evaluation_stops_when_told_and_leaves_nothing() {
    let server = Server::start();
    let (status, job) = server.post("/api/v1/eval", &long_evaluation());
    assert_eq!(status, 202, "{job}");
    let id = job["id"].as_str().unwrap();
    let begun = Instant::now();
    assert_eq!(server.delete(&format!("/api/v1/jobs/{id}")).0, 202);
    let job = server.finished(id);
    assert_eq!((&job["state"], &job["result"]), (&json!("cancelled"), &json!({"stopped": true})), "{job}");
    assert!(job["done"].as_u64() < job["total"].as_u64() || job["total"] == 0, "{job}");
    println!("stopped after {:?}", begun.elapsed());
    assert_eq!(server.get("/api/v1/runs").1["runs"], json!([]));
    assert!(!server.path(".okno-eval/runs/long.json").exists());
}

#[test]
fn an_evaluation_without_a_name_is_kept_too() {
    let mut server = Server::start();
    let questions = json!([{"question": "How long is tea left?", "doc_id": "tea.md", "answers": ["four minutes"]}]);
    let (_, job) = server.post("/api/v1/eval", &json!({"questions": questions, "recipes": ["auto"], "budgets": [200]}));
    let job = server.finished(job["id"].as_str().unwrap());
    let name = job["result"]["name"].as_str().unwrap_or_else(|| panic!("{job}"));
    assert!(name.starts_with("unnamed-"), "{name}");
    server.again();
    assert_eq!(server.request("GET", &format!("/api/v1/reports/{name}"), &[], b"").0, 200);
}

/// Whether a value is of a type that the description names, and one of its values where it lists them.
fn fits(described: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        return fits(described, &described["components"]["schemas"][name.rsplit('/').next().unwrap()], value);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fitting = choices.iter().any(|choice| fits(described, choice, value).is_ok());
        return if fitting { Ok(()) } else { Err(format!("{value} is none of {choices:?}")) };
    }
    if let Some(values) = schema["enum"].as_array() {
        return if values.contains(value) { Ok(()) } else { Err(format!("{value} is none of {values:?}")) };
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kinds = if schema["type"].is_array() { schema["type"].clone() } else { json!([schema["type"]]) };
    if !kinds.as_array().unwrap().iter().any(|known| known == kind || known.is_null()) {
        return Err(format!("{value} is no {kinds}"));
    }
    let (Some(fields), Some(parts)) = (schema["properties"].as_object(), value.as_object()) else { return Ok(()) };
    for name in schema["required"].as_array().into_iter().flatten() {
        parts.get(name.as_str().unwrap()).ok_or_else(|| format!("no {name}"))?;
    }
    for (name, part) in parts {
        let field = fields.get(name).ok_or_else(|| format!("`{name}` is not described"))?;
        fits(described, field, part).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(())
}

#[test]
fn the_events_of_a_job_are_what_their_description_says() {
    let server = Server::start();
    write_much(&server);
    let (_, described) = server.get("/api/v1/openapi.json");
    let answers = &described["paths"]["/api/v1/jobs/{id}/events"]["get"]["responses"];
    let event = &answers["200"]["content"]["text/event-stream"]["schema"];
    assert!(event["$ref"].as_str().is_some_and(|name| name.ends_with("/JobEvent")), "{answers}");
    for (begun, ended) in [
        (server.post("/api/v1/jobs/index", &json!({"paths": [server.path("more")]})), "done"),
        (server.post("/api/v1/eval", &long_evaluation()), "cancelled"),
    ] {
        let id = begun.1["id"].as_str().unwrap();
        if ended == "cancelled" {
            server.delete(&format!("/api/v1/jobs/{id}"));
        }
        let (status, head, body) = server.request("GET", &format!("/api/v1/jobs/{id}/events"), &[], b"");
        assert!(status == 200 && head.contains("content-type: text/event-stream"), "{head}");
        let told = events(&body);
        for (number, (name, data)) in told.iter().enumerate() {
            let last = number + 1 == told.len();
            assert_eq!(name, if last { "end" } else { "progress" });
            fits(&described, event, &json!({"event": name, "data": data}))
                .unwrap_or_else(|why| panic!("{why}: {data}"));
            assert_eq!((&data["id"], data["ended"].is_null()), (&json!(id), !last), "{data}");
        }
        assert_eq!(told.last().unwrap().1["state"], ended, "{body}");
    }
    let (status, refused) = server.get("/api/v1/jobs/99/events");
    assert_eq!((status, code(&refused)), (404, "no_job"));
    fits(&described, &answers["4XX"]["content"]["application/json"]["schema"], &refused).unwrap();
}

#[test]
fn every_described_route_answers_and_takes_no_other_method() {
    let server = Server::start();
    let (_, described) = server.get("/api/v1/openapi.json");
    assert!(described["openapi"].as_str().unwrap().starts_with("3.1"));
    for (path, methods) in described["paths"].as_object().unwrap() {
        let there = path.replace("{name}", "none").replace("{id}", "99").replace("{hash}", "0");
        for method in ["GET", "POST", "PUT", "DELETE"] {
            let (status, _, answer) = server.request(method, &there, &[("Content-Type", "application/json")], b"{}");
            let known = methods.get(method.to_lowercase()).is_some();
            assert_eq!(known, status != 405, "{method} {path}: {status}");
            assert!(!answer.contains("\"code\":\"no_route\""), "{method} {path}");
        }
    }
    // What a client is made from: every reference leads somewhere.
    let text = described.to_string();
    for part in text.split("#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(described["components"]["schemas"].get(name).is_some(), "{name}");
    }
}

#[test]
fn dify_retrieves_as_from_any_external_knowledge_base() {
    let server = Server::start();
    // As Dify 1.x sends it: all fields, the threshold 0.0 where none was set.
    let body = |knowledge: &str, condition: Value| {
        json!({"retrieval_setting": {"top_k": 1, "score_threshold": 0.0}, "query": "How hot is black tea?",
            "knowledge_id": knowledge, "metadata_condition": condition})
    };
    let (status, found) = server.post("/retrieval", &body("notes", Value::Null));
    assert_eq!((status, found["records"].as_array().unwrap().len()), (200, 1));
    let record = &found["records"][0];
    assert_eq!((&record["metadata"]["doc_id"], &record["metadata"]["kind"]), (&json!("tea.md"), &json!("drink")));
    assert!(record["content"].as_str().unwrap().contains("boiling water"), "{record}");
    assert!((0.0..=1.0).contains(&record["score"].as_f64().unwrap()) && record["title"].is_string());
    // Conditions, as its documentation shows them.
    let condition = |operator: &str| {
        json!({"logical_operator": "and", "conditions": [
            {"name": "kind", "comparison_operator": operator, "value": "drink"}]})
    };
    assert_eq!(
        server.post("/retrieval", &body("notes", condition("is"))).1["records"][0]["metadata"]["doc_id"],
        "tea.md"
    );
    let (_, others) = server.post("/retrieval", &body("notes", condition("is not")));
    assert!(others["records"].as_array().unwrap().iter().all(|record| record["metadata"]["kind"] != "drink"));
    let sure = json!({"knowledge_id": "notes", "query": "Who won the elections in Peru?",
        "retrieval_setting": {"top_k": 3, "score_threshold": 0.9}});
    assert_eq!(server.post("/retrieval", &sure), (200, json!({"records": []})));
    // Errors in its form.
    let (status, error) = server.post("/retrieval", &body("none", Value::Null));
    assert_eq!((status, &error["error_code"]), (404, &json!(2001)));
    assert!(error["error_msg"].as_str().unwrap().contains("none"));
    assert_eq!(server.post("/retrieval", &body("notes", condition("resembles"))).1["error_code"], 400);
    // Dify tries a new address with an empty request, and takes 403, 404 and 502 for a wrong one.
    assert_eq!(server.request("POST", "/retrieval", &[], b"").0, 415);
    let locked = Server::with(|settings| settings.key = Some("a-key-of-this-server".into()));
    let (status, error) = locked.post("/retrieval", &body("notes", Value::Null));
    assert_eq!((status, &error["error_code"]), (401, &json!(1002)));
}

#[test]
fn documents_that_are_not_files_are_put_and_deleted() {
    let server = Server::start();
    let put = |name: &str, body: &Value| {
        let headers = [("Content-Type", "application/json")];
        let (status, _, answer) = server.request("PUT", name, &headers, body.to_string().as_bytes());
        (status, serde_json::from_str::<Value>(&answer).unwrap())
    };
    let path = "/api/v1/documents/faq%2F1";
    let body = json!({"text": "A kettle holds two litres.", "metadata": {"kind": "tool", "nested": {"x": 1}}});
    assert_eq!(put(path, &body), (200, json!({"doc_id": "faq/1", "added": true, "changed": false})));
    assert_eq!(put(path, &body).1["added"], false);
    let (_, found) = server.post("/api/v1/search", &json!({"question": "How much does a kettle hold?"}));
    assert_eq!(found["contexts"][0]["doc_id"], "faq/1");
    assert_eq!(found["contexts"][0]["metadata"], json!({"kind": "tool"}));
    assert_eq!(put(path, &json!({"text": "A kettle holds three litres."})).1["changed"], true);
    assert_eq!(server.get(path).1["text"], "A kettle holds three litres.");
    assert_eq!((put(path, &json!({"text": " "})).0, code(&put(path, &json!({"text": " "})).1)), (400, "bad_document"));
    assert_eq!(put(path, &json!({"text": "x", "unknown": 1})).0, 400);
    assert_eq!(server.delete(path), (200, json!({"removed": 1})));
    assert_eq!(server.get(path).0, 404);
}
