//! `okno split`: a file in, exact spans out – what a splitter makes of a text, before anything is indexed.
//!
//! The file is read by the loader that would index it, so the spans are those of its canonical text; `markdown` and
//! `html` choose their own loader. A file of JSON lines gives one line of JSON for each of its lines, in order,
//! whatever is wrong with one of them.

use crate::globals::Globals;
use crate::indexing::ChunkPreset;
use crate::locale::say;
use crate::{errors, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use okno::document::{CodePoints, Loaded};
use okno::load::{Guarded, Html, Jsonl, Loader, Markdown, Sink, SkipReason, Source, builtin};
use okno::message::Reason;
use okno::split::{Piece, Split, Splitter, SplitterError, Text};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Characters of a piece that a person is shown.
const PREVIEW: usize = 72;

/// What to split and how.
#[derive(Debug, Args)]
pub struct SplitArgs {
    /// The file: anything `okno index` reads, or JSON lines of `{id, text}`; `-` for standard input
    file: PathBuf,
    /// How to split: sentence, sentences:3, window:2, paragraph, section, chunk:400c/200c, words:200/40, chars:400/200,
    /// recursive:3000c/300c, tokens:512t/64t, markdown, html, semantic:95p/3000c, hierarchy:3000c/500c, code:1500c
    #[arg(long, value_name = "SPLITTER", default_value = "sentence")]
    splitter: String,
    /// Chunks for a kind of document, as for `okno index`
    #[arg(long, conflicts_with = "splitter")]
    preset: Option<ChunkPreset>,
    /// Print the line numbers of each piece
    #[arg(long)]
    lines: bool,
}

pub fn run(globals: &Globals, args: &SplitArgs) -> Result<()> {
    let splitter = match args.preset {
        Some(preset) => Splitter::Layer(preset.layer().map_err(okno::Error::from)?),
        None => args.splitter.parse().map_err(|error: SplitterError| anyhow::anyhow!(errors::text(&error)))?,
    };
    let printer = SplitPrinter { json: globals.json, lines: args.lines, splitter };
    let mut head = Vec::new();
    let mut reader = open(&args.file)?;
    reader.by_ref().take(okno::load::HEAD as u64).read_to_end(&mut head)?;
    let reader = std::io::Cursor::new(head.clone()).chain(reader);
    let mut out = BufWriter::new(std::io::stdout().lock());
    if Jsonl::default().accepts(&args.file, &head) {
        json_lines(reader, &printer, &mut out)?;
    } else {
        documents(reader, &args.file, &printer, &mut out)?;
    }
    Ok(out.flush()?)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let unreadable = |cause: std::io::Error| okno::Error::Unreadable { path: path.to_owned(), cause: cause.into() };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    if file.metadata().is_ok_and(|about| about.is_dir()) {
        let cause = std::io::ErrorKind::IsADirectory.into();
        return Err(okno::Error::Unreadable { path: path.to_owned(), cause }.into());
    }
    Ok(Box::new(BufReader::new(file)))
}

/// Prints pieces.
struct SplitPrinter {
    json: bool,
    lines: bool,
    splitter: Splitter,
}

/// One output line per input line.
fn json_lines(reader: impl BufRead, printer: &SplitPrinter, out: &mut impl Write) -> Result<()> {
    let mut bad = 0;
    for (number, line) in (1..).zip(reader.split(b'\n')) {
        let line = line?;
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        if line.is_empty() {
            continue;
        }
        match record(line) {
            Ok((id, text)) => printer.pieces(&id, &Text::markdown(&text), out)?,
            Err(reason) => {
                bad += 1;
                writeln!(out, "{}", json!({"id": null, "line": number, "error": errors::text(&reason)}))?;
            }
        }
    }
    if bad > 0 {
        out.flush()?;
        bail!(say!(
            "{} lines are not `{{id, text}}`; the output says why for each",
            "有 {} 行不是 `{{id, text}}`；每行都写明了原因",
            bad
        ));
    }
    Ok(())
}

/// A line's id, of any type, and its text.
fn record(line: &[u8]) -> Result<(Value, String), Reason> {
    let mut record: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let id = ["id", "doc_id"].into_iter().map(|name| record[name].take()).find(|id| !id.is_null());
    match record["text"].take() {
        Value::String(text) => Ok((id.unwrap_or_default(), text)),
        _ => Err(Reason::new("no_text_field", "missing string field `text`", "缺少字符串字段 `text`")),
    }
}

fn documents(mut reader: impl Read, path: &Path, printer: &SplitPrinter, out: &mut impl Write) -> Result<()> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let name = path.to_string_lossy();
    // No loader reads a file without text; here it is a text without pieces.
    if bytes.trim_ascii().is_empty() {
        return printer.document(&name, &Text::plain(""), out);
    }
    for loaded in load(path, &bytes, printer.splitter)? {
        printer.document(loaded.id.as_deref().unwrap_or(&name), &Text::of(&loaded), out)?;
    }
    Ok(())
}

/// The documents of a file, as the index would see them.
fn load(path: &Path, bytes: &[u8], splitter: Splitter) -> Result<Vec<Loaded>> {
    let name = path.to_string_lossy();
    let source = Source::memory(&name, bytes);
    let mut found = SplitDocuments::default();
    let loaders = match splitter {
        Splitter::Markdown(_) => vec![Box::new(Markdown) as Box<dyn Loader>],
        Splitter::Html(_) => vec![Box::new(Html) as Box<dyn Loader>],
        _ => builtin(),
    };
    let head = &bytes[..bytes.len().min(okno::load::HEAD)];
    let chosen = loaders.iter().find(|loader| loaders.len() == 1 || loader.accepts(path, head));
    let Some(loader) = chosen else {
        bail!(say!("`{}`: this file type is not supported", "不支持 `{}` 的文件类型", path.display()));
    };
    Guarded::new(&**loader).load(&source, &mut found).with_context(|| path.display().to_string())?;
    if let ([], Some(reason)) = (found.documents.as_slice(), found.skipped) {
        bail!("{}: {}", path.display(), errors::of_file(&reason));
    }
    Ok(found.documents)
}

#[derive(Default)]
struct SplitDocuments {
    documents: Vec<Loaded>,
    skipped: Option<SkipReason>,
}

impl Sink for SplitDocuments {
    fn document(&mut self, loaded: Loaded) {
        self.documents.push(loaded);
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        output::note(&format!("{}: {}", output::printable(place), output::printable(&errors::of_file(&reason))));
        self.skipped.get_or_insert(reason);
    }
}

impl SplitPrinter {
    fn document(&self, id: &str, text: &Text<'_>, out: &mut impl Write) -> Result<()> {
        if !self.json {
            return self.print(text, out);
        }
        self.pieces(&id.into(), text, out)
    }

    /// One line of JSON, written as it comes: a value per span would cost more than splitting does.
    fn pieces(&self, id: &Value, text: &Text<'_>, out: &mut impl Write) -> Result<()> {
        let pieces = self.splitter.split(text)?;
        let places = PiecePositions::new(text.text, &pieces);
        write!(out, "{{\"id\":{id},\"spans\":")?;
        list(&pieces, out, |piece, out| pair(places.span(piece), out))?;
        if pieces.iter().any(|piece| !piece.headings.is_empty()) {
            write!(out, ",\"headings\":")?;
            let headings =
                |piece: &Piece| piece.headings.iter().map(|heading| heading.of(text.text)).collect::<Value>();
            list(&pieces, out, |piece, out| write!(out, "{}", headings(piece)))?;
        }
        if pieces.iter().any(|piece| piece.parent.is_some()) {
            write!(out, ",\"parents\":")?;
            list(&pieces, out, |piece, out| write!(out, "{}", json!(piece.parent)))?;
        }
        if self.lines {
            write!(out, ",\"lines\":")?;
            list(&pieces, out, |piece, out| pair(places.lines(piece), out))?;
        }
        Ok(writeln!(out, "}}")?)
    }

    fn print(&self, text: &Text<'_>, out: &mut impl Write) -> Result<()> {
        let pieces = self.splitter.split(text)?;
        let places = PiecePositions::new(text.text, &pieces);
        for piece in &pieces {
            let [start, end] = places.span(piece);
            let [first, last] = places.lines(piece);
            let lines =
                if self.lines { say!("  lines {}–{}", "  第 {}–{} 行", first, last) } else { String::new() };
            let inside = if piece.parent.is_some() { "  " } else { "" };
            let path: Vec<&str> = piece.headings.iter().map(|heading| heading.of(text.text)).collect();
            let path =
                if path.is_empty() { String::new() } else { format!("[{}] ", output::printable(&path.join(" > "))) };
            writeln!(out, "{inside}{start:>8}–{end:<8}{lines}  {path}{}", preview(piece.span.of(text.text)))?;
        }
        out.flush()?;
        output::note(&say!("{} pieces, split by `{}`", "{} 段，切分方式 `{}`", pieces.len(), self.splitter));
        Ok(())
    }
}

fn list<W: Write>(
    pieces: &[Piece],
    out: &mut W,
    each: impl Fn(&Piece, &mut W) -> std::io::Result<()>,
) -> std::io::Result<()> {
    for (at, piece) in pieces.iter().enumerate() {
        out.write_all(if at == 0 { b"[" } else { b"," })?;
        each(piece, out)?;
    }
    out.write_all(if pieces.is_empty() { b"[]" } else { b"]" })
}

fn pair([start, end]: [usize; 2], out: &mut impl Write) -> std::io::Result<()> {
    write!(out, "[{start},{end}]")
}

/// The beginning of a text on one line, without control characters.
fn preview(text: &str) -> String {
    let start: String = text.chars().take(PREVIEW).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let more = if text.chars().nth(PREVIEW).is_some() { "…" } else { "" };
    output::printable(&start) + more
}

/// Code points and lines of every offset of some pieces, from one walk over the text: pieces may overlap and nest.
struct PiecePositions {
    bytes: Vec<u32>,
    places: Vec<(usize, usize)>,
}

impl PiecePositions {
    fn new(text: &str, pieces: &[Piece]) -> Self {
        let mut bytes: Vec<u32> = pieces.iter().flat_map(|piece| [piece.span.start, piece.span.end]).collect();
        bytes.sort_unstable();
        bytes.dedup();
        let mut walk = CodePoints::new(text);
        let places = bytes.iter().map(|&byte| walk.at(byte)).collect();
        Self { bytes, places }
    }

    fn at(&self, byte: u32) -> (usize, usize) {
        self.places[self.bytes.partition_point(|&known| known < byte)]
    }

    fn span(&self, piece: &Piece) -> [usize; 2] {
        [self.at(piece.span.start).0, self.at(piece.span.end).0]
    }

    fn lines(&self, piece: &Piece) -> [usize; 2] {
        [self.at(piece.span.start).1, self.at(piece.span.end).1]
    }
}
