//! What changed bytes of a lexical index may do: its library trusts what it reads, so a changed byte may make it panic.
//!
//! Every file of a segment ends with a checksum, which is compared when an index is opened, unless that was done in the
//! very state that the files are in (`embedded/layout.rs`): a changed posting would only make rankings worse, which
//! nobody notices. Two things have no checksum: the list of segments (`meta.json`), and bytes that change after the
//! index was opened. A panic over one of these is caught and becomes an error of the lexical index.

use super::{TantivyResult, schema};
use crate::load::catch_panic;
use crate::store::embedded::layout::DiskStamp;
use std::path::{Path, PathBuf};
use tantivy::directory::error::OpenReadError;
use tantivy::error::DataCorruption;
use tantivy::index::SegmentComponent;
use tantivy::{Index, TantivyError};

/// Runs something that reads a lexical index; where that panics, it is damaged.
pub fn guarded<T>(read: impl FnOnce() -> TantivyResult<T>) -> TantivyResult<T> {
    catch_panic(read).unwrap_or_else(|place| {
        let words = format!("it cannot be read ({}), so its files are damaged", place.0);
        Err(DataCorruption::comment_only(words).into())
    })
}

/// Files of a segment end with a footer of at least this many bytes; tantivy panics on shorter ones.
const FOOTER: u64 = 8;

/// An error where the index has other columns than ours.
pub fn refuse_foreign_columns(index: &Index) -> TantivyResult<()> {
    if index.schema() == schema().0 {
        return Ok(());
    }
    Err(corrupted(PathBuf::from("meta.json"), "its columns are not those of this program"))
}

/// The state of the list of segments, and of all files that it names; `None` where one may be changing.
pub fn stamp(index: &Index, folder: &Path) -> TantivyResult<Option<u64>> {
    let files = committed_files(index)?.into_iter().chain([PathBuf::from("meta.json")]);
    // Not every kind of file is there for every segment.
    let paths: Vec<PathBuf> = files.map(|file| folder.join(file)).filter(|path| path.exists()).collect();
    Ok(DiskStamp::of_all(paths.iter().map(PathBuf::as_path)))
}

/// An error where a file of the last commit is not what was written. Only files that a commit names are looked at: a
/// writer may be making others right now.
pub fn refuse_damaged(index: &Index, folder: &Path) -> TantivyResult<()> {
    for file in committed_files(index)? {
        // Not every kind of file is there for every segment.
        let Ok(metadata) = folder.join(&file).metadata() else { continue };
        if metadata.len() < FOOTER {
            return Err(corrupted(file, "it is cut off"));
        }
        match index.directory().validate_checksum(&file) {
            Ok(false) => return Err(corrupted(file, "it is not what was written")),
            // A file that is gone: a merge ended meanwhile, and opening says whether it is still needed.
            Ok(true) | Err(OpenReadError::FileDoesNotExist(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn corrupted(file: PathBuf, words: &str) -> TantivyError {
    DataCorruption::new(file, words.to_owned()).into()
}

fn committed_files(index: &Index) -> TantivyResult<Vec<PathBuf>> {
    use SegmentComponent::{Delete, FastFields, FieldNorms, Positions, Postings, Store, Terms};
    let kinds = [Postings, Positions, FastFields, FieldNorms, Terms, Store, Delete];
    let segments = index.searchable_segment_metas()?;
    let files = |segment: &tantivy::SegmentMeta| kinds.clone().map(|kind| segment.relative_path(kind));
    Ok(segments.iter().flat_map(files).collect())
}
