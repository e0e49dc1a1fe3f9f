//! `okno units` and `okno import-units`: texts that are searched in place of what they stand for.

use crate::globals::Globals;
use crate::locale::say;
use crate::{errors, opening, output};
use anyhow::{Context as _, Result};
use clap::Args;
use okno::document::CodePoints;
use okno::shapes;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// What to import.
#[derive(Debug, Args)]
pub struct ImportUnitsArgs {
    /// JSON lines with `document`, `layer`, `text` and, for a part of the document, `start` and `end`; `-` for
    /// standard input
    file: PathBuf,
}

/// Prints the derived units as the JSON lines that `import-units` reads, or in short.
pub fn list(globals: &Globals) -> Result<()> {
    let engine = opening::open(globals.index())?;
    let snapshot = engine.snapshot()?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (number, record) in snapshot.records()? {
        let (text, structure) = (snapshot.text(*number)?, snapshot.structure(*number)?);
        let mut walk = CodePoints::new(&text);
        for unit in &*snapshot.derived(*number)? {
            let span = structure.span(unit.sentences());
            let (document, start, end) = (record.id.name(), walk.at(span.start).0, walk.at(span.end).0);
            if globals.json {
                let line = serde_json::json!({
                    "document": document, "start": start, "end": end, "layer": unit.kind, "text": unit.text,
                });
                writeln!(out, "{line}")?;
            } else {
                let text = output::printable(&output::shortened(&unit.text, 80));
                writeln!(out, "{}\t{}\t{start}–{end}\t{text}", output::printable(document), unit.kind)?;
            }
        }
    }
    Ok(out.flush()?)
}

pub fn import(globals: &Globals, args: &ImportUnitsArgs) -> Result<()> {
    let file = &args.file;
    let engine = opening::open(globals.index())?;
    let report = engine.import_units(open(file)?)?;
    if globals.json {
        let skipped: Vec<shapes::SkippedFile> = report.skipped.iter().map(Into::into).collect();
        return output::json(&serde_json::json!({
            "documents": report.documents, "units": shapes::units(&report.units), "skipped": skipped,
        }));
    }
    for skipped in &report.skipped {
        let place = format!("{}: {}", file.display(), skipped.place);
        output::note(&say!(
            "skipped {}: {}",
            "跳过 {}：{}",
            place,
            output::printable(&errors::of_skipped(&skipped.reason))
        ));
    }
    let counts: Vec<String> = report.units.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let units = if counts.is_empty() { "0".to_owned() } else { counts.join(", ") };
    output::note(&say!("{} units for {} documents", "{} 个单元，涉及 {} 个文档", units, report.documents));
    Ok(())
}

/// A file, or standard input for `-`.
fn open(file: &Path) -> Result<Box<dyn BufRead>> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let opened =
        std::fs::File::open(file).with_context(|| say!("cannot read `{}`", "无法读取 `{}`", file.display()))?;
    Ok(Box::new(BufReader::new(opened)))
}
