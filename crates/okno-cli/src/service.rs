//! Services with `OpenAI`'s protocol, for the language model and for an embedder.
//!
//! Without any configuration a key is enough: the first provider whose key is set is used. A base URL alone is an
//! unknown service; it gets a key only if the configuration names one, never that of a known provider.

use crate::locale::say;
use anyhow::{Result, bail};
use okno::config::Secrets;
use okno_models::service::preset::named;
use okno_models::service::{Options, PRESETS, ProviderPreset, ServiceKey};

/// What the configuration says about a service.
#[derive(Debug, Clone, Copy)]
pub struct ServiceSettings<'a> {
    /// The table of the configuration, for messages.
    pub table: &'a str,
    /// Who runs it.
    pub provider: Option<&'a str>,
    /// Where it is.
    pub base_url: Option<&'a str>,
    /// The variable with its key.
    pub key_env: Option<&'a str>,
}

impl ServiceSettings<'_> {
    /// The service, with its provider's defaults; `None` if none is configured. `does` selects the providers that can
    /// do the work.
    pub fn options(&self, secrets: &Secrets, does: fn(&ProviderPreset) -> bool) -> Result<Option<Options>> {
        let preset = match (self.provider, self.base_url) {
            (Some("none"), _) => return Ok(None),
            (Some(name), _) => self.known(name)?,
            (None, Some(url)) => return Ok(Some(self.own(url, secrets)?)),
            (None, None) => {
                match PRESETS.iter().find(|p| p.needs_key && does(p) && secrets.get(p.key_variable).is_some()) {
                    Some(preset) => preset,
                    None => return Ok(None),
                }
            }
        };
        let variable = self.key_env.unwrap_or(preset.key_variable);
        let key = secrets.get(variable).map(|key| ServiceKey::new(&key));
        if key.is_none() && (preset.needs_key || self.key_env.is_some()) {
            bail!(no_key(preset.name, variable));
        }
        let mut options = Options { table: self.table.to_owned(), ..Options::of(preset, key) };
        variable.clone_into(&mut options.key_variable);
        if let Some(url) = self.base_url.map(str::to_owned).or_else(|| secrets.get(preset.url_variable)) {
            options.base_url = url;
        }
        Ok(Some(options))
    }

    /// A service that no preset knows.
    fn own(&self, url: &str, secrets: &Secrets) -> Result<Options> {
        let key = match self.key_env {
            None => None,
            Some(variable) => match secrets.get(variable) {
                Some(key) => Some(ServiceKey::new(&key)),
                None => bail!(no_key(url, variable)),
            },
        };
        let key_variable = self.key_env.unwrap_or_default().to_owned();
        Ok(Options { table: self.table.to_owned(), key_variable, ..Options::at(url, key) })
    }

    fn known(&self, name: &str) -> Result<&'static ProviderPreset> {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        match named(name) {
            Some(preset) => Ok(preset),
            None => bail!(say!(
                "unknown provider `{}` in `{}.provider`; expected one of `{}` or `none` – for another service set \
                 only `{}.base_url`",
                "`{1}.provider` 中的服务商 `{0}` 未知；可用：`{2}`，以及 `none` —— 其他服务只需设置 `{3}.base_url`",
                name,
                self.table,
                names.join("`, `"),
                self.table
            )),
        }
    }
}

fn no_key(service: &str, variable: &str) -> String {
    say!(
        "`{}` needs a key: set `{}` in the environment or in `.env` beside the index",
        "`{}` 需要密钥：请在环境变量或索引旁的 `.env` 里设置 `{}`",
        service,
        variable
    )
}
