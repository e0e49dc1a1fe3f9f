//! `okno questions make`: a question set from the documents alone.

use crate::globals::Globals;
use crate::locale::say;
use crate::question_set::SEED;
use crate::values::number;
use crate::{errors, model, opening, output};
use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use indicatif::ProgressBar;
use okno::Engine;
use okno::generate::Asker;
use okno_evaluate::make::{self, MadeQuestion, QuestionKind, Summary};
use std::path::PathBuf;
use std::time::Duration;

/// What to do with question sets.
#[derive(Debug, Subcommand)]
pub enum QuestionsCommand {
    /// Create questions from the documents of the index, each with the position of its answer
    Make(QuestionsMakeArgs),
}

/// Which questions to create.
#[derive(Debug, Args)]
pub struct QuestionsMakeArgs {
    /// The file to write, as JSON lines
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Maximum number of questions
    #[arg(long, value_parser = number::<usize>, default_value_t = 100)]
    count: usize,
    /// How questions are created
    #[arg(long, value_name = "METHOD", default_value = "rules")]
    by: QuestionsBy,
    /// Random seed; the same seed gives the same questions
    #[arg(long, value_parser = number::<u64>, default_value_t = SEED)]
    seed: u64,
}

/// How questions are created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QuestionsBy {
    /// By rules, from headings, lists and figures, without a language model
    Rules,
    /// By the language model, with its answers checked
    Model,
}

pub fn run(globals: &Globals, command: &QuestionsCommand) -> Result<()> {
    let QuestionsCommand::Make(QuestionsMakeArgs { out, count, by, seed }) = command;
    let engine = opening::open(globals.index())?;
    let (made, summary) = match by {
        QuestionsBy::Rules => by_rules(&engine, *count, *seed)?,
        QuestionsBy::Model => by_model(&engine, *count, *seed)?,
    };
    if made.is_empty() {
        bail!(say!(
            "no questions could be created – the documents need headings, definitions, lists or figures",
            "无法从这些文档中生成问题 —— 文档需要有标题、定义、列表或数字"
        ));
    }
    let lines: String =
        made.iter().map(|made| serde_json::to_string(made).map(|line| line + "\n")).collect::<Result<_, _>>()?;
    std::fs::write(out, lines).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", out.display()))?;
    let of = |kind: QuestionKind| made.iter().filter(|made| made.kind == kind).count();
    let chinese = made.iter().filter(|made| made.lang == "zh").count();
    if globals.json {
        return output::json(&serde_json::json!({
            "file": out, "questions": made.len(), "fact": of(QuestionKind::Fact), "list": of(QuestionKind::List),
            "broad": of(QuestionKind::Broad),
            "zh": chinese, "en": made.len() - chinese, "drafts": summary.drafts, "repeated": summary.repeated,
            "copied": summary.copied, "ambiguous": summary.ambiguous, "seed": seed,
        }));
    }
    output::note(&say!(
        "{} questions ({} fact, {} list, {} broad; {} Chinese) of {} drafts in {}",
        "{} 个问题（事实 {}，列举 {}，概括 {}；中文 {}），取自 {} 个草稿，写入 {}",
        made.len(),
        of(QuestionKind::Fact),
        of(QuestionKind::List),
        of(QuestionKind::Broad),
        chinese,
        summary.drafts,
        out.display()
    ));
    output::note(&say!(
        "dropped: {} duplicates, {} copies of their answer, {} that several documents answer",
        "舍去：重复 {}，照抄答案 {}，多个文档都能回答 {}",
        summary.repeated,
        summary.copied,
        summary.ambiguous
    ));
    Ok(())
}

/// Questions by rule, with a sign of life: many documents take a while.
fn by_rules(engine: &Engine, count: usize, seed: u64) -> Result<(Vec<MadeQuestion>, Summary)> {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(120));
    bar.set_message(say!("reading the documents for questions", "正在从文档中生成问题"));
    let made = make::questions(&*engine.snapshot()?, count, seed)?;
    bar.finish_and_clear();
    Ok(made)
}

/// Failures shown one by one.
const SHOWN: usize = 5;

/// Questions from the language model; prints what failed.
fn by_model(engine: &Engine, count: usize, seed: u64) -> Result<(Vec<MadeQuestion>, Summary)> {
    let generator = model::of(engine.folder())?.with_context(|| {
        say!(
            "no language model is set up – name one in `okno.toml` under [model] or in the environment, or omit `--by \
             model`",
            "没有设置语言模型 —— 请在 `okno.toml` 的 [model] 或环境变量中指定，或去掉 `--by model`"
        )
    })?;
    let prompts = model::prompts(engine.folder())?;
    let asker = Asker { generator: &*generator, prompts: &prompts };
    let bar = ProgressBar::new_spinner();
    let found = make::questions_by_model(&*engine.snapshot()?, asker, count, seed, &|| bar.inc(1))?;
    bar.finish_and_clear();
    output::note(&say!(
        "{} + {} tokens; {} passages without a question",
        "{} + {} 词元；{} 段没有得到问题",
        found.usage.prompt,
        found.usage.completion,
        found.failed.len()
    ));
    for failed in found.failed.iter().take(SHOWN) {
        output::note(&format!(
            "  {} – {}",
            output::printable(&failed.place),
            output::printable(&errors::of_skipped(&failed.reason))
        ));
    }
    Ok((found.made, found.summary))
}
