//! Mutations of files: bytes flipped, cut, spliced and repeated, numbers and words replaced by ones that break
//! readers, and the same inside of the members of ZIP archives, which random bytes seldom get past.
//!
//! A seed and the number of a round say everything about a mutation, so that it can be made again. The test
//! `mutations` and the program `mutate_files` share this.

#[path = "../../../../fuzz/words.rs"]
mod words;

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use okno_load::{HEAD, Loader, Source, accepting, builtin, contract::Collected};
use words::WORDS;

/// Larger files are cut to this before they are changed: they teach no more and take longer.
const LARGEST: usize = 2 << 20;
/// Larger archives are changed as bytes only.
const LARGEST_INFLATED: u64 = 8 << 20;

/// A small generator (xorshift): the same seed gives the same numbers on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64, round: u64) -> Self {
        let mixed = (seed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Self((mixed ^ (mixed >> 29)) | 1)
    }

    /// A number below this one; 0 where there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as usize) % limit.max(1)
    }
}

/// The files of folders, in order.
pub fn files(from: &[PathBuf]) -> Vec<PathBuf> {
    let (mut open, mut found) = (from.to_vec(), Vec::new());
    while let Some(path) = open.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => found.push(path),
        }
    }
    found.sort();
    found
}

/// A file before it is changed.
pub struct Original {
    pub bytes: Vec<u8>,
    /// The members of an archive with their names; none where it is no archive, or a large one.
    members: Option<Vec<(String, Vec<u8>)>>,
}

impl Original {
    pub fn new(bytes: Vec<u8>) -> Self {
        let members = if bytes.starts_with(b"PK\x03\x04") { unpacked(&bytes) } else { None };
        Self { bytes, members }
    }

    /// What becomes of it in this round. Parts of other files are put into it: `read` gives the bytes of one of `count`
    /// by its number.
    pub fn changed(&self, count: usize, read: &dyn Fn(usize) -> Vec<u8>, seed: u64, round: u64) -> Vec<u8> {
        let mut random = Random::new(seed, round);
        let other = || read(Random::new(seed, !round).below(count));
        if let Some(members) = &self.members
            && random.below(5) > 0
            && let Some(changed) = changed_inside(members, &mut random, &other)
        {
            return changed;
        }
        let mut bytes = self.bytes[..self.bytes.len().min(LARGEST)].to_vec();
        change(&mut bytes, &mut random, &other);
        bytes
    }
}

/// The members of an archive.
fn unpacked(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let (mut members, mut left) = (Vec::with_capacity(zip.len()), LARGEST_INFLATED);
    for at in 0..zip.len() {
        let file = zip.by_index(at).ok()?;
        let name = file.name().ok()?.into_owned();
        let mut content = Vec::new();
        file.take(left + 1).read_to_end(&mut content).ok()?;
        left = left.checked_sub(content.len() as u64)?;
        members.push((name, content));
    }
    Some(members)
}

/// An archive of which some members are changed.
fn changed_inside(members: &[(String, Vec<u8>)], random: &mut Random, other: &dyn Fn() -> Vec<u8>) -> Option<Vec<u8>> {
    let chosen = random.below(members.len());
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (at, (name, content)) in members.iter().enumerate() {
        let mut content = std::borrow::Cow::Borrowed(content);
        let text = name.ends_with("xml") || name.ends_with("rels") || name.ends_with("html");
        if at == chosen || (text && random.below(4) == 0) {
            change(content.to_mut(), random, other);
        }
        if random.below(60) > 0 {
            out.start_file(name.as_str(), stored).ok()?;
            out.write_all(&content).ok()?;
        }
    }
    Some(out.finish().ok()?.into_inner())
}

/// Some changes at some places.
fn change(bytes: &mut Vec<u8>, random: &mut Random, other: &dyn Fn() -> Vec<u8>) {
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        let bits = random.below(12);
        let length = random.below(1 << bits).min(bytes.len() - at);
        match random.below(12) {
            0..=2 => flip(bytes, at, random),
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(at..at + length)),
            5 => {
                let part = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            6 => {
                let part = bytes[at..at + length].repeat(1 + random.below(50));
                bytes.splice(at..at, part.into_iter().take(1 << 17));
            }
            7 => {
                let other = other();
                let from = random.below(other.len());
                let part = other[from..].iter().copied().take(random.below(1 << 12));
                bytes.splice(at..at, part.collect::<Vec<u8>>());
            }
            8 | 9 => {
                let word = WORDS[random.below(WORDS.len())].as_bytes();
                let times = if random.below(10) == 0 { 1 + random.below(5000) } else { 1 };
                bytes.splice(at..at, word.repeat(times));
            }
            10 => replace_number(bytes, at, random),
            _ => {
                let value = [0, 1, 0x7f, 0x80, 0xff][random.below(5)];
                bytes[at..at + length.min(8)].fill(value);
            }
        }
    }
}

fn flip(bytes: &mut [u8], at: usize, random: &mut Random) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte = if random.below(2) == 0 { *byte ^ (1 << random.below(8)) } else { random.below(256) as u8 };
    }
}

/// Another number where the next one stands in the text.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let digit = |from: usize, bytes: &[u8]| bytes[from..].iter().position(u8::is_ascii_digit).map(|found| from + found);
    let Some(start) = digit(at, bytes).or_else(|| digit(0, bytes)) else { return };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = ["-1", "0", "1", "65536", "2147483647", "4294967296", "99999999999999999999"][random.below(7)];
    bytes.splice(start..start + length, number.bytes());
}

/// What became of a file.
#[derive(Debug)]
#[allow(dead_code)] // the test only asks for what failed
pub enum Fate {
    /// Documents; how many letters they have.
    Read(usize),
    /// The code of the reason, and the reason.
    Refused(&'static str, String),
    /// A panic, or a law that is broken.
    Failed(String),
}

/// Reads a file with the loader that takes it, and asks the laws of what comes.
pub fn read(name: &str, bytes: &[u8]) -> Fate {
    use okno_document::message::Message;
    let loaders = builtin();
    let mut collected = Collected::default();
    let loader = match accepting(Path::new(name), &bytes[..bytes.len().min(HEAD)], &loaders) {
        Ok(loader) => loader,
        Err(reason) => return Fate::Refused(reason.code(), reason.to_string()),
    };
    match loader.load(&Source::memory(name, bytes), &mut collected) {
        Err(reason) if reason.code() == "internal_error" => Fate::Failed(reason.to_string()),
        Err(reason) => Fate::Refused(reason.code(), reason.to_string()),
        Ok(()) if collected.documents.is_empty() => {
            let reason = collected.skipped.pop().map(|(_, reason)| reason);
            reason.map_or(Fate::Read(0), |reason| Fate::Refused(reason.code(), reason.to_string()))
        }
        Ok(()) => Fate::Read(collected.documents.iter().map(|document| document.text.chars().count()).sum()),
    }
}
