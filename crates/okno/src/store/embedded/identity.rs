//! Which index this is, and which file: a folder that was deleted and made again holds another one.
//!
//! A process that has an index open goes on with the file it mapped, also when that was deleted; the lexical index is
//! opened by its path, and may by then belong to another index. Two things tell them apart: the number of the file in
//! its file system, and an identity that every index gets when it is made, kept in the key-value store and named by
//! each commit of the lexical index. Indexes made before there were identities get theirs from their next writer.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};
use xxhash_rust::xxh3::xxh3_128;

/// A number that no other index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndexIdentity(pub u128);

impl IndexIdentity {
    /// A new one: the system's random numbers, the time and the process.
    pub fn new() -> Self {
        let random = || RandomState::new().hash_one(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        Self(xxh3_128(format!("{} {} {now} {}", random(), random(), std::process::id()).as_bytes()))
    }
}

impl fmt::Display for IndexIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for IndexIdentity {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u128::from_str_radix(text, 16).map(Self)
    }
}

/// The number of a file in its file system, where there is such a thing. A file that is open keeps its number, also
/// when it was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileNumber {
    device: u64,
    inode: u64,
}

impl FileNumber {
    /// The number of an open file.
    #[cfg(unix)]
    #[allow(clippy::unnecessary_wraps)] // elsewhere there is none
    pub fn of(metadata: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self { device: metadata.dev(), inode: metadata.ino() })
    }

    /// Other systems do not let go of a file that is mapped, so that it is always the same.
    #[cfg(not(unix))]
    pub fn of(_: &std::fs::Metadata) -> Option<Self> {
        None
    }

    /// The number of the file at a path.
    pub fn at(path: &Path) -> Option<Self> {
        Self::of(&std::fs::metadata(path).ok()?)
    }

    /// Whether another file, or none, is at this path.
    pub fn is_replaced(number: Option<Self>, path: &Path) -> bool {
        number.is_some() && Self::at(path) != number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_differ_and_are_read_as_they_are_written() {
        let (one, other) = (IndexIdentity::new(), IndexIdentity::new());
        assert_ne!(one, other);
        assert_eq!(one.to_string().parse(), Ok(one));
        assert!("x".parse::<IndexIdentity>().is_err());
    }
}
