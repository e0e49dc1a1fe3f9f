//! Kept pieces become the canonical text of a page, with a block for each of them as it is written.

use super::pieces::{HtmlPiece, PieceKind};
use okno_document::{Block, BlockKind, Span};

/// Deeper lists are not indented further: the text would grow with the square of the depth.
const DEEPEST_INDENT: usize = 8;

pub(super) fn render(pieces: &[HtmlPiece]) -> (String, Vec<Block>) {
    let mut text = String::with_capacity(pieces.iter().map(|piece| piece.text.len() + 8).sum());
    let mut blocks = Vec::with_capacity(pieces.len());
    let mut before = None;
    for piece in pieces.iter().filter(|piece| !piece.text.trim().is_empty()) {
        text.push_str(before.map_or("", |before| separator(before, &piece.kind)));
        blocks.push(write(&mut text, piece));
        before = Some(&piece.kind);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    (text, blocks)
}

fn separator(before: &PieceKind, next: &PieceKind) -> &'static str {
    match (before, next) {
        (PieceKind::Item { .. }, PieceKind::Item { .. }) | (PieceKind::Paragraph, PieceKind::Definition) => "\n",
        _ => "\n\n",
    }
}

fn write(text: &mut String, piece: &HtmlPiece) -> Block {
    if let PieceKind::Item { depth, marker } = &piece.kind {
        let inner = usize::from(marker.is_empty());
        text.push_str(&"  ".repeat((depth - 1 + inner).min(DEEPEST_INDENT)));
    }
    let start = text.len();
    let kind = match &piece.kind {
        PieceKind::Heading(level) => {
            text.push_str(&"######"[..usize::from(*level)]);
            text.push(' ');
            text.push_str(&piece.text);
            BlockKind::Heading(*level)
        }
        PieceKind::Paragraph => {
            text.push_str(&piece.text);
            BlockKind::Paragraph
        }
        PieceKind::Item { marker, .. } => {
            text.push_str(marker);
            text.push_str(&piece.text.replace('\n', " "));
            BlockKind::ListItem
        }
        PieceKind::Definition => {
            text.push_str(": ");
            text.push_str(&piece.text.replace('\n', " "));
            BlockKind::Paragraph
        }
        PieceKind::Code { language } => {
            write_code(text, language, &piece.text);
            BlockKind::Code
        }
        PieceKind::Table => {
            text.push_str(&piece.text);
            BlockKind::Table
        }
    };
    Block { kind, span: Span::new(start, text.len()) }
}

/// A fence longer than any run of backticks in the code.
fn write_code(text: &mut String, language: &str, code: &str) {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    for part in [&fence, language, "\n", code, "\n", &fence] {
        text.push_str(part);
    }
}
