//! Where a rule looks for its text: all of it, or the sections whose headings it names.

use crate::document::{BlockKind, Loaded};
use crate::load::heading_text;

/// Between the headings of a path, outermost first: `食谱 > 用料 > 主料`.
const BETWEEN: &str = " > ";

/// A heading with those above it, and the text from it to the next heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadedSection<'d> {
    /// `Guide > Install`.
    pub path: String,
    /// The heading itself and what is under it.
    pub text: &'d str,
}

/// The sections of a document, in order. What stands before the first heading is in none.
pub fn sections(loaded: &Loaded) -> Vec<HeadedSection<'_>> {
    let text = &loaded.text;
    let headings: Vec<(u8, usize, String)> = loaded.blocks.iter().filter_map(|block| heading(text, block)).collect();
    let mut above: Vec<(u8, &str)> = Vec::new();
    let mut found = Vec::new();
    for (at, (level, start, words)) in headings.iter().enumerate() {
        above.retain(|(other, _)| other < level);
        above.push((*level, words));
        let end = headings.get(at + 1).map_or(text.len(), |(_, next, _)| *next);
        let path: Vec<&str> = above.iter().map(|(_, words)| *words).collect();
        found.push(HeadedSection { path: path.join(BETWEEN), text: &text[*start..end] });
    }
    found
}

fn heading(text: &str, block: &crate::document::Block) -> Option<(u8, usize, String)> {
    let BlockKind::Heading(level) = block.kind else { return None };
    Some((level, block.span.start as usize, heading_text(block.span.of(text))))
}
