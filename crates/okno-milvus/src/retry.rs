//! Retries, and the version of the server.

use crate::failure::is_transient;
use milvus::v2::error::Error as SdkError;
use std::future::Future;
use std::time::{Duration, Instant};

/// The first pause between two attempts, and the longest; each is twice the one before.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(4));

/// Tries until it succeeds, fails for good, or `patience` is over; the attempt is given its number.
pub async fn retrying<T, F: Future<Output = Result<T, SdkError>>>(
    patience: Duration,
    mut attempt: impl FnMut(u32) -> F,
) -> Result<T, SdkError> {
    let began = Instant::now();
    let mut pause = PAUSES.0;
    let mut tries = 0;
    loop {
        match attempt(tries).await {
            Err(error) if is_transient(&error) && began.elapsed() + pause < patience => {}
            settled => return settled,
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
        tries += 1;
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
}
