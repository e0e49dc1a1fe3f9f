//! `okno eval --judge`: the language model answers, and rates the answers.

use super::{EvalArgs, bar};
use crate::globals::Globals;
use crate::locale::say;
use crate::model::{self, ModelTable};
use crate::output::Paint;
use crate::{address, output, settings};
use anyhow::{Result, bail};
use okno::Engine;
use okno::answer::ReplyOptions;
use okno::generate::Generator;
use okno_evaluate::compare::points;
use okno_evaluate::judge::{Aspect, CellJudged, Figure, judge_run};
use okno_evaluate::run::RunRequest;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;

/// The model, and how it is asked.
pub struct AnswerJudge {
    model: Arc<dyn Generator>,
    options: ReplyOptions<'static>,
}

impl AnswerJudge {
    /// The configured model; an error if there is none, before any work is done.
    pub fn new(globals: &Globals) -> Result<Self> {
        let index = address::folder(globals.index());
        let settings = settings::of(&index)?;
        let usual = ModelTable::usual(&settings);
        let Some(model) = model::generator(&usual, &settings::secrets(&index))? else {
            bail!(say!(
                "`--judge` needs a language model, but {}",
                "`--judge` 需要语言模型，但{}",
                model::how_to_set_up()
            ));
        };
        Ok(Self { model, options: model::reply_options(&settings, &usual, &index)? })
    }

    /// Answers and judges.
    pub fn run(
        &self,
        globals: &Globals,
        engine: &Engine,
        asking: &RunRequest<'_>,
        args: &EvalArgs,
    ) -> Result<Vec<CellJudged>> {
        let questions = args.judge_questions.min(asking.set.questions.len());
        let bar = bar(globals, asking.candidates.len() * asking.budgets.len() * questions);
        let progress = |done: usize, _: usize| bar.set_position(done as u64);
        let judged = judge_run(engine, asking, args.judge_questions, &*self.model, &self.options, &progress)?;
        bar.finish_and_clear();
        Ok(judged)
    }
}

/// The triad of a cell with everything the judge said.
pub fn json(cell: &CellJudged, seed: u64) -> Value {
    let figures: serde_json::Map<String, Value> =
        Aspect::ALL.iter().map(|aspect| (aspect.name().to_owned(), json!(cell.figure(*aspect, seed)))).collect();
    json!({"recipe": cell.recipe, "budget": cell.budget, "figures": figures, "questions": cell.questions})
}

/// A table per budget: each aspect with its interval, and how often the judge failed.
pub fn print(cells: &[CellJudged], seed: u64) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::of(&out);
    let mut budgets: Vec<usize> = cells.iter().map(|cell| cell.budget).collect();
    budgets.dedup();
    budgets.sort_unstable();
    budgets.dedup();
    for budget in budgets {
        let names: String = Aspect::ALL.iter().map(|aspect| format!("{:>26}", aspect.name())).collect();
        writeln!(
            out,
            "\n{}",
            paint.bold(&format!("{:10}{names}{:>8}", say!("judge @{}", "评判 @{}", budget), say!("failed", "失败")))
        )?;
        for cell in cells.iter().filter(|cell| cell.budget == budget) {
            let figures = Aspect::ALL.map(|aspect| cell.figure(aspect, seed));
            let shown: String = figures.iter().map(|figure| format!("{:>26}", shown(figure))).collect();
            let failed: usize = figures.iter().map(|figure| figure.failed).sum();
            writeln!(out, "{:10}{shown}{failed:>8}", output::printable(&cell.recipe))?;
        }
    }
    if let Some(reason) = cells.iter().flat_map(|cell| &cell.questions).find_map(first_failure) {
        output::note(&say!(
            "questions that could not be rated are not counted; the first reason: {}",
            "未能评判的问题没有计入；第一个原因：{}",
            output::printable(&output::shortened(&reason, 300))
        ));
    }
    Ok(())
}

/// `87.3 (80.1…93.0) n 20`.
fn shown(figure: &Figure) -> String {
    figure.score.map_or_else(
        || "–".to_owned(),
        |score| format!("{} ({}…{}) n {}", points(score.mean), points(score.low), points(score.high), figure.judged),
    )
}

fn first_failure(question: &okno_evaluate::judge::QuestionJudged) -> Option<String> {
    let failed = question.aspects.values().find_map(|judgement| match judgement {
        okno_evaluate::judge::Judgement::Failed(reason) => Some(reason.clone()),
        _ => None,
    });
    question.error.clone().or(failed)
}
