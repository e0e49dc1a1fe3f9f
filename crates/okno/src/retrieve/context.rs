//! Contexts: exact slices of source text with everything needed to cite them.

use super::expand::ContextPiece;
use super::fuse::{Hit, HitTraces, LedBy, Ranking, Trace};
use super::recipe::{Recipe, Unit};
use super::relevance::{ComparedQuestion, RELEVANT};
use super::rerank::{Moved, Reranked};
use super::row_answer::RowAnswer;
use super::scope::QuestionScope;
use super::tables;
use crate::Result;
use crate::document::{CodePoints, Derived, Layer, Metadata, Page, Picture, Span, Structure};
use crate::store::{Leg, Snapshot};
use crate::understand::model::Taken;
use crate::understand::{Routing, Understood};
use std::ops::Range;

/// What a question got.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The question.
    pub question: String,
    /// The recipe as it was used.
    pub recipe: Recipe,
    /// The contexts, best first; none overlap.
    pub contexts: Vec<Context>,
    /// The relevance of the first of the best hits that is relevant, else of the likeliest, whatever was returned.
    pub relevance: f32,
    /// What happened on the way.
    pub stage: Stage,
    /// What the question was understood to say.
    pub understood: Understood,
    /// By which route it was answered.
    pub routing: Routing,
    /// What a language model did for it.
    pub steps: Vec<Taken>,
    /// What a query over rows gave, where one answers the question.
    pub rows: Option<RowAnswer>,
    /// Documents that are damaged, and were not searched: the files they were read from, or their numbers.
    pub damaged: Vec<String>,
}

impl Answer {
    /// Whether the index holds nothing that has to do with the question. What came nearest is returned all the same.
    /// Where a filter was read from the question, being of that kind is what was asked for.
    pub fn nothing_relevant(&self) -> bool {
        self.relevance < RELEVANT && self.understood.filter.is_none()
    }

    /// What all contexts cost, in the unit of the budget.
    pub fn spent(&self) -> usize {
        match self.recipe.unit {
            Unit::Tokens => self.tokens(),
            Unit::Characters => self.contexts.iter().map(|context| context.end - context.start).sum(),
        }
    }

    /// Tokens of all contexts.
    pub fn tokens(&self) -> usize {
        self.contexts.iter().map(|context| context.tokens).sum()
    }
}

/// What happened between question and contexts, for `--explain`.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Stage {
    /// Each ranking and how many units it found.
    pub rankings: Vec<(Leg, Layer, usize)>,
    /// Hits after fusing.
    pub hits: usize,
    /// Distinct targets after collapsing.
    pub targets: usize,
    /// Documents that match the filter, where there is one.
    pub matching: Option<usize>,
    /// What share the search by words had of the weights, where the best passages are in another language.
    pub lexical: Option<f32>,
    /// Documents that were asked by themselves, because the question or a passage names them.
    pub led: Vec<(LedBy, String)>,
    /// What the second reading did: by a reranker where there is one, by the built-in model otherwise.
    pub reranked: Option<Reranked>,
}

impl Stage {
    pub(super) fn new(rankings: &[Ranking], hits: usize, targets: usize, matching: Option<usize>) -> Self {
        let whole = rankings.iter().filter(|ranking| ranking.led.is_none());
        let rankings = whole.map(|ranking| (ranking.leg, ranking.layer, ranking.units.len())).collect();
        Self { rankings, hits, targets, matching, lexical: None, led: Vec::new(), reranked: None }
    }
}

/// A merged, budgeted, cited span of source text.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Context {
    /// The document's name: its path below the indexed folder, or its own id.
    pub document: String,
    /// The file it is in, below the indexed folder.
    pub path: String,
    /// The indexed folder or file.
    pub root: String,
    /// The document's title.
    pub title: String,
    /// The headings above the text, outermost first.
    pub headings: Vec<String>,
    /// The bytes of the document's text.
    pub span: Span,
    /// The first code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// The first and last line, from 1.
    pub lines: (usize, usize),
    /// The first and last page, from 1, for documents that have pages.
    pub pages: Option<(u32, u32)>,
    /// What is printed on these pages, where that says more than their numbers: `iv`, `00:12:30`.
    pub page_labels: Option<(String, String)>,
    /// The images that stand in it; [`crate::Engine::image`] gives their bytes.
    pub images: Vec<Picture>,
    /// Exactly the document's text from `start` to `end`.
    pub text: String,
    /// What it costs, in tokens.
    pub tokens: usize,
    /// Its worth; comparable within one answer.
    pub score: f32,
    /// How likely it has to do with the question: 0 to 1, comparable between answers, recipes and indexes.
    pub relevance: f32,
    /// What was found in it, best first.
    pub hits: Vec<ContextHit>,
    /// Other documents with the very same text.
    pub copies: Vec<String>,
    /// The document's metadata.
    pub metadata: Metadata,
}

/// A hit inside a context.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ContextHit {
    /// Where it is, in bytes of the document's text.
    pub span: Span,
    /// Its fused score.
    pub score: f32,
    /// How it came by it.
    pub trace: Vec<FoundUnit>,
    /// What the second reading did to it, where it was read.
    pub reranked: Option<Moved>,
}

/// A unit that led to a hit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FoundUnit {
    /// Where it is, in bytes of the document's text; for a derived unit, what it stands for.
    pub span: Span,
    /// What was searched, where that is not the document's own text.
    pub text: Option<String>,
    /// How it was ranked.
    pub trace: Trace,
}

/// Derived texts whose relevance is looked at; they come best first.
const DERIVED: usize = 4;

/// How likely it is that a hit has to do with the question, whatever is returned of it.
pub(super) fn relevance_of(
    hit: &Hit,
    traces: &[Trace],
    snapshot: &dyn Snapshot,
    asked: &mut [ComparedQuestion],
) -> Result<f32> {
    let (document, anchor) = (hit.run.document, hit.run.anchor as usize);
    let (record, structure, text) =
        (snapshot.record(document)?, snapshot.structure(document)?, snapshot.text(document)?);
    let above = above(&record.title, &structure, &text, anchor);
    let all = 0..structure.sentences.len();
    let written = relevance(asked, &above, (&structure, &text), hit.run.sentences(), anchor, &all);
    Ok(written.max(relevance_of_made(asked, &above, traces, &snapshot.derived(document)?)))
}

/// What a sentence stands below: title, headings, and the header of its table.
fn above<'t>(title: &'t str, structure: &Structure, text: &'t str, anchor: usize) -> Vec<&'t str> {
    let headings = structure.sections[structure.section_number(anchor)].path.iter().map(|heading| heading.of(text));
    let columns = tables::header_of(anchor, structure, text).map(|at| structure.sentences[at].span.of(text));
    std::iter::once(title).chain(headings).chain(columns).collect()
}

/// The relevance of what was found at an anchor, within these sentences, for the likeliest form of the question.
fn relevance(
    asked: &mut [ComparedQuestion],
    above: &[&str],
    (structure, text): (&Structure, &str),
    found: Range<usize>,
    anchor: usize,
    within: &Range<usize>,
) -> f32 {
    let of = |asked: &mut ComparedQuestion| asked.relevance(above, structure, text, found.clone(), anchor, within);
    asked.iter_mut().map(of).fold(0.0, f32::max)
}

/// The relevance of the likeliest text that was made about something and found.
fn relevance_of_made<'t>(
    asked: &mut [ComparedQuestion],
    above: &[&str],
    traces: impl IntoIterator<Item = &'t Trace>,
    derived: &[Derived],
) -> f32 {
    let made = traces.into_iter().filter_map(|trace| trace.derived).take(DERIVED);
    let of = |at: u32| {
        let text = &derived[at as usize].text;
        asked.iter_mut().map(|asked| asked.relevance_of(above, text)).fold(0.0, f32::max)
    };
    made.map(of).fold(0.0, f32::max)
}

/// Cuts a piece out of its document.
pub(super) fn cut(
    snapshot: &dyn Snapshot,
    piece: ContextPiece,
    scope: &QuestionScope<'_>,
    traces: &HitTraces<'_>,
    reranked: Option<&Reranked>,
    asked: &mut [ComparedQuestion],
) -> Result<Context> {
    let record = snapshot.record(piece.document)?;
    let structure = snapshot.structure(piece.document)?;
    let text = snapshot.text(piece.document)?;
    let span = structure.span(piece.sentences.clone());
    snapshot.check_text(piece.document, span)?;
    let pages = structure.pages_of(span);
    let mut walk = CodePoints::new(&text);
    let (start, first_line) = walk.at(span.start);
    let (end, last_line) = walk.at(span.end);
    let headings = &structure.sections[structure.section_number(piece.anchor)].path;
    let headings: Vec<&str> = headings.iter().map(|heading| heading.of(&text)).collect();
    let best = piece.hits.first().map_or(piece.anchor..piece.anchor + 1, |hit| hit.run.sentences());
    let above = above(&record.title, &structure, &text, piece.anchor);
    let relevance = relevance(asked, &above, (&structure, &text), best, piece.anchor, &piece.sentences);
    let derived = snapshot.derived(piece.document)?;
    let traces: Vec<Vec<Trace>> = piece.hits.iter().map(|hit| traces.of(hit)).collect();
    let relevance = relevance.max(relevance_of_made(asked, &above, traces.iter().flatten(), &derived));
    let found = |trace: Trace| FoundUnit {
        span: structure.span(trace.run.sentences()),
        text: trace.derived.map(|ordinal| derived[ordinal as usize].text.clone()),
        trace,
    };
    let hit = |(hit, traces): (Hit, Vec<Trace>)| ContextHit {
        span: structure.span(hit.run.sentences()),
        score: hit.score,
        reranked: reranked.and_then(|reranked| reranked.moved.get(&hit.run).copied()),
        trace: traces.into_iter().map(found).collect(),
    };
    let copies = scope.copies_of(piece.document).into_iter();
    Ok(Context {
        headings: headings.into_iter().map(str::to_owned).collect(),
        relevance,
        tokens: structure.tokens(piece.sentences),
        hits: piece.hits.into_iter().zip(traces).map(hit).collect(),
        copies: copies.map(|copy| Ok(snapshot.record(copy)?.id.name().to_owned())).collect::<Result<_>>()?,
        document: record.id.name().to_owned(),
        path: record.id.path,
        root: record.id.root,
        title: record.title,
        metadata: record.metadata,
        span,
        start,
        end,
        lines: (first_line, last_line),
        pages: pages.map(|(first, last)| (first as u32 + 1, last as u32 + 1)),
        page_labels: pages.and_then(|pages| labels(&structure.pages, pages)),
        images: structure.images.iter().filter(|image| image.is_in(span)).cloned().collect(),
        text: span.of(&text).to_owned(),
        score: piece.score,
    })
}

/// What is printed on the first and last of these pages, unless it is their numbers.
fn labels(pages: &[Page], (first, last): (usize, usize)) -> Option<(String, String)> {
    let label = |at: usize| pages[at].label.clone();
    let plain = |at: usize| pages[at].label.parse() == Ok(at + 1);
    (!plain(first) || !plain(last)).then(|| (label(first), label(last)))
}
