//! The routes under `/api/v1`, each with its description: the code that answers is the code that documents.

mod ask;
mod compare;
mod documents;
mod evaluate;
mod feedback;
mod images;
mod jobs;
mod pages;
mod runs;
mod search;
mod status;
mod stream;
mod upload;

pub(crate) use documents::{named, text_part};
pub(crate) use search::{answer, query_of};
pub(crate) use status::FieldView;
pub(crate) use stream::{SentEvent, until_end};

use crate::app::{App, ServedIndex};
use crate::error::{ApiError, ErrorBody};
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use std::sync::{Arc, LazyLock};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What the description says besides its routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Okno",
        description = "Index small, return big: ask questions of your own documents. \
            Offsets are Unicode code points, end exclusive.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    components(schemas(ErrorBody)),
    modifiers(&Keys),
    security((), ("bearer" = [])),
)]
struct Description;

/// How a key is shown, where one is required.
struct Keys;

impl utoipa::Modify for Keys {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    }
}

fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(status::status))
        .routes(routes!(status::recipes))
        .routes(routes!(status::fields))
        .routes(routes!(status::models))
        .routes(routes!(documents::list))
        .routes(routes!(documents::get, documents::put, documents::remove))
        .routes(routes!(documents::text))
        .routes(routes!(pages::list))
        .routes(routes!(pages::picture))
        .routes(routes!(pages::marks))
        .routes(routes!(images::image))
        .routes(routes!(search::search))
        .routes(routes!(compare::compare))
        .routes(routes!(ask::ask))
        .routes(routes!(feedback::add, feedback::list))
        .routes(routes!(jobs::index))
        .routes(routes!(jobs::list))
        .routes(routes!(jobs::get, jobs::cancel))
        .routes(routes!(jobs::events))
        .routes(routes!(evaluate::eval))
        .routes(routes!(runs::runs))
        .routes(routes!(runs::run, runs::remove))
        .routes(routes!(runs::report))
        .merge(upload::routes())
        .merge(crate::chat::routes())
        .routes(routes!(crate::dify::retrieval))
        .routes(routes!(openapi_json))
        .routes(routes!(healthz))
        .routes(routes!(readyz))
        .routes(routes!(metrics))
}

/// The description of the API, as `/api/v1/openapi.json` serves it.
pub fn openapi() -> utoipa::openapi::OpenApi {
    routes().into_openapi()
}

/// The routes, those that chat clients know among them.
pub fn router(app: Arc<App>) -> Router {
    routes().split_for_parts().0.with_state(app)
}

/// This description
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "server",
    responses((status = 200, body = Object), (status = "4XX", body = ErrorBody)))]
async fn openapi_json() -> impl IntoResponse {
    static DESCRIPTION: LazyLock<String> = LazyLock::new(|| openapi().to_json().unwrap_or_default());
    ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION.as_str())
}

/// Liveness: the process answers
#[utoipa::path(get, path = "/healthz", tag = "server",
    responses((status = 200, body = String), (status = "4XX", body = ErrorBody)))]
async fn healthz() -> &'static str {
    "ok\n"
}

/// Readiness: questions can be answered from every index
#[utoipa::path(get, path = "/readyz", tag = "server",
    responses((status = 200, body = String), (status = 503, body = ErrorBody), (status = "4XX", body = ErrorBody)))]
async fn readyz(State(app): State<Arc<App>>) -> Result<&'static str, ApiError> {
    let indexes = app.whole_indexes().to_vec();
    // Beside the pool: a server that is busy is ready.
    crate::pool::blocking(move || indexes.iter().try_for_each(|served| ready(served))).await?;
    Ok("ready\n")
}

/// Anybody may ask, so the answer says no more than that; the log says which index and why.
fn ready(served: &ServedIndex) -> Result<(), ApiError> {
    let Err(error) = served.whole_engine().snapshot() else { return Ok(()) };
    tracing::warn!(index = served.index.name, %error, "not ready");
    Err(Problem::NotReady.into())
}

/// Counters for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "server",
    responses((status = 200, body = String), (status = "4XX", body = ErrorBody)))]
async fn metrics(app: SeenApp) -> Result<impl IntoResponse, ApiError> {
    let counted = app.clone();
    let text = app.pool.run(move || Ok(crate::metrics::text(&counted))).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text))
}
