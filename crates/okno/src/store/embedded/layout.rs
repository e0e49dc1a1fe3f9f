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
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::xxh3_64;

/// The name of the file.
pub const LAYOUT: &str = "layout";

/// Changes whenever rows do.
const VERSION: u32 = 9;

/// So long files are believed to be what they were when all of them was looked at.
const BELIEVED: Duration = Duration::from_hours(24);

/// A file that was changed so shortly before it is looked at may change again at what its file system takes for the
/// same time; the coarsest that are in use count in steps of two seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// The state of a file that has not changed for some seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskStamp([u64; 5]);

impl DiskStamp {
    /// The state of a file; `None` where it may be changing, or the system does not say enough.
    pub fn of(path: &Path) -> Option<Self> {
        Self::told_by(&std::fs::metadata(path).ok()?)
    }

    #[cfg(unix)]
    fn told_by(file: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
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
    fn told_by(_: &Metadata) -> Option<Self> {
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
    pub stamp: DiskStamp,
    /// When that was, in seconds since 1970.
    since: u64,
}

impl CheckedFile {
    /// One that is looked at now.
    pub fn now(stamp: DiskStamp) -> Option<Self> {
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
            data: CheckedFile { stamp: DiskStamp([device, inode, length, modified, changed]), since },
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
    /// The layout that was made from this state of `data.mdb`; `None` where there is none, or it is too old. What is
    /// found out about it is kept in the folder, where that may be written to.
    pub fn open(folder: &Path, data: DiskStamp, read_only: bool) -> Option<Self> {
        let file = File::open(folder.join(LAYOUT)).ok()?;
        // SAFETY: the file is replaced by renaming, never changed; as with all that is mapped, the folder is ours.
        let map = unsafe { Mmap::map(&file) }.ok()?;
        let header: &[u64] = bytemuck::try_cast_slice(map.get(..HEADER * 8)?).ok()?;
        let header: [u64; HEADER] = header.try_into().ok()?;
        let source = LayoutSource::read(&header);
        let fits = header[0] == form() && source.data.stamp == data && !source.data.is_too_old();
        let seen = DiskStamp::told_by(&file.metadata().ok()?).map(|stamp| SeenLayout { sum: header[1], stamp });
        (fits && is_whole(folder, &map, header[1], seen, read_only)).then(|| Self { map: Arc::new(map), source })
    }

    /// Its rows.
    pub fn rows(&self) -> SeriesReader {
        SeriesReader::new(Arc::clone(&self.map), HEADER * 8)
    }
}

/// The name of the file that says which layout was found to be what was written: to look at all of it takes longer than
/// a question. Without this file it is looked at.
const WHOLE: &str = "layout.whole";

/// A layout in a state that is not changing: its checksum, and the state of its file.
#[derive(Clone, Copy)]
struct SeenLayout {
    sum: u64,
    stamp: DiskStamp,
}

impl SeenLayout {
    fn bytes(self) -> Vec<u8> {
        let [device, inode, length, modified, changed] = self.stamp.0;
        bytemuck::cast_slice(&[form(), self.sum, device, inode, length, modified, changed]).to_vec()
    }
}

/// Whether a layout is what was written: as an earlier process found it in this very state, or as its sum tells.
fn is_whole(folder: &Path, map: &[u8], sum: u64, seen: Option<SeenLayout>, read_only: bool) -> bool {
    let seen = seen.map(SeenLayout::bytes);
    let is_known = |seen: &Vec<u8>| {
        let mut known = Vec::new();
        let file = File::open(folder.join(WHOLE)).and_then(|file| file.take(1024).read_to_end(&mut known));
        file.is_ok() && known == *seen
    };
    if seen.as_ref().is_some_and(is_known) {
        return true;
    }
    let is_whole = sum == xxh3_64(&map[16..]);
    if let Some(seen) = seen.filter(|_| is_whole && !read_only) {
        // Where it cannot be kept, the next process looks again.
        let _ = replace(folder, WHOLE, &seen);
    }
    is_whole
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
    replace(folder, LAYOUT, &bytes)
}

/// Writes a file as a whole. Several processes may do this at once; all write the same.
fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let draft = folder.join(format!("{name}.{}", std::process::id()));
    let written = private(&draft).and_then(|mut file| file.write_all(bytes));
    let kept = written.and_then(|()| std::fs::rename(&draft, folder.join(name)));
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

/// Whether a file of an index's folder is a layout, the draft of one, or says something about one.
pub fn is_layout(name: &str) -> bool {
    name.strip_prefix(LAYOUT).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::document::{Derived, DerivedKind, Layer};
    use crate::store::contract::{DIMENSIONS, EMBEDDER, document, vector};
    use crate::store::embedded::EmbeddedStore;
    use crate::store::{Ask, Leg, Manifest, Scored, Snapshot, Store};
    use std::os::unix::fs::FileExt;

    /// Some documents: two of them with the same text, one with a derived unit.
    fn written(folder: &Path) {
        let store = EmbeddedStore::open_or_create(folder, &Manifest::new(EMBEDDER, DIMENSIONS)).unwrap();
        let mut writer = store.writer().unwrap();
        for number in 0..30 {
            let text = format!("Ship{number} sails at dawn. The harbour of ship{number} is quiet. Nobody waits.");
            writer.put(&document(&format!("ship {number}"), &text)).unwrap();
        }
        writer.put(&document("copy", "Ship1 sails at dawn. The harbour of ship1 is quiet. Nobody waits.")).unwrap();
        let number = writer.put(&document("lamp", "A lamp burns. It burns all night.")).unwrap();
        let unit = Derived { kind: DerivedKind::Summary, first: 0, end: 2, text: "light".into() };
        writer.derive(number, &[unit], &vector("light")).unwrap();
        writer.finish().unwrap();
        std::thread::sleep(SETTLED + Duration::from_millis(100));
    }

    fn found(snapshot: &dyn Snapshot) -> Vec<Vec<Scored>> {
        let layers = [Layer::Sentence, Layer::Window(2), Layer::Paragraph, Layer::Derived(DerivedKind::Summary)];
        let rankings: Vec<_> =
            [Leg::Dense, Leg::Lexical].into_iter().flat_map(|leg| layers.map(|l| (leg, l))).collect();
        let text = "light of ship7 at dawn";
        let ask = Ask {
            text,
            vector: &vector(text),
            rankings: &rankings,
            allowed: None,
            sections: None,
            fields: None,
            depth: 20,
        };
        snapshot.search(&ask).unwrap()
    }

    fn keep_all(store: &EmbeddedStore, folder: &Path) {
        let (source, rows) = store.opened().unwrap().rows_to_keep(folder).expect("nothing changed meanwhile");
        keep(folder, source, rows).unwrap();
    }

    #[test]
    fn what_is_kept_is_what_is_computed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        written(folder);
        let open = || EmbeddedStore::open(folder).unwrap();
        let seen = |store: &EmbeddedStore| {
            let snapshot = store.snapshot().unwrap();
            let numbers = snapshot.numbers();
            let records: Vec<_> = numbers.iter().map(|&number| snapshot.record(number).unwrap()).collect();
            let fronts: Vec<_> = numbers
                .iter()
                .map(|&number| (snapshot.structure(number).unwrap(), snapshot.derived(number).unwrap()))
                .collect();
            let named = snapshot.names().unwrap().named("What about ship 12?", 0.1);
            let copies: Vec<_> = snapshot.copies().to_vec();
            (found(&*snapshot), records, format!("{fronts:?} {:?}", snapshot.derived_counts()), named, copies)
        };
        let (computed, kept) = {
            let store = open();
            assert!(store.tables.layout.is_none());
            let computed = seen(&store);
            keep_all(&store, folder);
            drop(store);
            let store = open();
            assert!(store.opened().unwrap().was_kept());
            (computed, seen(&store))
        };
        assert!(computed.0.iter().all(|ranking| !ranking.is_empty()) && !computed.3.is_empty());
        assert_eq!((computed.4.len(), &computed), (1, &kept));
    }

    #[test]
    fn a_document_that_changed_at_the_same_time_is_noticed_where_it_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        written(folder);
        let store = EmbeddedStore::open(folder).unwrap();
        let (source, rows) = store.opened().unwrap().rows_to_keep(folder).unwrap();
        drop(store);
        let data = folder.join("data.mdb");
        let bytes = std::fs::read(&data).unwrap();
        let at = bytes.windows(7).position(|window| window == b"ship 21").unwrap();
        File::options().write(true).open(&data).unwrap().write_all_at(b"ship 22", at as u64).unwrap();
        std::thread::sleep(SETTLED + Duration::from_millis(100));
        // As if the file had the times that it had before.
        let stamp = DiskStamp::of(&data).unwrap();
        keep(folder, LayoutSource { data: CheckedFile { stamp, ..source.data }, ..source }, rows).unwrap();
        let store = EmbeddedStore::open(folder).unwrap();
        let snapshot = store.opened().unwrap();
        assert!(snapshot.was_kept() && snapshot.damaged().is_empty());
        assert!(matches!(snapshot.record(21), Err(crate::Error::Damaged { .. })));
        assert!(snapshot.structure(21).is_err() && snapshot.record(20).is_ok());
        assert_eq!(snapshot.damaged().iter().map(|damaged| damaged.number).collect::<Vec<_>>(), [21]);
        assert!(found(&*snapshot).iter().flatten().all(|scored| scored.run.document != 21));
    }

    #[test]
    fn a_document_of_impossible_lengths_is_like_no_question() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        written(folder);
        let store = EmbeddedStore::open(folder).unwrap();
        let (snapshot, at) = (store.opened().unwrap(), 7);
        let (source, rows) = snapshot.rows_to_keep(folder).unwrap();
        let (number, [start, ..]) = (snapshot.numbers()[at], snapshot.places().unwrap()[at]);
        drop((snapshot, store));
        let data = folder.join("data.mdb");
        // The lengths of its parts stand behind the hash of its text.
        File::options().write(true).open(&data).unwrap().write_all_at(&[0x7f; 24], start + 16).unwrap();
        std::thread::sleep(SETTLED + Duration::from_millis(100));
        let stamp = DiskStamp::of(&data).unwrap();
        keep(folder, LayoutSource { data: CheckedFile { stamp, ..source.data }, ..source }, rows).unwrap();
        let store = EmbeddedStore::open(folder).unwrap();
        let snapshot = store.opened().unwrap();
        assert!(snapshot.was_kept());
        assert!(found(&*snapshot).iter().all(|ranking| !ranking.is_empty()));
        assert!(matches!(snapshot.record(number), Err(crate::Error::Damaged { .. })) && snapshot.text(number).is_err());
        assert_eq!(snapshot.damaged().iter().map(|damaged| damaged.number).collect::<Vec<_>>(), [number]);
        assert!(found(&*snapshot).iter().flatten().all(|scored| scored.run.document != number));
    }

    #[test]
    fn a_layout_that_was_found_whole_is_believed_until_its_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        written(folder);
        keep_all(&EmbeddedStore::open(folder).unwrap(), folder);
        let settle = || std::thread::sleep(SETTLED + Duration::from_millis(100));
        let is_kept = || EmbeddedStore::open(folder).unwrap().opened().unwrap().was_kept();
        let change = |bit: u8| {
            let layout = File::options().read(true).write(true).open(folder.join(LAYOUT)).unwrap();
            let (mut byte, at) = ([0], layout.metadata().unwrap().len() / 2);
            layout.read_exact_at(&mut byte, at).unwrap();
            layout.write_all_at(&[byte[0] ^ bit], at).unwrap();
        };
        assert!(is_kept() && !folder.join(WHOLE).exists(), "it may still be changing");
        settle();
        assert!(is_kept() && folder.join(WHOLE).exists());
        assert!(is_kept());
        change(4);
        assert!(!is_kept(), "noticed at once");
        settle();
        assert!(!is_kept());
        change(4);
        settle();
        std::fs::write(folder.join(WHOLE), "noise").unwrap();
        assert!(is_kept(), "it is looked at again");
    }

    #[test]
    fn what_was_checked_long_ago_is_checked_again() {
        let now = CheckedFile::now(DiskStamp([0; 5])).unwrap();
        assert!(!now.is_too_old());
        assert!(CheckedFile { since: now.since - BELIEVED.as_secs() - 1, ..now }.is_too_old());
        assert!(CheckedFile { since: now.since + 100, ..now }.is_too_old(), "a clock was set back");
    }
}
