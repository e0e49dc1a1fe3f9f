//! Finding text: a picture comes in, turned boxes around its lines go out.

use std::path::Path;

use rten_tensor::prelude::*;

use super::OcrError;
use super::bitmap::Bitmap;
use super::geometry::Quad;
use super::network::{Batch, OcrNetwork};
use super::regions::{Map, boxes};

/// Shorter sides are scaled up to this before the network looks; the published pipeline's value.
const SHORTEST: f32 = 736.0;
/// The network halves its picture five times.
const STEP: f32 = 32.0;
/// A longer side makes a picture of this ratio cost more than it can show.
const LONGEST: f32 = 4096.0;
/// Boxes of fewer pixels than this are specks; the published pipeline's value.
const SPECK: f32 = 3.0;

/// The network that finds text.
pub(super) struct Detector {
    network: OcrNetwork,
}

impl Detector {
    pub fn open(path: &Path) -> Result<Self, OcrError> {
        Ok(Self { network: OcrNetwork::open(path)? })
    }

    /// The boxes around the lines of a picture, in its pixels.
    pub fn places(&self, picture: &Bitmap) -> Result<Vec<Quad>, OcrError> {
        let (width, height) = size(picture.width, picture.height);
        let mut batch = Batch::new(1, height, width);
        batch.set(0, &picture.scaled(width, height));
        let output = self.network.run_ranked::<4>(batch)?;
        let [_, _, rows, columns] = output.shape();
        let map = Map { width: columns, height: rows, values: output.into_data() };
        let (right, down) = (picture.width as f32, picture.height as f32);
        let placed = |quad: Quad| quad.scaled_by(right / columns as f32, down / rows as f32).clipped(right, down);
        let worth = |quad: &Quad| quad.width() > SPECK && quad.height() > SPECK;
        Ok(boxes(&map).into_iter().map(placed).filter(worth).collect())
    }
}

/// The size at which the network looks at a picture.
fn size(width: usize, height: usize) -> (usize, usize) {
    let (width, height) = (width as f32, height as f32);
    let (shorter, longer) = (width.min(height), width.max(height));
    let by = (SHORTEST / shorter).max(1.0).min((LONGEST / longer).max(1.0));
    let side = |side: f32| ((side * by / STEP).round_ties_even().max(1.0) * STEP) as usize;
    (side(width), side(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pictures_are_looked_at_closely() {
        assert_eq!(size(400, 200), (1472, 736));
        assert_eq!(size(2000, 1000), (1984, 992));
        assert_eq!(size(2000, 30), (4096, 64));
    }
}
