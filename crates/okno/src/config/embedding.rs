//! Which service embeds, where the embedder is one: the table `[embedding]`.

use crate::error::ConfigError;
use serde::Deserialize;
use std::time::Duration;

/// Which service embeds, and how it is asked. What is `None` nobody said; a place that nobody said is that of the
/// language model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbeddingConfig {
    /// Who runs it: `openai`, `dashscope`, `ollama`, `vllm`, `llama.cpp`.
    pub provider: Option<String>,
    /// Where it is, up to `/v1`.
    pub base_url: Option<String>,
    /// The variable that holds the key.
    pub key_env: Option<String>,
    /// The model.
    pub name: Option<String>,
    /// The length of vectors to ask for, where the model has several.
    pub dimensions: Option<usize>,
    /// Texts of one request, at most.
    pub batch: Option<usize>,
    /// Requests at once.
    pub concurrency: Option<usize>,
    /// Seconds for one request with all its tries.
    pub timeout: Option<f64>,
}

impl EmbeddingConfig {
    /// Whether it says where the service is.
    pub fn says_where(&self) -> bool {
        self.provider.is_some() || self.base_url.is_some()
    }

    /// How long one request may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout.unwrap_or(300.0))
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (key, value) in [
            ("[embedding] `dimensions`", self.dimensions),
            ("[embedding] `batch`", self.batch),
            ("[embedding] `concurrency`", self.concurrency),
        ] {
            if value == Some(0) {
                return Err(ConfigError::Zero { key: key.to_owned() });
            }
        }
        super::check_seconds("[embedding] `timeout`", self.timeout, 0.1)
    }
}
