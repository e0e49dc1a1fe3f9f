//! Retries of requests to Milvus.

use crate::failure::is_transient;
use milvus::v2::error::Error as SdkError;
use okno_remote::Backoff;
use std::future::Future;
use std::time::Duration;

/// Tries until it succeeds, fails for good, or `patience` is over; the attempt is given its number.
pub async fn retrying<T, F: Future<Output = Result<T, SdkError>>>(
    patience: Duration,
    mut attempt: impl FnMut(u32) -> F,
) -> Result<T, SdkError> {
    let (mut backoff, mut tries) = (Backoff::new(patience), 0);
    loop {
        let settled = attempt(tries).await;
        if !settled.as_ref().is_err_and(is_transient) {
            return settled;
        }
        let Some(pause) = backoff.next() else { return settled };
        tokio::time::sleep(pause).await;
        tries += 1;
    }
}
