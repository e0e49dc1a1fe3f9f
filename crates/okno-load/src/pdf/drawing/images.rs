//! Images on a page: decoded, made as small as they are shown, and painted.

use hayro_interpret::kurbo::Affine;
use hayro_interpret::{Image, ImageData, ImageDrawProps, LumaData, Paint};
use tiny_skia::{IntSize, Pixmap};

use super::canvas::Canvas;

/// Images with more pixels are not drawn: a sheet of A3 paper, scanned with 600 dots per inch, has half of them.
const MOST_PIXELS: u64 = 1 << 27;
/// The most pixels of an image as it is painted: where more are shown, they are shown larger.
const MOST_PAINTED: f64 = 16_000_000.0;

/// Draws an image.
pub(super) fn draw<'a>(canvas: &mut Canvas<'a>, image: &Image<'a, '_>, props: &ImageDrawProps<'a>) {
    if u64::from(image.width()) * u64::from(image.height()) > MOST_PIXELS {
        return;
    }
    let shown = ShownImage::of(props.transform, (image.width(), image.height()), canvas.size());
    let wanted = Some((shown.width, shown.height));
    let mut made = None;
    match image {
        Image::Raster(raster) => raster.with_rgba(|data, alpha| made = coloured(&data, alpha.as_ref(), &shown), wanted),
        Image::Stencil(stencil) => {
            stencil.with_stencil(|luma, paint| made = stencilled(&luma, colour_of(paint), &shown), wanted);
        }
    }
    let Some(PaintedImage { pixels, covers }) = made else { return };
    // The transform is for the image as the file describes it.
    let larger = (covers.0 / f64::from(pixels.width()), covers.1 / f64::from(pixels.height()));
    canvas.paste(&pixels, props.transform * Affine::scale_non_uniform(larger.0, larger.1), props.blend_mode);
}

/// The colour of a stencil; where that is a pattern, black is near enough.
fn colour_of(paint: &Paint<'_>) -> [u8; 4] {
    match paint {
        Paint::Color(colour) => colour.to_rgba().to_rgba8(),
        Paint::Pattern(_) => [0, 0, 0, 255],
    }
}

/// How many pixels of an image can be seen.
struct ShownImage {
    width: u32,
    height: u32,
}

impl ShownImage {
    fn of(transform: Affine, (width, height): (u32, u32), canvas: (u32, u32)) -> Self {
        let [a, b, c, d, ..] = transform.as_coeffs();
        let largest = f64::from(canvas.0.max(canvas.1)) * 2.0;
        let across = (a.hypot(b) * f64::from(width)).ceil().clamp(1.0, largest.max(1.0));
        let down = (c.hypot(d) * f64::from(height)).ceil().clamp(1.0, largest.max(1.0));
        let shrink = (MOST_PAINTED / (across * down)).sqrt().min(1.0);
        let within = |shown: f64, of: u32| ((shown * shrink) as u32).clamp(1, of.max(1));
        Self { width: within(across, width), height: within(down, height) }
    }
}

/// An image as it is painted.
struct PaintedImage {
    pixels: Pixmap,
    /// How much of the described image it covers: all of it, unless data is missing.
    covers: (f64, f64),
}

impl PaintedImage {
    fn new(pixels: Vec<u8>, size: (u32, u32), from: (u32, u32), factors: (f32, f32)) -> Option<Self> {
        let pixels = Pixmap::from_vec(pixels, IntSize::from_wh(size.0, size.1)?)?;
        let covers = (f64::from(from.0) * f64::from(factors.0), f64::from(from.1) * f64::from(factors.1));
        Some(Self { pixels, covers })
    }
}

/// The means of the samples behind each pixel: `channels` bytes of each sample.
fn shrunk(data: &[u8], channels: usize, from: (u32, u32), to: (u32, u32)) -> Option<Vec<u8>> {
    let (width, height) = (from.0 as usize, from.1 as usize);
    if data.len() < width * height * channels || width == 0 || height == 0 {
        return None;
    }
    if from == to {
        return Some(data.to_vec());
    }
    let (across, down) = (to.0 as usize, to.1 as usize);
    let mut out = Vec::with_capacity(across * down * channels);
    let part = |at: usize, of: usize, all: usize| (at * all / of, (((at + 1) * all).div_ceil(of)).min(all));
    let mut sums = vec![0u64; channels];
    for y in 0..down {
        let (top, bottom) = part(y, down, height);
        for x in 0..across {
            let (left, right) = part(x, across, width);
            sums.fill(0);
            for row in top..bottom {
                let row = &data[(row * width + left) * channels..(row * width + right) * channels];
                for sample in row.chunks_exact(channels) {
                    sums.iter_mut().zip(sample).for_each(|(sum, byte)| *sum += u64::from(*byte));
                }
            }
            let count = ((bottom - top) * (right - left)).max(1) as u64;
            out.extend(sums.iter().map(|sum| (sum / count) as u8));
        }
    }
    Some(out)
}

fn coloured(data: &ImageData, alpha: Option<&LumaData>, shown: &ShownImage) -> Option<PaintedImage> {
    let from = (data.width(), data.height());
    let to = (shown.width.min(from.0), shown.height.min(from.1));
    let (samples, channels) = match data {
        ImageData::Rgb(rgb) => (shrunk(&rgb.data, 3, from, to)?, 3),
        ImageData::Luma(luma) => (shrunk(&luma.data, 1, from, to)?, 1),
    };
    // The alpha channel may have a size of its own; it is made as large as the colours.
    let alpha = alpha.and_then(|alpha| {
        let own = (alpha.width, alpha.height);
        shrunk(&alpha.data, 1, own, to)
    });
    let mut pixels = Vec::with_capacity(to.0 as usize * to.1 as usize * 4);
    for (at, sample) in samples.chunks_exact(channels).enumerate() {
        let a = alpha.as_ref().map_or(255, |alpha| alpha.get(at).copied().unwrap_or(255));
        let [r, g, b] = if channels == 3 { [sample[0], sample[1], sample[2]] } else { [sample[0]; 3] };
        pixels.extend([r, g, b].map(|byte| premultiplied(byte, a)));
        pixels.push(a);
    }
    PaintedImage::new(pixels, to, from, data.scale_factors())
}

fn stencilled(luma: &LumaData, [r, g, b, opacity]: [u8; 4], shown: &ShownImage) -> Option<PaintedImage> {
    let from = (luma.width, luma.height);
    let to = (shown.width.min(from.0), shown.height.min(from.1));
    let samples = shrunk(&luma.data, 1, from, to)?;
    let mut pixels = Vec::with_capacity(samples.len() * 4);
    for sample in samples {
        let a = premultiplied(sample, opacity);
        pixels.extend([r, g, b].map(|byte| premultiplied(byte, a)));
        pixels.push(a);
    }
    PaintedImage::new(pixels, to, from, luma.scale_factors)
}

fn premultiplied(byte: u8, alpha: u8) -> u8 {
    ((u16::from(byte) * u16::from(alpha) + 127) / 255) as u8
}
