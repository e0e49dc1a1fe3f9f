//! Answers in words: contexts first, then the text as it is written, then the citations.
//!
//! Finding takes a core and goes through the pool; writing waits for a model and has a limit of its own. Whoever asked and went
//! away stops the writing: the model is told so at its next word.

use crate::app::{App, Place};
use crate::fault::Fault;
use okno::answer::{Event, Reply, ReplyOptions, reply};
use okno::generate::Picture;
use okno::{Answer, Context, Query};
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

/// Runs a search: on a core, or, where it waits for a language model, beside the answers that are being written, so that a model
/// that takes its time keeps no core from others.
pub async fn searching<T, W>(app: &App, places: &[Arc<Place>], queries: &[Query], work: W) -> Result<T, Fault>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, Fault> + Send + 'static,
{
    if places.iter().all(|place| place.engine().generator().is_none()) {
        return app.pool.run(work).await;
    }
    let asked = (places.to_vec(), queries.to_vec());
    if !app.pool.run(move || asks_model(&asked.0, &asked.1)).await? {
        return app.pool.run(work).await;
    }
    let permit = app.answer_permit().await?;
    let work = move || {
        let _permit = permit;
        work()
    };
    crate::pool::blocking(work).await
}

fn asks_model(places: &[Arc<Place>], queries: &[Query]) -> Result<bool, Fault> {
    for place in places {
        for query in queries {
            let mut query = query.clone();
            (place.index.complete)(&mut query)?;
            if place.engine().asks_model(&query)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Finds the contexts of a question.
pub async fn found(app: &App, places: &[Arc<Place>], query: Query) -> Result<Answer, Fault> {
    let (asked, wanted) = (places.to_vec(), query.clone());
    searching(app, places, &[wanted], move || crate::api::answer(&asked, &query)).await
}

/// The pictures of a context, whichever index it is from; none where the model does not look at any.
fn pictures(places: &[Arc<Place>], context: &Context) -> Vec<Picture> {
    let looking = places.iter().filter(|place| place.index.vision);
    looking.map(|place| place.engine().pictures(context)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Begins to write an answer from contexts of these indexes; the pieces come one by one, the end last.
pub async fn written(
    app: &App,
    places: Vec<Arc<Place>>,
    answer: Answer,
    options: ReplyOptions<'static>,
) -> Result<mpsc::Receiver<Piece>, Fault> {
    let permit = app.answer_permit().await?;
    let (pieces, received) = mpsc::channel(AHEAD);
    let generator = app.generator.clone();
    let work = move || {
        let _permit = permit;
        let mut tell = |event: Event<'_>| match event {
            Event::Text(text) if pieces.blocking_send(Piece::Text(text.to_owned())).is_err() => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let pictures = |context: &Context| pictures(&places, context);
        let options = ReplyOptions { pictures: Some(&pictures), ..options };
        let reply = reply(answer, generator.as_deref(), &options, &mut tell).map_err(Fault::from);
        // Nobody may listen any more.
        let _ = pieces.blocking_send(Piece::End(Box::new(reply)));
        Ok(())
    };
    tokio::spawn(crate::pool::blocking(work));
    Ok(received)
}

/// The whole answer at once.
pub async fn whole(
    app: &App,
    places: Vec<Arc<Place>>,
    answer: Answer,
    options: ReplyOptions<'static>,
) -> Result<Reply, Fault> {
    let mut pieces = written(app, places, answer, options).await?;
    while let Some(piece) = pieces.recv().await {
        if let Piece::End(reply) = piece {
            return *reply;
        }
    }
    Err(Fault::internal("the answer ended early; this is a bug"))
}
