//! Program text without a grammar: definitions end where a blank line is followed by a line that is not indented.
//!
//! That is how people set code in nearly every language, and it needs no parser per language (the crate
//! `text-splitter` cuts code with tree-sitter: a C library and a grammar for each). The price: a language that
//! indents everything – a class around the whole file – is cut at blank lines and lines by the rules of
//! [`super::recursive`], which know nothing of methods.

use super::measure::CountedSize;
use super::pack;
use crate::document::Span;

/// Definitions packed up to the size.
pub(super) fn split(text: &str, measure: CountedSize<'_>) -> Vec<Span> {
    pack::packed(text, definitions(text).into_iter(), measure, 0)
}

fn definitions(text: &str) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    let (mut at, mut blank) = (0, true);
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        if content.is_empty() {
            blank = true;
            continue;
        }
        let end = start + content.len();
        // `}` and `end` close what came before, whatever blank line stands before them.
        let opens = blank && !line.starts_with([' ', '\t', '}', ')', ']']) && content != "end";
        match found.last_mut() {
            Some(last) if !opens => last.end = end as u32,
            _ => found.push(Span::new(start, end)),
        }
        blank = false;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_inside_a_definition_do_not_end_it() {
        let text = "use a;\nuse b;\n\nfn one() {\n    a();\n\n    b();\n\n}\n\nfn two() {}\n";
        let parts: Vec<&str> = definitions(text).into_iter().map(|span| span.of(text)).collect();
        assert_eq!(parts, ["use a;\nuse b;", "fn one() {\n    a();\n\n    b();\n\n}", "fn two() {}"]);
    }
}
