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
pub use self::workbook::Workbook;
use super::guard::DocumentParts;
use super::left_out::LeftOut;
use super::members::Members;
use super::{DamagedPart, Loader, Sink, SkipReason, Source, archives};

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
    fn accepts(&self, _: &Path, head: &[u8]) -> bool {
        head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        let mut archive = Archive::open(&bytes)?;
        let kind = archive.text("mimetype").unwrap_or_default();
        let mut parts = DocumentParts::default();
        let loaded = match kind.trim() {
            kind if kind.starts_with("application/vnd.oasis.opendocument.text") => {
                odt::load(&mut archive, source, out)?
            }
            kind if kind.starts_with("application/vnd.oasis.opendocument.presentation")
                || kind.starts_with("application/vnd.oasis.opendocument.graphics") =>
            {
                odp::load(&mut archive, source, out)?
            }
            "application/epub+zip" => epub::load(&mut archive, source, &mut parts)?,
            _ if archive.has("word/document.xml") => docx::load(&mut archive, source)?,
            _ if archive.has("ppt/presentation.xml") => pptx::load(&mut archive, source, &mut parts)?,
            _ if archive.has("META-INF/container.xml") => epub::load(&mut archive, source, &mut parts)?,
            _ if workbook::is_workbook(&archive) => return workbook::load(&bytes, source, out),
            _ => return archives::zip(&bytes, source, &self.members, out),
        };
        if let Some(missing) = parts.missing() {
            out.skip(source.name, missing);
        }
        out.document(loaded);
        tell_left_out(&mut archive, source, out);
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
        Some(parts(&["/charts/chart"]).len()).filter(|count| *count > 0).map(|count| LeftOut::Charts { count }),
        Some(parts(&["/embeddings/"]).len()).filter(|count| *count > 0).map(|count| LeftOut::Embedded { count }),
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
