//! Headings: a piece is a heading with all that stands under it, down to the next one.

use super::{Piece, Text};
use crate::document::{BlockKind, Span};
use crate::split::heading_text;

/// A piece for every heading of level `deepest` or above, and one for what stands before the first. Deeper headings
/// stay inside.
pub(super) fn split(text: &Text<'_>, deepest: u8) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut path: Vec<(u8, Span)> = Vec::new();
    for block in text.blocks.iter() {
        match block.kind {
            BlockKind::Heading(level) if level <= deepest => {
                path.retain(|&(above, _)| above < level);
                path.push((level, heading_text(text.text, block.span)));
                let headings = path.iter().map(|&(_, span)| span).collect();
                pieces.push(Piece { span: block.span, headings, parent: None });
            }
            _ => match pieces.last_mut() {
                Some(piece) => piece.span = piece.span.cover(block.span),
                None => pieces.push(block.span.into()),
            },
        }
    }
    for piece in &mut pieces {
        piece.span = trimmed(text.text, piece.span);
    }
    pieces.retain(|piece| !piece.span.is_empty());
    pieces
}

/// Code keeps its indentation in a block; a piece starts with its first character.
fn trimmed(text: &str, span: Span) -> Span {
    super::super::trimmed(text, span).unwrap_or(Span { start: span.end, ..span })
}
