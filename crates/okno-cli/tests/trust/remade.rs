//! An index that is deleted and made again while a server has it open.

use super::{Server, World, contexts, counts, text};
use serde_json::json;

fn world() -> World {
    let world = World::new();
    for number in 0..12 {
        world.write(&format!("notes/n{number}.md"), format!("Note number{number} tells of nothing else."));
    }
    world.index(["notes"]);
    world
}

/// Was broken: the job said done, wrote its document into the deleted file, and spoiled the new lexical index.
#[test]
fn an_index_remade_under_a_running_server_is_opened_again() {
    let world = world();
    let server = Server::start(&world, &[]);
    let ask = |question: &str| server.post("/api/v1/search", &json!({"question": question, "recipe": "window"}));
    let (status, answer) = ask("number7");
    assert_eq!((status, text(&contexts(&answer)[0], "doc_id")), (200, "n7.md".into()));
    world.delete(".okno").delete("notes/n7.md").write("notes/extra.md", "An extra note about walruses.");
    world.index(["notes"]);
    let job = server.upload("zebra.md", b"Zebras were uploaded.");
    assert_eq!((text(&job, "state"), &job["result"]["added"]), ("done".into(), &json!(1)), "{job}");
    // Both are in the one index that is there, for the server and for everybody else.
    for question in ["zebras", "walruses", "number3"] {
        let (status, answer) = ask(question);
        assert_eq!(status, 200);
        let documents: Vec<String> = contexts(&answer).iter().map(|context| text(context, "doc_id")).collect();
        assert_eq!(documents.first(), world.found(question).first(), "{question}");
    }
    assert_ne!(text(&contexts(&ask("number7").1)[0], "doc_id"), "n7.md", "not the deleted one");
    assert_eq!(world.found("zebras")[0], "zebra.md");
    assert_eq!(world.names().len(), 13);
    assert_eq!(counts(&world.index(["notes"])), [0, 0, 0, 12]);
    assert!(std::fs::read_to_string(world.path("serve.log")).unwrap().contains("the index was replaced"));
}

/// The file of an index that lost most of its documents is made shorter while a server has it open.
#[test]
fn free_pages_are_given_back_under_a_running_server() {
    let world = World::new();
    let term = |number: usize, at: usize| format!("w{:x}", (number * 7919 + at).wrapping_mul(0x9e37_79b9) >> 8);
    for number in 0..40 {
        let words: Vec<String> = (0..8000).map(|at| term(number, at)).collect();
        world.write(&format!("notes/n{number}.md"), format!("Note number{number}.\n\n{}", words.join(" ")));
    }
    world.index(["notes"]);
    let server = Server::start(&world, &[]);
    let first = |question: &str| {
        let (status, answer) = server.post("/api/v1/search", &json!({"question": question, "recipe": "window"}));
        assert_eq!(status, 200, "{answer}");
        text(&contexts(&answer)[0], "doc_id")
    };
    assert_eq!(first("number30"), "n30.md");
    let size = || std::fs::metadata(world.path(".okno/data.mdb")).unwrap().len();
    let before = size();
    for number in 8..40 {
        world.delete(&format!("notes/n{number}.md"));
    }
    world.index(["notes"]);
    assert!(size() * 2 < before, "{} of {before}", size());
    // The server still has the old file, and the same file of locks.
    assert_eq!(world.found("number3")[0], "n3.md");
    world.write("notes/extra.md", "An extra note about walruses.");
    world.index(["notes"]);
    assert_eq!(world.found("walruses")[0], "extra.md");
    assert_eq!(first("walruses"), "extra.md");
    assert_ne!(first("number30"), "n30.md");
    let job = server.upload("zebra.md", b"Zebras were uploaded.");
    assert_eq!((text(&job, "state"), &job["result"]["added"]), ("done".into(), &json!(1)), "{job}");
    assert_eq!((first("zebras"), world.found("zebras")[0].as_str()), ("zebra.md".into(), "zebra.md"));
    assert_eq!(world.names().len(), 10);
}

#[test]
fn readiness_says_whether_questions_can_be_answered_and_liveness_does_not() {
    let world = world();
    let server = Server::start(&world, &[]);
    assert_eq!(server.get("/readyz"), (200, "ready\n".into()));
    world.delete(".okno");
    let (status, told) = server.get("/readyz");
    assert!(status == 503 && told.contains("not_ready"), "{status} {told}");
    assert_eq!(server.get("/healthz"), (200, "ok\n".into()));
    world.index(["notes"]);
    assert_eq!(server.get("/readyz").0, 200);
}
