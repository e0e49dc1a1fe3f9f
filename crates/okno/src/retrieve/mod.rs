//! Retrieval: from a question to contexts.
//!
//! ```text
//! understand → search (dense, lexical) → fuse → collapse → expand → merge → budget → contexts
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
mod recipe;
mod relevance;
mod sections;
mod several;

pub use context::{Answer, Context, ContextHit, FoundUnit, Stage};
pub use fuse::Trace;
pub use recipe::{DEFAULT_RECIPE, Expansion, Fusion, Order, Recipe, Recipes, Worth, built_in, built_in_text, name_of};
pub use relevance::RELEVANT;
pub use several::together;

use crate::document::{Date, Filter, Layer};
use crate::embed::{Embedder, Role, normalize};
use crate::store::{Ask, DocumentNumber, Leg, Sections, Snapshot};
use crate::understand::{Because, Route, Routing, Understood};
use crate::{Error, Result};
use expand::{Piece, View, Views};
use fuse::{Hit, Ranking};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A question and how to answer it. What is `None` is the recipe's to say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// The question.
    pub text: String,
    /// The recipe's name; the index's own when `None`.
    pub recipe: Option<String>,
    /// A recipe of its own, in place of a named one.
    pub recipe_value: Option<Recipe>,
    /// The legs to find with.
    pub legs: Option<Vec<Leg>>,
    /// Which documents may be searched.
    pub filter: Option<Filter>,
    /// How hits grow.
    pub expand: Option<Expansion>,
    /// How many distinct targets are expanded.
    pub k: Option<usize>,
    /// Tokens of context, at most.
    pub budget: Option<usize>,
    /// How much a hit loses that says what a better one says.
    pub diversity: Option<f32>,
    /// In which order contexts are returned.
    pub order: Option<Order>,
    /// Whether filters are read from the question; they are when `None`.
    pub auto_filter: Option<bool>,
    /// By which route it is answered; by rule when `None`.
    pub route: Option<Route>,
    /// The day that `last week` counts from; the system's when `None`.
    pub today: Option<Date>,
    /// Contexts of less relevance are not returned; all are when `None`.
    pub min_relevance: Option<f32>,
}

impl Query {
    /// A question, answered as the index's recipe says.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The recipe with this question's own choices in it.
    fn recipe(&self, snapshot: &dyn Snapshot, recipes: &Recipes, route: Route) -> Result<Recipe> {
        let manifest = snapshot.manifest();
        let usual = if route == Route::Broad && manifest.recipe == DEFAULT_RECIPE { BROAD } else { &manifest.recipe };
        let mut recipe = match &self.recipe_value {
            Some(recipe) => recipe.clone(),
            None => Recipe::named(self.recipe.as_deref().unwrap_or(usual), manifest, recipes)?,
        };
        match route {
            Route::Lexical => recipe.legs = vec![Leg::Lexical],
            Route::Dense => recipe.legs = vec![Leg::Dense],
            Route::Hybrid | Route::Broad => {}
        }
        recipe.k = self.k.unwrap_or(match (recipe.expand, self.expand.unwrap_or(recipe.expand)) {
            // `auto` chooses from many candidates, more where the budget is large; anything else returns a few.
            (_, Expansion::Auto) => recipe.k.max(self.budget.unwrap_or(recipe.budget) / auto::TOKENS_PER_CANDIDATE),
            (Expansion::Auto, _) => FEW,
            _ => recipe.k,
        });
        recipe.expand = self.expand.unwrap_or(recipe.expand);
        recipe.budget = self.budget.unwrap_or(recipe.budget);
        recipe.diversity = self.diversity.unwrap_or(recipe.diversity).clamp(0.0, 1.0);
        recipe.order = self.order.unwrap_or(recipe.order);
        recipe.leave_out_missing(snapshot.derived_counts())?;
        if let Some(legs) = &self.legs {
            recipe.legs.clone_from(legs);
        }
        recipe.depth = recipe.depth.max(recipe.k.min(DEEPEST));
        Ok(recipe)
    }
}

/// The recipe of the route `broad`, in place of the default one.
const BROAD: &str = "broad";

/// How many targets are expanded when nobody says.
const FEW: usize = 3;

/// No ranking is longer than this, whatever k is asked for.
const DEEPEST: usize = 10_000;

/// Answers a question from one generation of an index.
pub fn search(snapshot: &dyn Snapshot, embedder: &dyn Embedder, recipes: &Recipes, query: &Query) -> Result<Answer> {
    let (understood, routing) = (understand(snapshot, query)?, route(query));
    let answer = answer(snapshot, embedder, recipes, query, understood, routing)?;
    match second_try(&answer, query) {
        Some((understood, routing)) => self::answer(snapshot, embedder, recipes, query, understood, routing),
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
    recipes: &Recipes,
    query: &Query,
    understood: Understood,
    routing: Routing,
) -> Result<Answer> {
    let recipe = query.recipe(snapshot, recipes, routing.route)?;
    let scope = Scope::new(snapshot, both(query.filter.as_ref(), understood.filter.as_ref()).as_ref())?;
    let vector = question_vector(embedder, &understood.text)?;
    let Found { rankings, depth, fused, hits, views } = find(snapshot, &recipe, &understood.text, &vector, &scope)?;
    let stage = Stage::new(&rankings, fused, hits.len(), scope.matching);
    let hits = match routing.because {
        Because::Quotation => phrases::raised(hits, &routing.phrases, &views),
        _ => hits,
    };
    let pieces = match recipe.expand {
        Expansion::Auto => auto::select(&hits, recipe.k, recipe.budget, &views),
        expansion => grow(hits, expansion, &recipe, &views),
    };
    let pieces = expand::arrange(pieces, recipe.order);
    let trace = |hit: &Hit| fuse::trace(&rankings, recipe.fusion, depth, hit);
    let mut asked = relevance::Asked::new(&query.text);
    let mut contexts: Vec<Context> = pieces
        .into_iter()
        .map(|piece| context::cut(snapshot, piece, &scope, &trace, &mut asked))
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

/// The documents a question may be answered from: those that match the filter, identical copies once.
struct Scope {
    /// How many documents match the filter, where there is one.
    matching: Option<usize>,
    allowed: Option<HashSet<DocumentNumber>>,
    /// Where the filter asks about headings: the sections of these documents that match.
    sections: Option<Sections>,
    /// For a document with copies: the others.
    copies: HashMap<DocumentNumber, Vec<DocumentNumber>>,
}

impl Scope {
    fn new(snapshot: &dyn Snapshot, filter: Option<&Filter>) -> Result<Self> {
        let (numbers, sections) = match filter {
            Some(filter) => resolve(snapshot, filter)?,
            None => (snapshot.numbers(), None),
        };
        let copies = snapshot.copies();
        let matching = filter.map(|_| numbers.len());
        let mut scope = Self { matching, allowed: None, sections, copies: HashMap::new() };
        if filter.is_none() && copies.is_empty() {
            return Ok(scope);
        }
        let matching: HashSet<DocumentNumber> = numbers.iter().copied().collect();
        let mut allowed = matching.clone();
        for group in copies {
            let mut present = group.iter().copied().filter(|number| matching.contains(number));
            let Some(first) = present.next() else { continue };
            let others: Vec<DocumentNumber> = present.collect();
            for other in &others {
                allowed.remove(other);
            }
            scope.copies.insert(first, others);
        }
        scope.allowed = Some(allowed);
        Ok(scope)
    }
}

/// Fields that every document has, beside its metadata.
const EVERY_DOCUMENT: [&str; 4] = ["title", "language", "path", "doc_id"];

/// The documents that match a filter. A field that no document has is an error, not an empty result.
pub fn matching(snapshot: &dyn Snapshot, filter: &Filter) -> Result<Vec<DocumentNumber>> {
    Ok(resolve(snapshot, filter)?.0)
}

/// The documents that match a filter, and which of their sections where it asks about headings.
fn resolve(snapshot: &dyn Snapshot, filter: &Filter) -> Result<(Vec<DocumentNumber>, Option<Sections>)> {
    let records = snapshot.records()?;
    let has =
        |field: &str| EVERY_DOCUMENT.contains(&field) || records.iter().any(|(_, r)| r.metadata.get(field).is_some());
    if let Some(field) = filter.fields().into_iter().find(|field| !has(field) && !sections::is_heading(field)) {
        let named = records.iter().flat_map(|(_, record)| record.metadata.0.keys().map(String::as_str));
        let known: BTreeSet<&str> = named.chain(EVERY_DOCUMENT).collect();
        return Err(Error::UnknownField { field: field.to_owned(), known: nearest(field, &known) });
    }
    if sections::asked_by(filter) {
        let sections = sections::matching(snapshot, filter)?;
        let mut numbers: Vec<DocumentNumber> = sections.keys().copied().collect();
        numbers.sort_unstable();
        return Ok((numbers, Some(sections)));
    }
    let matches = |record: &crate::document::Record| filter.matches(&|field: &str| record.field(field));
    Ok((records.iter().filter(|(_, record)| matches(record)).map(|&(number, _)| number).collect(), None))
}

/// The known names most like a given one.
pub(crate) fn nearest(field: &str, known: &BTreeSet<&str>) -> Vec<String> {
    let mut by_distance: Vec<(usize, &str)> = known.iter().map(|&name| (distance(field, name), name)).collect();
    by_distance.sort_unstable();
    by_distance.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// Levenshtein distance between two names, whatever their case.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

impl crate::document::Record {
    /// A field that a filter may ask about: metadata, or what every document has.
    pub fn field(&self, name: &str) -> Option<Cow<'_, crate::document::Value>> {
        use crate::document::Value;
        let text = |text: &str| Some(Cow::Owned(Value::Text(text.to_owned())));
        match (self.metadata.get(name), name) {
            (Some(value), _) => Some(Cow::Borrowed(value)),
            (None, "title") => text(&self.title),
            (None, "language") => self.language.as_deref().and_then(text),
            (None, "path") => text(&self.id.path),
            (None, "doc_id") => text(self.id.name()),
            (None, _) => None,
        }
    }
}
