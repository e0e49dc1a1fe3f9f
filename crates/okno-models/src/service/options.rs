//! The settings of a service, with its time limits.

use super::key::ServiceKey;
use super::preset::{ProviderPreset, Schemas};
use std::time::Duration;

/// Address, key, model and limits of a service.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The table of the configuration that it comes from, for messages: `model`, `models.NAME` or
    /// `embedding`.
    pub table: String,
    /// The provider's name in identities.
    pub provider: String,
    /// The address up to, and without, `/chat/completions`.
    pub base_url: String,
    /// The key, where one is needed.
    pub key: Option<ServiceKey>,
    /// The variable that holds the key, for messages.
    pub key_variable: String,
    /// The model; `None` asks the service which one it serves.
    pub model: Option<String>,
    /// The temperature of requests without their own; the service's default when `None`.
    pub temperature: Option<f32>,
    /// Tokens of an answer, at most, for requests without their own limit.
    pub max_tokens: Option<usize>,
    /// How long to wait.
    pub patience: Patience,
    /// Requests at once.
    pub concurrency: usize,
    /// Texts of one embedding request, at most.
    pub batch: usize,
    /// The length of vectors to request; the model's own when `None`. Not every model supports it.
    pub dimensions: Option<usize>,
    /// How well the service supports JSON schemas.
    pub schemas: Schemas,
}

/// Time limits and retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the first byte of an answer, and between two pieces of it.
    pub silence: Duration,
    /// For one request with all its retries.
    pub whole: Duration,
    /// Attempts, at most.
    pub tries: u32,
    /// The first pause between two attempts; each further one is twice as long.
    pub pause: Duration,
}

impl Patience {
    /// Limits for one request of at most this long. Half of it may pass without data, since a model on a CPU reads a
    /// long prompt for a minute before it answers.
    pub fn within(whole: Duration) -> Self {
        let connect = Duration::from_secs(10).min(whole);
        Self { connect, silence: whole / 2, whole, tries: 4, pause: Duration::from_millis(500) }
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self::within(Duration::from_mins(5))
    }
}

impl Options {
    /// The defaults of a provider, with a key.
    pub fn of(preset: &ProviderPreset, key: Option<ServiceKey>) -> Self {
        Self {
            table: "model".to_owned(),
            provider: preset.name.to_owned(),
            base_url: preset.base_url.to_owned(),
            key,
            key_variable: preset.key_variable.to_owned(),
            model: preset.chat.map(str::to_owned),
            temperature: None,
            max_tokens: None,
            patience: Patience::default(),
            // What small plans of hosted providers allow; a local server processes one request at a time anyway.
            concurrency: 4,
            batch: preset.batch,
            dimensions: None,
            schemas: preset.schemas,
        }
    }

    /// A service without a preset.
    pub fn at(base_url: &str, key: Option<ServiceKey>) -> Self {
        Self {
            table: "model".to_owned(),
            provider: "openai".to_owned(),
            base_url: base_url.to_owned(),
            key,
            key_variable: String::new(),
            model: None,
            temperature: None,
            max_tokens: None,
            patience: Patience::default(),
            concurrency: 4,
            batch: 32,
            dimensions: None,
            schemas: Schemas::Held,
        }
    }

    /// Provider and model, and the host where it is not the provider's own: the name in caches and reports.
    pub(super) fn identity(&self, model: &str) -> String {
        let usual = super::preset::named(&self.provider).is_some_and(|preset| preset.base_url == self.base_url);
        if usual { format!("{}/{model}", self.provider) } else { format!("{}@{}/{model}", self.provider, self.host()) }
    }

    /// Host and port, without user, password and path.
    pub(super) fn host(&self) -> &str {
        let rest = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit_once('@').map_or(authority, |(_, host)| host)
    }

    /// The address of a part of the service.
    pub(super) fn url(&self, part: &str) -> String {
        format!("{}/{part}", self.base_url.trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_place_is_another_identity_and_no_password_is_in_it() {
        let preset = super::super::preset::named("dashscope").unwrap();
        let mut options = Options::of(preset, None);
        assert_eq!(options.identity("qwen-plus"), "dashscope/qwen-plus");
        options.base_url = "https://me:secret@gpu.example:8443/v1/".to_owned();
        assert_eq!(options.identity("qwen-plus"), "dashscope@gpu.example:8443/qwen-plus");
        assert_eq!(options.url("models"), "https://me:secret@gpu.example:8443/v1/models");
        assert_eq!(Options::at("localhost:80", None).host(), "localhost:80");
    }
}
