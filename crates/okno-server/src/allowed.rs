//! Which files a request may have indexed: those of roots the index follows already, of its uploads, and of folders that
//! whoever started the server allowed. Anything else on the machine is nobody's business over HTTP.

use crate::app::{App, Place};
use crate::fault::Fault;
use axum::http::StatusCode;
use okno::fetch::is_url;
use std::path::{Path, PathBuf};

/// The paths as they may be indexed, or why not.
pub fn paths(app: &App, place: &Place, given: &[String]) -> Result<Vec<PathBuf>, Fault> {
    let roots = place.engine().snapshot()?.roots().to_vec();
    given.iter().map(|path| one(app, place, &roots, path)).collect()
}

fn one(app: &App, place: &Place, roots: &[String], given: &str) -> Result<PathBuf, Fault> {
    let refused = || {
        let message = format!("`{}` may not be indexed over HTTP", given.escape_debug());
        Fault::new(StatusCode::FORBIDDEN, "path_not_allowed", message).hint(
            "upload it, index it once on the machine (`okno index PATH`), or start the server with `--allow FOLDER`",
        )
    };
    if is_url(given) {
        return if roots.iter().any(|root| root == given) { Ok(given.into()) } else { Err(refused()) };
    }
    // Links and `..` are resolved first: what counts is where a path leads.
    let path = Path::new(given).canonicalize().map_err(|_| refused())?;
    let local = roots.iter().filter(|root| !is_url(root)).map(PathBuf::from);
    let allowed = app.allowed.iter().filter_map(|folder| folder.canonicalize().ok());
    let inside = local.chain(allowed).any(|folder| path.starts_with(folder));
    if inside || place.uploads.holds(&path) || Some(&path) == place.uploads.folder().canonicalize().ok().as_ref() {
        Ok(path)
    } else {
        Err(refused())
    }
}
