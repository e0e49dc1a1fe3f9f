//! Reading requests, so that whatever cannot be read is refused in the one shape.

use crate::app::App;
use crate::fault::Fault;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use utoipa::IntoParams;

/// A JSON body, and its bytes as they came.
pub struct Body<T>(pub T, pub Bytes);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Fault> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
            let message = format!("the body is `{}`, not JSON", kind.escape_debug());
            return Err(Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message)
                .hint("send `Content-Type: application/json`"));
        }
        let bytes = Bytes::from_request(request, app).await.map_err(|rejection| unreadable(&rejection))?;
        let unread = |why: &dyn std::fmt::Display| {
            Fault::bad("bad_json", format!("the body cannot be read: {why}"))
                .hint("`/api/v1/openapi.json` says what may be sent")
        };
        // A list would be taken for the fields in their order.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err(unread(&"expected an object"));
        }
        let body = serde_json::from_slice(&bytes).map_err(|error| unread(&error))?;
        Ok(Self(body, bytes))
    }
}

fn unreadable(rejection: &BytesRejection) -> Fault {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Fault::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "the body is larger than this server takes")
        }
        _ => Fault::bad("bad_body", rejection.body_text()),
    }
}

/// What stands behind the `?` of an address.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(params)) => Ok(Self(params)),
            Err(rejection) => Err(Fault::bad("bad_parameter", rejection.body_text())),
        }
    }
}

/// A name in an address; a `/` in it is written `%2F`.
pub struct Name(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(rejection) => Err(Fault::bad("bad_path", rejection.body_text())),
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
