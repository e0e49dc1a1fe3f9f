//! Ctrl-C: Rust is at work, and Python learns of a signal only when it is asked.

// The method itself is not general enough in its lifetime.
#![allow(clippy::redundant_closure_for_method_calls)]

use okno::Progress;
use okno::deadline::{Deadline, within};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a key press may wait. Asking takes microseconds.
const LOOK: Duration = Duration::from_millis(50);

/// Does long work in a thread of its own while this one waits for it or for a signal. The work stops at its next look
/// at the deadline.
///
/// # Errors
/// With what the signal's handler raised, `KeyboardInterrupt` as a rule.
pub fn interruptible<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let deadline = Deadline::default();
    let own = deadline.clone();
    let (raised, done) = py.detach(move || {
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // The receiver lives as long as the scope.
                let _ = sender.send(within(own, work));
            });
            let mut raised = None;
            loop {
                match receiver.recv_timeout(LOOK) {
                    Ok(done) => return (raised, Some(done)),
                    Err(RecvTimeoutError::Disconnected) => return (raised, None),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(signal) = Python::attach(|py| py.check_signals()) {
                            deadline.cancel();
                            raised.get_or_insert(signal);
                        }
                    }
                }
            }
        })
    });
    match (raised, done) {
        (Some(raised), _) => Err(raised),
        (None, Some(done)) => Ok(done),
        (None, None) => Err(pyo3::exceptions::PyRuntimeError::new_err("the work ended without a result")),
    }
}

/// Stops indexing after the next commit when a signal came.
#[derive(Default)]
pub struct StopOnSignal {
    raised: Mutex<Option<PyErr>>,
    stopped: AtomicBool,
}

thread_local! {
    static LOOKED: RefCell<Option<Instant>> = const { RefCell::new(None) };
}

impl StopOnSignal {
    /// What the signal's handler raised.
    pub fn into_raised(self) -> Option<PyErr> {
        self.raised.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for StopOnSignal {
    fn stop(&self) -> bool {
        let due = LOOKED.with_borrow_mut(|looked| {
            let due = looked.is_none_or(|looked| looked.elapsed() >= LOOK);
            if due {
                *looked = Some(Instant::now());
            }
            due
        });
        if due && let Err(raised) = Python::attach(|py| py.check_signals()) {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(raised);
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }
}
