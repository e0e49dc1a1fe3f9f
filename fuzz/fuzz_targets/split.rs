//! Any text at all, every splitter, every law.
#![no_main]

use libfuzzer_sys::fuzz_target;
use okno::split::{Splitter, contract};

const SPLITTERS: &[&str] = &[
    "sentence", "sentences:3", "paragraph", "chunk:40c/20c", "words:7/3", "chars:10/4", "recursive:40c/15c", "recursive:12t/4t",
    "tokens:12t/4t", "markdown", "semantic:50p/200c", "hierarchy:120c/30c", "code:80c",
];

fuzz_target!(|text: &str| {
    for name in SPLITTERS {
        let splitter: Splitter = name.parse().expect("a splitter");
        contract::check(&splitter, text);
    }
});
