//! The language model, assembled from what was configured; where it is, `service` finds out.

#[cfg(feature = "models")]
pub use built::generator;

/// A model, if one is configured: this program was built without any.
#[cfg(not(feature = "models"))]
#[allow(clippy::unnecessary_wraps)] // the same signature as with models
pub fn generator(
    _: &okno::config::Settings,
    _: &okno::config::Secrets,
) -> anyhow::Result<Option<std::sync::Arc<dyn okno::generate::Generator>>> {
    Ok(None)
}

#[cfg(feature = "models")]
mod built {
    use crate::service::Place;
    use anyhow::Result;
    use okno::config::{ModelConfig, Secrets, Settings};
    use okno::generate::Generator;
    use okno_models::service::{Cached, Chat, DEFAULT_CACHE_SIZE, Options, Patience};
    use std::path::PathBuf;
    use std::sync::Arc;

    /// The model that the configuration names, or the first whose key is set; `None` when there is neither.
    pub fn generator(settings: &Settings, secrets: &Secrets) -> Result<Option<Arc<dyn Generator>>> {
        let config = &settings.values().model;
        let Some(options) = options(config, secrets)? else { return Ok(None) };
        let variant = format!("{:?} {:?}", options.temperature, options.max_tokens);
        let chat = Chat::connect(options)?;
        let size = config.cache.map_or(DEFAULT_CACHE_SIZE, |bytes| bytes.0);
        Ok(Some(match cache_folder().filter(|_| size > 0) {
            Some(folder) => Arc::new(Cached::new(chat, folder, size).variant(variant)),
            None => Arc::new(chat),
        }))
    }

    /// What is asked of which service.
    fn options(config: &ModelConfig, secrets: &Secrets) -> Result<Option<Options>> {
        let place = Place {
            table: "model",
            provider: config.provider.as_deref(),
            base_url: config.base_url.as_deref(),
            key_env: config.key_env.as_deref(),
        };
        let Some(mut options) = place.options(secrets, |preset| preset.chat.is_some())? else { return Ok(None) };
        if let Some(name) = &config.name {
            options.model = Some(name.clone());
        }
        options.temperature = Some(config.temperature());
        options.max_tokens = config.max_tokens;
        options.concurrency = config.concurrency();
        options.patience = Patience::within(config.timeout());
        Ok(Some(options))
    }

    /// Where answers are kept: the user's, not the index's, so that an index made anew costs nothing.
    fn cache_folder() -> Option<PathBuf> {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let caches = folder("XDG_CACHE_HOME").or_else(|| folder("LOCALAPPDATA"));
        let caches = caches.or_else(|| Some(folder("HOME")?.join(".cache")))?;
        Some(caches.join("okno").join("answers"))
    }
}
