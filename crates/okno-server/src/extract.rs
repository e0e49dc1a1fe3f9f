//! Reading requests, so that every request that cannot be read is refused with an [`ApiError`].

use crate::app::App;
use crate::error::ApiError;
use crate::problem::Problem;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use utoipa::IntoParams;

/// A JSON body, and its bytes as they came.
pub struct JsonBody<T>(pub T, pub Bytes);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
            return Err(Problem::NotJson { kind: kind.escape_debug().to_string() }.into());
        }
        let bytes = Bytes::from_request(request, app).await.map_err(|rejection| unreadable(&rejection))?;
        // Serde would read a list as the fields in their order.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err(Problem::NotAnObject.into());
        }
        let body = serde_json::from_slice(&bytes).map_err(|cause| Problem::BadJson { cause })?;
        Ok(Self(body, bytes))
    }
}

fn unreadable(rejection: &BytesRejection) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::BodyTooLarge,
        _ => Problem::BadBody { cause: rejection.body_text() },
    }
}

/// The query parameters of an address.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(params)) => Ok(Self(params)),
            Err(rejection) => Err(Problem::BadParameter { cause: rejection.body_text() }.into()),
        }
    }
}

/// A name in an address; a `/` in it is written `%2F`.
pub struct Name(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(rejection) => Err(Problem::BadPath { cause: rejection.body_text() }.into()),
        }
    }
}

/// A name in an address, and the number of a page behind it.
pub struct NameAndPage(pub String, pub usize);

impl<S: Send + Sync> FromRequestParts<S> for NameAndPage {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<(String, usize)>::from_request_parts(parts, state).await {
            Ok(Path((name, page))) => Ok(Self(name, page)),
            Err(rejection) => Err(Problem::BadPath { cause: rejection.body_text() }.into()),
        }
    }
}

/// Which index is meant.
#[derive(Debug, Clone, serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// The index; the first when none is named
    pub index: Option<String>,
}
