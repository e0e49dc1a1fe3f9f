//! When work must stop: its time is over, or nobody waits for it any more.
//!
//! Whoever starts long work sets a deadline around it ([`within`]); the work looks at it in between ([`check`]) and
//! ends with [`Error::TimedOut`]. The deadline belongs to the thread, so that it reaches every stage without being
//! handed through all of them; work without one goes on to its end. A look costs some tens of nanoseconds.

use crate::{Error, Result};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// When to stop.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    end: Option<Instant>,
    cancelled: Arc<AtomicBool>,
}

impl Deadline {
    /// Stops at this time.
    pub fn at(end: Instant) -> Self {
        Self { end: Some(end), cancelled: Arc::default() }
    }

    /// Stops the work that has this deadline, or a clone of it.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work must stop.
    pub fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.end.is_some_and(|end| Instant::now() >= end)
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Deadline>> = const { RefCell::new(None) };
}

/// Puts the deadline before back, also when the work panics.
struct Restored(Option<Deadline>);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Does work under a deadline, in place of the one that this thread has.
pub fn within<T>(deadline: Deadline, work: impl FnOnce() -> T) -> T {
    let _restored = Restored(CURRENT.replace(Some(deadline)));
    work()
}

/// Looks at the deadline of this thread, if it has one.
///
/// # Errors
/// [`Error::TimedOut`] when the work must stop.
pub fn check() -> Result<()> {
    let over = CURRENT.with_borrow(|current| current.as_ref().is_some_and(Deadline::is_over));
    if over { Err(Error::TimedOut) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_at_its_time_or_when_it_is_cancelled() {
        assert!(check().is_ok(), "no deadline");
        let deadline = Deadline::default();
        within(deadline.clone(), || {
            assert!(check().is_ok());
            within(Deadline::at(Instant::now()), || assert!(matches!(check(), Err(Error::TimedOut))));
            assert!(check().is_ok(), "the outer one again");
            deadline.cancel();
            assert!(matches!(check(), Err(Error::TimedOut)));
        });
        assert!(check().is_ok());
    }
}
