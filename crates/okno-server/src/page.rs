//! The page: files compiled into the program, served under a policy that lets nothing else run.
//!
//! Text of documents is untrusted and is shown by this page, so the policy allows no inline script or style, no other
//! host, no form target and no frame but our own reports.

use crate::error::ApiError;
use crate::problem::Problem;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

/// A file of the page: its name, its kind, its bytes.
type PageFile = (&'static str, &'static str, &'static [u8]);

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const DRAWING: &str = "image/svg+xml";

/// Names and kinds of files below `page/`, with their bytes.
macro_rules! files {
    ($($name:literal $kind:ident,)*) => { &[$(($name, $kind, include_bytes!(concat!("../page/", $name)))),*] };
}

/// Every file of the page; one of the page's own tests finds what is missing here.
const FILES: &[PageFile] = files! {
    "answers.js" SCRIPT,
    "api.js" SCRIPT,
    "ask.js" SCRIPT,
    "asking.js" SCRIPT,
    "base.css" STYLE,
    "compare.js" SCRIPT,
    "conditions.js" SCRIPT,
    "controls.js" SCRIPT,
    "conversations.js" SCRIPT,
    "documents.js" SCRIPT,
    "dom.js" SCRIPT,
    "dropping.js" SCRIPT,
    "early.js" SCRIPT,
    "entities.js" SCRIPT,
    "evaluate.js" SCRIPT,
    "facts.js" SCRIPT,
    "filters.js" SCRIPT,
    "help.js" SCRIPT,
    "index.html" HTML,
    "inline.js" SCRIPT,
    "jobs.js" SCRIPT,
    "keys.js" SCRIPT,
    "main.js" SCRIPT,
    "markdown.js" SCRIPT,
    "okno.svg" DRAWING,
    "passage.js" SCRIPT,
    "preferences.js" SCRIPT,
    "reader.js" SCRIPT,
    "rendered.js" SCRIPT,
    "search.js" SCRIPT,
    "sheets.js" SCRIPT,
    "spans.js" SCRIPT,
    "state.js" SCRIPT,
    "turns.js" SCRIPT,
    "views.css" STYLE,
    "words.js" SCRIPT,
};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; font-src 'self'; manifest-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Any path that is no route of the API: a file of the page, or an error.
pub async fn fallback(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    let name = if path.is_empty() { "index.html" } else { path };
    match FILES.iter().zip(SENT.iter()).find(|((known, ..), _)| *known == name) {
        Some((file, bytes)) if matches!(*request.method(), Method::GET | Method::HEAD) => {
            serve(file, bytes, request.headers())
        }
        Some(_) => not_allowed().await,
        None => ApiError::from(Problem::NoRoute { path: path.escape_debug().to_string() }).into_response(),
    }
}

/// The answer to a method that a route does not support.
pub async fn not_allowed() -> Response {
    ApiError::from(Problem::NoMethod).into_response()
}

/// Every file as it is sent, in the order of [`FILES`]: scripts and styles without indentation and comments, which are
/// a fifth of them.
static SENT: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let sent = |(_, kind, bytes): &PageFile| match std::str::from_utf8(bytes) {
        Ok(text) if *kind == SCRIPT => without_comments(text).into_bytes(),
        Ok(text) if *kind == STYLE => squeezed(&without_comments(text)).into_bytes(),
        _ => bytes.to_vec(),
    };
    FILES.iter().map(sent).collect()
});

/// A script or style without indentation, blank lines, comments that have lines of their own, and ends of lines where
/// a sign says that more follows. A text over several lines would suffer; the page has none, and its tests in a browser
/// run what is sent.
fn without_comments(text: &str) -> String {
    let mut sent = String::with_capacity(text.len());
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        let opens = line.starts_with("/*");
        if !(line.is_empty() || inside || opens || line.starts_with("//")) {
            sent.push_str(line);
            // A comment behind a line ends with it.
            if line.contains("//") || !line.ends_with([';', ',', '{', '(', '[']) {
                sent.push('\n');
            }
        }
        inside = (inside || opens) && !line.ends_with("*/");
    }
    sent
}

/// A style without the blanks and line ends that mean nothing in it.
fn squeezed(style: &str) -> String {
    style.replace("}\n", "}").replace(": ", ":").replace(" {", "{")
}

fn serve((_, kind, _): &PageFile, bytes: &'static [u8], headers: &HeaderMap) -> Response {
    let tag = tag(bytes);
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if known { StatusCode::NOT_MODIFIED.into_response() } else { bytes.into_response() };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    // Asked for again each time, sent again only when the program is another.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

fn tag(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scripts and styles together, as they are sent: what a page may weigh that opens at once on a slow line.
    const LARGEST: usize = 150 << 10;

    #[test]
    fn comments_and_indentation_are_not_sent() {
        let text = "/** What\n * it is. */\nconst a = 1; // here\n\n  // there\n  f('/* no comment');\n/* x */\nb();\n";
        assert_eq!(without_comments(text), "const a = 1; // here\nf('/* no comment');b();");
    }

    #[test]
    fn scripts_and_styles_stay_small() {
        let sized = FILES.iter().zip(SENT.iter()).filter(|((_, kind, _), _)| matches!(*kind, SCRIPT | STYLE));
        let size: usize = sized.map(|(_, bytes)| bytes.len()).sum();
        assert!(size < LARGEST, "{size} bytes");
    }
}
