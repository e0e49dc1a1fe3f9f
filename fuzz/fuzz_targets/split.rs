//! Any text at all, every splitter, every law.
#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code)] // Each target asks one of them.
mod laws;

libfuzzer_sys::fuzz_target!(|text: &str| laws::split(text));
