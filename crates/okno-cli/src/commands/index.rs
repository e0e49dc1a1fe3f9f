//! `okno index`: with a progress bar, a summary, and a reason for every file left out.

#[cfg(feature = "sql")]
mod database;
mod watch;

use crate::globals::Globals;
use crate::indexing::{self, ChunkPreset, IndexChoices};
use crate::locale::say;
use crate::progress::{IndexBar, StopFlag, stop_on_interrupt};
use crate::values::{bytes, chunk_size, number};
use crate::{address, embedder, errors, output, settings};
use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use okno::document::{Layer, Size};
use okno::error::OptionsError;
use okno::fetch::is_url;
use okno::load::{FieldsError, JsonlFields, SkipReason, given_lines};
use okno::{Engine, IndexOptions, IndexReport, Skipped, SkippedReason};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Skipped files shown one by one; `--json` has them all.
const SHOWN: usize = 20;

/// The size of the recipe `neighbors`.
const DEFAULT_SIZE: Size = Size::Characters(400);

/// What to index and how.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag
pub struct IndexArgs {
    /// Files, folders and URLs; hidden files and those listed in `.gitignore` or `.oknoignore` are skipped. With
    /// --table or --query, an SQLite file or `postgres://user@host/database`
    paths: Vec<PathBuf>,
    /// The default recipe for searching this index
    #[arg(long)]
    recipe: Option<String>,
    /// What the recipe `neighbors` searches (for `chunk`, see --size and --overlap); makes it the default recipe
    #[arg(long, value_name = "SPLITTER")]
    splitter: Option<SplitterName>,
    /// Chunk size: `400` or `400c` characters, `512t` tokens
    #[arg(long, value_name = "SIZE", value_parser = chunk_size)]
    size: Option<Size>,
    /// How much of the previous chunk each chunk repeats, in the unit of --size
    #[arg(long, value_name = "N", value_parser = number::<u32>)]
    overlap: Option<u32>,
    /// Chunk size and neighbours for a kind of document; makes `neighbors` the default recipe
    #[arg(long, conflicts_with_all = ["splitter", "size", "overlap"])]
    preset: Option<ChunkPreset>,
    /// Skip files larger than this [default: 64MB]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_file_size: Option<u64>,
    /// Which fields of JSON lines hold what
    #[arg(long, value_name = "id=doc_id,text=body,…")]
    jsonl_fields: Option<String>,
    /// Treat each line of a plain text file as a document
    #[arg(long)]
    lines: bool,
    /// Fail if a file was skipped
    #[arg(long)]
    strict: bool,
    /// Keep running and update the index when files change, until Ctrl-C
    #[arg(long, conflicts_with = "strict")]
    watch: bool,
    /// Add documents from standard input, one JSON object per line with `id`, `text`, `title` and `metadata`; a known
    /// id is replaced
    #[arg(long, conflicts_with_all = ["paths", "urls", "watch", "lines"])]
    stdin: bool,
    /// Also index the URLs in this file, one per line
    #[arg(long, value_name = "FILE")]
    urls: Option<PathBuf>,
    /// The embedder of a new index: `builtin`, a model of `okno models list`, `service` or `service:MODEL`
    #[arg(long, value_name = "NAME")]
    embedder: Option<String>,
    /// Allow URLs on this machine and in private networks
    #[arg(long)]
    allow_private: bool,
    #[cfg(feature = "sql")]
    #[command(flatten)]
    rows: database::DatabaseArgs,
}

/// What the recipe `neighbors` searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SplitterName {
    /// Single sentences
    Sentence,
    /// Consecutive whole sentences up to a size
    Chunk,
}

pub fn run(globals: &Globals, args: &IndexArgs) -> Result<()> {
    let folder = address::target(globals.index());
    let settings = settings::of(&folder)?;
    let options = indexing::options(choices(args)?, settings.values())?;
    let paths = paths(args)?;
    let builder = Engine::builder().recipes(settings.values().recipes()?).image_reader(crate::ocr::reader()?);
    let engine = embedder::open_or_create(builder, &folder, args.embedder.as_deref(), &settings)?;
    // The writer repairs or refuses an index whose snapshot cannot be opened.
    if paths.is_empty() && !args.stdin && engine.snapshot().is_ok_and(|snapshot| snapshot.roots().is_empty()) {
        bail!(say!(
            "nothing to index – name a file or folder: `okno index PATH`",
            "没有可索引的内容 —— 请给出文件或文件夹：`okno index 路径`"
        ));
    }
    let bar = IndexBar::new();
    stop_on_interrupt(&bar.stop)?;
    let begun = Instant::now();
    let report = work(&engine, args, &paths, &options, &bar)?;
    bar.bar.finish_and_clear();
    if globals.json && args.watch {
        // A watch prints one line for each run.
        output::json_line(&json(&report, &engine))?;
    } else if globals.json {
        output::json(&json(&report, &engine))?;
    } else {
        print(&report, begun.elapsed());
    }
    if report.stopped {
        bail!(say!(
            "stopped; progress is saved – run the same command again to continue",
            "已停止；已完成的部分已保存 —— 再次运行同一命令即可继续"
        ));
    }
    if args.watch {
        return follow(globals, args, &engine, &bar.stop);
    }
    if !report.skipped.is_empty() && engine.snapshot()?.numbers().is_empty() {
        bail!(say!(
            "the index is empty, because everything was skipped – the reasons are above",
            "索引是空的，因为全部被跳过 —— 原因见上"
        ));
    }
    if args.strict && !report.skipped.is_empty() {
        bail!(say!(
            "{} files were skipped, which --strict does not allow – fix or exclude them",
            "跳过了 {} 项，而 --strict 不允许跳过 —— 请修正或排除它们",
            report.skipped.len()
        ));
    }
    Ok(())
}

/// Brings the index up to date with what the arguments name.
fn work(
    engine: &Engine,
    args: &IndexArgs,
    paths: &[PathBuf],
    options: &IndexOptions,
    bar: &IndexBar,
) -> Result<IndexReport> {
    #[cfg(feature = "sql")]
    if let Some(database) = database::address(paths, &args.rows)? {
        return args.rows.sync(engine, &database, options, bar);
    }
    if args.stdin {
        return from_stdin(engine, options, bar);
    }
    Ok(engine.index_with(paths, options, bar)?)
}

/// Adds the documents that standard input holds.
#[allow(clippy::result_large_err)] // what `add_with` takes; a line that was skipped is rare
fn from_stdin(engine: &Engine, options: &IndexOptions, bar: &IndexBar) -> Result<IndexReport> {
    let fields: JsonlFields = match &options.jsonl_fields {
        Some(fields) => fields.parse().map_err(|error: FieldsError| okno::Error::from(OptionsError::from(error)))?,
        None => JsonlFields::default(),
    };
    let skipped = |number: usize, reason: SkipReason| Skipped { place: format!("-:{number}"), reason: reason.into() };
    let mut documents = given_lines(std::io::stdin().lock(), &fields)
        .map(|(number, document)| document.map_err(|reason| skipped(number, reason)));
    Ok(engine.add_with(&mut documents, options, bar)?)
}

/// What was given to index: paths, URLs, and the lines of a file of URLs.
fn paths(args: &IndexArgs) -> Result<Vec<PathBuf>> {
    let mut paths = args.paths.clone();
    if let Some(file) = &args.urls {
        let text =
            std::fs::read_to_string(file).with_context(|| say!("cannot read `{}`", "无法读取 `{}`", file.display()))?;
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if !is_url(line) {
                bail!(say!(
                    "{}:{}: `{}` is not a valid URL; expected `https://…`",
                    "{}:{}：`{}` 不是有效的网址；应为 `https://…`",
                    file.display(),
                    number + 1,
                    line
                ));
            }
            paths.push(line.into());
        }
    }
    paths.iter().try_for_each(|path| must_be_there(path))?;
    Ok(paths)
}

/// Fails before an index is made for what is not there.
fn must_be_there(path: &Path) -> Result<()> {
    let is_address = path.to_str().is_some_and(|path| path.contains("://"));
    match std::fs::metadata(path) {
        Err(error) if !is_address => Err(okno::Error::Unreadable { path: path.to_owned(), cause: error.into() }.into()),
        _ => Ok(()),
    }
}

/// Follows the folders of the index; the configuration is read again before each run, so that its changes count too.
fn follow(globals: &Globals, args: &IndexArgs, engine: &Engine, stop: &Arc<AtomicBool>) -> Result<()> {
    let roots = engine.snapshot()?.roots().to_vec();
    let files: Vec<PathBuf> = roots.iter().filter(|root| !is_url(root)).map(PathBuf::from).collect();
    let folder = engine.folder().to_owned();
    watch::watch(&roots, &folder, stop, || {
        let begun = Instant::now();
        let run = || -> Result<IndexReport> {
            let options = indexing::options(choices(args)?, settings::of(&folder)?.values())?;
            Ok(engine.index_with(&files, &options, &StopFlag(stop))?)
        };
        match run() {
            Ok(report) if globals.json => output::json_line(&json(&report, engine))?,
            Ok(report) if report.is_nothing() => {}
            Ok(report) => line(&report, begun.elapsed()),
            // It may be fixed while watching: a locked index, a misspelt configuration.
            Err(error) => output::note(&format!("{} {}", say!("error:", "错误："), errors::message(&error))),
        }
        Ok(())
    })
}

/// What the flags say about indexing.
fn choices(args: &IndexArgs) -> Result<IndexChoices> {
    Ok(IndexChoices {
        recipe: args.recipe.clone(),
        chunk: chunk(args)?,
        neighbors: args.preset.map(ChunkPreset::neighbors),
        own_size: args.size.is_some(),
        max_file_size: args.max_file_size,
        jsonl_fields: args.jsonl_fields.clone(),
        lines: args.lines,
        allow_private: args.allow_private,
    })
}

/// The chunk layer that the flags choose, if they choose one.
fn chunk(args: &IndexArgs) -> Result<Option<Layer>> {
    if let Some(preset) = args.preset {
        return Ok(Some(preset.layer().map_err(okno::Error::from)?));
    }
    let sized = args.size.is_some() || args.overlap.is_some();
    match args.splitter {
        Some(SplitterName::Sentence) if sized => bail!(say!(
            "--size and --overlap do not apply to sentences – use `--splitter chunk`",
            "--size 和 --overlap 不适用于句子 —— 请使用 `--splitter chunk`"
        )),
        Some(SplitterName::Sentence) => return Ok(Some(Layer::Sentence)),
        None if !sized => return Ok(None),
        Some(SplitterName::Chunk) | None => {}
    }
    let size = args.size.unwrap_or(DEFAULT_SIZE);
    let overlap = args.overlap.unwrap_or(size.number() / 2);
    Ok(Some(Layer::chunk(size, overlap).map_err(okno::Error::from)?))
}

/// One line about a run.
fn line(report: &IndexReport, took: Duration) {
    output::note(&say!(
        "{} added, {} changed, {} removed, {} unchanged – {} sentences, {} in {:.2} s",
        "新增 {}，更新 {}，移除 {}，未变 {} —— {} 个句子，{}，用时 {:.2} 秒",
        report.added,
        report.changed,
        report.removed,
        report.unchanged,
        report.sentences,
        indicatif::HumanBytes(report.bytes),
        took.as_secs_f64(),
    ));
}

fn print(report: &IndexReport, took: Duration) {
    line(report, took);
    if report.repaired > 0 {
        output::note(&say!(
            "{} damaged documents were taken out, and their files read again",
            "移除了 {} 个已损坏的文档，并重新读取了其文件",
            report.repaired
        ));
    }
    let partial = |skipped: &&Skipped| matches!(&skipped.reason, SkippedReason::Load(reason) if reason.is_partial());
    let (partly, skipped): (Vec<&Skipped>, Vec<&Skipped>) = report.skipped.iter().partition(partial);
    list(&skipped, &say!("{} skipped:", "跳过 {} 项：", skipped.len()));
    list(&partly, &say!("{} read only in part:", "{} 项只读取了一部分：", partly.len()));
}

fn list(skipped: &[&Skipped], title: &str) {
    if skipped.is_empty() {
        return;
    }
    output::note(title);
    for skipped in skipped.iter().take(SHOWN) {
        output::note(&format!(
            "  {} – {}",
            output::printable(&skipped.place),
            output::printable(&errors::of_skipped(&skipped.reason))
        ));
    }
    if skipped.len() > SHOWN {
        output::note(&say!(
            "  … and {} more (--json lists all)",
            "  ……另有 {} 项（--json 可列出全部）",
            skipped.len() - SHOWN
        ));
    }
}

fn json(report: &IndexReport, engine: &Engine) -> serde_json::Value {
    serde_json::json!(okno::shapes::IndexSummary::new(report, engine.folder()))
}
