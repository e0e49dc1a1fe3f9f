//! What can go wrong with a lexical index.

use crate::Error;
use crate::error::StorageKind;
use crate::message::Opaque;
use std::path::{Path, PathBuf};

/// Why a lexical index cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LexicalError {
    #[error(transparent)]
    Disk(#[from] std::io::Error),
    #[error("its file `{0}` is not what was written")]
    Damaged(String),
    #[error("it was made by an earlier version of this program")]
    Old,
    #[error("it was built from another index")]
    Foreign,
}

pub type LexicalResult<T> = Result<T, LexicalError>;

impl LexicalError {
    /// A file that was changed.
    pub fn damaged(file: &Path) -> Self {
        Self::Damaged(file.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }
}

/// An error of the lexical index in this folder.
pub fn lexical_failure(path: PathBuf, source: LexicalError) -> Error {
    let kind = match &source {
        LexicalError::Disk(error) => StorageKind::from(error),
        LexicalError::Damaged(_) | LexicalError::Old | LexicalError::Foreign => StorageKind::Other,
    };
    Error::Lexical { path, kind, source: Opaque::new(source) }
}
