//! Search: a question in, contexts out – the same answer the command line gives.

use crate::answering::searching;
use crate::app::{App, ServedIndex};
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, Params};
use crate::limits::{LARGEST_BUDGET, LARGEST_K, LONGEST_QUESTION, WIDEST};
use crate::problem::Problem;
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
pub struct SearchRequest {
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
    /// What the language model does for the question, in place of what the recipe says: `rewrite`, `decompose`,
    /// `step-back`, `multi-query`, `hyde`; `none` for nothing. Without a model the search goes on without, and `steps`
    /// says so.
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
fn steps(asking: &SearchRequest) -> Result<Option<Vec<Step>>, ApiError> {
    let (filter, route) = (asking.filter_by == Some(FilterBy::Model), asking.route.as_deref() == Some("model"));
    if filter && asking.auto_filter == Some(false) {
        return Err(Problem::FiltersOffAndOn.into());
    }
    at_most("transform", asking.transform.as_ref().map_or(0, Vec::len), Step::ALL.len())?;
    let switches = Switches { transform: asking.transform.as_deref(), filter, route, post_filter: asking.post_filter };
    Ok(switches.steps()?)
}

/// The query of a request.
pub(crate) fn query_of(asking: &SearchRequest) -> Result<Query, ApiError> {
    check(asking)?;
    let expand = match (asking.window, asking.neighbors, &asking.expand) {
        (Some(count), None, None) => Some(Expansion::Window(count)),
        (None, Some(count), None) => Some(Expansion::Neighbors(count)),
        (None, None, Some(name)) => Some(expansion(name)?),
        (None, None, None) => None,
        _ => return Err(Problem::SeveralExpansions.into()),
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

fn expansion(name: &str) -> Result<Expansion, ApiError> {
    let expansion: Expansion = name.parse()?;
    match expansion {
        Expansion::Window(count) | Expansion::Neighbors(count) => at_most("expand", count as usize, WIDEST as usize)?,
        _ => {}
    }
    Ok(expansion)
}

fn check(asking: &SearchRequest) -> Result<(), ApiError> {
    if asking.question.trim().is_empty() {
        return Err(Problem::EmptyQuestion.into());
    }
    at_most("question", asking.question.chars().count(), LONGEST_QUESTION)?;
    at_most("budget", asking.budget.unwrap_or(0), LARGEST_BUDGET)?;
    at_most("k", asking.k.unwrap_or(0), LARGEST_K)?;
    at_most("window", asking.window.unwrap_or(0) as usize, WIDEST as usize)?;
    at_most("neighbors", asking.neighbors.unwrap_or(0) as usize, WIDEST as usize)?;
    share("diversity", asking.diversity)?;
    share("min_relevance", asking.min_relevance)
}

fn at_most(name: &'static str, given: usize, most: usize) -> Result<(), ApiError> {
    if given <= most { Ok(()) } else { Err(Problem::TooMuch { name, given, most }.into()) }
}

fn share(name: &'static str, given: Option<f32>) -> Result<(), ApiError> {
    match given {
        Some(given) if !(0.0..=1.0).contains(&given) => Err(Problem::NotAShare { name, given }.into()),
        _ => Ok(()),
    }
}

/// Asks indexes; with several, their answers become one.
pub(crate) fn answer(indexes: &[Arc<ServedIndex>], query: &Query) -> Result<Answer, ApiError> {
    let (mut answers, mut unknown) = (Vec::new(), None);
    for served in indexes {
        let mut query = query.clone();
        (served.index.complete)(&mut query)?;
        match served.engine().search(&query) {
            Ok(answer) => answers.push(answer),
            // A field that another index has leaves this one without documents.
            Err(error @ okno::Error::UnknownField { .. }) => unknown = Some(error),
            Err(error) => return Err(error.into()),
        }
    }
    match (together(answers), unknown) {
        (Some(answer), _) => Ok(answer),
        (None, Some(error)) => Err(error.into()),
        (None, None) => Err(Problem::NothingServed.into()),
    }
}

/// Find the passages that answer a question
#[utoipa::path(post, path = "/api/v1/search", tag = "search", params(Indexes), request_body = SearchRequest,
    responses((status = 200, body = shapes::Answer<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn search(
    State(app): State<Arc<App>>,
    Params(which): Params<Indexes>,
    JsonBody(asking, bytes): JsonBody<SearchRequest>,
) -> Result<Response, ApiError> {
    let indexes = app.several(which.index.as_deref())?;
    let query = query_of(&asking)?;
    let used = Arc::clone(&app);
    let (asked, wanted) = (indexes.clone(), query.clone());
    let work = move || cached(&used, &indexes, &query, asking.explain, &bytes);
    let found = searching(&app, &asked, &[wanted], work).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], found).into_response())
}

/// The answer as it is sent, kept for the same question to the same state.
fn cached(
    app: &App,
    indexes: &[Arc<ServedIndex>],
    query: &Query,
    explain: bool,
    request: &[u8],
) -> Result<Bytes, ApiError> {
    let key = key(indexes, request)?;
    if let Some(kept) = app.cache.get(&key) {
        app.metrics.cache_hits.fetch_add(1, Ordering::Relaxed);
        return Ok(kept);
    }
    app.metrics.cache_misses.fetch_add(1, Ordering::Relaxed);
    let answer = answer(indexes, query)?;
    let shape = shapes::Answer::new(&answer, explain);
    let bytes = Bytes::from(serde_json::to_vec(&shape)?);
    // A step that failed may succeed next time: the model may be back.
    if answer.steps.iter().all(|taken| taken.failed.is_none()) {
        app.cache.keep(key, bytes.clone());
    }
    Ok(bytes)
}

/// Everything an answer depends on: which indexes in which state, the day (a question may say `last week`), and the
/// request.
fn key(indexes: &[Arc<ServedIndex>], request: &[u8]) -> Result<Vec<u8>, ApiError> {
    let mut key = (crate::jobs::now() / 86_400).to_le_bytes().to_vec();
    for served in indexes {
        key.extend(served.engine().snapshot()?.generation().to_le_bytes());
        key.extend(served.index.name.as_bytes());
        key.push(0);
    }
    key.extend(request);
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    #[test]
    fn a_request_says_no_more_than_one_expansion_and_nothing_too_large() {
        let asking = |json: serde_json::Value| serde_json::from_value::<SearchRequest>(json).expect("an asking");
        let code = |json| query_of(&asking(json)).err().map(|error| error.code());
        assert_eq!(code(serde_json::json!({"question": "tea", "window": 2})), None);
        assert_eq!(code(serde_json::json!({"question": " "})), Some(Code::NoQuestion));
        assert_eq!(code(serde_json::json!({"question": "tea", "window": 2, "expand": "auto"})), Some(Code::BadOption));
        assert_eq!(code(serde_json::json!({"question": "tea", "expand": "window:4000000"})), Some(Code::TooMuch));
        assert_eq!(code(serde_json::json!({"question": "tea", "k": 10_001})), Some(Code::TooMuch));
        assert_eq!(code(serde_json::json!({"question": "tea", "min_relevance": 2})), Some(Code::BadOption));
        assert_eq!(code(serde_json::json!({"question": "x".repeat(8001)})), Some(Code::TooMuch));
        assert_eq!(code(serde_json::json!({"question": "tea", "transform": ["rewire"]})), Some(Code::BadOption));
        let both = serde_json::json!({"question": "tea", "filter_by": "model", "auto_filter": false});
        assert_eq!(code(both), Some(Code::BadOption));
        let query = query_of(&asking(serde_json::json!({"question": "tea", "route": "model", "post_filter": true})));
        let query = query.expect("a query");
        assert_eq!((query.route, query.transform), (None, Some(vec![Step::Route, Step::PostFilter])));
        let query = query_of(&asking(serde_json::json!({"question": "tea", "neighbors": 1}))).expect("a query");
        assert_eq!(query.recipe.as_deref(), Some("neighbors"));
    }
}
