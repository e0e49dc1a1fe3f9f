//! Counts what goes over the network.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
struct Counters {
    round_trips: AtomicU64,
    requests: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
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

    /// Counts the bytes of a request and of its answer, without what the protocol adds.
    pub fn count_bytes(&self, sent: usize, received: usize) {
        self.0.sent.fetch_add(sent as u64, Ordering::Relaxed);
        self.0.received.fetch_add(received as u64, Ordering::Relaxed);
    }

    /// What went over the network so far.
    pub fn traffic(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { round_trips, requests, sent, received } = &*self.0;
        let (round_trips, requests) = (read(round_trips), read(requests));
        Traffic { round_trips, requests, sent: read(sent), received: read(received) }
    }
}

/// What went over the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How often the caller waited for the server.
    pub round_trips: u64,
    /// How many requests there were; those that go out together are one round trip.
    pub requests: u64,
    /// Bytes of requests; 0 where the driver does not count them.
    pub sent: u64,
    /// Bytes of answers; 0 where the driver does not count them.
    pub received: u64,
}
