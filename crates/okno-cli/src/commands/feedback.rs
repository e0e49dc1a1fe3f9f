//! `okno feedback`: what helped and what did not, kept beside the index.

use super::search::query;
use crate::args::{Cli, FeedbackCommand, VerdictName};
use crate::locale::say;
use crate::{output, place};
use anyhow::{Context as _, Result, bail};
use okno::evaluate::feedback::{Feedback, Opinion, Verdict};
use okno::{Context, Engine};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(cli: &Cli, what: &FeedbackCommand) -> Result<()> {
    let engine = place::open(cli.index.as_deref())?;
    let feedback = Feedback::beside(engine.folder());
    match what {
        FeedbackCommand::Add { .. } => add(cli, &engine, &feedback, what),
        FeedbackCommand::List => list(cli, &feedback),
        FeedbackCommand::Export { out } => {
            let lines: Vec<String> = feedback.all()?.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
            let lines: String = lines.into_iter().map(|line| line + "\n").collect();
            std::fs::write(out, &lines).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", out.display()))?;
            done(cli, "exported", lines.lines().count())
        }
        FeedbackCommand::Remove { question, all } => {
            let unwanted = |opinion: &Opinion| *all || question.as_deref() == Some(opinion.question.as_str());
            done(cli, "removed", feedback.remove(unwanted)?)
        }
    }
}

fn done(cli: &Cli, what: &str, count: usize) -> Result<()> {
    if cli.json {
        return output::json(&serde_json::json!({ what: count }));
    }
    let what = match what {
        "exported" => say!("exported", "导出"),
        "removed" => say!("removed", "移除"),
        _ => say!("recorded", "记录"),
    };
    output::note(&say!("verdicts {}: {}", "评价已{}:{} 条", what, count));
    Ok(())
}

fn add(cli: &Cli, engine: &Engine, feedback: &Feedback, what: &FeedbackCommand) -> Result<()> {
    let FeedbackCommand::Add { question, useful, not_useful, document, start, end, verdict, recipe, how } = what else {
        return Ok(());
    };
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let opinion = |document: &str, start, end, verdict| Opinion {
        question: question.clone(),
        document: document.to_owned(),
        start,
        end,
        verdict,
        time,
    };
    let opinions = match (document, start, end, verdict) {
        (Some(document), Some(start), Some(end), Some(verdict)) => {
            check_place(engine, document, *start, *end)?;
            let verdict = if *verdict == VerdictName::Useful { Verdict::Useful } else { Verdict::NotUseful };
            vec![opinion(document, *start, *end, verdict)]
        }
        _ => {
            let contexts = engine.search(&query(question, recipe.as_deref(), how)?)?.contexts;
            let numbers =
                useful.iter().map(|n| (n, Verdict::Useful)).chain(not_useful.iter().map(|n| (n, Verdict::NotUseful)));
            numbers
                .map(|(&number, verdict)| {
                    numbered(&contexts, number).map(|c| opinion(&c.document, c.start, c.end, verdict))
                })
                .collect::<Result<Vec<_>>>()?
        }
    };
    if opinions.is_empty() {
        bail!(say!(
            "nothing was said – name contexts by their numbers in `okno search`: `--useful 1 --not-useful 2`",
            "没有给出评价 —— 用 `okno search` 里的编号指明:`--useful 1 --not-useful 2`"
        ));
    }
    feedback.add(&opinions)?;
    done(cli, "recorded", opinions.len())
}

fn numbered(contexts: &[Context], number: usize) -> Result<&Context> {
    number.checked_sub(1).and_then(|at| contexts.get(at)).with_context(|| {
        say!(
            "there is no context {} – the question got {}; use the same flags as for `okno search`",
            "没有第 {} 段上下文 —— 这个问题得到 {} 段;请使用与 `okno search` 相同的选项",
            number,
            contexts.len()
        )
    })
}

fn check_place(engine: &Engine, document: &str, start: usize, end: usize) -> Result<()> {
    let (number, _) = engine.named(document)?.remove(0);
    let length = engine.snapshot()?.text(number)?.chars().count();
    if start >= end || end > length {
        bail!(say!(
            "`{}` has {} characters; {} … {} is no place in it – check --start and --end",
            "`{}` 有 {} 个字符,{} … {} 不在其中 —— 请检查 --start 和 --end",
            document,
            length,
            start,
            end
        ));
    }
    Ok(())
}

fn list(cli: &Cli, feedback: &Feedback) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let all = feedback.all()?;
    for opinion in &all {
        if cli.json {
            writeln!(out, "{}", serde_json::to_string(opinion)?)?;
        } else {
            let sign = if opinion.verdict == Verdict::Useful { '+' } else { '-' };
            let place = format!("{} {}–{}", output::printable(&opinion.document), opinion.start, opinion.end);
            writeln!(out, "{sign} {}\t{place}", output::printable(&opinion.question))?;
        }
    }
    if all.is_empty() && !cli.json {
        output::note(&say!(
            "no verdicts yet – `okno feedback add \"question\" --useful 1` records one",
            "还没有评价 —— 用 `okno feedback add \"问题\" --useful 1` 记录一条"
        ));
    }
    Ok(())
}
