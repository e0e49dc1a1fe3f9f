//! The client against a service that fails in every way services fail.

#[path = "support/server.rs"]
mod server;

use okno::generate::{ChatMessage, ChatRole, Completion, GenerateError, Generator, Request, Usage};
use okno_models::service::{Cached, Chat, Embeddings, Options, Patience, ServiceKey};
use serde_json::json;
use server::{Reply, Server, error, said};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const KEY: &str = "sk-very-secret-0123456789";

fn options(server: &Server) -> Options {
    Options {
        model: Some("m".to_owned()),
        key_variable: "MY_API_KEY".to_owned(),
        patience: Patience { pause: Duration::from_millis(5), ..Patience::within(Duration::from_secs(5)) },
        ..Options::at(&server.url(), Some(ServiceKey::new(KEY)))
    }
}

fn chat(server: &Server) -> Chat {
    Chat::connect(options(server)).unwrap()
}

fn hello() -> Request {
    Request::new(vec![ChatMessage::new(ChatRole::User, "hello")])
}

/// What was given piecewise, and what came of it.
fn ask(chat: &dyn Generator) -> (String, Result<Completion, GenerateError>) {
    let mut given = String::new();
    let done = chat.generate(&hello(), &mut |text| {
        given.push_str(text);
        ControlFlow::Continue(())
    });
    (given, done)
}

#[test]
fn an_answer_is_given_as_it_comes_and_costs_what_the_service_says() {
    let server = Server::saying(vec![said(&["Black ", "tea", "。"])]);
    let chat = chat(&server);
    let (given, done) = ask(&chat);
    let usage = Usage { prompt: 7, completion: 3 };
    assert_eq!(given, "Black tea。");
    assert_eq!(done.unwrap(), Completion { text: given, usage, cut: false, cached: false });
    assert_eq!(chat.spent(), usage);
    let asked = &server.asked()[0];
    assert!(asked.head.starts_with("POST /v1/chat/completions"));
    assert!(asked.head.to_lowercase().contains(&format!("authorization: bearer {KEY}")));
    assert_eq!((&asked.body["model"], &asked.body["stream"]), (&json!("m"), &json!(true)));
}

#[test]
fn a_service_that_does_not_stream_is_understood() {
    let body = json!({"choices": [{"message": {"content": "whole"}, "finish_reason": "length"}]}).to_string();
    let server = Server::saying(vec![Reply::Whole(200, "", body)]);
    let (given, done) = ask(&chat(&server));
    let done = done.unwrap();
    assert_eq!((given.as_str(), done.cut), ("whole", true));
    assert!(done.usage.prompt > 0 && done.usage.completion > 0, "counted by ourselves: {:?}", done.usage);
}

#[test]
fn a_busy_service_is_asked_again_as_late_as_it_wishes() {
    let server = Server::saying(vec![error(429, "Retry-After: 0.3\r\n", "slow down"), said(&["ok"])]);
    let begun = Instant::now();
    assert_eq!(ask(&chat(&server)).1.unwrap().text, "ok");
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_busy_service_may_say_until_when() {
    let headers = "Date: Wed, 21 Oct 2026 07:28:00 GMT\r\nRetry-After: Wed, 21 Oct 2026 07:28:01 GMT\r\n";
    let server = Server::saying(vec![error(429, headers, "slow down"), said(&["ok"])]);
    let begun = Instant::now();
    assert_eq!(ask(&chat(&server)).1.unwrap().text, "ok");
    assert!(begun.elapsed() >= Duration::from_secs(1), "by the service's own clock: {:?}", begun.elapsed());
}

#[test]
fn a_service_that_stays_busy_or_broken_is_given_up_after_four_tries() {
    let server = Server::saying(vec![error(429, "", "slow down")]);
    let failed = ask(&chat(&server)).1.unwrap_err();
    assert!(
        matches!(&failed, GenerateError::Busy { reason, .. } if reason.to_string().contains("slow down")),
        "{failed}"
    );
    assert_eq!(server.asked().len(), 4);
    let server = Server::saying(vec![error(500, "", "oops")]);
    let failed = ask(&chat(&server)).1.unwrap_err();
    assert!(
        matches!(&failed, GenerateError::Away { reason, .. } if reason.to_string().contains("500: oops")),
        "{failed}"
    );
    assert_eq!(server.asked().len(), 4);
    let server = Server::saying(vec![error(503, "", "starting"), error(500, "", "oops"), said(&["ok"])]);
    assert_eq!(ask(&chat(&server)).1.unwrap().text, "ok");
}

#[test]
fn a_wait_longer_than_our_patience_is_not_waited() {
    let server = Server::saying(vec![error(429, "Retry-After: 600\r\n", "quota")]);
    let begun = Instant::now();
    let failed = ask(&chat(&server)).1.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(3));
    let wait = Some(Duration::from_mins(10));
    assert!(matches!(failed, GenerateError::Busy { retry_after, .. } if retry_after == wait));
}

#[test]
fn silence_and_slowness_end_in_time() {
    let server = Server::saying(vec![Reply::Silence(Duration::from_secs(3))]);
    let short = Patience { silence: Duration::from_millis(200), tries: 1, ..Patience::within(Duration::from_secs(5)) };
    let chat = Chat::connect(Options { patience: short, ..options(&server) }).unwrap();
    let begun = Instant::now();
    let failed = ask(&chat).1.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert!(failed.to_string().contains("`model.timeout`"), "{failed}");

    let server = Server::saying(vec![Reply::Late(Duration::from_secs(4), Box::new(said(&["late"])))]);
    let short = Patience { pause: Duration::from_millis(5), ..Patience::within(Duration::from_millis(400)) };
    let chat = Chat::connect(Options { patience: short, ..options(&server) }).unwrap();
    let begun = Instant::now();
    assert!(matches!(ask(&chat).1.unwrap_err(), GenerateError::Away { .. }));
    assert!(begun.elapsed() < Duration::from_secs(3), "the whole is bounded, tries and all: {:?}", begun.elapsed());
}

#[test]
fn nobody_there() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let patience = Patience { pause: Duration::from_millis(1), ..Patience::default() };
    let options =
        Options { model: Some("m".into()), patience, ..Options::at(&format!("http://127.0.0.1:{port}/v1"), None) };
    let failed = ask(&Chat::connect(options).unwrap()).1.unwrap_err();
    assert!(failed.to_string().contains("start the server"), "{failed}");
}

#[test]
fn a_cut_stream_is_tried_again_only_if_nothing_was_said() {
    let piece = json!({"choices": [{"delta": {"content": "Black t"}}]}).to_string();
    let server = Server::saying(vec![Reply::Stream(vec![piece.clone()], false), said(&["never asked"])]);
    let (given, done) = ask(&chat(&server));
    assert_eq!(given, "Black t", "nothing is said twice");
    assert!(matches!(done.unwrap_err(), GenerateError::Garbled { .. }));
    assert_eq!(server.asked().len(), 1);
    let server = Server::saying(vec![Reply::Stream(vec![], false), said(&["ok"])]);
    assert_eq!(ask(&chat(&server)).1.unwrap().text, "ok");
    let server = Server::saying(vec![Reply::Stream(vec![piece], true)]);
    assert!(matches!(ask(&chat(&server)).1.unwrap_err(), GenerateError::Garbled { .. }), "ended without an end");
}

#[test]
fn what_is_no_answer_is_said_to_be_none() {
    for body in ["<html>welcome</html>", "{\"choices\": 5}", "{\"object\": \"list\"}"] {
        let server = Server::saying(vec![Reply::Whole(200, "", body.to_owned())]);
        let failed = ask(&chat(&server)).1.unwrap_err();
        assert!(matches!(failed, GenerateError::Garbled { .. }), "{body}: {failed}");
    }
    let server = Server::saying(vec![Reply::Stream(vec!["{\"choices\": [{\"delta\"".to_owned()], true)]);
    assert!(matches!(ask(&chat(&server)).1.unwrap_err(), GenerateError::Garbled { .. }));
}

#[test]
fn an_error_inside_a_stream_is_an_error() {
    let message = "the request exceeds the available context size";
    let event = json!({"error": {"code": 400, "message": message, "type": "exceed_context_size_error"}});
    let server = Server::saying(vec![Reply::Stream(vec![event.to_string()], true)]);
    assert!(matches!(ask(&chat(&server)).1.unwrap_err(), GenerateError::TooLong { .. }));
    assert_eq!(server.asked().len(), 1);
}

/// A service that ran out of context while it spoke looked like one that was asked too much, and was asked again.
#[test]
fn an_error_after_some_text_is_a_broken_answer_and_nothing_is_asked_again() {
    let piece = json!({"choices": [{"delta": {"content": "Black t"}}]}).to_string();
    for message in ["the context size has been exceeded", "'stream_options' is not supported"] {
        let event = json!({"error": {"code": 400, "message": message}}).to_string();
        let server = Server::saying(vec![Reply::Stream(vec![piece.clone(), event], true), said(&["never asked"])]);
        let (given, done) = ask(&chat(&server));
        let failed = done.unwrap_err();
        assert!(
            matches!(&failed, GenerateError::Garbled { reason, .. } if reason.to_string().contains(message)),
            "{failed}"
        );
        assert_eq!((given.as_str(), server.asked().len()), ("Black t", 1));
    }
}

#[test]
fn a_prompt_too_long_and_a_wrong_key_are_not_tried_again() {
    let server = Server::saying(vec![error(400, "", "This model's maximum context length is 4096 tokens")]);
    let failed = ask(&chat(&server)).1.unwrap_err();
    assert!(matches!(failed, GenerateError::TooLong { .. }), "{failed}");
    assert!(failed.to_string().contains("lower the budget"));
    assert_eq!(server.asked().len(), 1);
    let server = Server::saying(vec![error(401, "", &format!("Incorrect API key provided: {KEY}"))]);
    let failed = ask(&chat(&server)).1.unwrap_err();
    assert!(matches!(failed, GenerateError::Refused { .. }));
    assert!(failed.to_string().ends_with("check the key in `MY_API_KEY`"), "{failed}");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_key_is_in_no_error_and_no_debug_print() {
    let server =
        Server::saying(vec![error(401, "", &format!("bad key {KEY}!")), error(400, "", KEY), error(500, "", KEY)]);
    let chat = chat(&server);
    let mut printed =
        format!("{chat:?} {:?} {:?} {:?}", options(&server), ServiceKey::new(KEY), &chat as &dyn Generator);
    for _ in 0..3 {
        let failed = ask(&chat).1.unwrap_err();
        printed += &format!("{failed} {failed:?}");
    }
    for garbled in [format!("<p>{KEY}"), json!({"choices": KEY}).to_string()] {
        let server = Server::saying(vec![Reply::Whole(200, "", garbled)]);
        printed += &ask(&Chat::connect(options(&server)).unwrap()).1.unwrap_err().to_string();
    }
    let embeddings = Embeddings::connect(options(&server)).unwrap_err();
    printed += &format!("{embeddings} {embeddings:?}");
    assert!(!printed.contains("very-secret"), "{printed}");
    assert!(printed.contains("[key]"));
}

#[test]
fn a_redirect_is_not_followed_with_the_key() {
    let elsewhere = Server::saying(vec![said(&["stolen"])]);
    let place: &'static str = format!("Location: {}/chat/completions\r\n", elsewhere.url()).leak();
    let server = Server::saying(vec![Reply::Whole(307, place, String::new())]);
    assert!(matches!(ask(&chat(&server)).1.unwrap_err(), GenerateError::Refused { .. }));
    assert!(elsewhere.asked().is_empty());
}

#[test]
fn what_a_service_does_not_understand_is_left_out() {
    let server = Server::answering(|_, body| match body {
        body if body.get("stream_options").is_some() => error(400, "", "Unknown parameter: stream_options"),
        body if body["response_format"]["type"] == "json_schema" => {
            error(400, "", "response_format json_schema is not supported")
        }
        body if body.get("max_tokens").is_some() => {
            error(400, "", "'max_tokens' is not supported, use 'max_completion_tokens'")
        }
        _ => said(&["{}"]),
    });
    let chat = chat(&server);
    let request = Request { schema: Some(json!({"type": "object"})), max_tokens: Some(5), ..hello() };
    let mut quiet = |_: &str| ControlFlow::Continue(());
    assert_eq!(chat.generate(&request, &mut quiet).unwrap().text, "{}");
    assert_eq!(server.asked().len(), 4);
    assert_eq!(chat.generate(&request, &mut quiet).unwrap().text, "{}");
    assert_eq!(server.asked().len(), 5, "learned once");
    assert_eq!(server.asked()[4].body["response_format"], json!({"type": "json_object"}));
    assert_eq!(server.asked()[4].body["max_completion_tokens"], 5);
}

/// Only the first of several refused requests was tried again; those under way with it failed for good.
#[test]
fn requests_under_way_when_a_service_refuses_a_parameter_are_all_tried_again() {
    let server = Server::answering(|_, body| match body.get("max_tokens") {
        Some(_) => Reply::Late(Duration::from_millis(200), Box::new(error(400, "", "'max_tokens' is not supported"))),
        None => said(&["ok"]),
    });
    let chat = Chat::connect(Options { concurrency: 4, ..options(&server) }).unwrap();
    let request = Request { max_tokens: Some(5), ..hello() };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| chat.generate(&request, &mut |_| ControlFlow::Continue(())).unwrap());
        }
    });
    assert!(server.asked().len() > 5, "they were under way together: {}", server.asked().len());
}

#[test]
fn the_caller_may_stop() {
    let server = Server::saying(vec![said(&["one ", "two"])]);
    let mut given = String::new();
    let stopped = chat(&server).generate(&hello(), &mut |text| {
        given.push_str(text);
        ControlFlow::Break(())
    });
    assert_eq!((stopped, given.as_str()), (Err(GenerateError::Stopped), "one "));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn no_more_requests_at_once_than_allowed() {
    let server = Server::saying(vec![Reply::Late(Duration::from_millis(40), Box::new(said(&["ok"])))]);
    let chat = Chat::connect(Options { concurrency: 3, ..options(&server) }).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| ask(&chat).1.unwrap());
        }
    });
    assert_eq!(server.asked().len(), 12);
    let most = server.most.load(std::sync::atomic::Ordering::SeqCst);
    assert!((2..=3).contains(&most), "{most} at once");
}

#[test]
fn a_model_that_is_not_named_is_asked_for() {
    let models = Reply::Whole(200, "", json!({"data": [{"id": "smol"}, {"id": "other"}]}).to_string());
    let server = Server::saying(vec![models, said(&["hi"])]);
    let chat = Chat::connect(Options { model: None, ..options(&server) }).unwrap();
    assert!(chat.identity().ends_with("/smol"));
    ask(&chat).1.unwrap();
    let asked = server.asked();
    assert!(asked[0].head.starts_with("GET /v1/models"));
    assert_eq!(asked[1].body["model"], "smol");
}

#[test]
fn thoughts_are_not_the_answer() {
    let server = Server::saying(vec![said(&["<thi", "nk>hm</think>\n", "\nTea."])]);
    let (given, done) = ask(&chat(&server));
    assert_eq!((given.as_str(), done.unwrap().text.as_str()), ("Tea.", "Tea."));
}

#[test]
fn answers_are_kept_by_model_and_request() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::saying(vec![said(&["one"]), said(&["two"]), said(&["three"])]);
    let cached = |variant: &str| Cached::new(chat(&server), folder.path().join("c"), 1 << 20).variant(variant);
    assert_eq!(ask(&cached("")).1.unwrap().text, "one");
    let (given, again) = ask(&cached(""));
    let again = again.unwrap();
    assert_eq!((given.as_str(), again.cached, again.usage), ("one", true, Usage::default()));
    assert_eq!(ask(&cached("temperature 1")).1.unwrap().text, "two", "other settings, another answer");
    let other = Request { temperature: Some(0.7), ..hello() };
    let mut quiet = |_: &str| ControlFlow::Continue(());
    assert_eq!(cached("").generate(&other, &mut quiet).unwrap().text, "three");
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn a_damaged_kept_answer_is_asked_for_again_and_failures_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::saying(vec![error(400, "", "no"), said(&["one"]), said(&["two"])]);
    let cached = Cached::new(chat(&server), folder.path(), 1 << 20);
    assert!(ask(&cached).1.is_err());
    ask(&cached).1.unwrap();
    let files: Vec<_> = walk(folder.path());
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(!std::fs::read_to_string(&files[0]).unwrap().contains("secret"));
    std::fs::write(&files[0], "{\"model\":").unwrap();
    assert_eq!(ask(&cached).1.unwrap().text, "two");
}

#[test]
fn an_empty_answer_is_not_kept_and_one_of_no_use_can_be_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::saying(vec![said(&[" \n"]), said(&["one"]), said(&["two"])]);
    let cached = Cached::new(chat(&server), folder.path(), 1 << 20);
    assert_eq!(ask(&cached).1.unwrap().text.trim(), "");
    assert_eq!(ask(&cached).1.unwrap().text, "one");
    assert!(ask(&cached).1.unwrap().cached);
    cached.forget(&hello());
    assert_eq!(ask(&cached).1.unwrap().text, "two");
}

#[test]
fn what_is_kept_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(1000);
    let server = Server::answering(move |_, _| said(&[&long]));
    let cached = Cached::new(chat(&server), folder.path(), 10_000);
    for number in 0..30 {
        let request = Request::new(vec![ChatMessage::new(ChatRole::User, number.to_string())]);
        cached.generate(&request, &mut |_| ControlFlow::Continue(())).unwrap();
    }
    let bytes: u64 = walk(folder.path()).iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!((5_000..=10_000).contains(&bytes), "{bytes}");
    let last = Request::new(vec![ChatMessage::new(ChatRole::User, "29")]);
    assert!(cached.generate(&last, &mut |_| ControlFlow::Continue(())).unwrap().cached, "the newest stays");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let inside = |folder: &std::path::Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    inside(folder).flat_map(|part| inside(&part).collect::<Vec<_>>()).collect()
}
