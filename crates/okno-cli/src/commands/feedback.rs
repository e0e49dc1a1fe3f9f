//! `okno feedback`: what helped and what did not, kept beside the index.

use super::search::query;
use crate::args::{Cli, FeedbackCommand, VerdictArgs, VerdictName};
use crate::locale::say;
use crate::{output, place};
use anyhow::{Context as _, Result, bail};
use okno::{Context, Engine};
use okno_evaluate::feedback::{Feedback, Opinion, Verdict};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(cli: &Cli, what: &FeedbackCommand) -> Result<()> {
    let engine = match what {
        FeedbackCommand::Add(args) => place::open_to_ask(cli.index(), args.how.rerank.as_deref())?,
        _ => place::open(cli.index())?,
    };
    let feedback = Feedback::beside(engine.beside());
    match what {
        FeedbackCommand::Add(args) => add(cli, &engine, &feedback, args),
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

fn add(cli: &Cli, engine: &Engine, feedback: &Feedback, args: &VerdictArgs) -> Result<()> {
    let opinions = match by_place(engine, args)? {
        Some(opinion) => vec![opinion],
        None => by_number(engine, args)?,
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

/// A place that was named, where one was: the command line asks for all of it or nothing.
fn by_place(engine: &Engine, args: &VerdictArgs) -> Result<Option<Opinion>> {
    let (Some(document), Some(start), Some(end), Some(verdict)) = (&args.document, args.start, args.end, args.verdict)
    else {
        return Ok(None);
    };
    check_place(engine, document, start, end)?;
    let verdict = if verdict == VerdictName::Useful { Verdict::Useful } else { Verdict::NotUseful };
    Ok(Some(opinion(&args.question, document, start, end, verdict)))
}

/// The contexts that the same search returns, by their numbers.
fn by_number(engine: &Engine, args: &VerdictArgs) -> Result<Vec<Opinion>> {
    let contexts = engine.search(&query(&args.question, args.recipe.as_deref(), &args.how)?)?.contexts;
    let useful = args.useful.iter().map(|number| (*number, Verdict::Useful));
    let not_useful = args.not_useful.iter().map(|number| (*number, Verdict::NotUseful));
    useful
        .chain(not_useful)
        .map(|(number, verdict)| {
            let context = numbered(&contexts, number)?;
            Ok(opinion(&args.question, &context.document, context.start, context.end, verdict))
        })
        .collect()
}

fn opinion(question: &str, document: &str, start: usize, end: usize, verdict: Verdict) -> Opinion {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    Opinion { question: question.to_owned(), document: document.to_owned(), start, end, verdict, time }
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
