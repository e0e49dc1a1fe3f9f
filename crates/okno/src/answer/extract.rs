//! An answer without a model: the passages that were found, quoted whole, each with its citation.
//!
//! Search has chosen whole lists, steps, tables and sections for a budget; to pick single sentences out of them loses
//! more answers than it saves words. Questions that are answered so are searched with a small budget
//! ([`crate::Query::to_answer`]).

use super::checked::CheckedText;
use crate::Context;
use crate::document::{Block, BlockKind, Span};
use crate::generate::Language;
use crate::load::{list_marker, markdown_blocks};
use crate::retrieve::RELEVANT;
use std::borrow::Cow;
use std::ops::Range;

/// A piece of a context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChosenPiece {
    /// The context, from 0.
    pub context: usize,
    /// Where in the context's text.
    pub span: Span,
}

/// What is quoted, the best first and what is of one section together: of contexts that have to do with the question,
/// where any do.
pub fn best(contexts: &[Context]) -> Vec<ChosenPiece> {
    let relevant = contexts.iter().any(|context| context.relevance >= RELEVANT);
    let told = contexts.iter().enumerate().filter(|(_, one)| !relevant || one.relevance >= RELEVANT);
    let pieces =
        told.flat_map(|(context, one)| said(&one.text).into_iter().map(move |span| ChosenPiece { context, span }));
    let mut chosen: Vec<ChosenPiece> = pieces.collect();
    let section = |context: &Context| (context.root.clone(), context.document.clone(), context.headings.clone());
    chosen.sort_by_cached_key(|one| {
        let own = &contexts[one.context];
        let first = contexts.iter().position(|context| section(context) == section(own));
        (first, own.span.start + one.span.start)
    });
    chosen
}

/// The stretches of a text that state something: no headings, no images, no bare marks; all of it where nothing does.
fn said(text: &str) -> Vec<Span> {
    let blocks: Vec<Block> = markdown_blocks(text).into_iter().filter(|block| states(block, text)).collect();
    let is_next = |before: &Block, block: &Block| {
        let between = Span { start: before.span.end, end: block.span.start };
        between.of(text).trim().is_empty()
    };
    let stretch = |blocks: &[Block]| Span { start: blocks[0].span.start, end: blocks[blocks.len() - 1].span.end };
    let stretches: Vec<Span> = blocks.chunk_by(is_next).map(stretch).collect();
    if stretches.is_empty() { vec![Span::new(0, text.len())] } else { stretches }
}

fn states(block: &Block, text: &str) -> bool {
    let text = block.span.of(text);
    let own = text.trim_start_matches(|c: char| c.is_ascii_digit() || "-*+.)> \t".contains(c));
    let is_image = own.starts_with("![") && own.trim_end().ends_with(')');
    let is_marks = matches!(block.kind, BlockKind::Heading(_) | BlockKind::FrontMatter | BlockKind::Markup);
    !is_marks && !is_image && text.chars().any(char::is_alphanumeric)
}

/// A piece as an item of a list, ready for its citation: checked like anything else, its own bracketed numbers
/// left out.
///
/// Prose comes on one line; of a table or code the lines are what says it, and they stay, the citation below them. A
/// list's items are items of the answer. What has code is no item: its fences are at the margin, where they are fences
/// for every reader.
pub fn shown(piece: &str, language: Language) -> String {
    let blocks = markdown_blocks(piece);
    let is_list = blocks.iter().all(|block| block.kind == BlockKind::ListItem) && blocks.len() > 1;
    let has_code = piece.lines().any(is_fence);
    let between = if is_list || has_code { "\n" } else { "\n  " };
    let written: Vec<String> = blocks.iter().map(|block| written(block, piece, between)).collect();
    let text = if has_code { at_margin(&written.join("\n\n")) } else { written.join(between) };
    let (mark, end) = match text.contains('\n') {
        _ if has_code => ("", "\n\n"),
        _ if is_list => ("", " "),
        true => ("- ", "\n\n  "),
        false => ("- ", " "),
    };
    let sources = [text.as_str()];
    let mut checked = CheckedText::new(0, language, &sources);
    checked.push(&text);
    checked.finish();
    format!("{mark}{}{end}", checked.text.trim_end())
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// The text with its code at the margin.
fn at_margin(text: &str) -> String {
    let mut indent = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let blank = line.len() - line.trim_start_matches(' ').len();
        let taken = indent.unwrap_or(if is_fence(line) { blank } else { 0 });
        lines.push(&line[blank.min(taken)..]);
        if is_fence(line) {
            indent = if indent.is_some() { None } else { Some(blank) };
        }
    }
    lines.join("\n")
}

/// A block with its lines where they carry meaning, else on one. What is on one line is an item already.
fn written(block: &Block, piece: &str, between: &str) -> String {
    // What is in front of its first line is in front of the others too.
    let line = piece[..block.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let indent = &piece[line..block.span.start as usize];
    let text = &without_tags(block.span.of(piece), block.kind);
    if block.kind != BlockKind::Paragraph && block.kind != BlockKind::ListItem || is_laid_out(text) {
        return format!("{}{}", if indent.trim().is_empty() { indent } else { "" }, lines(text, between));
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if piece.len() == block.span.of(piece).len() { without_bullet(&text).to_owned() } else { format!("{indent}{text}") }
}

/// Template tags as a reader of the page sees them: `{{< tooltip text="node" >}}` is "node", others are nothing. Code
/// is quoted as it is.
fn without_tags(text: &str, kind: BlockKind) -> Cow<'_, str> {
    if kind == BlockKind::Code || next_tag(text).is_none() {
        return text.into();
    }
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(tag) = next_tag(rest) {
        let label = rest[tag.clone()].split_once(" text=\"").and_then(|(_, after)| after.split_once('"'));
        shown.push_str(&rest[..tag.start]);
        shown.push_str(label.map_or("", |(label, _)| label));
        rest = &rest[tag.end..];
    }
    (shown + rest).into()
}

/// Where the first template tag is.
fn next_tag(text: &str) -> Option<Range<usize>> {
    let tag = |open, close: &str| {
        let start = text.find(open)?;
        Some(start..start + text[start..].find(close)? + close.len())
    };
    [tag("{{<", ">}}"), tag("{{%", "%}}")].into_iter().flatten().min_by_key(|tag| tag.start)
}

/// The answer is a list already.
fn without_bullet(text: &str) -> &str {
    ["- ", "* ", "+ ", "• ", "· "].iter().find_map(|bullet| text.strip_prefix(bullet)).unwrap_or(text)
}

/// Whether line ends carry meaning: some of it is code, or most lines are rows, items, settings or indented.
fn is_laid_out(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.iter().any(|line| is_fence(line)) {
        return true;
    }
    let meant = lines.iter().filter(|line| is_row(line) || list_marker(line.trim_start()).is_some()).count();
    lines.len() > 1 && 2 * meant > lines.len()
}

/// A row of a table, a setting such as `kind: Gateway`, or an indented line.
fn is_row(line: &str) -> bool {
    let setting = || {
        line.split_once(':')
            .is_some_and(|(key, _)| key.chars().all(|c| c.is_ascii_alphanumeric() || "-_.\"".contains(c)))
    };
    line.starts_with(['|', '\t']) || line.starts_with("  ") || setting()
}

/// The lines that say something, with this between them.
fn lines(text: &str, between: &str) -> String {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(between)
}
