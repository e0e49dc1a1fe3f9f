//! Splitting: blocks become sentences, and sentences know their paragraph and section.
//!
//! Comes in: a text and the blocks its loader saw. Goes out: [`Structure`]. Every unit that is ever
//! searched or returned is a run of these sentences, so this is the only place where text is cut.
//! Chunks are runs too: see [`crate::document::Layer`]. Whoever wants only the spans of a text, cut in one of the
//! ways of the world, asks a [`Splitter`].

#[cfg(any(test, feature = "contracts"))]
#[allow(clippy::missing_panics_doc)]
pub mod contract;
mod sentence;
mod splitter;
mod tokens;

pub use sentence::sentences;
pub use splitter::{Count, Piece, Split, Splitter, SplitterError, Text, Threshold, WordPiece};
pub(crate) use tokens::cut_at_tokens;
pub use tokens::{count_tokens, first_tokens};

use crate::document::{Block, BlockKind, Section, Sentence, Span, Structure};
use crate::load::without_anchor;
use crate::text::terms;

/// Code is cut at line ends into pieces of about this many bytes: a few lines, like a sentence.
const CODE_PIECE: usize = 240;

/// The sentences of a document, with their paragraphs and sections, and what each costs.
pub fn structure(text: &str, title: &str, blocks: &[Block]) -> Structure {
    let mut structure = outline(text, blocks);
    let title_terms = terms::count(title);
    for section in &mut structure.sections {
        section.terms = title_terms + section.path.iter().map(|heading| terms::count(heading.of(text))).sum::<u32>();
    }
    for sentence in &mut structure.sentences {
        let words = sentence.span.of(text);
        (sentence.tokens, sentence.terms) = (count_tokens(words) as u32, terms::count(words));
    }
    structure
}

/// The same without the costs, all of which are 0: for whoever needs only the spans.
pub(crate) fn outline(text: &str, blocks: &[Block]) -> Structure {
    let mut structure = Structure::default();
    let mut path: Vec<(u8, Span)> = Vec::new();
    for block in blocks {
        let heading = matches!(block.kind, BlockKind::Heading(_));
        if let BlockKind::Heading(level) = block.kind {
            path.retain(|&(above, _)| above < level);
            path.push((level, heading_text(text, block.span)));
        }
        let pieces = pieces(text, block);
        if pieces.is_empty() {
            continue;
        }
        let first = structure.sentences.len() as u32;
        if heading || structure.sections.is_empty() {
            let path = path.iter().map(|&(_, span)| span).collect();
            structure.sections.push(Section { first, path, terms: 0 });
        }
        structure.paragraphs.push(first);
        for span in pieces {
            let before = structure.sentences.last().filter(|_| !heading);
            let attached =
                before.is_some_and(|before| !blank_line(&text[before.span.end as usize..span.start as usize]));
            structure.sentences.push(Sentence { span, tokens: 0, terms: 0, heading, attached });
        }
    }
    structure
}

/// The sentences of one block: a heading is one, a table has one per row, code one per few lines.
fn pieces(text: &str, block: &Block) -> Vec<Span> {
    match block.kind {
        BlockKind::FrontMatter | BlockKind::Markup => Vec::new(),
        BlockKind::Heading(_) => {
            let length = without_anchor(block.span.of(text)).len();
            let words = Span::new(block.span.start as usize, block.span.start as usize + length);
            trimmed(text, words).into_iter().collect()
        }
        BlockKind::Table => rows(text, lines(text, block.span)),
        BlockKind::Code => grouped(lines(text, block.span)),
        BlockKind::Paragraph | BlockKind::ListItem => sentences(text, block.span),
    }
    .into_iter()
    .flat_map(|piece| if piece.len() > LONGEST_PIECE { sentences(text, piece) } else { vec![piece] })
    .collect()
}

/// Rows and lines longer than this (bytes) are cut like prose: the sentence rules have a hard maximum.
const LONGEST_PIECE: usize = 3000;

fn lines(text: &str, span: Span) -> impl Iterator<Item = Span> + '_ {
    let mut at = span.start as usize;
    span.of(text).split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        trimmed(text, Span::new(start, at))
    })
}

/// The rows of a table. The line that draws its header says nothing: it stays with the row above.
fn rows(text: &str, lines: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut rows: Vec<Span> = Vec::new();
    for line in lines {
        let drawn = line.of(text).bytes().all(|byte| b"|-:+= \t".contains(&byte));
        match rows.last_mut() {
            Some(row) if drawn => *row = row.cover(line),
            _ => rows.push(line),
        }
    }
    rows
}

fn grouped(lines: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut groups: Vec<Span> = Vec::new();
    for line in lines {
        match groups.last_mut() {
            Some(group) if group.cover(line).len() <= CODE_PIECE => *group = group.cover(line),
            _ => groups.push(line),
        }
    }
    groups
}

/// A heading without its marks: `## Title ##`, `## Title {#anchor}` and ` = = Title = = ` are `Title`.
fn heading_text(text: &str, span: Span) -> Span {
    let line = span.of(text);
    let first = line.trim_start_matches(is_mark);
    let start = span.start as usize + line.len() - first.len();
    let words = without_anchor(first.lines().next().unwrap_or_default()).trim_end_matches(is_mark);
    Span::new(start, start + words.len())
}

fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, '#' | '=')
}

/// Whether what lies between two sentences holds a blank line.
fn blank_line(gap: &str) -> bool {
    gap.bytes().filter(|&byte| byte == b'\n').count() > 1
}

/// The span without white space at its ends; `None` when nothing is left.
fn trimmed(text: &str, span: Span) -> Option<Span> {
    let words = span.of(text);
    let start = span.start as usize + words.len() - words.trim_start().len();
    let length = words.trim().len();
    (length > 0).then(|| Span::new(start, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_heading_is_not_part_of_it() {
        let text = "## Types of Secret  {#secret-types}\n\nOpaque is one of {#them}.\n";
        let end = text.find('\n').unwrap();
        let heading = Block { kind: BlockKind::Heading(2), span: Span::new(0, end) };
        let paragraph = Block { kind: BlockKind::Paragraph, span: Span::new(end, text.len()) };
        let structure = structure(text, "", &[heading, paragraph]);
        let sentences: Vec<&str> = structure.sentences.iter().map(|sentence| sentence.span.of(text)).collect();
        assert_eq!(sentences, ["## Types of Secret", "Opaque is one of {#them}."]);
        assert_eq!(structure.sections[0].path[0].of(text), "Types of Secret");
    }
}
