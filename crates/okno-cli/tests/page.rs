//! The web page in a real browser, against the real server: its journeys in both languages, hostile documents, looks.
//!
//! The tests themselves are in `crates/okno-server/page/tests`, in the page's own language. They need Node and a folder
//! with playwright-core and axe-core, which `.ci/browser.sh FOLDER` makes, and Chromium.
#![cfg(feature = "serve")]

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// The folder with `node_modules`.
const FOLDER: &str = "OKNO_TEST_BROWSER";

/// Runs files of tests with Node, one after the other: a browser each is enough for two cores.
fn node(files: &[&str]) {
    let Some(folder) = std::env::var_os(FOLDER) else {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: the page in a browser – set {FOLDER} to the folder that `.ci/browser.sh FOLDER` made"
        );
        return;
    };
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-server/page/tests");
    let ran = Command::new("node")
        .args(["--test", "--test-concurrency=1"])
        .args(files)
        .current_dir(tests)
        .env(FOLDER, folder)
        .env("OKNO_BIN", env!("CARGO_BIN_EXE_okno"))
        .output()
        .expect("node runs where the folder is named");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{out}\n{err}");
    assert!(out.contains("# fail 0") && !out.contains("# pass 0"), "no test was run: {out}");
}

#[test]
fn the_page_is_pure_where_it_can_be() {
    node(&["spans.test.mjs", "source.test.mjs"]);
}

#[test]
fn people_find_ask_compare_add_and_measure_in_both_languages() {
    node(&["journeys.test.mjs"]);
}

#[test]
fn text_of_documents_is_text() {
    node(&["hostile.test.mjs"]);
}

#[test]
fn documents_are_rendered_with_allowed_elements_only() {
    node(&["rendering.test.mjs"]);
}

#[cfg(feature = "page-pictures")]
#[test]
fn a_pdf_opens_as_its_page_with_the_passage_marked() {
    node(&["sheets.test.mjs"]);
}

#[test]
fn every_view_is_accessible_and_fits_a_phone() {
    node(&["looks.test.mjs"]);
}
