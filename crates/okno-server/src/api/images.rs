//! Images: the bytes of an image that a context names by its hash.
//!
//! Only kinds that hold pixels and nothing else are kept, and the bytes themselves say which kind they are: what a document
//! claims about its images reaches nobody.

use crate::app::App;
use crate::extract::{Name, Params, Which};
use crate::fault::{ErrorBody, Fault};
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use okno::document::{ImageHash, MediaType};
use std::sync::Arc;

/// The same bytes are one image for ever.
const KEEP: &str = "private, max-age=31536000, immutable";

/// The bytes of an image, as it was when its document was indexed
#[utoipa::path(get, path = "/api/v1/images/{hash}", tag = "documents",
    params(("hash" = String, Path, description = "As contexts name it under `images`"), Which),
    responses((status = 200, content_type = "image/*", body = Vec<u8>), (status = "4XX", body = ErrorBody)))]
pub async fn image(
    State(app): State<Arc<App>>,
    Name(hash): Name,
    Params(which): Params<Which>,
) -> Result<impl IntoResponse, Fault> {
    let place = Arc::clone(app.place(which.index.as_deref())?);
    let wanted: ImageHash = hash.parse().map_err(|()| {
        Fault::bad("bad_hash", format!("`{}` is no hash of an image", hash.escape_debug()))
            .hint("it has 32 hexadecimal digits")
    })?;
    let bytes = app.pool.run(move || Ok(place.engine().image(wanted)?)).await?;
    let missing = || Fault::missing("no_image", format!("no image `{wanted}` in the index"));
    let bytes = bytes.ok_or_else(missing)?;
    let kind = MediaType::of(&bytes).ok_or_else(missing)?.name();
    Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, KEEP)], bytes))
}
