//! Any bytes inside every container, every law.
#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code)] // Each target asks one of them.
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::inside(bytes));
