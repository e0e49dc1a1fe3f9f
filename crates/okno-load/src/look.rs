//! Looking at the images of a document: their bytes are hashed and, where somebody reads images, read.
//!
//! What is seen stays beside the image and never becomes part of the document's text: the text is the author's. Bytes
//! are not kept in memory either – a page of a hundred photographs would fill it – but read again by whoever stores
//! them ([`image_bytes`]).

use std::collections::HashMap;
use std::path::Path;

use super::image::ImageReader;
use super::image_bytes;
use okno_document::{ImageHash, ImageSource, Loaded, MediaType, Seen};

/// Images of one document that are looked at: beyond that they are ornaments.
const MOST_IMAGES: usize = 500;

/// Looks at the images of the document at `path`. One that is on the network, gone or too large is left unseen.
pub fn look_at_images(path: &Path, loaded: &mut Loaded, reader: Option<&dyn ImageReader>) {
    let mut known: HashMap<ImageHash, String> = HashMap::new();
    for image in loaded.images.iter_mut().take(MOST_IMAGES) {
        // What a loader has seen itself it has read into the text.
        if image.seen.is_some() {
            continue;
        }
        let Ok(bytes) = image_bytes(path, &image.source) else { continue };
        let Some(media) = MediaType::of(&bytes) else { continue };
        let hash = ImageHash::of(&bytes);
        let read = || reader.and_then(|reader| reader.read(&bytes)).unwrap_or_default();
        let text = known.entry(hash).or_insert_with(read).clone();
        image.seen = Some(Seen { hash, media, text });
    }
}

/// The same for a document without a folder of its own, as a page from the web: only images that it carries itself.
pub fn look_at_own_images(loaded: &mut Loaded, reader: Option<&dyn ImageReader>) {
    let carried = |source: &ImageSource| matches!(source, ImageSource::Bytes(_));
    let (own, others): (Vec<_>, Vec<_>) =
        std::mem::take(&mut loaded.images).into_iter().partition(|image| carried(&image.source));
    loaded.images = own;
    look_at_images(Path::new(""), loaded, reader);
    loaded.images.extend(others);
    loaded.images.sort_by_key(|image| image.span);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Saying, load};
    use super::super::{Markdown, Source};
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0";

    #[test]
    fn what_is_seen_stays_beside_the_text() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.png"), PNG).unwrap();
        std::fs::write(folder.path().join("y.txt"), "words").unwrap();
        let text = "![a](x.png) ![b](x.png) ![c](y.txt) ![d](gone.png)";
        let mut loaded = load(&Markdown, Source::memory("a.md", b"").name, text.as_bytes()).documents.remove(0);
        let asked = AtomicUsize::new(0);
        let reader = Saying(|bytes: &[u8]| {
            asked.fetch_add(1, Ordering::Relaxed);
            format!("{} bytes", bytes.len())
        });
        look_at_images(&folder.path().join("a.md"), &mut loaded, Some(&reader));
        let seen: Vec<_> =
            loaded.images.iter().map(|image| image.seen.as_ref().map(|seen| seen.text.as_str())).collect();
        assert_eq!(seen, [Some("29 bytes"), Some("29 bytes"), None, None]);
        assert_eq!((loaded.text.as_str(), asked.load(Ordering::Relaxed)), (text, 1));
    }

    #[test]
    fn a_page_from_the_web_names_no_file_of_this_machine() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.png");
        std::fs::write(&file, PNG).unwrap();
        let text = format!("![a]({})", file.display());
        let mut loaded = load(&Markdown, "a.md", text.as_bytes()).documents.remove(0);
        look_at_own_images(&mut loaded, None);
        assert_eq!(loaded.images[0].seen, None);
    }
}
