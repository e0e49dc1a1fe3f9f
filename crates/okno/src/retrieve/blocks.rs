//! Parts of a document that answer as one: a list with the line that leads in, numbered steps, the rows of a table,
//! code.
//!
//! Comes in: a document's sentences and text. Goes out: for a sentence, the run it belongs to. What a run is can be
//! seen from the first characters of its sentences, so an index needs no more than it has.

use super::views::View;
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

/// Numbered steps from the first one on, as many as have at most so many tokens; any other run as it is.
pub fn head(run: Range<usize>, most: usize, view: &View<'_>) -> Range<usize> {
    let numbered = run.clone().filter(|&at| is_numbered(view.structure.sentences[at].span.of(&view.text))).count();
    if numbered < FEWEST || view.structure.tokens(run.clone()) <= most {
        return run;
    }
    let fits = |&end: &usize| view.structure.tokens(run.start..end) <= most;
    let end = (run.start + 2..run.end).take_while(fits).filter(|&end| is_item(end, view)).last();
    run.start..end.unwrap_or(run.end)
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
    let text = sentence.span.of(&view.text);
    !sentence.heading && (text.starts_with('|') || is_marked(text))
}

/// `- `, `* `, `1. `, `2)`, `(3)`, `①`; a term with a colon and what it means on the next line.
fn is_marked(text: &str) -> bool {
    let inner = text.trim_start_matches(['(', '（']);
    okno_load::list_marker(text).is_some()
        || is_numbered(inner)
        || text.contains('\n') && text.contains("\n: ")
        || text.starts_with(['•', '●', '▪', '◦', '■', '○', '►', '·', '–', '①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨'])
}

/// `1. `, `2)`, `3、`: a line with its number.
pub fn is_numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(['.', ')', '、', '）', '．'])
}

/// Where the last item of a list ends: sentences of the same block belong to it.
fn rest_of_item(end: usize, section: &Range<usize>, view: &View<'_>) -> usize {
    let sentences = &view.structure.sentences;
    (end..section.end).find(|&at| !sentences[at].attached).unwrap_or(section.end)
}

/// The sentence before a list that announces it.
fn lead_in(start: usize, section: &Range<usize>, view: &View<'_>) -> usize {
    let Some(before) = start.checked_sub(1).filter(|before| section.contains(before)) else { return start };
    let follows = view.structure.sentences[before].heading || view.structure.sentences[start].attached;
    if follows || announces(before, view) { before } else { start }
}

/// Whether a sentence ends with a colon: what it promises comes after it.
fn announces(at: usize, view: &View<'_>) -> bool {
    view.structure.sentences[at].span.of(&view.text).trim_end_matches(['*', '_']).ends_with([':', '：'])
}

/// What a sentence announces: the list that it leads into, or the code or the items below it.
pub fn announced(at: usize, run: Option<&Range<usize>>, view: &View<'_>) -> Option<Range<usize>> {
    let sentences = &view.structure.sentences;
    let end = view.structure.section(at).end.min(at + REACH);
    let answers = |at: usize| is_item(at, view) || sentences[at].span.of(&view.text).starts_with("```");
    if at + 1 >= end || sentences[at].heading || !announces(at, view) || !answers(at + 1) {
        return None;
    }
    let block_end = || (at + 2..end).find(|&next| !sentences[next].attached).unwrap_or(end);
    Some(at + 1..run.map_or_else(block_end, |run| run.end).max(at + 2))
}

/// The section of a sentence, if it has no more than so many tokens; none that is only headings.
pub fn section(sentence: usize, view: &View<'_>, most: usize) -> Option<Range<usize>> {
    let structure = &view.structure;
    let section = structure.section(sentence);
    // A sentence has at least one token, and a section may be a whole book.
    let short = section.len() <= most && structure.tokens(section.clone()) <= most;
    (short && section.clone().any(|at| !structure.sentences[at].heading)).then_some(section)
}

/// The sections below one heading that holds several with text, the widest of at most so many tokens around a sentence.
pub fn chapter(sentence: usize, view: &View<'_>, most: usize) -> Option<Range<usize>> {
    let structure = &view.structure;
    let sections = &structure.sections;
    let own = structure.section_number(sentence);
    let path = &sections[own].path;
    (1..path.len()).find_map(|depth| {
        let below = |at: &usize| sections[*at].path.get(..depth) == Some(&path[..depth]);
        let first = (0..own).rev().take(most).take_while(below).last().unwrap_or(own);
        let last = (own + 1..sections.len()).take(most).take_while(below).last().unwrap_or(own);
        let end = sections.get(last + 1).map_or(structure.sentences.len(), |next| next.first as usize);
        let range = sections[first].first as usize..end;
        let whole = range.len() == structure.sentences.len();
        let short = !whole && range.len() <= most && structure.tokens(range.clone()) <= most;
        let has_text =
            |at: &usize| structure.section(sections[*at].first as usize).any(|at| !structure.sentences[at].heading);
        (short && (first..=last).filter(has_text).count() > 1).then_some(range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, BlockKind, Span};
    use std::sync::Arc;

    fn view(text: &str) -> View<'_> {
        let mut blocks = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let level = line.bytes().take_while(|&byte| byte == b'#').count() as u8;
            let kind = if level > 0 { BlockKind::Heading(level) } else { BlockKind::Paragraph };
            if let Some(term) = blocks.last_mut().filter(|_| line.starts_with(": ")) {
                // What a term means belongs to its block.
                let term: &mut Block = term;
                term.span.end = (start + line.trim_end().len()) as u32;
            } else if !line.trim().is_empty() {
                blocks.push(Block { kind, span: Span::new(start, start + line.trim_end().len()) });
            }
            start += line.len();
        }
        View { structure: Arc::new(crate::split::structure(text, "", &blocks)), text: text.into() }
    }

    fn runs(text: &str) -> Vec<String> {
        let view = view(text);
        let found = near(view.structure.sentences.len() - 1, &view);
        found.into_iter().map(|run| view.structure.span(run).of(text).to_owned()).collect()
    }

    #[test]
    fn a_list_comes_with_the_line_that_leads_in() {
        let list = "You need:\n\n- eggs\n- milk\n- flour";
        assert_eq!(runs(&format!("# Pancakes\n\nThey are easy.\n\n{list}")), [list]);
        assert_eq!(runs("# Steps\n\n1. Mix.\n2. Rest.\n3. Fry."), ["# Steps\n\n1. Mix.\n2. Rest.\n3. Fry."]);
        let terms = "Types are:\n\n`NodePort`\n: on nodes.\n\n`ClusterIP`\n: inside.\n\n`None`\n: nowhere.";
        assert_eq!(runs(&format!("# Service\n\nIt has a type.\n\n{terms}")), [terms]);
        assert_eq!(runs("做法：\n\n1、切菜\n2、下锅\n3、出锅"), ["做法：\n\n1、切菜\n2、下锅\n3、出锅"]);
    }

    #[test]
    fn numbered_steps_that_do_not_fit_begin_with_the_first() {
        let cut = |text: &str, most| {
            let view = view(text);
            let run = near(view.structure.sentences.len() - 1, &view).remove(0);
            view.structure.span(head(run, most, &view)).of(text).to_owned()
        };
        let steps = "# Steps\n\n1. Mix it well.\n2. Rest it well.\n3. Fry it well.";
        let tokens = |text: &str| view(text).structure.tokens(0..view(text).structure.sentences.len());
        let two = "# Steps\n\n1. Mix it well.\n2. Rest it well.";
        assert_eq!(cut(steps, tokens(steps)), steps);
        assert_eq!(cut(steps, tokens(steps) - 1), two);
        assert_eq!(cut(steps, 1), steps, "nothing fits: what to take of it is decided elsewhere");
        let list = "# Salad\n\n- tomatoes\n- cucumbers\n- olives";
        assert_eq!(cut(list, tokens(list) - 1), list, "the lines of a list have no order");
    }

    #[test]
    fn two_lines_are_no_list_and_numbers_in_prose_neither() {
        assert_eq!(runs("- one\n- two"), [] as [&str; 0]);
        assert_eq!(runs("In 2018 it rained. In 2019 it did not. 3 years later it snowed."), [] as [&str; 0]);
    }

    #[test]
    fn a_colon_announces_items_and_code_and_nothing_else() {
        let announced = |text: &str| {
            let view = view(text);
            announced(0, None, &view).map(|below| view.structure.span(below).of(text).to_owned())
        };
        assert_eq!(announced("Do this:\n\n1. Wash.\n2. Cut.\n\nThen eat."), Some("1. Wash.\n2. Cut.".to_owned()));
        assert_eq!(announced("Run:\n\n```\nmake\n```"), Some("```\nmake\n```".to_owned()));
        assert_eq!(announced("He said:\n\nI will not."), None);
        assert_eq!(announced("It is done.\n\n- by hand"), None);
        assert_eq!(announced("Do this:"), None);
    }

    #[test]
    fn sections_below_one_heading_are_a_chapter_if_they_are_short() {
        let text = "# Book\n\nIntro.\n\n## Steps\n\n### First\n\nWash.\n\n### Then\n\nCut.\n\n## Notes\n\nDone.";
        let view = view(text);
        let at = |said: &str| view.structure.sentences.iter().position(|s| s.span.of(text) == said).unwrap();
        let chapter = |said: &str, most| chapter(at(said), &view, most).map(|run| view.structure.span(run).of(text));
        assert_eq!(chapter("Cut.", 100), Some("## Steps\n\n### First\n\nWash.\n\n### Then\n\nCut."));
        assert_eq!(chapter("Cut.", 5), None, "too long");
        assert_eq!(chapter("Done.", 100), None, "all of the document");
    }
}
