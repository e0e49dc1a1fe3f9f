//! What opening an index computes, kept in a file for the next process, which reads it in place.
//!
//! Laying out a million sentences – their places, lengths and names – takes a second, and so does looking at all pages
//! and checksums. Both give the same as long as nobody writes: the file names the state of the files it was made from
//! (which file, how long, when changed), and is used only while that is their state. Whatever does not fit – another
//! state, another version of this program, a checksum of its own – and it is as if there were no such file.
//!
//! A disk may change bytes without changing times, so what is kept is believed for [`BELIEVED`]; then all is looked at
//! again. Documents that are touched are compared with their own checksums all the same. The file can be deleted at
//! any time.

use super::identity::IndexIdentity;
use crate::packed::series::{SeriesReader, SeriesWriter};
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::xxh3_64;

/// The name of the file.
pub const LAYOUT: &str = "layout";

/// Changes whenever rows do.
const VERSION: u32 = 1;

/// So long files are believed to be what they were when all of them was looked at.
const BELIEVED: Duration = Duration::from_secs(24 * 60 * 60);

/// A file that was changed so shortly before it is looked at may change again at what its file system takes for the
/// same time; the coarsest that are in use count in steps of two seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// The state of a file that has not changed for some seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp([u64; 5]);

impl FileStamp {
    /// The state of a file; `None` where it may be changing, or the system does not say enough.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let file = std::fs::metadata(path).ok()?;
        let time =
            |seconds: i64, rest: i64| Duration::from_secs(u64::try_from(seconds).ok()?).checked_add(nanos(rest)?);
        let nanos_since = |time: Duration| u64::try_from(time.as_nanos()).ok();
        let (modified, changed) = (time(file.mtime(), file.mtime_nsec())?, time(file.ctime(), file.ctime_nsec())?);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let settled = modified.max(changed) + SETTLED < now;
        let stamp = Self([file.dev(), file.ino(), file.len(), nanos_since(modified)?, nanos_since(changed)?]);
        settled.then_some(stamp)
    }

    /// Elsewhere nothing is kept.
    #[cfg(not(unix))]
    pub fn of(_: &Path) -> Option<Self> {
        None
    }

    /// The state of several files as one number.
    pub fn of_all<'p>(paths: impl Iterator<Item = &'p Path>) -> Option<u64> {
        let mut bytes = Vec::new();
        for path in paths {
            bytes.extend(path.as_os_str().as_encoded_bytes());
            bytes.extend(bytemuck::cast_slice(&Self::of(path)?.0));
        }
        Some(xxh3_64(&bytes))
    }
}

#[cfg(unix)]
fn nanos(rest: i64) -> Option<Duration> {
    u64::try_from(rest).ok().map(Duration::from_nanos)
}

/// A file every part of which was found to be sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckedFile {
    /// The state in which it was.
    pub stamp: FileStamp,
    /// When that was, in seconds since 1970.
    since: u64,
}

impl CheckedFile {
    /// One that is looked at now.
    pub fn now(stamp: FileStamp) -> Option<Self> {
        Some(Self { stamp, since: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs() })
    }

    /// Whether that is long ago, or a clock was set back.
    fn is_too_old(self) -> bool {
        let now = Self::now(self.stamp).map_or(0, |now| now.since);
        !(self.since..=self.since + BELIEVED.as_secs()).contains(&now)
    }
}

/// What a layout was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutSource {
    /// `data.mdb`.
    pub data: CheckedFile,
    /// The last transaction in it.
    pub transaction: u64,
    /// The index.
    pub identity: Option<IndexIdentity>,
    /// The files of the lexical index.
    pub lexical: u64,
}

/// Numbers in front of the rows: form, checksum of what follows, source.
const HEADER: usize = 12;

impl LayoutSource {
    fn header(self) -> [u64; HEADER] {
        let [device, inode, length, modified, changed] = self.data.stamp.0;
        let identity = self.identity.map_or(0, |identity| identity.0);
        let (low, high) = (identity as u64, (identity >> 64) as u64);
        let (since, transaction) = (self.data.since, self.transaction);
        [form(), 0, device, inode, length, modified, changed, since, transaction, low, high, self.lexical]
    }

    fn read(header: &[u64; HEADER]) -> Self {
        let [_, _, device, inode, length, modified, changed, since, transaction, low, high, lexical] = *header;
        let identity = u128::from(high) << 64 | u128::from(low);
        Self {
            data: CheckedFile { stamp: FileStamp([device, inode, length, modified, changed]), since },
            transaction,
            identity: (identity != 0).then_some(IndexIdentity(identity)),
            lexical,
        }
    }
}

/// Names are taken apart by code: another version of the program may do that in another way.
fn form() -> u64 {
    xxh3_64(format!("okno layout {VERSION} {}", env!("CARGO_PKG_VERSION")).as_bytes())
}

/// A kept layout, every byte of which is what was written.
#[derive(Clone)]
pub struct Layout {
    map: Arc<Mmap>,
    /// What it was made from.
    pub source: LayoutSource,
}

impl Layout {
    /// The layout that was made from this state of `data.mdb`; `None` where there is none, or it is too old.
    pub fn open(folder: &Path, data: FileStamp) -> Option<Self> {
        let file = File::open(folder.join(LAYOUT)).ok()?;
        // SAFETY: the file is replaced by renaming, never changed; as with all that is mapped, the folder is ours.
        let map = unsafe { Mmap::map(&file) }.ok()?;
        let header: &[u64] = bytemuck::try_cast_slice(map.get(..HEADER * 8)?).ok()?;
        let header: [u64; HEADER] = header.try_into().ok()?;
        let source = LayoutSource::read(&header);
        let is_whole = || header[1] == xxh3_64(&map[16..]);
        let fits = header[0] == form() && source.data.stamp == data && !source.data.is_too_old();
        (fits && is_whole()).then(|| Self { map: Arc::new(map), source })
    }

    /// Its rows.
    pub fn rows(&self) -> SeriesReader {
        SeriesReader::new(Arc::clone(&self.map), HEADER * 8)
    }
}

/// Begins a layout: the rows follow the header.
pub fn begin() -> SeriesWriter {
    SeriesWriter { bytes: vec![0; HEADER * 8] }
}

/// Keeps a layout in a folder.
pub fn keep(folder: &Path, source: LayoutSource, rows: SeriesWriter) -> io::Result<()> {
    let mut bytes = rows.bytes;
    bytes[..HEADER * 8].copy_from_slice(bytemuck::cast_slice(&source.header()));
    let sum = xxh3_64(&bytes[16..]);
    bytes[8..16].copy_from_slice(&sum.to_ne_bytes());
    // Several processes may do this at once; all write the same.
    let draft = folder.join(format!("{LAYOUT}.{}", std::process::id()));
    let written = private(&draft).and_then(|mut file| file.write_all(&bytes));
    let kept = written.and_then(|()| std::fs::rename(&draft, folder.join(LAYOUT)));
    if kept.is_err() {
        let _ = std::fs::remove_file(draft);
    }
    kept
}

/// A file that only its owner may read, as the index itself.
fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether a file of an index's folder is a layout, or the draft of one.
pub fn is_layout(name: &str) -> bool {
    name.strip_prefix(LAYOUT).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
