//! Character recognition: the bytes of an image come in, the lines of text that are to be seen in it go out, in reading order.
//!
//! Three small networks of the PP-OCR family, as the Python package `rapidocr` ships them in ONNX, run in this process:
//!
//! ```text
//! bytes → picture → detect (a map of text) → regions (turned boxes) → crops → upright → recognise → lines → order → text
//! ```
//!
//! What is between the networks is plain functions over plain data: [`picture`](self) cuts and scales, `regions` and `geometry` find boxes in the
//! map, `ctc` spells, `order` finds the order in which people read. All parameters of the networks' surroundings are the ones they were trained and
//! published with; where we differ it says why.
//!
//! What it is not for: handwriting, formulas, the layout of tables. A page of scanned paper comes out as running paragraphs.

mod classify;
mod ctc;
mod detect;
mod geometry;
mod network;
mod order;
mod picture;
mod recognise;
mod regions;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use okno::document::ImageHash;

use self::classify::Classifier;
use self::detect::Detector;
pub use self::geometry::{Point, Quad};
pub use self::order::paragraphs;
use self::picture::Picture;
use self::recognise::Recogniser;

/// A line is kept when its letters are on average at least this sure; the published pipeline's value.
const SURE_ENOUGH: f32 = 0.5;

/// Images whose text is remembered: some megabytes.
const MOST_KNOWN: usize = 4096;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum OcrError {
    /// The folder does not hold the networks.
    #[error("`{}` holds no {what} (`{pattern}`); add the models with `okno models add rapidocr PATH.whl`", folder.display())]
    Missing {
        /// Where was looked.
        folder: PathBuf,
        /// Which network.
        what: &'static str,
        /// How its file is called.
        pattern: &'static str,
    },
    /// A network that cannot be read or run.
    #[error("the OCR network `{name}` cannot be used: {reason}")]
    Network {
        /// Its file.
        name: String,
        /// Why.
        reason: String,
    },
    /// Bytes that are no image, or one that is too large.
    #[error("the image cannot be read: {0}")]
    Image(String),
}

/// A line of text that was read in an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it says.
    pub text: String,
    /// Where it is, in pixels of the image as it was stored.
    pub place: Quad,
    /// How sure its letters are on average, 0 to 1.
    pub confidence: f32,
}

/// The three networks, ready to read images. Safe to share between threads.
pub struct Ocr {
    identity: String,
    detector: Detector,
    classifier: Option<Classifier>,
    recogniser: Recogniser,
}

impl Ocr {
    /// Opens the networks in a folder, or in its sub-folder `models` or `rapidocr/models`: as the package unpacks. They are known by their names
    /// (`det.onnx`, `PP-OCRv6_det_small.onnx`; `cls`, `rec`); without the one that finds lines upside down, lines are taken as they are.
    ///
    /// # Errors
    /// When one is missing or cannot be read.
    pub fn open(folder: &Path) -> Result<Self, OcrError> {
        let file = |word: &str| network::named(folder, word);
        let missing = |what, pattern| OcrError::Missing { folder: folder.to_owned(), what, pattern };
        let detector = file("det").ok_or_else(|| missing("network that finds text", "*_det_*.onnx"))?;
        let recogniser = file("rec").ok_or_else(|| missing("network that reads text", "*_rec_*.onnx"))?;
        Ok(Self {
            identity: network::identity([&detector, &recogniser]),
            detector: Detector::open(&detector)?,
            classifier: file("cls").map(|path| Classifier::open(&path)).transpose()?,
            recogniser: Recogniser::open(&recogniser)?,
        })
    }

    /// The names of the networks: other ones may read otherwise.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The lines to be read in an image (PNG, JPEG, WebP), in no promised order.
    ///
    /// # Errors
    /// When the bytes are no such image, or a network cannot be run.
    pub fn lines(&self, bytes: &[u8]) -> Result<Vec<Line>, OcrError> {
        let original = Picture::decode(bytes)?;
        let (picture, scale) = original.within_bounds();
        let (padded, top) = picture.padded();
        let places = self.detector.places(&padded)?;
        let crops: Vec<Picture> = places.iter().map(|place| padded.crop(place)).collect();
        let read = self.read(&crops)?;
        let lines =
            places.into_iter().zip(read).filter(|(_, (text, sure))| *sure >= SURE_ENOUGH && !text.trim().is_empty());
        let line = |(place, (text, confidence)): (Quad, (String, f32))| Line {
            text: text.trim().to_owned(),
            place: place.moved(0.0, -(top as f32)).scaled(scale),
            confidence,
        };
        Ok(lines.map(line).collect())
    }

    /// What each line says. One that seems to be upside down is read both ways, and what is surer counts: of a long line of small print the
    /// network that looks for them sees too little, and turning one that stood upright lost it (13 px: .945 of the letters right, not 1).
    fn read(&self, lines: &[Picture]) -> Result<Vec<(String, f32)>, OcrError> {
        let mut read = self.recogniser.read(lines)?;
        let Some(classifier) = &self.classifier else { return Ok(read) };
        let suspects = classifier.upside_down(lines)?;
        let turned: Vec<Picture> = suspects.iter().map(|&at| lines[at].upside_down()).collect();
        for (at, other) in suspects.into_iter().zip(self.recogniser.read(&turned)?) {
            if other.1 > read[at].1 {
                read[at] = other;
            }
        }
        Ok(read)
    }

    /// The text of an image as paragraphs in reading order, a blank line between them; nothing where there is none.
    ///
    /// # Errors
    /// As [`Ocr::lines`].
    pub fn text(&self, bytes: &[u8]) -> Result<Option<String>, OcrError> {
        let text = paragraphs(&self.lines(bytes)?).join("\n\n");
        Ok((!text.is_empty()).then_some(text))
    }

    /// The hook that loaders take: what cannot be read has no text. The same bytes – a logo in every document – are read once.
    #[must_use]
    pub fn reader(self: Arc<Self>) -> okno::load::TextOfImage {
        let known: Mutex<HashMap<ImageHash, Option<String>>> = Mutex::default();
        Arc::new(move |bytes| {
            let hash = ImageHash::of(bytes);
            // A map is whole whatever happened to who held it.
            let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(text) = known().get(&hash) {
                return text.clone();
            }
            let text = self.text(bytes).ok().flatten();
            let mut known = known();
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            known.insert(hash, text.clone());
            text
        })
    }
}
