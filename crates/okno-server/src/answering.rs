//! Answers in words: contexts first, then the text as it is written, then the citations.
//!
//! Finding takes a core and goes through the pool; writing waits for a model and has a limit of its own. Whoever asked and went
//! away stops the writing: the model is told so at its next word.

use crate::app::{App, Place};
use crate::fault::Fault;
use okno::answer::{Event, Reply, ReplyOptions, reply};
use okno::{Answer, Query};
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Pieces that may wait for a slow reader before the writing waits too.
const AHEAD: usize = 64;

/// What comes of an answer while it is written.
#[derive(Debug)]
pub enum Piece {
    /// More of the text.
    Text(String),
    /// All of it, or why not.
    End(Box<Result<Reply, Fault>>),
}

/// Finds the contexts of a question.
pub async fn found(app: &App, places: Vec<Arc<Place>>, query: Query) -> Result<Answer, Fault> {
    app.pool.run(move || crate::api::answer(&places, &query)).await
}

/// Begins to write an answer from contexts; the pieces come one by one, the end last.
pub async fn written(
    app: &App,
    answer: Answer,
    options: ReplyOptions<'static>,
) -> Result<mpsc::Receiver<Piece>, Fault> {
    let permit = Arc::clone(&app.answers).acquire_owned().await.map_err(|error| Fault::internal(error.to_string()))?;
    let (pieces, received) = mpsc::channel(AHEAD);
    let generator = app.generator.clone();
    let work = move || {
        let _permit = permit;
        let mut tell = |event: Event<'_>| match event {
            Event::Text(text) if pieces.blocking_send(Piece::Text(text.to_owned())).is_err() => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let reply = reply(answer, generator.as_deref(), &options, &mut tell).map_err(Fault::from);
        // Nobody may listen any more.
        let _ = pieces.blocking_send(Piece::End(Box::new(reply)));
        Ok(())
    };
    tokio::spawn(crate::pool::blocking(work));
    Ok(received)
}

/// The whole answer at once.
pub async fn whole(app: &App, answer: Answer, options: ReplyOptions<'static>) -> Result<Reply, Fault> {
    let mut pieces = written(app, answer, options).await?;
    while let Some(piece) = pieces.recv().await {
        if let Piece::End(reply) = piece {
            return *reply;
        }
    }
    Err(Fault::internal("the answer ended early; this is a bug"))
}
