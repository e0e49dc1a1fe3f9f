//! The file that a document was read from: where it is, and whether it is still what it was.

use super::Engine;
use crate::Result;
use crate::document::Record;
use crate::store::{DocumentNumber, FileState};
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_128;

/// A file as it was when it was indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginalFile {
    /// Where it was.
    pub path: PathBuf,
    /// A hash of its bytes.
    pub hash: u128,
    size: u64,
}

okno_document::messages! {
    /// Why the bytes of a document's file cannot be had.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum OriginalLost {
        /// It is not there, or may not be read.
        Missing = "original_missing" => (
            "the file is no longer where it was indexed",
            "文件已不在建立索引时的位置",
        ),
        /// It is another file now.
        Changed = "original_changed" => (
            "the file was changed after it was indexed",
            "文件在建立索引后被修改过",
        ),
    }
}

impl OriginalFile {
    /// The bytes of the file.
    ///
    /// # Errors
    /// If it is gone, or has other bytes than when it was indexed.
    pub fn bytes(&self) -> std::result::Result<Vec<u8>, OriginalLost> {
        // Another size is another file: it need not be read to know.
        let now = std::fs::metadata(&self.path).map_err(|_| OriginalLost::Missing)?;
        if !now.is_file() {
            return Err(OriginalLost::Missing);
        }
        if now.len() != self.size {
            return Err(OriginalLost::Changed);
        }
        let bytes = std::fs::read(&self.path).map_err(|_| OriginalLost::Missing)?;
        if xxh3_128(&bytes) == self.hash { Ok(bytes) } else { Err(OriginalLost::Changed) }
    }

    /// Whether a file of this size is there.
    pub fn may_be_there(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|now| now.is_file() && now.len() == self.size)
    }
}

impl Engine {
    /// The file that a document is, or was; `None` for a part of a file, such as a member of an archive, and for
    /// documents that are no files.
    pub fn original(&self, number: DocumentNumber, record: &Record) -> Result<Option<OriginalFile>> {
        if record.id.member.is_some() {
            return Ok(None);
        }
        let is_it = |file: &FileState| file.documents == [number] && file.hash != 0;
        let file = self.snapshot()?.files()?.into_iter().find(is_it);
        Ok(file.map(|file| OriginalFile { path: record.id.whole_path(), hash: file.hash, size: file.size }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    #[test]
    fn a_file_is_had_while_it_is_what_was_indexed() {
        let folder = tempfile::tempdir().expect("a folder");
        let notes = folder.path().join("notes");
        std::fs::create_dir(&notes).expect("a folder");
        let file = notes.join("tea.md");
        std::fs::write(&file, "Tea is hot.\n").expect("a file");
        let engine = Engine::create(folder.path().join("index")).expect("an index");
        engine.index(&[&notes]).expect("indexed");
        let (number, record) = engine.named("tea.md").expect("a document").remove(0);
        let original = engine.original(number, &record).expect("readable").expect("a file");
        assert_eq!(original.bytes().as_deref(), Ok(&b"Tea is hot.\n"[..]));
        assert!(original.may_be_there());
        std::fs::write(&file, "Tea is hat.\n").expect("a file");
        assert_eq!(original.bytes(), Err(OriginalLost::Changed));
        std::fs::remove_file(&file).expect("removed");
        assert_eq!(original.bytes(), Err(OriginalLost::Missing));
        assert!(!original.may_be_there());
    }
}
