//! One question to several indexes: their answers become one.
//!
//! Scores mean something only within one answer, so contexts of different indexes are compared by their
//! relevance, which means the same everywhere. Each index's own order is kept: of the next context of
//! every answer the most relevant comes next, while the budget holds it.

use super::context::{Answer, Context};
use super::recipe::Unit;
use super::row_answer::RowAnswer;
use crate::understand::Routing;
use crate::understand::model::Step;

/// Joins answers to the same question; `None` when there are none.
pub fn together(answers: Vec<Answer>) -> Option<Answer> {
    let mut answers = answers.into_iter();
    let mut all = answers.next()?;
    let mut rows: Vec<(usize, RowAnswer, Routing)> = Vec::new();
    rows.extend(all.rows.take().map(|rows| (0, rows, all.routing.clone())));
    let mut queues = vec![std::mem::take(&mut all.contexts).into_iter().peekable()];
    for answer in answers {
        all.relevance = all.relevance.max(answer.relevance);
        all.damaged.extend(answer.damaged);
        all.stage.rankings.extend(answer.stage.rankings);
        all.stage.hits += answer.stage.hits;
        all.stage.targets += answer.stage.targets;
        all.steps.extend(answer.steps.into_iter().filter(|taken| taken.step == Step::Sql));
        rows.extend(answer.rows.map(|rows| (queues.len(), rows, answer.routing)));
        all.stage.matching = all.stage.matching.zip(answer.stage.matching).map(|(a, b)| a + b);
        queues.push(answer.contexts.into_iter().peekable());
    }
    let mut left = all.recipe.budget;
    match <[_; 1]>::try_from(rows) {
        // The rows that a query rests on are the first contexts.
        Ok([(at, rows, routing)]) => {
            all.contexts = queues[at].by_ref().take(rows.contexts).collect();
            left = all.contexts.iter().fold(left, |left, context| left.saturating_sub(cost(all.recipe.unit, context)));
            (all.rows, all.routing) = (Some(rows), routing);
        }
        // What each index counts by itself is not what they hold together.
        Err(several) if !several.is_empty() => all.routing.give_up(),
        Err(_) => {}
    }
    while let Some(next) = most_relevant(&mut queues) {
        // Two indexes may hold the same document.
        let known = all.contexts.iter().any(|context| is_same(context, &next));
        let cost = cost(all.recipe.unit, &next);
        if !known && cost <= left {
            left -= cost;
            all.contexts.push(next);
        }
    }
    Some(all)
}

fn cost(unit: Unit, context: &Context) -> usize {
    match unit {
        Unit::Tokens => context.tokens,
        Unit::Characters => context.end - context.start,
    }
}

type Queue = std::iter::Peekable<std::vec::IntoIter<Context>>;

/// Takes the most relevant of the next contexts; the first index's among equals.
fn most_relevant(queues: &mut [Queue]) -> Option<Context> {
    let mut best: Option<(f32, usize)> = None;
    for (at, queue) in queues.iter_mut().enumerate() {
        if let Some(next) = queue.peek()
            && best.is_none_or(|(relevance, _)| next.relevance > relevance)
        {
            best = Some((next.relevance, at));
        }
    }
    queues[best?.1].next()
}

/// Whether two contexts say the same: of one document sharing text, or copies.
fn is_same(a: &Context, b: &Context) -> bool {
    let one_document = (&a.root, &a.path, &a.document) == (&b.root, &b.path, &b.document);
    a.text == b.text || (one_document && a.span.start < b.span.end && b.span.start < a.span.end)
}
