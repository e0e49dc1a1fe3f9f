//! `okno documents`: the documents of an index, one per line.

use crate::globals::Globals;
use crate::{opening, output};
use anyhow::Result;
use clap::Args;
use okno::document::Filter;
use okno::retrieve::matching;
use okno::shapes::Document;
use std::io::Write;

/// Which documents.
#[derive(Debug, Args)]
pub struct DocumentsArgs {
    /// Only documents that match
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
}

pub fn run(globals: &Globals, args: &DocumentsArgs) -> Result<()> {
    let engine = opening::open(globals.index())?;
    let filter = args.filter.as_deref().map(Filter::parse).transpose().map_err(okno::Error::from)?;
    let snapshot = engine.snapshot()?;
    let matching = filter.map(|filter| matching(&*snapshot, &filter)).transpose()?;
    if matching.as_ref().is_some_and(Vec::is_empty) && !globals.json {
        output::note(&output::no_match());
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (number, record) in snapshot.records()? {
        // Both lists ascend by number.
        if matching.as_ref().is_some_and(|matching| matching.binary_search(number).is_err()) {
            continue;
        }
        if globals.json {
            writeln!(out, "{}", serde_json::json!(Document::from(record)))?;
        } else {
            writeln!(
                out,
                "{}\t{}\t{}",
                output::printable(record.id.name()),
                record.sentences,
                output::printable(&record.title)
            )?;
        }
    }
    Ok(out.flush()?)
}
