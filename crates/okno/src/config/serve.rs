//! What requests to a server may cost.

use super::ByteSize;
use crate::error::ConfigError;
use crate::retrieve::QueryLimits;
use serde::Deserialize;

/// What requests to a server may cost.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeConfig {
    /// Distinct hits of one request, at most; of a comparison, of all recipes together.
    pub max_k: Option<usize>,
    /// Tokens or characters of context of one request, at most; of a comparison, of all recipes together.
    pub max_budget: Option<usize>,
    /// Recipes of one comparison, at most.
    pub max_recipes: Option<usize>,
    /// Characters of a filter, at most.
    pub max_filter: Option<usize>,
    /// Seconds before an answer begins.
    pub timeout: Option<f64>,
    /// Connections at once.
    pub max_connections: Option<usize>,
    /// Memory that loading one upload may take.
    pub load_memory: Option<ByteSize>,
    /// Seconds that loading one upload may take.
    pub load_timeout: Option<f64>,
}

impl ServeConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        super::check_seconds("[serve] `load_timeout`", self.load_timeout, 1.0)?;
        super::check_seconds("[serve] `timeout`", self.timeout, 1.0)
    }

    /// How much one request may ask for.
    pub fn query_limits(&self) -> QueryLimits {
        let mut limits = QueryLimits::default();
        limits.k = self.max_k.unwrap_or(limits.k);
        limits.budget = self.max_budget.unwrap_or(limits.budget);
        limits
    }
}
