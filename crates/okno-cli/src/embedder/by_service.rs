//! An embedder that is a service: `service`, `service:MODEL` or `service:PROVIDER/MODEL`.
//!
//! The service is configured in `[embedding]`, or else in `[model]`. For a new index the service is asked for the
//! length of its vectors; an existing index knows it, and no request is sent until something is embedded.

use crate::locale::say;
use crate::service::ServiceSettings;
use anyhow::{Result, bail};
use okno::config::{Secrets, Settings};
use okno_models::service::preset::named as preset;
use okno_models::service::{Embeddings, MadeBy, OWN, Options, Patience, SERVICE};

/// The name without a model.
const BARE: &str = "service";

/// Whether a name means a service.
pub fn is_meant(name: &str) -> bool {
    name == BARE || name.starts_with(SERVICE)
}

/// The embedder for a new index.
pub fn named(name: &str, settings: &Settings, secrets: &Secrets) -> Result<Embeddings> {
    let wanted = name.strip_prefix(SERVICE).filter(|wanted| !wanted.is_empty());
    let (provider, model) = wanted.map_or((None, None), read);
    Ok(Embeddings::connect(options(provider, model, settings, secrets)?)?)
}

/// The embedder that made the vectors of an index.
pub fn again(made_by: MadeBy, settings: &Settings, secrets: &Secrets) -> Result<Embeddings> {
    let mut options = options(Some(&made_by.provider), Some(&made_by.model), settings, secrets)?;
    // Sent only if a length is configured: many models have a fixed one and refuse the parameter.
    options.dimensions = options.dimensions.map(|_| made_by.dimensions);
    Ok(Embeddings::again(options, made_by))
}

/// Provider and model; the part before a `/` is a provider only if there is one of that name.
fn read(wanted: &str) -> (Option<&str>, Option<&str>) {
    match wanted.split_once('/') {
        Some((provider, model)) if provider == OWN || preset(provider).is_some() => (Some(provider), Some(model)),
        _ => (None, Some(wanted)),
    }
}

fn options(provider: Option<&str>, model: Option<&str>, settings: &Settings, secrets: &Secrets) -> Result<Options> {
    let config = &settings.values().embedding;
    let place = place(provider, settings);
    let found = if provider == Some(OWN) && place.base_url.is_none() {
        None
    } else {
        place.options(secrets, |preset| preset.embedding.is_some())?
    };
    let Some(mut options) = found else { bail!(how_to_set_up()) };
    if place.provider.is_none() && place.base_url.is_some() {
        OWN.clone_into(&mut options.provider);
    }
    let usual = preset(&options.provider);
    let model = model.map(str::to_owned).or_else(|| config.name.clone());
    options.model = model.or_else(|| usual?.embedding.map(str::to_owned));
    if options.model.is_none() && usual.is_some_and(|preset| preset.needs_key) {
        bail!(no_embeddings(&options.provider));
    }
    options.dimensions = config.dimensions;
    options.batch = config.batch.unwrap_or(options.batch);
    options.concurrency = config.concurrency.unwrap_or(options.concurrency);
    options.patience = Patience::within(config.timeout());
    Ok(options)
}

/// Where the service is: as `[embedding]` says, else as `[model]` does. An address and a key belong to the provider
/// they were said for.
fn place<'a>(provider: Option<&'a str>, settings: &'a Settings) -> ServiceSettings<'a> {
    let (own, model) = (&settings.values().embedding, &settings.values().model);
    let (said, base_url, key_env) = if own.says_where() {
        (&own.provider, &own.base_url, own.key_env.as_deref())
    } else {
        (&model.provider, &model.base_url, own.key_env.as_deref().or(model.key_env.as_deref()))
    };
    let place =
        ServiceSettings { table: "embedding", provider: said.as_deref(), base_url: base_url.as_deref(), key_env };
    match provider {
        None => place,
        Some(OWN) if place.provider.is_none() => place,
        Some(OWN) => ServiceSettings { provider: None, base_url: None, key_env: None, ..place },
        Some(name) if place.provider.and_then(preset) == preset(name) => place,
        Some(name) => ServiceSettings { provider: Some(name), base_url: None, key_env: None, ..place },
    }
}

fn how_to_set_up() -> String {
    say!(
        "the embedder `service` is not configured – set `embedding.provider` or `embedding.base_url` in `okno.toml`, \
         or a key such as `DASHSCOPE_API_KEY` (docs/models.md)",
        "嵌入模型 `service` 需要指明服务 —— 请在 `okno.toml` 中设置 `embedding.provider` 或 `embedding.base_url`，或设\
         置 `DASHSCOPE_API_KEY` 等密钥（见 docs/models.md）"
    )
}

fn no_embeddings(provider: &str) -> String {
    say!(
        "`{}` has no known embedding model – name another service in `embedding.provider`, or a model in \
         `embedding.name`",
        "`{}` 没有已知的嵌入模型 —— 请在 `embedding.provider` 中指定其他服务，或在 `embedding.name` 中指定模型",
        provider
    )
}
