//! `okno index`: with a progress bar, a summary, and a reason for every file left out.

use crate::args::{Cli, IndexArgs, Preset, Splitter};
use crate::locale::say;
use crate::{embedder, output, place, settings};
use anyhow::{Context as _, Result, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use okno::config::{self, Config};
use okno::document::{Layer, LayerError, Size};
use okno::fetch::is_url;
use okno::retrieve::Recipe;
use okno::store::Manifest;
use okno::{Engine, IndexOptions, IndexReport, Progress};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Skipped files shown one by one; `--json` has them all.
const SHOWN: usize = 20;

pub fn run(cli: &Cli, args: &IndexArgs) -> Result<()> {
    let folder = place::target(cli.index());
    let settings = settings::of(&folder)?;
    let options = options(args, settings.values())?;
    let paths = paths(args)?;
    let mut engine = embedder::open_or_create(&folder, args.embedder.as_deref(), &settings)?;
    crate::ocr::set(&mut engine)?;
    engine.set_recipes(settings.values().recipes()?);
    // A snapshot that cannot be opened is for the writer to repair, or to refuse.
    if paths.is_empty() && engine.snapshot().is_ok_and(|snapshot| snapshot.roots().is_empty()) {
        bail!(say!(
            "nothing to index – name a file or folder: `okno index PATH`",
            "没有可索引的内容 —— 请给出文件或文件夹:`okno index 路径`"
        ));
    }
    let bar = Bar::new();
    stop_on_interrupt(&bar.stop)?;
    let begun = Instant::now();
    let report = engine.index_with(&paths, &options, &bar)?;
    bar.bar.finish_and_clear();
    if cli.json && args.watch {
        // A watch prints one line for each run.
        output::json_line(&json(&report, &engine))?;
    } else if cli.json {
        output::json(&json(&report, &engine))?;
    } else {
        print(&report, begun.elapsed());
    }
    if report.stopped {
        bail!(say!(
            "stopped; what was done is saved – run the same command again to go on",
            "已停止;已完成的部分已保存 —— 再次运行同一命令即可继续"
        ));
    }
    if args.watch {
        return follow(cli, args, &engine, &bar.stop);
    }
    if args.strict && !report.skipped.is_empty() {
        bail!(say!("{} skipped, and --strict was given", "跳过了 {} 项,而且使用了 --strict", report.skipped.len()));
    }
    Ok(())
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
                    "{}:{}: `{}` is no URL; expected `https://…`",
                    "{}:{}:`{}` 不是网址;应为 `https://…`",
                    file.display(),
                    number + 1,
                    line
                ));
            }
            paths.push(line.into());
        }
    }
    Ok(paths)
}

/// Follows the folders of the index; the configuration is read again before each run, so that its changes count too.
fn follow(cli: &Cli, args: &IndexArgs, engine: &Engine, stop: &Arc<AtomicBool>) -> Result<()> {
    let roots = engine.snapshot()?.roots().to_vec();
    let files: Vec<PathBuf> = roots.iter().filter(|root| !is_url(root)).map(PathBuf::from).collect();
    let folder = engine.folder().to_owned();
    super::watch::watch(&roots, &folder, stop, || {
        let begun = Instant::now();
        let run = || -> Result<IndexReport> {
            let options = options(args, settings::of(&folder)?.values())?;
            Ok(engine.index_with(&files, &options, &Until(stop))?)
        };
        match run() {
            Ok(report) if cli.json => output::json_line(&json(&report, engine))?,
            Ok(report) if report.is_nothing() => {}
            Ok(report) => line(&report, begun.elapsed()),
            // Whatever it is may be mended while we watch: a locked index, a misspelt configuration.
            Err(error) => output::note(&format!("{} {}", say!("error:", "错误:"), crate::message(&error))),
        }
        Ok(())
    })
}

/// Stops when asked to, and tells nothing.
struct Until<'a>(&'a AtomicBool);

impl Progress for Until<'_> {
    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How to index, as flags and configuration say.
pub fn options(args: &IndexArgs, config: &Config) -> okno::Result<IndexOptions> {
    let configured = config.recipe.as_ref().filter(|_| args.recipe.is_none());
    if let Some(recipe) = args.recipe.as_ref().or(configured) {
        // Before a folder is made for an index that nobody wanted.
        Recipe::named(recipe, &Manifest::new("", 0), &config.recipes()?)?;
    }
    let chunk =
        chunk(args)?.or(config.index.chunk).map_or_else(|| configured_preset(config), |chunk| Ok(Some(chunk)))?;
    let mut fetch = config.fetch();
    fetch.allow_private |= args.allow_private;
    Ok(IndexOptions {
        max_file_size: args.max_file_size.unwrap_or_else(|| config.max_file_size()),
        rules: Some(config.rules()),
        selection: Some(config.selection().unwrap_or_default()),
        embedded_fields: Some(config.embedded_fields()),
        fetch,
        jsonl_fields: args.jsonl_fields.clone(),
        lines: args.lines,
        // Who chooses chunks wants them searched.
        recipe: args.recipe.clone().or_else(|| chunk.filter(|_| configured.is_none()).map(|_| "neighbors".to_owned())),
        chunk,
        neighbors: neighbors(args.preset)
            .or(config.index.neighbors)
            .or_else(|| neighbors(config.index.preset.map(preset).filter(|_| args.size.is_none()))),
    })
}

fn preset(configured: config::Preset) -> Preset {
    match configured {
        config::Preset::Faq => Preset::Faq,
        config::Preset::Docs => Preset::Docs,
        config::Preset::Paper => Preset::Paper,
    }
}

/// The chunk layer of the preset in the configuration.
fn configured_preset(config: &Config) -> Result<Option<Layer>, okno::Error> {
    Ok(config.index.preset.map(|configured| preset_chunk(preset(configured))).transpose()?)
}

/// The chunk layer chosen for the index.
fn chunk(args: &IndexArgs) -> Result<Option<Layer>, okno::Error> {
    if let Some(preset) = args.preset {
        return Ok(Some(preset_chunk(preset)?));
    }
    if args.splitter == Some(Splitter::Sentence) {
        return if args.size.is_none() && args.overlap.is_none() {
            Ok(Some(Layer::Sentence))
        } else {
            Err(okno::Error::Options(say!(
                "a sentence has no --size and no --overlap; use `--splitter chunk`",
                "句子没有 --size 和 --overlap;请使用 `--splitter chunk`"
            )))
        };
    }
    if args.size.is_none() && args.overlap.is_none() && args.splitter.is_none() {
        return Ok(None);
    }
    let size = args.size.as_deref().unwrap_or("400c");
    let size: Size = size.parse().map_err(|()| {
        okno::Error::Options(say!(
            "`{}` is no chunk size; expected `400` or `400c` characters, or `512t` tokens",
            "`{}` 不是分块大小;应为 `400`、`400c`(字符)或 `512t`(词元)",
            size
        ))
    })?;
    let overlap = args.overlap.unwrap_or(size.number() / 2);
    Ok(Some(Layer::chunk(size, overlap)?))
}

/// Middle of the sizes the sources give for each kind of document, overlap 40 %.
pub fn preset_chunk(preset: Preset) -> Result<Layer, LayerError> {
    let size = match preset {
        Preset::Faq => 250,
        Preset::Docs => 500,
        Preset::Paper => 700,
    };
    Layer::chunk(Size::Characters(size), size * 2 / 5)
}

fn neighbors(preset: Option<Preset>) -> Option<u32> {
    preset.map(|preset| if preset == Preset::Paper { 2 } else { 1 })
}

/// A bar on standard error, and the wish to stop.
#[allow(clippy::struct_field_names)] // it is what it is
pub struct Bar {
    pub bar: ProgressBar,
    pub stop: Arc<AtomicBool>,
    embedded: AtomicUsize,
}

impl Bar {
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        // The template is a constant: it parses, or the tests that index fail.
        if let Ok(style) = ProgressStyle::with_template(
            "{spinner} {wide_msg} {bar:24} {bytes}/{total_bytes}  {binary_bytes_per_sec}  {eta}",
        ) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        bar.set_message(say!("looking for files", "正在查找文件"));
        Self { bar, stop: Arc::new(AtomicBool::new(false)), embedded: AtomicUsize::new(0) }
    }
}

impl Progress for Bar {
    fn begin(&self, _files: usize, bytes: u64) {
        self.bar.set_length(bytes);
        self.bar.reset_eta();
    }

    fn advance(&self, path: &str, bytes: u64) {
        self.bar.set_message(output::printable(path));
        self.bar.inc(bytes);
    }

    fn embedded(&self, texts: usize) {
        let all = texts + self.embedded.fetch_add(texts, Ordering::Relaxed);
        self.bar.set_message(say!("{} sentences embedded", "已嵌入 {} 个句子", all));
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Ctrl-C asks to stop after the current commit; a second one stops at once, which loses nothing committed.
pub fn stop_on_interrupt(stop: &Arc<AtomicBool>) -> Result<()> {
    let stop = Arc::clone(stop);
    ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        output::note(&say!("stopping after the current commit …", "将在当前提交完成后停止……"));
    })?;
    Ok(())
}

/// One line about a run.
fn line(report: &IndexReport, took: Duration) {
    output::note(&say!(
        "{} added, {} changed, {} removed, {} unchanged – {} sentences, {} in {:.2} s",
        "新增 {},更新 {},移除 {},未变 {} —— {} 个句子,{},用时 {:.2} 秒",
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
    if report.skipped.is_empty() {
        return;
    }
    output::note(&say!("{} skipped:", "跳过 {} 项:", report.skipped.len()));
    for skipped in report.skipped.iter().take(SHOWN) {
        output::note(&format!(
            "  {} – {}",
            output::printable(&skipped.place),
            output::printable(&crate::reasons::shown(&skipped.reason))
        ));
    }
    if report.skipped.len() > SHOWN {
        output::note(&say!(
            "  … and {} more (--json lists all)",
            "  ……另有 {} 项(--json 可列出全部)",
            report.skipped.len() - SHOWN
        ));
    }
}

fn json(report: &IndexReport, engine: &Engine) -> serde_json::Value {
    serde_json::json!(okno::shapes::IndexReport::new(report, engine.folder()))
}
