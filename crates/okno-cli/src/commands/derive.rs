//! `okno derive`: texts by which passages are found – summaries, questions, descriptions – made with or without a
//! model.

use crate::globals::Globals;
use crate::locale::say;
use crate::progress::{self, stop_on_interrupt};
use crate::{errors, model, opening, output};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use indicatif::{HumanCount, ProgressBar};
use okno::document::{DerivedKind, Filter};
use okno::generate::Usage;
use okno::shapes::SkippedFile;
use okno::{DeriveOptions, DerivePlan, DeriveProgress, DeriveReport, Engine, Maker, Skipped};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Which units, of which parts.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag
pub struct DeriveArgs {
    /// What to create: summary, question (four per parent), table, image (needs a model that accepts images), context
    /// (one sentence that says where a chunk belongs)
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', default_value = "summary,question")]
    kinds: Vec<String>,
    /// Only for documents that match
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// The passages that summaries and questions are about
    #[arg(long, value_name = "LAYER", default_value = "chunk:3000c")]
    parent: String,
    /// The passages that contexts are about
    #[arg(long, value_name = "LAYER", default_value = "chunk:500c")]
    chunk: String,
    /// Summarise with sentences of the passages, without a language model
    #[arg(long)]
    extractive: bool,
    /// Replace existing units
    #[arg(long)]
    again: bool,
    /// Print what would be created and the estimated number of tokens; create nothing
    #[arg(long)]
    dry_run: bool,
}

/// Failures shown one by one; `--json` has them all.
const SHOWN: usize = 20;

pub fn run(globals: &Globals, args: &DeriveArgs) -> Result<()> {
    let options = options(args)?;
    let mut engine = opening::open(globals.index())?;
    let prompts = model::prompts(engine.folder())?;
    engine.reconfigure(|builder| builder.prompts(prompts))?;
    if args.dry_run {
        return planned(globals, &engine.plan_units(&options)?);
    }
    let generator = if args.extractive { None } else { Some(generator(&engine, &options)?) };
    let maker = generator.as_deref().map_or(Maker::Extract, Maker::Model);
    let bar = DeriveBar::new();
    stop_on_interrupt(&bar.stop)?;
    let report = engine.derive_units(maker, &options, &bar)?;
    bar.bar.finish_and_clear();
    if globals.json {
        output::json(&json(&report))?;
    } else {
        print(&report);
    }
    if report.stopped {
        bail!(say!(
            "stopped with {} parts left; progress is saved – run the same command again to continue",
            "已停止，还剩 {} 处；已生成的内容已保存 —— 再次运行同一命令即可继续",
            report.left
        ));
    }
    Ok(())
}

fn options(args: &DeriveArgs) -> Result<DeriveOptions> {
    let kind = |name: &String| {
        name.parse::<DerivedKind>().map_err(|()| {
            let known = DerivedKind::ALL.map(DerivedKind::name).join("`, `");
            anyhow!(say!(
                "unknown kind of unit `{}`; expected one of `{}`",
                "没有 `{}` 这种单元；可选的有 `{}`",
                name,
                known
            ))
        })
    };
    let kinds = if args.extractive {
        vec![DerivedKind::Summary]
    } else {
        args.kinds.iter().map(kind).collect::<Result<_, _>>()?
    };
    let mut options = DeriveOptions::default();
    options.kinds = kinds.into_iter().collect();
    options.filter = args.filter.as_deref().map(Filter::parse).transpose().map_err(okno::Error::from)?;
    options.parent = args.parent.parse().map_err(okno::Error::from)?;
    options.chunk = args.chunk.parse().map_err(okno::Error::from)?;
    options.again = args.again;
    Ok(options)
}

/// The model that makes the units; an error that says how to set one up.
fn generator(engine: &Engine, options: &DeriveOptions) -> Result<Arc<dyn okno::generate::Generator>> {
    let found = model::of(engine.folder())?;
    let found = found.with_context(|| {
        say!(
            "no language model is set up – name one in `okno.toml` under [model] or in the environment \
             (docs/derived-units.md), or add --extractive for summaries without one",
            "没有设置语言模型 —— 请在 `okno.toml` 的 [model] 或环境变量中指定（见 docs/derived-units.md），或加 \
             --extractive 不用模型生成摘要"
        )
    })?;
    if options.kinds.contains(&DerivedKind::Image) && !model::accepts_images(engine.folder())? {
        bail!(say!(
            "captions need a model that accepts images – set `vision = true` under [model] in `okno.toml` if `{}` does",
            "图片描述需要能看图的模型：如果 `{}` 可以，请在 `okno.toml` 的 [model] 下设置 `vision = true`",
            found.identity()
        ));
    }
    Ok(found)
}

struct DeriveBar {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl DeriveBar {
    fn new() -> Self {
        let bar = progress::bar("{spinner} {wide_msg} {bar:24} {pos}/{len}  {eta}");
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar, stop: Arc::new(AtomicBool::new(false)) }
    }
}

impl DeriveProgress for DeriveBar {
    fn begin(&self, items: usize) {
        self.bar.set_length(items as u64);
        self.bar.reset_eta();
    }

    fn done(&self, place: &str, spent: Usage) {
        self.bar.inc(1);
        self.bar.set_message(format!("{}  {}", output::printable(place), tokens(spent)));
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn tokens(spent: Usage) -> String {
    let (prompt, completion) = (HumanCount(spent.prompt as u64), HumanCount(spent.completion as u64));
    say!("{} + {} tokens", "{} + {} 词元", prompt, completion)
}

fn planned(globals: &Globals, plan: &DerivePlan) -> Result<()> {
    let items: std::collections::BTreeMap<_, _> = plan.items.iter().map(|(kind, count)| (kind.name(), count)).collect();
    if globals.json {
        return output::json(&serde_json::json!({
            "documents": plan.documents, "parts": items, "estimated_tokens": plan.tokens,
            "skipped": skipped_json(&plan.skipped),
        }));
    }
    for (kind, count) in &plan.items {
        println!("{}", say!("{:9} {} parts to create", "{:9} {} 处待生成", kind.name(), count));
    }
    output::note(&say!(
        "{} documents, about {} (prompts counted, answers estimated)",
        "{} 个文档，约 {}（提示按实计数，回答为估计）",
        plan.documents,
        tokens(plan.tokens)
    ));
    failures(&plan.skipped);
    Ok(())
}

fn print(report: &DeriveReport) {
    let counts: Vec<String> = report.units.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let units = if counts.is_empty() { "0".to_owned() } else { counts.join(", ") };
    output::note(&say!(
        "{} units for {} documents, {}, {} repaired, {} failed",
        "{} 个单元，涉及 {} 个文档，{}，修正 {} 次，失败 {} 处",
        units,
        report.documents,
        tokens(report.usage),
        report.repaired,
        report.failed.len()
    ));
    failures(&report.failed);
}

fn failures(failed: &[Skipped]) {
    for failure in failed.iter().take(SHOWN) {
        let (place, reason) = (output::printable(&failure.place), errors::of_skipped(&failure.reason));
        output::note(&format!("  {place} – {}", output::printable(&reason)));
    }
    if failed.len() > SHOWN {
        output::note(&say!(
            "  … and {} more (--json lists all)",
            "  ……另有 {} 项（--json 可列出全部）",
            failed.len() - SHOWN
        ));
    }
}

fn skipped_json(skipped: &[Skipped]) -> Vec<SkippedFile> {
    skipped.iter().map(Into::into).collect()
}

fn json(report: &DeriveReport) -> serde_json::Value {
    serde_json::json!({
        "documents": report.documents, "units": okno::shapes::units(&report.units), "repaired": report.repaired,
        "tokens": report.usage, "failed": skipped_json(&report.failed), "left": report.left, "stopped": report.stopped,
    })
}
