//! The same question to several recipes.

use super::documents::{json, sent};
use super::search::query_of;
use crate::answering::searching;
use crate::audit::AuditNote;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, Params, Which};
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::response::IntoResponse;
use okno::Query;
use okno::retrieve::QueryRequest;
use okno_evaluate::shapes::Compared;
use okno_evaluate::sides::{BUDGET, ask};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// A question to several recipes.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparing {
    /// The question and how to answer it.
    #[serde(flatten)]
    pub asking: QueryRequest,
    /// The recipes, two or more.
    #[serde(default = "usual")]
    #[schema(min_items = 2, max_items = 8, example = json!(["chunks", "auto"]))]
    pub recipes: Vec<String>,
    /// The expected answer; the result says which recipes return it, and in which sentence.
    pub gold: Option<String>,
}

fn usual() -> Vec<String> {
    vec!["chunks".to_owned(), "auto".to_owned()]
}

/// Compare recipes on one question
#[utoipa::path(post, path = "/api/v1/compare", tag = "search", params(Which), request_body = Comparing,
    responses((status = 200, body = Compared<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn compare(
    app: SeenApp,
    Params(which): Params<Which>,
    note: AuditNote,
    JsonBody(comparing, _): JsonBody<Comparing>,
) -> Result<impl IntoResponse, ApiError> {
    let served = app.served(which.index.as_deref())?;
    let mut query = query_of(&app.limits, &comparing.asking)?;
    note.question(&query.text);
    let recipes = comparing.recipes;
    let most = app.limits.recipes;
    if !(2..=most).contains(&recipes.len()) {
        return Err(Problem::RecipeCount { count: recipes.len(), most }.into());
    }
    let limits = &app.limits.query;
    for (field, given, limit) in [("k", query.k, limits.k), ("budget", query.budget, limits.budget)] {
        let given = given.unwrap_or(0).saturating_mul(recipes.len());
        if given > limit {
            return Err(Problem::TooMuchInAll { field, given, recipes: recipes.len(), limit }.into());
        }
    }
    let asked: Vec<Query> = recipes.iter().map(|name| query.clone().recipe(name)).collect();
    let indexes = [Arc::clone(&served)];
    let work = move || {
        (served.index.complete)(&mut query)?;
        query.budget = query.budget.or(Some(BUDGET));
        let names: Vec<&str> = recipes.iter().map(String::as_str).collect();
        let sides = ask(served.engine(), &query, &names)?;
        for side in &sides {
            note.documents(side.answer.contexts.iter().map(|context| &*context.document));
        }
        json(&Compared::new(&query.text, &sides, comparing.gold.as_deref(), comparing.asking.explain))
    };
    Ok(sent(searching(&app, &indexes, &asked, work).await?))
}
