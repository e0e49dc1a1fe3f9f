//! Search: a question in, contexts out – the same answer the command line gives.

use crate::answering::searching;
use crate::app::{App, Place};
use crate::extract::{Body, Params};
use crate::fault::{ErrorBody, Fault};
use crate::limits::{LARGEST_BUDGET, LARGEST_K, LONGEST_QUESTION, WIDEST};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use okno::document::Filter;
use okno::retrieve::{Expansion, Order, Unit, together};
use okno::store::Leg;
use okno::understand::model::{Step, Switches};
use okno::{Answer, Query, shapes};
use serde::Deserialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use utoipa::{IntoParams, ToSchema};

/// Which indexes are asked.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Indexes {
    /// The index, or several with commas between; the first when none is named
    pub index: Option<String>,
}

/// A question and how to answer it. What is left out is the recipe's to say.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Asking {
    /// The question.
    #[schema(min_length = 1, max_length = 8000, example = "How hot should water for black tea be?")]
    pub question: String,
    /// The recipe's name.
    pub recipe: Option<String>,
    /// How hits grow: `none`, `window:N`, `neighbors:N`, `parent`, `section`, `document`, `auto`.
    pub expand: Option<String>,
    /// Return each hit with this many sentences on each side.
    #[schema(maximum = 1000)]
    pub window: Option<u32>,
    /// Return each chunk with this many on each side.
    #[schema(maximum = 1000)]
    pub neighbors: Option<u32>,
    /// Find by words only, by meaning only, or by both.
    #[schema(value_type = Option<Vec<String>>)]
    pub legs: Option<Vec<Leg>>,
    /// How many distinct hits are expanded.
    #[schema(maximum = 10000)]
    pub k: Option<usize>,
    /// How much context, at most.
    #[schema(maximum = 200_000)]
    pub budget: Option<usize>,
    /// What the budget counts: `tokens` or `characters`.
    #[schema(value_type = Option<String>)]
    pub unit: Option<Unit>,
    /// How much a hit loses that says what a better one says, from 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub diversity: Option<f32>,
    /// The order of contexts: `score`, `document` or `ends`.
    #[schema(value_type = Option<String>)]
    pub order: Option<Order>,
    /// Only documents that match: text (`category = 素菜 and year >= 2023`) or JSON.
    #[schema(value_type = Option<Object>)]
    pub filter: Option<serde_json::Value>,
    /// Whether filters are read from the question.
    pub auto_filter: Option<bool>,
    /// Who reads them: `rules` without a model, or the language `model`, checked against the index.
    pub filter_by: Option<FilterBy>,
    /// What the language model does for the question, in place of what the recipe says: `rewrite`, `decompose`, `step-back`,
    /// `multi-query`, `hyde`; `none` for nothing. Without a model the search goes on without, and `steps` says so.
    #[schema(max_items = 8, example = json!(["rewrite"]))]
    pub transform: Option<Vec<String>>,
    /// Let the language model drop hits that have nothing to do with the question, before they grow.
    #[serde(default)]
    pub post_filter: bool,
    /// How to look: `auto` (by rule), `hybrid`, `lexical`, `dense` or `broad`; `model` lets the language model choose.
    pub route: Option<String>,
    /// Return only contexts at least this relevant, from 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub min_relevance: Option<f32>,
    /// Say how each result was found.
    #[serde(default)]
    pub explain: bool,
}

/// Who reads filters from a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema, rmcp::schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "lowercase")]
pub enum FilterBy {
    /// Rules, without a model.
    Rules,
    /// The language model.
    Model,
}

/// What the language model is asked to do; `None` is the recipe's to say.
fn steps(asking: &Asking) -> Result<Option<Vec<Step>>, Fault> {
    let (filter, route) = (asking.filter_by == Some(FilterBy::Model), asking.route.as_deref() == Some("model"));
    if filter && asking.auto_filter == Some(false) {
        return Err(Fault::bad("bad_option", "`filter_by` says who reads filters, and `auto_filter` that nobody does")
            .hint("send one of them"));
    }
    at_most("transform", asking.transform.as_ref().map_or(0, Vec::len), Step::ALL.len())?;
    let switches = Switches { transform: asking.transform.as_deref(), filter, route, post_filter: asking.post_filter };
    Ok(switches.steps()?)
}

/// The query of a request.
pub(crate) fn query_of(asking: &Asking) -> Result<Query, Fault> {
    check(asking)?;
    let expand = match (asking.window, asking.neighbors, &asking.expand) {
        (Some(count), None, None) => Some(Expansion::Window(count)),
        (None, Some(count), None) => Some(Expansion::Neighbors(count)),
        (None, None, Some(name)) => Some(expansion(name)?),
        (None, None, None) => None,
        _ => {
            return Err(Fault::bad("bad_option", "`window`, `neighbors` and `expand` exclude each other")
                .hint("send one of them"));
        }
    };
    // Neighbours are chunks: the recipe that searches them, unless another was named.
    let recipe = asking.recipe.clone().or_else(|| asking.neighbors.map(|_| "neighbors".to_owned()));
    let route = asking.route.as_deref().filter(|route| !matches!(*route, "auto" | "model"));
    Ok(Query {
        recipe,
        expand,
        legs: asking.legs.clone(),
        filter: asking.filter.as_ref().map(Filter::from_json).transpose().map_err(okno::Error::from)?,
        k: asking.k,
        budget: asking.budget,
        unit: asking.unit,
        diversity: asking.diversity,
        order: asking.order,
        auto_filter: asking.auto_filter,
        route: route.map(str::parse).transpose()?,
        transform: steps(asking)?,
        min_relevance: asking.min_relevance,
        ..Query::new(asking.question.as_str())
    })
}

fn expansion(name: &str) -> Result<Expansion, Fault> {
    let expansion: Expansion = name.parse()?;
    match expansion {
        Expansion::Window(count) | Expansion::Neighbors(count) => at_most("expand", count as usize, WIDEST as usize)?,
        _ => {}
    }
    Ok(expansion)
}

fn check(asking: &Asking) -> Result<(), Fault> {
    if asking.question.trim().is_empty() {
        return Err(Fault::bad("no_question", "the question is empty").hint("send `{\"question\": \"…\"}`"));
    }
    at_most("question", asking.question.chars().count(), LONGEST_QUESTION)?;
    at_most("budget", asking.budget.unwrap_or(0), LARGEST_BUDGET)?;
    at_most("k", asking.k.unwrap_or(0), LARGEST_K)?;
    at_most("window", asking.window.unwrap_or(0) as usize, WIDEST as usize)?;
    at_most("neighbors", asking.neighbors.unwrap_or(0) as usize, WIDEST as usize)?;
    share("diversity", asking.diversity)?;
    share("min_relevance", asking.min_relevance)
}

fn at_most(name: &str, given: usize, most: usize) -> Result<(), Fault> {
    if given <= most {
        Ok(())
    } else {
        Err(Fault::bad("too_much", format!("`{name}` is {given}; at most {most} is answered")))
    }
}

fn share(name: &str, given: Option<f32>) -> Result<(), Fault> {
    match given {
        Some(given) if !(0.0..=1.0).contains(&given) => {
            Err(Fault::bad("bad_option", format!("`{name}` is {given}; expected a number from 0 to 1")))
        }
        _ => Ok(()),
    }
}

/// Asks indexes; with several, their answers become one.
pub(crate) fn answer(places: &[Arc<Place>], query: &Query) -> Result<Answer, Fault> {
    let (mut answers, mut unknown) = (Vec::new(), None);
    for place in places {
        let mut query = query.clone();
        (place.index.complete)(&mut query)?;
        match place.engine().search(&query) {
            Ok(answer) => answers.push(answer),
            // A field that another index has leaves this one without documents.
            Err(error @ okno::Error::UnknownField { .. }) => unknown = Some(error),
            Err(error) => return Err(error.into()),
        }
    }
    match (together(answers), unknown) {
        (Some(answer), _) => Ok(answer),
        (None, Some(error)) => Err(error.into()),
        (None, None) => Err(Fault::internal("no index was asked")),
    }
}

/// Find the passages that answer a question
#[utoipa::path(post, path = "/api/v1/search", tag = "search", params(Indexes), request_body = Asking,
    responses((status = 200, body = shapes::Answer<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn search(
    State(app): State<Arc<App>>,
    Params(which): Params<Indexes>,
    Body(asking, bytes): Body<Asking>,
) -> Result<Response, Fault> {
    let places = app.several(which.index.as_deref())?;
    let query = query_of(&asking)?;
    let used = Arc::clone(&app);
    let (asked, wanted) = (places.clone(), query.clone());
    let work = move || cached(&used, &places, &query, asking.explain, &bytes);
    let found = searching(&app, &asked, &[wanted], work).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], found).into_response())
}

/// The answer as it is sent, kept for the same question to the same state.
fn cached(app: &App, places: &[Arc<Place>], query: &Query, explain: bool, request: &[u8]) -> Result<Bytes, Fault> {
    let key = key(places, request)?;
    if let Some(kept) = app.cache.get(&key) {
        app.metrics.cache_hits.fetch_add(1, Ordering::Relaxed);
        return Ok(kept);
    }
    app.metrics.cache_misses.fetch_add(1, Ordering::Relaxed);
    let answer = answer(places, query)?;
    let shape = shapes::Answer::new(&answer, explain);
    let bytes = Bytes::from(serde_json::to_vec(&shape).map_err(|error| Fault::internal(error.to_string()))?);
    // A model that was away may be back at the next question.
    if answer.steps.iter().all(|taken| taken.failed.is_none()) {
        app.cache.keep(key, bytes.clone());
    }
    Ok(bytes)
}

/// Everything an answer depends on: which indexes in which state, the day (a question may say `last week`), and the request.
fn key(places: &[Arc<Place>], request: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut key = (crate::jobs::now() / 86_400).to_le_bytes().to_vec();
    for place in places {
        key.extend(place.engine().snapshot()?.generation().to_le_bytes());
        key.extend(place.index.name.as_bytes());
        key.push(0);
    }
    key.extend(request);
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_no_more_than_one_expansion_and_nothing_too_large() {
        let asking = |json: serde_json::Value| serde_json::from_value::<Asking>(json).expect("an asking");
        let code = |json| query_of(&asking(json)).err().map(|fault| fault.info().code);
        assert_eq!(code(serde_json::json!({"question": "tea", "window": 2})), None);
        assert_eq!(code(serde_json::json!({"question": " "})), Some("no_question"));
        assert_eq!(code(serde_json::json!({"question": "tea", "window": 2, "expand": "auto"})), Some("bad_option"));
        assert_eq!(code(serde_json::json!({"question": "tea", "expand": "window:4000000"})), Some("too_much"));
        assert_eq!(code(serde_json::json!({"question": "tea", "k": 10_001})), Some("too_much"));
        assert_eq!(code(serde_json::json!({"question": "tea", "min_relevance": 2})), Some("bad_option"));
        assert_eq!(code(serde_json::json!({"question": "x".repeat(8001)})), Some("too_much"));
        assert_eq!(code(serde_json::json!({"question": "tea", "transform": ["rewire"]})), Some("bad_option"));
        let both = serde_json::json!({"question": "tea", "filter_by": "model", "auto_filter": false});
        assert_eq!(code(both), Some("bad_option"));
        let query = query_of(&asking(serde_json::json!({"question": "tea", "route": "model", "post_filter": true})));
        let query = query.expect("a query");
        assert_eq!((query.route, query.transform), (None, Some(vec![Step::Route, Step::PostFilter])));
        let query = query_of(&asking(serde_json::json!({"question": "tea", "neighbors": 1}))).expect("a query");
        assert_eq!(query.recipe.as_deref(), Some("neighbors"));
    }
}
