//! Compound files, which old Office programs write: a small file system inside of a file, with streams by name.
//!
//! Everything in it is a claim about the file – which sectors follow each other, how long a stream is – and none is
//! believed further than the file reaches: a chain of sectors is at most as long as there are sectors, a stream at
//! most as long as its chain.

use std::collections::HashSet;

/// The first bytes of such a file.
pub(super) const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// Numbers from here on are no sectors.
const RESERVED: u32 = 0xffff_fffa;
/// Streams shorter than this are kept in small sectors.
const SMALL_STREAM: usize = 4096;
const SMALL_SECTOR: usize = 64;
const HEADER: usize = 512;

/// Entries of one folder; no program writes so many.
const MOST_IN_FOLDER: usize = 4096;

/// An open compound file.
pub(super) struct Compound<'a> {
    bytes: &'a [u8],
    sector: usize,
    next: Vec<u32>,
    next_small: Vec<u32>,
    small: Vec<u8>,
    entries: Vec<CompoundEntry>,
}

/// A folder or a stream.
struct CompoundEntry {
    name: String,
    folder: bool,
    /// The entries before and after it in its folder, and the first one inside of it.
    links: [u32; 3],
    start: u32,
    size: usize,
}

/// A folder of a compound file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Folder(usize);

/// The folder that holds all others.
pub(super) const ROOT: Folder = Folder(0);

impl<'a> Compound<'a> {
    /// Reads the tables of a file; nothing where they are not there.
    pub fn open(bytes: &'a [u8]) -> Option<Self> {
        if !bytes.starts_with(MAGIC) || bytes.len() < HEADER {
            return None;
        }
        let sector = if number16(bytes, 30) == 12 { 4096 } else { 512 };
        let mut file =
            Self { bytes, sector, next: Vec::new(), next_small: Vec::new(), small: Vec::new(), entries: Vec::new() };
        file.next = file.sector_table();
        let entries = file.chain(number32(bytes, 48), usize::MAX);
        file.entries = entries.chunks_exact(128).map(|entry| CompoundEntry::read(entry, sector)).collect();
        file.next_small = numbers(&file.chain(number32(bytes, 60), usize::MAX));
        let root = file.entries.first().map(|root| (root.start, root.size))?;
        file.small = file.chain(root.0, root.1);
        Some(file)
    }

    /// How long the whole file is.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of a sector; the last one may be cut short.
    fn sector(&self, number: u32) -> &'a [u8] {
        let start = (number as usize).saturating_add(1).saturating_mul(self.sector);
        let end = start.saturating_add(self.sector).min(self.bytes.len());
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Which sector follows each: the sectors of this table are listed in the header, and beyond it in a chain of
    /// their own.
    fn sector_table(&self) -> Vec<u32> {
        let most = self.bytes.len() / self.sector;
        let mut listed = numbers(&self.bytes[76..HEADER]);
        let mut more = number32(self.bytes, 68);
        let mut seen = HashSet::new();
        while more < RESERVED && seen.insert(more) && listed.len() <= most {
            let mut part = numbers(self.sector(more));
            let Some(next) = part.pop() else { break };
            listed.extend(part);
            more = next;
        }
        let mut used = HashSet::new();
        listed.retain(|number| *number < RESERVED && used.insert(*number));
        listed.iter().flat_map(|number| numbers(self.sector(*number))).collect()
    }

    /// The bytes of a chain of sectors, `length` at most.
    fn chain(&self, mut number: u32, length: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..=self.bytes.len() / self.sector {
            if number >= RESERVED || bytes.len() >= length {
                break;
            }
            bytes.extend_from_slice(self.sector(number));
            number = self.next.get(number as usize).copied().unwrap_or(u32::MAX);
        }
        bytes.truncate(length);
        bytes
    }

    fn small_chain(&self, mut number: u32, length: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..=self.small.len() / SMALL_SECTOR {
            if number >= RESERVED || bytes.len() >= length {
                break;
            }
            let start = (number as usize).saturating_mul(SMALL_SECTOR);
            let end = start.saturating_add(SMALL_SECTOR).min(self.small.len());
            bytes.extend_from_slice(self.small.get(start..end).unwrap_or_default());
            number = self.next_small.get(number as usize).copied().unwrap_or(u32::MAX);
        }
        bytes.truncate(length);
        bytes
    }

    fn content(&self, entry: &CompoundEntry) -> Vec<u8> {
        if entry.size < SMALL_STREAM {
            self.small_chain(entry.start, entry.size)
        } else {
            self.chain(entry.start, entry.size)
        }
    }

    /// The first stream of this name, wherever it is.
    pub fn stream(&self, name: &str) -> Option<Vec<u8>> {
        let entry = self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))?;
        Some(self.content(entry))
    }

    /// The folders inside of this one.
    pub fn folders(&self, inside: Folder) -> Vec<(&str, Folder)> {
        let inner = self.children(inside).into_iter().filter(|at| self.entries[*at].folder);
        inner.map(|at| (self.entries[at].name.as_str(), Folder(at))).collect()
    }

    /// The streams of a folder itself.
    pub fn streams(&self, inside: Folder) -> Vec<(&str, StreamEntry)> {
        let inner = self.children(inside).into_iter().filter(|at| !self.entries[*at].folder);
        inner.map(|at| (self.entries[at].name.as_str(), StreamEntry(at))).collect()
    }

    /// The stream of this name in a folder itself.
    pub fn stream_in(&self, inside: Folder, name: &str) -> Option<Vec<u8>> {
        let found = self.streams(inside).into_iter().find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        Some(self.read(found.1))
    }

    /// The bytes of a stream.
    pub fn read(&self, stream: StreamEntry) -> Vec<u8> {
        self.entries.get(stream.0).map(|entry| self.content(entry)).unwrap_or_default()
    }

    /// The entries of a folder, in their order; each once, also where the links lead in a circle.
    fn children(&self, inside: Folder) -> Vec<usize> {
        let Some(folder) = self.entries.get(inside.0) else { return Vec::new() };
        let (mut open, mut seen) = (vec![folder.links[2]], HashSet::new());
        while let Some(at) = open.pop().filter(|_| seen.len() < MOST_IN_FOLDER) {
            let Some(entry) = self.entries.get(at as usize).filter(|_| at != 0) else { continue };
            if seen.insert(at as usize) {
                open.extend([entry.links[0], entry.links[1]]);
            }
        }
        let mut found: Vec<usize> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }
}

/// A stream of a compound file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamEntry(usize);

impl CompoundEntry {
    fn read(bytes: &[u8], sector: usize) -> Self {
        let letters: Vec<u16> =
            bytes[..64].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let name = letters.split(|letter| *letter == 0).next().unwrap_or_default();
        // The upper half of the size means something only where sectors are large.
        let high = if sector == 4096 { number32(bytes, 124) } else { 0 };
        Self {
            name: String::from_utf16_lossy(name),
            folder: matches!(bytes[66], 1 | 5),
            links: [number32(bytes, 68), number32(bytes, 72), number32(bytes, 76)],
            start: number32(bytes, 116),
            size: (u64::from(high) << 32 | u64::from(number32(bytes, 120))) as usize,
        }
    }
}

/// A number of two bytes at this place; 0 beyond the end.
pub(super) fn number16(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |two| u16::from_le_bytes(*two))
}

/// A number of four bytes at this place; 0 beyond the end.
pub(super) fn number32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |four| u32::from_le_bytes(*four))
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
}

/// A compound file that holds these streams and nothing else. A name `folder/stream` is that of a stream in a folder;
/// streams of a folder stand one after the other.
pub(super) fn written(streams: &[(&str, &[u8])]) -> Vec<u8> {
    const SECTOR: usize = 4096;
    const END: u32 = 0xffff_fffe;
    let padded = |content: &[u8]| content.len().max(SMALL_STREAM).div_ceil(SECTOR);
    let mut folders: Vec<&str> = streams.iter().filter_map(|(name, _)| Some(name.split_once('/')?.0)).collect();
    folders.dedup();
    let entries = (streams.len() + folders.len() + 1).div_ceil(SECTOR / 128);
    let sectors = entries + streams.iter().map(|(_, content)| padded(content)).sum::<usize>();
    let tables = (1..=sectors).find(|tables| tables * (SECTOR / 4) >= sectors + tables).unwrap_or(1);
    let mut next: Vec<u32> = vec![0xffff_fffd; tables];
    let mut chain = |length: usize| {
        let start = next.len() as u32;
        next.extend((1..length as u32).map(|at| start + at));
        next.push(END);
        start
    };
    let listed = chain(entries);
    // Streams first, then folders; each entry is followed by the next one of the same folder.
    let folder = |at: usize| streams.get(at).and_then(|(name, _)| Some(name.split_once('/')?.0));
    let next_in = |inside: Option<&str>, from: usize| (from..streams.len()).find(|at| folder(*at) == inside);
    let number = |at: Option<usize>| at.map_or(u32::MAX, |at| at as u32 + 1);
    let first_folder = (!folders.is_empty()).then_some(streams.len());
    let mut listing = entry("Root Entry", 5, 0, 0, number(next_in(None, 0).or(first_folder)), u32::MAX);
    for (at, (name, content)) in streams.iter().enumerate() {
        let inside = folder(at);
        let right = next_in(inside, at + 1).or(first_folder.filter(|_| inside.is_none()));
        let start = chain(padded(content));
        let own = name.split_once('/').map_or(*name, |(_, own)| own);
        listing.extend(entry(own, 2, start, content.len().max(SMALL_STREAM), u32::MAX, number(right)));
    }
    for (at, name) in folders.iter().enumerate() {
        let right = if at + 1 < folders.len() { number(Some(streams.len() + at + 1)) } else { u32::MAX };
        listing.extend(entry(name, 1, 0, 0, number(next_in(Some(*name), 0)), right));
    }
    next.resize(tables * (SECTOR / 4), u32::MAX);
    let mut file = MAGIC.to_vec();
    file.resize(SECTOR, 0);
    file[24..34].copy_from_slice(&[0x3e, 0, 4, 0, 0xfe, 0xff, 12, 0, 6, 0]);
    let mut set = |at: usize, number: u32| file[at..at + 4].copy_from_slice(&number.to_le_bytes());
    let header = [(44, tables as u32), (48, listed), (56, SMALL_STREAM as u32), (60, END), (64, 0), (68, END), (72, 0)];
    for (at, number) in header {
        set(at, number);
    }
    (0..109).for_each(|at| set(76 + at * 4, if at < tables { at as u32 } else { u32::MAX }));
    file.extend(next.iter().flat_map(|number| number.to_le_bytes()));
    listing.resize(entries * SECTOR, 0);
    file.extend(listing);
    for (_, content) in streams {
        let end = file.len() + padded(content) * SECTOR;
        file.extend_from_slice(content);
        file.resize(end, 0);
    }
    file
}

fn entry(name: &str, kind: u8, start: u32, size: usize, child: u32, right: u32) -> Vec<u8> {
    let mut bytes = vec![0; 128];
    for (at, letter) in name.encode_utf16().take(31).enumerate() {
        bytes[at * 2..at * 2 + 2].copy_from_slice(&letter.to_le_bytes());
    }
    bytes[64] = (name.encode_utf16().count().min(31) * 2 + 2) as u8;
    (bytes[66], bytes[67]) = (kind, 1);
    for (at, number) in [(68, u32::MAX), (72, right), (76, child), (116, start), (120, size as u32)] {
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let long = vec![7; 3 << 20];
        let file = written(&[("Book", b"words"), ("Long", &long)]);
        let open = Compound::open(&file).unwrap();
        assert!(open.stream("book").unwrap().starts_with(b"words\0"));
        assert_eq!(open.stream("Long").unwrap(), long);
        assert!(open.stream("Short").is_none() && Compound::open(b"\xd0\xcf\x11\xe0").is_none());
    }

    #[test]
    fn streams_in_folders() {
        let file = written(&[("A", b"a"), ("x/B", b"b"), ("x/C", b"c"), ("y/B", b"d")]);
        let open = Compound::open(&file).unwrap();
        let names: Vec<&str> = open.streams(ROOT).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["A"]);
        let folders = open.folders(ROOT);
        assert_eq!(folders.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["x", "y"]);
        assert!(open.stream_in(folders[1].1, "b").unwrap().starts_with(b"d\0"));
        assert_eq!(open.streams(folders[0].1).len(), 2);
    }

    /// A chain that leads back to itself was followed until the memory was full.
    #[test]
    fn chains_end_where_the_file_does() {
        let mut file = written(&[("Book", b"words")]);
        // Every sector is followed by the one that holds the listing.
        for at in (4096..8192).step_by(4) {
            file[at..at + 4].copy_from_slice(&1u32.to_le_bytes());
        }
        let open = Compound::open(&file).unwrap();
        assert!(open.stream("Book").unwrap().len() <= file.len());
        assert!(open.entries.len() <= file.len() / 128 + 32);
        file.truncate(600);
        assert!(Compound::open(&file).is_none_or(|open| open.stream("Book").is_none()));
    }
}
