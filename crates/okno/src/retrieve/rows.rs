//! Rows as an answer: questions that only counting, adding or comparing rows answers.
//!
//! A [`RowRoute`](super::RowRoute) turns such a question into a query over the tables of an index.
//! What it computed is told beside the contexts, and the rows that it rests on are the first contexts; what the usual
//! search found comes after them, as far as the budget goes.

use super::context::{self, Answer, Context};
use super::expand::ContextPiece;
use super::recipe::Unit;
use super::row_answer::{CitedRow, RowAnswer};
use super::scope::QuestionScope;
use crate::Result;
use crate::store::Snapshot;
use crate::understand::{Because, Route, Routing};

/// Puts the rows before what the usual search found.
pub fn put_first(answer: &mut Answer, snapshot: &dyn Snapshot, mut rows: RowAnswer) -> Result<()> {
    let mut left = answer.recipe.budget;
    let cost = |context: &Context| match answer.recipe.unit {
        Unit::Tokens => context.tokens,
        Unit::Characters => context.end - context.start,
    };
    let (scope, mut contexts) = (QuestionScope::default(), Vec::new());
    for CitedRow { document, sentences } in touching(std::mem::take(&mut rows.places)) {
        let anchor = sentences.start;
        let piece = ContextPiece { document, sentences, score: 1.0, anchor, hits: Vec::new() };
        let mut context = context::cut(snapshot, piece, &scope, &|_| Vec::new(), None, &mut [])?;
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
