//! Where the engine's blocking work runs: as many at once as there are cores, the others in a queue of bounded length.
//!
//! More threads than cores would delay every answer. A permit belongs to the work, not to the request: work whose
//! client has disconnected, or whose time is over, is told to stop and counts until it has. Work that may take long
//! gets half of the cores at most, so that the rest does not wait for it.

use crate::error::ApiError;
use crate::problem::Problem;
use okno::deadline::{Deadline, within};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// A pool as wide as the machine.
#[derive(Debug)]
pub struct Pool {
    permits: Arc<Semaphore>,
    /// Those of them that long work may have.
    long: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

impl Pool {
    /// A pool for this machine, in whose queue so many may wait.
    pub fn new(most_waiting: usize) -> Self {
        // On one core, long and short work share it.
        let cores = std::thread::available_parallelism().map_or(1, usize::from).max(2);
        let (permits, long) = (Arc::new(Semaphore::new(cores)), Arc::new(Semaphore::new(cores / 2)));
        Self { permits, long, waiting: AtomicUsize::new(0), most_waiting }
    }

    /// Runs blocking work, after those that came before. It is told to stop when the future is dropped.
    pub async fn run<T, W>(&self, work: W) -> Result<T, ApiError>
    where
        T: Send + 'static,
        W: FnOnce() -> Result<T, ApiError> + Send + 'static,
    {
        self.run_at(WorkLength::Short, work).await
    }

    /// The same for work that may be long.
    pub async fn run_at<T, W>(&self, length: WorkLength, work: W) -> Result<T, ApiError>
    where
        T: Send + 'static,
        W: FnOnce() -> Result<T, ApiError> + Send + 'static,
    {
        let slot = self.queue()?;
        let long = match length {
            WorkLength::Long => Arc::clone(&self.long).acquire_owned().await.ok(),
            WorkLength::Short => None,
        };
        // The semaphore is never closed.
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| Problem::WorkFailed)?;
        drop(slot);
        let work = move || {
            let _permits = (permit, long);
            work()
        };
        stoppable(work).await
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

/// How long work may take, as far as its request says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkLength {
    /// What most requests ask for.
    Short,
    /// Very many hits, a very large budget, or several recipes.
    Long,
}

/// Tells work to stop when nobody waits for it any more.
struct StopOnDrop(Deadline);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs blocking work beside the pool that is told to stop when the future is dropped.
pub async fn stoppable<T, W>(work: W) -> Result<T, ApiError>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, ApiError> + Send + 'static,
{
    let stop = StopOnDrop(Deadline::default());
    let deadline = stop.0.clone();
    blocking(move || within(deadline, work)).await
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
    #[allow(clippy::await_holding_lock)] // what waits for the lock are other threads
    async fn long_work_leaves_a_core_for_the_rest() {
        let pool = Arc::new(Pool::new(100));
        let (begin, release) = (Arc::new(Semaphore::new(0)), Arc::new(std::sync::RwLock::new(())));
        let held = release.write().expect("nobody panicked");
        for _ in 0..40 {
            let (pool, begin, release) = (Arc::clone(&pool), Arc::clone(&begin), Arc::clone(&release));
            tokio::spawn(async move {
                let work = move || {
                    begin.add_permits(1);
                    drop(release.read());
                    Ok(())
                };
                pool.run_at(WorkLength::Long, work).await
            });
        }
        let _begun = begin.acquire().await.expect("open");
        let short = tokio::time::timeout(std::time::Duration::from_secs(10), pool.run(|| Ok(7))).await;
        assert_eq!(short.expect("in time").map_err(|error| error.to_string()), Ok(7));
        drop(held);
    }

    #[tokio::test]
    async fn work_whose_request_is_gone_is_stopped() {
        let (told, stopped) = std::sync::mpsc::channel();
        let work = move || {
            while okno::deadline::check().is_ok() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            told.send(()).expect("somebody listens");
            Ok(())
        };
        let limit = std::time::Duration::from_millis(50);
        assert!(tokio::time::timeout(limit, Pool::new(1).run(work)).await.is_err());
        let ended = tokio::task::spawn_blocking(move || stopped.recv_timeout(std::time::Duration::from_secs(10)));
        assert_eq!(ended.await.expect("joined"), Ok(()));
    }

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let fault = Pool::new(1).run(|| -> Result<(), ApiError> { panic!("on purpose") }).await.expect_err("panicked");
        assert_eq!(fault.status().as_u16(), 500);
    }
}
