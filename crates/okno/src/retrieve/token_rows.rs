//! The tokens of a question, to be compared with one token after the other.

use crate::embed::StaticModel;
use crate::embed::dot::{Bits, ScaledRows, scan};

/// The vectors of a question's tokens, as the model keeps them: one row of signed bytes after the other.
#[derive(Default)]
pub struct TokenRows {
    components: Vec<u8>,
    /// One by the length of each row.
    scales: Vec<u8>,
    /// The lengths of the tokens' vectors: small for "what" and 的, large for names and rare words.
    pub weights: Vec<f32>,
}

impl TokenRows {
    /// The rows of tokens with the lengths of their vectors.
    pub fn new(model: &StaticModel, tokens: &[(u32, f32)]) -> Self {
        let mut rows = Self::default();
        for &(id, weight) in tokens {
            if let Some(row) = model.components(id) {
                rows.components.extend(row);
                rows.scales.extend(scale(row, &widened(row)).to_le_bytes());
                rows.weights.push(weight);
            }
        }
        rows
    }

    /// Appends the cosine of a token with each of these, 0 where they point away from each other; returns where.
    pub fn add_likeness(&self, model: &StaticModel, id: u32, cosines: &mut Vec<f32>) -> usize {
        let first = cosines.len();
        cosines.resize(first + self.weights.len(), 0.0);
        if let Some(row) = model.components(id) {
            let rows = ScaledRows { components: &self.components, scales: &self.scales, bits: Bits::Eight };
            let wide = widened(row);
            scan(&wide, scale(row, &wide), rows, &mut cosines[first..]);
        }
        cosines[first..].iter_mut().for_each(|cosine| *cosine = cosine.max(0.0));
        first
    }
}

fn widened(row: &[u8]) -> Vec<i16> {
    row.iter().map(|&component| i16::from(component.cast_signed())).collect()
}

/// What makes a row one of unit length; it comes twice, as it is kept and as it is multiplied.
fn scale(row: &[u8], wide: &[i16]) -> f32 {
    let mut square = [0.0];
    scan(wide, 1.0, ScaledRows { components: row, scales: &1.0f32.to_le_bytes(), bits: Bits::Eight }, &mut square);
    1.0 / square[0].sqrt().max(1.0)
}
