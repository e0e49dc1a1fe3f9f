//! Pauses between attempts, and versions of servers.

use std::time::{Duration, Instant};

/// The first pause between two attempts, and the longest; each is twice the one before.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(4));

/// The pauses of one request: growing, and none once the time is over.
#[derive(Debug)]
pub struct Backoff {
    began: Instant,
    patience: Duration,
    pause: Duration,
}

impl Backoff {
    /// For a request that is retried for so long.
    pub fn new(patience: Duration) -> Self {
        Self { began: Instant::now(), patience, pause: PAUSES.0 }
    }
}

impl Iterator for Backoff {
    type Item = Duration;

    /// How long to wait before the next attempt; `None` if the last one was the last.
    fn next(&mut self) -> Option<Duration> {
        let pause = self.pause;
        self.pause = (pause * 2).min(PAUSES.1);
        (self.began.elapsed() + pause < self.patience).then_some(pause)
    }
}

/// Major and minor number of `v2.4.1` or `2.5.0-lite`.
pub fn read_version(text: &str) -> Option<(u32, u32)> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut numbers = digits.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(read_version("v2.3.5"), Some((2, 3)));
        assert_eq!(read_version("2.6.1-lite"), Some((2, 6)));
        assert_eq!(read_version("master"), None);
    }

    #[test]
    fn pauses_grow_and_end() {
        let millis: Vec<u128> = Backoff::new(Duration::from_secs(1)).map(|pause| pause.as_millis()).collect();
        assert_eq!(millis, [50, 100, 200, 400, 800]);
        assert_eq!(Backoff::new(Duration::from_mins(1)).take(9).last(), Some(Duration::from_secs(4)));
    }
}
