//! `okno feedback`: what helped and what did not, kept beside the index.

use crate::globals::Globals;
use crate::locale::say;
use crate::search_flags::{SearchFlags, query};
use crate::values::number;
use crate::{opening, output};
use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use okno::{Context, Engine};
use okno_evaluate::feedback::{Feedback, Opinion, Verdict};
use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// What to do with feedback.
#[derive(Debug, Subcommand)]
pub enum FeedbackCommand {
    /// Record which contexts of a question were useful: by their numbers in `okno search`, or by document and position
    Add(Box<FeedbackAddArgs>),
    /// Print all feedback
    List,
    /// Write all feedback to a file, as JSON lines
    Export {
        /// The file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Delete feedback
    Remove {
        /// Feedback about this question
        #[arg(required_unless_present = "all")]
        question: Option<String>,
        /// All feedback
        #[arg(long)]
        all: bool,
    },
}

/// What was useful for a question.
#[derive(Debug, Args)]
pub struct FeedbackAddArgs {
    /// The question
    question: String,
    /// Numbers of useful contexts
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = number::<usize>)]
    useful: Vec<usize>,
    /// Numbers of contexts that were not useful
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = number::<usize>)]
    not_useful: Vec<usize>,
    /// A position instead of a number: the document
    #[arg(long, requires_all = ["start", "end", "verdict"], conflicts_with_all = ["useful", "not_useful"])]
    document: Option<String>,
    /// First character of the position (code point)
    #[arg(long, value_parser = number::<usize>, requires = "document")]
    start: Option<usize>,
    /// End of the position: one past its last character
    #[arg(long, value_parser = number::<usize>, requires = "document")]
    end: Option<usize>,
    /// Whether that position was useful
    #[arg(long, requires = "document")]
    verdict: Option<VerdictName>,
    /// The recipe that was used [default: the index's own]
    #[arg(long)]
    recipe: Option<String>,
    #[command(flatten)]
    search: SearchFlags,
}

/// Whether something was useful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerdictName {
    /// It was useful
    Useful,
    /// It was not useful
    NotUseful,
}

pub fn run(globals: &Globals, what: &FeedbackCommand) -> Result<()> {
    let engine = match what {
        FeedbackCommand::Add(args) => opening::open_to_search(globals.index(), args.search.rerank.as_deref())?,
        _ => opening::open(globals.index())?,
    };
    let feedback = Feedback::beside(engine.beside());
    match what {
        FeedbackCommand::Add(args) => add(globals, &engine, &feedback, args),
        FeedbackCommand::List => list(globals, &feedback),
        FeedbackCommand::Export { out } => {
            let lines: Vec<String> = feedback.all()?.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
            let lines: String = lines.into_iter().map(|line| line + "\n").collect();
            std::fs::write(out, &lines).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", out.display()))?;
            done(globals, FeedbackChange::Exported, lines.lines().count())
        }
        FeedbackCommand::Remove { question, all } => {
            let unwanted = |opinion: &Opinion| *all || question.as_deref() == Some(opinion.question.as_str());
            done(globals, FeedbackChange::Removed, feedback.remove(unwanted)?)
        }
    }
}

/// What was done with verdicts.
#[derive(Debug, Clone, Copy)]
enum FeedbackChange {
    Recorded,
    Exported,
    Removed,
}

fn done(globals: &Globals, change: FeedbackChange, count: usize) -> Result<()> {
    let (key, text) = match change {
        FeedbackChange::Recorded => ("recorded", say!("verdicts recorded: {}", "已记录评价：{} 条", count)),
        FeedbackChange::Exported => ("exported", say!("verdicts exported: {}", "已导出评价：{} 条", count)),
        FeedbackChange::Removed => ("removed", say!("verdicts removed: {}", "已移除评价：{} 条", count)),
    };
    if globals.json {
        return output::json(&serde_json::json!({ key: count }));
    }
    output::note(&text);
    Ok(())
}

fn add(globals: &Globals, engine: &Engine, feedback: &Feedback, args: &FeedbackAddArgs) -> Result<()> {
    let opinions = match by_place(engine, args)? {
        Some(opinion) => vec![opinion],
        None => by_number(engine, args)?,
    };
    if opinions.is_empty() {
        bail!(say!(
            "no feedback given – name contexts by their numbers in `okno search`: `--useful 1 --not-useful 2`",
            "没有给出评价 —— 用 `okno search` 里的编号指明：`--useful 1 --not-useful 2`"
        ));
    }
    feedback.add(&opinions)?;
    done(globals, FeedbackChange::Recorded, opinions.len())
}

/// The position that was named, if one was; the command line requires all of its parts or none.
fn by_place(engine: &Engine, args: &FeedbackAddArgs) -> Result<Option<Opinion>> {
    let (Some(document), Some(start), Some(end), Some(verdict)) = (&args.document, args.start, args.end, args.verdict)
    else {
        return Ok(None);
    };
    check_place(engine, document, start, end)?;
    let verdict = if verdict == VerdictName::Useful { Verdict::Useful } else { Verdict::NotUseful };
    Ok(Some(opinion(&args.question, document, start, end, verdict)))
}

/// The contexts that the same search returns, by their numbers.
fn by_number(engine: &Engine, args: &FeedbackAddArgs) -> Result<Vec<Opinion>> {
    let contexts = engine.search(&query(&args.question, args.recipe.as_deref(), &args.search)?)?.contexts;
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
            "no context {}: the search returned {} – use the same flags as for `okno search`",
            "没有第 {} 段上下文 —— 这个问题得到 {} 段；请使用与 `okno search` 相同的选项",
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
            "`{}` has {} characters, so {} … {} is not a position in it – check --start and --end",
            "`{}` 有 {} 个字符，{} … {} 不在其中 —— 请检查 --start 和 --end",
            document,
            length,
            start,
            end
        ));
    }
    Ok(())
}

fn list(globals: &Globals, feedback: &Feedback) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let all = feedback.all()?;
    for opinion in &all {
        if globals.json {
            writeln!(out, "{}", serde_json::to_string(opinion)?)?;
        } else {
            let sign = if opinion.verdict == Verdict::Useful { '+' } else { '-' };
            let place = format!("{} {}–{}", output::printable(&opinion.document), opinion.start, opinion.end);
            writeln!(out, "{sign} {}\t{place}", output::printable(&opinion.question))?;
        }
    }
    if all.is_empty() && !globals.json {
        output::note(&say!(
            "no verdicts yet – `okno feedback add \"question\" --useful 1` records one",
            "还没有评价 —— 用 `okno feedback add \"问题\" --useful 1` 记录一条"
        ));
    }
    Ok(())
}
