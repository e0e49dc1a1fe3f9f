//! `okno search`: one question for a person, or many for a program.

use crate::globals::Globals;
use crate::locale::say;
use crate::output::answer::{self, AnswerDetail};
use crate::output::understood;
use crate::search_flags::{SearchFlags, query};
use crate::{errors, model, opening, output, settings};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use okno::document::Filter;
use okno::{Answer, Engine, Query, parallel, search_several};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A question and how to search for it.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The question
    #[arg(required_unless_present = "queries")]
    question: Option<String>,
    /// Search for many questions: a file of JSON lines with `question` and optionally `qid` and `filter`; prints one
    /// JSON line for each
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    queries: Option<PathBuf>,
    /// The recipe [default: the index's own]
    #[arg(long)]
    recipe: Option<String>,
    #[command(flatten)]
    search: SearchFlags,
    /// Show how each result was found: leg, rank, score and expansion
    #[arg(long)]
    explain: bool,
    /// Show results that are not relevant too
    #[arg(long)]
    all: bool,
}

pub fn run(globals: &Globals, args: &SearchArgs) -> Result<()> {
    if args.question.as_deref().is_some_and(|question| question.trim().is_empty()) {
        bail!(say!("the question is empty – enter what to search for", "问题是空的 —— 请输入要搜索的内容"));
    }
    let mut query = query(args.question.as_deref().unwrap_or_default(), args.recipe.as_deref(), &args.search)?;
    if args.all {
        query.min_relevance.get_or_insert(0.0);
    }
    let indexes = SearchedIndexes::open(globals, &query, args.search.rerank.as_deref())?;
    match &args.queries {
        Some(file) => batch(&indexes, file)?,
        None => one_question(globals, args, &indexes, &query)?,
    }
    indexes.keep_layouts()
}

/// Answers one question for a person, or as JSON.
fn one_question(globals: &Globals, args: &SearchArgs, indexes: &SearchedIndexes, query: &Query) -> Result<()> {
    let (answer, detail) = (indexes.search(&query.text, None)?, AnswerDetail::of_flag(args.explain));
    if globals.json {
        return output::json(&answer::json(&answer, detail));
    }
    for note in understood::notes(&answer.understood).into_iter().chain(understood::unhelped(&answer.steps)) {
        output::note(&note);
    }
    if answer.nothing_relevant() && !answer.contexts.is_empty() && !shows_irrelevant(args) {
        answer::note_damaged(&answer.damaged);
        output::note(&nothing_relevant(&answer));
        return Ok(());
    }
    answer::print(&answer, detail)?;
    if answer.contexts.is_empty() {
        output::note(&nothing(&answer, args.search.min_relevance));
    }
    Ok(())
}

/// The indexes to search, each with the query as its own settings complete it.
struct SearchedIndexes {
    indexes: Vec<(Engine, Query)>,
}

impl SearchedIndexes {
    fn open(globals: &Globals, query: &Query, rerank: Option<&str>) -> Result<Self> {
        let whole = |folder: &PathBuf| std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        let mut seen = HashSet::new();
        let named = globals
            .index
            .iter()
            .chain(&globals.store)
            .filter(|folder| seen.insert(whole(folder)))
            .map(|folder| Some(folder.as_path()));
        let folders: Vec<Option<&Path>> =
            if globals.index.is_empty() && globals.store.is_none() { vec![None] } else { named.collect() };
        let indexes = folders.into_iter().map(|folder| {
            let mut engine = opening::open_to_search(folder, rerank)?;
            let mut query = query.clone();
            settings::fill(&mut query, &settings::of(engine.folder())?, &engine)?;
            model::attach(&mut engine, &query)?;
            Ok((engine, query))
        });
        Ok(Self { indexes: indexes.collect::<Result<_>>()? })
    }

    fn search(&self, text: &str, filter: Option<&Filter>) -> Result<Answer> {
        let asked = |query: &Query| {
            let mut query = query.clone();
            text.clone_into(&mut query.text);
            if let Some(filter) = filter {
                query.narrow(filter.clone());
            }
            query
        };
        let queries: Vec<Query> = self.indexes.iter().map(|(_, query)| asked(query)).collect();
        let engines = self.indexes.iter().map(|(engine, _)| engine);
        let answer = search_several(engines.zip(&queries))?;
        answer.context("no index was searched")
    }

    /// The next question in a new process is answered sooner.
    fn keep_layouts(&self) -> Result<()> {
        std::io::stdout().flush()?;
        Ok(self.indexes.iter().try_for_each(|(engine, _)| engine.keep_layout())?)
    }
}

/// Returns `true` if the user asked to see results that are not relevant.
fn shows_irrelevant(args: &SearchArgs) -> bool {
    args.all || args.explain || args.search.min_relevance.is_some()
}

/// That what came nearest is not relevant, and what to try.
fn nothing_relevant(answer: &Answer) -> String {
    say!(
        "nothing relevant found (the best match has a relevance of {:.2} of 1) – try other words, index more \
         documents, or add --all to see the nearest results",
        "没有找到相关内容（最接近的相关度为 {:.2}，满分 1）—— 换个说法，索引更多文档，或加 --all 查看最接近的内容",
        answer.relevance
    )
}

/// Why there is nothing, and what to try.
fn nothing(answer: &Answer, least: Option<f32>) -> String {
    if answer.recipe.k == 0 {
        say!("`-k 0` returns no results – use 1 or more", "`-k 0` 不返回任何结果 —— 请用 1 或更大的数")
    } else if least.is_some() && answer.relevance > 0.0 {
        say!(
            "nothing reaches the required relevance; the best match has {:.2} – lower --min-relevance",
            "没有达到所要求相关度的内容；最接近的相关度为 {:.2} —— 请降低 --min-relevance",
            answer.relevance
        )
    } else if answer.stage.matching == Some(0) {
        output::no_match()
    } else if answer.stage.hits > 0 {
        say!(
            "the budget of {} {} is too small for the best sentence – raise --budget",
            "{} 个{}的预算放不下最相关的一个句子 —— 请增大 --budget",
            answer.recipe.budget,
            output::unit(answer.recipe.unit)
        )
    } else {
        say!("nothing found – try other words, or fewer filters", "没有找到 —— 换个说法，或放宽过滤条件")
    }
}

/// Questions searched at once before their lines are printed.
const BATCH: usize = 256;

/// Answers a file of questions in parallel, in order. A line that cannot be answered is reported with its number, and
/// the others are answered all the same.
fn batch(indexes: &SearchedIndexes, file: &Path) -> Result<()> {
    let lines =
        std::fs::read_to_string(file).with_context(|| say!("cannot read `{}`", "无法读取 `{}`", file.display()))?;
    let lines: Vec<(usize, &str)> =
        lines.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut failed = 0;
    for lines in lines.chunks(BATCH) {
        let answers = parallel::map(lines.to_vec(), |(number, line)| {
            one(indexes, line, number).with_context(|| format!("{}:{}", file.display(), number + 1))
        });
        for answer in answers {
            match answer {
                Ok(answer) => writeln!(out, "{answer}")?,
                Err(error) => {
                    failed += 1;
                    output::note(&output::printable_text(&errors::message(&error)));
                }
            }
        }
    }
    out.flush()?;
    if failed > 0 {
        bail!(say!("{} of {} lines could not be answered", "{} 行（共 {} 行）未能回答", failed, lines.len()));
    }
    Ok(())
}

fn one(indexes: &SearchedIndexes, line: &str, number: usize) -> Result<String> {
    let line: serde_json::Value = serde_json::from_str(line)?;
    let question = line["question"].as_str().or_else(|| line["query"].as_str());
    let question = question.with_context(|| say!("missing field `question`", "缺少字段 `question`"))?;
    let filter = line.get("filter").filter(|filter| !filter.is_null());
    let filter = filter.map(Filter::from_json).transpose().map_err(okno::Error::from)?;
    let answer = indexes.search(question, filter.as_ref())?;
    let qid = line.get("qid").cloned().unwrap_or_else(|| (number + 1).into());
    let contexts: Vec<_> = answer.contexts.iter().map(answer::plain_context_json).collect();
    let (relevance, nothing) = (answer.relevance, answer.nothing_relevant());
    let mut json =
        serde_json::json!({"qid": qid, "relevance": relevance, "nothing_relevant": nothing, "contexts": contexts});
    if let Some(filter) = &answer.understood.filter {
        json["filter_read"] = filter.to_string().into();
    }
    Ok(json.to_string())
}
