//! Where the engine's blocking work runs: as many at once as there are cores, the others in a queue of bounded length.
//!
//! More threads than cores would make every answer later and none sooner. A permit goes with the work, not with the
//! request: work whose asker has gone still counts until it is done.

use crate::fault::Fault;
use axum::http::StatusCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// A pool as wide as the machine.
#[derive(Debug)]
pub struct Pool {
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

impl Pool {
    /// A pool for this machine, in whose queue so many may wait.
    pub fn new(most_waiting: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { permits: Arc::new(Semaphore::new(cores)), waiting: AtomicUsize::new(0), most_waiting }
    }

    /// Runs blocking work, after those that came before.
    pub async fn run<T, W>(&self, work: W) -> Result<T, Fault>
    where
        T: Send + 'static,
        W: FnOnce() -> Result<T, Fault> + Send + 'static,
    {
        let place = self.queue()?;
        // The semaphore is never closed.
        let permit =
            Arc::clone(&self.permits).acquire_owned().await.map_err(|error| Fault::internal(error.to_string()))?;
        drop(place);
        let work = move || {
            let _permit = permit;
            work()
        };
        blocking(work).await
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn queue(&self) -> Result<Place<'_>, Fault> {
        let place = Place(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.most_waiting {
            let full = Fault::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", "too many requests are waiting");
            return Err(full.hint("try again in a moment, with fewer requests at once"));
        }
        Ok(place)
    }
}

/// A place in the queue, given back however the wait ends.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs blocking work beside the pool: for work that waits – for a model, for a disk – rather than computes.
pub async fn blocking<T, W>(work: W) -> Result<T, Fault>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, Fault> + Send + 'static,
{
    // What is traced in there belongs to whoever asked.
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work)).await.unwrap_or_else(|error| {
        tracing::error!(%error, "work ended early");
        Err(Fault::internal("the work ended early; this is a bug").hint("the server's log says where"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_says_so_and_empties_again() {
        let pool = Pool::new(0);
        let refused = pool.run(|| Ok(1)).await.expect_err("nobody may wait");
        assert_eq!(refused.info().code, "overloaded");
        assert_eq!(pool.waiting(), 0);
        assert_eq!(Pool::new(1).run(|| Ok(1)).await.map_err(|fault| fault.to_string()), Ok(1));
    }

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let fault = Pool::new(1).run(|| -> Result<(), Fault> { panic!("on purpose") }).await.expect_err("panicked");
        assert_eq!(fault.status().as_u16(), 500);
    }
}
