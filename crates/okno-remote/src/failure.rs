//! Why an index on a server cannot be used, in both languages.

use okno::Error;
use okno::error::RemoteError;
use okno::store::DocumentNumber;

okno_document::messages! {
    /// What can go wrong with an index on a server besides what goes wrong with the server itself ([`RemoteError`]).
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum RemoteFailure {
        /// A document that this generation does not have.
        NoDocument {
            /// Its number.
            number: DocumentNumber,
        } = "no_document_number" => (
            "there is no document number {number} in this generation",
            "此版本中没有编号为 {number} 的文档"
        ),
        /// A driver that answered fewer requests than there were.
        AnswerMissing = "answer_missing" => (
            "a request was not answered; this is a bug",
            "有请求没有得到答复，这是程序缺陷"
        ),
    }
}

impl From<RemoteFailure> for RemoteError {
    fn from(failure: RemoteFailure) -> Self {
        Self::Said(failure.into())
    }
}

okno_document::messages! {
    /// Which part of an index is damaged.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum DamagedRow {
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

/// An error of the index at this address.
pub fn failed(place: &str, reason: impl Into<RemoteError>) -> Error {
    Error::Remote { place: place.to_owned(), reason: reason.into() }
}

/// What is stored at this address is not what was written.
pub fn damaged(place: &str, part: DamagedRow) -> Error {
    failed(place, RemoteError::Damaged { what: part.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno_document::message::{Lang, Message};

    #[test]
    fn damage_is_told_in_both_languages() {
        let damaged = RemoteError::Damaged { what: DamagedRow::Document { number: 7 }.into() };
        assert!(damaged.text(Lang::En).contains("document number 7 cannot be read"), "{damaged}");
        assert!(damaged.text(Lang::Zh).contains("编号为 7 的文档无法读取"), "{damaged}");
    }
}
