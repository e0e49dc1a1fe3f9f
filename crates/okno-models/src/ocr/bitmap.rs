//! Pixels: decoded once, scaled, padded and cut for the networks.
//!
//! Scaling is the plain bilinear kind the networks were trained with: a picture that shrinks is not smoothed first.
//! Only a large scan, which is halved or more before anything looks at it, is averaged.

use super::OcrError;
use super::decode::{self, DecodedImage};
use super::geometry::{Corner, Quad};

/// Longer sides are scaled down to this; the published pipeline's value.
const LONGEST_SIDE: u32 = 2000;
/// Shorter sides are scaled up to this; the published pipeline's value.
const SHORTEST_SIDE: u32 = 30;
/// Pictures wider than this many times their height are padded above and below, or their only line fills the map from
/// edge to edge.
const WIDEST: usize = 8;
/// A crop this much higher than wide is a line that runs downwards; the published pipeline's value.
const UPRIGHT: f32 = 1.5;

/// Red, green and blue, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bitmap {
    pub width: usize,
    pub height: usize,
    pixels: Vec<u8>,
}

impl Bitmap {
    /// Reads PNG, JPEG or WebP, turned as its camera says; what is transparent is white.
    pub fn decode(bytes: &[u8]) -> Result<Self, OcrError> {
        let DecodedImage { width, height, pixels, turn } = decode::decode(bytes)?;
        Ok(Self { width, height, pixels }.turned(turn))
    }

    /// Turned and mirrored as the number of a camera says, from 1 (as it is) to 8.
    fn turned(self, turn: u16) -> Self {
        let (w, h) = (self.width, self.height);
        let from: &dyn Fn(usize, usize) -> (usize, usize) = match turn {
            2 => &|x, y| (w - 1 - x, y),
            3 => &|x, y| (w - 1 - x, h - 1 - y),
            4 => &|x, y| (x, h - 1 - y),
            5 => &|x, y| (y, x),
            6 => &|x, y| (y, h - 1 - x),
            7 => &|x, y| (w - 1 - y, h - 1 - x),
            8 => &|x, y| (w - 1 - y, x),
            _ => return self,
        };
        let (width, height) = if turn < 5 { (w, h) } else { (h, w) };
        let places = (0..height).flat_map(|y| (0..width).map(move |x| from(x, y)));
        let pixels = places.flat_map(|(x, y)| self.pixel(x, y)).collect();
        Self { width, height, pixels }
    }

    #[cfg(test)]
    pub fn from_pixels(width: usize, height: usize, pixels: Vec<u8>) -> Self {
        Self { width, height, pixels }
    }

    /// The colours of a pixel.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = (y * self.width + x) * 3;
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// The picture with sides that can be worked with, and by how much the original is larger.
    pub fn within_bounds(self) -> (Self, f32) {
        let (longest, shortest) = (self.width.max(self.height) as f32, self.width.min(self.height) as f32);
        let by = if longest > LONGEST_SIDE as f32 {
            LONGEST_SIDE as f32 / longest
        } else {
            (SHORTEST_SIDE as f32 / shortest).max(1.0)
        };
        if (by - 1.0).abs() < f32::EPSILON {
            return (self, 1.0);
        }
        let side = |side: usize| ((side as f32 * by).round() as usize).max(1);
        let (width, height) = (side(self.width), side(self.height));
        let scaled = if by < 1.0 { self.averaged(width, height) } else { self.scaled(width, height) };
        (scaled, 1.0 / by)
    }

    /// Shrunk, every pixel counting.
    fn averaged(&self, width: usize, height: usize) -> Self {
        let row = self.width * 3;
        let columns = shares(self.width, width);
        let mut pixels = Vec::with_capacity(width * height * 3);
        for (top, shares) in shares(self.height, height) {
            let mut sums = vec![0.0f32; row];
            for (line, share) in self.pixels[top * row..].chunks_exact(row).zip(&shares) {
                sums.iter_mut().zip(line).for_each(|(sum, value)| *sum += f32::from(*value) * share);
            }
            for (left, shares) in &columns {
                let near = sums[left * 3..].chunks_exact(3).zip(shares);
                let mean = near.fold([0.0f32; 3], |mean, (pixel, share)| {
                    [mean[0] + pixel[0] * share, mean[1] + pixel[1] * share, mean[2] + pixel[2] * share]
                });
                pixels.extend(mean.map(|value| value.round() as u8));
            }
        }
        Self { width, height, pixels }
    }

    /// Scaled by reading between the pixels.
    pub fn scaled(&self, width: usize, height: usize) -> Self {
        let columns = taps(self.width, width);
        let mut pixels = Vec::with_capacity(width * height * 3);
        for (top, below, down) in taps(self.height, height) {
            for &(left, right, along) in &columns {
                let (a, b) = (self.pixel(left, top), self.pixel(right, top));
                let (c, d) = (self.pixel(left, below), self.pixel(right, below));
                for channel in 0..3 {
                    let mix = |a: u8, b: u8| f32::from(a) + (f32::from(b) - f32::from(a)) * along;
                    let (upper, lower) = (mix(a[channel], b[channel]), mix(c[channel], d[channel]));
                    pixels.push((upper + (lower - upper) * down).round() as u8);
                }
            }
        }
        Self { width, height, pixels }
    }

    /// A very wide picture with black above and below, and how much; any other as it is.
    pub fn padded(self) -> (Self, usize) {
        let low = self.height <= SHORTEST_SIDE as usize;
        if !low && self.width <= self.height * WIDEST {
            return (self, 0);
        }
        let wanted = (self.width / WIDEST).max(SHORTEST_SIDE as usize) * 2;
        let top = wanted.abs_diff(self.height) / 2;
        let edge = vec![0; top * self.width * 3];
        let pixels = [edge.as_slice(), &self.pixels, &edge].concat();
        (Self { width: self.width, height: self.height + 2 * top, pixels }, top)
    }

    /// What is inside of a turned box, straightened; one that is higher than wide is laid on its left side.
    pub fn crop(&self, place: &Quad) -> Self {
        let (width, height) = ((place.width() as usize).max(1), (place.height() as usize).max(1));
        let [origin, right, _, down] = place.0;
        let step = |to: Corner, count: usize| ((to.x - origin.x) / count as f32, (to.y - origin.y) / count as f32);
        let (along, across) = (step(right, width), step(down, height));
        let mut pixels = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                let (fx, fy) = (x as f32, y as f32);
                let at = (origin.x + fx * along.0 + fy * across.0, origin.y + fx * along.1 + fy * across.1);
                pixels.extend(self.between(at.0, at.1));
            }
        }
        let crop = Self { width, height, pixels };
        if height as f32 >= width as f32 * UPRIGHT { crop.on_its_left_side() } else { crop }
    }

    /// The colours between pixels, by a cubic; beyond the edge they are those of the edge.
    fn between(&self, x: f32, y: f32) -> [u8; 3] {
        let (left, top) = (x.floor(), y.floor());
        let (across, down) = (cubic(x - left), cubic(y - top));
        let clamp = |at: f32, size: usize| (at.max(0.0) as usize).min(size - 1);
        let mut sums = [0.0f32; 3];
        for (row, weight) in down.iter().enumerate() {
            let y = clamp(top + row as f32 - 1.0, self.height);
            for (column, share) in across.iter().enumerate() {
                let pixel = self.pixel(clamp(left + column as f32 - 1.0, self.width), y);
                (0..3).for_each(|channel| sums[channel] += f32::from(pixel[channel]) * weight * share);
            }
        }
        sums.map(|sum| sum.round().clamp(0.0, 255.0) as u8)
    }

    fn on_its_left_side(&self) -> Self {
        let (width, height) = (self.height, self.width);
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let pixels = places.flat_map(|(x, y)| self.pixel(height - 1 - y, x)).collect();
        Self { width, height, pixels }
    }

    /// Turned by half.
    pub fn upside_down(&self) -> Self {
        let pixels = self.pixels.chunks_exact(3).rev().flatten().copied().collect();
        Self { pixels, ..*self }
    }

    /// Width over height.
    pub fn ratio(&self) -> f32 {
        self.width as f32 / self.height as f32
    }
}

/// For each place of a scaled row: the two places it lies between, and how near to the second.
fn taps(from: usize, to: usize) -> Vec<(usize, usize, f32)> {
    let scale = from as f32 / to as f32;
    let tap = |at: usize| {
        let place = ((at as f32 + 0.5) * scale - 0.5).clamp(0.0, from as f32 - 1.0);
        let first = place as usize;
        (first, (first + 1).min(from - 1), place - first as f32)
    };
    (0..to).map(tap).collect()
}

/// For each place of a row that shrinks: the first place that counts, and how much it and those after it do. The
/// nearer to the middle the more, and to nothing at a place's distance.
fn shares(from: usize, to: usize) -> Vec<(usize, Vec<f32>)> {
    let scale = from as f32 / to as f32;
    let one = |at: usize| {
        let middle = (at as f32 + 0.5) * scale;
        let first = (middle - scale).max(0.0) as usize;
        let end = ((middle + scale).ceil() as usize).min(from);
        let weight = |at: usize| (1.0 - (at as f32 + 0.5 - middle).abs() / scale).max(0.0);
        let sum: f32 = (first..end).map(weight).sum();
        (first, (first..end).map(|at| weight(at) / sum).collect())
    };
    (0..to).map(one).collect()
}

/// The weights of four neighbours for a place between the inner two; the sharpness (-0.75) is the one of `OpenCV`.
fn cubic(t: f32) -> [f32; 4] {
    const A: f32 = -0.75;
    let near = |t: f32| ((A + 2.0) * t - (A + 3.0)) * t * t + 1.0;
    let far = |t: f32| ((A * t - 5.0 * A) * t + 8.0 * A) * t - 4.0 * A;
    [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture whose red is its column and green its row.
    fn places(width: usize, height: usize) -> Bitmap {
        let pixels = (0..height).flat_map(|y| (0..width).flat_map(move |x| [x as u8, y as u8, 0])).collect();
        Bitmap::from_pixels(width, height, pixels)
    }

    #[test]
    fn a_straight_crop_is_the_pixels_themselves() {
        let crop = places(20, 20).crop(&Quad::rectangle(3.0, 5.0, 12.0, 9.0));
        assert_eq!((crop.width, crop.height), (9, 4));
        assert_eq!((crop.pixel(0, 0), crop.pixel(8, 3)), ([3, 5, 0], [11, 8, 0]));
    }

    #[test]
    fn a_line_that_runs_downwards_is_laid_down() {
        let crop = places(20, 20).crop(&Quad::rectangle(2.0, 1.0, 5.0, 13.0));
        assert_eq!((crop.width, crop.height), (12, 3));
        // What was at the top is at the left, what was at the right is at the top.
        assert_eq!(crop.pixel(0, 0), [4, 1, 0]);
        assert_eq!(crop.upside_down().pixel(0, 0), [2, 12, 0]);
    }

    #[test]
    fn scaling_keeps_flat_colours_and_bounds() {
        let flat = Bitmap::from_pixels(5, 3, vec![77; 45]);
        assert!(flat.scaled(13, 2).pixels.iter().all(|&value| value == 77));
        let (bounded, by) = Bitmap::from_pixels(4000, 10, vec![9; 120_000]).within_bounds();
        assert_eq!((bounded.width, bounded.height, by), (2000, 5, 2.0));
        let (padded, top) = bounded.padded();
        assert_eq!((padded.height, top), (5 + 2 * top, (250 * 2 - 5) / 2));
    }

    #[test]
    fn shrinking_averages() {
        let halves: Vec<u8> = [[0u8; 3], [200; 3]].concat().repeat(8);
        let small = Bitmap::from_pixels(16, 1, halves).averaged(4, 1);
        assert!(small.pixels.iter().all(|&value| (90..=110).contains(&value)), "{:?}", small.pixels);
    }

    #[test]
    fn a_picture_is_turned_as_its_camera_says() {
        // Where the pixel of the upper left corner comes from, by the number.
        for (turn, corner) in
            [(1, (0, 0)), (2, (3, 0)), (3, (3, 2)), (4, (0, 2)), (5, (0, 0)), (6, (0, 2)), (7, (3, 2)), (8, (3, 0))]
        {
            let turned = places(4, 3).turned(turn);
            assert_eq!(turned.pixel(0, 0), [corner.0, corner.1, 0], "{turn}");
            assert_eq!(turned.width, if turn < 5 { 4 } else { 3 });
        }
    }

    #[test]
    fn what_is_no_image_is_said_to_be_none() {
        assert!(matches!(Bitmap::decode(b"words"), Err(OcrError::Image { .. })));
        assert!(matches!(Bitmap::decode(b"\x89PNG\r\n\x1a\n\0\0"), Err(OcrError::Image { .. })));
    }
}
