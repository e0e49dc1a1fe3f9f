//! What a language model does for a question, put in its place in the search.
//!
//! Before: the filter, the route, the question's other forms. Between collapsing and growing: the hits
//! that have nothing to do with it. What each step came to is kept for `--explain`; without a model, or
//! where it fails, the search is what it would have been.

use super::Models;
use super::evidence;
use super::fuse::Hit;
use super::query::Query;
use super::recipe::{Recipe, Recipes};
use super::spelling;
use super::views::{View, Views};
use crate::Result;
use crate::generate::Asker;
use crate::store::Snapshot;
use crate::understand::model::{Probes, ShownHit, Step, Taken, irrelevant, read_route, transformed};
use crate::understand::{Routing, Understood};

/// A question, prepared.
pub struct PreparedQuestion {
    pub understood: Understood,
    pub routing: Routing,
    pub probes: Probes,
    pub steps: Vec<Taken>,
}

/// Hits that a model is shown to drop some of: what fits into a prompt of some thousand tokens.
const JUDGED: usize = 30;

/// Understands a question, with a model's help where the recipe asks for it.
pub fn prepare(
    snapshot: &dyn Snapshot,
    recipes: &Recipes,
    query: &Query,
    models: Models<'_>,
) -> Result<PreparedQuestion> {
    let asker = models.asker;
    let asked_for = super::steps(snapshot, recipes, query)?;
    let mut steps = Vec::new();
    let mut understood = if asked_for.contains(&Step::Filter) {
        let (understood, taken) =
            evidence::read_by_model(snapshot, &query.text, query.filter.as_ref(), query.today, asker)?;
        steps.push(taken);
        understood
    } else {
        super::understand(snapshot, query)?
    };
    let spelling::SpelledQuestion { text, corrected, unknown } = spelling::spelled(snapshot, &understood.text)?;
    (understood.text, understood.spelled, understood.unknown) = (text, corrected, unknown);
    let mut routing = super::route(query);
    if asked_for.contains(&Step::Route) && query.route.is_none() {
        let (chosen, taken) = read_route(&query.text, has_tables(snapshot, query, models)?, asker);
        steps.push(taken);
        routing = chosen.unwrap_or(routing);
    }
    let (probes, taken) = transformed(&understood.text, &asked_for, asker);
    steps.extend(taken);
    Ok(PreparedQuestion { understood, routing, probes, steps })
}

/// Whether a question may be asked of tables.
fn has_tables(snapshot: &dyn Snapshot, query: &Query, models: Models<'_>) -> Result<bool> {
    match models.row_route {
        Some(route) if query.filter.is_none() => route.has_tables(snapshot),
        _ => Ok(false),
    }
}

/// Drops the hits that a model finds irrelevant. It is shown the best; what it was not shown goes too, since nobody
/// vouches for it.
pub fn post_filter(
    snapshot: &dyn Snapshot,
    mut hits: Vec<Hit>,
    question: &str,
    recipe: &Recipe,
    views: &Views<'_>,
    asker: Option<Asker<'_>>,
) -> Result<(Vec<Hit>, Taken)> {
    let shown = hits.len().min(recipe.k.min(JUDGED));
    let titles: Vec<String> =
        hits[..shown].iter().map(|hit| Ok(snapshot.record(hit.run.document)?.title)).collect::<Result<_>>()?;
    let text = |hit: &Hit| {
        let View { structure, text } = &views[&hit.run.document];
        let (first, last) = (hit.run.first as usize, hit.run.end as usize - 1);
        // A sentence alone may not say what it is about.
        let around = structure.with_neighbours(first).start..structure.with_neighbours(last).end;
        structure.span(around).of(text)
    };
    let passages = hits[..shown].iter().zip(&titles).map(|(hit, title)| ShownHit { title, text: text(hit) });
    let passages: Vec<ShownHit<'_>> = passages.collect();
    let (dropped, taken) = irrelevant(question, &passages, asker);
    if taken.failed.is_some() {
        return Ok((hits, taken));
    }
    hits.truncate(shown);
    let mut at = 0;
    hits.retain(|_| {
        at += 1;
        !dropped.contains(&(at - 1))
    });
    Ok((hits, taken))
}
