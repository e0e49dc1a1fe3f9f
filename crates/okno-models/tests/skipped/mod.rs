//! What a test does without, said.
#![allow(dead_code)] // each test file uses some of it

use std::io::Write;

/// Says why a test does nothing, past the test runner, which keeps what passing tests print to itself.
pub fn say_skipped(why: &str) {
    // Nobody may listen; the test passes all the same.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The address of a language model; `None`, and said, where there is none.
pub fn chat_url() -> Option<String> {
    let url = std::env::var("OKNO_TEST_CHAT_URL").ok();
    if url.is_none() {
        say_skipped("no language model – set OKNO_TEST_CHAT_URL, as `.ci/serve-model.sh FOLDER` prints it");
    }
    url
}
