//! Language models: those that the configuration names, how each is asked, and what to do when there is none.
//!
//! `[model]` is the one that everything uses; those of `[models.NAME]` write answers where they are picked. A model is
//! set up only for commands that need it, so that no other asks for its key.

#[cfg(feature = "models")]
pub use built::generator;

use crate::locale::say;
use crate::{address, output, settings};
use anyhow::{Context as _, Result};
use okno::answer::ReplyOptions;
use okno::config::{ModelConfig, Settings};
use okno::generate::{Generator, Prompts};
use okno::{Engine, Query};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A model of the configuration.
#[derive(Debug, Clone)]
pub struct ModelTable {
    /// The table it is written in: `model`, or `models.NAME`.
    pub table: String,
    /// What it says, completed from `[model]`.
    pub config: ModelConfig,
}

impl ModelTable {
    /// The model of `[model]`.
    pub fn usual(settings: &Settings) -> Self {
        Self { table: "model".to_owned(), config: settings.values().model.clone() }
    }

    /// The model of this name, or the usual one; an error that says which there are if there is none.
    pub fn picked(settings: &Settings, name: Option<&str>) -> Result<Self> {
        let Some(name) = name.filter(|name| *name != ModelConfig::DEFAULT) else { return Ok(Self::usual(settings)) };
        let config = settings.values().model_named(name).with_context(|| {
            let known: Vec<String> = settings.values().model_names().map(|name| format!("`{name}`")).collect();
            say!(
                "no model `{}` is set up – there are {}; `[models.NAME]` in `okno.toml` adds one",
                "没有设置名为 `{}` 的模型 —— 可用：{}；在 `okno.toml` 中用 `[models.名称]` 添加",
                output::printable(name),
                known.join(", ")
            )
        })?;
        Ok(Self { table: format!("models.{name}"), config })
    }
}

/// A model, if one is configured: this program was built without any.
#[cfg(not(feature = "models"))]
#[allow(clippy::unnecessary_wraps)] // the same signature as with models
pub fn generator(_: &ModelTable, _: &okno::config::Secrets) -> Result<Option<Arc<dyn Generator>>> {
    Ok(None)
}

/// The usual model of the settings of an index; `None` if none is set.
pub fn of(index: &Path) -> Result<Option<Arc<dyn Generator>>> {
    generator(&ModelTable::usual(&settings::of(index)?), &settings::secrets(index))
}

/// The prompts: the built-in ones, or those of the user's own folder.
pub fn prompts(index: &Path) -> Result<Prompts> {
    let settings = settings::of(index)?;
    Ok(reply_options(&settings, &ModelTable::usual(&settings), index)?.prompts)
}

/// Returns `true` if the model accepts images.
pub fn accepts_images(index: &Path) -> Result<bool> {
    Ok(settings::of(index)?.values().model.vision.unwrap_or(false))
}

/// Gives an engine the model if the query's own steps or its recipe's need one; without one the search says so.
pub fn attach(engine: &mut Engine, query: &Query) -> Result<()> {
    let own = engine.snapshot()?.manifest().recipe.clone();
    let recipe = query.recipe.clone().unwrap_or(own);
    attach_for(engine, query, &[&recipe])
}

/// The same for a query to several recipes.
pub fn attach_for(engine: &mut Engine, query: &Query, recipes: &[&str]) -> Result<()> {
    let has_steps = |name: &&str| engine.recipes().get(*name).is_some_and(|recipe| !recipe.transform.is_empty());
    if query.transform.as_ref().map_or_else(|| recipes.iter().any(has_steps), |steps| !steps.is_empty()) {
        let (found, prompts) = (of(engine.folder())?, prompts(engine.folder())?);
        engine.reconfigure(|builder| builder.generator(found).prompts(prompts))?;
    }
    Ok(())
}

/// How a model replies: with the user's own prompts if there are any, and without the fields that a model must not see.
pub fn reply_options(settings: &Settings, model: &ModelTable, index: &Path) -> Result<ReplyOptions<'static>> {
    let config = &model.config;
    let folder = match &config.prompts {
        Some(named) => Some(address::beside(index).join(named)),
        None => Some(address::beside(index).join("okno-prompts")).filter(|folder| folder.is_dir()),
    };
    if let Some(missing) = folder.as_ref().filter(|folder| !folder.is_dir()) {
        anyhow::bail!(say!(
            "`{}` (`{}.prompts`) is not a folder",
            "`{}`（`{}.prompts`）不是文件夹",
            missing.display(),
            model.table
        ));
    }
    let mut options = ReplyOptions::default();
    options.prompts = folder.map(|folder| Prompts::with_folder(&folder)).transpose()?.unwrap_or_default();
    options.temperature = Some(config.temperature());
    options.max_tokens = config.max_tokens;
    options.hidden = hidden(settings);
    Ok(options)
}

/// The fields that a model must not see.
pub fn hidden(settings: &Settings) -> BTreeSet<String> {
    let values = settings.values();
    values.fields.keys().filter(|field| !values.prompts(field)).cloned().collect()
}

/// How to set up a model, on one line: it is said after every answer.
pub fn how_to_set_up() -> String {
    say!(
        "no language model is set up – put a key (`DASHSCOPE_API_KEY`, `OPENAI_API_KEY` or `DEEPSEEK_API_KEY`) into \
         `.env`, or `model.provider = \"ollama\"` (or vllm, llama.cpp; else `model.base_url`) into `okno.toml`",
        "没有设置语言模型 —— 可在 `.env` 里写入密钥（`DASHSCOPE_API_KEY`、`OPENAI_API_KEY` 或 `DEEPSEEK_API_KEY`），或在 \
         `okno.toml` 里写 `model.provider = \"ollama\"`（或 vllm、llama.cpp；其他服务用 `model.base_url`）"
    )
}

#[cfg(feature = "models")]
mod built {
    use super::ModelTable;
    use crate::service::ServiceSettings;
    use anyhow::Result;
    use okno::config::Secrets;
    use okno::generate::Generator;
    use okno_models::service::{Cached, Chat, DEFAULT_CACHE_SIZE, Options, Patience};
    use std::path::PathBuf;
    use std::sync::Arc;

    /// The model that a table names, or the first whose key is set; `None` when there is neither.
    pub fn generator(model: &ModelTable, secrets: &Secrets) -> Result<Option<Arc<dyn Generator>>> {
        let Some(options) = options(model, secrets)? else { return Ok(None) };
        let variant = format!("{:?} {:?}", options.temperature, options.max_tokens);
        let chat = Chat::connect(options)?;
        let size = model.config.cache.map_or(DEFAULT_CACHE_SIZE, |bytes| bytes.0);
        Ok(Some(match cache_folder().filter(|_| size > 0) {
            Some(folder) => Arc::new(Cached::new(chat, folder, size).variant(variant)),
            None => Arc::new(chat),
        }))
    }

    /// What is asked of which service.
    fn options(ModelTable { table, config }: &ModelTable, secrets: &Secrets) -> Result<Option<Options>> {
        let place = ServiceSettings {
            table,
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
