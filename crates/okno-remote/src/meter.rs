//! Counts what goes over the network.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
struct Counters {
    round_trips: AtomicU64,
    requests: AtomicU64,
}

/// Counts what goes over the network; lives on when the store is an engine's.
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<Counters>);

impl Meter {
    /// Counts a round trip of so many requests.
    pub fn count(&self, requests: usize) {
        self.0.round_trips.fetch_add(1, Ordering::Relaxed);
        self.0.requests.fetch_add(requests as u64, Ordering::Relaxed);
    }

    /// What went over the network so far.
    pub fn traffic(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic { round_trips: read(&self.0.round_trips), requests: read(&self.0.requests) }
    }
}

/// What went over the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How often the caller waited for the server.
    pub round_trips: u64,
    /// How many requests there were; those that go out together are one round trip.
    pub requests: u64,
}
