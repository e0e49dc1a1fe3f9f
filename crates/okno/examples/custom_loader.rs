//! Indexes a format of your own: song texts with time stamps, found and returned without them.
//!
//! `cargo run -p okno --example custom_loader`; `docs/add-a-loader.md` says what a loader promises.

use okno::document::{Block, BlockKind, Loaded, Span};
use okno::load::{Loader, Sink, SkipReason, Source};
use okno::{Engine, Query};
use std::path::Path;
use std::sync::Arc;

/// Reads `.lrc`: lines such as `[00:12.00]Green tea`.
struct Lyrics;

impl Loader for Lyrics {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        path.extension().is_some_and(|extension| extension == "lrc") && !head.contains(&0)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let (mut text, mut blocks) = (String::new(), Vec::new());
        for line in source.text()?.lines() {
            let words = line.rsplit(']').next().unwrap_or_default().trim();
            if !words.is_empty() {
                let start = text.len();
                text.push_str(words);
                // Every line is a block: a sentence never runs from one block into the next.
                blocks.push(Block { kind: BlockKind::Paragraph, span: Span::new(start, text.len()) });
                text.push('\n');
            }
        }
        out.document(Loaded { title: source.stem(), text, blocks, ..Loaded::default() });
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let song = folder.path().join("kettle.lrc");
    std::fs::write(&song, "[00:01.00]The kettle is singing\n[00:07.50]Green leaves in the cup\n[00:15.00]\n")?;

    let engine = Engine::builder().loader(Arc::new(Lyrics)).create(folder.path().join(".okno"))?;
    let report = engine.index(&[song])?;
    println!("{} document, {} lines", report.added, report.sentences);

    let query = Query::new("What sings?").recipe("window").k(1);
    for context in engine.search(&query)?.contexts {
        println!("{}: {}", context.document, context.text.replace('\n', " / "));
    }
    Ok(())
}
