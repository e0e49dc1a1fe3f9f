//! When to try again: pure arithmetic, so that it can be tested without waiting.

use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest pause we choose ourselves.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// How long to wait before try number `next` (from 1, after the first failed). The pause doubles; `chance` (0 to 1) takes up
/// to half of it away, so that many who failed together do not come back together. A service that says how long is obeyed.
pub fn pause(first: Duration, next: u32, asked: Option<Duration>, chance: f64) -> Duration {
    let doubled = first.saturating_mul(1 << next.saturating_sub(1).min(16)).min(LONGEST_PAUSE);
    doubled.mul_f64(1.0 - chance.clamp(0.0, 1.0) / 2.0).max(asked.unwrap_or_default())
}

/// The header `Retry-After`: seconds, or a date. A date is counted from the service's own clock (its header `Date`) where it shows one,
/// since ours may be wrong. What is neither is no word about it, and our own pause holds.
pub fn retry_after(header: Option<&str>, date: Option<&str>, now: SystemTime) -> Option<Duration> {
    let header = header?.trim();
    let seconds = if let Ok(seconds) = header.parse::<f64>() {
        seconds
    } else {
        let ours = || i64::try_from(now.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok();
        let now = date.and_then(seconds_of).or_else(ours)?;
        // A moment that has passed is no reason to wait.
        (seconds_of(header)? - now).max(0) as f64
    };
    // A day is longer than anybody waits, and far from what a duration can hold.
    (0.0..=86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// Seconds since 1970 of a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`. Its two older forms are no longer sent.
fn seconds_of(date: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let parts: Vec<&str> = date.split_whitespace().collect();
    let &[_, day, month, year, time, "GMT"] = parts.as_slice() else { return None };
    let (month, _) = (1..).zip(MONTHS).find(|(_, name)| *name == month)?;
    let (day, year) = (number(day, 1..=31)?, number(year, 1970..=9999)?);
    let time: Vec<i64> = time.split(':').map(|part| number(part, 0..=60)).collect::<Option<_>>()?;
    let &[hour, minute, second] = time.as_slice() else { return None };
    Some(days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

fn number(text: &str, range: RangeInclusive<i64>) -> Option<i64> {
    text.parse().ok().filter(|number| range.contains(number))
}

/// Days since 1970-01-01. Years begin in March here, so that the day that some lack is their last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    // 719,468 days lie between the first of March of the year 0 and 1970.
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
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

    #[test]
    fn dates_are_counted_from_1970() {
        for (date, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Thu, 31 Dec 2026 12:00:00 GMT", 1_798_718_400),
        ] {
            assert_eq!(seconds_of(date), Some(seconds), "{date}");
        }
    }
}
