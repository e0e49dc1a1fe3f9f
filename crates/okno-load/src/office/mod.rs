//! Office files and books: archives of XML come in; out goes one text, as Markdown would write it.
//!
//! DOCX, PPTX, ODT and EPUB are read here with `zip` and `quick-xml`: of each, the few elements that carry text. The
//! crate `undoc` was looked at first: it reads the Microsoft three, into Markdown of its own, in 40 000 lines with
//! old binary formats and layout; what is needed here is a small part of it, and headings, pages and images have to
//! keep their places. Workbooks are `calamine`'s ([`Workbook`]).
//!
//! Which kind an archive is, its parts say, not its name. What it inflates to is bounded (`archive`).

mod archive;
pub(super) mod docx;
mod drawings;
mod embedded;
mod epub;
mod formats;
mod odp;
mod ods;
mod odt;
mod pptx;
mod properties;
mod sheet;
#[cfg(test)]
mod tests;
mod workbook;
mod xls;
pub(super) mod xml;

use std::path::Path;

use self::archive::Archive;
pub(super) use self::embedded::read_folders as read_embedded;
pub use self::workbook::Workbook;
use super::encoding::NotText;
use super::guard::DocumentParts;
use super::left_out::LeftOut;
use super::members::Members;
use super::{DamagedPart, Loader, Sink, SkipReason, Source, archives, has_extension};

/// Reads Word documents, presentations, `OpenDocument` texts and EPUB books; any other ZIP archive is a folder.
#[derive(Debug, Clone, Default)]
pub struct Office {
    members: Members,
}

impl Office {
    /// Reads the members of archives so.
    pub(super) fn new(members: Members) -> Self {
        Self { members }
    }
}

impl Loader for Office {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") || is_part_of_archive(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        let mut archive = Archive::open(&bytes)?;
        let Some(format) = ArchiveFormat::of(&mut archive) else {
            return archives::zip(&bytes, source, &self.members, out);
        };
        match format.load(&mut archive, &bytes, source, out) {
            // A document may hold nothing but others.
            Err(blank @ SkipReason::NotText(NotText::Blank)) => {
                let documents = embedded::read(&mut archive, source, &self.members, out);
                if documents > 0 { Ok(()) } else { Err(blank) }
            }
            read => read.map(|()| _ = embedded::read(&mut archive, source, &self.members, out)),
        }
    }
}

/// A later part of an archive in several begins in the middle of a member. It is told as an archive that is not whole.
fn is_part_of_archive(path: &Path, head: &[u8]) -> bool {
    let broken = std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some());
    has_extension(path, &["zip"]) && broken && head.contains(&0)
}

/// What an archive is, by its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ArchiveFormat {
    Docx,
    Pptx,
    Odt,
    Odp,
    Epub,
    Workbook,
}

impl ArchiveFormat {
    /// Nothing for an archive that is no document.
    fn of(archive: &mut Archive<'_>) -> Option<Self> {
        let kind = archive.text("mimetype").unwrap_or_default();
        let kind = kind.trim();
        let open = |name: &str| {
            kind.strip_prefix("application/vnd.oasis.opendocument.").is_some_and(|kind| kind.starts_with(name))
        };
        match () {
            () if open("text") => Some(Self::Odt),
            () if open("presentation") || open("graphics") => Some(Self::Odp),
            () if kind == "application/epub+zip" => Some(Self::Epub),
            () if archive.has("word/document.xml") => Some(Self::Docx),
            () if archive.has("ppt/presentation.xml") => Some(Self::Pptx),
            () if archive.has("META-INF/container.xml") => Some(Self::Epub),
            () if workbook::is_workbook(archive) => Some(Self::Workbook),
            () => None,
        }
    }

    fn load(
        self,
        archive: &mut Archive<'_>,
        bytes: &[u8],
        source: &Source<'_>,
        out: &mut dyn Sink,
    ) -> Result<(), SkipReason> {
        let mut parts = DocumentParts::default();
        let loaded = match self {
            Self::Odt => odt::load(archive, source, out)?,
            Self::Odp => odp::load(archive, source, out)?,
            Self::Epub => epub::load(archive, source, &mut parts)?,
            Self::Docx => docx::load(archive, source)?,
            Self::Pptx => pptx::load(archive, source, &mut parts)?,
            Self::Workbook => return workbook::load(bytes, source, out),
        };
        if let Some(missing) = parts.missing() {
            out.skip(source.name, missing);
        }
        out.document(loaded);
        tell_left_out(archive, source, out);
        Ok(())
    }
}

/// Tells which parts of a Microsoft document are not read.
fn tell_left_out(archive: &mut Archive<'_>, source: &Source<'_>, out: &mut dyn Sink) {
    let names = archive.names();
    let parts = |marks: &[&str]| {
        let holds = |name: &&String| marks.iter().all(|mark| name.contains(mark)) && !name.contains("_rels");
        names.iter().filter(holds).collect::<Vec<&String>>()
    };
    let comments: usize = [parts(&["comments", ".xml"]), parts(&["Comments", ".xml"])]
        .concat()
        .into_iter()
        .filter(|name| !name.contains("Ids") && !name.contains("Extended") && !name.contains("Extensible"))
        .filter_map(|name| archive.text(name))
        .map(|xml| {
            ["<w:comment ", "<comment ", "<p:cm ", "<threadedComment "]
                .iter()
                .map(|mark| xml.matches(mark).count())
                .sum::<usize>()
        })
        .sum();
    let headed = parts(&["word/header"]).len() + parts(&["word/footer"]).len() > 0;
    let found = [
        (comments > 0).then_some(LeftOut::Comments { count: comments }),
        headed.then_some(LeftOut::HeadersAndFooters),
        Some(parts(&["xl/charts/chart"]).len()).filter(|count| *count > 0).map(|count| LeftOut::Charts { count }),
    ];
    found.into_iter().flatten().for_each(|what| out.left_out(source.name, what));
}

/// A file of which this part cannot be read.
pub(super) fn damaged(part: DamagedPart) -> SkipReason {
    SkipReason::Damaged { part }
}

/// The bytes of one part of an archive.
pub(super) fn part(bytes: &[u8], name: &str) -> Result<Vec<u8>, SkipReason> {
    Archive::open(bytes)?.read(name)
}
