//! Uploads: files are saved in the folder of uploads, and a job indexes them.

use super::jobs::begin;
use crate::app::{App, ServedIndex};
use crate::audit::AuditNote;
use crate::error::{ApiError, ErrorBody};
use crate::extract::Params;
use crate::jobs::{JobOrigin, JobView};
use crate::language::Preferred;
use crate::problem::Problem;
use crate::rate::seconds;
use crate::requester::SeenApp;
use crate::uploads::PendingUpload;
use axum::Json;
use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::StatusCode;
use okno::AllowList;
use okno::document::group_names;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
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

/// Where files are uploaded to, and for whom.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UploadTarget {
    /// The index; the first when none is named
    pub index: Option<String>,
    /// The groups that may see these documents, commas between; without it everybody, unless a rule or the file says
    /// otherwise
    pub allow: Option<String>,
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
#[utoipa::path(post, path = "/api/v1/documents", tag = "documents", params(UploadTarget),
    request_body(content = Form, content_type = "multipart/form-data"),
    responses((status = 202, body = Uploaded), (status = "4XX", body = ErrorBody)))]
pub async fn upload(
    app: SeenApp,
    Params(which): Params<UploadTarget>,
    Preferred(lang): Preferred,
    note: AuditNote,
    request: Request,
) -> Result<(StatusCode, Json<Uploaded>), ApiError> {
    let served = app.served(which.index.as_deref())?;
    let form = Multipart::from_request(request, &*app).await;
    let form = form.map_err(|rejection| Problem::BadForm { cause: rejection.body_text() })?;
    let allow = which.allow.as_deref().map(group_names);
    let files = received(&app, &served, form, allow.as_deref(), &note).await?;
    let folder = served.uploads.folder().to_owned();
    let origin = JobOrigin { requester: app.requester.clone(), files: files.clone(), lang };
    let job = begin(&app, served, vec![folder], origin);
    let job = job.view().about(&files);
    Ok((StatusCode::ACCEPTED, Json(Uploaded { files, job })))
}

/// Saves all files of a form; after an error, those before it stay and the next run of indexing finds them.
async fn received(
    app: &SeenApp,
    served: &Arc<ServedIndex>,
    mut form: Multipart,
    allow: Option<&[String]>,
    note: &AuditNote,
) -> Result<Vec<String>, ApiError> {
    let (mut files, mut left) = (Vec::new(), app.limits.upload);
    while let Some(field) = form.next_field().await.map_err(|error| broken(&error))? {
        let Some(name) = field.file_name().map(str::to_owned) else { continue };
        if files.len() == MOST {
            return Err(Problem::TooManyFiles { most: MOST }.into());
        }
        let path = served.uploads.path(&name)?;
        let draft = take(app, served, &name, field, &mut left).await?;
        let (target, file, groups) = (Arc::clone(served), path.clone(), allow.map(<[String]>::to_vec));
        crate::pool::blocking(move || permit(&target, &file, groups)).await?;
        draft.finish().await?;
        note.documents(path.file_name().and_then(|name| name.to_str()));
        files.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    }
    if files.is_empty() {
        return Err(Problem::NoFiles.into());
    }
    Ok(files)
}

/// Writes down who may see an upload, before it has its name. Whoever does not see a document cannot replace it either.
fn permit(served: &ServedIndex, path: &Path, allow: Option<Vec<String>>) -> Result<(), ApiError> {
    let (folder, access) = (served.uploads.folder(), served.engine().access());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let list = AllowList::read(folder)?;
    let known = list.as_ref().and_then(|list| list.groups(&name));
    let sees = known.is_none_or(|known| access.meets(known));
    if !access.is_everything() && path.exists() && !(sees && sees_indexed(served, path)?) {
        return Err(Problem::NameTaken { name: name.into_owned() }.into());
    }
    if known != allow.as_deref() {
        AllowList::set(folder, &name, allow)?;
    }
    Ok(())
}

/// Whether all documents of a file that is indexed may be seen.
fn sees_indexed(served: &ServedIndex, path: &Path) -> Result<bool, ApiError> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (access, mut sees) = (served.engine().access(), true);
    served.whole_engine().snapshot()?.each_record(&mut |_, record| {
        let is_own = record.id.path.ends_with(&*name) && record.id.whole_path() == path;
        sees &= !is_own || access.sees(&record.metadata);
    })?;
    Ok(sees)
}

async fn take(
    app: &SeenApp,
    served: &ServedIndex,
    name: &str,
    mut field: Field<'_>,
    left: &mut usize,
) -> Result<PendingUpload, ApiError> {
    let mut draft = served.uploads.begin(name).await?;
    while let Some(bytes) = field.chunk().await.map_err(|error| broken(&error))? {
        *left = left.checked_sub(bytes.len()).ok_or(Problem::UploadTooLarge)?;
        if let Some(quota) = &app.uploads {
            let used = quota.take(&app.requester, bytes.len() as u64);
            used.map_err(|wait| Problem::UploadQuota { seconds: seconds(wait) })?;
        }
        draft.write(&bytes).await?;
    }
    Ok(draft)
}

fn broken(error: &MultipartError) -> Problem {
    Problem::BadForm { cause: error.body_text() }
}
