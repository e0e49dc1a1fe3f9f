//! When to retry: pure arithmetic, so that it can be tested without waiting.

use std::time::{Duration, SystemTime};

/// The longest pause we choose ourselves.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// How long to wait before retry number `next` (from 1). The pause doubles; `chance` (0 to 1) takes up to half of it
/// away, so that clients that failed together do not all retry at once. It is never shorter than the service asked for.
pub fn pause(first: Duration, next: u32, asked: Option<Duration>, chance: f64) -> Duration {
    let doubled = first.saturating_mul(1 << next.saturating_sub(1).min(16)).min(LONGEST_PAUSE);
    doubled.mul_f64(1.0 - chance.clamp(0.0, 1.0) / 2.0).max(asked.unwrap_or_default())
}

/// The header `Retry-After`: seconds, or a date. A date is compared with the service's own clock (its header `Date`)
/// where there is one, since ours may be wrong. `None` where it is neither.
pub fn retry_after(header: Option<&str>, date: Option<&str>, now: SystemTime) -> Option<Duration> {
    let header = header?.trim();
    let seconds = if let Ok(seconds) = header.parse::<f64>() {
        seconds
    } else {
        let until = httpdate::parse_http_date(header).ok()?;
        let now = date.and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(now);
        // A date that has passed is no reason to wait.
        until.duration_since(now).unwrap_or_default().as_secs_f64()
    };
    // A day is longer than anybody waits, and far from what a duration can hold.
    (0.0..=86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// A number from 0 to 1, different from thread to thread and time to time: the standard library's random hash keys are
/// random enough to keep clients apart.
pub fn chance() -> f64 {
    use std::hash::{BuildHasher, Hasher};
    let hash = std::collections::hash_map::RandomState::new().build_hasher().finish();
    hash as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn pauses_double_are_jittered_and_obey_the_service() {
        let first = Duration::from_millis(500);
        let at = |next, chance| pause(first, next, None, chance).as_millis();
        assert_eq!([at(1, 0.0), at(2, 0.0), at(3, 0.0), at(9, 0.0)], [500, 1000, 2000, 20_000]);
        assert_eq!([at(1, 1.0), at(2, 0.5)], [250, 750]);
        assert_eq!(pause(first, 1, Some(Duration::from_secs(7)), 0.3), Duration::from_secs(7));
        assert!((0..100).all(|_| (0.0..=1.0).contains(&chance())));
        assert_ne!(chance().to_bits(), chance().to_bits());
    }

    #[test]
    fn a_service_says_seconds_or_nothing_we_understand() {
        let after = |header| retry_after(header, None, UNIX_EPOCH);
        assert_eq!(after(Some(" 2 ")), Some(Duration::from_secs(2)));
        assert_eq!(after(Some("0.25")), Some(Duration::from_millis(250)));
        for odd in
            [None, Some("tomorrow"), Some("-1"), Some("1e300"), Some("NaN"), Some("Wed, 21 Okt 2026 07:28:00 GMT")]
        {
            assert_eq!(after(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn a_service_says_until_when() {
        let until = Some("Wed, 21 Oct 2026 07:28:30 GMT");
        let now = UNIX_EPOCH + Duration::from_mins(29_876_128);
        assert_eq!(retry_after(until, None, now), Some(Duration::from_secs(30)));
        let wrong_clock = UNIX_EPOCH;
        let theirs = Some("Wed, 21 Oct 2026 07:28:23 GMT");
        assert_eq!(retry_after(until, theirs, wrong_clock), Some(Duration::from_secs(7)), "by its own clock");
        assert_eq!(retry_after(until, None, wrong_clock), None, "nobody waits for years");
        assert_eq!(retry_after(theirs, until, now), Some(Duration::ZERO), "it has passed");
    }
}
