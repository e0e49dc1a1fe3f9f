//! A question as a person or a program writes it: plain data in, a [`Query`] out.
//!
//! The command line, HTTP and MCP fill in the same fields, and everything that is read from them – names, sizes,
//! filters – is read here, once. [`QueryRequest::within`] is for servers, which limit what one request may cost.

use super::query::Query;
use super::recipe::{Expansion, Order, Unit};
use crate::document::Filter;
use crate::error::RequestError;
use crate::store::Leg;
use crate::understand::Route;
use crate::understand::model::Step;
use crate::{Error, Result};
use serde::Deserialize;
use std::str::FromStr;

/// A question and how to answer it. What is left out is the recipe's to say.
///
/// ```
/// # fn main() -> okno::Result<()> {
/// use okno::retrieve::{Expansion, QueryRequest};
///
/// let request = QueryRequest { window: Some(2), budget: Some(500), ..QueryRequest::new("How hot is green tea?") };
/// let query = request.query()?;
/// assert_eq!((query.expand, query.budget), (Some(Expansion::Window(2)), Some(500)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct QueryRequest {
    /// The question.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 8000, example = "How hot should water for black tea be?")
    )]
    pub question: String,
    /// The recipe's name.
    pub recipe: Option<String>,
    /// How hits grow: `none`, `window:N`, `neighbors:N`, `parent`, `section`, `document`, `auto`.
    pub expand: Option<String>,
    /// Return each hit with this many sentences on each side.
    #[cfg_attr(feature = "schema", schema(maximum = 1000))]
    pub window: Option<u32>,
    /// Return each chunk with this many on each side.
    #[cfg_attr(feature = "schema", schema(maximum = 1000))]
    pub neighbors: Option<u32>,
    /// Find by words only, by meaning only, or by both.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<String>>))]
    pub legs: Option<Vec<Leg>>,
    /// How many distinct hits are expanded.
    #[cfg_attr(feature = "schema", schema(maximum = 10000))]
    pub k: Option<usize>,
    /// How much context, at most.
    #[cfg_attr(feature = "schema", schema(maximum = 200_000))]
    pub budget: Option<usize>,
    /// What the budget counts: `tokens` or `characters`.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub unit: Option<Unit>,
    /// How much a hit loses that says what a better one says, from 0 to 1.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1))]
    pub diversity: Option<f32>,
    /// How many hits the reranker reads. Not part of the JSON: what that may cost is for the server to say.
    #[serde(skip)]
    pub rerank_depth: Option<usize>,
    /// The weight of the reranker's score beside the fused one, from 0 to 1. Not part of the JSON.
    #[serde(skip)]
    pub rerank_blend: Option<f32>,
    /// The order of contexts: `score`, `document` or `ends`.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub order: Option<Order>,
    /// Only documents that match: text (`category = 素菜 and year >= 2023`) or JSON.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub filter: Option<serde_json::Value>,
    /// Whether filters are read from the question.
    pub auto_filter: Option<bool>,
    /// Who reads them: `rules` without a model, or the language `model`, checked against the index.
    pub filter_by: Option<FilterBy>,
    /// What the language model does for the question, in place of what the recipe says: `rewrite`, `decompose`,
    /// `step-back`, `multi-query`, `hyde`, `sql` (a query over rows); `none` for nothing. Without a model the search
    /// goes on without, and `steps` says so.
    #[cfg_attr(feature = "schema", schema(max_items = 9, example = json!(["rewrite"])))]
    pub transform: Option<Vec<String>>,
    /// Let the language model drop hits that have nothing to do with the question, before they grow.
    #[serde(default)]
    pub post_filter: bool,
    /// How to look: `auto` (by rule), `hybrid`, `lexical`, `dense` or `broad`; `model` lets the language model choose.
    pub route: Option<String>,
    /// Return only contexts at least this relevant, from 0 to 1.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1))]
    pub min_relevance: Option<f32>,
    /// Say how each result was found.
    #[serde(default)]
    pub explain: bool,
}

/// What reads filters from a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum FilterBy {
    /// Rules, without a model.
    Rules,
    /// The language model.
    Model,
}

/// How much one request may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryLimits {
    /// Characters of a question.
    pub question: usize,
    /// Tokens or characters of context.
    pub budget: usize,
    /// Distinct hits.
    pub k: usize,
    /// Sentences or chunks on each side of a hit.
    pub around: usize,
}

impl Default for QueryLimits {
    /// Chosen, not measured: far above what people send, far below what would hurt. A longer question is a document,
    /// and no ranking is longer than 10,000.
    fn default() -> Self {
        Self { question: 8_000, budget: 200_000, k: 10_000, around: 1_000 }
    }
}

impl QueryRequest {
    /// A question, answered as the index's recipe says.
    pub fn new(question: impl Into<String>) -> Self {
        Self { question: question.into(), ..Self::default() }
    }

    /// Checks that there is a question and that nothing is over its limit.
    ///
    /// # Errors
    /// With the first field that is.
    pub fn within(&self, limits: &QueryLimits) -> Result<(), RequestError> {
        if self.question.trim().is_empty() {
            return Err(RequestError::NoQuestion);
        }
        let around = match self.expand.as_deref().map(str::parse) {
            Some(Ok(Expansion::Window(count) | Expansion::Neighbors(count))) => Some(count),
            _ => None,
        };
        let number = |count: Option<u32>| count.map_or(0, |count| count as usize);
        for (field, given, limit) in [
            ("question", self.question.chars().count(), limits.question),
            ("budget", self.budget.unwrap_or(0), limits.budget),
            ("k", self.k.unwrap_or(0), limits.k),
            ("window", number(self.window), limits.around),
            ("neighbors", number(self.neighbors), limits.around),
            ("expand", number(around), limits.around),
            ("transform", self.transform.as_ref().map_or(0, Vec::len), Step::ALL.len()),
        ] {
            if given > limit {
                return Err(RequestError::TooMuch { field, given, limit });
            }
        }
        Ok(())
    }

    /// The query that was meant.
    ///
    /// # Errors
    /// With the first field that cannot be read, or the fields that exclude each other.
    pub fn query(&self) -> Result<Query> {
        self.check_shares()?;
        Ok(Query {
            text: self.question.clone(),
            // Neighbours are chunks: the recipe that searches them, unless another was named.
            recipe: self.recipe.clone().or_else(|| self.neighbors.map(|_| "neighbors".to_owned())),
            recipe_value: None,
            legs: self.legs.clone(),
            filter: self.filter.as_ref().map(Filter::from_json).transpose()?,
            expand: self.expansion()?,
            k: self.k,
            budget: self.budget,
            unit: self.unit,
            diversity: self.diversity,
            rerank_depth: self.rerank_depth,
            rerank_blend: self.rerank_blend,
            order: self.order,
            auto_filter: self.auto_filter,
            route: self.route()?,
            transform: self.steps()?,
            sql_by_model: false,
            today: None,
            min_relevance: self.min_relevance,
        })
    }

    fn check_shares(&self) -> Result<(), RequestError> {
        let shares =
            [("diversity", self.diversity), ("rerank_blend", self.rerank_blend), ("min_relevance", self.min_relevance)];
        for (field, given) in shares {
            if let Some(given) = given.filter(|given| !(0.0..=1.0).contains(given)) {
                return Err(RequestError::NotAShare { field, given });
            }
        }
        Ok(())
    }

    fn expansion(&self) -> Result<Option<Expansion>, RequestError> {
        match (self.window, self.neighbors, &self.expand) {
            (Some(count), None, None) => Ok(Some(Expansion::Window(count))),
            (None, Some(count), None) => Ok(Some(Expansion::Neighbors(count))),
            (None, None, Some(name)) => {
                let unknown = |_: Error| unknown("expand", name, &Expansion::NAMES);
                name.parse().map(Some).map_err(unknown)
            }
            (None, None, None) => Ok(None),
            _ => Err(exclusive(&["window", "neighbors", "expand"])),
        }
    }

    /// The route that was named; `None` where a rule or the model chooses.
    fn route(&self) -> Result<Option<Route>, RequestError> {
        match self.route.as_deref() {
            None | Some("auto" | "model") => Ok(None),
            Some(name) => {
                let known = ["auto", "hybrid", "lexical", "dense", "broad", "model"];
                name.parse().map(Some).map_err(|_: Error| unknown("route", name, &known))
            }
        }
    }

    /// What the language model does, each step once; `None` where nothing was said, so that the recipe decides.
    fn steps(&self) -> Result<Option<Vec<Step>>, RequestError> {
        let (filter, route) = (self.filter_by == Some(FilterBy::Model), self.route.as_deref() == Some("model"));
        if filter && self.auto_filter == Some(false) {
            return Err(exclusive(&["filter_by", "auto_filter"]));
        }
        let named = self.transform.iter().flatten().filter(|name| *name != "none");
        let mut steps = named.map(|name| step(name)).collect::<Result<Vec<Step>, RequestError>>()?;
        let switches = [(filter, Step::Filter), (route, Step::Route), (self.post_filter, Step::PostFilter)];
        steps.extend(switches.into_iter().filter(|(on, _)| *on).map(|(_, step)| step));
        steps.sort_unstable();
        steps.dedup();
        Ok((self.transform.is_some() || !steps.is_empty()).then_some(steps))
    }
}

fn step(name: &str) -> Result<Step, RequestError> {
    name.parse().map_err(|_: Error| {
        let known: Vec<&str> = Step::ALL.into_iter().map(Step::name).chain(["none"]).collect();
        unknown("transform", name, &known)
    })
}

fn unknown(field: &'static str, given: &str, known: &[&str]) -> RequestError {
    RequestError::UnknownName { field, given: given.to_owned(), known: owned(known) }
}

fn exclusive(fields: &[&str]) -> RequestError {
    RequestError::Exclusive { fields: owned(fields) }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// A budget as a person writes it: `500` or `500t` tokens, `2000c` characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// How much.
    pub amount: usize,
    /// Of what.
    pub unit: Unit,
}

impl FromStr for Budget {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        let (number, unit) = match text.strip_suffix('c') {
            Some(number) => (number, Unit::Characters),
            None => (text.strip_suffix('t').unwrap_or(text), Unit::Tokens),
        };
        let amount = number.parse().map_err(|_| RequestError::Budget { given: text.to_owned() })?;
        Ok(Self { amount, unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::message::{Lang, Message};
    use serde_json::json;

    fn request(mut json: serde_json::Value) -> QueryRequest {
        json.as_object_mut().unwrap().entry("question").or_insert_with(|| "tea".into());
        serde_json::from_value(json).unwrap()
    }

    fn refused(json: serde_json::Value) -> RequestError {
        match request(json).query() {
            Err(Error::Request(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_request_says_one_expansion() {
        let query = |json| request(json).query().unwrap();
        assert_eq!(query(json!({"window": 2})).expand, Some(Expansion::Window(2)));
        assert_eq!(query(json!({"expand": "section"})).expand, Some(Expansion::Section));
        let neighbors = query(json!({"neighbors": 1}));
        assert_eq!((neighbors.recipe.as_deref(), neighbors.expand), (Some("neighbors"), Some(Expansion::Neighbors(1))));
        assert_eq!(query(json!({"neighbors": 1, "recipe": "chunks"})).recipe.as_deref(), Some("chunks"));
        let both = refused(json!({"window": 2, "expand": "auto"}));
        assert_eq!(both.to_string(), "`window`, `neighbors`, `expand` exclude each other; give only one of them");
        let unknown = refused(json!({"expand": "wide"}));
        assert!(unknown.to_string().starts_with("invalid `expand` `wide`: expected `none`, `window:3`, "), "{unknown}");
    }

    #[test]
    fn the_steps_are_a_list_and_three_switches_and_silence_leaves_them_to_the_recipe() {
        let steps = |json| request(json).query().unwrap().transform;
        assert_eq!(steps(json!({})), None);
        assert_eq!(steps(json!({"transform": ["none"]})), Some(vec![]));
        let all = json!({"transform": ["hyde", "post-filter"], "filter_by": "model", "post_filter": true});
        assert_eq!(steps(all), Some(vec![Step::Hyde, Step::Filter, Step::PostFilter]));
        let by_model = request(json!({"route": "model"})).query().unwrap();
        assert_eq!((by_model.route, by_model.transform), (None, Some(vec![Step::Route])));
        assert_eq!(request(json!({"route": "broad"})).query().unwrap().route, Some(Route::Broad));
        for (wrong, code) in [
            (json!({"transform": ["hide"]}), "unknown_name"),
            (json!({"route": "sideways"}), "unknown_name"),
            (json!({"filter_by": "model", "auto_filter": false}), "exclusive"),
            (json!({"min_relevance": 2}), "not_a_share"),
            (json!({"diversity": -0.1}), "not_a_share"),
        ] {
            assert_eq!(refused(wrong.clone()).code(), code, "{wrong}");
        }
    }

    #[test]
    fn a_filter_is_text_or_json() {
        let filter = |filter: serde_json::Value| request(json!({"filter": filter})).query();
        assert_eq!(filter(json!("year = 2023")).unwrap().filter, filter(json!({"year": 2023})).unwrap().filter);
        assert!(matches!(filter(json!("year =")), Err(Error::Filter(_))));
    }

    #[test]
    fn limits_name_the_field() {
        let within = |json| request(json).within(&QueryLimits::default());
        assert_eq!(within(json!({"window": 1000, "expand": "section"})), Ok(()));
        assert_eq!(within(json!({"question": " "})), Err(RequestError::NoQuestion));
        for (json, field) in [
            (json!({"question": "x".repeat(8001)}), "question"),
            (json!({"expand": "window:4000000"}), "expand"),
            (json!({"k": 10_001}), "k"),
            (json!({"budget": 200_001}), "budget"),
            (json!({"transform": vec!["hyde"; 10]}), "transform"),
        ] {
            let refused = within(json).unwrap_err();
            assert!(matches!(refused, RequestError::TooMuch { field: named, .. } if named == field), "{refused}");
        }
    }

    #[test]
    fn a_budget_counts_tokens_or_characters() {
        let read = |text: &str| text.parse::<Budget>().map(|budget| (budget.amount, budget.unit));
        assert_eq!(read("500"), Ok((500, Unit::Tokens)));
        assert_eq!(read("500t"), Ok((500, Unit::Tokens)));
        assert_eq!(read("2000c"), Ok((2000, Unit::Characters)));
        for wrong in ["", "c", "-1", "5 c", "many"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let said = read("many").unwrap_err().text(Lang::Zh);
        assert_eq!(said, "预算 `many` 无效：应为词元数（`500`）或字符数（`2000c`）");
    }
}
