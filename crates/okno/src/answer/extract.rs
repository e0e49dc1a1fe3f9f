//! An answer without a model: what says most of what is asked, each piece with its citation.
//!
//! A piece is a sentence of prose; or a list, a table or code as a whole, with the line that leads to it: half a recipe
//! answers nothing.

use super::checked::CheckedText;
use super::support::{weights, words};
use crate::Context;
use crate::document::{Block, BlockKind, Span};
use crate::generate::Language;
use crate::load::{list_marker, markdown_blocks};
use crate::retrieve::RELEVANT;
use crate::split::sentences;
use crate::text::terms;
use crate::understand::AnswerForm;
use std::collections::HashSet;

/// Pieces of an answer, and their bytes, at most: a reader takes in a handful.
const MOST: usize = 4;
const MOST_BYTES: usize = 2400;

/// A longer list or table is taken by its items.
const LONGEST_RUN: u32 = 1600;

/// One part of a list says nearly what all of it says.
const NEARLY_ALL: f32 = 0.8;

/// A piece that says less than this of what the best one says is left out.
const SHARE: f32 = 0.5;

/// What being found counts for a piece, against having all words of the question.
const FOUND: f32 = 0.5;

/// A piece of a context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChosenPiece {
    /// The context, from 0.
    pub context: usize,
    /// Where in the context's text.
    pub span: Span,
}

/// The best pieces, document by document as they were found: of contexts that have to do with the question, where any
/// do.
pub fn best(question: &str, contexts: &[Context]) -> Vec<ChosenPiece> {
    let relevant = contexts.iter().any(|context| context.relevance >= RELEVANT);
    let told = contexts.iter().enumerate().filter(|(_, context)| !relevant || context.relevance >= RELEVANT);
    let runs: Vec<(usize, Run)> = told.flat_map(|(at, one)| said(one).into_iter().map(move |run| (at, run))).collect();
    let text = |context: usize, span: Span| span.of(&contexts[context].text);
    let parts = runs.iter().flat_map(|(context, run)| run.parts.iter().map(|span| words(text(*context, *span))));
    let asked = AskedWords::new(question, &parts.collect::<Vec<_>>());
    let is_how_to = AnswerForm::of(question) == Some(AnswerForm::Steps);
    let pieces = runs.iter().flat_map(|(context, run)| {
        let pieces = run.pieces(is_how_to, |span| asked.covered(text(*context, span)));
        pieces.into_iter().map(|span| ChosenPiece { context: *context, span })
    });
    let worth = |one: &ChosenPiece| {
        asked.covered(text(one.context, one.span)) + FOUND * found(&contexts[one.context], one.span, contexts)
    };
    let mut ranked: Vec<(ChosenPiece, f32)> = pieces.map(|one| (one, worth(&one))).collect();
    // The first of equal ones stays the first.
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let least = ranked.first().map_or(0.0, |(_, best)| best * SHARE);
    ranked.retain(|(_, worth)| *worth > 0.0 && *worth >= least);
    let mut chosen = few(ranked.into_iter().map(|(one, _)| one), |one| text(one.context, one.span));
    let name = |context: &Context| (context.root.clone(), context.document.clone());
    chosen.sort_by_cached_key(|one| {
        let own = &contexts[one.context];
        let first = contexts.iter().position(|context| name(context) == name(own));
        (first, own.span.start + one.span.start)
    });
    chosen
}

/// The first of these that are not too many and not too long together; what was said is not said again.
fn few<'t>(pieces: impl Iterator<Item = ChosenPiece>, text: impl Fn(&ChosenPiece) -> &'t str) -> Vec<ChosenPiece> {
    let (mut chosen, mut bytes): (Vec<ChosenPiece>, usize) = (Vec::new(), 0);
    for piece in pieces {
        let own = text(&piece);
        let fits = chosen.is_empty() || bytes + own.len() <= MOST_BYTES;
        if fits && chosen.len() < MOST && chosen.iter().all(|other| text(other) != own) {
            bytes += own.len();
            chosen.push(piece);
        }
    }
    chosen
}

/// The words of a question, and what each is worth among some texts.
struct AskedWords(Vec<(String, f32)>);

impl AskedWords {
    fn new(question: &str, texts: &[HashSet<String>]) -> Self {
        let weights = weights(texts);
        let query = terms::of_query(question);
        let asked = terms::resolve(&query, |word| weights.contains_key(word));
        let weigh = |(word, share): &(&str, f32)| share * weights.get(word).copied().unwrap_or(0.0);
        let total: f32 = asked.iter().map(weigh).sum::<f32>().max(f32::MIN_POSITIVE);
        Self(asked.iter().map(|one| (one.0.to_owned(), weigh(one) / total)).collect())
    }

    /// The share of them that a text has.
    fn covered(&self, text: &str) -> f32 {
        let words = words(text);
        self.0.iter().filter(|(word, _)| words.contains(word)).map(|(_, weight)| weight).sum()
    }
}

/// Blocks that belong together, or a sentence by itself.
struct Run {
    span: Span,
    /// Its sentences.
    parts: Vec<Span>,
    /// Whether a line leads to the rest.
    is_led: bool,
}

impl Run {
    /// The whole, or its parts: where one part says nearly as much as the whole, the others are beside the point, but
    /// for steps that were asked for and what a line leads to.
    fn pieces(&self, is_how_to: bool, covered: impl Fn(Span) -> f32) -> Vec<Span> {
        let best = || self.parts.iter().map(|part| covered(*part)).fold(0.0, f32::max);
        let is_whole = self.span.end - self.span.start <= LONGEST_RUN
            && (self.is_led || is_how_to || best() < NEARLY_ALL * covered(self.span));
        if is_whole { vec![self.span] } else { self.parts.clone() }
    }
}

/// What states something: no headings, no images, no bare marks.
fn said(context: &Context) -> Vec<Run> {
    let states = |span: &Span| {
        let text = span.of(&context.text);
        let own = text.trim_start_matches(|c: char| c.is_ascii_digit() || "-*+.)> \t".contains(c));
        let image = own.starts_with("![") && own.trim_end().ends_with(')');
        !text.starts_with('#') && !image && text.chars().any(char::is_alphanumeric)
    };
    let (stating, others): (Vec<Run>, Vec<Run>) = runs(&context.text).into_iter().partition(|run| states(&run.span));
    if stating.is_empty() { others } else { stating }
}

/// The runs of a text.
fn runs(text: &str) -> Vec<Run> {
    let single = |span: Span| Run { span, parts: vec![span], is_led: false };
    let mut runs = Vec::new();
    for blocks in markdown_blocks(text).chunk_by(|before, block| goes_on(text, before, block)) {
        let (first, last) = (&blocks[0], &blocks[blocks.len() - 1]);
        let is_led = first.kind == BlockKind::Paragraph && blocks.len() > 1;
        let mut span = Span { end: last.span.end, ..first.span };
        if is_led {
            // Only its last sentence leads to what follows.
            let mut own = sentences(text, first.span);
            span.start = own.pop().map_or(span.start, |leads| leads.start);
            runs.extend(own.into_iter().map(single));
        }
        let parts = sentences(text, span);
        if blocks.len() > 1 || matches!(first.kind, BlockKind::Table | BlockKind::Code) {
            runs.push(Run { span, parts, is_led });
        } else {
            runs.extend(parts.into_iter().map(single));
        }
    }
    runs
}

/// Whether a block belongs to the one before: items of one list and what stands inside of them, or what a line leads to.
fn goes_on(text: &str, before: &Block, block: &Block) -> bool {
    let is_listed = before.kind == BlockKind::ListItem;
    let is_inside = || text[..block.span.start as usize].ends_with("  ");
    let leads = before.span.of(text).trim_end().ends_with([':', '：']);
    let is_definition = |block: &Block| block.span.of(text).lines().any(|line| line.starts_with(": "));
    match block.kind {
        BlockKind::ListItem => is_listed || leads || text[..before.span.start as usize].ends_with("  "),
        BlockKind::Code | BlockKind::Table => leads || is_listed && is_inside(),
        BlockKind::Paragraph => is_inside() || is_definition(block) && (leads || is_definition(before)),
        BlockKind::Heading(_) | BlockKind::FrontMatter | BlockKind::Markup => false,
    }
}

/// How well search found this piece, against the best of all contexts.
fn found(context: &Context, span: Span, contexts: &[Context]) -> f32 {
    let best = contexts.iter().flat_map(|context| &context.hits).map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
    let (start, end) = (context.span.start + span.start, context.span.start + span.end);
    let here = context.hits.iter().filter(|hit| hit.span.start < end && start < hit.span.end).map(|hit| hit.score);
    here.fold(0.0, f32::max) / best
}

/// A piece as an item of a list, ready for its citation: checked like anything else, its own bracketed numbers
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

/// Whether line ends carry meaning: some of it is code, or most lines are rows, items, settings or indented.
fn is_laid_out(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.iter().any(|line| line.trim_start().starts_with("```")) {
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

fn one_line(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    // The answer is a list already.
    if words.len() > 1 && matches!(words[0], "-" | "*" | "+" | "•" | "·") {
        words.remove(0);
    }
    words.join(" ")
}
