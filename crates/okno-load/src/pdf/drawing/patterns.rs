//! Shadings and tiles: what is painted with instead of a colour, as a picture of the part that shows.

use hayro_interpret::kurbo::{Affine, Rect, Shape};
use hayro_interpret::pattern::{Pattern, ShadingPattern, TilingPattern};
use hayro_interpret::util::x_y_advances;
use hayro_interpret::{ClipPath, Device, FillRule};
use tiny_skia::{FilterQuality, IntSize, Pixmap, Shader, SpreadMode, Transform};

use super::canvas::{Canvas, matrix};

/// A tile is painted at most so often, where it is painted one by one.
const MOST_TILES: f64 = 10_000.0;
/// Neighbours that reach into a tile, in each direction.
const MOST_OVERLAPPING: f64 = 4.0;

/// A picture to paint with, and its place.
pub(super) struct Texture {
    pixels: Pixmap,
    place: Transform,
    opacity: f32,
    repeats: bool,
}

impl Texture {
    pub fn shader(&self) -> Shader<'_> {
        let spread = if self.repeats { SpreadMode::Repeat } else { SpreadMode::Pad };
        tiny_skia::Pattern::new(self.pixels.as_ref(), spread, FilterQuality::Bilinear, self.opacity, self.place)
    }
}

/// What to paint with inside of these bounds; nothing where the pattern shows nothing.
pub(super) fn texture<'a>(
    canvas: &mut Canvas<'a>,
    pattern: &Pattern<'a>,
    bounds: Rect,
    stroke: bool,
) -> Option<Texture> {
    let shown = canvas.shown();
    let bounds = bounds.intersect(shown).expand();
    if bounds.width() < 1.0 || bounds.height() < 1.0 {
        return None;
    }
    match pattern {
        Pattern::Shading(shading) => shaded(shading, bounds),
        Pattern::Tiling(tiling) => tiled(canvas, tiling, bounds, stroke),
    }
}

fn shaded(shading: &ShadingPattern, bounds: Rect) -> Option<Texture> {
    let clip = shading.shading.clip_path.as_ref().map(Shape::bounding_box);
    let texture = shading.encode().render_texture(bounds, 1.0);
    let mut pixels = texture.data;
    for (at, pixel) in pixels.chunks_exact_mut(4).enumerate() {
        let (x, y) = (at as u32 % texture.width, at as u32 / texture.width);
        let outside = clip.is_some_and(|clip| {
            let (x, y) = (bounds.x0 + f64::from(x) + 0.5, bounds.y0 + f64::from(y) + 0.5);
            x < clip.x0 || x > clip.x1 || y < clip.y0 || y > clip.y1
        });
        let alpha = if outside { 0 } else { u16::from(pixel[3]) };
        for byte in &mut pixel[..3] {
            *byte = (u16::from(*byte) * alpha / 255) as u8;
        }
        pixel[3] = alpha as u8;
    }
    let pixels = Pixmap::from_vec(pixels, IntSize::from_wh(texture.width, texture.height)?)?;
    let place = Transform::from_translate(bounds.x0 as f32, bounds.y0 as f32);
    Some(Texture { pixels, place, opacity: 1.0, repeats: false })
}

fn tiled<'a>(canvas: &mut Canvas<'a>, tiling: &TilingPattern<'a>, bounds: Rect, stroke: bool) -> Option<Texture> {
    let (across, down) = x_y_advances(&tiling.matrix);
    let steps = (f64::from(tiling.x_step.abs()), f64::from(tiling.y_step.abs()));
    let size = (steps.0 * across.length(), steps.1 * down.length());
    if !(size.0.is_finite() && size.1.is_finite()) {
        return None;
    }
    let (width, height) = canvas.size();
    // A tile that is larger than what shows of it is painted where it shows.
    if size.0 > f64::from(width) || size.1 > f64::from(height) || size.0 < 1.0 || size.1 < 1.0 {
        return placed(canvas, tiling, bounds, stroke, steps);
    }
    let pixels = (size.0.round().max(1.0), size.1.round().max(1.0));
    let scale = (pixels.0 / steps.0, pixels.1 / steps.1);
    let mut tile = canvas.beside(pixels.0 as u32, pixels.1 as u32)?;
    let to_tile = Affine::scale_non_uniform(scale.0, scale.1) * Affine::translate((-tiling.bbox.x0, -tiling.bbox.y0));
    let reach = |length: f64, step: f64| (length / step).ceil().clamp(1.0, MOST_OVERLAPPING) as i32;
    for y in 0..reach(tiling.bbox.height(), steps.1) {
        for x in 0..reach(tiling.bbox.width(), steps.0) {
            let offset = Affine::translate((-f64::from(x) * steps.0, -f64::from(y) * steps.1));
            tiling.interpret(&mut tile, to_tile * offset, stroke);
        }
    }
    canvas.note_late(tile.is_late());
    let place = tiling.matrix
        * Affine::translate((tiling.bbox.x0, tiling.bbox.y0))
        * Affine::scale_non_uniform(1.0 / scale.0, 1.0 / scale.1);
    Some(Texture { pixels: tile.into_pixmap()?, place: matrix(place)?, opacity: tiling.opacity, repeats: true })
}

/// The tiles that show, painted one by one.
fn placed<'a>(
    canvas: &mut Canvas<'a>,
    tiling: &TilingPattern<'a>,
    bounds: Rect,
    stroke: bool,
    (x_step, y_step): (f64, f64),
) -> Option<Texture> {
    let area = tiling.matrix.inverse().transform_rect_bbox(bounds);
    let first = |low: f64, end: f64, step: f64| ((low - end) / step).ceil();
    let last = |high: f64, start: f64, step: f64| ((high - start) / step).floor();
    let (left, right) = (first(area.x0, tiling.bbox.x1, x_step), last(area.x1, tiling.bbox.x0, x_step));
    let (low, high) = (first(area.y0, tiling.bbox.y1, y_step), last(area.y1, tiling.bbox.y0, y_step));
    let count = (right - left + 1.0) * (high - low + 1.0);
    if !(1.0..=MOST_TILES).contains(&count) {
        return None;
    }
    let mut picture = canvas.beside(bounds.width() as u32, bounds.height() as u32)?;
    let shown = Rect::new(0.0, 0.0, bounds.width(), bounds.height());
    picture.push_clip_path(&ClipPath { path: shown.to_path(0.1), fill: FillRule::NonZero });
    for y in low as i64..=high as i64 {
        for x in left as i64..=right as i64 {
            let offset = Affine::translate((x as f64 * x_step, y as f64 * y_step));
            let place = Affine::translate((-bounds.x0, -bounds.y0)) * tiling.matrix * offset;
            if !picture.is_late() {
                tiling.interpret(&mut picture, place, stroke);
            }
        }
    }
    canvas.note_late(picture.is_late());
    let place = Transform::from_translate(bounds.x0 as f32, bounds.y0 as f32);
    Some(Texture { pixels: picture.into_pixmap()?, place, opacity: tiling.opacity, repeats: false })
}
