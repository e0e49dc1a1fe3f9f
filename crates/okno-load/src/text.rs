//! Plain text: the decoded text unchanged. Its only structure is what survives without mark-up: paragraphs, list
//! items at the start of a line, underlined titles and wiki headings. Indentation means nothing here, and `#` is not
//! a heading: scripts and configuration files are plain text too.

use okno_document::text::detect_language;
use std::path::Path;

use super::lines::{LineSpan, underline, wiki_heading};
use super::paragraphs::{paragraphs, starts_item};
use super::{Loader, Sink, SkipReason, Source, audio, file_metadata, textual};
use okno_document::{Block, BlockKind, Loaded, Metadata, Span};

/// As in Markdown: more lines than any wrapped paragraph has.
const LONGEST_RUN: usize = 4096;

/// Reads everything that decodes as text and is no known binary kind; the last loader to be asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainText;

impl Loader for PlainText {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        let mut metadata = Metadata::default();
        file_metadata(&mut metadata, source, "text");
        audio::name_recording(&mut metadata, source);
        out.document(Loaded {
            id: None,
            title: source.stem(),
            language: detect_language(&text),
            blocks: blocks(&text),
            text,
            metadata,
            ..Loaded::default()
        });
        Ok(())
    }
}

/// The blocks of a plain text.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut scanner = PlainScanner { text, blocks: Vec::new(), run: Vec::new() };
    let mut at = 0;
    while let Some(line) = LineSpan::at(text, at) {
        at = line.next;
        scanner.line(line);
    }
    scanner.close();
    scanner.blocks
}

struct PlainScanner<'t> {
    text: &'t str,
    blocks: Vec<Block>,
    run: Vec<LineSpan>,
}

impl PlainScanner<'_> {
    fn line(&mut self, line: LineSpan) {
        let content = line.of(self.text).trim();
        if content.is_empty() {
            return self.close();
        }
        if let Some(level) = wiki_heading(content) {
            self.close();
            return self.emit(BlockKind::Heading(level), line.start, line.end);
        }
        if let ([title], Some(level)) = (self.run.as_slice(), underline(content)) {
            let start = title.start;
            self.run.clear();
            return self.emit(BlockKind::Heading(level), start, line.end);
        }
        if starts_item(content) || self.run.len() >= LONGEST_RUN {
            self.close();
        }
        self.run.push(line);
    }

    fn close(&mut self) {
        let run = std::mem::take(&mut self.run);
        let Some(first) = run.first() else { return };
        let text = self.text;
        let mut kind = if starts_item(first.of(text)) { BlockKind::ListItem } else { BlockKind::Paragraph };
        paragraphs(text, &run, |part| {
            self.emit(kind, run[part.start].start, run[part.end - 1].end);
            kind = BlockKind::Paragraph;
        });
        self.run = run;
        self.run.clear();
    }

    fn emit(&mut self, kind: BlockKind, start: usize, end: usize) {
        let text = &self.text[start..end];
        let (from, to) = (start + text.len() - text.trim_start().len(), start + text.trim_end().len());
        if from < to {
            self.blocks.push(Block { kind, span: Span::new(from, to) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Vec<(BlockKind, &str)> {
        blocks(text).iter().map(|block| (block.kind, block.span.of(text))).collect()
    }

    #[test]
    fn structure_without_mark_up() {
        let text = "Title\r\n=====\r\n\r\nOne line.\r\nAnother line.\r\n\r\n- first\r\n- second\r\n# not a heading\r\n";
        assert_eq!(
            shape(text),
            [
                (BlockKind::Heading(1), "Title\r\n====="),
                (BlockKind::Paragraph, "One line."),
                (BlockKind::Paragraph, "Another line."),
                (BlockKind::ListItem, "- first"),
                (BlockKind::ListItem, "- second"),
                (BlockKind::Paragraph, "# not a heading"),
            ]
        );
    }

    #[test]
    fn wikitext_lines() {
        let text = " = Valkyria = \n First paragraph , long enough . \n Second one . \n = = Plot = = \n Third . ";
        let kinds: Vec<BlockKind> = blocks(text).iter().map(|block| block.kind).collect();
        use BlockKind::{Heading, Paragraph};
        assert_eq!(kinds, [Heading(1), Paragraph, Paragraph, Heading(2), Paragraph]);
    }
}
