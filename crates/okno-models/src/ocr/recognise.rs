//! Reading: pictures of single lines come in, what they say goes out.

use std::path::Path;

use rten_tensor::prelude::*;

use super::bitmap::Bitmap;
use super::ctc::{Alphabet, spell};
use super::network::{Batch, OcrNetwork};
use super::{OcrError, OcrFlaw};

/// The height the network takes; the published pipeline's value.
const HEIGHT: usize = 48;
/// The least width of a batch over its height; the published pipeline's value.
const LEAST_RATIO: f32 = 320.0 / 48.0;
/// Lines read together, of similar length; the published pipeline's value.
const TOGETHER: usize = 6;
/// Longer lines are squeezed: 100 Chinese letters.
const LONGEST_RATIO: f32 = 100.0;

/// The network that reads a line, and the letters it knows.
pub(super) struct Recogniser {
    network: OcrNetwork,
    alphabet: Alphabet,
}

impl Recogniser {
    pub fn open(path: &Path) -> Result<Self, OcrError> {
        let network = OcrNetwork::open(path)?;
        let letters = network.says("character").ok_or_else(|| network.flawed(OcrFlaw::NoCharacters))?;
        let alphabet = Alphabet::new(letters);
        Ok(Self { network, alphabet })
    }

    /// What each line says, and how sure that is.
    pub fn read(&self, lines: &[Bitmap]) -> Result<Vec<(String, f32)>, OcrError> {
        let mut by_length: Vec<usize> = (0..lines.len()).collect();
        by_length.sort_by(|&a, &b| lines[a].ratio().total_cmp(&lines[b].ratio()));
        let mut read = vec![(String::new(), 0.0); lines.len()];
        for together in by_length.chunks(TOGETHER) {
            let batch: Vec<&Bitmap> = together.iter().map(|&at| &lines[at]).collect();
            for (&at, said) in together.iter().zip(self.read_together(&batch)?) {
                read[at] = said;
            }
        }
        Ok(read)
    }

    fn read_together(&self, lines: &[&Bitmap]) -> Result<Vec<(String, f32)>, OcrError> {
        let ratio = lines.iter().map(|line| line.ratio()).fold(LEAST_RATIO, f32::max).min(LONGEST_RATIO);
        let width = (HEIGHT as f32 * ratio) as usize;
        let mut batch = Batch::new(lines.len(), HEIGHT, width);
        for (place, line) in lines.iter().enumerate() {
            let own = ((HEIGHT as f32 * line.ratio()).ceil() as usize).clamp(1, width);
            batch.set(place, &line.scaled(own, HEIGHT));
        }
        let output = self.network.run_ranked::<3>(batch)?;
        let [_, _, letters] = output.shape();
        if letters != self.alphabet.len() {
            let listed = self.alphabet.len();
            return Err(self.network.flawed(OcrFlaw::CharacterCount { outputs: letters, listed }));
        }
        let said = |line: &[f32]| spell(line.chunks_exact(letters), &self.alphabet);
        let each = output.size(1) * letters;
        Ok(output.into_data().chunks_exact(each).map(said).collect())
    }
}
