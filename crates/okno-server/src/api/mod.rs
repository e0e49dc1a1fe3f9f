//! The routes under `/api/v1`, each with its description: the code that answers is the code that documents.

mod ask;
mod compare;
mod documents;
mod evaluate;
mod feedback;
mod images;
mod jobs;
mod search;
mod status;
mod stream;
mod upload;

pub(crate) use documents::{named, text_part};
pub(crate) use evaluate::Reports;
pub(crate) use search::{Asking, FilterBy, answer, query_of};
pub(crate) use status::FieldView;
pub(crate) use stream::until_end;

use crate::app::App;
use crate::fault::ErrorBody;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What the description says besides its routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Okno",
        description = "Index small, return big: ask questions of your own documents. Offsets are Unicode code points, end exclusive.",
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
        .routes(routes!(documents::get, documents::remove))
        .routes(routes!(documents::text))
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
        .routes(routes!(evaluate::runs))
        .routes(routes!(evaluate::run, evaluate::remove))
        .routes(routes!(evaluate::report))
        .merge(upload::routes())
}

/// The description of the API, as `/api/v1/openapi.json` serves it.
pub fn openapi() -> utoipa::openapi::OpenApi {
    routes().into_openapi()
}

/// The routes, with a sign of life and the counters.
pub fn router(app: Arc<App>) -> Router {
    let (routes, description) = routes().split_for_parts();
    let description = description.to_json().unwrap_or_default();
    let describe = move || async move { ([(header::CONTENT_TYPE, "application/json")], description) };
    routes
        .route("/api/v1/openapi.json", get(describe))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/metrics", get(metrics))
        .with_state(app)
}

async fn metrics(State(app): State<Arc<App>>) -> Result<impl IntoResponse, crate::fault::Fault> {
    let counted = Arc::clone(&app);
    let text = app.pool.run(move || Ok(crate::metrics::text(&counted))).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text))
}
