//! The language model, assembled from what was configured.
//!
//! Without a word in the configuration, a key is enough: the first provider whose key is set answers. A base URL alone is a
//! service that nobody knows; it gets a key only if the configuration names one, never that of a known provider.

#[cfg(feature = "models")]
pub use built::generator;

/// A model, if one is configured: this program was built without any.
#[cfg(not(feature = "models"))]
#[allow(clippy::unnecessary_wraps)] // the same signature as with models
pub fn generator(
    _: &okno::config::Settings,
    _: &okno::config::Secrets,
) -> anyhow::Result<Option<std::sync::Arc<dyn okno::answer::Generator>>> {
    Ok(None)
}

#[cfg(feature = "models")]
mod built {
    use crate::locale::say;
    use anyhow::{Result, bail};
    use okno::answer::Generator;
    use okno::config::{ModelConfig, Secrets, Settings};
    use okno_models::service::preset::named;
    use okno_models::service::{Cached, Chat, DEFAULT_CACHE_SIZE, Key, Options, PRESETS, Patience, Preset};
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
        let Some(mut options) = service(config, secrets)? else { return Ok(None) };
        if let Some(name) = &config.name {
            options.model = Some(name.clone());
        }
        options.temperature = Some(config.temperature());
        options.max_tokens = config.max_tokens;
        options.concurrency = config.concurrency();
        options.patience = Patience::within(config.timeout());
        Ok(Some(options))
    }

    fn service(config: &ModelConfig, secrets: &Secrets) -> Result<Option<Options>> {
        let preset = match (config.provider.as_deref(), &config.base_url) {
            (Some("none"), _) => return Ok(None),
            (Some(name), _) => known(name)?,
            (None, Some(url)) => return Ok(Some(own(url, config, secrets)?)),
            (None, None) => match PRESETS.iter().find(|p| p.needs_key && secrets.get(p.key_variable).is_some()) {
                Some(preset) => preset,
                None => return Ok(None),
            },
        };
        let variable = config.key_env.as_deref().unwrap_or(preset.key_variable);
        let key = secrets.get(variable).map(|key| Key::new(&key));
        if key.is_none() && (preset.needs_key || config.key_env.is_some()) {
            bail!(no_key(preset.name, variable));
        }
        let mut options = Options::of(preset, key);
        variable.clone_into(&mut options.key_variable);
        if let Some(url) = config.base_url.clone().or_else(|| secrets.get(preset.url_variable)) {
            options.base_url = url;
        }
        Ok(Some(options))
    }

    /// A service that no preset knows.
    fn own(url: &str, config: &ModelConfig, secrets: &Secrets) -> Result<Options> {
        let key = match &config.key_env {
            None => None,
            Some(variable) => match secrets.get(variable) {
                Some(key) => Some(Key::new(&key)),
                None => bail!(no_key(url, variable)),
            },
        };
        Ok(Options { key_variable: config.key_env.clone().unwrap_or_default(), ..Options::at(url, key) })
    }

    fn known(name: &str) -> Result<&'static Preset> {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        match named(name) {
            Some(preset) => Ok(preset),
            None => bail!(say!(
                "`{}` is no provider (`model.provider`); there are `{}`, and `none` – for any other service set `model.base_url` alone",
                "`{}` 不是已知的服务商(`model.provider`);可用:`{}`,以及 `none` —— 其他服务只需设置 `model.base_url`",
                name,
                names.join("`, `")
            )),
        }
    }

    fn no_key(service: &str, variable: &str) -> String {
        say!(
            "`{}` needs a key: set `{}` in the environment or in `.env` beside the index",
            "`{}` 需要密钥:请在环境变量或索引旁的 `.env` 里设置 `{}`",
            service,
            variable
        )
    }

    /// Where answers are kept: the user's, not the index's, so that an index made anew costs nothing.
    fn cache_folder() -> Option<PathBuf> {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let caches = folder("XDG_CACHE_HOME").or_else(|| folder("LOCALAPPDATA"));
        let caches = caches.or_else(|| Some(folder("HOME")?.join(".cache")))?;
        Some(caches.join("okno").join("answers"))
    }
}
