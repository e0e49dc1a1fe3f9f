//! Program text: the file unchanged, cut at its definitions.
//!
//! A definition ends where a blank line is followed by a line that is not indented: that is how people set code in
//! nearly every language, and it needs no parser per language (tree-sitter is a C library and a grammar for each). A
//! long one – a class, a module – is cut again at the blank lines before its own least indented lines. Comments that
//! stand right above a definition belong to it.

use super::{Loader, Sink, SkipReason, Source, file_metadata, has_extension, textual};
use okno_document::text::detect_language;
use okno_document::{Block, BlockKind, Loaded, Metadata, Span};
use std::path::Path;

const EXTENSIONS: &[&str] = &[
    "py", "pyi", "rs", "go", "java", "kt", "kts", "scala", "swift", "c", "h", "cc", "cpp", "cxx", "hpp", "cs", "js",
    "jsx", "mjs", "cjs", "ts", "tsx", "rb", "php", "pl", "pm", "lua", "r", "jl", "sh", "bash", "zsh", "ps1", "sql",
    "dart", "ex", "exs", "erl", "hs", "clj", "zig", "m", "mm", "groovy", "proto", "graphql", "tf", "vb", "pas", "f90",
];

/// A definition of more bytes is cut again, this many levels deep.
const LONG: usize = 1500;
const DEEPEST: usize = 3;

/// Reads source code by the extension of its file.
#[derive(Debug, Clone, Copy, Default)]
pub struct SourceCode;

impl Loader for SourceCode {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        has_extension(path, EXTENSIONS) && textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        let mut metadata = Metadata::default();
        file_metadata(&mut metadata, source, "code");
        out.document(Loaded {
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

/// A line that is not blank.
#[derive(Clone, Copy)]
struct CodeLine {
    span: Span,
    indent: usize,
    after_blank: bool,
    /// `}` and `end` close what came before, whatever blank line stands before them.
    closes: bool,
}

fn blocks(text: &str) -> Vec<Block> {
    let lines = lines(text);
    let mut definitions = cut(&lines, 0);
    for _ in 0..DEEPEST {
        definitions = definitions.into_iter().flat_map(shorter).collect();
    }
    let block = |lines: &[CodeLine]| Block {
        kind: BlockKind::Code,
        span: Span { start: lines[0].span.start, end: lines[lines.len() - 1].span.end },
    };
    definitions.into_iter().map(block).collect()
}

fn lines(text: &str) -> Vec<CodeLine> {
    let (mut lines, mut at, mut after_blank) = (Vec::new(), 0, true);
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if !content.is_empty() {
            let span = Span::new(at + indent, at + indent + content.len());
            let closes = content.starts_with(['}', ')', ']']) || content == "end";
            lines.push(CodeLine { span, indent, after_blank, closes });
        }
        after_blank = content.is_empty();
        at += line.len();
    }
    lines
}

/// The lines, cut before each that follows a blank line and is indented at most so much.
fn cut(lines: &[CodeLine], indent: usize) -> Vec<&[CodeLine]> {
    let opens = |line: &CodeLine| line.after_blank && line.indent <= indent && !line.closes;
    let mut starts: Vec<usize> = (1..lines.len()).filter(|&at| opens(&lines[at])).collect();
    starts.insert(0, 0);
    let ends = starts[1..].iter().copied().chain([lines.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &lines[start..end]).filter(|lines| !lines.is_empty()).collect()
}

/// A long definition in its parts.
fn shorter(lines: &[CodeLine]) -> Vec<&[CodeLine]> {
    let length = lines[lines.len() - 1].span.end - lines[0].span.start;
    let inner = lines[1..].iter().filter(|line| line.after_blank && !line.closes).map(|line| line.indent).min();
    match inner {
        Some(indent) if length as usize > LONG => cut(lines, indent),
        _ => vec![lines],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        blocks(text).into_iter().map(|block| block.span.of(text)).collect()
    }

    #[test]
    fn definitions_are_blocks() {
        let text = "use a;\nuse b;\n\n// One. Two.\nfn one() {\n    a();\n\n    b();\n\n}\n\nfn two() {}\n";
        assert_eq!(cut(text), ["use a;\nuse b;", "// One. Two.\nfn one() {\n    a();\n\n    b();\n\n}", "fn two() {}"]);
        assert_eq!(cut(""), Vec::<&str>::new());
        assert_eq!(cut("\n\n"), Vec::<&str>::new());
    }

    #[test]
    fn a_long_class_is_cut_at_its_methods() {
        let body = "        x = 1\n\n".repeat(120);
        let text = format!("class A:\n    def one(self):\n{body}    # Says more.\n    def two(self):\n        pass\n");
        let parts = cut(&text);
        assert_eq!(parts[0].lines().next(), Some("class A:"));
        assert_eq!(parts[parts.len() - 1], "# Says more.\n    def two(self):\n        pass");
    }

    #[test]
    fn blocks_cover_every_line_in_order() {
        let text = "a\n\n  b\n\nc\n\n\n}\n\td\n\né";
        let blocks = blocks(text);
        assert!(blocks.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        let kept: String = blocks.iter().map(|block| block.span.of(text)).collect::<Vec<_>>().join("\n");
        assert_eq!(kept.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
    }
}
