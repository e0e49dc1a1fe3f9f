//! What needs no index: loading, splitting, embedding, and the command line.

use crate::failure::exception;
use okno::document::{BlockKind, CodePoints, Loaded};
use okno::embed::{BuiltIn, Embedder, Role};
use okno::load::{MAX_FILE_SIZE, Sink, SkipReason, WalkOptions, builtin, load_file, walk};
use okno::split::{Split, Splitter, SplitterError, Text};
use okno_document::message::Message;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;

/// What is read from a file or folder: a list of JSON objects, and what was skipped.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<(Vec<String>, Vec<String>)> {
    let found = py.detach(|| {
        let loaders = builtin();
        let mut found = LoadedFiles::default();
        for entry in walk(&path, &WalkOptions::default()) {
            match entry {
                Ok(entry) => {
                    found.name.clone_from(&entry.name);
                    load_file(&entry, &loaders, MAX_FILE_SIZE, &mut found);
                }
                Err(skipped) => found.skip(&skipped.place, skipped.reason),
            }
        }
        found
    });
    match (found.documents.is_empty(), found.failed) {
        (true, Some(reason)) => Err(exception(py, &reason)),
        _ => Ok((found.documents, found.skipped)),
    }
}

#[derive(Default)]
struct LoadedFiles {
    name: String,
    documents: Vec<String>,
    skipped: Vec<String>,
    failed: Option<SkipReason>,
}

impl Sink for LoadedFiles {
    fn document(&mut self, loaded: Loaded) {
        self.documents.push(document(&self.name, &loaded).to_string());
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        self.skipped.push(json!({"place": place, "code": reason.code(), "reason": reason.to_string()}).to_string());
        self.failed = Some(reason);
    }
}

fn document(name: &str, loaded: &Loaded) -> Value {
    let mut walk = CodePoints::new(&loaded.text);
    let mut blocks = Vec::new();
    for block in &loaded.blocks {
        let (start, end) = (walk.at(block.span.start).0, walk.at(block.span.end).0);
        let (kind, level) = match block.kind {
            BlockKind::Heading(level) => ("heading", Some(level)),
            BlockKind::Paragraph => ("paragraph", None),
            BlockKind::ListItem => ("list_item", None),
            BlockKind::Code => ("code", None),
            BlockKind::Table => ("table", None),
            BlockKind::FrontMatter => ("front_matter", None),
            BlockKind::Markup => ("markup", None),
        };
        blocks.push(json!({"kind": kind, "level": level, "start": start, "end": end}));
    }
    json!({
        "id": loaded.id.as_deref().unwrap_or(name), "title": loaded.title, "language": loaded.language,
        "text": loaded.text, "metadata": loaded.metadata.to_json(), "blocks": blocks,
    })
}

/// Start and end in code points, headings, and the number of the parent.
type SplitSpan = (usize, usize, Vec<String>, Option<u32>);

/// The spans that a splitter makes of a text.
#[pyfunction]
pub fn split(py: Python<'_>, text: &str, splitter: &str, markdown: bool) -> PyResult<Vec<SplitSpan>> {
    let splitter: Splitter = splitter.parse().map_err(|error: SplitterError| exception(py, &error))?;
    let cut = py.detach(|| {
        let shown = if markdown { Text::markdown(text) } else { Text::plain(text) };
        let pieces = splitter.split(&shown)?;
        // A child comes after its parent and begins with it: each is counted from its own beginning.
        let points = code_points(text, pieces.iter().flat_map(|piece| [piece.span.start, piece.span.end]));
        let spans = points.chunks_exact(2).zip(&pieces);
        Ok(spans
            .map(|(points, piece)| {
                let headings = piece.headings.iter().map(|heading| heading.of(text).to_owned()).collect();
                (points[0], points[1], headings, piece.parent)
            })
            .collect())
    });
    cut.map_err(|error: okno::embed::EmbedError| exception(py, &error))
}

/// The code points at these bytes, in any order.
fn code_points(text: &str, bytes: impl Iterator<Item = u32>) -> Vec<usize> {
    let bytes: Vec<u32> = bytes.collect();
    let mut sorted = bytes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let mut walk = CodePoints::new(text);
    let points: Vec<usize> = sorted.iter().map(|&byte| walk.at(byte).0).collect();
    // Every byte was put into the sorted list.
    bytes.iter().map(|byte| points[sorted.partition_point(|other| other < byte)]).collect()
}

/// The vectors of the built-in model as bytes of `f32`, and their length.
#[pyfunction]
pub fn embed(py: Python<'_>, texts: Vec<String>, query: bool) -> PyResult<(Bound<'_, PyBytes>, usize)> {
    let model = BuiltIn::default();
    let role = if query { Role::Query } else { Role::Passage };
    let vectors = py.detach(|| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = model.embed(&texts, role)?;
        Ok(vectors.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<u8>>())
    });
    let vectors = vectors.map_err(|error: okno::embed::EmbedError| exception(py, &error))?;
    Ok((PyBytes::new(py, &vectors), model.dimensions()))
}

/// Runs the command line; the exit code.
#[pyfunction]
pub fn cli(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    if let Some(program) = arguments.first().map(PathBuf::from).filter(|program| program.is_absolute()) {
        okno_cli::set_program(program);
    }
    py.detach(|| okno_cli::main_with(&arguments))
}
