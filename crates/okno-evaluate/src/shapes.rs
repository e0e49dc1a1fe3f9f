//! A comparison: what each recipe returned, and what only it did.

use crate::sides::{Answering, Side, answering, only_here, part};
use okno::Context;
use okno::document::{CodePoints, Span};
use okno::retrieve::Recipe;
use okno::shapes::{FullContext, UnderstoodQuestion};
use okno::understand::Routing;
use okno::understand::model::Taken;
use serde::Serialize;

/// The same question to several recipes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Compared<'a> {
    /// The question.
    pub question: &'a str,
    /// The filter that was read from the question.
    pub filter_read: Option<String>,
    /// What each recipe returned.
    pub recipes: Vec<ComparedSide<'a>>,
}

impl<'a> Compared<'a> {
    /// A comparison. With `gold`, who returned those words; with `explain`, also how each hit was found.
    pub fn new(question: &'a str, sides: &'a [Side], gold: Option<&str>, explain: bool) -> Self {
        let filter = sides.first().and_then(|side| side.answer.understood.filter.as_ref());
        let recipes = (0..sides.len()).map(|own| side(sides, own, gold, explain)).collect();
        Self { question, filter_read: filter.map(ToString::to_string), recipes }
    }
}

fn side<'a>(sides: &'a [Side], own: usize, gold: Option<&str>, explain: bool) -> ComparedSide<'a> {
    let Side { name, answer } = &sides[own];
    let context = |context: &'a Context| {
        let only = only_here(context, sides, own);
        let only: Vec<Span> = only.into_iter().filter(|&span| !part(context, span).trim().is_empty()).collect();
        ComparedContext {
            full: FullContext::new(context, explain.then_some(answer.question.as_str())),
            only_here: only.iter().map(|&span| part(context, span)).collect(),
            only_here_places: in_code_points(context, &only),
        }
    };
    ComparedSide {
        recipe: name,
        settings: &answer.recipe,
        understood: (&answer.understood).into(),
        route: &answer.routing,
        steps: &answer.steps,
        relevance: answer.relevance,
        nothing_relevant: answer.nothing_relevant(),
        tokens: answer.tokens(),
        contexts: answer.contexts.iter().map(context).collect(),
        gold: gold.map(|gold| answering(&sides[own], gold).map(GoldPlace::from)),
    }
}

fn in_code_points(context: &Context, spans: &[Span]) -> Vec<[usize; 2]> {
    let mut walk = CodePoints::new(&context.text);
    let mut point = |byte: u32| context.start + walk.at(byte - context.span.start).0;
    spans.iter().map(|span| [point(span.start), point(span.end)]).collect()
}

/// What one recipe returned.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ComparedSide<'a> {
    /// The recipe's name.
    pub recipe: &'a str,
    /// The recipe as it was used.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub settings: &'a Recipe,
    /// What the question was understood to say.
    pub understood: UnderstoodQuestion<'a>,
    /// By which route it was answered, and why.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub route: &'a Routing,
    /// What a language model did to help, step by step.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    pub steps: &'a [Taken],
    /// The relevance of its most relevant context.
    pub relevance: f32,
    /// Whether nothing that has to do with the question was found.
    pub nothing_relevant: bool,
    /// Tokens of all its contexts.
    pub tokens: usize,
    /// Its contexts, best first.
    pub contexts: Vec<ComparedContext<'a>>,
    /// Where the words that answer are, if they were given: `null` when this recipe did not return them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<GoldPlace>))]
    pub gold: Option<Option<GoldPlace>>,
}

/// A context and what of it no other recipe returned.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ComparedContext<'a> {
    /// The context, as a search gives it.
    #[serde(flatten)]
    pub full: FullContext<'a>,
    /// The texts that no other recipe returned.
    pub only_here: Vec<&'a str>,
    /// Where they are: first code point of the document's text and one past the last.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Vec<usize>>))]
    pub only_here_places: Vec<[usize; 2]>,
}

/// Where the words that answer are.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct GoldPlace {
    /// The document's name.
    pub doc_id: String,
    /// The first code point.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// The sentence they are in.
    pub sentence: String,
}

impl From<Answering> for GoldPlace {
    fn from(Answering { document, start, end, sentence }: Answering) -> Self {
        Self { doc_id: document, start, end, sentence }
    }
}
