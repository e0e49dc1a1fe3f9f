//! Indexes a folder and searches it: `cargo run -p okno --example search -- [FOLDER [QUESTION]]`.
//!
//! Without arguments it takes the sample documents of this repository.

use okno::{Engine, Query};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map_or_else(sample, PathBuf::from);
    let question = arguments.next().unwrap_or_else(|| "Why do new people come to the office every day?".to_owned());

    // An index is a folder; this one is thrown away at the end.
    let index = tempfile::tempdir()?;
    let engine = Engine::create(index.path())?;
    let report = engine.index(&[folder])?;
    println!("{} documents, {} sentences\n", report.added, report.sentences);

    // At most 100 tokens of context; what is not said is up to the recipe.
    let answer = engine.search(&Query::new(question).budget(100))?;
    for context in &answer.contexts {
        println!(
            "{}, characters {} to {} (relevance {:.2})",
            context.document, context.start, context.end, context.relevance
        );
        println!("{}\n", context.text);
    }
    Ok(())
}

fn sample() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../okno-cli/sample/documents"))
}
