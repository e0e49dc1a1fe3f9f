//! The language of an answer: what `Accept-Language` prefers of English and Chinese; English where it says nothing.
//!
//! Errors are answered in English first. [`translate`] looks at every response on its way out and says errors again in
//! Chinese where the request asked for that, and in the form of Dify on Dify's route.

use crate::error::ApiError;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use okno_document::message::Lang;
use std::convert::Infallible;

/// The language that a request prefers.
pub fn preferred(headers: &HeaderMap) -> Lang {
    let header = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut best = (0.0, Lang::En);
    for part in header.split(',') {
        let mut pieces = part.split(';');
        let tag = pieces.next().unwrap_or_default().trim();
        let weight = pieces.find_map(|piece| piece.trim().strip_prefix("q=")?.parse().ok()).unwrap_or(1.0);
        let primary = tag.split('-').next().unwrap_or_default();
        let lang = match primary.to_ascii_lowercase().as_str() {
            "zh" => Lang::Zh,
            "en" => Lang::En,
            _ => continue,
        };
        if weight > best.0 {
            best = (weight, lang);
        }
    }
    best.1
}

/// The language of a request, for handlers that report errors later: in a stream, or when a job ends.
pub struct Preferred(pub Lang);

impl<S: Send + Sync> FromRequestParts<S> for Preferred {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(preferred(&parts.headers)))
    }
}

/// Answers errors in the language of the request.
pub async fn translate(request: Request, next: Next) -> Response {
    let lang = preferred(request.headers());
    let for_dify = request.uri().path() == crate::dify::PATH;
    let response = next.run(request).await;
    match response.extensions().get::<ApiError>() {
        Some(error) if for_dify => {
            let body = crate::dify::error_body(error, lang);
            response.map(|_| body.into())
        }
        Some(error) if lang != Lang::En => {
            let body = error.body(lang);
            response.map(|_| body.into())
        }
        _ => response,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_known_language_is_chosen() {
        for (header, lang) in [
            ("", Lang::En),
            ("zh", Lang::Zh),
            ("zh-CN,zh;q=0.9,en;q=0.8", Lang::Zh),
            ("en-GB,en;q=0.9,zh;q=0.8", Lang::En),
            ("fr, zh-Hant;q=0.5", Lang::Zh),
            ("de", Lang::En),
            ("zh;q=0", Lang::En),
        ] {
            let headers = [(header::ACCEPT_LANGUAGE, header.parse().expect(header))].into_iter().collect();
            assert_eq!(preferred(&headers), lang, "{header}");
        }
        assert_eq!(preferred(&HeaderMap::new()), Lang::En);
    }
}
