//! `okno runs`: saved evaluation runs – listed best first, compared, removed.

use crate::address;
use crate::globals::Globals;
use crate::locale::say;
use crate::output::{self, Paint};
use crate::question_set::sentence;
use crate::values::tokens;
use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use okno_evaluate::compare::{RecipeComparison, points};
use okno_evaluate::judge::Aspect;
use okno_evaluate::runs::Runs;
use okno_evaluate::{EvaluationRun, Measure, RunCell};
use std::collections::BTreeMap;
use std::io::Write;

/// Saved runs.
#[derive(Debug, Args)]
pub struct RunsArgs {
    /// Rank by this budget [default: the smallest of each run]
    #[arg(long, value_name = "TOKENS", value_parser = tokens, global = true)]
    budget: Option<usize>,
    #[command(subcommand)]
    command: Option<RunsCommand>,
}

/// What to do with runs; without a command they are listed, best first.
#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// Compare two runs, or a recipe of each: `monday tuesday`, `monday/auto tuesday/window`
    Compare {
        /// A run, or `RUN/RECIPE`
        one: String,
        /// The run to compare with
        other: String,
    },
    /// Delete runs
    Remove {
        /// Their names
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Delete all runs
    Reset,
}

pub fn run(globals: &Globals, args: &RunsArgs) -> Result<()> {
    let runs = Runs::beside(&address::folder(globals.index()));
    match &args.command {
        None => list(globals, &runs, args.budget),
        Some(RunsCommand::Compare { one, other }) => compare(globals, &runs, one, other, args.budget),
        Some(RunsCommand::Remove { names }) => {
            for name in names {
                runs.remove(name)?;
            }
            removed(globals, names.len())
        }
        Some(RunsCommand::Reset) => removed(globals, runs.reset()?),
    }
}

fn removed(globals: &Globals, count: usize) -> Result<()> {
    if globals.json {
        return output::json(&serde_json::json!({ "removed": count }));
    }
    output::note(&say!("{} runs removed", "已移除 {} 个", count));
    Ok(())
}

/// One line of the leaderboard.
struct LeaderboardRow {
    run: String,
    made: u64,
    cell: RunCell,
    measure: Measure,
}

fn list(globals: &Globals, runs: &Runs, budget: Option<usize>) -> Result<()> {
    let mut boards = Leaderboards::new();
    for name in runs.names()? {
        let run = runs.load(&name)?;
        let Some(budget) = budget.or(run.budgets().first().copied()) else { continue };
        for cell in run.cells.iter().filter(|cell| cell.budget == budget) {
            let row = LeaderboardRow {
                run: run.name.clone(),
                made: run.made,
                cell: cell.clone(),
                measure: run.main_measure(),
            };
            boards.entry((run.set.clone(), run.fingerprint.clone(), budget)).or_default().push(row);
        }
    }
    for board in boards.values_mut() {
        let key = |row: &LeaderboardRow| (row.cell.scores.get(row.measure), row.cell.scores.get(Measure::Context));
        board.sort_by(|a, b| key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal).then(a.run.cmp(&b.run)));
    }
    if globals.json {
        return output::json(&json(&boards));
    }
    if boards.is_empty() {
        output::note(&say!(
            "no saved runs – save one with `okno eval SET --name NAME`",
            "还没有保存的评测 —— 用 `okno eval 题集 --name 名称` 保存一个"
        ));
    }
    print(&boards)
}

/// By question set, its fingerprint and the budget.
type Leaderboards = BTreeMap<(String, String, usize), Vec<LeaderboardRow>>;

fn json(boards: &Leaderboards) -> serde_json::Value {
    let row = |(rank, row): (usize, &LeaderboardRow)| {
        serde_json::json!({
            "rank": rank + 1, "run": row.run, "recipe": row.cell.recipe, "made": row.made, "scores": row.cell.scores,
            "judge_failed": row.cell.judge_failed, "latency_ms": row.cell.latency,
        })
    };
    boards
        .iter()
        .map(|((set, fingerprint, budget), board)| {
            let places: Vec<_> = board.iter().enumerate().map(row).collect();
            serde_json::json!({"set": set, "fingerprint": fingerprint, "budget": budget, "places": places})
        })
        .collect()
}

fn print(boards: &Leaderboards) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::of(&out);
    for ((set, fingerprint, budget), board) in boards {
        let questions = board.first().map_or(0, |place| place.cell.rows.len());
        let title = say!(
            "{} @{} – {} questions ({})",
            "{} @{} —— {} 个问题（{}）",
            set,
            budget,
            questions,
            &fingerprint[..8.min(fingerprint.len())]
        );
        writeln!(out, "{}", paint.bold(&title))?;
        for (rank, place) in board.iter().enumerate() {
            let line = say!(
                "{:3}. {:28} {} {:>5}  context {:>5}  {:>4.0} tokens  {:.1} ms",
                "{:3}. {:28} {} {:>5}  上下文 {:>5}  {:>4.0} 词元  {:.1} ms",
                rank + 1,
                format!("{}/{}", place.run, place.cell.recipe),
                place.measure.name(),
                points(place.cell.scores.get(place.measure)),
                points(place.cell.scores.get(Measure::Context)),
                place.cell.scores.get(Measure::Tokens),
                place.cell.latency.p50
            );
            writeln!(out, "{line}")?;
            if let Some(judged) = judged(&place.cell) {
                writeln!(out, "     {judged}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The ratings of a cell, if there are any: each aspect, how many questions, how many failed.
fn judged(cell: &RunCell) -> Option<String> {
    let figure = |aspect: Aspect| {
        let count = cell.rows.iter().filter(|row| row.get(aspect.measure()).is_some()).count();
        let mean = cell.scores.0.get(&aspect.measure())?;
        Some(format!("{} {} (n {count})", aspect.name(), points(*mean)))
    };
    let figures: Vec<String> = Aspect::ALL.into_iter().filter_map(figure).collect();
    let failed = (cell.judge_failed > 0).then(|| say!("{} failed", "失败 {} 次", cell.judge_failed));
    let all: Vec<String> = figures.into_iter().chain(failed).collect();
    (!all.is_empty()).then(|| say!("judge: {}", "评判：{}", all.join("  ")))
}

fn compare(globals: &Globals, runs: &Runs, one: &str, other: &str, budget: Option<usize>) -> Result<()> {
    let (one, own) = named(runs, one)?;
    let (other, theirs) = named(runs, other)?;
    let comparisons = comparisons(&one, own.as_deref(), &other, theirs.as_deref(), budget);
    if comparisons.is_empty() || comparisons.iter().all(|comparison| comparison.questions == 0) {
        bail!(say!(
            "`{}` and `{}` have no recipe, budget and question in common – name recipes: `{}/auto`",
            "`{}` 与 `{}` 没有共同的方案、预算和问题 —— 请指明方案，如 `{}/auto`",
            one.name,
            other.name,
            one.name
        ));
    }
    if one.fingerprint != other.fingerprint {
        output::note(&say!(
            "the question sets differ; only the questions both have are compared",
            "两次的题集不同，只比较共有的问题"
        ));
    }
    if globals.json {
        return output::json(&serde_json::to_value(comparisons)?);
    }
    let mut out = std::io::stdout().lock();
    for comparison in &comparisons {
        writeln!(out, "{}", sentence(comparison))?;
    }
    Ok(())
}

/// `RUN` or `RUN/RECIPE`.
fn named(runs: &Runs, name: &str) -> Result<(EvaluationRun, Option<String>)> {
    match name.split_once('/') {
        None => Ok((runs.load(name)?, None)),
        Some((run, recipe)) => {
            let run = runs.load(run)?;
            if !run.recipes().contains(&recipe) {
                bail!(say!(
                    "run `{}` has no recipe `{}`; expected one of `{}`",
                    "评测 `{}` 里没有方案 `{}`；可用的有 `{}`",
                    run.name,
                    recipe,
                    run.recipes().join("`, `")
                ));
            }
            Ok((run, Some(recipe.to_owned())))
        }
    }
}

/// The same recipe of both at every budget both have, or the two recipes that were named.
fn comparisons(
    one: &EvaluationRun,
    own: Option<&str>,
    other: &EvaluationRun,
    theirs: Option<&str>,
    budget: Option<usize>,
) -> Vec<RecipeComparison> {
    let recipes: Vec<(&str, &str)> = match (own, theirs) {
        (Some(own), theirs) => vec![(own, theirs.unwrap_or(own))],
        (None, Some(theirs)) => vec![(theirs, theirs)],
        (None, None) => one.recipes().into_iter().map(|name| (name, name)).collect(),
    };
    let budgets = one.budgets().into_iter().filter(|own| budget.is_none_or(|budget| budget == *own));
    budgets
        .flat_map(|budget| recipes.iter().map(move |pair| (budget, *pair)))
        .filter_map(|(budget, (own, theirs))| {
            let (own, theirs) = (one.cell(own, budget)?, other.cell(theirs, budget)?);
            Some(compared(one, own, other, theirs))
        })
        .flatten()
        .collect()
}

/// By the main measure, and by each aspect that was rated in both.
fn compared(one: &EvaluationRun, own: &RunCell, other: &EvaluationRun, theirs: &RunCell) -> Vec<RecipeComparison> {
    let judged = Aspect::ALL.map(|aspect| one.against(own, other, theirs, aspect.measure()));
    let judged = judged.into_iter().filter(|comparison| comparison.questions > 0);
    std::iter::once(one.against(own, other, theirs, one.main_measure())).chain(judged).collect()
}
