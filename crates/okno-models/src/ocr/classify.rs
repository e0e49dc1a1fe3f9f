//! Which lines stand upside down, as far as a small network can tell: long ones are squeezed until they are noise to
//! it.

use std::path::Path;

use rten_tensor::prelude::*;

use super::bitmap::Bitmap;
use super::network::{Batch, OcrNetwork};
use super::{OcrError, OcrFlaw};

/// The size the network takes; the published pipeline's value.
const HEIGHT: usize = 48;
const WIDTH: usize = 192;
/// Lines looked at together; the published pipeline's value.
const TOGETHER: usize = 6;
/// A line may stand upside down when the network is this sure; the published pipeline's value.
const SURE: f32 = 0.9;

/// The network that knows up from down.
pub(super) struct Classifier {
    network: OcrNetwork,
}

impl Classifier {
    pub fn open(path: &Path) -> Result<Self, OcrError> {
        Ok(Self { network: OcrNetwork::open(path)? })
    }

    /// The lines that seem to be upside down.
    pub fn upside_down(&self, lines: &[Bitmap]) -> Result<Vec<usize>, OcrError> {
        let mut found = Vec::new();
        for (first, together) in (0..).step_by(TOGETHER).zip(lines.chunks(TOGETHER)) {
            let mut batch = Batch::new(together.len(), HEIGHT, WIDTH);
            for (place, line) in together.iter().enumerate() {
                let width = ((HEIGHT as f32 * line.ratio()).ceil() as usize).clamp(1, WIDTH);
                batch.set(place, &line.scaled(width, HEIGHT));
            }
            let output = self.network.run_ranked::<2>(batch)?;
            if output.shape() != [together.len(), 2] {
                return Err(self.network.flawed(OcrFlaw::Shape { shape: format!("{:?}", output.shape()) }));
            }
            found.extend((0..together.len()).filter(|&place| output[[place, 1]] > SURE).map(|place| first + place));
        }
        Ok(found)
    }
}
