//! Trying again, and saying what went wrong in words that help.

use milvus::v2::error::Error as SdkError;
use okno::Error;
use std::future::Future;
use std::time::{Duration, Instant};

/// The first pause between two tries, and the longest; each is twice the one before.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(4));

/// The first version with sparse vectors and several vectors in a row.
pub const OLDEST: (u32, u32) = (2, 4);

/// Tries until it succeeds, fails for good, or patience ends.
pub async fn again<T, F: Future<Output = Result<T, SdkError>>>(
    patience: Duration,
    mut attempt: impl FnMut(u32) -> F,
) -> Result<T, SdkError> {
    let began = Instant::now();
    let mut pause = PAUSES.0;
    let mut tries = 0;
    loop {
        match attempt(tries).await {
            Err(error) if passes(&error) && began.elapsed() + pause < patience => {}
            settled => return settled,
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
        tries += 1;
    }
}

/// Whether the server does not hold a collection ready: code 101.
pub fn is_not_loaded(error: &SdkError) -> bool {
    match error {
        SdkError::Server(server) => server.code() == 101,
        SdkError::RetryExhausted { source, .. } => is_not_loaded(source),
        _ => false,
    }
}

/// Whether an error may pass by itself.
fn passes(error: &SdkError) -> bool {
    match error {
        error if is_not_loaded(error) => true,
        SdkError::Grpc(status) => {
            matches!(
                format!("{:?}", status.code()).as_str(),
                "Unavailable" | "DeadlineExceeded" | "ResourceExhausted" | "Aborted" | "Cancelled" | "Unknown"
            )
        }
        SdkError::Timeout(_) | SdkError::Cancelled(_) => true,
        SdkError::RetryExhausted { source, .. } => passes(source),
        // Quota, a node that is being replaced, a segment or channel that is moving: codes 1 to 8 and 500 to 604 of the server.
        SdkError::Server(server) => matches!(server.code(), 1..=8 | 500..=604),
        SdkError::Unexpected(reason) => reason.contains("connect") || reason.contains("transport"),
        _ => false,
    }
}

/// An error in words that say what to do next.
pub fn failure(place: &str, error: &SdkError) -> Error {
    let error = match error {
        SdkError::RetryExhausted { source, .. } => source,
        other => other,
    };
    // Of a status only its words: what else it holds is of use to nobody.
    let (code, said) = match error {
        SdkError::Grpc(status) => (format!("{:?}", status.code()), status.message().to_owned()),
        other => (String::new(), other.to_string()),
    };
    let reason = match (code.as_str(), error) {
        ("Unauthenticated" | "PermissionDenied", _) => {
            format!("the server refuses the key ({said}) – set OKNO_MILVUS_TOKEN to `user:password` or a key")
        }
        ("Unimplemented", _) => {
            format!("the server lacks a call ({said}) – use Milvus {}.{} or newer", OLDEST.0, OLDEST.1)
        }
        (_, error) if passes(error) => format!(
            "no answer from the server ({said}) – check that Milvus runs there and can be reached, then run the command again; what was committed is safe"
        ),
        _ => said,
    };
    Error::Remote { place: place.to_owned(), reason }
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
