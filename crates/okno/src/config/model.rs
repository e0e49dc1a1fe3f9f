//! Which language model answers: the table `[model]`.

use super::ByteSize;
use crate::error::ConfigError;
use serde::Deserialize;
use std::time::Duration;

/// Which language model answers, and how it is asked. What is `None` nobody said.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelConfig {
    /// Who runs it: `openai`, `dashscope`, `deepseek`, `ollama`, `vllm`, `llama.cpp`; `none` for no model.
    pub provider: Option<String>,
    /// Where it is, up to `/v1`.
    pub base_url: Option<String>,
    /// The model.
    pub name: Option<String>,
    /// The variable that holds the key.
    pub key_env: Option<String>,
    /// 0 for the likeliest words, more for variety.
    pub temperature: Option<f32>,
    /// Seconds for one answer.
    pub timeout: Option<f64>,
    /// Requests at once.
    pub concurrency: Option<usize>,
    /// Tokens of an answer, at most.
    pub max_tokens: Option<usize>,
    /// Whether it looks at pictures.
    pub vision: Option<bool>,
    /// Bytes of kept answers, at most; 0 keeps none.
    pub cache: Option<ByteSize>,
    /// A folder with prompts of one's own.
    pub prompts: Option<String>,
}

impl ModelConfig {
    /// What answers are asked with: the sources' value, which keeps to the contexts without repeating itself.
    pub const TEMPERATURE: f32 = 0.1;

    /// The temperature.
    pub fn temperature(&self) -> f32 {
        self.temperature.unwrap_or(Self::TEMPERATURE)
    }

    /// How long one answer may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout.unwrap_or(300.0))
    }

    /// How many requests run at once.
    pub fn concurrency(&self) -> usize {
        self.concurrency.unwrap_or(4)
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        match self {
            Self { temperature: Some(t), .. } if !(0.0..=2.0).contains(t) => Err(ConfigError::Temperature),
            Self { concurrency: Some(0), .. } => Err(ConfigError::Zero { key: "[model] `concurrency`" }),
            Self { max_tokens: Some(0), .. } => Err(ConfigError::Zero { key: "[model] `max_tokens`" }),
            _ => super::check_seconds("[model] `timeout`", self.timeout, 0.1),
        }
    }
}
