//! Images as a user has them: kept with their documents, named by contexts, given back byte by byte – and read, where
//! the networks are.

mod support;

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Ran, World, contexts, text};

fn picture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-models/tests/images");
    std::fs::read(folder.join(name)).unwrap()
}

fn scan(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-load/tests/files");
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

/// A folder with the networks, and the program that reads with them; says so where there are none.
struct OcrWorld(World);

impl OcrWorld {
    fn over(world: World) -> Option<Self> {
        let Some(package) = package() else {
            support::say_skipped(
                "no OCR networks – set OKNO_TEST_MODELS to a folder with the `rapidocr` wheel (.ci/fetch-models.sh)",
            );
            return None;
        };
        let reading = Self(world);
        Ran::of(reading.command().args(["models", "add", "rapidocr"]).arg(&package)).succeeds();
        Some(reading)
    }

    fn command(&self) -> Command {
        let mut command = self.0.command();
        command.env("OKNO_MODELS", self.0.path("shelf"));
        command
    }
}

#[test]
fn what_is_read_in_images_is_found() {
    let Some(reading) = OcrWorld::over(with_pictures()) else { return };
    let world = &reading.0;
    world.write("docs/scan.pdf", scan("scan.pdf"));
    // First without, then with: what was skipped or silent before is looked at again.
    world.index(["docs"]);
    let report = Ran::of(reading.command().args(["index", "--json"])).succeeds().json();
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

/// Faxes, JBIG2 and JPEG 2000 were not decoded; pages in strips, turned ones and those with four inks gave nothing.
#[test]
fn scanned_pages_are_read_whatever_they_are_coded_as() {
    let Some(reading) = OcrWorld::over(World::new()) else { return };
    for (name, pages) in [("fax.pdf", 5), ("jbig2.pdf", 1), ("jpx.pdf", 1), ("scan-parts.pdf", 3)] {
        reading.0.write(name, scan(name));
        let read = Ran::of(reading.command().args(["load", "--json", name])).succeeds();
        assert_eq!(read.err, "", "{name}: nothing is left out");
        let read = text(&read.json(), "text");
        assert_eq!(read.matches("seven in the morning").count(), pages, "{name}: {read}");
        assert_eq!(read.matches("dogs travel free").count(), pages, "{name}: {read}");
    }
    reading.0.write("scan.pdf", claiming_jbig2());
    let refused = Ran::of(reading.command().args(["load", "scan.pdf"])).ends_with(1);
    refused.says(&["1 of 1 pages are scans that could not be drawn for OCR: drawing failed or took too much memory"]);
}

/// A file with other bytes at a place behind a mark.
fn changed(mut file: Vec<u8>, mark: &[u8], behind: usize, bytes: &[u8]) -> Vec<u8> {
    let at = file.windows(mark.len()).position(|window| window == mark).expect("the mark") + mark.len() + behind;
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

/// A page of 60,000 by 60,000 pixels.
fn claiming_jbig2() -> Vec<u8> {
    let size = [60_000u32.to_be_bytes(), 60_000u32.to_be_bytes()].concat();
    changed(scan("jbig2.pdf"), &[0, 0, 0, 0, 48, 0, 1, 0, 0, 0, 19], 0, &size)
}

/// The same size, in tiles of one pixel or of the whole.
fn claiming_jpx(tile: u32) -> Vec<u8> {
    let numbers = [60_000, 60_000, 0, 0, tile, tile].map(u32::to_be_bytes).concat();
    changed(scan("jpx.pdf"), &[0xff, 0x4f, 0xff, 0x51], 4, &numbers)
}

/// The process that draws a page ends by itself, and takes no more memory than it is given.
#[test]
fn what_an_image_claims_ends_the_process_that_draws_it() {
    let world = World::new();
    let files = [("JBIG2", claiming_jbig2()), ("small tiles", claiming_jpx(1)), ("large tiles", claiming_jpx(60_000))];
    for (name, file) in files {
        let begun = Instant::now();
        let mut command = world.command();
        command.args(["read-page", "--memory", "268435456", "picture", "1", "2000"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // It may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(&[&[0; 8][..], &file].concat());
        let output = child.wait_with_output().unwrap();
        assert!(!output.status.success() || output.stdout.starts_with(b"\x89PNG"), "{name}: {output:?}");
        assert!(begun.elapsed() < Duration::from_secs(30), "{name}: {:?}", begun.elapsed());
    }
}
