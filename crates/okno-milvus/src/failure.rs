//! Why an index on Milvus cannot be used, in both languages.

use milvus::v2::error::Error as SdkError;
use okno::Error;
use okno::error::RemoteError;
use okno::store::DocumentNumber;
use tonic::Code;

/// The first version with sparse vectors and several vectors in a row.
pub const OLDEST: (u32, u32) = (2, 4);

okno_document::messages! {
    /// Why an index on Milvus cannot be used.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum MilvusFailure {
        /// The server cannot be reached, or is busy.
        Unreachable {
            /// What the connection reports.
            said: String,
        } = "unreachable" => (
            "the server does not respond ({said}); check that Milvus runs there and can be reached, then try again; \
             what was committed is safe",
            "服务器没有响应（{said}）；请检查那里的 Milvus 是否在运行、能否连上，然后重试；已提交的内容不会丢失"
        ),
        /// Wrong user, password or key.
        KeyRefused {
            /// What the server says.
            said: String,
        } = "key_refused" => (
            "the server refuses the key ({said}); set OKNO_MILVUS_TOKEN to `user:password` or a key",
            "服务器拒绝了密钥（{said}）；请将 OKNO_MILVUS_TOKEN 设为 `用户:密码` 或密钥"
        ),
        /// A server without sparse vectors.
        TooOld {
            /// Its version.
            version: String,
            /// The oldest version that works.
            oldest: String,
        } = "server_too_old" => (
            "the server is Milvus {version}, but sparse vectors for lexical search need {oldest} or newer",
            "服务器的 Milvus 版本是 {version}，词法检索所需的稀疏向量要求 {oldest} 或更新的版本"
        ),
        /// A server without a call that is needed.
        MissingCall {
            /// What the server says.
            said: String,
            /// The oldest version that works.
            oldest: String,
        } = "missing_call" => (
            "the server does not support a required call ({said}); use Milvus {oldest} or newer",
            "服务器不支持所需的调用（{said}）；请使用 Milvus {oldest} 或更新的版本"
        ),
        /// What is stored is not what was written.
        Damaged {
            /// Which part.
            part: DamagedPart,
        } = "damaged" => (
            "the index is damaged ({part}); drop its collections and index the documents again",
            "索引已损坏（{part}）；请删除它的集合，然后重新建立索引"
        ),
        /// A document that this generation does not have.
        NoDocument {
            /// Its number.
            number: DocumentNumber,
        } = "no_document_number" => (
            "there is no document number {number} in this generation",
            "此版本中没有编号为 {number} 的文档"
        ),
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

okno_document::messages! {
    /// Which part of an index is damaged.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum DamagedPart {
        /// A document.
        Document {
            /// Its number.
            number: DocumentNumber,
        } = "document" => ("document number {number} cannot be read", "编号为 {number} 的文档无法读取"),
        /// The head, which is in several rows.
        HeadPart = "head_part" => ("the head of the last generation lacks a part", "最新版本的头部缺少一部分"),
        /// The head.
        Head = "head" => ("the head cannot be read", "头部无法读取"),
        /// The manifest.
        Manifest = "manifest" => ("the manifest cannot be read", "清单无法读取"),
        /// A segment of the frequency table that should be there.
        SegmentMissing = "segment_missing" => ("a segment of the frequency table is missing", "词频表缺少一段"),
        /// A segment of the frequency table.
        Segment = "segment" => ("a segment of the frequency table cannot be read", "词频表的一段无法读取"),
        /// The state of a file.
        FileState = "file_state" => ("the state of a file cannot be read", "文件状态无法读取"),
        /// An image.
        Image = "image" => ("an image cannot be read", "图片无法读取"),
    }
}

impl MilvusFailure {
    /// The engine's error for an index at this address.
    pub fn at(self, place: &str) -> Error {
        let reason = match self {
            Self::Unreachable { said } => RemoteError::NoAnswer { words: said },
            Self::KeyRefused { said } => RemoteError::KeyRefused { words: said },
            Self::TooOld { version, oldest } => {
                RemoteError::TooOld { found: format!("Milvus {version}"), needed: oldest }
            }
            Self::MissingCall { said, oldest } => RemoteError::TooOld { found: said, needed: oldest },
            Self::Damaged { part } => RemoteError::Damaged { what: part.into() },
            other => RemoteError::Said(other.into()),
        };
        Error::Remote { place: place.to_owned(), reason }
    }

    /// What an error of the client means.
    pub(crate) fn of(error: &SdkError) -> Self {
        let oldest = || format!("{}.{}", OLDEST.0, OLDEST.1);
        match error {
            SdkError::RetryExhausted { source, .. } => Self::of(source),
            SdkError::Grpc(status) => {
                // Only the message of a status: its details and metadata help nobody.
                let said = status.message().to_owned();
                match status.code() {
                    Code::Unauthenticated | Code::PermissionDenied => Self::KeyRefused { said },
                    Code::Unimplemented => Self::MissingCall { said, oldest: oldest() },
                    _ if is_transient(error) => Self::Unreachable { said },
                    _ => Self::Refused { said },
                }
            }
            error if is_transient(error) => Self::Unreachable { said: error.to_string() },
            error => Self::Refused { said: error.to_string() },
        }
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
    use okno_document::message::{Lang, Message};

    fn grpc(code: Code) -> SdkError {
        SdkError::Grpc(tonic::Status::new(code, "as it is"))
    }

    #[test]
    fn statuses_are_told_apart_by_their_codes() {
        for (code, name, transient) in [
            (Code::Unavailable, "unreachable", true),
            (Code::Unknown, "unreachable", true),
            (Code::Unauthenticated, "key_refused", false),
            (Code::PermissionDenied, "key_refused", false),
            (Code::Unimplemented, "missing_call", false),
            (Code::InvalidArgument, "server_error", false),
        ] {
            let error = grpc(code);
            assert_eq!((MilvusFailure::of(&error).code(), is_transient(&error)), (name, transient), "{code:?}");
            let exhausted = SdkError::RetryExhausted { attempts: 1, source: Box::new(error) };
            assert_eq!((MilvusFailure::of(&exhausted).code(), is_transient(&exhausted)), (name, transient), "{code:?}");
        }
        assert_eq!(MilvusFailure::of(&grpc(Code::InvalidArgument)).to_string(), "as it is");
    }

    #[test]
    fn damage_is_told_in_both_languages() {
        let damaged = MilvusFailure::Damaged { part: DamagedPart::Document { number: 7 } };
        assert!(damaged.to_string().starts_with("the index is damaged (document number 7 cannot be read)"));
        assert!(damaged.text(Lang::Zh).starts_with("索引已损坏（编号为 7 的文档无法读取）"));
    }
}
