//! The same question to several recipes.

use super::documents::{json, sent};
use super::search::{Asking, query_of};
use crate::answering::searching;
use crate::app::App;
use crate::extract::{Body, Params, Which};
use crate::fault::{ErrorBody, Fault};
use axum::extract::State;
use axum::response::IntoResponse;
use okno::Query;
use okno_evaluate::shapes::Compared;
use okno_evaluate::sides::{BUDGET, ask};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// More recipes than this nobody compares at one look.
const MOST: usize = 8;

/// A question to several recipes.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparing {
    /// The question and how to answer it.
    #[serde(flatten)]
    pub asking: Asking,
    /// The recipes, two or more.
    #[serde(default = "usual")]
    #[schema(min_items = 2, max_items = 8, example = json!(["chunks", "auto"]))]
    pub recipes: Vec<String>,
    /// The words that answer: who returns them, and in which sentence?
    pub gold: Option<String>,
}

fn usual() -> Vec<String> {
    vec!["chunks".to_owned(), "auto".to_owned()]
}

/// Compare recipes on one question
#[utoipa::path(post, path = "/api/v1/compare", tag = "search", params(Which), request_body = Comparing,
    responses((status = 200, body = Compared<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn compare(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
    Body(comparing, _): Body<Comparing>,
) -> Result<impl IntoResponse, Fault> {
    let place = Arc::clone(app.place(which.index.as_deref())?);
    let mut query = query_of(&comparing.asking)?;
    let recipes = comparing.recipes;
    if !(2..=MOST).contains(&recipes.len()) {
        let message = format!("{} recipes cannot be compared; expected 2 to {MOST}", recipes.len());
        return Err(Fault::bad("bad_option", message).hint("send `\"recipes\": [\"chunks\", \"auto\"]`"));
    }
    let asked: Vec<Query> = recipes.iter().map(|name| Query { recipe: Some(name.clone()), ..query.clone() }).collect();
    let places = [Arc::clone(&place)];
    let work = move || {
        (place.index.complete)(&mut query)?;
        query.budget = query.budget.or(Some(BUDGET));
        let names: Vec<&str> = recipes.iter().map(String::as_str).collect();
        let sides = ask(place.engine(), &query, &names)?;
        json(&Compared::new(&query.text, &sides, comparing.gold.as_deref(), comparing.asking.explain))
    };
    Ok(sent(searching(&app, &places, &asked, work).await?))
}
