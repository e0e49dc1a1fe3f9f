//! Character recognition: the bytes of an image come in, the lines of text that are to be seen in it go out, in reading
//! order.
//!
//! Three small networks of the PP-OCR family, as the Python package `rapidocr` ships them in ONNX, run in this process:
//!
//! ```text
//! bytes → bitmap → detect (a map of text) → regions (turned boxes) → crops
//!       → upright → recognise → lines → order → text
//! ```
//!
//! What is between the networks is plain functions over plain data: [`picture`](self) cuts and scales, `regions` and
//! `geometry` find boxes in the map, `ctc` spells, `order` finds the order in which people read. All parameters of the
//! networks' surroundings are the ones they were trained and published with; where we differ it says why.
//!
//! What it is not for: handwriting, formulas, the layout of tables. A page of scanned paper comes out as running
//! paragraphs.

mod bitmap;
mod classify;
mod ctc;
mod decode;
mod detect;
mod geometry;
mod network;
mod order;
mod recognise;
mod regions;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use okno::document::ImageHash;
use okno::load::ImageReader;

use self::bitmap::Bitmap;
use self::classify::Classifier;
use self::detect::Detector;
pub use self::geometry::{Corner, Quad};
pub use self::order::paragraphs;
use self::recognise::Recogniser;

/// A line is kept when its letters are on average at least this sure; the published pipeline's value.
const SURE_ENOUGH: f32 = 0.5;

/// Images whose text is remembered: some megabytes.
const MOST_KNOWN: usize = 4096;

okno_document::messages! {
    /// Why images cannot be read.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum OcrError {
        /// The folder has no network that finds text.
        NoDetector {
            /// Where it was looked for.
            folder: PathBuf,
        } = "no_detector" => (
            "`{folder}` has no network that finds text (`*_det_*.onnx`); add the model `rapidocr` from its package",
            "`{folder}` 里没有检测文字的网络（`*_det_*.onnx`）；请从安装包加入模型 `rapidocr`"
        ),
        /// The folder has no network that reads text.
        NoRecogniser {
            /// Where it was looked for.
            folder: PathBuf,
        } = "no_recogniser" => (
            "`{folder}` has no network that reads text (`*_rec_*.onnx`); add the model `rapidocr` from its package",
            "`{folder}` 里没有识别文字的网络（`*_rec_*.onnx`）；请从安装包加入模型 `rapidocr`"
        ),
        /// A network that cannot be loaded or run.
        Network {
            /// Its file.
            name: String,
            /// What is wrong with it.
            flaw: OcrFlaw,
        } = "unusable_network" => ("the OCR network `{name}` cannot be used: {flaw}", "OCR 网络 `{name}` 无法使用：{flaw}"),
        /// The bytes are not an image, or one that is too large.
        Image {
            /// What the decoder reports.
            cause: String,
        } = "bad_image" => ("the image cannot be read: {cause}", "无法读取图片：{cause}"),
    }
}

okno_document::messages! {
    /// What is wrong with a network.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum OcrFlaw {
        /// It cannot be loaded or run.
        Unusable {
            /// What the file system or the network's library reports.
            cause: String,
        } = "unusable" => ("{cause}", "{cause}"),
        /// The output is of another type.
        NotNumbers = "not_numbers" => ("its output is not numbers", "输出不是数值"),
        /// The output has another shape than expected.
        Shape {
            /// Its shape.
            shape: String,
        } = "shape" => ("its output has the shape {shape}", "输出的形状是 {shape}"),
        /// The file does not list its characters.
        NoCharacters = "no_characters" => ("it does not list its characters", "没有列出字符表"),
        /// The file lists other characters than the network has.
        CharacterCount {
            /// How many the network has.
            outputs: usize,
            /// How many the file lists.
            listed: usize,
        } = "character_count" => (
            "it distinguishes {outputs} characters but lists {listed}",
            "它区分 {outputs} 个字符，却列出了 {listed} 个"
        ),
    }
}

/// A line of text that was read in an image.
#[derive(Debug, Clone, PartialEq)]
pub struct TextLine {
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
    /// The text of images that were read: a logo may be in every document.
    known: Mutex<HashMap<ImageHash, Option<String>>>,
}

impl Ocr {
    /// Opens the networks in a folder, or in its sub-folder `models` or `rapidocr/models`: as the package unpacks. They
    /// are known by their names (`det.onnx`, `PP-OCRv6_det_small.onnx`; `cls`, `rec`); without the one that finds lines
    /// upside down, lines are taken as they are.
    ///
    /// # Errors
    /// When one is missing or cannot be read.
    pub fn open(folder: &Path) -> Result<Self, OcrError> {
        let file = |word: &str| network::named(folder, word);
        let detector = file("det").ok_or_else(|| OcrError::NoDetector { folder: folder.to_owned() })?;
        let recogniser = file("rec").ok_or_else(|| OcrError::NoRecogniser { folder: folder.to_owned() })?;
        Ok(Self {
            identity: network::identity([&detector, &recogniser]),
            detector: Detector::open(&detector)?,
            classifier: file("cls").map(|path| Classifier::open(&path)).transpose()?,
            recogniser: Recogniser::open(&recogniser)?,
            known: Mutex::default(),
        })
    }

    /// The lines to be read in an image (PNG, JPEG, WebP), in no promised order.
    ///
    /// # Errors
    /// When the bytes are no such image, or a network cannot be run.
    pub fn lines(&self, bytes: &[u8]) -> Result<Vec<TextLine>, OcrError> {
        let original = Bitmap::decode(bytes)?;
        let (picture, scale) = original.within_bounds();
        let (padded, top) = picture.padded();
        let places = self.detector.places(&padded)?;
        let crops: Vec<Bitmap> = places.iter().map(|place| padded.crop(place)).collect();
        let read = self.read_lines(&crops)?;
        let lines =
            places.into_iter().zip(read).filter(|(_, (text, sure))| *sure >= SURE_ENOUGH && !text.trim().is_empty());
        let line = |(place, (text, confidence)): (Quad, (String, f32))| TextLine {
            text: text.trim().to_owned(),
            place: place.moved(0.0, -(top as f32)).scaled(scale),
            confidence,
        };
        Ok(lines.map(line).collect())
    }

    /// What each line says. One that seems to be upside down is read both ways, and what is surer counts: of a long
    /// line of small print the network that looks for them sees too little, and turning one that stood upright lost it
    /// (13 px: .945 of the letters right, not 1).
    fn read_lines(&self, lines: &[Bitmap]) -> Result<Vec<(String, f32)>, OcrError> {
        let mut read = self.recogniser.read(lines)?;
        let Some(classifier) = &self.classifier else { return Ok(read) };
        let suspects = classifier.upside_down(lines)?;
        let turned: Vec<Bitmap> = suspects.iter().map(|&at| lines[at].upside_down()).collect();
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
}

impl ImageReader for Ocr {
    /// The names of the networks: other networks may read another text.
    fn identity(&self) -> &str {
        &self.identity
    }

    /// The text, remembered for images that come again.
    fn read(&self, image: &[u8]) -> Option<String> {
        let hash = ImageHash::of(image);
        // Each change is one insertion, so the map is whole even after a panic.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = known().get(&hash) {
            return text.clone();
        }
        let text = self.text(image).ok().flatten();
        let mut known = known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(hash, text.clone());
        text
    }
}
