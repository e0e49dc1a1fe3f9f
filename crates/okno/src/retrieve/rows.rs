//! Rows as an answer: questions that only counting, adding or comparing rows answers.
//!
//! A [`RowRoute`] turns such a question into a query over the tables of an index: by rule, and where the rule is not
//! sure, a language model writes it – if the question or its recipe names that step, if a model chose this route, or if
//! whoever asks lets it ([`Query::sql_by_model`]).
//! What it computed is told beside the contexts, and the rows that it rests on are the first contexts; what the usual
//! search found comes after them, as far as the budget goes.

use super::Models;
use super::context::{self, Answer, Context};
use super::expand::ContextPiece;
use super::fuse::HitTraces;
use super::query::Query;
use super::recipe::{Fusion, Unit};
use super::row_answer::{CitedRow, RowAnswer, RowRoute};
use super::scope::QuestionScope;
use crate::Result;
use crate::generate::Usage;
use crate::store::Snapshot;
use crate::understand::model::{Step, StepError, Taken};
use crate::understand::{Because, Route, Routing};

/// Answers with rows what rows can answer; what the usual search found stays as it is otherwise.
pub fn look_up(answer: &mut Answer, snapshot: &dyn Snapshot, models: Models<'_>, query: &Query) -> Result<()> {
    let is_chosen = answer.routing.route == Route::Sql;
    let is_named = answer.recipe.transform.contains(&Step::Sql);
    let rows = match models.row_route {
        // The question says itself where to look.
        Some(_) if query.route.is_some() || query.filter.is_some() => {
            answer.steps.extend(is_named.then(|| Taken::failed(Step::Sql, StepError::Narrowed, Usage::default())));
            None
        }
        Some(route) => match route.answer(snapshot, &query.text)? {
            None if is_named || is_chosen || is_let(route, snapshot, models, query)? => {
                let (rows, taken) = by_model(route, snapshot, models, &query.text)?;
                answer.steps.push(taken);
                rows
            }
            rows => rows,
        },
        None => {
            let taken = || models.asker.map_or_else(|| Taken::without_model(Step::Sql), |_| no_tables());
            answer.steps.extend(is_named.then(taken));
            None
        }
    };
    match rows {
        Some(rows) => put_first(answer, snapshot, rows)?,
        None if is_chosen => answer.routing.give_up(),
        None => {}
    }
    if is_chosen && answer.rows.is_some() {
        answer.routing.because = Because::Model;
    }
    Ok(())
}

/// Whether a model may be asked for a query over rows though no step is named.
pub fn may_write_sql(snapshot: &dyn Snapshot, models: Models<'_>, query: &Query) -> Result<bool> {
    models.row_route.map_or(Ok(false), |route| is_let(route, snapshot, models, query))
}

/// Whether a model writes the query without being told to: the asker lets it, and the question counts rows.
fn is_let(route: &dyn RowRoute, snapshot: &dyn Snapshot, models: Models<'_>, query: &Query) -> Result<bool> {
    Ok(query.sql_by_model && models.asker.is_some() && route.counts(&query.text) && route.has_tables(snapshot)?)
}

fn by_model(
    route: &dyn RowRoute,
    snapshot: &dyn Snapshot,
    models: Models<'_>,
    question: &str,
) -> Result<(Option<RowAnswer>, Taken)> {
    match models.asker {
        None => Ok((None, Taken::without_model(Step::Sql))),
        Some(_) if !route.has_tables(snapshot)? => Ok((None, no_tables())),
        Some(asker) => route.answer_by_model(snapshot, question, asker),
    }
}

fn no_tables() -> Taken {
    Taken::failed(Step::Sql, StepError::NoTables, Usage::default())
}

/// Puts the rows before what the usual search found.
fn put_first(answer: &mut Answer, snapshot: &dyn Snapshot, mut rows: RowAnswer) -> Result<()> {
    let mut left = answer.recipe.budget;
    let cost = |context: &Context| match answer.recipe.unit {
        Unit::Tokens => context.tokens,
        Unit::Characters => context.end - context.start,
    };
    let (scope, mut contexts) = (QuestionScope::default(), Vec::new());
    for CitedRow { document, sentences } in touching(std::mem::take(&mut rows.places)) {
        let anchor = sentences.start;
        let piece = ContextPiece { document, sentences, score: 1.0, anchor, hits: Vec::new() };
        let mut context =
            context::cut(snapshot, piece, &scope, &HitTraces::new(&[], Fusion::Relative, 0), None, &mut [])?;
        // What a query selects is what was asked for.
        context.relevance = 1.0;
        if cost(&context) > left {
            break;
        }
        left -= cost(&context);
        contexts.push(context);
    }
    rows.contexts = contexts.len();
    for context in std::mem::take(&mut answer.contexts) {
        let is_known = contexts.iter().any(|row: &Context| {
            (&row.root, &row.document) == (&context.root, &context.document)
                && row.span.start < context.span.end
                && context.span.start < row.span.end
        });
        if !is_known && cost(&context) <= left {
            left -= cost(&context);
            contexts.push(context);
        }
    }
    (answer.contexts, answer.relevance, answer.rows) = (contexts, 1.0, Some(rows));
    answer.routing = Routing { route: Route::Sql, because: Because::Rows, phrases: Vec::new() };
    Ok(())
}

/// Rows that follow one another, as one.
fn touching(places: Vec<CitedRow>) -> Vec<CitedRow> {
    let mut together: Vec<CitedRow> = Vec::new();
    for place in places {
        match together.last_mut() {
            Some(last) if last.document == place.document && last.sentences.end == place.sentences.start => {
                last.sentences.end = place.sentences.end;
            }
            _ => together.push(place),
        }
    }
    together
}
