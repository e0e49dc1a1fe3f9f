//! Which role a route asks for. A route that is not in the list asks for the highest; a test fails if one is missing.

use crate::keys::KeyRole;
use axum::http::Method;

use KeyRole::{Add, Administer, Search};

/// Method, path as it is routed, role.
const ROLES: &[(&str, &str, KeyRole)] = &[
    ("GET", "/api/v1/status", Search),
    ("GET", "/api/v1/recipes", Search),
    ("GET", "/api/v1/fields", Search),
    ("GET", "/api/v1/models", Search),
    ("GET", "/api/v1/openapi.json", Search),
    ("GET", "/metrics", Search),
    ("POST", "/api/v1/search", Search),
    ("POST", "/retrieval", Search),
    ("POST", "/api/v1/compare", Search),
    ("POST", "/api/v1/ask", Search),
    ("POST", "/v1/chat/completions", Search),
    ("GET", "/v1/models", Search),
    ("GET", "/api/v1/documents", Search),
    ("GET", "/api/v1/documents/{name}", Search),
    ("GET", "/api/v1/documents/{name}/pages", Search),
    ("GET", "/api/v1/documents/{name}/pages/{page}/marks", Search),
    ("GET", "/api/v1/documents/{name}/pages/{page}/picture", Search),
    ("GET", "/api/v1/documents/{name}/text", Search),
    ("GET", "/api/v1/images/{hash}", Search),
    ("GET", "/api/v1/jobs", Search),
    ("GET", "/api/v1/jobs/{id}", Search),
    ("GET", "/api/v1/jobs/{id}/events", Search),
    ("GET", "/api/v1/runs", Search),
    ("GET", "/api/v1/runs/{name}", Search),
    ("GET", "/api/v1/reports/{name}", Search),
    // Whoever searches may say what helped, but not read what others asked.
    ("POST", "/api/v1/feedback", Search),
    ("GET", "/api/v1/feedback", Administer),
    ("POST", "/api/v1/documents", Add),
    ("PUT", "/api/v1/documents/{name}", Add),
    ("DELETE", "/api/v1/documents/{name}", Administer),
    ("POST", "/api/v1/jobs/index", Administer),
    ("DELETE", "/api/v1/jobs/{id}", Administer),
    ("POST", "/api/v1/eval", Administer),
    ("DELETE", "/api/v1/runs/{name}", Administer),
];

/// The role that a request needs.
pub fn needed(method: &Method, route: Option<&str>, path: &str) -> KeyRole {
    // All tools of MCP only read.
    if path == "/mcp" || path.starts_with("/mcp/") {
        return Search;
    }
    // What there is not is told to everybody who has a key; `HEAD` is answered as `GET`.
    let Some(route) = route else { return Search };
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    listed(method, route).unwrap_or(Administer)
}

fn listed(method: &str, route: &str) -> Option<KeyRole> {
    ROLES.iter().find(|(own, path, _)| *own == method && *path == route).map(|(.., role)| *role)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::is_public;
    use std::collections::BTreeSet;

    #[test]
    fn every_described_route_has_a_role_and_nothing_else_has() {
        let described = crate::api::openapi().to_json().expect("a description");
        let described: serde_json::Value = serde_json::from_str(&described).expect("JSON");
        let mut routes = BTreeSet::new();
        for (path, methods) in described["paths"].as_object().expect("paths") {
            let methods = methods.as_object().expect("methods").keys();
            routes.extend(methods.filter(|_| !is_public(path)).map(|method| (method.to_uppercase(), path.clone())));
        }
        let listed = ROLES.iter().map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned()));
        assert_eq!(listed.collect::<BTreeSet<_>>(), routes);
    }

    #[test]
    fn what_changes_something_needs_more_than_searching() {
        let needed = |method: &Method, path: &str| needed(method, Some(path), path);
        assert_eq!(needed(&Method::HEAD, "/api/v1/status"), Search);
        assert_eq!(needed(&Method::PATCH, "/api/v1/documents/{name}"), Administer);
        assert_eq!(needed(&Method::POST, "/api/v1/documents"), Add);
        assert_eq!(needed(&Method::POST, "/mcp"), Search);
        for (method, path, role) in ROLES {
            assert!(*method != "DELETE" || *role == Administer, "{path}");
        }
    }
}
