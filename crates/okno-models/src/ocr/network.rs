//! A network in a file: found by its name, run on one batch of pictures.

use std::path::{Path, PathBuf};

use rten::Model;
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use super::bitmap::Bitmap;
use super::{OcrError, OcrFlaw};

/// Where the package keeps its networks, below the folder it was unpacked into.
const INSIDE: [&str; 3] = ["", "models", "rapidocr/models"];

/// The file of the network whose name has this word in it, the first by name: `PP-OCRv6_det_small.onnx`, `det.onnx`.
pub(super) fn named(folder: &Path, word: &str) -> Option<PathBuf> {
    let list = |inside: &&str| {
        let entries = fs_err::read_dir(folder.join(inside)).ok()?;
        let fits = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".onnx") && name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == word)
        };
        entries.flatten().map(|entry| entry.path()).filter(fits).min()
    };
    INSIDE.iter().find_map(list)
}

/// What a set of networks is called: their names and sizes.
pub(super) fn identity(paths: [&Path; 2]) -> String {
    let one = |path: &Path| {
        let size = fs_err::metadata(path).map_or(0, |about| about.len());
        format!("{}:{size}", path.file_stem().unwrap_or_default().to_string_lossy())
    };
    paths.map(one).join("+")
}

/// A network with one input – a batch of pictures – and one output.
pub(super) struct OcrNetwork {
    name: String,
    model: Model,
}

impl OcrNetwork {
    pub fn open(path: &Path) -> Result<Self, OcrError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = fs_err::read(path).map_err(|error| unusable(&name, &error))?;
        let model = Model::load(bytes).map_err(|error| unusable(&name, &error))?;
        Ok(Self { name, model })
    }

    /// What the file says about itself.
    pub fn says(&self, key: &str) -> Option<&str> {
        self.model.metadata().get(key)
    }

    /// Runs a batch; the output as it comes.
    pub fn run(&self, batch: Batch) -> Result<Tensor<f32>, OcrError> {
        let input = NdTensor::from_data([batch.count, 3, batch.height, batch.width], batch.values);
        let output = self.model.run_one(input.into(), None).map_err(|error| unusable(&self.name, &error))?;
        output.into_tensor::<f32>().ok_or_else(|| self.flawed(OcrFlaw::NotNumbers))
    }

    /// The output as rows of a fixed rank.
    pub fn run_ranked<const N: usize>(&self, batch: Batch) -> Result<NdTensor<f32, N>, OcrError> {
        let output = self.run(batch)?;
        let shape = output.shape().to_vec();
        let Ok(sizes) = <[usize; N]>::try_from(shape.as_slice()) else {
            return Err(self.flawed(OcrFlaw::Shape { shape: format!("{shape:?}") }));
        };
        Ok(NdTensor::from_data(sizes, output.into_data()))
    }

    /// An error of this network.
    pub fn flawed(&self, flaw: OcrFlaw) -> OcrError {
        OcrError::Network { name: self.name.clone(), flaw }
    }
}

fn unusable(name: &str, cause: &dyn std::error::Error) -> OcrError {
    OcrError::Network { name: name.to_owned(), flaw: OcrFlaw::Unusable { cause: cause.to_string() } }
}

/// Pictures as a network takes them: planes of blue, green, red from -1 to 1; what a picture does not fill is 0.
pub(super) struct Batch {
    count: usize,
    height: usize,
    width: usize,
    values: Vec<f32>,
}

impl Batch {
    pub fn new(count: usize, height: usize, width: usize) -> Self {
        Self { count, height, width, values: vec![0.0; count * 3 * height * width] }
    }

    /// Writes a picture of the batch's height, no wider than it, into its place.
    pub fn set(&mut self, place: usize, picture: &Bitmap) {
        let size = self.height * self.width;
        for channel in 0..3 {
            // The networks were trained on what OpenCV reads: blue first.
            let from = 2 - channel;
            let start = (place * 3 + channel) * size;
            for y in 0..self.height.min(picture.height) {
                let row = &mut self.values[start + y * self.width..][..self.width];
                for (x, value) in row.iter_mut().enumerate().take(picture.width) {
                    *value = f32::from(picture.pixel(x, y)[from]) / 127.5 - 1.0;
                }
            }
        }
    }
}
