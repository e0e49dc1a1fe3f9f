//! Images as a user has them: kept with their documents, named by contexts, given back byte by byte – and read, where
//! the networks are.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{Ran, World, contexts, text};

fn picture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-models/tests/images");
    std::fs::read(folder.join(name)).unwrap()
}

fn with_pictures() -> World {
    let world = World::new();
    world.write("docs/img/tea.png", picture("tea.png"));
    world.write("docs/img/harbour.png", picture("harbour.png"));
    world.write(
        "docs/a.md",
        "# Notes\n\nThe notice on the door says when we meet.\n\n![The notice](img/tea.png \
        \"Notice of the cooperative\")\n",
    );
    world.write("docs/b.md", "# Copy\n\nAnother page shows the same sheet of paper.\n\n![A sheet](img/tea.png)\n");
    world
}

/// The images of the context of this document.
fn images(answer: &Value, document: &str) -> Vec<Value> {
    let context = contexts(answer).iter().find(|context| text(context, "doc_id") == document).expect("found");
    context["images"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_context_names_its_images_and_their_bytes_are_kept() {
    let world = with_pictures();
    world.index(["docs/a.md", "docs/b.md"]);
    let found = images(&world.search(&["the notice on the door"]), "a.md");
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["media_type"], &found[0]["alt"]), (&"image/png".into(), &"The notice".into()));
    assert_eq!(found[0]["caption"], "Notice of the cooperative");
    let hash = text(&found[0], "hash");
    // As it was when it was indexed, whatever becomes of the file.
    world.delete("docs/img/tea.png");
    world.okno(["show", "--image", &hash, "--out", "out.png"]).succeeds();
    assert_eq!(std::fs::read(world.path("out.png")).unwrap(), picture("tea.png"));
    let shown = world.okno(["show", "a.md", "--json"]).succeeds().json();
    assert_eq!(text(&shown["images"][0], "hash"), hash);
    // The same bytes are one image; it goes with its last document.
    world.okno(["remove", "a.md"]).succeeds();
    world.okno(["show", "--image", &hash, "--out", "out.png"]).succeeds();
    world.okno(["remove", "b.md"]).succeeds();
    world.okno(["show", "--image", &hash, "--out", "out.png"]).refuses().says(&["no image"]);
    world.okno(["show", "--image", "tea"]).refuses().says(&["32 hexadecimal digits"]);
}

/// The package with the networks, where the tests are given one.
fn package() -> Option<PathBuf> {
    let folder = std::env::var_os("OKNO_TEST_MODELS")?;
    let is_it = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rapidocr-"));
    std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find(is_it)
}

#[test]
fn what_is_read_in_images_is_found() {
    let Some(package) = package() else {
        support::say_skipped(
            "no OCR networks – set OKNO_TEST_MODELS to a folder with the `rapidocr` wheel (.ci/fetch-models.sh)",
        );
        return;
    };
    let world = with_pictures();
    let scanned = Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-load/tests/files/scan.pdf");
    world.write("docs/scan.pdf", std::fs::read(scanned).unwrap());
    // First without, then with: what was skipped or silent before is looked at again.
    world.index(["docs"]);
    let shelf = world.path("shelf");
    let reading = || {
        let mut command = world.command();
        command.env("OKNO_MODELS", &shelf);
        command
    };
    Ran::of(reading().args(["models", "add", "rapidocr"]).arg(&package)).succeeds();
    let report = Ran::of(reading().args(["index", "--json"])).succeeds().json();
    assert_eq!(report["skipped"].as_array().map_or(0, Vec::len), 0, "{report}");
    let answer = world.search(&["新社员需要几位老社员推荐?"]);
    let found: Vec<String> = contexts(&answer).iter().map(|context| text(context, "doc_id")).collect();
    assert!(found.contains(&"a.md".to_owned()) || found.contains(&"img/tea.png".to_owned()), "{found:?}");
    assert!(contexts(&answer).iter().any(|context| context["images"].is_array()), "{answer}");
    let answer = world.search(&["When does the harbour office open?"]);
    let best = &contexts(&answer)[0];
    assert!(text(best, "text").contains("seven in the morning"), "{best}");
    let shown = world.okno(["show", "a.md"]).succeeds().out;
    assert!(!shown.contains("茶山"), "what is read never becomes text of the document: {shown}");
    let scan = world.okno(["show", "scan.pdf", "--json"]).succeeds().json();
    assert_eq!(scan["metadata"]["pages"], 2);
    assert!(text(&scan, "text").contains("honey dark"), "{scan}");
}
