//! What is asked of a service, and how patiently.

use super::key::ServiceKey;
use super::preset::{ProviderPreset, Schemas};
use std::time::Duration;

/// Address, key and model of a service, and how to deal with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The table of the configuration that it comes from, for messages: `model` or `embedding`.
    pub table: &'static str,
    /// What identities call the provider.
    pub provider: String,
    /// The address up to, and without, `/chat/completions`.
    pub base_url: String,
    /// The key, where one is needed.
    pub key: Option<ServiceKey>,
    /// The variable that holds the key, for messages.
    pub key_variable: String,
    /// The model; `None` asks the service which one it serves.
    pub model: Option<String>,
    /// What requests that say nothing are asked with; the service's own setting when `None`.
    pub temperature: Option<f32>,
    /// Tokens of an answer, at most, where a request says nothing.
    pub max_tokens: Option<usize>,
    /// How long to wait.
    pub patience: Patience,
    /// Requests at once.
    pub concurrency: usize,
    /// Texts of one embedding request, at most.
    pub batch: usize,
    /// The length of vectors that is asked for; the model's own when `None`. Not every model can be asked.
    pub dimensions: Option<usize>,
    /// What the service makes of a schema.
    pub schemas: Schemas,
}

/// How long to wait, and how often to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the first byte of an answer, and between two pieces of it.
    pub silence: Duration,
    /// For one request with all its tries.
    pub whole: Duration,
    /// Tries, at most.
    pub tries: u32,
    /// The first pause between two tries; each further one is twice as long.
    pub pause: Duration,
}

impl Patience {
    /// Patience for one request of at most this long: half of it may pass in silence, since a model on a CPU reads a
    /// long prompt for a minute before it says a word.
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
            table: "model",
            provider: preset.name.to_owned(),
            base_url: preset.base_url.to_owned(),
            key,
            key_variable: preset.key_variable.to_owned(),
            model: preset.chat.map(str::to_owned),
            temperature: None,
            max_tokens: None,
            patience: Patience::default(),
            // What the small plans of the hosted providers bear; a local server answers one after the other anyway.
            concurrency: 4,
            batch: preset.batch,
            dimensions: None,
            schemas: preset.schemas,
        }
    }

    /// A service that no preset knows.
    pub fn at(base_url: &str, key: Option<ServiceKey>) -> Self {
        Self {
            table: "model",
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

    /// Provider and model, and the host where it is not the provider's own: what a cache and a report call it.
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
