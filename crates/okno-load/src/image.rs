//! Pictures as files: a document that is found by its name – and by what is read in it, where somebody reads it.
//!
//! The text is the words of the file's name. With a reader ([`Images::reading`]) – character recognition, a vision
//! model – what it gives is the text below.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::rendering::Rendering;
use super::{Loader, PageDrawer, Sink, SkipReason, Source};
use okno_document::message::Bytes;
use okno_document::{ImageHash, ImageSource, MediaType, Metadata, Seen, Span, Value};

/// Larger images are neither kept nor read: print-ready photographs and maps. Chosen; screenshots and scans of a page
/// have a tenth of it.
pub const LARGEST_IMAGE: usize = 16 << 20;

/// Reads the text in images: OCR, or a model that describes what it sees.
///
/// The same bytes always give the same text. `read` may be called from several threads at once.
pub trait ImageReader: Send + Sync {
    /// Name and version. An index remembers it: with a reader of another identity, indexing reads every file again.
    fn identity(&self) -> &str;

    /// The text in an image (PNG, JPEG or WebP), paragraphs separated by a blank line; `None` when there is no text or
    /// the image cannot be read.
    fn read(&self, image: &[u8]) -> Option<String>;

    /// Draws the pages of PDFs whose images cannot be taken out (JBIG2, JPEG 2000, several images), so that they can be
    /// read. Without it such pages are left out. A reader that begins to have it needs another identity.
    fn page_drawer(&self) -> Option<&dyn PageDrawer> {
        None
    }
}

impl fmt::Debug for dyn ImageReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.identity())
    }
}

/// Accepts PNG, JPEG and WebP images.
#[derive(Clone, Default)]
pub struct Images {
    reader: Option<Arc<dyn ImageReader>>,
}

impl Images {
    /// Images whose text is read.
    #[must_use]
    pub fn reading(reader: Arc<dyn ImageReader>) -> Self {
        Self { reader: Some(reader) }
    }
}

impl Loader for Images {
    fn accepts(&self, _: &Path, head: &[u8]) -> bool {
        MediaType::of(head).is_some()
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        let Some(media) = MediaType::of(&bytes) else { return Err(SkipReason::NotAnImage) };
        let title = words(&source.stem());
        let mut rendering = Rendering::default();
        rendering.paragraph(&title);
        let text = self.reader.as_ref().and_then(|reader| reader.read(&bytes)).unwrap_or_default();
        text.split("\n\n").for_each(|paragraph| _ = rendering.paragraph(paragraph));
        let file = source.name.rsplit('/').next().unwrap_or(source.name);
        // The image is all of the document: whatever part of its text is returned, it belongs to it.
        let whole = Span::new(0, rendering.len());
        let seen = Seen { hash: ImageHash::of(&bytes), media, text: String::new() };
        rendering.seen_at(whole, &title, ImageSource::Reference(file.to_owned()), seen);
        let mut metadata = Metadata::default();
        metadata.set("title", Value::Text(title));
        if let Some((width, height)) = size(media, &bytes) {
            metadata.set("width", Value::Number(f64::from(width)));
            metadata.set("height", Value::Number(f64::from(height)));
        }
        out.document(rendering.finish(source, &media.name()["image/".len()..], metadata)?);
        Ok(())
    }
}

/// The bytes of an image of the document at `path`; only of what is an image, whatever a document refers to.
///
/// # Errors
/// When it is on the network, gone, or no PNG, JPEG or WebP image.
pub fn image_bytes(path: &Path, source: &ImageSource) -> Result<Vec<u8>, SkipReason> {
    let bytes = match source {
        ImageSource::Bytes(bytes) => bytes.clone(),
        ImageSource::Inside(part) => inside(path, part)?,
        ImageSource::Reference(to) if to.contains("://") => {
            return Err(SkipReason::ImageOnNetwork { url: to.clone() });
        }
        ImageSource::Reference(to) => {
            let beside = path.with_file_name(to);
            read_bounded(&beside).map_err(|cause| SkipReason::Unreadable { path: beside, cause: cause.into() })?
        }
    };
    match MediaType::of(&bytes) {
        Some(_) if bytes.len() > LARGEST_IMAGE => Err(SkipReason::ImageTooLarge { limit: Bytes(LARGEST_IMAGE as u64) }),
        Some(_) => Ok(bytes),
        None => Err(SkipReason::NotAnImage),
    }
}

/// A file, or enough of it to see that it is too large. What is no file – a pipe, a device – is not waited for.
fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::{Error, ErrorKind, Read};
    let file = std::fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Error::from(ErrorKind::InvalidInput));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_IMAGE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(feature = "office")]
fn inside(path: &Path, part: &str) -> Result<Vec<u8>, SkipReason> {
    let file =
        std::fs::read(path).map_err(|cause| SkipReason::Unreadable { path: path.to_owned(), cause: cause.into() })?;
    super::office::part(&file, part)
}

#[cfg(not(feature = "office"))]
fn inside(_: &Path, part: &str) -> Result<Vec<u8>, SkipReason> {
    Err(SkipReason::NoArchives { part: part.to_owned() })
}

/// Width and height, where the first bytes say them plainly.
fn size(media: MediaType, bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    (media == MediaType::Png).then(|| Some((number(16)?, number(20)?)))?
}

/// The words of a file name: `2023_red-panda (1)` is `2023 red panda (1)`.
fn words(stem: &str) -> String {
    let spaced = stem.replace(['_', '-', '+', '.'], " ");
    let words = super::rendering::one_line(&spaced);
    if words.is_empty() { stem.to_owned() } else { words }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Saying, load};
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0";

    #[test]
    fn found_by_name_and_by_what_is_read() {
        let got = load(&Images::default(), "pics/red-panda_2023.png", PNG).documents.remove(0);
        assert_eq!((got.text.as_str(), got.title.as_str()), ("red panda 2023\n", "red panda 2023"));
        assert_eq!(got.images[0].source, ImageSource::Reference("red-panda_2023.png".into()));
        assert_eq!(got.metadata.get("height"), Some(&Value::Number(3.0)));
        let reader = Images::reading(Arc::new(Saying(|bytes: &[u8]| format!("{} bytes\n\nseen", bytes.len()))));
        let got = load(&reader, "a.png", PNG).documents.remove(0);
        assert_eq!(got.text, format!("a\n\n{} bytes\n\nseen\n", PNG.len()));
    }

    #[test]
    fn bytes_only_of_images() {
        let folder = tempfile::tempdir().unwrap();
        let document = folder.path().join("a.md");
        std::fs::write(folder.path().join("x.png"), PNG).unwrap();
        std::fs::write(folder.path().join("secret.txt"), "words").unwrap();
        let bytes = |to: &str| image_bytes(&document, &ImageSource::Reference(to.to_owned()));
        assert_eq!(bytes("x.png").unwrap(), PNG);
        for no in ["secret.txt", "gone.png", "https://example.org/x.png"] {
            assert!(bytes(no).is_err(), "{no}");
        }
    }

    #[test]
    fn known_by_content() {
        let images = Images::default();
        assert!(
            images.accepts(Path::new("a.txt"), b"RIFF\0\0\0\0WEBPVP8 ")
                && images.accepts(Path::new("x"), b"\xff\xd8\xff\xe0")
        );
        assert!(!images.accepts(Path::new("a.png"), b"not an image"));
    }
}
