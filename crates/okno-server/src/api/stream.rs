//! Streams that end with the server: one that went on would keep it from ending.

use crate::app::App;
use futures_util::{Stream, StreamExt};
use utoipa::ToSchema;

/// A server-sent event, for the description.
#[derive(Debug, ToSchema)]
#[allow(dead_code)] // describes what is sent
pub struct SentEvent {
    /// What happened.
    event: String,
    /// What is told, as JSON.
    data: String,
}

/// The stream, until the server ends.
pub(crate) fn until_end<T, S: Stream<Item = T>>(app: &App, stream: S) -> impl Stream<Item = T> + use<T, S> {
    let mut ending = app.ending.subscribe();
    stream.take_until(Box::pin(async move {
        // The sender lives as long as the server.
        let _ = ending.wait_for(|ending| *ending).await;
    }))
}
