//! Access control: programs on this machine, or clients with the key.
//!
//! A server on loopback is reachable by every page a browser on this machine has open. Two checks keep those out: the
//! `Host` must be a name of this machine (a foreign name that was pointed at 127.0.0.1 is not), and a request that
//! changes something must not come from another origin. Beyond loopback a key is required; a key has a role, and the
//! route says which role it needs.

use crate::accepted_keys::{AcceptedKeys, KeyHolder};
use crate::audit::AuditNote;
use crate::error::ApiError;
use crate::keys::KeyRole;
use crate::problem::Problem;
use crate::rate::{Buckets, seconds};
use crate::requester::Requester;
use crate::roles;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use okno::document::Access;
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
    /// The header in which a proxy says the groups of whoever sends a request, where one is trusted.
    pub groups_header: Option<HeaderName>,
    /// How many requests a key may send, where that is limited.
    pub rate: Option<Buckets>,
}

impl AccessGuard {
    /// Who sends the request, or why it may not be sent; whose key it shows is noted.
    fn check(&self, asked: &AskedRoute<'_>, headers: &HeaderMap, note: &AuditNote) -> Result<Requester, Problem> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).or(asked.authority);
        if self.loopback && !host.is_some_and(is_loopback) {
            return Err(Problem::WrongHost { host: host.unwrap_or_default().escape_debug().to_string() });
        }
        let safe = matches!(*asked.method, Method::GET | Method::HEAD | Method::OPTIONS);
        if !safe && !self.is_own_origin(headers, host) {
            return Err(Problem::CrossOrigin);
        }
        let requester = self.requester(asked, headers, note)?;
        match &self.rate {
            Some(rate) if !is_public(asked.path) => {
                let waiting = |wait| Problem::RateLimited { seconds: seconds(wait) };
                rate.take(&requester, 1).map_err(waiting).map(|()| requester)
            }
            _ => Ok(requester),
        }
    }

    fn requester(&self, asked: &AskedRoute<'_>, headers: &HeaderMap, note: &AuditNote) -> Result<Requester, Problem> {
        if is_public(asked.path) {
            return Ok(Requester { key: None, access: Access::public() });
        }
        match self.keys.holder(keys_in(headers)) {
            KeyHolder::Anybody => {
                Ok(Requester { key: None, access: self.claimed(headers).unwrap_or(Access::Everything) })
            }
            KeyHolder::Unknown => Err(Problem::NoKey),
            KeyHolder::Expired(key) => {
                note.key(&key.name);
                Err(Problem::KeyExpired { name: key.name })
            }
            KeyHolder::Named { name, role, groups } => {
                let needed = roles::needed(asked.method, asked.route, asked.path);
                note.key(&name);
                if role < needed {
                    let (role, needed) = (role.to_string(), needed.to_string());
                    return Err(Problem::RoleTooLow { name, role, needed });
                }
                let own = groups.map(Access::Groups).or_else(|| self.claimed(headers));
                let usual = if role == KeyRole::Administer { Access::Everything } else { Access::public() };
                Ok(Requester { key: Some(name), access: own.unwrap_or(usual) })
            }
        }
    }

    /// The groups that a trusted header says; none where it is missing, or there several times. `None` where no header
    /// is trusted.
    fn claimed(&self, headers: &HeaderMap) -> Option<Access> {
        let mut values = headers.get_all(self.groups_header.as_ref()?).iter();
        let only = values.next().filter(|_| values.next().is_none());
        Some(Access::of(only.and_then(|value| std::str::from_utf8(value.as_bytes()).ok())))
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
pub async fn guard(State(guard): State<Arc<AccessGuard>>, mut request: Request, next: Next) -> Response {
    let uri = request.uri();
    let asked = AskedRoute {
        method: request.method(),
        path: uri.path(),
        route: request.extensions().get::<MatchedPath>().map(MatchedPath::as_str),
        authority: uri.authority().map(axum::http::uri::Authority::as_str),
    };
    let note = request.extensions().get::<AuditNote>().cloned().unwrap_or_default();
    match guard.check(&asked, request.headers(), &note) {
        Ok(requester) => {
            request.extensions_mut().insert(requester);
            next.run(request).await
        }
        Err(problem) => ApiError::from(problem).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;
    use crate::keys::KeyFile;
    use std::collections::BTreeSet;

    fn code(guard: &AccessGuard, method: &Method, path: &str, headers: &[(&'static str, &str)]) -> Option<Code> {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")));
        let asked = AskedRoute { method, path, route: Some(path), authority: None };
        guard.check(&asked, &headers.collect(), &AuditNote::default()).err().map(|problem| problem.code())
    }

    fn guard(loopback: bool, key: Option<&str>, origins: Vec<String>) -> AccessGuard {
        AccessGuard {
            loopback,
            keys: AcceptedKeys::new(key, None).expect("no file"),
            origins,
            groups_header: None,
            rate: None,
        }
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
    fn groups_come_from_the_key_or_from_a_trusted_header() {
        let folder = tempfile::tempdir().unwrap();
        let file = KeyFile::beside(&folder.path().join(".okno"));
        let make = |name, role, groups: Option<&str>| {
            let groups = groups.map(|groups| BTreeSet::from([groups.to_owned()]));
            file.make(name, role, None, groups).unwrap()
        };
        let (hr, plain) = (make("hr", KeyRole::Search, Some("hr")), make("plain", KeyRole::Add, None));
        let admin = make("admin", KeyRole::Administer, None);
        let seen = |header: Option<&'static str>, headers: &[(&'static str, &str)]| {
            let keys = AcceptedKeys::new(None, Some(file.clone())).unwrap();
            let groups_header = header.map(HeaderName::from_static);
            let guard = AccessGuard { loopback: false, keys, origins: Vec::new(), groups_header, rate: None };
            let path = "/api/v1/status";
            let asked = AskedRoute { method: &Method::GET, path, route: Some(path), authority: None };
            let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            let headers = headers.fold(HeaderMap::new(), |mut all, (name, value)| {
                let (name, value): (HeaderName, axum::http::HeaderValue) = (name, value);
                all.append(name, value);
                all
            });
            guard.check(&asked, &headers, &AuditNote::default()).unwrap().access
        };
        let with = |key: &str, rest: &[(&'static str, &'static str)], header| {
            let mut headers = vec![("x-api-key", key)];
            headers.extend(rest.iter().copied());
            seen(header, &headers)
        };
        let claim = [("x-groups", "board, staff")];
        assert_eq!(with(&hr, &[], None), Access::of(["hr"]));
        assert_eq!(with(&hr, &claim, Some("x-groups")), Access::of(["hr"]), "a key's groups are its own");
        assert_eq!(with(&plain, &claim, None), Access::public(), "no header is trusted by default");
        assert_eq!(with(&admin, &claim, None), Access::Everything);
        for key in [&plain, &admin] {
            assert_eq!(with(key, &claim, Some("x-groups")), Access::of(["board", "staff"]));
            assert_eq!(with(key, &[], Some("x-groups")), Access::public());
            assert_eq!(with(key, &[claim[0], claim[0]], Some("x-groups")), Access::public());
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
