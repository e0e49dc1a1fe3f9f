//! The same question to several recipes: what only one of them returned, and who returned the words that answer.
//!
//! Sides come in with their answers; parts of their contexts come out. Two contexts share text when they are of one
//! document and their spans meet – nothing is compared letter by letter.

use super::gold::Target;
use crate::Result;
use okno::document::Span;
use okno::{Answer, Context, Engine, Query};

/// Tokens each side may spend unless told otherwise: the same, or the larger would win by size.
pub const BUDGET: usize = 1000;

/// A recipe with what it returned.
#[derive(Debug, Clone)]
pub struct Side {
    /// The recipe's name.
    pub name: String,
    /// What it returned.
    pub answer: Answer,
}

/// Where the words that answer are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answering {
    /// The document's name.
    pub document: String,
    /// Their first code point.
    pub start: usize,
    /// One past their last.
    pub end: usize,
    /// The sentence they are in.
    pub sentence: String,
}

/// Asks every recipe the same question.
pub fn ask(engine: &Engine, query: &Query, recipes: &[&str]) -> Result<Vec<Side>> {
    let side = |name: &&str| {
        let answer = engine.search(&query.clone().recipe(*name))?;
        Ok(Side { name: (*name).to_owned(), answer })
    };
    recipes.iter().map(side).collect()
}

/// A context in parts, each with whether only this side has it.
pub fn parts(context: &Context, sides: &[Side], own: usize) -> Vec<(Span, bool)> {
    let mut parts = Vec::new();
    let mut at = context.span.start;
    for span in only_here(context, sides, own) {
        if span.start > at {
            parts.push((Span { start: at, end: span.start }, false));
        }
        parts.push((span, true));
        at = span.end;
    }
    if at < context.span.end {
        parts.push((Span { start: at, end: context.span.end }, false));
    }
    parts
}

/// The parts of a context's text that no other side has, in bytes of the document.
pub fn only_here(context: &Context, sides: &[Side], own: usize) -> Vec<Span> {
    let others = sides.iter().enumerate().filter(|(i, _)| *i != own).flat_map(|(_, side)| &side.answer.contexts);
    let same_document = |theirs: &&Context| theirs.root == context.root && theirs.document == context.document;
    let mut theirs: Vec<Span> = others.filter(same_document).map(|theirs| theirs.span).collect();
    theirs.sort_unstable();
    let mut only = Vec::new();
    let mut at = context.span.start;
    for span in theirs {
        let start = span.start.clamp(at, context.span.end);
        if start > at {
            only.push(Span { start: at, end: start });
        }
        at = at.max(span.end.min(context.span.end));
    }
    if at < context.span.end {
        only.push(Span { start: at, end: context.span.end });
    }
    only
}

/// The text of a part of a context.
pub fn part(context: &Context, span: Span) -> &str {
    &context.text[(span.start - context.span.start) as usize..(span.end - context.span.start) as usize]
}

/// Where a side returned the words that answer, whatever the white space between them.
pub fn answering(side: &Side, gold: &str) -> Option<Answering> {
    let wanted: Vec<char> = gold.trim().chars().filter(|c| !c.is_whitespace()).collect();
    side.answer.contexts.iter().find_map(|context| {
        let text: Vec<char> = context.text.chars().collect();
        let dense: Vec<usize> = (0..text.len()).filter(|&i| !text[i].is_whitespace()).collect();
        let at = dense
            .windows(wanted.len().max(1))
            .position(|window| window.iter().map(|&i| text[i]).eq(wanted.iter().copied()))?;
        let span = dense[at]..dense[at + wanted.len() - 1] + 1;
        let sentence = Target::new(&text, &span, &[]).sentence;
        Some(Answering {
            document: context.document.clone(),
            start: context.start + span.start,
            end: context.start + span.end,
            sentence: text[sentence].iter().collect(),
        })
    })
}
