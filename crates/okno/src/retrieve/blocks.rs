//! Parts of a document that answer as one: a list with the line that leads in, numbered steps, the rows of a table,
//! code.
//!
//! Comes in: a document's sentences and text. Goes out: for a sentence, the run it belongs to. What a run is can be
//! seen from the first characters of its sentences, so an index needs no more than it has.

use super::expand::View;
use std::ops::Range;

/// A run holds at least this many items: two lines are read with their neighbours anyway.
const FEWEST: usize = 3;

/// Sentences between two items that still belong to the list: the rest of an item, a nested paragraph.
const GAP: usize = 3;

/// Sentences that are looked at together: a list that reaches over more is too long to be returned as one.
pub const REACH: usize = 256;

/// The lists, tables and pieces of code near a sentence, in its section, each with the line that leads in; in order.
/// They are the same for all sentences of one stretch of [`REACH`].
pub fn near(sentence: usize, view: &View<'_>) -> Vec<Range<usize>> {
    let whole = view.structure.section(sentence);
    let stretch = sentence / REACH * REACH;
    let section = whole.start.max(stretch.saturating_sub(REACH))..whole.end.min(stretch + 2 * REACH);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut items = 0;
    for at in section.clone().filter(|&at| is_item(at, view)) {
        match runs.last_mut() {
            Some(run) if at <= run.end + GAP => {
                items += 1;
                run.end = at + 1;
            }
            _ => {
                close(&mut runs, items);
                items = 1;
                runs.push(at..at + 1);
            }
        }
    }
    close(&mut runs, items);
    for run in &mut runs {
        run.end = rest_of_item(run.end, &section, view);
        run.start = lead_in(run.start, &section, view);
    }
    runs
}

/// Drops the last run if it has too few items.
fn close(runs: &mut Vec<Range<usize>>, items: usize) {
    if items < FEWEST {
        runs.pop();
    }
}

/// Returns `true` if a sentence begins an item of a list, or is a row of a table.
pub fn is_item(at: usize, view: &View<'_>) -> bool {
    let sentence = &view.structure.sentences[at];
    let text = sentence.span.of(view.text);
    !sentence.heading && (text.starts_with('|') || is_marked(text))
}

/// `- `, `* `, `1. `, `2)`, `(3)`, `①`, `第一步`.
fn is_marked(text: &str) -> bool {
    let digits = text.trim_start_matches(['(', '（']).trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < text.len() && digits.starts_with(['.', ')', '、', '）', '．']);
    okno_load::list_marker(text).is_some()
        || numbered
        || text.starts_with(['•', '●', '▪', '◦', '■', '○', '►', '·', '–', '①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨'])
}

/// Where the last item of a list ends: sentences of the same block belong to it.
fn rest_of_item(end: usize, section: &Range<usize>, view: &View<'_>) -> usize {
    let sentences = &view.structure.sentences;
    (end..section.end).find(|&at| !sentences[at].attached).unwrap_or(section.end)
}

/// The sentence before a list that announces it.
fn lead_in(start: usize, section: &Range<usize>, view: &View<'_>) -> usize {
    let Some(before) = start.checked_sub(1).filter(|before| section.contains(before)) else { return start };
    let sentence = &view.structure.sentences[before];
    let announces = sentence.span.of(view.text).trim_end_matches(['*', '_']).ends_with([':', '：']);
    if announces || sentence.heading || view.structure.sentences[start].attached { before } else { start }
}

/// The section of a sentence, if it has no more than so many tokens; none that is only headings.
pub fn section(sentence: usize, view: &View<'_>, most: usize) -> Option<Range<usize>> {
    let structure = &view.structure;
    let section = structure.section(sentence);
    // A sentence has at least one token, and a section may be a whole book.
    let short = section.len() <= most && structure.tokens(section.clone()) <= most;
    (short && section.clone().any(|at| !structure.sentences[at].heading)).then_some(section)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, BlockKind, Span};
    use std::sync::Arc;

    fn runs(text: &str) -> Vec<String> {
        let mut blocks = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let kind = if line.starts_with('#') { BlockKind::Heading(1) } else { BlockKind::Paragraph };
            if !line.trim().is_empty() {
                blocks.push(Block { kind, span: Span::new(start, start + line.trim_end().len()) });
            }
            start += line.len();
        }
        let view = View { structure: Arc::new(crate::split::structure(text, "", &blocks)), text };
        let found = near(view.structure.sentences.len() - 1, &view);
        found.into_iter().map(|run| view.structure.span(run).of(text).to_owned()).collect()
    }

    #[test]
    fn a_list_comes_with_the_line_that_leads_in() {
        let list = "You need:\n\n- eggs\n- milk\n- flour";
        assert_eq!(runs(&format!("# Pancakes\n\nThey are easy.\n\n{list}")), [list]);
        assert_eq!(runs("# Steps\n\n1. Mix.\n2. Rest.\n3. Fry."), ["# Steps\n\n1. Mix.\n2. Rest.\n3. Fry."]);
        assert_eq!(runs("做法：\n\n1、切菜\n2、下锅\n3、出锅"), ["做法：\n\n1、切菜\n2、下锅\n3、出锅"]);
    }

    #[test]
    fn two_lines_are_no_list_and_numbers_in_prose_neither() {
        assert_eq!(runs("- one\n- two"), [] as [&str; 0]);
        assert_eq!(runs("In 2018 it rained. In 2019 it did not. 3 years later it snowed."), [] as [&str; 0]);
    }
}
