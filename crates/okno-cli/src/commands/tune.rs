//! `okno tune`: a better recipe for these documents, written down only when it is better beyond noise.

use super::eval::{candidates, with_set};
use crate::args::{Cli, TuneArgs};
use crate::locale::say;
use crate::{output, place};
use anyhow::{Context as _, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use okno::Engine;
use okno_evaluate::compare::points;
use okno_evaluate::feedback::{self, Feedback};
use okno_evaluate::score::Texts;
use okno_evaluate::set::{Indexed, Library as _, QuestionSet};
use okno_evaluate::tune::{self, Objective, Tuned, Tuning};
use std::path::{Path, PathBuf};

pub fn run(cli: &Cli, args: &TuneArgs) -> Result<()> {
    if args.budget.is_empty() || args.budget.contains(&0) {
        bail!(say!(
            "a budget of 0 tokens holds nothing – try `--budget 500`",
            "预算为 0 词元什么也放不下 —— 试试 `--budget 500`"
        ));
    }
    match &args.set {
        Some(path) => with_set(cli, path, None, |engine, set, library| {
            let place = if path.is_dir() { PathBuf::from("okno.toml") } else { beside(engine) };
            tune_on(cli, args, engine, set, library.texts(), Objective::Answers, &place)
        }),
        None => from_feedback(cli, args),
    }
}

fn beside(engine: &Engine) -> PathBuf {
    engine.beside().with_file_name("okno.toml")
}

fn from_feedback(cli: &Cli, args: &TuneArgs) -> Result<()> {
    let engine = place::open(cli.index())?;
    let snapshot = engine.snapshot()?;
    let mut library = Indexed::new(&*snapshot);
    let (set, stale) = feedback::questions(&Feedback::beside(engine.beside()).all()?, &mut library)?;
    if stale > 0 {
        output::note(&say!(
            "{} verdicts no longer fit their documents and are left out",
            "{} 条评价与文档不再相符,已略过",
            stale
        ));
    }
    tune_on(cli, args, &engine, &set, library.texts(), Objective::Excerpts, &beside(&engine))
}

fn tune_on(
    cli: &Cli,
    args: &TuneArgs,
    engine: &Engine,
    set: &QuestionSet,
    texts: &Texts,
    objective: Objective,
    place: &Path,
) -> Result<()> {
    let name = args
        .reference
        .clone()
        .unwrap_or_else(|| engine.snapshot().map(|s| s.manifest().recipe.clone()).unwrap_or_default());
    let reference = candidates(engine, &[name])?.remove(0);
    let bar = spinner(cli);
    let tuning = Tuning { set, reference: &reference, budgets: &args.budget, objective, seed: args.seed };
    let tuned = tune::tune(engine, &tuning, texts, &|step| {
        bar.tick();
        bar.set_message(say!(
            "{} tried, {} dropped early, best {} · {}",
            "已试 {},提前放弃 {},最好 {} · {}",
            step.tried,
            step.dropped,
            points(step.best),
            step.what
        ));
    })?;
    bar.finish_and_clear();
    let file = args.out.as_deref().unwrap_or(place);
    if tuned.is_better() {
        write(args, set, &tuned, file)?;
    }
    if cli.json {
        output::json(&json(args, &reference.name, &tuned, file))
    } else {
        tell(args, &reference.name, &tuned, file)
    }
}

fn spinner(cli: &Cli) -> ProgressBar {
    if cli.json {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{spinner} {elapsed} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style)
}

/// Puts the recipe into the configuration file; what a person wrote there stays.
fn write(args: &TuneArgs, set: &QuestionSet, tuned: &Tuned, file: &Path) -> Result<()> {
    let before = if file.exists() {
        std::fs::read_to_string(file).with_context(|| say!("cannot read `{}`", "无法读取 `{}`", file.display()))?
    } else {
        String::new()
    };
    let section = tune::section(&args.recipe_name, &set.name, &args.budget, args.seed, tuned)?;
    let after = tune::with_section(&before, &args.recipe_name, &section)?;
    let new = file.with_extension("toml.new");
    std::fs::write(&new, after).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", new.display()))?;
    Ok(std::fs::rename(&new, file)?)
}

fn json(args: &TuneArgs, reference: &str, tuned: &Tuned, file: &Path) -> serde_json::Value {
    let better = tuned.is_better();
    serde_json::json!({
        "reference": reference, "better": better, "recipe": tuned.recipe, "name": args.recipe_name, "seed": args.seed,
        "file": better.then_some(file), "train": tuned.train, "held_out": tuned.held_out, "tried": tuned.tried, "dropped": tuned.dropped,
        "before": tuned.before, "after": tuned.after, "gain": tuned.gain,
        "changes": tuned.changes.iter().map(|(what, gain)| serde_json::json!({"what": what, "gain_on_train": gain})).collect::<Vec<_>>(),
    })
}

fn tell(args: &TuneArgs, reference: &str, tuned: &Tuned, file: &Path) -> Result<()> {
    output::note(&say!(
        "{} recipes tried on {} questions ({} dropped early); judged on {} others",
        "在 {1} 个问题上试了 {0} 个方案(提前放弃 {2} 个);用另外 {3} 个问题检验",
        tuned.tried,
        tuned.train,
        tuned.dropped,
        tuned.held_out
    ));
    for (what, gain) in &tuned.changes {
        output::note(&format!("  {what}  (+{})", points(*gain)));
    }
    let (mean, low, high) = (points(tuned.gain.mean), points(tuned.gain.low), points(tuned.gain.high));
    let sentence = if tuned.is_better() {
        say!(
            "`{}` is {} points better than `{}` (95 % CI {} … {}); written to {} as [recipes.{}]",
            "`{}` 比 `{2}` 高 {1} 个百分点(95 % 置信区间 {3} … {4});已写入 {5} 的 [recipes.{6}]",
            args.recipe_name,
            mean,
            reference,
            low,
            high,
            file.display(),
            args.recipe_name
        )
    } else if tuned.changes.is_empty() {
        say!(
            "nothing tried was better than `{}`; nothing was written",
            "试过的方案都不比 `{}` 好;没有写入任何内容",
            reference
        )
    } else if tuned.gain.high < 0.0 {
        say!(
            "what was best on some questions is {} points worse than `{}` on those held out (95 % CI {} … {}); nothing was written, keep `{}`",
            "在一部分问题上最好的方案,在检验用的问题上比 `{1}` 低 {0} 个百分点(95 % 置信区间 {2} … {3});没有写入任何内容,请继续使用 `{4}`",
            points(-tuned.gain.mean),
            reference,
            low,
            high,
            reference
        )
    } else {
        say!(
            "no difference beyond noise: the best found is {} points from `{}` on the questions held out (95 % CI {} … {}); nothing was written, keep `{}`",
            "没有超出噪声的差异:在检验用的问题上,找到的最好方案与 `{1}` 相差 {0} 个百分点(95 % 置信区间 {2} … {3});没有写入任何内容,请继续使用 `{4}`",
            mean,
            reference,
            low,
            high,
            reference
        )
    };
    use std::io::Write;
    Ok(writeln!(std::io::stdout(), "{sentence}")?)
}
