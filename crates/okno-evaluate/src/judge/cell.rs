//! Judging a run: the questions of each recipe and budget are answered by the model and judged, several at once.

use super::{Aspect, Case, Judgement, judge};
use crate::Result;
use crate::compare::Interval;
use crate::measure::Scores;
use crate::run::{EvaluationRun, RunCell, RunRequest, query};
use crate::set::Question;
use okno::Engine;
use okno::answer::{ReplyOptions, reply};
use okno::generate::Generator;
use okno::generate::many;
use okno::retrieve::Recipe;
use okno::store::Snapshot;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The judgements of one recipe at one budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellJudged {
    /// The recipe's name.
    pub recipe: String,
    /// Tokens it could spend.
    pub budget: usize,
    /// One per question that was judged, in order.
    pub questions: Vec<QuestionJudged>,
}

/// The judgements of one question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionJudged {
    /// The question's name.
    pub question: String,
    /// What was answered.
    pub answer: String,
    /// Why there is no answer, where there is none.
    pub error: Option<String>,
    /// Each aspect.
    pub aspects: BTreeMap<Aspect, Judgement>,
}

/// One aspect of a cell in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    /// The mean of all questions that were judged, and where it may lie; `None` where none was.
    pub score: Option<Interval>,
    /// Questions with a verdict.
    pub judged: usize,
    /// Questions where the judge failed; they are no part of the mean.
    pub failed: usize,
}

impl CellJudged {
    /// An aspect in numbers.
    pub fn figure(&self, aspect: Aspect, seed: u64) -> Figure {
        let scores: Vec<f64> = self.judgements(aspect).filter_map(Judgement::score).collect();
        let score = (!scores.is_empty()).then(|| Interval::of(&scores, seed));
        Figure { score, judged: scores.len(), failed: self.failed(aspect) }
    }

    fn judgements(&self, aspect: Aspect) -> impl Iterator<Item = &Judgement> {
        self.questions.iter().filter_map(move |question| question.aspects.get(&aspect))
    }

    /// Questions without a verdict although there should be one.
    fn failed(&self, aspect: Aspect) -> usize {
        let failed = self.judgements(aspect).filter(|judgement| matches!(judgement, Judgement::Failed(_))).count();
        failed + if aspect == Aspect::ContextRelevance { 0 } else { self.unanswered() }
    }

    /// Questions that the model could not answer.
    pub fn unanswered(&self) -> usize {
        self.questions.iter().filter(|question| question.error.is_some()).count()
    }
}

impl EvaluationRun {
    /// Takes in what a judge said: one more measure of each question for each aspect, where there is a verdict. The
    /// texts stay out.
    pub fn keep_judged(&mut self, judged: &[CellJudged]) {
        for said in judged {
            let places = |cell: &&mut RunCell| cell.recipe == said.recipe && cell.budget == said.budget;
            let Some(cell) = self.cells.iter_mut().find(places) else { continue };
            // The questions that were judged are the first ones, in order.
            for (row, question) in cell.rows.iter_mut().zip(&said.questions) {
                for (aspect, judgement) in &question.aspects {
                    judgement.score().into_iter().for_each(|score| row.set(aspect.measure(), score));
                }
            }
            cell.scores = Scores::of(&cell.rows);
            cell.judge_failed = Aspect::ALL.iter().map(|aspect| said.failed(*aspect)).sum();
        }
    }
}

/// Answers and judges the first `count` questions of every recipe and budget of a run, telling `progress` after each.
pub fn judge_run(
    engine: &Engine,
    asking: &RunRequest<'_>,
    count: usize,
    model: &dyn Generator,
    options: &ReplyOptions<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<CellJudged>> {
    let snapshot = engine.snapshot()?;
    let questions = &asking.set.questions[..count.min(asking.set.questions.len())];
    let places: Vec<_> = asking
        .candidates
        .iter()
        .flat_map(|candidate| asking.budgets.iter().map(move |budget| (candidate, *budget)))
        .collect();
    let (done, total) = (AtomicUsize::new(0), places.len() * questions.len());
    let mut cells = Vec::new();
    for (candidate, budget) in places {
        let one = |question: &Question| {
            let judged = judged(engine, &*snapshot, question, &candidate.recipe, budget, model, options);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            judged
        };
        // Nothing stops it, so every question has its place.
        let judged = many(questions, model.concurrency(), &|| false, one);
        let questions = judged.into_iter().flatten().collect::<Result<_>>()?;
        cells.push(CellJudged { recipe: candidate.name.clone(), budget, questions });
    }
    Ok(cells)
}

fn judged(
    engine: &Engine,
    snapshot: &dyn Snapshot,
    question: &Question,
    recipe: &Recipe,
    budget: usize,
    model: &dyn Generator,
    options: &ReplyOptions<'_>,
) -> Result<QuestionJudged> {
    let found = engine.search_in(snapshot, &query(question, recipe, budget))?;
    let texts: Vec<String> = found.contexts.iter().map(|context| context.text.clone()).collect();
    let contexts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (answer, error, found) = match reply(found, Some(model), options, &mut |_| ControlFlow::Continue(())) {
        Ok(reply) => (reply.text, None, reply.found),
        Err(error) => (String::new(), Some(error.to_string()), false),
    };
    let case = Case { question: &question.text, answer: &answer, contexts: &contexts };
    // Without an answer there is nothing of it to judge; where the documents do not say, no statement needs grounds.
    let applies = |aspect: &Aspect| match aspect {
        Aspect::ContextRelevance => true,
        Aspect::AnswerRelevance => error.is_none(),
        Aspect::Groundedness => error.is_none() && found,
    };
    let aspects = Aspect::ALL.into_iter().filter(applies);
    let aspects = aspects.map(|aspect| (aspect, judge(aspect, case, model, &options.prompts))).collect();
    Ok(QuestionJudged { question: question.id.clone(), answer, error, aspects })
}
