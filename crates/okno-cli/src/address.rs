//! Where an index is: a folder, or an address on a Milvus or OpenSearch server.

use std::path::{Path, PathBuf};

/// The usual name of the folder.
pub const FOLDER: &str = ".okno";

/// Returns `true` if an index on a server is named, not a folder.
pub fn is_remote(given: &Path) -> bool {
    given.to_str().is_some_and(|text| ["milvus://", "opensearch://"].iter().any(|scheme| text.starts_with(scheme)))
}

/// The folder of the index: the one given, or the nearest `.okno` here or above. For an index on a server, where a
/// local one would be.
pub fn folder(given: Option<&Path>) -> PathBuf {
    let given = given.filter(|given| !is_remote(given));
    given.map(Path::to_owned).or_else(nearest).unwrap_or_else(|| PathBuf::from(FOLDER))
}

/// The index to open: an address as it was given, or a folder.
pub fn target(given: Option<&Path>) -> PathBuf {
    given.filter(|given| is_remote(given)).map_or_else(|| folder(given), Path::to_owned)
}

/// The folder that holds the index folder; for an index on a server, the one that would hold a local index.
pub fn beside(index: &Path) -> PathBuf {
    let local = folder(Some(index));
    let whole = std::path::absolute(&local).unwrap_or(local);
    whole.parent().map_or(whole.clone(), Path::to_owned)
}

fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(FOLDER)).find(|folder| okno::store::EmbeddedStore::exists(folder))
}
