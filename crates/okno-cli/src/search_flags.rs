//! How a question is searched: the flags that `search`, `ask`, `compare` and `feedback add` share, and the query they
//! make.

use crate::values::{budget, number, share};
use clap::{Args, ValueEnum};
use okno::Query;
use okno::retrieve::{self, Budget, Order, QueryRequest};
use okno::store::Leg;

/// Choices that change what is returned, never what is stored.
#[derive(Debug, Args)]
pub struct SearchFlags {
    /// Return each match with this many sentences on each side
    #[arg(long, value_name = "N", value_parser = number::<u32>, conflicts_with_all = ["neighbors", "expand"])]
    pub window: Option<u32>,
    /// Return each chunk with this many chunks on each side (uses the recipe `neighbors`, unless another is named)
    #[arg(long, value_name = "N", value_parser = number::<u32>, conflicts_with = "expand")]
    pub neighbors: Option<u32>,
    /// How much text to return around each match
    ///
    /// - auto: Automatic: the best sentences, as many as the budget holds
    /// - none: Only the matching sentences
    /// - window:N: N sentences on each side
    /// - neighbors:N: N chunks on each side
    /// - parent: The larger chunk that contains the match
    /// - section: Whole section
    /// - document: Whole document
    #[arg(long, value_name = "EXPANSION", verbatim_doc_comment)]
    pub expand: Option<String>,
    /// Search by words, by meaning, or by both [default: both]
    #[arg(long, value_name = "LEG", value_delimiter = ',')]
    pub legs: Option<Vec<LegName>>,
    /// Maximum length of the contexts: `500` or `500t` tokens, `2000c` characters
    #[arg(long, value_name = "SIZE", value_parser = budget, allow_negative_numbers = true)]
    pub budget: Option<Budget>,
    /// Penalty for matches that repeat a better one, from 0 (none) to 1
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub diversity: Option<f32>,
    /// Rerank the best matches: a reranker of `okno models list`, `maxsim:NAME` with an embedder, `model` for the
    /// language model, or `none`
    #[arg(long, value_name = "NAME")]
    pub rerank: Option<String>,
    /// Number of matches to rerank [default: the recipe's, 30]
    #[arg(long, value_name = "N", value_parser = number::<usize>)]
    pub rerank_depth: Option<usize>,
    /// Weight of the reranker's score against the search score, from 0 to 1 [default: the recipe's, 0.5]
    #[arg(long, value_name = "WEIGHT", value_parser = share)]
    pub rerank_blend: Option<f32>,
    /// Order of the contexts
    #[arg(long)]
    pub order: Option<OrderName>,
    /// Only search documents that match, e.g. `category = 素菜 and year >= 2023`
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Do not infer filters from the question
    #[arg(long)]
    pub no_auto_filter: bool,
    /// How filters are inferred from the question
    #[arg(long, value_name = "METHOD", default_value = "rules", conflicts_with = "no_auto_filter")]
    pub filter_by: FilterByArg,
    /// What the language model does with the question, instead of the recipe's steps: rewrite, decompose, step-back,
    /// multi-query, hyde, sql; none
    #[arg(long, value_name = "STEP,…", value_delimiter = ',')]
    pub transform: Option<Vec<String>>,
    /// Let the language model drop irrelevant matches before they are expanded
    #[arg(long)]
    pub post_filter: bool,
    /// How to search: auto (chosen by rules), hybrid, lexical, dense, broad, or model (chosen by the language model)
    #[arg(long, value_name = "ROUTE", default_value = "auto")]
    pub route: String,
    /// Number of distinct matches to expand
    #[arg(short, value_name = "K", value_parser = number::<usize>)]
    pub k: Option<usize>,
    /// Only return contexts with at least this relevance, from 0 (all) to 1; 0.5 and above counts as relevant
    #[arg(long, value_name = "SCORE", value_parser = share)]
    pub min_relevance: Option<f32>,
}

/// How filters are inferred from a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FilterByArg {
    /// By rules, without a language model
    Rules,
    /// By the language model, checked against the index
    Model,
}

/// A way of searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LegName {
    /// By meaning
    Dense,
    /// By words
    Lexical,
}

/// The order of contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderName {
    /// Best first
    Score,
    /// As they appear in their documents
    Document,
    /// The best first and last, the weakest in the middle
    Ends,
}

/// The query for a question.
pub fn query(question: &str, recipe: Option<&str>, flags: &SearchFlags) -> okno::Result<Query> {
    let request = QueryRequest {
        question: question.to_owned(),
        recipe: recipe.map(str::to_owned),
        expand: flags.expand.clone(),
        window: flags.window,
        neighbors: flags.neighbors,
        legs: flags.legs.as_ref().map(|names| names.iter().copied().map(leg).collect()),
        k: flags.k,
        budget: flags.budget.map(|budget| budget.amount),
        unit: flags.budget.map(|budget| budget.unit),
        diversity: flags.diversity,
        rerank_depth: flags.rerank_depth,
        rerank_blend: flags.rerank_blend,
        order: flags.order.map(order),
        filter: flags.filter.clone().map(Into::into),
        auto_filter: flags.no_auto_filter.then_some(false),
        filter_by: Some(filter_by(flags.filter_by)),
        transform: flags.transform.clone(),
        post_filter: flags.post_filter,
        route: Some(flags.route.clone()),
        min_relevance: flags.min_relevance,
        explain: false,
    };
    request.query()
}

fn filter_by(method: FilterByArg) -> retrieve::FilterBy {
    match method {
        FilterByArg::Rules => retrieve::FilterBy::Rules,
        FilterByArg::Model => retrieve::FilterBy::Model,
    }
}

fn leg(name: LegName) -> Leg {
    match name {
        LegName::Dense => Leg::Dense,
        LegName::Lexical => Leg::Lexical,
    }
}

fn order(name: OrderName) -> Order {
    match name {
        OrderName::Score => Order::Score,
        OrderName::Document => Order::Document,
        OrderName::Ends => Order::Ends,
    }
}
