//! `okno eval`: recipes on questions with known answers, as a table, a sentence, JSON and a page.

mod judge;

use crate::globals::Globals;
use crate::locale::{Lang, language, say};
use crate::output::{self, Paint};
use crate::question_set::{SEED, candidates, sentence, with_set};
use crate::values::{number, tokens};
use crate::{address, model, settings};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use judge::AnswerJudge;
use okno::Engine;
use okno::generate::Generator;
use okno::retrieve::Recipe;
use okno::understand::model::Step;
use okno_evaluate::compare::{Interval, RecipeComparison, points};
use okno_evaluate::judge::CellJudged;
use okno_evaluate::report::Report;
use okno_evaluate::run::{Candidate, EvaluationRun, Outcome, RunCell, RunRequest, left_out, run as ask};
use okno_evaluate::runs::Runs;
use okno_evaluate::set::{Library, QuestionSet};
use okno_evaluate::{Measure, RunVerdict};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Questions with known answers, several recipes, figures.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// A folder with `corpus.jsonl` and `queries.jsonl`, or a file of questions (JSON lines, CSV, TSV) about the index
    set: PathBuf,
    /// The recipes to measure [default: all]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    recipes: Vec<String>,
    /// Also measure each recipe with these steps of a language model: rewrite, decompose, step-back, multi-query, hyde,
    /// filter, route, post-filter, sql
    #[arg(long, value_name = "STEP,…", value_delimiter = ',')]
    transform: Vec<String>,
    /// Budgets in tokens; every recipe is measured once for each
    #[arg(
        long, value_name = "TOKENS,…", value_delimiter = ',', value_parser = tokens, default_value = "500,1000,2000"
    )]
    budget: Vec<usize>,
    /// Write an HTML report
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Save the results under this name for `okno runs`
    #[arg(long, value_name = "RUN")]
    name: Option<String>,
    /// Random seed; the same seed gives the same confidence intervals
    #[arg(long, value_parser = number::<u64>, default_value_t = SEED)]
    seed: u64,
    /// Let the language model answer, and rate its answers: grounded in the contexts, answering the question, contexts
    /// relevant
    #[arg(long)]
    judge: bool,
    /// Number of questions, from the start of the set, that are answered and rated for each recipe and budget
    #[arg(long, value_name = "N", value_parser = number::<usize>, default_value_t = 20, requires = "judge")]
    judge_questions: usize,
}

pub fn run(globals: &Globals, args: &EvalArgs) -> Result<()> {
    let runs = Runs::beside(&address::folder(globals.index()));
    if let Some(name) = &args.name {
        runs.check_new(name)?;
    }
    let judge = args.judge.then(|| AnswerJudge::new(globals)).transpose()?;
    let generator = generator(globals, args)?;
    let (run, judged, page) = with_set(globals, &args.set, generator, |engine, set, library| {
        let candidates = with_steps(candidates(engine, &args.recipes)?, &args.transform)?;
        if args.recipes.is_empty() && !globals.json {
            say_left_out(engine)?;
        }
        let bar = bar(globals, candidates.len() * args.budget.len() * set.questions.len());
        let name = args.name.as_deref().unwrap_or_default();
        let asking = RunRequest { set, candidates: &candidates, budgets: &args.budget, seed: args.seed, name };
        let mut outcome = ask(engine, &asking, library, &|done, _| bar.set_position(done as u64))?;
        bar.finish_and_clear();
        let judged =
            judge.as_ref().map(|judge| judge.run(globals, engine, &asking, args)).transpose()?.unwrap_or_default();
        outcome.run.keep_judged(&judged);
        let page = args.report.as_ref().map(|_| page(args, &outcome, &judged, set, library));
        Ok((outcome.run, judged, page))
    })?;
    if let (Some(file), Some(page)) = (&args.report, page) {
        std::fs::write(file, page).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", file.display()))?;
        output::note(&say!("wrote the report to {}", "报告已写入 {}", file.display()));
    }
    if args.name.is_some() {
        let kept = runs.save(&run)?;
        output::note(&say!(
            "saved to {} – list runs with `okno runs`",
            "已保存到 {} —— 用 `okno runs` 查看",
            kept.display()
        ));
    }
    unhelped(&run);
    if globals.json {
        return output::json(&json(&run, &judged));
    }
    print(&run)?;
    judge::print(&judged, run.seed)
}

/// Prints which recipes are not measured, and what they lack.
fn say_left_out(engine: &Engine) -> Result<()> {
    let left_out = left_out(engine)?;
    let lacking: Vec<String> = left_out.iter().map(|(name, layers)| format!("`{name}` ({layers})")).collect();
    if !lacking.is_empty() {
        output::note(&say!(
            "not measured, because this index lacks the units they need: {} – add them with `okno derive` or `okno \
             import-units`",
            "以下方案没有评测，因为本索引没有所需的单元：{} —— 可用 `okno derive` 或 `okno import-units` 添加",
            lacking.join(", ")
        ));
    }
    Ok(())
}

/// The language model, if the flags or a named recipe use it; an error if they do and there is none.
fn generator(globals: &Globals, args: &EvalArgs) -> Result<Option<Arc<dyn Generator>>> {
    let index = address::folder(globals.index());
    let recipes = settings::of(&index)?.values().recipes()?;
    let has_steps = |name: &String| recipes.get(name).is_some_and(|recipe| !recipe.transform.is_empty());
    if args.transform.is_empty() && !args.recipes.iter().any(has_steps) {
        return Ok(None);
    }
    let found = model::of(&index)?;
    if found.is_none() {
        bail!(say!("a recipe uses a language model, but {}", "有方案需要语言模型，但{}", model::how_to_set_up()));
    }
    Ok(found)
}

/// Each recipe, and each with these steps: `auto`, `auto+rewrite`.
fn with_steps(mut candidates: Vec<Candidate>, names: &[String]) -> Result<Vec<Candidate>> {
    let steps: Vec<Step> = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    if !steps.is_empty() {
        let helped = |candidate: &Candidate| {
            let recipe = Recipe { transform: steps.clone(), ..candidate.recipe.clone() };
            Candidate { name: format!("{}+{}", candidate.name, names.join("+")), recipe }
        };
        candidates = candidates.iter().flat_map(|candidate| [candidate.clone(), helped(candidate)]).collect();
    }
    Ok(candidates)
}

/// Prints which figures are without a step of the language model.
fn unhelped(run: &EvaluationRun) {
    for cell in run.cells.iter().filter(|cell| cell.unhelped > 0) {
        output::note(&say!(
            "{} @{}: a step of the language model failed for {} of {} questions, which were searched without it",
            "{} @{}：{} / {} 个问题的模型步骤失败，未使用该步骤搜索",
            cell.recipe,
            cell.budget,
            cell.unhelped,
            run.questions.len()
        ));
    }
}

/// A bar on a terminal, nothing anywhere else.
fn bar(globals: &Globals, total: usize) -> ProgressBar {
    if globals.json {
        return ProgressBar::hidden();
    }
    // The template is a constant: it can fail only where every run would.
    let style = ProgressStyle::with_template("{bar:30} {percent} % · {pos}/{len} · {elapsed} + {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total as u64).with_style(style)
}

fn page(args: &EvalArgs, outcome: &Outcome, judged: &[CellJudged], set: &QuestionSet, library: &dyn Library) -> String {
    let list = |items: &[String]| items.join(",");
    let budgets: Vec<String> = args.budget.iter().map(ToString::to_string).collect();
    let recipes: Vec<String> = outcome.run.recipes().into_iter().map(str::to_owned).collect();
    let command = format!(
        "okno eval {} --recipes {} --budget {} --seed {}",
        args.set.display(),
        list(&recipes),
        list(&budgets),
        args.seed
    );
    let chinese = language() == Lang::Zh;
    let command =
        if args.judge { format!("{command} --judge --judge-questions {}", args.judge_questions) } else { command };
    Report { outcome, judged, set, texts: library.texts(), command: &command, chinese }.html()
}

fn json(run: &EvaluationRun, judged: &[CellJudged]) -> serde_json::Value {
    let cell = |cell: &RunCell| {
        serde_json::json!({
            "recipe": cell.recipe, "budget": cell.budget, "scores": cell.scores, "latency_ms": cell.latency,
            "unhelped": cell.unhelped, "judge_failed": cell.judge_failed,
        })
    };
    let comparison = |comparison: RecipeComparison| {
        let sentence = sentence(&comparison);
        let mut json = serde_json::to_value(comparison)?;
        json["sentence"] = sentence.into();
        Ok::<_, serde_json::Error>(json)
    };
    let compared: Vec<_> = run
        .budgets()
        .into_iter()
        .flat_map(|budget| run.comparisons(run.main_measure(), budget))
        .filter_map(|one| comparison(one).ok())
        .collect();
    let mut json = serde_json::json!({
        "name": run.name, "set": run.set, "fingerprint": run.fingerprint, "questions": run.questions.len(),
        "seed": run.seed,
        "version": run.version, "embedder": run.embedder, "documents": run.documents, "sentences": run.sentences,
        "cells": run.cells.iter().map(cell).collect::<Vec<_>>(), "comparisons": compared,
    });
    if let Some(verdict) = verdict(run) {
        let sentence = in_words(&verdict);
        json["verdict"] = serde_json::to_value(verdict).unwrap_or_default();
        json["verdict"]["sentence"] = sentence.into();
    }
    if !judged.is_empty() {
        json["judged"] = judged.iter().map(|cell| judge::json(cell, run.seed)).collect();
    }
    json
}

/// The finding at the smallest budget: there recipes differ most.
fn verdict(run: &EvaluationRun) -> Option<RunVerdict> {
    RunVerdict::of(run, *run.budgets().first()?)
}

fn in_words(verdict: &RunVerdict) -> String {
    match language() {
        Lang::Zh => verdict.chinese(),
        Lang::En => verdict.english(),
    }
}

/// What the table shows besides the main measure.
const SHOWN: [(Measure, &str); 8] = [
    (Measure::Context, "context"),
    (Measure::All, "all"),
    (Measure::Precision, "precis."),
    (Measure::Duplicate, "repeat."),
    (Measure::Mrr, "mrr@10"),
    (Measure::Ndcg, "ndcg@10"),
    (Measure::Fragments, "pieces"),
    (Measure::Tokens, "tokens"),
];

fn print(run: &EvaluationRun) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::of(&out);
    let main = run.main_measure();
    writeln!(
        out,
        "{}",
        say!(
            "{}: {} questions, {} documents, {} sentences",
            "{}：{} 个问题，{} 个文档，{} 个句子",
            run.set,
            run.questions.len(),
            run.documents,
            run.sentences
        )
    )?;
    if let Some(verdict) = verdict(run) {
        writeln!(out, "{}", paint.bold(&in_words(&verdict)))?;
    }
    for budget in run.budgets() {
        let ranked = run.ranked(budget);
        let shown: Vec<_> = SHOWN
            .iter()
            .filter(|(measure, _)| *measure != main && ranked.iter().any(|cell| cell.scores.0.contains_key(measure)))
            .collect();
        let names: String = shown.iter().map(|(_, name)| format!("{name:>8}")).collect();
        let title = format!(
            "{:10} {:>8} {:>13}{names}{:>14}",
            say!("@{}", "@{}", budget),
            main.name(),
            "95 % CI",
            "ms p50/p95"
        );
        writeln!(out, "\n{}", paint.bold(&title))?;
        for cell in &ranked {
            writeln!(out, "{}", line(run, cell, main, &shown))?;
        }
        for comparison in run.comparisons(main, budget) {
            writeln!(out, "  {}", sentence(&comparison))?;
        }
    }
    Ok(())
}

fn line(run: &EvaluationRun, cell: &RunCell, main: Measure, shown: &[&(Measure, &str)]) -> String {
    let values: Vec<f64> = cell.rows.iter().filter_map(|row| row.get(main)).collect();
    let interval = Interval::of(&values, run.seed);
    let range = format!("{}…{}", points(interval.low), points(interval.high));
    let others: String = shown
        .iter()
        .map(|(measure, _)| match measure {
            Measure::Tokens => format!("{:>8.0}", cell.scores.get(*measure)),
            Measure::Fragments => format!("{:>8.1}", cell.scores.get(*measure)),
            _ => format!("{:>8}", points(cell.scores.get(*measure))),
        })
        .collect();
    let time = format!("{:.2}/{:.2}", cell.latency.p50, cell.latency.p95);
    format!("{:10} {:>8} {range:>13}{others}{time:>14}", cell.recipe, points(interval.mean))
}
