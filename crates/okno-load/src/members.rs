//! Files inside of files: members of archives, attachments of mails, mails of a mailbox.
//!
//! Each member becomes documents of its own, read by the loader that takes it and named `archive.zip/inner.md`. What
//! all members of a file may be together is bounded, however deep they are inside of each other: their number, their
//! bytes, the depth. Images of members are kept only where a document carries their bytes: the file that holds them
//! is not a folder where they could be looked up.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::left_out::LeftOut;
use super::{HEAD, ImageReader, JsonlFields, Loader, Sink, SkipReason, Source, accepting, of_every_format};
use okno_document::message::Bytes;
use okno_document::{ImageSource, Loaded};

/// Files inside of a file, all together: the same as a large folder of documents.
const MOST_MEMBERS: usize = 20_000;
/// Their bytes, all together; chosen with the memory of a small machine in mind.
const LARGEST_WHOLE: u64 = 512 << 20;
/// The bytes of one.
const LARGEST_MEMBER: u64 = super::MAX_FILE_SIZE;
/// Files inside of files inside of files: a mail in an archive with an archive in it.
const DEEPEST: usize = 4;

/// How members are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Members {
    fields: JsonlFields,
    reader: Option<Arc<dyn ImageReader>>,
}

/// Where a member is: how deep, and what is left of the bounds of all.
#[derive(Debug, Clone, Copy)]
pub struct Inside<'a> {
    depth: usize,
    left: &'a Allowance,
}

#[derive(Debug)]
struct Allowance {
    members: AtomicUsize,
    bytes: AtomicU64,
}

impl Members {
    pub fn new(fields: JsonlFields, reader: Option<&Arc<dyn ImageReader>>) -> Self {
        Self { fields, reader: reader.map(Arc::clone) }
    }

    /// Reads the members that `each` gives.
    ///
    /// # Errors
    /// When the file is too deep inside of others, or what `each` fails with.
    pub fn read(
        &self,
        source: &Source<'_>,
        out: &mut dyn Sink,
        each: impl FnOnce(&mut OpenMembers<'_>) -> Result<(), SkipReason>,
    ) -> Result<(), SkipReason> {
        let whole = Allowance { members: AtomicUsize::new(MOST_MEMBERS), bytes: AtomicU64::new(LARGEST_WHOLE) };
        let outer = source.inside.unwrap_or(Inside { depth: 0, left: &whole });
        if outer.depth >= DEEPEST {
            return Err(SkipReason::TooDeep { limit: DEEPEST });
        }
        let inside = Inside { depth: outer.depth + 1, ..outer };
        let loaders = of_every_format(self.fields.clone(), self.reader.as_ref());
        let mut open = OpenMembers { source, inside, loaders, out, names: HashMap::new(), hidden: 0, images: 0 };
        let read = each(&mut open);
        let (hidden, images) = (open.hidden, open.images);
        if hidden > 0 {
            out.left_out(source.name, LeftOut::HiddenMembers { count: hidden });
        }
        if images > 0 {
            out.left_out(source.name, LeftOut::Images { count: images });
        }
        read
    }
}

/// A file whose members are being read.
pub(super) struct OpenMembers<'m> {
    source: &'m Source<'m>,
    inside: Inside<'m>,
    loaders: Vec<Box<dyn Loader>>,
    out: &'m mut dyn Sink,
    /// Names that were given, and how often.
    names: HashMap<String, usize>,
    hidden: usize,
    images: usize,
}

impl OpenMembers<'_> {
    /// How many bytes the next member may have.
    pub fn limit(&self) -> u64 {
        LARGEST_MEMBER.min(self.inside.left.bytes.load(Ordering::Relaxed))
    }

    /// Whether a member of this name would be read; counts those that are hidden, as in a folder.
    pub fn wants(&mut self, name: &str) -> bool {
        let cleaned = cleaned(name);
        let hidden = cleaned.split('/').any(|part| part.starts_with('.') || part == "__MACOSX" || part == "Thumbs.db");
        self.hidden += usize::from(hidden);
        !hidden && !cleaned.is_empty()
    }

    /// Reads a member with the loader that takes it; what goes wrong is told and does not stop the others.
    ///
    /// # Errors
    /// When there are too many members, or too many bytes.
    pub fn member(&mut self, name: &str, bytes: &[u8]) -> Result<(), SkipReason> {
        let left = self.inside.left;
        if left.members.load(Ordering::Relaxed) == 0 {
            return Err(SkipReason::TooManyParts { parts: MOST_MEMBERS + 1, limit: MOST_MEMBERS });
        }
        let size = bytes.len() as u64;
        if size > left.bytes.load(Ordering::Relaxed) {
            return Err(SkipReason::Inflates { limit: Bytes(LARGEST_WHOLE) });
        }
        left.members.fetch_sub(1, Ordering::Relaxed);
        left.bytes.fetch_sub(size, Ordering::Relaxed);
        let name = self.named(name);
        if size > LARGEST_MEMBER {
            self.skip(&name, SkipReason::TooLarge { size: Bytes(size), limit: Bytes(LARGEST_MEMBER) });
            return Ok(());
        }
        let path = Path::new(&name);
        let loader = match accepting(path, &bytes[..bytes.len().min(HEAD)], &self.loaders) {
            Ok(loader) => loader,
            Err(reason) => {
                self.out.skip(&name, reason);
                return Ok(());
            }
        };
        let source = Source {
            path,
            name: &name,
            modified: self.source.modified,
            content: Some(bytes),
            inside: Some(self.inside),
        };
        let mut renamed = Renamed { name: &name, out: &mut *self.out, images: 0 };
        let read = loader.load(&source, &mut renamed);
        self.images += renamed.images;
        read.unwrap_or_else(|reason| self.out.skip(&name, reason));
        Ok(())
    }

    /// Gives a document that is made by `read` from a part of the file, as if it were a member.
    pub fn made(&mut self, name: &str, read: impl FnOnce(&Source<'_>) -> Result<Loaded, SkipReason>) {
        let name = self.named(name);
        let source = Source { path: Path::new(&name), name: &name, ..*self.source };
        match read(&source) {
            Ok(loaded) => Renamed { name: &name, out: &mut *self.out, images: 0 }.document(loaded),
            Err(reason) => self.out.skip(&name, reason),
        }
    }

    /// Tells that a member was left out.
    pub fn skip(&mut self, name: &str, reason: SkipReason) {
        self.out.skip(name, reason);
    }

    /// `archive.zip/inner.md`, each name once.
    pub fn named(&mut self, name: &str) -> String {
        let whole = format!("{}/{}", self.source.name, cleaned(name));
        let given = self.names.entry(whole.clone()).or_default();
        *given += 1;
        // A name that looks so was perhaps given too; documents of one name are told apart by the index.
        if *given == 1 { whole } else { format!("{whole} ({given})") }
    }
}

/// A path without what leads out of the archive.
fn cleaned(name: &str) -> String {
    let parts = name.split(['/', '\\']).map(str::trim).filter(|part| !matches!(*part, "" | "." | ".."));
    let parts: Vec<String> = parts.map(|part| part.replace(char::is_control, " ")).collect();
    parts.join("/")
}

/// Gives documents of a member its name.
struct Renamed<'s> {
    name: &'s str,
    out: &'s mut dyn Sink,
    images: usize,
}

impl Sink for Renamed<'_> {
    fn document(&mut self, mut loaded: Loaded) {
        loaded.id = Some(match loaded.id.take() {
            None => self.name.to_owned(),
            // A member of a member is named already.
            Some(id) if id.starts_with(self.name) => id,
            Some(id) => format!("{}/{id}", self.name),
        });
        let before = loaded.images.len();
        loaded.images.retain(|image| matches!(image.source, ImageSource::Bytes(_)));
        self.images += before - loaded.images.len();
        self.out.document(loaded);
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        self.out.skip(place, reason);
    }

    fn left_out(&mut self, place: &str, what: LeftOut) {
        self.out.left_out(place, what);
    }
}

/// Keeps the first document.
pub(super) struct First(pub Option<Loaded>);

impl Sink for First {
    fn document(&mut self, loaded: Loaded) {
        self.0.get_or_insert(loaded);
    }

    fn skip(&mut self, _: &str, _: SkipReason) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_of_the_archive() {
        assert_eq!(cleaned("../../etc/passwd"), "etc/passwd");
        assert_eq!(cleaned("/a\\b/./c.md"), "a/b/c.md");
        assert_eq!(cleaned("a\nb"), "a b");
    }
}
