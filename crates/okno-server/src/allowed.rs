//! Which files a request may have indexed: those of roots that the index follows already, of its uploads, and of
//! folders that were allowed when the server was started.

use crate::app::{App, ServedIndex};
use crate::error::ApiError;
use crate::problem::Problem;
use okno::fetch::is_url;
use std::path::{Path, PathBuf};

/// The paths as they may be indexed, or why not.
pub fn paths(app: &App, served: &ServedIndex, given: &[String]) -> Result<Vec<PathBuf>, ApiError> {
    let roots = served.engine().snapshot()?.roots().to_vec();
    given.iter().map(|path| one(app, served, &roots, path)).collect()
}

fn one(app: &App, served: &ServedIndex, roots: &[String], given: &str) -> Result<PathBuf, ApiError> {
    let refused = || ApiError::from(Problem::PathNotAllowed { path: given.escape_debug().to_string() });
    if is_url(given) {
        return if roots.iter().any(|root| root == given) { Ok(given.into()) } else { Err(refused()) };
    }
    // Links and `..` are resolved first: the real path is checked.
    let path = Path::new(given).canonicalize().map_err(|_| refused())?;
    let local = roots.iter().filter(|root| !is_url(root)).map(PathBuf::from);
    let allowed = app.allowed.iter().filter_map(|folder| folder.canonicalize().ok());
    let inside = local.chain(allowed).any(|folder| path.starts_with(folder));
    if inside || served.uploads.holds(&path) || Some(&path) == served.uploads.folder().canonicalize().ok().as_ref() {
        Ok(path)
    } else {
        Err(refused())
    }
}
