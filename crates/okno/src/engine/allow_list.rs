//! Who may see the files of a folder, where that was said when they were uploaded: a hidden file in that folder.
//!
//! It stands beside the files and not in an index, so that every run of indexing, from wherever, finds it. What it says
//! goes before rules and before what a file says about itself.

use crate::document::{ALLOW, Loaded, Value};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// Hidden, so that it is not indexed.
const NAME: &str = ".okno-allow.json";
const LOCK: &str = ".okno-allow.lock";

/// The groups of the files of one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowList(BTreeMap<String, Vec<String>>);

impl AllowList {
    /// The list in a folder; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read: then nobody knows who may see these files.
    pub fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(NAME);
        let failed = |kind: ErrorKind| Error::Unreadable { path: path.clone(), cause: kind.into() };
        match fs_err::read(&path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(failed(error.kind())),
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|_| failed(ErrorKind::InvalidData)),
        }
    }

    /// The groups that may see a file; `None` where the list says nothing about it.
    pub fn groups(&self, file: &str) -> Option<&[String]> {
        self.0.get(file).map(Vec::as_slice)
    }

    /// Says who may see a file of a folder, or, with `None`, that the list says nothing about it. One process at a
    /// time; readers see the old list or the new one.
    pub fn set(folder: &Path, file: &str, groups: Option<Vec<String>>) -> Result<()> {
        let lock = fs_err::File::options().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
        lock.file().lock()?;
        let mut list = Self::read(folder)?.unwrap_or_default();
        match groups {
            Some(groups) => list.0.insert(file.to_owned(), groups),
            None => list.0.remove(file),
        };
        let draft = folder.join(format!("{NAME}.part"));
        fs_err::write(&draft, serde_json::to_vec_pretty(&list).map_err(std::io::Error::from)?)?;
        fs_err::File::open(&draft)?.sync_all()?;
        Ok(fs_err::rename(&draft, folder.join(NAME))?)
    }

    /// Writes into a document who may see it.
    pub(super) fn apply(&self, file: &Path, loaded: &mut Loaded) {
        let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        if let Some(groups) = self.groups(&name) {
            loaded.metadata.set(ALLOW, Value::List(groups.iter().cloned().map(Value::Text).collect()));
        }
    }
}
