//! An answer without a model: the sentences that say most of what is asked, each with its citation.

use super::checked::CheckedText;
use super::support::{sentences_of, weights, words};
use crate::Context;
use crate::document::Span;
use crate::generate::Language;
use crate::load::list_marker;
use crate::retrieve::RELEVANT;
use crate::text::terms;
use std::collections::HashSet;

/// Sentences of an answer, at most: a reader takes in a handful.
const MOST: usize = 4;

/// A sentence that says less than this of what the best one says is left out.
const SHARE: f32 = 0.5;

/// What being found counts for a sentence, against having all words of the question.
const FOUND: f32 = 0.5;

/// A sentence of a context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChosenSentence {
    /// The context, from 0.
    pub context: usize,
    /// Where in the context's text.
    pub span: Span,
}

/// The best sentences, in the order of their contexts: of those that have to do with the question, where any do.
pub fn best(question: &str, contexts: &[Context]) -> Vec<ChosenSentence> {
    let relevant = contexts.iter().any(|context| context.relevance >= RELEVANT);
    let all: Vec<ChosenSentence> = contexts
        .iter()
        .enumerate()
        .filter(|(_, context)| !relevant || context.relevance >= RELEVANT)
        .flat_map(|(context, one)| said(one).into_iter().map(move |span| ChosenSentence { context, span }))
        .collect();
    let texts: Vec<HashSet<String>> = all.iter().map(|one| words(one.span.of(&contexts[one.context].text))).collect();
    let weights = weights(&texts);
    let query = terms::of_query(question);
    let asked = terms::resolve(&query, |word| weights.contains_key(word));
    let weight = |(word, share): &(&str, f32)| share * weights.get(word).copied().unwrap_or(0.0);
    let total: f32 = asked.iter().map(weight).sum::<f32>().max(f32::MIN_POSITIVE);
    let worth = |at: usize| {
        let covered: f32 = asked.iter().filter(|(word, _)| texts[at].contains(*word)).map(weight).sum();
        covered / total + FOUND * found(&contexts[all[at].context], all[at].span, contexts)
    };
    let mut ranked: Vec<(usize, f32)> = (0..all.len()).map(|at| (at, worth(at))).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let least = ranked.first().map_or(0.0, |(_, best)| best * SHARE);
    let mut chosen: Vec<usize> =
        ranked.iter().filter(|(_, worth)| *worth > 0.0 && *worth >= least).take(MOST).map(|(at, _)| *at).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|at| all[at]).collect()
}

/// Sentences that state something: no headings, no images, no bare marks.
fn said(context: &Context) -> Vec<Span> {
    let states = |span: &Span| {
        let text = span.of(&context.text);
        let own = text.trim_start_matches(|c: char| c.is_ascii_digit() || "-*+.)> \t".contains(c));
        let image = own.starts_with("![") && own.trim_end().ends_with(')');
        !text.starts_with('#') && !image && text.chars().any(char::is_alphanumeric)
    };
    let all = sentences_of(&context.text);
    let stating: Vec<Span> = all.iter().copied().filter(states).collect();
    if stating.is_empty() { all } else { stating }
}

/// How well search found this sentence, against the best of all contexts.
fn found(context: &Context, span: Span, contexts: &[Context]) -> f32 {
    let best = contexts.iter().flat_map(|context| &context.hits).map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
    let (start, end) = (context.span.start + span.start, context.span.start + span.end);
    let here = context.hits.iter().filter(|hit| hit.span.start < end && start < hit.span.end).map(|hit| hit.score);
    here.fold(0.0, f32::max) / best
}

/// A sentence as an item of a list, ready for its citation: checked like anything else, its own bracketed numbers
/// left out.
///
/// Prose comes on one line; of a table or code the lines are what says it, and they stay, the citation below them. A
/// list's items are items of the answer.
pub fn shown(sentence: &str, language: Language) -> String {
    let (mark, text, end) = match () {
        () if !is_laid_out(sentence) => ("- ", one_line(sentence), " "),
        () if list_marker(sentence.trim_start()).is_some() => ("", lines(sentence, "\n"), " "),
        () => ("- ", lines(sentence, "\n  "), "\n\n  "),
    };
    let sources = [text.as_str()];
    let mut checked = CheckedText::new(0, language, &sources);
    checked.push(&text);
    checked.finish();
    format!("{mark}{}{end}", checked.text)
}

/// Whether line ends carry meaning: most lines are rows, items, settings or indented.
fn is_laid_out(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
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

fn one_line(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    // The answer is a list already.
    if words.len() > 1 && matches!(words[0], "-" | "*" | "+" | "•" | "·") {
        words.remove(0);
    }
    words.join(" ")
}
