//! Which language models answer: the table `[model]`, and others to pick from in `[models.NAME]`.

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
    /// The name of the model in `[model]`.
    pub const DEFAULT: &str = "default";

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

    /// Whether a model can have this name: letters, digits, `-`, `_` and `.`, and not that of `[model]`.
    pub(super) fn is_name(name: &str) -> bool {
        let fits = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        !name.is_empty() && name.chars().all(fits) && name != Self::DEFAULT
    }

    /// What this says, and of `default` what it leaves open about how a model is asked. Address and key belong to the
    /// provider they were said for, and the name and what it can see to its service: a model that says where it is
    /// takes none of them.
    pub(super) fn completed(&self, default: &Self) -> Self {
        let (own, nothing) = (self.clone(), Self::default());
        let elsewhere = own.provider.is_some() || own.base_url.is_some();
        let service = if elsewhere { &nothing } else { default };
        let same_model = if own.name.is_some() { &nothing } else { service };
        Self {
            provider: own.provider.or_else(|| service.provider.clone()),
            base_url: own.base_url.or_else(|| service.base_url.clone()),
            key_env: own.key_env.or_else(|| service.key_env.clone()),
            name: own.name.or_else(|| same_model.name.clone()),
            vision: own.vision.or(same_model.vision),
            temperature: own.temperature.or(default.temperature),
            timeout: own.timeout.or(default.timeout),
            concurrency: own.concurrency.or(default.concurrency),
            max_tokens: own.max_tokens.or(default.max_tokens),
            cache: own.cache.or(default.cache),
            prompts: own.prompts.or_else(|| default.prompts.clone()),
        }
    }

    pub(super) fn check(&self, table: &str) -> Result<(), ConfigError> {
        let key = |key: &str| format!("[{table}] `{key}`");
        match self {
            Self { temperature: Some(t), .. } if !(0.0..=2.0).contains(t) => {
                Err(ConfigError::Temperature { key: key("temperature") })
            }
            Self { concurrency: Some(0), .. } => Err(ConfigError::Zero { key: key("concurrency") }),
            Self { max_tokens: Some(0), .. } => Err(ConfigError::Zero { key: key("max_tokens") }),
            _ => super::check_seconds(&key("timeout"), self.timeout, 0.1),
        }
    }
}
