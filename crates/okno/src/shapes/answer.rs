//! An answer: its contexts, what was found in them, and how the question was read.

use super::{KeptImage, UnderstoodQuestion};
use crate::document::{CodePoints, Layer};
use crate::retrieve::{self, ContextHit, FoundUnit, LedBy, Moved, PieceMatch, Recipe};
use crate::store::Leg;
use crate::understand::Routing;
use crate::understand::model::Taken;
use serde::Serialize;

/// A context with what every program needs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PlainContext<'a> {
    /// The document's name.
    pub doc_id: &'a str,
    /// The first code point of the document's text.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// Exactly that text.
    pub text: &'a str,
    /// Its worth; comparable within one answer.
    pub score: f32,
    /// How likely it has to do with the question, from 0 to 1; comparable everywhere.
    pub relevance: f32,
    /// The first page, from 1, for documents that have pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_end: Option<u32>,
    /// What is printed on the first and last page, where that is not their numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<String>>))]
    pub page_labels: Option<[&'a str; 2]>,
    /// The images inside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<KeptImage<'a>>,
}

impl<'a> From<&'a retrieve::Context> for PlainContext<'a> {
    fn from(context: &'a retrieve::Context) -> Self {
        Self {
            doc_id: &context.document,
            start: context.start,
            end: context.end,
            text: &context.text,
            score: context.score,
            relevance: context.relevance,
            page: context.pages.map(|(first, _)| first),
            page_end: context.pages.map(|(_, last)| last),
            page_labels: context.page_labels.as_ref().map(|(first, last)| [first.as_str(), last.as_str()]),
            images: context.images.iter().map(KeptImage::from).collect(),
        }
    }
}

/// A context with everything needed to cite and to explain it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Context))]
pub struct FullContext<'a> {
    /// What every program needs.
    #[serde(flatten)]
    pub plain: PlainContext<'a>,
    /// What was found in it, best first.
    pub hits: Vec<FullHit<'a>>,
    /// The indexed folder or file.
    pub root: &'a str,
    /// The file below it.
    pub path: &'a str,
    /// The document's title.
    pub title: &'a str,
    /// The headings above the text, outermost first.
    pub headings: &'a [String],
    /// The first and last line, from 1.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<usize>))]
    pub lines: [usize; 2],
    /// What it costs, in tokens.
    pub tokens: usize,
    /// Other documents with the very same text.
    pub copies: &'a [String],
    /// The document's metadata.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub metadata: serde_json::Value,
    /// Which pieces of the question found what, where an explanation was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<PieceMatch>>,
}

impl<'a> FullContext<'a> {
    /// A context; with a question to explain it by, also how each hit was found.
    pub fn new(context: &'a retrieve::Context, explained: Option<&str>) -> Self {
        let explain = explained.is_some();
        let mut walk = CodePoints::new(&context.text);
        let mut inside = |byte: u32| {
            context.start + walk.at(byte.clamp(context.span.start, context.span.end) - context.span.start).0
        };
        let shown = |hit: &&ContextHit| explain || !hit.trace.is_empty();
        let hits = context.hits.iter().filter(shown).map(|hit| FullHit {
            start: inside(hit.span.start),
            end: inside(hit.span.end),
            score: hit.score,
            trace: explain.then(|| hit.trace.iter().map(FoundBy::from).collect()),
            rerank: hit.reranked.filter(|_| explain),
        });
        Self {
            hits: hits.collect(),
            plain: context.into(),
            root: &context.root,
            path: &context.path,
            title: &context.title,
            headings: &context.headings,
            lines: context.lines.into(),
            tokens: context.tokens,
            copies: &context.copies,
            metadata: context.metadata.to_json(),
            pieces: explained.map(|question| context.matches(question)),
        }
    }
}

/// What was found inside a context.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Hit))]
pub struct FullHit<'a> {
    /// The first code point of the document's text.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// Its fused score.
    pub score: f32,
    /// Which rankings found it, where an explanation was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<FoundBy<'a>>>,
    /// Where the second reading put it, where it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub rerank: Option<Moved>,
}

/// How one ranking found a unit. Units may reach beyond the context, so their places are not given here.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Found))]
pub struct FoundBy<'a> {
    /// The leg: `dense` or `lexical`.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub leg: Leg,
    /// The layer.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub layer: Layer,
    /// The place in the ranking, from 1, among distinct targets.
    pub rank: usize,
    /// The leg's own score.
    pub score: f32,
    /// What it added to the fused score.
    pub share: f32,
    /// Why the document was asked by itself, where it was: `name` or `link`. The rank is one inside of it then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub led: Option<LedBy>,
    /// What was searched, where that is not the document's own text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
}

impl<'a> From<&'a FoundUnit> for FoundBy<'a> {
    fn from(FoundUnit { trace, text, .. }: &'a FoundUnit) -> Self {
        let (rank, score, share) = (trace.rank, trace.score, trace.share);
        Self { leg: trace.leg, layer: trace.layer, rank, score, share, led: trace.led, text: text.as_deref() }
    }
}

/// An answer with everything.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Answer))]
pub struct FullAnswer<'a> {
    /// The question.
    pub question: &'a str,
    /// The recipe as it was used.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub recipe: &'a Recipe,
    /// Tokens of all contexts.
    pub tokens: usize,
    /// What the question was understood to say.
    pub understood: UnderstoodQuestion<'a>,
    /// By which route it was answered, and why.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub route: &'a Routing,
    /// What a language model did to help, step by step.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    pub steps: &'a [Taken],
    /// The query over rows that answers the question, with what it gave, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub rows: Option<&'a retrieve::RowAnswer>,
    /// Documents that are damaged in the index, and were not searched: the files they were read from, or their numbers.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub damaged: &'a [String],
    /// The relevance of the first hit that is relevant, else of the best.
    pub relevance: f32,
    /// Whether the index holds nothing that has to do with the question; what came nearest is returned all the same.
    pub nothing_relevant: bool,
    /// The contexts, best first; none overlap.
    pub contexts: Vec<FullContext<'a>>,
    /// What the stages did, where an explanation was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explained<'a>>,
}

impl<'a> FullAnswer<'a> {
    /// As JSON. It is written here because this crate is compiled to be fast, and the server is not.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// An answer; with `explain`, also how it came about.
    pub fn new(answer: &'a retrieve::Answer, explain: bool) -> Self {
        let explained = explain.then_some(answer.question.as_str());
        Self {
            question: &answer.question,
            recipe: &answer.recipe,
            tokens: answer.tokens(),
            understood: (&answer.understood).into(),
            route: &answer.routing,
            steps: &answer.steps,
            rows: answer.rows.as_ref(),
            damaged: &answer.damaged,
            relevance: answer.relevance,
            nothing_relevant: answer.nothing_relevant(),
            contexts: answer.contexts.iter().map(|context| FullContext::new(context, explained)).collect(),
            explain: explain.then(|| answer.into()),
        }
    }
}

/// What happened between question and contexts.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Explained<'a> {
    /// Each ranking and how many units it found.
    pub rankings: Vec<RankingSize>,
    /// Hits after fusing.
    pub hits: usize,
    /// Distinct targets after collapsing.
    pub targets: usize,
    /// Documents that match the filter, where there is one.
    pub documents_matching_filter: Option<usize>,
    /// What the second reading did, where there was any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<Reranking<'a>>,
}

impl<'a> From<&'a retrieve::Answer> for Explained<'a> {
    fn from(answer: &'a retrieve::Answer) -> Self {
        let ranking = |&(leg, layer, found): &(Leg, Layer, usize)| RankingSize { leg, layer, found };
        let (stage, reranked) = (&answer.stage, answer.stage.reranked.as_ref());
        Self {
            rankings: stage.rankings.iter().map(ranking).collect(),
            hits: stage.hits,
            targets: stage.targets,
            documents_matching_filter: stage.matching,
            rerank: reranked.map(|it| Reranking {
                by: &it.by,
                read: it.read,
                undecided: it.undecided,
                depth: it.how.depth,
                blend: it.how.blend,
            }),
        }
    }
}

/// What the second reading did.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Reranking<'a> {
    /// By whom: a reranker, or `built-in`.
    pub by: &'a str,
    /// How many hits were read.
    pub read: usize,
    /// Whether it found them all alike – a language model whose answer holds no order –, so that none moved.
    pub undecided: bool,
    /// How many were to be read.
    pub depth: usize,
    /// What its score weighs beside the fused one.
    pub blend: f32,
}

/// A ranking and how many units it found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RankingSize {
    /// The leg.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub leg: Leg,
    /// The layer.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub layer: Layer,
    /// How many units.
    pub found: usize,
}
