//! Uploads: files are saved in the folder of uploads, and a job indexes them.

use super::jobs::begin;
use crate::app::{App, ServedIndex};
use crate::audit::AuditNote;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Params, Which};
use crate::jobs::JobView;
use crate::language::Preferred;
use crate::problem::Problem;
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

/// What was saved.
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
    Preferred(lang): Preferred,
    note: AuditNote,
    request: Request,
) -> Result<(StatusCode, Json<Uploaded>), ApiError> {
    let served = Arc::clone(app.served(which.index.as_deref())?);
    let form = Multipart::from_request(request, &app).await;
    let form = form.map_err(|rejection| Problem::BadForm { cause: rejection.body_text() })?;
    let files = received(&app, &served, form, &note).await?;
    let folder = served.uploads.folder().to_owned();
    let job = begin(&app, served, vec![folder], lang);
    Ok((StatusCode::ACCEPTED, Json(Uploaded { files, job: job.view() })))
}

/// Saves all files of a form; after an error, those before it stay and the next run of indexing finds them.
async fn received(
    app: &App,
    served: &ServedIndex,
    mut form: Multipart,
    note: &AuditNote,
) -> Result<Vec<String>, ApiError> {
    let (mut files, mut left) = (Vec::new(), app.limits.upload);
    while let Some(field) = form.next_field().await.map_err(|error| broken(&error))? {
        let Some(name) = field.file_name().map(str::to_owned) else { continue };
        if files.len() == MOST {
            return Err(Problem::TooManyFiles { most: MOST }.into());
        }
        let path = served.uploads.path(&name)?;
        take(served, &name, field, &mut left).await?;
        note.documents(path.file_name().and_then(|name| name.to_str()));
        files.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    }
    if files.is_empty() {
        return Err(Problem::NoFiles.into());
    }
    Ok(files)
}

async fn take(served: &ServedIndex, name: &str, mut field: Field<'_>, left: &mut usize) -> Result<(), ApiError> {
    let mut draft = served.uploads.begin(name).await?;
    while let Some(bytes) = field.chunk().await.map_err(|error| broken(&error))? {
        *left = left.checked_sub(bytes.len()).ok_or(Problem::UploadTooLarge)?;
        draft.write(&bytes).await?;
    }
    draft.finish().await
}

fn broken(error: &MultipartError) -> Problem {
    Problem::BadForm { cause: error.body_text() }
}
