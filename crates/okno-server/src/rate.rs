//! Limits of how much a key may ask for in a time: a bucket of tokens for each key, filled at a steady rate.
//!
//! A bucket begins full, so that a client may be quick for a moment. What is counted – requests, bytes of uploads – is
//! forgotten when the server ends.

use crate::requester::Requester;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So much in such a time: `60/min`, `500MB/day`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// How much at most.
    pub amount: u64,
    /// In which time.
    pub period: Duration,
}

/// A text that is no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotARate;

impl FromStr for RateLimit {
    type Err = NotARate;

    fn from_str(text: &str) -> Result<Self, NotARate> {
        let (amount, period) = text.split_once('/').ok_or(NotARate)?;
        let period = match period.trim() {
            "s" | "second" => 1,
            "min" | "minute" => 60,
            "h" | "hour" => 3600,
            "day" => 86_400,
            _ => return Err(NotARate),
        };
        let amount = amount.trim();
        let digits = amount.find(|c: char| !c.is_ascii_digit()).unwrap_or(amount.len());
        let unit: u64 = match amount[digits..].trim().to_ascii_lowercase().as_str() {
            "" => 1,
            "k" | "kb" => 1000,
            "m" | "mb" => 1_000_000,
            "g" | "gb" => 1_000_000_000,
            _ => return Err(NotARate),
        };
        let amount: u64 = amount[..digits].parse().map_err(|_| NotARate)?;
        let amount = amount.checked_mul(unit).filter(|amount| *amount > 0).ok_or(NotARate)?;
        Ok(Self { amount, period: Duration::from_secs(period) })
    }
}

/// A bucket for each key. Keys that are not accepted are refused before, so there are no more buckets than keys.
#[derive(Debug)]
pub struct Buckets {
    limit: RateLimit,
    buckets: Mutex<HashMap<Option<String>, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Buckets {
    pub fn new(limit: RateLimit) -> Self {
        Self { limit, buckets: Mutex::default() }
    }

    /// Takes tokens out of the bucket of a requester.
    ///
    /// # Errors
    /// With the time until there are enough, if that many ever are.
    pub fn take(&self, requester: &Requester, amount: u64) -> Result<(), Duration> {
        self.take_at(requester.key.as_ref(), amount, Instant::now())
    }

    fn take_at(&self, key: Option<&String>, amount: u64, now: Instant) -> Result<(), Duration> {
        let (most, wanted) = (self.limit.amount as f64, amount as f64);
        let each_second = most / self.limit.period.as_secs_f64();
        // Every change is whole.
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.entry(key.cloned()).or_insert(Bucket { tokens: most, filled: now });
        let elapsed = now.saturating_duration_since(bucket.filled).as_secs_f64();
        *bucket = Bucket { tokens: (bucket.tokens + elapsed * each_second).min(most), filled: now };
        if bucket.tokens < wanted {
            return Err(Duration::from_secs_f64((wanted - bucket.tokens) / each_second));
        }
        bucket.tokens -= wanted;
        Ok(())
    }
}

/// The whole seconds to wait, at least one.
pub fn seconds(wait: Duration) -> u64 {
    wait.as_secs_f64().ceil().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read() {
        let rate = |text: &str| text.parse::<RateLimit>().map(|rate| (rate.amount, rate.period.as_secs()));
        assert_eq!(rate("60/min"), Ok((60, 60)));
        assert_eq!(rate("5 / s"), Ok((5, 1)));
        assert_eq!(rate("500MB/day"), Ok((500_000_000, 86_400)));
        for wrong in ["", "60", "60/", "/min", "0/min", "-1/min", "60/week", "1TB/day", "99999999999999999999/s"] {
            assert_eq!(rate(wrong), Err(NotARate), "{wrong}");
        }
    }

    #[test]
    fn a_bucket_is_emptied_and_filled_again() {
        let buckets = Buckets::new(RateLimit { amount: 2, period: Duration::from_secs(10) });
        let (begun, anna) = (Instant::now(), "anna".to_owned());
        let take = |key, after: u64| buckets.take_at(key, 1, begun + Duration::from_secs(after));
        assert_eq!((take(Some(&anna), 0), take(Some(&anna), 0)), (Ok(()), Ok(())));
        assert_eq!(take(Some(&anna), 0), Err(Duration::from_secs(5)));
        assert_eq!(take(None, 0), Ok(()), "others have their own");
        assert_eq!(take(Some(&anna), 5), Ok(()));
        assert!(take(Some(&anna), 5).is_err());
        assert_eq!((take(Some(&anna), 1000), take(Some(&anna), 1000)), (Ok(()), Ok(())));
        assert!(take(Some(&anna), 1000).is_err(), "no more than a bucket holds");
        assert_eq!((seconds(Duration::from_millis(1)), seconds(Duration::from_millis(1001))), (1, 2));
    }
}
