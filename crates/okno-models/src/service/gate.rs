//! A limit on concurrent requests.

use std::sync::{Condvar, Mutex, PoisonError};

/// Counts free permits; callers wait for one.
#[derive(Debug)]
pub struct Gate {
    free: Mutex<usize>,
    left: Condvar,
}

/// A permit; dropping it gives it back.
#[derive(Debug)]
pub struct GatePass<'g>(&'g Gate);

impl Gate {
    /// A limit of this many at once, at least one.
    pub fn new(places: usize) -> Self {
        Self { free: Mutex::new(places.max(1)), left: Condvar::new() }
    }

    /// Waits for a permit.
    pub fn enter(&self) -> GatePass<'_> {
        // A number is right even after a panic elsewhere: no invariant spans two writes.
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.left.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        GatePass(self)
    }
}

impl Drop for GatePass<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.left.notify_one();
    }
}
