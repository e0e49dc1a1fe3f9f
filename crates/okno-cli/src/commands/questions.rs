//! `okno questions make`: a question set from the documents alone.

use crate::args::{Cli, QuestionsBy, QuestionsCommand};
use crate::locale::say;
use crate::{helper, output, place};
use anyhow::{Context as _, Result, bail};
use indicatif::ProgressBar;
use okno::Engine;
use okno::generate::Asker;
use okno_evaluate::make::{self, Kind, Made, Summary};

pub fn run(cli: &Cli, what: &QuestionsCommand) -> Result<()> {
    let QuestionsCommand::Make { out, count, by, seed } = what;
    let engine = place::open(cli.index())?;
    let (made, summary) = match by {
        QuestionsBy::Rules => make::questions(&*engine.snapshot()?, *count, *seed)?,
        QuestionsBy::Model => by_model(&engine, *count, *seed)?,
    };
    if made.is_empty() {
        bail!(say!(
            "no question could be made of these documents – they need headings, definitions, lists or figures",
            "无法从这些文档中生成问题 —— 文档需要有标题、定义、列表或数字"
        ));
    }
    let lines: String =
        made.iter().map(|made| serde_json::to_string(made).map(|line| line + "\n")).collect::<Result<_, _>>()?;
    std::fs::write(out, lines).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", out.display()))?;
    let of = |kind: Kind| made.iter().filter(|made| made.kind == kind).count();
    let chinese = made.iter().filter(|made| made.lang == "zh").count();
    if cli.json {
        return output::json(&serde_json::json!({
            "file": out, "questions": made.len(), "fact": of(Kind::Fact), "list": of(Kind::List), "broad": of(Kind::Broad),
            "zh": chinese, "en": made.len() - chinese, "drafts": summary.drafts, "repeated": summary.repeated,
            "copied": summary.copied, "ambiguous": summary.ambiguous, "seed": seed,
        }));
    }
    output::note(&say!(
        "{} questions ({} fact, {} list, {} broad; {} Chinese) of {} drafts in {}",
        "{} 个问题(事实 {},列举 {},概括 {};中文 {}),取自 {} 个草稿,写入 {}",
        made.len(),
        of(Kind::Fact),
        of(Kind::List),
        of(Kind::Broad),
        chinese,
        summary.drafts,
        out.display()
    ));
    output::note(&say!(
        "dropped: {} repeated, {} copies of their answer, {} that several documents answer",
        "舍去:重复 {},照抄答案 {},多个文档都能回答 {}",
        summary.repeated,
        summary.copied,
        summary.ambiguous
    ));
    Ok(())
}

/// Failures shown one by one.
const SHOWN: usize = 5;

/// Questions that the language model writes; what it could not make is said.
fn by_model(engine: &Engine, count: usize, seed: u64) -> Result<(Vec<Made>, Summary)> {
    let generator = helper::of(engine.folder())?.with_context(|| {
        say!(
            "no language model is set – name one in `okno.toml` ([model]) or the environment, or leave out `--by model`",
            "没有设置语言模型 —— 请在 `okno.toml` 的 [model] 或环境变量中指定,或去掉 `--by model`"
        )
    })?;
    let prompts = helper::prompts(engine.folder())?;
    let asker = Asker { generator: &*generator, prompts: &prompts };
    let bar = ProgressBar::new_spinner();
    let found = make::questions_by_model(&*engine.snapshot()?, asker, count, seed, &|| bar.inc(1))?;
    bar.finish_and_clear();
    output::note(&say!(
        "{} + {} tokens; no question of {} passages",
        "{} + {} 词元;{} 段没有得到问题",
        found.usage.prompt,
        found.usage.completion,
        found.failed.len()
    ));
    for failed in found.failed.iter().take(SHOWN) {
        output::note(&format!("  {} – {}", output::printable(&failed.place), output::printable(&failed.reason)));
    }
    Ok((found.made, found.summary))
}
