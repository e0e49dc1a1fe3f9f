//! Routing by rule.
#![allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    Hybrid,
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routing {
    pub route: Route,
}
