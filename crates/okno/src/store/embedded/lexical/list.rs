//! Which segments an index consists of, and what it was built from: one small file, replaced as a whole.

use super::error::{LexicalError, LexicalResult};
use crate::store::embedded::identity::IndexIdentity;
use crate::store::{DocumentNumber, is_readable};
use fs_err::File;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The name of the file, and under which it is written.
const LIST: &str = "segments";
const NEW_LIST: &str = "segments.new";

/// The list of indexes that an earlier version made, with another library.
const OLD_LIST: &str = "meta.json";

/// A commit: behind a checksum in a line of its own, as JSON.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SegmentList {
    pub format: u32,
    /// What it was built from.
    pub generation: u64,
    pub identity: String,
    /// The names of files.
    pub segments: Vec<String>,
    /// Documents that are in segments still, and that no reader asks for any more.
    pub removed: BTreeSet<DocumentNumber>,
}

impl SegmentList {
    /// What was committed last.
    pub fn read(folder: &Path) -> LexicalResult<Self> {
        let path = path(folder);
        if !path.exists() && is_old(folder) {
            return Err(LexicalError::Old);
        }
        let text = fs_err::read(&path)?;
        Self::parse(&text).ok_or_else(|| LexicalError::damaged(&path))
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let (checksum, list) = text.split_at_checked(16)?;
        let checksum = u64::from_str_radix(std::str::from_utf8(checksum).ok()?, 16).ok()?;
        let list: Self =
            serde_json::from_slice(list.strip_prefix(b"\n").filter(|list| xxh3_64(list) == checksum)?).ok()?;
        let is_name = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        list.segments.iter().all(is_name).then_some(list)
    }

    /// Writes it in place of the one before: either of them is there, whatever happens.
    pub fn write(&self, folder: &Path) -> LexicalResult<()> {
        let list = serde_json::to_vec(self).map_err(std::io::Error::from)?;
        let mut file = File::create(folder.join(NEW_LIST))?;
        file.write_all(format!("{:016x}\n", xxh3_64(&list)).as_bytes())?;
        file.write_all(&list)?;
        file.sync_all()?;
        fs_err::rename(folder.join(NEW_LIST), path(folder))?;
        sync_folder(folder)
    }

    /// Whether it names another index.
    pub fn is_foreign(&self, identity: Option<IndexIdentity>) -> bool {
        identity.is_some_and(|identity| identity.to_string() != self.identity)
    }

    /// Whether a program of another version wrote it.
    pub fn is_other_format(&self) -> bool {
        !is_readable(self.format)
    }
}

/// The file of the list.
pub fn path(folder: &Path) -> PathBuf {
    folder.join(LIST)
}

/// Whether an earlier version made the index, with another library.
pub fn is_old(folder: &Path) -> bool {
    folder.join(OLD_LIST).exists() && !path(folder).exists()
}

/// Makes sure that files are found under their names after a power failure.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> LexicalResult<()> {
    Ok(File::open(folder)?.sync_all()?)
}

/// Other systems do not offer it.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> LexicalResult<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written_and_no_other_way() {
        let folder = tempfile::tempdir().unwrap();
        let list = SegmentList { generation: 7, segments: vec!["0a.idx".to_owned()], ..SegmentList::default() };
        list.write(folder.path()).unwrap();
        assert_eq!(SegmentList::read(folder.path()).unwrap().segments, ["0a.idx"]);
        let bytes = fs_err::read(path(folder.path())).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert!(SegmentList::parse(&changed).is_none(), "byte {at}");
        }
        let outside = SegmentList { segments: vec!["../data.mdb".to_owned()], ..list };
        outside.write(folder.path()).unwrap();
        assert!(SegmentList::read(folder.path()).is_err(), "names of files outside");
    }
}
