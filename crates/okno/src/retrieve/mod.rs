//! Retrieval: from a question to contexts.
//!
//! ```text
//! understand → search (dense, lexical) → fuse → collapse → rerank → expand → merge → budget → contexts
//! ```
//!
//! [`search`] reads like that line. The store is asked once (again only when fewer than k targets
//! came of it); from fusing to budgeting everything is a pure function over plain data.

mod auto;
mod context;
mod diversify;
mod evidence;
mod expand;
mod fuse;
mod phrases;
mod query;
mod recipe;
mod relevance;
mod rerank;
mod scope;
mod sections;
mod several;

pub use context::{Answer, Context, ContextHit, FoundUnit, Stage};
pub use fuse::Trace;
pub use query::Query;
pub use recipe::{
    DEFAULT_RECIPE, Expansion, Fusion, Order, Recipe, Recipes, Unit, Worth, built_in, built_in_text, name_of,
};
pub use relevance::RELEVANT;
pub use rerank::{Moved, Rerank, RerankError, Reranked, Reranker};
pub use scope::matching;
pub(crate) use scope::nearest;
pub use several::together;

use crate::document::{Filter, Layer};
use crate::embed::{Embedder, Role, normalize};
use crate::store::{Ask, DocumentNumber, Snapshot};
use crate::understand::{Because, Route, Routing, Understood};
use crate::{Error, Result};
use expand::{Piece, View, Views};
use fuse::{Hit, Ranking};
use query::DEEPEST;
use scope::Scope;
use std::collections::BTreeSet;

/// Answers a question from one generation of an index.
pub fn search(
    snapshot: &dyn Snapshot,
    embedder: &dyn Embedder,
    reranker: Option<&dyn Reranker>,
    recipes: &Recipes,
    query: &Query,
) -> Result<Answer> {
    let (understood, routing) = (understand(snapshot, query)?, route(query));
    let answer = answer(snapshot, embedder, reranker, recipes, query, understood, routing)?;
    match second_try(&answer, query) {
        Some((understood, routing)) => self::answer(snapshot, embedder, reranker, recipes, query, understood, routing),
        None => Ok(answer),
    }
}

/// Where a rule of ours found nothing: the question without it, and visibly so.
fn second_try(answer: &Answer, query: &Query) -> Option<(Understood, Routing)> {
    let ruled = answer.routing.because != Because::Chosen && answer.routing.route != Route::Hybrid;
    let plainly = Routing { route: Route::Hybrid, because: Because::Usual, ..answer.routing.clone() };
    match (answer.stage.hits, &answer.understood.filter) {
        (0, Some(_)) => Some((answer.understood.clone().withdraw(&query.text), plainly)),
        (0, None) if ruled => Some((answer.understood.clone(), plainly)),
        _ => None,
    }
}

/// By which route a question is answered.
pub fn route(query: &Query) -> Routing {
    query.route.map_or_else(|| crate::understand::route::route(&query.text), Routing::chosen)
}

/// What a question says besides its content.
pub fn understand(snapshot: &dyn Snapshot, query: &Query) -> Result<Understood> {
    if query.auto_filter == Some(false) {
        return Ok(Understood::plainly(&query.text));
    }
    evidence::read(snapshot, &query.text, query.filter.as_ref(), query.today)
}

/// Answers a question that is understood.
fn answer(
    snapshot: &dyn Snapshot,
    embedder: &dyn Embedder,
    reranker: Option<&dyn Reranker>,
    recipes: &Recipes,
    query: &Query,
    understood: Understood,
    routing: Routing,
) -> Result<Answer> {
    let recipe = query.recipe(snapshot, recipes, routing.route)?;
    let scope = Scope::new(snapshot, both(query.filter.as_ref(), understood.filter.as_ref()).as_ref())?;
    let vector = question_vector(embedder, &understood.text)?;
    let Found { rankings, depth, fused, hits, views } = find(snapshot, &recipe, &understood.text, &vector, &scope)?;
    let (views, scale) = match recipe.unit {
        Unit::Tokens => (views, 1.0),
        Unit::Characters => expand::in_characters(views),
    };
    let mut stage = Stage::new(&rankings, fused, hits.len(), scope.matching);
    let hits = match reranker.filter(|_| recipe.rerank.depth > 0) {
        Some(reranker) => {
            let (hits, reranked) = rerank::rerank(hits, reranker, recipe.rerank, &understood.text, &views)?;
            stage.reranked = Some(reranked);
            hits
        }
        None => hits,
    };
    let hits = match routing.because {
        Because::Quotation => phrases::raised(hits, &routing.phrases, &views),
        _ => hits,
    };
    let pieces = match recipe.expand {
        Expansion::Auto => auto::select(&hits, recipe.k, recipe.budget, scale, &views),
        expansion => grow(hits, expansion, &recipe, &views),
    };
    let pieces = expand::arrange(pieces, recipe.order);
    let trace = |hit: &Hit| fuse::trace(&rankings, recipe.fusion, depth, hit);
    let mut asked = relevance::Asked::new(&query.text);
    let mut contexts: Vec<Context> = pieces
        .into_iter()
        .map(|piece| context::cut(snapshot, piece, &scope, &trace, stage.reranked.as_ref(), &mut asked))
        .collect::<Result<_>>()?;
    let relevance = contexts.iter().map(|context| context.relevance).fold(0.0, f32::max);
    contexts.retain(|context| context.relevance >= query.min_relevance.unwrap_or(0.0));
    let contexts = match recipe.order {
        Order::Score => phrases::first(contexts, &routing.phrases),
        Order::Document | Order::Ends => contexts,
    };
    Ok(Answer { question: query.text.clone(), recipe, contexts, relevance, stage, understood, routing })
}

/// The filter that was given and the one that was read.
fn both(given: Option<&Filter>, read: Option<&Filter>) -> Option<Filter> {
    match (given.cloned(), read.cloned()) {
        (Some(given), Some(read)) => Some(given.and(read)),
        (given, read) => given.or(read),
    }
}

/// Expands the first k hits, merges what touches, cuts to the budget.
fn grow(mut hits: Vec<Hit>, expansion: Expansion, recipe: &Recipe, views: &Views<'_>) -> Vec<Piece> {
    hits.truncate(recipe.k);
    let parent = recipe.collapse.or(recipe.layers.last().copied()).unwrap_or(Layer::Section);
    let pieces = hits.into_iter().map(|hit| expand::expand(hit, expansion, parent, views)).collect();
    expand::within_budget(expand::merge(pieces), recipe.budget, views)
}

/// What the legs found.
struct Found<'s> {
    rankings: Vec<Ranking>,
    depth: usize,
    /// Hits before they were collapsed.
    fused: usize,
    /// Distinct targets, best first.
    hits: Vec<Hit>,
    /// The documents they are in.
    views: Views<'s>,
}

/// Asks the store for more until there are k distinct targets or no more to be had.
fn find<'s>(
    snapshot: &'s dyn Snapshot,
    recipe: &Recipe,
    text: &str,
    vector: &[f32],
    scope: &Scope,
) -> Result<Found<'s>> {
    let mut depth = recipe.depth;
    loop {
        let rankings = rank(snapshot, recipe, text, vector, scope, depth)?;
        let hits = fuse::fuse(&rankings, recipe.fusion, depth);
        let (fused, views) = (hits.len(), views(snapshot, &hits)?);
        let hits = match recipe.collapse {
            Some(layer) => expand::collapse(hits, layer, recipe.worth, &views),
            None => hits,
        };
        let hits = diversify::diversify(hits, recipe.diversity, &views);
        let exhausted = depth >= DEEPEST || rankings.iter().all(|ranking| ranking.units.len() < depth);
        if recipe.expand == Expansion::Auto || hits.len() >= recipe.k || exhausted {
            return Ok(Found { rankings, depth, fused, hits, views });
        }
        depth = (depth * 4).min(DEEPEST);
    }
}

fn rank(
    snapshot: &dyn Snapshot,
    recipe: &Recipe,
    text: &str,
    vector: &[f32],
    scope: &Scope,
    depth: usize,
) -> Result<Vec<Ranking>> {
    let (rankings, weights): (Vec<_>, Vec<f32>) = recipe.rankings().into_iter().unzip();
    let (allowed, sections) = (scope.allowed.as_ref(), scope.sections.as_ref());
    let found = snapshot.search(&Ask { text, vector, rankings: &rankings, allowed, sections, depth })?;
    let named = rankings.into_iter().zip(weights).zip(found);
    Ok(named.map(|(((leg, layer), weight), units)| Ranking { leg, layer, weight, units }).collect())
}

fn views<'s>(snapshot: &'s dyn Snapshot, hits: &[Hit]) -> Result<Views<'s>> {
    let documents: BTreeSet<DocumentNumber> = hits.iter().map(|hit| hit.run.document).collect();
    let view = |number| Ok((number, View { structure: snapshot.structure(number)?, text: snapshot.text(number)? }));
    documents.into_iter().map(view).collect()
}

fn question_vector(embedder: &dyn Embedder, text: &str) -> Result<Vec<f32>> {
    let failed = |reason: crate::embed::EmbedError| Error::Embedding {
        name: embedder.identity().to_owned(),
        reason: reason.to_string(),
    };
    let mut vector = embedder.embed(&[text], Role::Query).map_err(failed)?;
    normalize(&mut vector);
    Ok(vector)
}
