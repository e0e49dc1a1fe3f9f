//! Uploads: files come in, are put into the folder of uploads, and a job indexes them.

use super::jobs::begin;
use crate::app::{App, Place};
use crate::extract::{Params, Which};
use crate::fault::{ErrorBody, Fault};
use crate::jobs::JobView;
use axum::Json;
use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use axum::http::StatusCode;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Files of one request, at most.
const MOST: usize = 1000;

/// Its own limit of bytes: files are larger than questions.
pub fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(upload)).layer(DefaultBodyLimit::disable())
}

/// Files to index.
#[derive(Debug, ToSchema)]
#[allow(dead_code)] // describes the form
pub struct Form {
    /// The files.
    #[schema(value_type = Vec<String>, format = Binary, content_media_type = "application/octet-stream")]
    files: Vec<u8>,
}

/// What was taken.
#[derive(Debug, Serialize, ToSchema)]
pub struct Uploaded {
    /// The names the files have now.
    pub files: Vec<String>,
    /// The job that indexes them.
    pub job: JobView,
}

/// Upload files and index them; a file of the same name is replaced
#[utoipa::path(post, path = "/api/v1/documents", tag = "documents", params(Which),
    request_body(content = Form, content_type = "multipart/form-data"),
    responses((status = 202, body = Uploaded), (status = "4XX", body = ErrorBody)))]
pub async fn upload(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
    request: Request,
) -> Result<(StatusCode, Json<Uploaded>), Fault> {
    let place = Arc::clone(app.place(which.index.as_deref())?);
    let form = Multipart::from_request(request, &app).await;
    let form = form.map_err(|rejection| {
        Fault::bad("bad_form", rejection.body_text()).hint("send `multipart/form-data` with files")
    })?;
    let files = received(&app, &place, form).await?;
    let folder = place.uploads.folder().to_owned();
    let job = begin(&app, place, vec![folder]);
    Ok((StatusCode::ACCEPTED, Json(Uploaded { files, job: job.view() })))
}

/// Takes all files of a form; after a fault, those before it stay and the next run of indexing finds them.
async fn received(app: &App, place: &Place, mut form: Multipart) -> Result<Vec<String>, Fault> {
    let (mut files, mut left) = (Vec::new(), app.limits.upload);
    while let Some(field) = form.next_field().await.map_err(|error| broken(&error))? {
        let Some(name) = field.file_name().map(str::to_owned) else { continue };
        if files.len() == MOST {
            return Err(Fault::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", format!("more than {MOST} files")));
        }
        let path = place.uploads.path(&name)?;
        take(place, &name, field, &mut left).await?;
        files.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    }
    if files.is_empty() {
        return Err(Fault::bad("no_files", "the form has no files")
            .hint("send `multipart/form-data` with files: `curl -F files=@notes.md`"));
    }
    Ok(files)
}

async fn take(place: &Place, name: &str, mut field: Field<'_>, left: &mut usize) -> Result<(), Fault> {
    let mut draft = place.uploads.begin(name).await?;
    while let Some(bytes) = field.chunk().await.map_err(|error| broken(&error))? {
        *left = left.checked_sub(bytes.len()).ok_or_else(|| {
            Fault::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                "the files are larger than this server takes at once",
            )
            .hint("send them one by one, or index the folder on the machine with `okno index`")
        })?;
        draft.write(&bytes).await?;
    }
    draft.finish().await
}

fn broken(error: &MultipartError) -> Fault {
    Fault::bad("bad_form", error.body_text()).hint("send `multipart/form-data` with files")
}
