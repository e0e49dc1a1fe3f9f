//! A page of a PDF comes in; out goes a picture of it, as PNG.
//!
//! `hayro-interpret` reads what a page draws – paths, letters, images, groups – and gives it to a device: ours
//! ([`canvas`]) paints it with `tiny-skia`. The renderer of the same family, `hayro`, is not used: it brings a
//! rasterizer and scaling of images that are compiled for each set of instructions a processor may have, and gives no
//! way to count what a page draws.
//!
//! What a file says decides neither how large the picture is nor how much is kept while it is drawn: the size is
//! asked for, clips and layers are counted, images are made small as they are decoded. A decoder may still take what
//! its image needs, and a page may draw for ever, so whoever draws pages of strangers does it in a process with limits.

mod canvas;
mod clips;
mod images;
mod patterns;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use hayro_syntax::page::Page;

use self::canvas::Canvas;
use super::guard::{self, PanicPlace};
use super::{SkipReason, opened};

/// The narrowest and the widest picture (pixels): a thumbnail, and a page on a large screen.
pub const PICTURE_WIDTHS: std::ops::RangeInclusive<u32> = 16..=2400;
/// Pixels of a picture: those of the widest one of a page on A4 paper, and a little more. Long pages are drawn
/// narrower.
const MOST_PIXELS: f64 = 9_000_000.0;
/// A page is never drawn longer than so many times its width, nor wider than so many times its height.
const LONGEST: f64 = 50.0;
/// Painting stops after this time; most pages take a hundredth of it.
const TIME: Duration = Duration::from_secs(20);

/// Draws a page, counted from 1, at this width in pixels: the bytes of a PNG image.
///
/// # Errors
/// If the file cannot be read, has no such page, or the page takes too long to draw.
pub fn page_picture(bytes: Vec<u8>, number: usize, width: u32) -> Result<Vec<u8>, SkipReason> {
    guard::catch(|| {
        let file = opened(&Arc::new(bytes))?;
        let page = number.checked_sub(1).and_then(|at| file.pages().get(at)).ok_or(SkipReason::DamagedPdf)?;
        drawn(page, width)
    })
    .unwrap_or_else(|PanicPlace(place)| Err(SkipReason::InternalError { place }))
}

fn drawn(page: &Page<'_>, width: u32) -> Result<Vec<u8>, SkipReason> {
    let size = PictureSize::of(page.render_dimensions(), width);
    let mut canvas = Canvas::white(size.width, size.height, Instant::now() + TIME).ok_or(SkipReason::DamagedPdf)?;
    let shown = Affine::new(page.initial_transform(true).as_coeffs());
    let transform = Affine::scale_non_uniform(size.scale.0, size.scale.1) * shown;
    let target = Rect::new(0.0, 0.0, f64::from(size.width), f64::from(size.height));
    let cache = InterpreterCache::new();
    let mut context = Context::new(transform, target, &cache, page.xref(), InterpreterSettings::default());
    interpret_page(page, &mut context, &mut canvas);
    if canvas.is_late() {
        return Err(SkipReason::TooSlow);
    }
    png(canvas, size.width, size.height).ok_or(SkipReason::DamagedPdf)
}

/// How large a page is drawn.
#[derive(Debug, PartialEq)]
struct PictureSize {
    width: u32,
    height: u32,
    /// Pixels of a point, in both directions.
    scale: (f64, f64),
}

impl PictureSize {
    fn of((width, height): (f32, f32), wanted: u32) -> Self {
        let (width, height) = (f64::from(width).clamp(1.0, 1e9), f64::from(height).clamp(1.0, 1e9));
        let ratio = (height / width).clamp(1.0 / LONGEST, LONGEST);
        let wanted = f64::from(wanted.clamp(*PICTURE_WIDTHS.start(), *PICTURE_WIDTHS.end()));
        let across = wanted.min((MOST_PIXELS / ratio).sqrt());
        let (across, down) = (across.floor().max(1.0), (across * ratio).round().max(1.0));
        Self { width: across as u32, height: down as u32, scale: (across / width, down / height) }
    }
}

/// The picture without its alpha channel, which is the same everywhere.
fn png(canvas: Canvas<'_>, width: u32, height: u32) -> Option<Vec<u8>> {
    let pixels = canvas.into_pixmap()?.take();
    let colours: Vec<u8> = pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&colours).ok()?;
    writer.finish().ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_page_decides_how_large_its_picture_is() {
        assert_eq!(PictureSize::of((600.0, 800.0), 300), PictureSize { width: 300, height: 400, scale: (0.5, 0.5) });
        for page in [(1e9, 1.0), (1.0, 1e9), (1e9, 1e9), (f32::NAN, 1.0), (f32::INFINITY, 10.0), (3.0, 100_000.0)] {
            for wanted in [0, 800, u32::MAX] {
                let size = PictureSize::of(page, wanted);
                assert!(size.width >= 1 && size.height >= 1, "{page:?}");
                assert!(f64::from(size.width) * f64::from(size.height) < 1.1 * MOST_PIXELS, "{page:?} {size:?}");
            }
        }
    }
}
