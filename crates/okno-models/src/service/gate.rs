//! A gate that lets a few through at once.

use std::sync::{Condvar, Mutex, PoisonError};

/// Counts those inside; the others wait.
#[derive(Debug)]
pub struct Gate {
    free: Mutex<usize>,
    left: Condvar,
}

/// A place inside; leaving gives it back.
#[derive(Debug)]
pub struct Place<'g>(&'g Gate);

impl Gate {
    /// A gate for this many at once, at least one.
    pub fn new(places: usize) -> Self {
        Self { free: Mutex::new(places.max(1)), left: Condvar::new() }
    }

    /// Waits for a place.
    pub fn enter(&self) -> Place<'_> {
        // A number is right even after a panic elsewhere: no invariant spans two writes.
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.left.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Place(self)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.left.notify_one();
    }
}
