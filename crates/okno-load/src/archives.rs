//! Archives as folders: `.zip`, `.tar`, `.tar.gz` and single files in gzip.
//!
//! Every member is a document of its own, cited as `archive.zip/inner.md` ([`super::members`] bounds them). ZIP
//! archives are told from Office documents by their parts, so they come here from [`super::office`]. The format of
//! `tar` is short, so it is read here: names, sizes, long names of GNU and of POSIX; the crate `tar` was looked at, it
//! is made for unpacking to disk.

use std::io::{Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::members::{Members, OpenMembers};
use super::{DamagedPart, Loader, Sink, SkipReason, Source, has_extension};
use okno_document::message::Bytes;

/// Names of ZIP files that are programs and packages, which hold no documents.
const PROGRAMS: [&str; 14] =
    ["jar", "war", "ear", "aar", "apk", "ipa", "xpi", "crx", "whl", "egg", "nupkg", "vsix", "appx", "msix"];

/// Reads `.tar`, `.tar.gz` and `.gz` files.
#[derive(Debug, Clone, Default)]
pub struct TarAndGzip {
    members: Members,
}

impl TarAndGzip {
    /// Reads members so.
    pub(super) fn new(members: Members) -> Self {
        Self { members }
    }
}

const GZIP: &[u8] = b"\x1f\x8b\x08";

fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

impl Loader for TarAndGzip {
    fn accepts(&self, _: &Path, head: &[u8]) -> bool {
        head.starts_with(GZIP) || is_tar(head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        self.members.read(source, out, |open| {
            if !bytes.starts_with(GZIP) {
                return tar(&mut &bytes[..], open);
            }
            let mut inflated = MultiGzDecoder::new(&bytes[..]);
            let mut head = Vec::new();
            let begun = (&mut inflated).take(512).read_to_end(&mut head);
            if head.is_empty() {
                let words = begun.err().map_or_else(String::new, |error| error.to_string());
                return Err(SkipReason::Damaged { part: DamagedPart::Archive { words } });
            }
            let mut whole = Cursor::new(&head).chain(inflated);
            if is_tar(&head) { tar(&mut whole, open) } else { single(source, &mut whole, open) }
        })
    }
}

/// One file in gzip: its name is that of the archive without `.gz`.
fn single(source: &Source<'_>, from: &mut dyn Read, open: &mut OpenMembers<'_>) -> Result<(), SkipReason> {
    let stem = source.stem();
    let name = if has_extension(source.path, &["tgz"]) { "archive".to_owned() } else { stem };
    let bytes = bounded(from, open.limit())?;
    open.member(&name, &bytes)
}

/// The bytes of a member; a limit that is reached is an error, damage is an end.
fn bounded(from: &mut dyn Read, limit: u64) -> Result<Vec<u8>, SkipReason> {
    let mut bytes = Vec::new();
    let _ = from.take(limit + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > limit { Err(SkipReason::Inflates { limit: Bytes(limit) }) } else { Ok(bytes) }
}

const BLOCK: usize = 512;
/// Names that are longer are damage.
const LONGEST_NAME: u64 = 64 << 10;

/// Reads the members of a `tar` archive.
fn tar(from: &mut dyn Read, open: &mut OpenMembers<'_>) -> Result<(), SkipReason> {
    let mut long_name: Option<String> = None;
    loop {
        let mut header = Vec::with_capacity(BLOCK);
        let _ = (&mut *from).take(BLOCK as u64).read_to_end(&mut header);
        if header.len() < BLOCK || header.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        let Some(size) = number(&header[124..136]) else {
            return Err(SkipReason::Damaged { part: DamagedPart::Archive { words: "tar".to_owned() } });
        };
        let padding = size.next_multiple_of(BLOCK as u64) - size;
        match header[156] {
            kind @ (b'L' | b'x') => {
                let about = bounded(&mut (&mut *from).take(size), LONGEST_NAME)?;
                let named = if kind == b'L' { Some(text(&about)) } else { path_record(&about) };
                long_name = named.or(long_name);
            }
            b'0' | 0 | b'7' => {
                let name = long_name.take().unwrap_or_else(|| short_name(&header));
                if open.wants(&name) && size <= open.limit() {
                    let bytes = bounded(&mut (&mut *from).take(size), size)?;
                    open.member(&name, &bytes)?;
                } else {
                    let over = size > open.limit();
                    let _ = std::io::copy(&mut (&mut *from).take(size), &mut std::io::sink());
                    if over {
                        let reason = SkipReason::TooLarge { size: Bytes(size), limit: Bytes(open.limit()) };
                        let place = open.named(&name);
                        open.skip(&place, reason);
                    }
                }
            }
            _ => {
                long_name = None;
                let _ = std::io::copy(&mut (&mut *from).take(size), &mut std::io::sink());
            }
        }
        let _ = std::io::copy(&mut (&mut *from).take(padding), &mut std::io::sink());
    }
}

/// Octal digits, as `tar` writes numbers. Sizes that need more are beyond every limit.
fn number(field: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 8).ok().filter(|size| *size < 1 << 40) }
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    match super::encoding::decode(&bytes[..end]) {
        Ok(decoded) => decoded.text.into_owned(),
        Err(_) => String::from_utf8_lossy(&bytes[..end]).into_owned(),
    }
}

fn short_name(header: &[u8]) -> String {
    let (name, folder) = (text(&header[..100]), text(&header[345..500]));
    // GNU keeps other things where POSIX has the folder.
    let posix = header[257..263] == *b"ustar\0";
    if folder.is_empty() || !posix { name } else { format!("{folder}/{name}") }
}

/// The path among the records `27 path=folder/name` of a header of POSIX.
fn path_record(about: &[u8]) -> Option<String> {
    let about = String::from_utf8_lossy(about);
    about.lines().find_map(|line| Some(line.split_once(" path=")?.1.to_owned()))
}

/// Reads a ZIP archive that is no document as a folder.
#[cfg(feature = "office")]
pub(super) fn zip(bytes: &[u8], source: &Source<'_>, members: &Members, out: &mut dyn Sink) -> Result<(), SkipReason> {
    if has_extension(source.path, &PROGRAMS) {
        return Err(SkipReason::unsupported(super::FileKind::Zip));
    }
    let unreadable =
        |error: &zip::result::ZipError| SkipReason::Damaged { part: DamagedPart::Archive { words: error.to_string() } };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| unreadable(&error))?;
    members.read(source, out, |open| {
        for at in 0..archive.len() {
            let name = archive.by_index_raw(at).map(|file| (text(file.name_raw()), file.is_dir(), file.encrypted()));
            let Ok((name, folder, encrypted)) = name else { continue };
            if folder || !open.wants(&name) {
                continue;
            }
            if encrypted {
                let place = open.named(&name);
                open.skip(&place, SkipReason::Encrypted);
                continue;
            }
            let limit = open.limit();
            match archive.by_index(at) {
                Ok(mut file) => {
                    let bytes = bounded(&mut file, limit)?;
                    open.member(&name, &bytes)?;
                }
                Err(error) => {
                    let place = open.named(&name);
                    open.skip(&place, unreadable(&error));
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, load};
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn tarred(files: &[(&str, &str)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, content) in files {
            let mut header = vec![0; BLOCK];
            header[..name.len()].copy_from_slice(name.as_bytes());
            header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
            header[156] = b'0';
            header[257..263].copy_from_slice(b"ustar\0");
            out.extend(header);
            out.extend(content.bytes());
            out.resize(out.len().next_multiple_of(BLOCK), 0);
        }
        out.resize(out.len() + 2 * BLOCK, 0);
        out
    }

    fn gzipped(bytes: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn a_tar_is_a_folder() {
        let files = [("notes/a.md", "# A\n\nOne."), (".git/config", "x"), ("b.txt", "Two."), ("c.bin", "\0\u{1}\0")];
        for bytes in [tarred(&files), gzipped(&tarred(&files))] {
            let got = check(&TarAndGzip::default(), "d/x.tar.gz", &bytes);
            let ids: Vec<&str> = got.documents.iter().filter_map(|document| document.id.as_deref()).collect();
            assert_eq!(ids, ["d/x.tar.gz/notes/a.md", "d/x.tar.gz/b.txt"]);
            assert_eq!(got.documents[0].text, "# A\n\nOne.");
            assert_eq!(got.skipped[0].0, "d/x.tar.gz/c.bin");
        }
    }

    #[test]
    fn one_file_in_gzip() {
        let got = load(&TarAndGzip::default(), "notes.txt.gz", &gzipped(b"Some words."));
        assert_eq!(got.documents[0].id.as_deref(), Some("notes.txt.gz/notes.txt"));
        assert_eq!(got.documents[0].text, "Some words.");
        assert_eq!(load(&TarAndGzip::default(), "a.gz", b"\x1f\x8b\x08broken").documents.len(), 0);
    }

    #[test]
    fn archives_inside_of_archives_end() {
        let mut bytes = gzipped(b"deep");
        for _ in 0..8 {
            bytes = gzipped(&bytes);
        }
        let got = load(&TarAndGzip::default(), "a.gz", &bytes);
        assert!(matches!(got.skipped[0].1, SkipReason::TooDeep { .. }), "{got:?}");
    }
}
