//! Why an index on Milvus cannot be used, in both languages.

use milvus::v2::error::Error as SdkError;
use okno::error::RemoteError;
use tonic::Code;

/// The first version with sparse vectors and several vectors in a row.
pub const OLDEST: (u32, u32) = (2, 4);

okno_document::messages! {
    /// What can go wrong with an index on Milvus besides what goes wrong with any server ([`RemoteError`]).
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum MilvusFailure {
        /// The client's background thread ended.
        ClientEnded = "client_ended" => (
            "the request ended without an answer; this is a bug",
            "请求没有得到答复就结束了，这是程序缺陷"
        ),
        /// Any other error of the server or of its client.
        Refused {
            /// What it says.
            said: String,
        } = "server_error" => ("{said}", "{said}"),
    }
}

impl From<MilvusFailure> for RemoteError {
    fn from(failure: MilvusFailure) -> Self {
        Self::Said(failure.into())
    }
}

/// What an error of the client means.
pub fn remote_error(error: &SdkError) -> RemoteError {
    let too_old = |found| RemoteError::TooOld { found, needed: format!("{}.{}", OLDEST.0, OLDEST.1) };
    match error {
        SdkError::RetryExhausted { source, .. } => remote_error(source),
        SdkError::Grpc(status) => {
            // Only the message of a status: its details and metadata help nobody.
            let words = status.message().to_owned();
            match status.code() {
                Code::Unauthenticated | Code::PermissionDenied => RemoteError::KeyRefused { words },
                Code::Unimplemented => too_old(words),
                _ if is_transient(error) => RemoteError::NoAnswer { words },
                _ => MilvusFailure::Refused { said: words }.into(),
            }
        }
        error if is_transient(error) => RemoteError::NoAnswer { words: error.to_string() },
        error => MilvusFailure::Refused { said: error.to_string() }.into(),
    }
}

/// Whether the server has not loaded a collection: code 101.
pub fn is_not_loaded(error: &SdkError) -> bool {
    match error {
        SdkError::Server(server) => server.code() == 101,
        SdkError::RetryExhausted { source, .. } => is_not_loaded(source),
        _ => false,
    }
}

/// Whether a retry may help.
pub fn is_transient(error: &SdkError) -> bool {
    match error {
        error if is_not_loaded(error) => true,
        SdkError::Grpc(status) => matches!(
            status.code(),
            Code::Unavailable
                | Code::DeadlineExceeded
                | Code::ResourceExhausted
                | Code::Aborted
                | Code::Cancelled
                | Code::Unknown
        ),
        SdkError::Timeout(_) | SdkError::Cancelled(_) => true,
        SdkError::RetryExhausted { source, .. } => is_transient(source),
        // Quota, a node that is being replaced, a segment or channel that is moving: codes 1 to 8 and 500 to 604 of the
        // server.
        SdkError::Server(server) => matches!(server.code(), 1..=8 | 500..=604),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno_document::message::Message;

    fn grpc(code: Code) -> SdkError {
        SdkError::Grpc(tonic::Status::new(code, "as it is"))
    }

    #[test]
    fn statuses_are_told_apart_by_their_codes() {
        for (code, name, transient) in [
            (Code::Unavailable, "remote_no_answer", true),
            (Code::Unknown, "remote_no_answer", true),
            (Code::Unauthenticated, "remote_key_refused", false),
            (Code::PermissionDenied, "remote_key_refused", false),
            (Code::Unimplemented, "remote_too_old", false),
            (Code::InvalidArgument, "server_error", false),
        ] {
            let error = grpc(code);
            assert_eq!((remote_error(&error).code(), is_transient(&error)), (name, transient), "{code:?}");
            let exhausted = SdkError::RetryExhausted { attempts: 1, source: Box::new(error) };
            assert_eq!((remote_error(&exhausted).code(), is_transient(&exhausted)), (name, transient), "{code:?}");
        }
        assert_eq!(remote_error(&grpc(Code::InvalidArgument)).to_string(), "as it is");
    }
}
