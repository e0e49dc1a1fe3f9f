//! Uploads that end the process that loads them.

use super::{Server, World, text};
use serde_json::{Value, json};

fn skipped(job: &Value) -> Vec<String> {
    let skipped = job["result"]["skipped"].as_array().unwrap_or_else(|| panic!("{job}"));
    skipped.iter().map(|skipped| text(skipped, "code")).collect()
}

/// Was broken: one upload could abort the server.
#[test]
fn an_upload_that_ends_its_loader_costs_one_document_and_is_set_aside() {
    let world = World::with_tea();
    world.write("okno.toml", "[serve]\nload_memory = \"24MB\"\n");
    let server = Server::start(&world, &[]);
    let job = server.upload("small.md", b"Small files fit.");
    assert_eq!((text(&job, "state"), &job["result"]["added"]), ("done".into(), &json!(1)), "{job}");
    // More than loading may take: the process of its loader aborts.
    let large = "A long text needs memory. ".repeat(2_000_000);
    let job = server.upload("large.md", large.as_bytes());
    assert_eq!((text(&job, "state"), skipped(&job)), ("done".into(), vec!["loader_ended".into()]), "{job}");
    // The next run tries once more; then it is set aside, and later runs go past it.
    let job = server.upload("second.md", b"Another small file fits as well.");
    assert_eq!((skipped(&job), &job["result"]["added"]), (vec!["set_aside".into()], &json!(1)), "{job}");
    assert!(world.path("okno-uploads/.set-aside/large.md").exists());
    let job = server.upload("third.md", b"A third small file.");
    assert_eq!(skipped(&job), Vec::<String>::new(), "{job}");
    let (_, status) = server.get("/api/v1/status");
    assert!(status.contains("\"set_aside\":[\"large.md\"]"), "{status}");
    assert_eq!(server.get("/readyz").0, 200);
    let (_, answer) = server.post("/api/v1/search", &json!({"question": "Which files fit?"}));
    assert!(answer.to_string().contains("Small files fit."), "{answer}");
}
