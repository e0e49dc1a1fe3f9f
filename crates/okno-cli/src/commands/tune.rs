//! `okno tune`: a better recipe for these documents, saved only if it is significantly better.

use crate::globals::Globals;
use crate::locale::say;
use crate::question_set::{SEED, candidates, with_set};
use crate::values::{number, tokens};
use crate::{opening, output};
use anyhow::{Context as _, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use okno::Engine;
use okno_evaluate::compare::points;
use okno_evaluate::feedback::{self, Feedback};
use okno_evaluate::score::Texts;
use okno_evaluate::set::{Indexed, Library as _, QuestionSet};
use okno_evaluate::tune::{self, Objective, Tuned, Tuning};
use std::path::{Path, PathBuf};

/// What to tune on, and where the result goes.
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// A question set, as for `okno eval`
    #[arg(required_unless_present = "from_feedback")]
    set: Option<PathBuf>,
    /// Use the recorded feedback (`okno feedback`) instead of a question set
    #[arg(long, conflicts_with = "set")]
    from_feedback: bool,
    /// Budgets in tokens; the average over them counts
    #[arg(
        long, value_name = "TOKENS,…", value_delimiter = ',', value_parser = tokens, default_value = "500,1000,2000"
    )]
    budget: Vec<usize>,
    /// The recipe to improve on [default: the index's own]
    #[arg(long, value_name = "RECIPE")]
    reference: Option<String>,
    /// The configuration file to write the new recipe to [default: `okno.toml` beside the index]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Name of the new recipe
    #[arg(long, value_name = "NAME", default_value = "tuned")]
    recipe_name: String,
    /// Random seed: which questions are used for tuning, and which for testing
    #[arg(long, value_parser = number::<u64>, default_value_t = SEED)]
    seed: u64,
}

/// The questions that recipes are tuned on.
struct TuneOn<'a> {
    engine: &'a Engine,
    set: &'a QuestionSet,
    texts: &'a Texts,
    objective: Objective,
    /// The configuration file that gets the recipe, unless another was named.
    file: PathBuf,
}

pub fn run(globals: &Globals, args: &TuneArgs) -> Result<()> {
    match &args.set {
        Some(path) => with_set(globals, path, None, |engine, set, library| {
            let file = if path.is_dir() { PathBuf::from("okno.toml") } else { beside(engine) };
            let on = TuneOn { engine, set, texts: library.texts(), objective: Objective::Answers, file };
            tune_on(globals, args, &on)
        }),
        None => from_feedback(globals, args),
    }
}

fn beside(engine: &Engine) -> PathBuf {
    engine.beside().with_file_name("okno.toml")
}

fn from_feedback(globals: &Globals, args: &TuneArgs) -> Result<()> {
    let engine = opening::open(globals.index())?;
    let snapshot = engine.snapshot()?;
    let mut library = Indexed::new(&*snapshot);
    let (set, stale) = feedback::questions(&Feedback::beside(engine.beside()).all()?, &mut library)?;
    if stale > 0 {
        output::note(&say!(
            "{} verdicts no longer match their documents and are ignored",
            "{} 条评价与文档不再相符，已略过",
            stale
        ));
    }
    let (texts, file) = (library.texts(), beside(&engine));
    tune_on(globals, args, &TuneOn { engine: &engine, set: &set, texts, objective: Objective::Excerpts, file })
}

fn tune_on(globals: &Globals, args: &TuneArgs, on: &TuneOn<'_>) -> Result<()> {
    let TuneOn { engine, set, .. } = *on;
    let name = args
        .reference
        .clone()
        .unwrap_or_else(|| engine.snapshot().map(|s| s.manifest().recipe.clone()).unwrap_or_default());
    let reference = candidates(engine, &[name])?.remove(0);
    let bar = spinner(globals);
    let tuning = Tuning { set, reference: &reference, budgets: &args.budget, objective: on.objective, seed: args.seed };
    let tuned = tune::tune(engine, &tuning, on.texts, &|step| {
        bar.tick();
        bar.set_message(say!(
            "{} tried, {} dropped early, best {} · {}",
            "已试 {}，提前放弃 {}，最好 {} · {}",
            step.tried,
            step.dropped,
            points(step.best),
            step.what
        ));
    })?;
    bar.finish_and_clear();
    let file = args.out.as_deref().unwrap_or(&on.file);
    if tuned.is_better() {
        write(args, set, &tuned, file)?;
    }
    if globals.json {
        output::json(&json(args, &reference.name, &tuned, file))
    } else {
        tell(args, &reference.name, &tuned, file)
    }
}

fn spinner(globals: &Globals) -> ProgressBar {
    if globals.json {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{spinner} {elapsed} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style)
}

/// Writes the recipe to the configuration file; the rest of the file is unchanged.
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
    let change = |(what, gain): &(String, f64)| serde_json::json!({"what": what, "gain_on_train": gain});
    let changes: Vec<_> = tuned.changes.iter().map(change).collect();
    serde_json::json!({
        "reference": reference, "better": better, "recipe": tuned.recipe, "name": args.recipe_name, "seed": args.seed,
        "file": better.then_some(file), "train": tuned.train, "held_out": tuned.held_out, "tried": tuned.tried,
        "dropped": tuned.dropped,
        "before": tuned.before, "after": tuned.after, "gain": tuned.gain,
        "changes": changes,
    })
}

fn tell(args: &TuneArgs, reference: &str, tuned: &Tuned, file: &Path) -> Result<()> {
    output::note(&say!(
        "{} recipes tried on {} questions ({} dropped early); tested on {} others",
        "在 {1} 个问题上试了 {0} 个方案（提前放弃 {2} 个）；用另外 {3} 个问题检验",
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
            "`{}` 比 `{2}` 高 {1} 个百分点（95 % 置信区间 {3} … {4}）；已写入 {5} 的 [recipes.{6}]",
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
            "no recipe was better than `{}`; nothing was written",
            "试过的方案都不比 `{}` 好；没有写入任何内容",
            reference
        )
    } else if tuned.gain.high < 0.0 {
        say!(
            "the best recipe on the tuning questions is {} points worse than `{}` on the test questions (95 % CI {} … \
             {}); nothing was written, keep `{}`",
            "在一部分问题上最好的方案，在检验用的问题上比 `{1}` 低 {0} 个百分点（95 % 置信区间 {2} … {3}）；没有写入任\
             何内容，请继续使用 `{4}`",
            points(-tuned.gain.mean),
            reference,
            low,
            high,
            reference
        )
    } else {
        say!(
            "no significant difference: the best recipe is {} points from `{}` on the test questions (95 % CI {} … \
             {}); nothing was written, keep `{}`",
            "没有超出噪声的差异：在检验用的问题上，找到的最好方案与 `{1}` 相差 {0} 个百分点（95 % 置信区间 {2} … \
             {3}）；没有写入任何内容，请继续使用 `{4}`",
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
