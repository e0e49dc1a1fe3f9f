//! What can go wrong while measuring.

use crate::set::{Fault, list_faults};
use std::path::PathBuf;

/// Why an evaluation was not done or not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] okno::Error),
    /// A question set cannot be used as it is.
    #[error("`{}` has faults; nothing was run, nothing was changed – mend these lines:{}", path.display(), list_faults(faults))]
    QuestionSet {
        /// The file.
        path: PathBuf,
        /// What is wrong, line by line.
        faults: Vec<Fault>,
    },
    /// An evaluation could not be done or kept.
    #[error("{0}")]
    Evaluation(String),
}

/// What most of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        okno::Error::from(error).into()
    }
}

impl From<okno::generate::GenerateError> for Error {
    fn from(error: okno::generate::GenerateError) -> Self {
        okno::Error::from(error).into()
    }
}
