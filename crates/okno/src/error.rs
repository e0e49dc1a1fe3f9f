//! What can go wrong, said so that the reader knows what to do next.
//!
//! Three families: the caller's input, the outside world, and our own bugs. Messages name the path
//! and what was expected; the command line says them in Chinese too.

mod request;

pub use request::RequestError;

use crate::document::{FilterError, LayerError};
use std::path::PathBuf;

/// Everything the engine can fail with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no index where one was looked for.
    #[error("no index at `{}` – make one with `okno index PATH`", .0.display())]
    NoIndex(PathBuf),
    /// Another process is writing.
    #[error("another process is writing to the index at `{}` – searching works meanwhile; try again when it is done", .0.display())]
    Locked(PathBuf),
    /// This process has the index open already.
    #[error("the index at `{}` is already open in this process – share one `Engine`", .0.display())]
    AlreadyOpen(PathBuf),
    /// The folder holds something else.
    #[error("`{}` is a file, or holds files but no index – choose an empty folder or another `--index`", .0.display())]
    NotAnIndex(PathBuf),
    /// The index was made by another version.
    #[error("the index at `{}` has format {found}, this program reads format {expected} – index the documents again into a new folder", path.display())]
    Format {
        /// The index.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// Ours.
        expected: u32,
    },
    /// The index was made with another embedder; mixing vectors would give nonsense.
    #[error("the index at `{}` was made with embedder `{index}`, not `{given}` – open it with `{index}`, or let `okno reembed` make its vectors anew", path.display())]
    Embedder {
        /// The index.
        path: PathBuf,
        /// The embedder it was made with.
        index: String,
        /// The embedder given.
        given: String,
    },
    /// The index does not hold what it must.
    #[error("the index at `{}` is damaged ({what}) – delete the folder and index the documents again", path.display())]
    Damaged {
        /// The index.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A filter could not be read.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A question cannot be asked as it was written.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A filter asks for a field that no document has.
    #[error("no document has the field `{field}`{} – `okno status` lists the fields", nearest(known))]
    UnknownField {
        /// The field asked for.
        field: String,
        /// The nearest ones there are.
        known: Vec<String>,
    },
    /// A layer could not be read.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The recipe's layers are made of derived units, and the index has none of them.
    #[error("this index has no units of layer `{0}` – `okno import-units FILE` adds them")]
    NoUnits(String),
    /// A recipe or one of its parts could not be read.
    #[error("{0}")]
    Recipe(String),
    /// An option could not be read.
    #[error("{0}")]
    Options(String),
    /// A configuration file or a variable of the environment could not be read.
    #[error("{place}: {reason}")]
    Config {
        /// The file and line, or the variable.
        place: String,
        /// Why.
        reason: String,
    },
    /// A root is not in the index.
    #[error("`{root}` was not indexed; these were: `{}`", known.join("`, `"))]
    NoRoot {
        /// The root asked for.
        root: String,
        /// The roots there are.
        known: Vec<String>,
    },
    /// A document is not in the index.
    #[error("no document `{0}` in the index – `okno documents` lists them")]
    NoDocument(String),
    /// A path that was to be indexed cannot be read.
    #[error("cannot read `{}`: {reason} – check that it exists and may be read", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The embedder failed.
    #[error("embedder `{name}`: {reason}")]
    Embedding {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// Somebody asked to stop; what was committed stays.
    #[error("stopped")]
    Stopped,
    /// The reranker failed.
    #[error("reranker `{name}`: {reason}")]
    Reranking {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// The language model failed.
    #[error(transparent)]
    Generate(#[from] crate::generate::GenerateError),
    /// Reading or writing a file failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A store on another machine failed.
    #[error("the index at `{place}`: {reason}")]
    Remote {
        /// Its address.
        place: String,
        /// Why, and what to do next.
        reason: String,
    },
    /// The key-value store failed.
    #[error("storing in `{}`: {source}{}", path.display(), advice(source))]
    KeyValue {
        /// The index.
        path: PathBuf,
        /// Why.
        source: Box<heed::Error>,
    },
    /// The lexical index failed.
    #[error("the lexical index in `{}`: {source} – check the disk's free space, then run `okno index`: it builds a damaged one again from what is stored", path.display())]
    Lexical {
        /// The index.
        path: PathBuf,
        /// Why.
        source: Box<tantivy::TantivyError>,
    },
}

/// What most of the engine returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

fn nearest(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; did you mean `{}`?", known.join("`, `")) }
}

fn advice(error: &heed::Error) -> &'static str {
    match error {
        heed::Error::Io(io) if io.kind() == std::io::ErrorKind::PermissionDenied => " – check the folder's permissions",
        // LMDB reports a write that a full disk cut short as a plain input/output error.
        heed::Error::Io(_) => {
            " – if the disk is full, free some space, and run the command again; what was committed is safe"
        }
        _ => " – run the command again; if it fails again, index the documents into a new folder",
    }
}
