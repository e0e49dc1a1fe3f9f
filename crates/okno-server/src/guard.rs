//! Access control: programs on this machine, or clients with the key.
//!
//! A server on loopback is reachable by every page a browser on this machine has open. Two checks keep those out: the
//! `Host` must be a name of this machine (a foreign name that was pointed at 127.0.0.1 is not), and a request that
//! changes something must not come from another origin. Beyond loopback a key is required; a key has a role, and the
//! route says which role it needs.

use crate::accepted_keys::{AcceptedKeys, KeyHolder};
use crate::audit::AuditNote;
use crate::error::ApiError;
use crate::problem::Problem;
use crate::roles;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// What is checked.
#[derive(Debug)]
pub struct AccessGuard {
    /// Whether the `Host` must name this machine.
    pub loopback: bool,
    /// The keys that are accepted, where one is required.
    pub keys: AcceptedKeys,
    /// Other origins whose pages may send requests.
    pub origins: Vec<String>,
}

impl AccessGuard {
    /// Whether the request may be sent; whose key it shows is noted.
    fn check(&self, asked: &AskedRoute<'_>, headers: &HeaderMap, note: &AuditNote) -> Result<(), Problem> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).or(asked.authority);
        if self.loopback && !host.is_some_and(is_loopback) {
            return Err(Problem::WrongHost { host: host.unwrap_or_default().escape_debug().to_string() });
        }
        let safe = matches!(*asked.method, Method::GET | Method::HEAD | Method::OPTIONS);
        if !safe && !self.is_own_origin(headers, host) {
            return Err(Problem::CrossOrigin);
        }
        if is_public(asked.path) {
            return Ok(());
        }
        match self.keys.holder(keys_in(headers)) {
            KeyHolder::Anybody => {}
            KeyHolder::Unknown => return Err(Problem::NoKey),
            KeyHolder::Expired(key) => {
                note.key(&key.name);
                return Err(Problem::KeyExpired { name: key.name });
            }
            KeyHolder::Named { name, role } => {
                let needed = roles::needed(asked.method, asked.route, asked.path);
                note.key(&name);
                if role < needed {
                    let (role, needed) = (role.to_string(), needed.to_string());
                    return Err(Problem::RoleTooLow { name, role, needed });
                }
            }
        }
        Ok(())
    }

    /// Whether a request comes from a program, from our own page, or from an allowed origin.
    fn is_own_origin(&self, headers: &HeaderMap, host: Option<&str>) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else { return true };
        let Ok(origin) = origin.to_str() else { return false };
        let own = origin.split_once("://").map(|(_, authority)| authority);
        (own.is_some() && own == host) || self.origins.iter().any(|allowed| allowed == origin)
    }
}

/// What a request asks for.
struct AskedRoute<'r> {
    method: &'r Method,
    path: &'r str,
    /// The path as it is routed, `/api/v1/jobs/{id}`.
    route: Option<&'r str>,
    /// The host in the address, where it is there and not in a header.
    authority: Option<&'r str>,
}

/// The keys that a request shows.
fn keys_in(headers: &HeaderMap) -> [Option<&str>; 2] {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| value.split_once(' '));
    let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, key)| key.trim());
    let plain = headers.get("x-api-key").and_then(|value| value.to_str().ok());
    [bearer, plain]
}

/// The page and the health checks are public: none shows anything of the index.
pub(crate) fn is_public(path: &str) -> bool {
    path == "/healthz"
        || !["/api/", "/v1/", "/mcp", "/metrics", crate::dify::PATH].iter().any(|part| path.starts_with(part))
}

/// Whether a `Host` names this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

/// Passes a request on, or refuses it.
pub async fn guard(State(guard): State<Arc<AccessGuard>>, request: Request, next: Next) -> Response {
    let uri = request.uri();
    let asked = AskedRoute {
        method: request.method(),
        path: uri.path(),
        route: request.extensions().get::<MatchedPath>().map(MatchedPath::as_str),
        authority: uri.authority().map(axum::http::uri::Authority::as_str),
    };
    let note = request.extensions().get::<AuditNote>().cloned().unwrap_or_default();
    match guard.check(&asked, request.headers(), &note) {
        Ok(()) => next.run(request).await,
        Err(problem) => ApiError::from(problem).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    fn code(guard: &AccessGuard, method: &Method, path: &str, headers: &[(&'static str, &str)]) -> Option<Code> {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")));
        let asked = AskedRoute { method, path, route: Some(path), authority: None };
        guard.check(&asked, &headers.collect(), &AuditNote::default()).err().map(|problem| problem.code())
    }

    fn guard(loopback: bool, key: Option<&str>, origins: Vec<String>) -> AccessGuard {
        AccessGuard { loopback, keys: AcceptedKeys::new(key, None).expect("no file"), origins }
    }

    #[test]
    fn only_names_of_this_machine_are_answered_on_loopback() {
        let guard = guard(true, None, Vec::new());
        for host in ["localhost:7070", "127.0.0.1", "[::1]:7070", "LOCALHOST"] {
            assert_eq!(code(&guard, &Method::GET, "/api/v1/status", &[("host", host)]), None, "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.0.2:7070", ""] {
            assert_eq!(
                code(&guard, &Method::GET, "/api/v1/status", &[("host", host)]),
                Some(Code::WrongHost),
                "{host}"
            );
        }
    }

    #[test]
    fn pages_of_other_sites_change_nothing() {
        let guard = guard(true, None, vec!["https://notes.example".into()]);
        let post = |origin: &str| {
            code(&guard, &Method::POST, "/api/v1/documents", &[("host", "localhost:7070"), ("origin", origin)])
        };
        assert_eq!(post("http://localhost:7070"), None);
        assert_eq!(post("https://notes.example"), None);
        for origin in ["http://evil.example", "null", "http://localhost:7071"] {
            assert_eq!(post(origin), Some(Code::CrossOrigin), "{origin}");
        }
    }

    #[test]
    fn a_key_is_asked_for_wherever_the_index_can_be_reached() {
        let guard = guard(false, Some("s3cret"), Vec::new());
        let get = |path: &str, headers: &[(&'static str, &str)]| code(&guard, &Method::GET, path, headers);
        for path in ["/api/v1/status", "/v1/models", "/mcp", "/metrics", "/api/v1/openapi.json"] {
            assert_eq!(get(path, &[]), Some(Code::NoKey), "{path}");
            assert_eq!(get(path, &[("authorization", "Bearer s3cre")]), Some(Code::NoKey), "{path}");
            assert_eq!(get(path, &[("authorization", "Bearer s3cret")]), None, "{path}");
            assert_eq!(get(path, &[("x-api-key", "s3cret")]), None, "{path}");
        }
        assert_eq!(get("/", &[]), None);
        assert_eq!(get("/healthz", &[]), None);
    }
}
