//! Answers in words: contexts first, then the text as it is written, then the citations.
//!
//! Searching needs a core and goes through the pool; writing waits for a model and has a limit of its own. A client
//! that disconnects stops the writing: the model is stopped at its next piece of text.

use crate::app::{App, ServedIndex};
use crate::error::ApiError;
use crate::models::PickedModel;
use crate::pool::WorkLength;
use crate::problem::Problem;
use okno::answer::{Event, Reply, ReplyOptions, reply};
use okno::generate::ChatPicture;
use okno::{Answer, Context, Query};
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Pieces that may wait for a slow reader before the writing waits too.
const AHEAD: usize = 64;

/// What comes of an answer while it is written.
#[derive(Debug)]
pub enum ReplyPiece {
    /// More of the text.
    Text(String),
    /// All of it, or why not.
    End(Box<Result<Reply, ApiError>>),
}

/// Runs a search: on a core, or, where it waits for a language model, beside the answers that are being written, so
/// that a slow model blocks no core.
pub async fn searching<T, W>(app: &App, indexes: &[Arc<ServedIndex>], queries: &[Query], work: W) -> Result<T, ApiError>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, ApiError> + Send + 'static,
{
    let length = length_of(queries);
    if indexes.iter().all(|served| served.engine().generator().is_none()) {
        return app.pool.run_at(length, work).await;
    }
    let asked = (indexes.to_vec(), queries.to_vec());
    if !app.pool.run(move || asks_model(&asked.0, &asked.1)).await? {
        return app.pool.run_at(length, work).await;
    }
    let permit = app.answer_permit().await?;
    let work = move || {
        let _permit = permit;
        work()
    };
    crate::pool::stoppable(work).await
}

/// Hits and context of all queries together beyond which searching is long: a hundred times what recipes ask for.
const MANY_HITS: usize = 1000;
const MUCH_CONTEXT: usize = 50_000;

fn length_of(queries: &[Query]) -> WorkLength {
    let hits: usize = queries.iter().map(|query| query.k.unwrap_or(0)).sum();
    let context: usize = queries.iter().map(|query| query.budget.unwrap_or(0)).sum();
    let long = queries.len() > 2 || hits > MANY_HITS || context > MUCH_CONTEXT;
    if long { WorkLength::Long } else { WorkLength::Short }
}

fn asks_model(indexes: &[Arc<ServedIndex>], queries: &[Query]) -> Result<bool, ApiError> {
    for served in indexes {
        for query in queries {
            let mut query = query.clone();
            (served.index.complete)(&mut query)?;
            if served.engine().asks_model(&query)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Finds the contexts of a question.
pub async fn found(app: &App, indexes: &[Arc<ServedIndex>], query: Query) -> Result<Answer, ApiError> {
    let (asked, wanted) = (indexes.to_vec(), query.clone());
    searching(app, indexes, &[wanted], move || crate::api::answer(&asked, &query)).await
}

/// The pictures of a context, whichever index it is from; none where the model does not look at any.
fn pictures(indexes: &[Arc<ServedIndex>], vision: Option<bool>, context: &Context) -> Vec<ChatPicture> {
    let looking = indexes.iter().filter(|served| vision.unwrap_or(served.index.vision));
    looking.map(|served| served.engine().pictures(context)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Begins to write an answer from contexts of these indexes; the pieces come one by one, the end last.
pub async fn written(
    app: &App,
    indexes: Vec<Arc<ServedIndex>>,
    answer: Answer,
    model: PickedModel,
) -> Result<mpsc::Receiver<ReplyPiece>, ApiError> {
    let permit = app.answer_permit().await?;
    let (pieces, received) = mpsc::channel(AHEAD);
    let work = move || {
        let _permit = permit;
        let mut tell = |event: Event<'_>| match event {
            Event::Text(text) if pieces.blocking_send(ReplyPiece::Text(text.to_owned())).is_err() => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        };
        let pictures = |context: &Context| pictures(&indexes, model.vision, context);
        let mut options: ReplyOptions<'_> = model.options;
        options.pictures = Some(&pictures);
        let reply = reply(answer, model.generator.as_deref(), &options, &mut tell).map_err(ApiError::from);
        // The client may be gone.
        let _ = pieces.blocking_send(ReplyPiece::End(Box::new(reply)));
        Ok(())
    };
    tokio::spawn(crate::pool::blocking(work));
    Ok(received)
}

/// The whole answer at once.
pub async fn whole(
    app: &App,
    indexes: Vec<Arc<ServedIndex>>,
    answer: Answer,
    model: PickedModel,
) -> Result<Reply, ApiError> {
    let mut pieces = written(app, indexes, answer, model).await?;
    while let Some(piece) = pieces.recv().await {
        if let ReplyPiece::End(reply) = piece {
            return *reply;
        }
    }
    Err(Problem::WorkFailed.into())
}
