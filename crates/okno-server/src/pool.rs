//! Where the engine's blocking work runs: as many at once as there are cores, the others in a queue of bounded length.
//!
//! More threads than cores would delay every answer. A permit belongs to the work, not to the request: work whose
//! client has disconnected still counts until it is done.

use crate::error::ApiError;
use crate::problem::Problem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

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
    pub async fn run<T, W>(&self, work: W) -> Result<T, ApiError>
    where
        T: Send + 'static,
        W: FnOnce() -> Result<T, ApiError> + Send + 'static,
    {
        let slot = self.queue()?;
        // The semaphore is never closed.
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| Problem::WorkFailed)?;
        drop(slot);
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

    fn queue(&self) -> Result<QueueSlot<'_>, ApiError> {
        let slot = QueueSlot(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.most_waiting {
            return Err(Problem::Overloaded.into());
        }
        Ok(slot)
    }
}

/// A slot in the queue, given back when the wait ends in any way.
struct QueueSlot<'a>(&'a AtomicUsize);

impl Drop for QueueSlot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs blocking work beside the pool: for work that waits – for a model, for a disk – rather than computes.
pub async fn blocking<T, W>(work: W) -> Result<T, ApiError>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, ApiError> + Send + 'static,
{
    // Spans inside belong to the request.
    let span = tracing::Span::current();
    let slot = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&slot);
    let outcome = spawn(Box::new(move || {
        let result = span.in_scope(work);
        *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }));
    if let Err(error) = outcome.await {
        tracing::error!(%error, "work ended early");
    }
    let result = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    result.unwrap_or_else(|| Err(Problem::WorkFailed.into()))
}

/// One kind of task for all work: tokio's task code is compiled once per kind, and was a tenth of this crate's code.
fn spawn(work: Box<dyn FnOnce() + Send>) -> JoinHandle<()> {
    tokio::task::spawn_blocking(work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    #[tokio::test]
    async fn a_full_queue_says_so_and_empties_again() {
        let pool = Pool::new(0);
        let refused = pool.run(|| Ok(1)).await.expect_err("nobody may wait");
        assert_eq!(refused.code(), Code::Overloaded);
        assert_eq!(pool.waiting(), 0);
        assert_eq!(Pool::new(1).run(|| Ok(1)).await.map_err(|fault| fault.to_string()), Ok(1));
    }

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let fault = Pool::new(1).run(|| -> Result<(), ApiError> { panic!("on purpose") }).await.expect_err("panicked");
        assert_eq!(fault.status().as_u16(), 500);
    }
}
