//! Loading: files come in, documents go out.
//!
//! [`walk()`] lists the files of a folder, [`load_file`] finds the [`Loader`] that reads one – by its first bytes,
//! not by its name alone – and hands every document to a [`Sink`]. One file is in memory at a time; a JSONL file, one
//! line. A file or a line that cannot be read is reported to the sink with its place and reason and never stops the
//! others.
//!
//! What a loader gives is *canonical text* and *blocks*. For text, Markdown and JSONL the text is the decoded source
//! unchanged, so that offsets mean the same to everyone; HTML is rendered, the same way every time. Blocks are spans
//! of that text: ordered, disjoint, covering every non-blank character.
//!
//! New formats implement [`Loader`]. One that has pages or images renders its pages into one text and marks them in
//! the document it emits; text never stops at a page's end. Formats that must be rendered write into one `rendering`,
//! so that a heading or a table looks the same whatever it came from. PDF, Office files and mail are cargo features
//! (`pdf`, `office`, `mail`), on by default; `page-pictures` adds pictures of the pages of PDFs.

#[cfg(feature = "office")]
mod archives;
mod asciidoc;
mod audio;
mod child_process;
#[cfg(feature = "office")]
mod compound;
#[cfg(any(test, feature = "contracts"))]
#[allow(clippy::missing_panics_doc)]
pub mod contract;
mod csv;
pub mod encoding;
mod given;
mod glob;
mod guard;
mod html;
mod image;
mod json;
mod jsonl;
mod kinds;
mod latex;
mod left_out;
mod lines;
mod little_text;
mod look;
#[cfg(feature = "mail")]
mod mail;
mod markdown;
mod markup;
#[cfg_attr(not(any(feature = "office", feature = "mail")), allow(dead_code))]
mod members;
mod notebook;
#[cfg(feature = "office")]
mod office;
#[cfg(feature = "office")]
mod old;
mod one_per_line;
mod org;
mod page_drawer;
mod paragraphs;
#[cfg(feature = "pdf")]
mod pdf;
mod reason;
mod rendering;
mod restructured;
mod rtf;
mod selection;
mod source_code;
mod subtitles;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod values;
mod walk;
#[cfg(feature = "office")]
mod xml;

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "office")]
pub use self::archives::TarAndGzip;
pub use self::asciidoc::AsciiDoc;
pub use self::audio::Recording;
pub use self::child_process::{BoundedCommand, ChildFailure};
pub use self::csv::Csv;
pub use self::given::{GivenDocument, given_lines};
pub use self::glob::{Glob, GlobError};
pub use self::guard::{Guarded, PanicPlace, catch as catch_panic};
pub use self::html::Html;
pub use self::image::{ImageReader, Images, LARGEST_IMAGE, image_bytes};
pub use self::json::JsonFile;
pub use self::jsonl::{FieldsError, Jsonl, JsonlFields};
pub use self::kinds::FileKind;
pub use self::latex::Latex;
pub use self::left_out::LeftOut;
pub use self::lines::list_marker;
pub use self::look::{look_at_images, look_at_own_images};
#[cfg(feature = "mail")]
pub use self::mail::Mail;
pub use self::markdown::{Markdown, heading_text, without_anchor};
pub use self::members::Inside;
use self::members::Members;
pub use self::notebook::Notebook;
#[cfg(feature = "office")]
pub use self::office::{Office, Workbook};
#[cfg(feature = "office")]
pub use self::old::OldOffice;
pub use self::one_per_line::OnePerLine;
pub use self::org::Org;
pub use self::page_drawer::{PageDrawer, PageFailure};
#[cfg(feature = "pdf")]
pub use self::pdf::{MarkBox, PageMarks, Pdf, marks};
#[cfg(feature = "page-pictures")]
pub use self::pdf::{PICTURE_WIDTHS, page_picture};
pub use self::reason::{DamagedPart, SaveAs, SkipReason};
pub use self::restructured::ReStructuredText;
pub use self::rtf::Rtf;
pub use self::selection::{CompiledSelection, Selection, SelectionError};
pub use self::source_code::SourceCode;
pub use self::subtitles::Subtitles;
pub use self::text::PlainText;
pub use self::walk::relative;
pub use self::walk::{FileEntry, SkippedPlace, WalkOptions, walk};
#[cfg(feature = "office")]
pub use self::xml::XmlFile;
use okno_document::message::Bytes;
use okno_document::{Date, Loaded, Metadata, Value};

/// How much of a file [`Loader::accepts`] may look at.
pub const HEAD: usize = 4096;
/// Larger files are skipped unless their loader streams: a text this long is a data dump, and a rendered one may take
/// many times its size.
pub const MAX_FILE_SIZE: u64 = 64 << 20;

/// One way of reading a kind of file.
///
/// The contract: the same bytes give the same documents in the same order; blocks are ordered, disjoint, on character
/// boundaries, and cover every non-blank character; no input makes it panic, run for ever or take memory by what it
/// claims. `load::contract::check` asks it. A loader that panics nevertheless is caught ([`Guarded`]) and the file
/// told as an internal error.
pub trait Loader: Send + Sync {
    /// Whether this loader reads such a file. `head` is its first [`HEAD`] bytes, or all of it. Loaders are asked in
    /// order; the first that says yes is the only one to load it.
    fn accepts(&self, path: &Path, head: &[u8]) -> bool;

    /// Reads the source and gives each of its documents to `out`, usually one. A part that cannot be read goes to
    /// [`Sink::skip`].
    ///
    /// # Errors
    /// When the source as a whole gives nothing. Documents given before the error stay given.
    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason>;

    /// Whether this loader reads through [`Source::reader`] in bounded memory; the limit on file sizes is then not
    /// for it.
    fn streams(&self) -> bool {
        false
    }
}

impl<L: Loader + ?Sized> Loader for Arc<L> {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        (**self).accepts(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        (**self).load(source, out)
    }

    fn streams(&self) -> bool {
        (**self).streams()
    }
}

/// Where documents go.
pub trait Sink {
    /// Takes the next document.
    fn document(&mut self, loaded: Loaded);
    /// Takes note of something that was left out: `place` is a file, or `file:line`.
    fn skip(&mut self, place: &str, reason: SkipReason);
    /// Takes note of something that a document holds and its text does not, on purpose: for people who want to know
    /// what was read.
    fn left_out(&mut self, _place: &str, _what: LeftOut) {}
}

/// A file (or bytes that stand for one) to be read.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// The path relative to the root, with `/`: what ids and citations show.
    pub name: &'a str,
    /// The day of its last change.
    pub modified: Option<Date>,
    /// The content, when it is already in memory; else the file at `path` is read when asked for.
    pub content: Option<&'a [u8]>,
    /// Where it is inside of other files; nothing for a file of its own.
    pub inside: Option<Inside<'a>>,
}

impl<'a> Source<'a> {
    /// Content that is in memory, as a downloaded page or a test.
    #[must_use]
    pub fn memory(name: &'a str, content: &'a [u8]) -> Self {
        Self { path: Path::new(name), name, modified: None, content: Some(content), inside: None }
    }

    /// A file on disk, read when asked for.
    #[must_use]
    pub fn file(entry: &'a FileEntry) -> Self {
        Self { path: &entry.path, name: &entry.name, modified: entry.day(), content: None, inside: None }
    }

    /// The whole content.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn bytes(&self) -> Result<Cow<'a, [u8]>, SkipReason> {
        match self.content {
            Some(content) => Ok(Cow::Borrowed(content)),
            None => std::fs::read(self.path).map(Cow::Owned).map_err(|cause| self.unreadable(cause)),
        }
    }

    /// The content as a stream.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn reader(&self) -> Result<Box<dyn BufRead + 'a>, SkipReason> {
        match self.content {
            Some(content) => Ok(Box::new(content)),
            None => File::open(self.path)
                .map(|file| Box::new(BufReader::with_capacity(1 << 16, file)) as Box<dyn BufRead>)
                .map_err(|cause| self.unreadable(cause)),
        }
    }

    /// The whole content as text, whatever its encoding; a byte order mark is removed, nothing else changes.
    ///
    /// # Errors
    /// When the file cannot be read or is not text.
    pub fn text(&self) -> Result<String, SkipReason> {
        let bytes = self.bytes()?;
        let text = encoding::decode(&bytes)?.text;
        Ok(text.into_owned())
    }

    /// The file name without folder and extension: the title of last resort.
    #[must_use]
    pub fn stem(&self) -> String {
        Path::new(self.name).file_stem().unwrap_or(self.name.as_ref()).to_string_lossy().into_owned()
    }

    fn unreadable(&self, cause: std::io::Error) -> SkipReason {
        SkipReason::Unreadable { path: self.path.to_owned(), cause: cause.into() }
    }
}

/// The blocks of a text read as Markdown, as [`Markdown`] sees them.
#[must_use]
pub fn markdown_blocks(text: &str) -> Vec<okno_document::Block> {
    markdown::read(text).blocks
}

/// The blocks of a text without mark-up, as [`PlainText`] sees them.
#[must_use]
pub fn plain_blocks(text: &str) -> Vec<okno_document::Block> {
    text::blocks(text)
}

/// The loaders of this crate, in the order they are asked.
#[must_use]
pub fn builtin() -> Vec<Box<dyn Loader>> {
    builtin_with(JsonlFields::default())
}

/// The loaders of this crate, with names for the fields of JSONL lines.
#[must_use]
pub fn builtin_with(fields: JsonlFields) -> Vec<Box<dyn Loader>> {
    builtin_for(fields, false)
}

/// The same; with `lines`, a plain text file holds one document per line.
#[must_use]
pub fn builtin_for(fields: JsonlFields, lines: bool) -> Vec<Box<dyn Loader>> {
    builtin_reading(fields, lines, None)
}

/// The same; with a reader, files that are images – pictures, scanned pages – give the text that is to be read in them.
#[must_use]
pub fn builtin_reading(
    fields: JsonlFields,
    lines: bool,
    reader: Option<&Arc<dyn ImageReader>>,
) -> Vec<Box<dyn Loader>> {
    let mut loaders = of_every_format(fields, reader);
    if lines {
        loaders.insert(0, Box::new(OnePerLine));
    }
    loaders
}

fn of_every_format(fields: JsonlFields, reader: Option<&Arc<dyn ImageReader>>) -> Vec<Box<dyn Loader>> {
    #[cfg(any(feature = "office", feature = "mail"))]
    let members = Members::new(fields.clone(), reader);
    vec![
        #[cfg(feature = "pdf")]
        Box::new(reader.map_or_else(Pdf::default, |reader| Pdf::reading(Arc::clone(reader)))),
        #[cfg(feature = "office")]
        Box::new(OldOffice::new(members.clone())),
        #[cfg(feature = "office")]
        Box::new(Office::new(members.clone())),
        #[cfg(feature = "office")]
        Box::new(TarAndGzip::new(members.clone())),
        Box::new(reader.map_or_else(Images::default, |reader| Images::reading(Arc::clone(reader)))),
        Box::new(Recording),
        #[cfg(feature = "mail")]
        Box::new(Mail::new(members)),
        Box::new(Rtf),
        Box::new(Csv),
        Box::new(Subtitles),
        Box::new(Notebook),
        Box::new(Jsonl::new(fields.clone())),
        Box::new(JsonFile::new(fields)),
        Box::new(Html),
        #[cfg(feature = "office")]
        Box::new(XmlFile),
        Box::new(ReStructuredText),
        Box::new(Org),
        Box::new(AsciiDoc),
        Box::new(Latex),
        Box::new(SourceCode),
        Box::new(Markdown),
        Box::new(PlainText),
    ]
}

/// Loads one file with the first loader that accepts it. Whatever goes wrong is told to `out`.
pub fn load_file(entry: &FileEntry, loaders: &[Box<dyn Loader>], max_file_size: u64, out: &mut dyn Sink) {
    if let Err(reason) = try_load(entry, loaders, max_file_size, out) {
        out.skip(&entry.name, reason);
    }
}

fn try_load(
    entry: &FileEntry,
    loaders: &[Box<dyn Loader>],
    max_file_size: u64,
    out: &mut dyn Sink,
) -> Result<(), SkipReason> {
    choose(entry, loaders, max_file_size)?.load(&Source::file(entry), out)
}

/// The first loader that accepts a file.
///
/// # Errors
/// When the file cannot be opened, none accepts it, or it is larger than allowed.
pub fn choose<'l>(
    entry: &FileEntry,
    loaders: &'l [Box<dyn Loader>],
    max_file_size: u64,
) -> Result<Guarded<'l>, SkipReason> {
    let source = Source::file(entry);
    let mut head = Vec::with_capacity(HEAD);
    source.reader()?.take(HEAD as u64).read_to_end(&mut head).map_err(|cause| source.unreadable(cause))?;
    let loader = accepting(&entry.path, &head, loaders)?;
    if entry.size > max_file_size && !loader.streams() {
        return Err(SkipReason::TooLarge { size: Bytes(entry.size), limit: Bytes(max_file_size) });
    }
    Ok(loader)
}

/// The first loader that accepts a file of this name that begins so.
///
/// # Errors
/// When none does.
pub fn accepting<'l>(path: &Path, head: &[u8], loaders: &'l [Box<dyn Loader>]) -> Result<Guarded<'l>, SkipReason> {
    loaders
        .iter()
        .map(|loader| Guarded::new(&**loader))
        .find(|loader| loader.accepts(path, head))
        .ok_or_else(|| SkipReason::unsupported(kinds::unread_kind(path, head).unwrap_or(FileKind::Unknown)))
}

/// What every loader can say about a file. What the document says about itself wins.
pub fn file_metadata(metadata: &mut Metadata, source: &Source<'_>, kind: &str) {
    let file = source.name.rsplit('/').next().unwrap_or(source.name);
    let text = |text: &str| Value::Text(text.to_owned());
    let size =
        source.content.map(|content| content.len() as u64).or_else(|| source.path.metadata().ok().map(|m| m.len()));
    let facts = [
        ("file", Some(text(file))),
        ("path", Some(text(source.name))),
        ("type", Some(text(kind))),
        ("modified", source.modified.map(Value::Date)),
        ("size", size.map(|size| Value::Number(size as f64))),
    ];
    for (key, value) in facts {
        if let Some(value) = value {
            metadata.0.entry(key.to_owned()).or_insert(value);
        }
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let own = path.extension().and_then(|own| own.to_str()).unwrap_or_default();
    extensions.iter().any(|extension| own.eq_ignore_ascii_case(extension))
}

/// Whether the first bytes belong to no known binary kind: a name promises nothing.
fn textual(path: &Path, head: &[u8]) -> bool {
    kinds::unread_kind(path, head).is_none()
}
