//! `okno eval`: recipes on questions with known answers, as a table, a sentence, JSON and a page.

use crate::args::{Cli, EvalArgs};
use crate::locale::{Language, language, say};
use crate::output::{self, Paint};
use crate::{embedder, place, reranker, settings};
use anyhow::{Context as _, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use okno::Engine;
use okno::generate::Generator;
use okno::retrieve::Recipe;
use okno::understand::model::Step;
use okno_evaluate::Measure;
use okno_evaluate::compare::{Comparison, Interval, points};
use okno_evaluate::judge::CellJudged;
use okno_evaluate::report::Report;
use okno_evaluate::run::{Asking, Candidate, Cell, Outcome, Run, built_in_for, left_out, run as ask};
use okno_evaluate::runs::Runs;
use okno_evaluate::set::{Corpus, Indexed, Library, QuestionSet};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

mod judge;

use judge::Judge;

pub fn run(cli: &Cli, args: &EvalArgs) -> Result<()> {
    let runs = Runs::beside(&place::existing(cli.index()));
    if let Some(name) = &args.name {
        runs.check_new(name)?;
    }
    if args.budget.is_empty() || args.budget.contains(&0) {
        bail!(say!(
            "a budget of 0 tokens holds nothing – try `--budget 500`",
            "预算为 0 词元什么也放不下 —— 试试 `--budget 500`"
        ));
    }
    let judge = args.judge.then(|| Judge::new(cli)).transpose()?;
    let generator = generator(cli, args)?;
    let (run, judged, page) = with_set(cli, &args.set, generator, |engine, set, library| {
        let candidates = with_steps(candidates(engine, &args.recipes)?, &args.transform)?;
        if args.recipes.is_empty() && !cli.json {
            say_left_out(engine)?;
        }
        let bar = bar(cli, candidates.len() * args.budget.len() * set.questions.len());
        let name = args.name.as_deref().unwrap_or_default();
        let asking = Asking { set, candidates: &candidates, budgets: &args.budget, seed: args.seed, name };
        let mut outcome = ask(engine, &asking, library, &|done, _| bar.set_position(done as u64))?;
        bar.finish_and_clear();
        let judged = judge.as_ref().map(|judge| judge.run(cli, engine, &asking, args)).transpose()?.unwrap_or_default();
        outcome.run.keep_judged(&judged);
        let page = args.report.as_ref().map(|_| page(args, &outcome, &judged, set, library));
        Ok((outcome.run, judged, page))
    })?;
    if let (Some(file), Some(page)) = (&args.report, page) {
        std::fs::write(file, page).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", file.display()))?;
        output::note(&say!("the report is in {}", "报告在 {}", file.display()));
    }
    if args.name.is_some() {
        let kept = runs.save(&run)?;
        output::note(&say!("kept in {} – `okno runs` lists", "已保存到 {} —— `okno runs` 查看", kept.display()));
    }
    unhelped(&run);
    if cli.json {
        return output::json(&json(&run, &judged));
    }
    print(&run)?;
    judge::print(&judged, run.seed)
}

/// Says which recipes are not measured, and what they lack.
fn say_left_out(engine: &Engine) -> Result<()> {
    let left_out = left_out(engine)?;
    let lacking: Vec<String> = left_out.iter().map(|(name, layers)| format!("`{name}` ({layers})")).collect();
    if !lacking.is_empty() {
        output::note(&say!(
            "left out, because this index has no such units: {} – `okno derive` or `okno import-units` adds them",
            "以下方案没有评测,因为本索引没有所需的单元:{} —— 可用 `okno derive` 或 `okno import-units` 添加",
            lacking.join(", ")
        ));
    }
    Ok(())
}

/// Opens a set with its documents: a folder's own corpus in a temporary index, or the index for a file of questions.
pub fn with_set<T>(
    cli: &Cli,
    path: &Path,
    generator: Option<Arc<dyn Generator>>,
    work: impl FnOnce(&Engine, &QuestionSet, &mut dyn Library) -> Result<T>,
) -> Result<T> {
    if !path.is_dir() {
        let mut engine = place::open_to_ask(cli.index(), None)?;
        helped(&mut engine, cli, generator)?;
        let snapshot = engine.snapshot()?;
        let mut library = Indexed::new(&*snapshot);
        let set = QuestionSet::read(path, &mut library)?;
        return work(&engine, &set, &mut library);
    }
    let corpus = path.join("corpus.jsonl");
    let mut library = Corpus::read(&corpus)?;
    let set = QuestionSet::read(&path.join("queries.jsonl"), &mut library)?;
    let folder = tempfile::tempdir()?;
    let settings = settings::of(&place::existing(cli.index()))?;
    let mut engine = embedder::open_or_create(&folder.path().join(place::NAME), None, &settings)?;
    reranker::set(&mut engine, None, &settings)?;
    helped(&mut engine, cli, generator)?;
    let report = engine.index(&[&corpus])?;
    if let Some(skipped) = report.skipped.first() {
        bail!(say!(
            "`{}` could not be indexed: {} – mend it",
            "无法索引 `{}`:{} —— 请修正",
            skipped.place,
            skipped.reason
        ));
    }
    work(&engine, &set, &mut library)
}

/// The language model, where the flags or a recipe that was named ask for its help; an error where they do and there is none.
fn generator(cli: &Cli, args: &EvalArgs) -> Result<Option<Arc<dyn Generator>>> {
    let index = place::existing(cli.index());
    let recipes = crate::settings::of(&index)?.values().recipes()?;
    let helped = |name: &String| recipes.get(name).is_some_and(|recipe| !recipe.transform.is_empty());
    if args.transform.is_empty() && !args.recipes.iter().any(helped) {
        return Ok(None);
    }
    let found = crate::helper::of(&index)?;
    if found.is_none() {
        bail!(say!(
            "a recipe asks for a language model, and none is set: it would be measured without",
            "有方案需要语言模型,但没有设置:测出来的将不是它"
        ));
    }
    Ok(found)
}

/// Gives an engine the model and the words in which it is asked.
fn helped(engine: &mut Engine, cli: &Cli, generator: Option<Arc<dyn Generator>>) -> Result<()> {
    if generator.is_some() {
        engine.set_prompts(crate::helper::prompts(&place::existing(cli.index()))?);
    }
    engine.set_generator(generator);
    Ok(())
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

/// What was not measured as the recipe says.
fn unhelped(run: &Run) {
    for cell in run.cells.iter().filter(|cell| cell.unhelped > 0) {
        output::note(&say!(
            "{} @{}: {} of {} questions were searched without a step that the model was to take",
            "{} @{}:{} / {} 个问题未能使用模型的步骤",
            cell.recipe,
            cell.budget,
            cell.unhelped,
            run.questions.len()
        ));
    }
}

/// The recipes by name; when none is named, all built-in ones that the index can answer with.
pub fn candidates(engine: &Engine, names: &[String]) -> Result<Vec<Candidate>> {
    if names.is_empty() {
        return Ok(built_in_for(engine)?);
    }
    let mut all: Vec<Candidate> = Vec::new();
    for name in names {
        if all.iter().all(|known| known.name != *name) {
            let recipe = Recipe::named(name, engine.snapshot()?.manifest(), engine.recipes())?;
            all.push(Candidate { name: name.clone(), recipe });
        }
    }
    Ok(all)
}

/// A bar on a terminal, nothing anywhere else.
fn bar(cli: &Cli, total: usize) -> ProgressBar {
    if cli.json {
        return ProgressBar::hidden();
    }
    // The template is a constant: it can fail only where every run would.
    let style =
        ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}").unwrap_or_else(|_| ProgressStyle::default_bar());
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
    let chinese = language() == Language::Zh;
    let command =
        if args.judge { format!("{command} --judge --judge-questions {}", args.judge_questions) } else { command };
    Report { outcome, judged, set, texts: library.texts(), command: &command, chinese }.html()
}

/// A comparison as a sentence in the language of this run.
pub fn sentence(comparison: &Comparison) -> String {
    match language() {
        Language::En => comparison.english(),
        Language::Zh => comparison.chinese(),
    }
}

fn json(run: &Run, judged: &[CellJudged]) -> serde_json::Value {
    let cell = |cell: &Cell| serde_json::json!({"recipe": cell.recipe, "budget": cell.budget, "scores": cell.scores, "latency_ms": cell.latency, "unhelped": cell.unhelped, "judge_failed": cell.judge_failed});
    let comparison = |comparison: Comparison| {
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
        "name": run.name, "set": run.set, "fingerprint": run.fingerprint, "questions": run.questions.len(), "seed": run.seed,
        "version": run.version, "embedder": run.embedder, "documents": run.documents, "sentences": run.sentences,
        "cells": run.cells.iter().map(cell).collect::<Vec<_>>(), "comparisons": compared,
    });
    if !judged.is_empty() {
        json["judged"] = judged.iter().map(|cell| judge::json(cell, run.seed)).collect();
    }
    json
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

fn print(run: &Run) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::new(out.is_terminal());
    let main = run.main_measure();
    writeln!(
        out,
        "{}",
        say!(
            "{}: {} questions, {} documents, {} sentences",
            "{}:{} 个问题,{} 个文档,{} 个句子",
            run.set,
            run.questions.len(),
            run.documents,
            run.sentences
        )
    )?;
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

fn line(run: &Run, cell: &Cell, main: Measure, shown: &[&(Measure, &str)]) -> String {
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
