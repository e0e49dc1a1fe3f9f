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
mod expand;
mod fuse;
mod recipe;

pub use context::{Answer, Context, ContextHit, Stage};
pub use fuse::Trace;
pub use recipe::{DEFAULT_RECIPE, Expansion, Fusion, Recipe, built_in, name_of};

use crate::document::{Filter, Layer};
use crate::embed::{Embedder, Role, normalize};
use crate::store::{Ask, DocumentNumber, Leg, Snapshot};
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
}

impl Query {
    /// A question, answered as the index's recipe says.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The recipe with this question's own choices in it.
    fn recipe(&self, snapshot: &dyn Snapshot) -> Result<Recipe> {
        let manifest = snapshot.manifest();
        let mut recipe = match &self.recipe_value {
            Some(recipe) => recipe.clone(),
            None => Recipe::named(self.recipe.as_deref().unwrap_or(&manifest.recipe), manifest)?,
        };
        recipe.k = self.k.unwrap_or(match (recipe.expand, self.expand.unwrap_or(recipe.expand)) {
            // `auto` chooses from many candidates, more where the budget is large; anything else returns a few.
            (_, Expansion::Auto) => recipe.k.max(self.budget.unwrap_or(recipe.budget) / TOKENS_PER_CANDIDATE),
            (Expansion::Auto, _) => FEW,
            _ => recipe.k,
        });
        recipe.expand = self.expand.unwrap_or(recipe.expand);
        recipe.budget = self.budget.unwrap_or(recipe.budget);
        if let Some(legs) = &self.legs {
            recipe.legs.clone_from(legs);
        }
        recipe.depth = recipe.depth.max(recipe.k.min(DEEPEST));
        Ok(recipe)
    }
}

/// How many targets are expanded when nobody says.
const FEW: usize = 3;

/// The shortest sentences of real text have about this many tokens: so many candidates fill any budget.
const TOKENS_PER_CANDIDATE: usize = 8;

/// No ranking is longer than this, whatever k is asked for.
const DEEPEST: usize = 10_000;

/// Answers a question from one generation of an index.
pub fn search(snapshot: &dyn Snapshot, embedder: &dyn Embedder, query: &Query) -> Result<Answer> {
    let recipe = query.recipe(snapshot)?;
    let scope = Scope::new(snapshot, query.filter.as_ref())?;
    let vector = question_vector(embedder, &query.text)?;
    let Found { rankings, depth, fused, hits, views } = find(snapshot, &recipe, &query.text, &vector, &scope)?;
    let stage = Stage::new(&rankings, fused, hits.len(), scope.matching);
    let pieces = match recipe.expand {
        Expansion::Auto => auto::select(&hits, recipe.k, recipe.budget, &views),
        expansion => grow(hits, expansion, &recipe, &views),
    };
    let trace = |hit: &Hit| fuse::trace(&rankings, recipe.fusion, depth, hit);
    let contexts =
        pieces.into_iter().map(|piece| context::cut(snapshot, piece, &scope, &trace)).collect::<Result<_>>()?;
    Ok(Answer { question: query.text.clone(), recipe, contexts, stage })
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
            Some(layer) => expand::collapse(hits, layer, &views),
            None => hits,
        };
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
    let found = snapshot.search(&Ask { text, vector, rankings: &rankings, allowed: scope.allowed.as_ref(), depth })?;
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
    /// For a document with copies: the others.
    copies: HashMap<DocumentNumber, Vec<DocumentNumber>>,
}

impl Scope {
    fn new(snapshot: &dyn Snapshot, filter: Option<&Filter>) -> Result<Self> {
        let numbers = match filter {
            Some(filter) => matching(snapshot, filter)?,
            None => snapshot.numbers(),
        };
        let copies = snapshot.copies();
        let matching = filter.map(|_| numbers.len());
        let mut scope = Self { matching, allowed: None, copies: HashMap::new() };
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

/// The documents that match a filter. A field that no document has is an error, not an empty result.
pub fn matching(snapshot: &dyn Snapshot, filter: &Filter) -> Result<Vec<DocumentNumber>> {
    let records = snapshot.records()?;
    let known: BTreeSet<&str> = records
        .iter()
        .flat_map(|(_, record)| record.metadata.0.keys().map(String::as_str))
        .chain(["title", "language", "path", "doc_id"])
        .collect();
    if let Some(field) = filter.fields().into_iter().find(|field| !known.contains(field)) {
        return Err(Error::UnknownField { field: field.to_owned(), known: nearest(field, &known) });
    }
    let matches = |record: &crate::document::Record| filter.matches(&|field: &str| record.field(field));
    Ok(records.iter().filter(|(_, record)| matches(record)).map(|&(number, _)| number).collect())
}

/// The known names most like a given one.
fn nearest(field: &str, known: &BTreeSet<&str>) -> Vec<String> {
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
