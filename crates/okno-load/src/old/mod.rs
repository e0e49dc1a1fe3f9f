//! Old Office files: compound files come in; out goes one text, as Markdown would write it.
//!
//! Word (`.doc`), `PowerPoint` (`.ppt`), Outlook (`.msg`) and what other programs write in the same way (WPS writes
//! `.wps`, `.dps` and `.et` so). Which of them a file is, its streams say, not its name; workbooks are given to
//! [`super::office::Workbook`]. Crates that were looked at: `cfb` opens compound files, and refuses many that are
//! slightly damaged, so [`super::compound`] does it; readers of Word and `PowerPoint` files that are maintained give
//! text without structure, or are bindings to programs.
//!
//! Everything a file says about places and lengths is a claim: numbers are read with bounds (`number16`, `number32`
//! give 0 beyond the end), and no room is made before the bytes are there.

mod lists;
mod mail;
mod properties;
mod slides;
mod sprms;
mod styles;
#[cfg(test)]
mod tests;
mod word;
mod word_text;

use std::path::Path;

use super::compound::{Compound, MAGIC, ROOT};
use super::encoding::NotText;
use super::members::Members;
use super::office::{self, Workbook};
use super::{DamagedPart, FileKind, Loader, Sink, SkipReason, Source};

/// Reads old Word documents, presentations, workbooks and saved mails of Outlook.
#[derive(Debug, Clone, Default)]
pub struct OldOffice {
    members: Members,
}

impl OldOffice {
    /// Reads the attachments of mails so.
    pub(super) fn new(members: Members) -> Self {
        Self { members }
    }

    /// Reads the documents inside of one that was read. It may hold nothing but others.
    fn with_embedded(
        &self,
        read: Result<(), SkipReason>,
        file: &Compound<'_>,
        source: &Source<'_>,
        out: &mut dyn Sink,
    ) -> Result<(), SkipReason> {
        match read {
            Err(blank @ SkipReason::NotText(NotText::Blank)) => {
                let documents = office::read_embedded(file, source, &self.members, out);
                if documents > 0 { Ok(()) } else { Err(blank) }
            }
            read => read.map(|()| _ = office::read_embedded(file, source, &self.members, out)),
        }
    }
}

impl Loader for OldOffice {
    fn accepts(&self, _: &Path, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        let file = Compound::open(&bytes).ok_or_else(|| damaged("no compound file"))?;
        // Another document may be embedded in a folder: what stands at the top says what the file is.
        let has = |name: &str| file.streams(ROOT).iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        match () {
            () if has("EncryptedPackage") => Err(SkipReason::Encrypted),
            () if has("WordDocument") => self.with_embedded(word::load(&file, source, out), &file, source, out),
            () if has("PowerPoint Document") => slides::load(&file, source, out),
            () if has("__properties_version1.0") => mail::load(&file, source, &self.members, out),
            () if has("Workbook") || has("Book") => {
                let read = Workbook.load(&Source { content: Some(&bytes), ..*source }, out);
                self.with_embedded(read, &file, source, out)
            }
            // A listing that is damaged may still name the streams.
            () if file.stream("WordDocument").is_some() => word::load(&file, source, out),
            () if file.stream("PowerPoint Document").is_some() => slides::load(&file, source, out),
            () if file.stream("Workbook").is_some() => Workbook.load(&Source { content: Some(&bytes), ..*source }, out),
            () => Err(SkipReason::unsupported(FileKind::OldOffice)),
        }
    }
}

/// A file that is not what it should be.
fn damaged(words: &str) -> SkipReason {
    office::damaged(DamagedPart::Workbook { words: words.to_owned() })
}
