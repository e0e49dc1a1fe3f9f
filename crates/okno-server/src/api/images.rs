//! Images: the bytes of an image that a context names by its hash.
//!
//! Only formats that hold nothing but pixels are kept, and the bytes themselves decide which format they are: what a
//! document claims about its images is not used.

use crate::error::{ApiError, ErrorBody};
use crate::extract::{Name, Params, Which};
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::http::header;
use axum::response::IntoResponse;
use okno::document::{ImageHash, MediaType};

/// The same bytes are one image for ever.
const KEEP: &str = "private, max-age=31536000, immutable";

/// The bytes of an image, as it was when its document was indexed
#[utoipa::path(get, path = "/api/v1/images/{hash}", tag = "documents",
    params(("hash" = String, Path, description = "As contexts name it under `images`"), Which),
    responses((status = 200, content_type = "image/*", body = Vec<u8>), (status = "4XX", body = ErrorBody)))]
pub async fn image(
    app: SeenApp,
    Name(hash): Name,
    Params(which): Params<Which>,
) -> Result<impl IntoResponse, ApiError> {
    let served = app.served(which.index.as_deref())?;
    let bad = |()| Problem::BadHash { hash: hash.escape_debug().to_string() };
    let wanted: ImageHash = hash.parse().map_err(bad)?;
    let bytes = app.pool.run(move || Ok(served.engine().image(wanted)?)).await?;
    let missing = || Problem::NoImage { hash: wanted.to_string() };
    let bytes = bytes.ok_or_else(missing)?;
    let kind = MediaType::of(&bytes).ok_or_else(missing)?.name();
    Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, KEEP)], bytes))
}
