//! One document per line: what many collections of short texts are. Only when asked for (`--lines`), for nothing in
//! such a file says so.
//!
//! Streamed, so that a file of any size is read in the memory of one line. A document's name is its file and line.

use okno_document::text::detect_language;
use std::path::Path;

use super::jsonl::DecodedLines;
use super::{Loader, Sink, SkipReason, Source, encoding::NotText, file_metadata, has_extension, text, textual};
use okno_document::{Loaded, Metadata};

/// Reads every line of a plain text file as a document.
#[derive(Debug, Clone, Copy, Default)]
pub struct OnePerLine;

impl Loader for OnePerLine {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        has_extension(path, &["txt", "text", "lines"]) && textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let mut lines = DecodedLines::open(source)?;
        let mut any = false;
        while let Some((number, line)) = lines.next_line().map_err(|cause| source.unreadable(cause))? {
            any = true;
            let place = format!("{}:{number}", source.name);
            match line {
                Ok(line) => out.document(document(source, place, line.trim_end_matches(['\n', '\r']))),
                Err(reason) => out.skip(&place, reason),
            }
        }
        if any { Ok(()) } else { Err(NotText::Blank.into()) }
    }

    fn streams(&self) -> bool {
        true
    }
}

fn document(source: &Source<'_>, place: String, line: &str) -> Loaded {
    let mut metadata = Metadata::default();
    file_metadata(&mut metadata, source, "line");
    Loaded {
        id: Some(place),
        title: source.stem(),
        language: detect_language(line),
        blocks: text::blocks(line),
        text: line.to_owned(),
        metadata,
        ..Loaded::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::load;
    use super::*;

    #[test]
    fn every_line_is_a_document() {
        let got = load(&OnePerLine, "d/news.txt", "第一条。\r\n\r\nSecond. More.\n".as_bytes());
        let found: Vec<(&str, &str)> =
            got.documents.iter().map(|d| (d.id.as_deref().unwrap(), d.text.as_str())).collect();
        assert_eq!(found, [("d/news.txt:1", "第一条。"), ("d/news.txt:3", "Second. More.")]);
        assert_eq!(load(&OnePerLine, "a.txt", b"\n\n").skipped[0].1, NotText::Blank.into());
    }
}
