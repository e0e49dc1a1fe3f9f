//! `okno embed`: lines in, unit vectors out, one JSON array per line.

use anyhow::Result;
use okno::embed::{BuiltIn, Embedder, Role, normalize};
use std::io::{BufRead, Write};

pub fn run() -> Result<()> {
    let embedder = BuiltIn::default();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let mut vector = embedder.embed(&[&line?], Role::Passage)?;
        normalize(&mut vector);
        serde_json::to_writer(&mut out, &vector)?;
        writeln!(out)?;
    }
    Ok(out.flush()?)
}
