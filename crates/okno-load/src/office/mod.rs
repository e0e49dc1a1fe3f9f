//! Office files and books: archives of XML come in; out goes one text, as Markdown would write it.
//!
//! DOCX, PPTX, ODT and EPUB are read here with `zip` and `quick-xml`: of each, the few elements that carry text. The
//! crate `undoc` was looked at first: it reads the Microsoft three, into Markdown of its own, in 40 000 lines with
//! old binary formats and layout; what is needed here is a small part of it, and headings, pages and images have to
//! keep their places. Workbooks are `calamine`'s ([`Workbook`]).
//!
//! Which kind an archive is, its parts say, not its name. What it inflates to is bounded (`archive`).

mod archive;
mod docx;
mod epub;
mod formats;
mod ods;
mod odt;
mod pptx;
mod properties;
mod sheet;
#[cfg(test)]
mod tests;
mod workbook;
mod xls;
mod xml;

use std::path::Path;

use self::archive::Archive;
pub use self::workbook::Workbook;
use super::guard::Parts;
use super::{DamagedPart, FileKind, Loader, Sink, SkipReason, Source, kinds};

/// Reads Word documents, presentations, `OpenDocument` texts and EPUB books.
#[derive(Debug, Clone, Copy, Default)]
pub struct Office;

impl Loader for Office {
    fn accepts(&self, _: &Path, head: &[u8]) -> bool {
        head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        let mut archive = Archive::open(&bytes)?;
        let kind = archive.text("mimetype").unwrap_or_default();
        let mut parts = Parts::default();
        let loaded = match kind.trim() {
            "application/vnd.oasis.opendocument.text" => odt::load(&mut archive, source)?,
            "application/epub+zip" => epub::load(&mut archive, source, &mut parts)?,
            _ if archive.has("word/document.xml") => docx::load(&mut archive, source)?,
            _ if archive.has("ppt/presentation.xml") => pptx::load(&mut archive, source, &mut parts)?,
            _ if archive.has("META-INF/container.xml") => epub::load(&mut archive, source, &mut parts)?,
            _ if workbook::is_workbook(&archive) => return workbook::load(&bytes, source, out),
            _ => {
                let kind = kinds::unread_kind(source.path, &bytes).unwrap_or(FileKind::Zip);
                return Err(SkipReason::unsupported(kind));
            }
        };
        if let Some(missing) = parts.missing() {
            out.skip(source.name, missing);
        }
        out.document(loaded);
        Ok(())
    }
}

/// A file of which this part cannot be read.
fn damaged(part: DamagedPart) -> SkipReason {
    SkipReason::Damaged { part }
}

/// The bytes of one part of an archive.
pub(super) fn part(bytes: &[u8], name: &str) -> Result<Vec<u8>, SkipReason> {
    Archive::open(bytes)?.read(name)
}
