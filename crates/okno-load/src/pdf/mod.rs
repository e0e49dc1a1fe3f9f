//! PDF: pages of placed letters come in; out goes one running text with its headings, tables and page starts.
//!
//! The steps: letters with places (`glyphs`, with what `fonts`, `programs` and `annotations` know) → fragments of lines
//! (`fragments`) → without running heads and page numbers (`furniture`) → reading order (`columns`, `direction`) and
//! `tables` → headings and paragraphs (`paragraphs`). Letters are written as people type them (`letters`), so that
//! search finds them.
//!
//! Reading the file itself and its fonts is `hayro-syntax` and `hayro-font`: no unsafe code, CJK tables included, 1.7
//! CPU minutes to build (release). `pdf_oxide` (0.3.78) reads the same files well but is 450 000 lines – writer,
//! renderer, forms – with no way to leave them out, and takes a protected file for an empty one; `pdf-extract` panics
//! on Chinese fonts and mixes columns.
//!
//! Images are taken out (`pictures`) and put where they stand (`placing`); a page of scanned paper, which has an
//! image and no letters, is read (`scans`) where somebody reads images, and otherwise said to have no text. What is not
//! read: formulas as such, forms in XML (XFA), attached files.

mod annotations;
mod columns;
mod direction;
#[cfg(feature = "page-pictures")]
mod drawing;
mod fonts;
mod fragments;
mod furniture;
mod glyphs;
mod inflation;
mod letters;
mod limits;
#[cfg(test)]
mod made_files;
mod marks;
mod page_labels;
mod paragraphs;
mod pictures;
mod placed;
mod placing;
mod programs;
mod scans;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use hayro_syntax::object::DateTime;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf as File};

#[cfg(feature = "page-pictures")]
pub use self::drawing::{PICTURE_WIDTHS, page_picture};
use self::fonts::Fonts;
use self::limits::PdfLimits;
pub use self::marks::{MarkBox, PageMarks, marks};
use self::scans::ScanReader;
use super::guard::{self, DocumentParts, PanicPlace};
use super::rendering::Rendering;
use super::{ImageReader, LeftOut, Loader, Sink, SkipReason, Source};
use okno_document::message::Bytes;
use okno_document::{Date, Metadata, Value};

/// More pages than any book has.
const MOST_PAGES: usize = 20_000;
/// A file with more than this many unknown letters for each that is known gives no text that is worth reading.
const MOST_UNKNOWN: usize = 4;
/// Fewer than one page in this many may be covers and photographs: nothing is missing.
const FEW_IMAGES: usize = 4;
/// Fewer than one unknown letter in this many are ornaments and bullets: nothing is missing.
const NOTED_UNKNOWN: usize = 20;
/// The header may stand behind some bytes that are not PDF; readers look this far.
const HEADER_WITHIN: usize = 1024;

/// Reads PDF files.
#[derive(Clone, Default)]
pub struct Pdf {
    reader: Option<Arc<dyn ImageReader>>,
}

impl Pdf {
    /// PDF files whose scanned pages are read.
    #[must_use]
    pub fn reading(reader: Arc<dyn ImageReader>) -> Self {
        Self { reader: Some(reader) }
    }
}

impl Loader for Pdf {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        let inside = memchr::memmem::find(&head[..head.len().min(HEADER_WITHIN)], b"%PDF-");
        inside == Some(0) || (super::has_extension(path, &["pdf"]) && (inside.is_some() || head.is_empty()))
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        if bytes.is_empty() {
            return Err(SkipReason::EmptyFile);
        }
        let bytes = Arc::new(bytes.into_owned());
        let reader = self.reader.as_deref();
        let first = guard::catch(|| read(&bytes, reader, PageWriting::Together));
        // A page that breaks what is done with all of them is found, and the others read without it.
        let read = first.or_else(|_| guard::catch(|| read(&bytes, reader, PageWriting::EachFirst)));
        let PdfReading { rendering, metadata, left_out, running_heads } =
            read.unwrap_or_else(|PanicPlace(place)| Err(SkipReason::InternalError { place }))?;
        for reason in left_out {
            out.skip(source.name, reason);
        }
        if running_heads {
            out.left_out(source.name, LeftOut::HeadersAndFooters);
        }
        out.document(rendering.finish(source, "pdf", metadata)?);
        Ok(())
    }
}

/// How pages are written.
#[derive(Clone, Copy, PartialEq)]
enum PageWriting {
    /// All at once.
    Together,
    /// Each one alone before, to see that it can be.
    EachFirst,
}

/// What a file gave.
struct PdfReading {
    rendering: Rendering,
    metadata: Metadata,
    /// What is not in it, and why.
    left_out: Vec<SkipReason>,
    /// Lines that stand on every page were left out.
    running_heads: bool,
}

/// Opens a file that does no harm when it is opened.
fn opened(bytes: &Arc<Vec<u8>>) -> Result<File, SkipReason> {
    if inflation::is_bomb(bytes) {
        return Err(SkipReason::Inflates { limit: Bytes(inflation::LARGEST) });
    }
    File::new(Arc::clone(bytes)).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => SkipReason::Encrypted,
        LoadPdfError::Decryption(_) => SkipReason::UnknownEncryption,
        LoadPdfError::Invalid => SkipReason::DamagedPdf,
    })
}

fn read(bytes: &Arc<Vec<u8>>, reader: Option<&dyn ImageReader>, how: PageWriting) -> Result<PdfReading, SkipReason> {
    let file = opened(bytes)?;
    let (fonts, mut limits, mut parts) = (Fonts::new(), PdfLimits::new(), DocumentParts::default());
    let (mut letters, mut unknown, mut images) = (0, 0, 0);
    let pages = file.pages();
    let (mut layers, mut extras, mut comments) = (Vec::new(), Vec::new(), Vec::new());
    for (at, page) in pages.iter().take(MOST_PAGES).enumerate() {
        let drawn = parts.read(
            || page_name(at),
            || {
                let drawn = glyphs::drawn(page, &fonts, &mut limits);
                let bands = fragments::bands(&drawn.glyphs);
                (drawn, bands)
            },
        );
        let (mut drawn, bands) = drawn.unwrap_or_default();
        letters += drawn.glyphs.len();
        unknown += drawn.unknown;
        images += drawn.images;
        limits.fragments(bands.iter().flatten().map(Vec::len).sum());
        layers.push(bands);
        letters += drawn.comments.iter().map(String::len).sum::<usize>();
        comments.push(std::mem::take(&mut drawn.comments));
        let glyphs::PageContent { glyphs, images, pictures, undecoded, turned, .. } = drawn;
        extras.push(placing::PageExtras { letters: glyphs.len(), images, pictures, undecoded, turned });
    }
    if limits.exceeded {
        return Err(SkipReason::TooSlow);
    }
    let (mut pieces, furniture) = arranged(layers, &mut parts);
    let scans = reader.map(|reader| ScanReader::new(bytes, pages.len(), reader));
    let images_only = placing::place(&mut pieces, extras, scans);
    for (page, comments) in pieces.iter_mut().zip(comments) {
        page.extend(comments.into_iter().map(columns::PdfPiece::Comment));
    }
    for (page, words) in furniture.kept {
        pieces[page].push(columns::PdfPiece::Comment(words));
    }
    let scanned = images_only.read;
    if letters == 0 && scanned == 0 && parts.any() {
        return Err(parts.missing().unwrap_or(SkipReason::DamagedPdf));
    }
    let mut left_out = images_only.lost(pages.len());
    // Images that were read in vain show no text.
    let reads_all = reader.is_some_and(|reader| reader.page_drawer().is_some());
    if letters == 0 && scanned == 0 && !left_out.is_empty() {
        return Err(left_out.swap_remove(0));
    }
    if (letters == 0 && scanned == 0) || unknown > MOST_UNKNOWN * letters {
        return Err(without_text(pages.len(), unknown, if reads_all { 0 } else { images }));
    }
    if how == PageWriting::EachFirst {
        for (at, page) in pieces.iter_mut().enumerate() {
            if parts.read(|| page_name(at), || paragraphs::write(vec![page.clone()])).is_none() {
                page.clear();
            }
        }
    }
    let mut rendering = paragraphs::write(pieces);
    rendering.label_pages(page_labels::labels(&file, pages.len()));
    if images_only.unread * FEW_IMAGES > pages.len() {
        left_out.push(SkipReason::PagesWithoutText { images: images_only.unread, pages: pages.len() });
    }
    if unknown * NOTED_UNKNOWN > letters {
        left_out.push(SkipReason::LettersNotRead { unknown, letters: letters + unknown });
    }
    left_out.extend(parts.missing());
    Ok(PdfReading { rendering, metadata: metadata(&file), left_out, running_heads: furniture.any })
}

fn page_name(at: usize) -> String {
    format!("page {}", at + 1)
}

/// Why there is no text.
fn without_text(pages: usize, unknown: usize, images: usize) -> SkipReason {
    match (unknown, images) {
        (0, 0) => SkipReason::BlankPages { pages },
        (0, _) => SkipReason::NoTextLayer { pages },
        _ => SkipReason::UnknownLetters,
    }
}

/// A stamp along the margin has no more lines, and no more bytes.
const STAMP_LINES: usize = 2;
const STAMP_BYTES: usize = 160;

/// The pieces of every page: what runs in the page's main direction first. And the running heads that were left out.
fn arranged(
    layers: Vec<Vec<Vec<fragments::Band>>>,
    parts: &mut DocumentParts,
) -> (Vec<Vec<columns::PdfPiece>>, furniture::PageFurniture) {
    let mut main: Vec<Vec<fragments::Band>> = Vec::with_capacity(layers.len());
    let mut turned: Vec<Vec<Vec<fragments::Band>>> = Vec::with_capacity(layers.len());
    for mut page in layers {
        let first = if page.is_empty() { Vec::new() } else { page.remove(0) };
        main.push(first);
        turned.push(page);
    }
    let furniture = furniture::remove(&mut main);
    let mut seen: HashSet<String> = HashSet::new();
    // Stamps along the margin are the same on every page; on one page, words may be repeated.
    for page in &mut turned {
        let words = |band: &fragments::Band| band.iter().map(|fragment| fragment.text.clone()).collect::<Vec<_>>();
        let own: Vec<String> = page.iter().flatten().flat_map(words).collect();
        for layer in page {
            layer.retain(|band| band.iter().any(|fragment| !seen.contains(&fragment.text)));
        }
        seen.extend(own);
    }
    let both = main.into_iter().zip(turned).enumerate();
    let pieces = both.map(|(at, (main, turned))| {
        let pieces = || columns::pieces(main).into_iter().chain(turned.into_iter().flat_map(turned_pieces)).collect();
        parts.read(|| page_name(at), pieces).unwrap_or_default()
    });
    (pieces.collect(), furniture)
}

/// The pieces of what runs in another direction. A stamp along the margin comes behind the paragraph that the page ends
/// with, which may go on after it.
fn turned_pieces(layer: Vec<fragments::Band>) -> Vec<columns::PdfPiece> {
    let words = |band: &fragments::Band| band.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = layer.iter().map(words).collect();
    if lines.len() > STAMP_LINES || lines.iter().map(String::len).sum::<usize>() > STAMP_BYTES {
        return columns::pieces(layer);
    }
    lines.into_iter().map(columns::PdfPiece::Comment).collect()
}

fn metadata(file: &File) -> Metadata {
    let info = file.metadata();
    let mut metadata = Metadata::default();
    let texts =
        [("title", &info.title), ("author", &info.author), ("subject", &info.subject), ("keywords", &info.keywords)];
    for (key, bytes) in texts {
        let text = bytes.as_deref().map(text_string).unwrap_or_default();
        let useless = text.is_empty() || (key == "title" && is_file_name(&text));
        if !useless {
            metadata.set(key, Value::Text(text));
        }
    }
    if let Some(created) = info.creation_date.as_ref().and_then(day) {
        metadata.set("created", Value::Date(created));
    }
    metadata
}

/// Text of the document's own information, on one line.
fn text_string(bytes: &[u8]) -> String {
    super::rendering::one_line(&text_lines(bytes))
}

/// Text of fields and comments, with its lines: UTF-16 or UTF-8 with a mark, else one byte per letter.
fn text_lines(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xff, 0xfe, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0.into_owned(),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => match super::encoding::decode(bytes) {
            Ok(decoded) => decoded.text.into_owned(),
            Err(_) => String::new(),
        },
    };
    let lines = text.split(['\n', '\r']).map(letters::folded).filter(|line| !line.trim().is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Word processors write the name of their file as the title.
fn is_file_name(title: &str) -> bool {
    let endings = [
        ".doc", ".docx", ".dvi", ".indd", ".qxd", ".tex", ".ppt", ".pptx", ".xls", ".xlsx", ".pdf", ".wpd", ".rtf",
        ".p65",
    ];
    let lower = title.to_ascii_lowercase();
    lower == "untitled" || endings.iter().any(|ending| lower.ends_with(ending))
}

fn day(moment: &DateTime) -> Option<Date> {
    Date::new(i16::try_from(moment.year).ok()?, moment.month, moment.day)
}
