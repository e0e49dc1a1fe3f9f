//! The device that paints: what the interpreter draws, on a picture in memory.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

use hayro_interpret::font::{Glyph, GlyphRun, OutlineGlyph};
use hayro_interpret::kurbo::{Affine, BezPath, Cap, Join, PathEl, Rect, Shape};
use hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Device, DrawMode, DrawProps, FillRule, Image, ImageDrawProps, MaskType, Paint,
    SoftMask, StrokeProps,
};
use tiny_skia::{
    Color, LineCap, LineJoin, Mask, Path, PathBuilder, Pixmap, PixmapPaint, Shader, Stroke, StrokeDash, Transform,
};

use super::clips::{Clip, ClipEffect};
use super::{images, patterns};

/// Layers that are kept at once, each as large as the picture; in deeper groups, opacity is not that of the group.
const MOST_LAYERS: usize = 8;
/// Pictures inside of pictures: masks and patterns that use masks and patterns.
const DEEPEST: usize = 4;
/// Clips inside of each other; deeper ones are not applied. Each may take a mask as large as the picture.
const DEEPEST_CLIP: usize = 32;
/// Points of outlines of letters, and masks, that are kept for when they come again.
const MOST_POINTS: usize = 1 << 20;
const MOST_MASKS: usize = 4;
/// The clock is looked at after so many things drawn.
const BETWEEN_LOOKS: usize = 64;
/// The thinnest line (pixels); thinner ones would be hard to see.
const THINNEST: f32 = 0.7;

/// What is painted on.
pub(super) struct Canvas<'a> {
    width: u32,
    height: u32,
    until: Instant,
    drawn: usize,
    late: bool,
    /// How many pictures this one is inside of.
    depth: usize,
    layers: Vec<PaintLayer>,
    /// Groups that are open: whether each has a layer.
    groups: Vec<bool>,
    clips: Vec<Rc<Clip>>,
    outlines: HashMap<u128, Option<Rc<Path>>>,
    /// How many points they have.
    points: usize,
    masks: HashMap<u128, Rc<Mask>>,
    pages: std::marker::PhantomData<&'a ()>,
}

/// A picture that is painted onto the one below when it is complete.
struct PaintLayer {
    pixels: Pixmap,
    opacity: f32,
    blend: BlendMode,
    mask: Option<Rc<Mask>>,
}

impl<'a> Canvas<'a> {
    /// An empty picture on white.
    pub fn white(width: u32, height: u32, until: Instant) -> Option<Self> {
        let mut canvas = Self::clear(width, height, until, 0)?;
        canvas.layers[0].pixels.fill(Color::WHITE);
        Some(canvas)
    }

    /// An empty picture that nothing shows of.
    fn clear(width: u32, height: u32, until: Instant, depth: usize) -> Option<Self> {
        let layer =
            PaintLayer { pixels: Pixmap::new(width, height)?, opacity: 1.0, blend: BlendMode::Normal, mask: None };
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        Some(Self {
            width,
            height,
            until,
            drawn: 0,
            late: false,
            depth,
            layers: vec![layer],
            groups: Vec::new(),
            clips: vec![Clip::all(bounds)],
            outlines: HashMap::new(),
            points: 0,
            masks: HashMap::new(),
            pages: std::marker::PhantomData,
        })
    }

    /// A picture that is needed for this one, unless it is too deep inside of others already.
    pub fn beside(&self, width: u32, height: u32) -> Option<Self> {
        if self.late || self.depth >= DEEPEST {
            return None;
        }
        Self::clear(width, height, self.until, self.depth + 1)
    }

    /// Whether painting was given up.
    pub fn is_late(&self) -> bool {
        self.late
    }

    /// Whether one more thing may be drawn.
    fn may_draw(&mut self) -> bool {
        self.drawn += 1;
        if self.drawn.is_multiple_of(BETWEEN_LOOKS) {
            self.late |= Instant::now() > self.until;
        }
        !self.late
    }

    /// Takes over that a picture beside this one took too long.
    pub fn note_late(&mut self, late: bool) {
        self.late |= late;
    }

    /// The picture with all layers painted; its colours are premultiplied.
    pub fn into_pixmap(mut self) -> Option<Pixmap> {
        while self.layers.len() > 1 {
            self.merge();
        }
        self.layers.pop().map(|layer| layer.pixels)
    }

    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// The part of the picture where anything shows now.
    pub fn shown(&self) -> Rect {
        self.clip().bounds()
    }

    fn clip(&self) -> &Rc<Clip> {
        // The first one is never taken away.
        &self.clips[self.clips.len() - 1]
    }

    /// Paints the topmost layer onto the one below.
    fn merge(&mut self) {
        let Some(layer) = self.layers.pop() else { return };
        let Some(below) = self.layers.last_mut() else { return };
        let paint = PixmapPaint { opacity: layer.opacity, blend_mode: blend(layer.blend), ..PixmapPaint::default() };
        below.pixels.draw_pixmap(0, 0, layer.pixels.as_ref(), &paint, Transform::identity(), layer.mask.as_deref());
    }

    fn push_layer(&mut self, opacity: f32, mask: Option<Rc<Mask>>, blend: BlendMode) -> bool {
        let room = self.layers.len() + 2 * self.depth < MOST_LAYERS && !self.late;
        let pixels = room.then(|| Pixmap::new(self.width, self.height)).flatten();
        let Some(pixels) = pixels else { return false };
        self.layers.push(PaintLayer { pixels, opacity, blend, mask });
        true
    }

    /// The mask that a soft mask draws.
    fn soft_mask(&mut self, mask: &SoftMask<'a>) -> Option<Rc<Mask>> {
        let key = mask.cache_key();
        if let Some(known) = self.masks.get(&key) {
            return Some(Rc::clone(known));
        }
        let mut canvas = self.beside(self.width, self.height)?;
        let luminosity = mask.mask_type() == MaskType::Luminosity;
        if luminosity {
            let [r, g, b, _] = mask.background_color().to_rgba().to_rgba8();
            canvas.layers[0].pixels.fill(Color::from_rgba8(r, g, b, 255));
        }
        mask.interpret(&mut canvas);
        self.late |= canvas.late;
        let kind = if luminosity { tiny_skia::MaskType::Luminance } else { tiny_skia::MaskType::Alpha };
        let mut made = Mask::from_pixmap(canvas.into_pixmap()?.as_ref(), kind);
        if let Some(function) = mask.transfer_function() {
            function.apply_to(made.data_mut());
        }
        if self.masks.len() >= MOST_MASKS {
            self.masks.clear();
        }
        let made = Rc::new(made);
        self.masks.insert(key, Rc::clone(&made));
        Some(made)
    }

    /// Draws with a soft mask by drawing a layer without one.
    fn masked(&mut self, mask: Option<&SoftMask<'a>>, draw: impl FnOnce(&mut Self)) {
        let mask = mask.and_then(|mask| self.soft_mask(mask));
        let layered = mask.is_some() && self.push_layer(1.0, mask, BlendMode::Normal);
        draw(self);
        if layered {
            self.merge();
        }
    }

    /// Paints with a colour or a pattern: `draw` is given the paint and paints within the mask.
    fn painted(
        &mut self,
        props: &DrawProps<'a>,
        bounds: Rect,
        stroke: bool,
        draw: impl FnOnce(&mut Pixmap, &tiny_skia::Paint<'_>, Option<&Mask>),
    ) {
        if !self.may_draw() || !(bounds.is_finite()) {
            return;
        }
        let mask = match self.clip().cut(bounds, self.size()) {
            ClipEffect::Away => return,
            ClipEffect::Not => None,
            ClipEffect::To(mask) => Some(mask),
        };
        let pattern = match &props.paint {
            Paint::Color(_) => None,
            Paint::Pattern(pattern) => match patterns::texture(self, pattern, bounds, stroke) {
                Some(texture) => Some(texture),
                None => return,
            },
        };
        let mut paint = tiny_skia::Paint { blend_mode: blend(props.blend_mode), ..tiny_skia::Paint::default() };
        match (&props.paint, &pattern) {
            (Paint::Color(colour), _) => {
                let [r, g, b, a] = colour.to_rgba().to_rgba8();
                paint.set_color_rgba8(r, g, b, a);
            }
            (_, Some(texture)) => paint.shader = texture.shader(),
            (_, None) => paint.shader = Shader::SolidColor(Color::TRANSPARENT),
        }
        if let Some(layer) = self.layers.last_mut() {
            draw(&mut layer.pixels, &paint, mask.as_deref());
        }
    }

    fn fill(&mut self, path: &Path, transform: Affine, props: &DrawProps<'a>, rule: FillRule) {
        let Some(matrix) = matrix(transform) else { return };
        let bounds = device_bounds(path, transform, 0.5);
        self.painted(props, bounds, false, |pixels, paint, mask| {
            pixels.fill_path(path, paint, fill_rule(rule), matrix, mask);
        });
    }

    fn stroke(&mut self, path: &Path, transform: Affine, props: &DrawProps<'a>, stroke: &StrokeProps) {
        let Some(matrix) = matrix(transform) else { return };
        let scale = scale_of(transform);
        let width = stroke.line_width.abs().max(THINNEST / scale.max(1e-6));
        let wide = f64::from(width * stroke.miter_limit.clamp(1.0, 20.0));
        let bounds = device_bounds(path, transform, wide * f64::from(scale));
        let stroke = Stroke {
            width,
            miter_limit: stroke.miter_limit.max(1.0),
            line_cap: match stroke.line_cap {
                Cap::Butt => LineCap::Butt,
                Cap::Round => LineCap::Round,
                Cap::Square => LineCap::Square,
            },
            line_join: match stroke.line_join {
                Join::Bevel => LineJoin::Bevel,
                Join::Miter => LineJoin::Miter,
                Join::Round => LineJoin::Round,
            },
            dash: dash(stroke),
        };
        self.painted(props, bounds, true, |pixels, paint, mask| {
            pixels.stroke_path(path, paint, &stroke, matrix, mask);
        });
    }

    fn draw(&mut self, path: &Path, transform: Affine, props: &DrawProps<'a>, mode: &DrawMode) {
        match mode {
            DrawMode::Fill(rule) => self.fill(path, transform, props, *rule),
            DrawMode::Stroke(stroke) => self.stroke(path, transform, props, stroke),
            DrawMode::FillAndStroke(rule, stroke) => {
                self.fill(path, transform, props, *rule);
                self.stroke(path, transform, props, stroke);
            }
            DrawMode::Invisible => {}
        }
    }

    /// The outline of a letter; letters come again and again.
    fn outline(&mut self, glyph: &OutlineGlyph) -> Option<Rc<Path>> {
        let key = glyph.identifier().cache_key();
        if let Some(known) = self.outlines.get(&key) {
            return known.clone();
        }
        let outline = path(&glyph.outline()).map(Rc::new);
        self.points += 1 + outline.as_ref().map_or(0, |outline| outline.points().len());
        if self.points > MOST_POINTS {
            self.outlines.clear();
            self.points = 0;
        }
        self.outlines.insert(key, outline.clone());
        outline
    }

    fn glyph(&mut self, glyph: &Glyph<'a>, place: Affine, props: &DrawProps<'a>, mode: &DrawMode) {
        match glyph {
            Glyph::Type3(drawn) if !matches!(mode, DrawMode::Invisible) && self.may_draw() => {
                drawn.interpret(self, props.transform, place, &props.paint);
            }
            Glyph::Type3(_) => {}
            Glyph::Outline(outline) => {
                let Some(path) = self.outline(outline) else { return };
                // The width of a stroke is that of the text, not of the units of the font.
                if let DrawMode::Fill(_) = mode {
                    return self.fill(&path, props.transform * place, props, FillRule::NonZero);
                }
                let placed = matrix(place).and_then(|place| (*path).clone().transform(place));
                if let Some(placed) = placed {
                    self.draw(&placed, props.transform, props, mode);
                }
            }
        }
    }

    /// Paints a picture whose pixels are placed by the transform.
    pub fn paste(&mut self, picture: &Pixmap, transform: Affine, blend_mode: BlendMode) {
        let Some(matrix) = matrix(transform) else { return };
        let whole = Rect::new(0.0, 0.0, f64::from(picture.width()), f64::from(picture.height()));
        let bounds = transform.transform_rect_bbox(whole);
        let mask = match self.clip().cut(bounds, self.size()) {
            ClipEffect::Away => return,
            ClipEffect::Not => None,
            ClipEffect::To(mask) => Some(mask),
        };
        let quality = tiny_skia::FilterQuality::Bilinear;
        let paint = PixmapPaint { opacity: 1.0, blend_mode: blend(blend_mode), quality };
        if let Some(layer) = self.layers.last_mut() {
            layer.pixels.draw_pixmap(0, 0, picture.as_ref(), &paint, matrix, mask.as_deref());
        }
    }
}

impl<'a> Device<'a> for Canvas<'a> {
    fn draw_path(&mut self, drawn: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        let Some(path) = path(drawn) else { return };
        self.masked(props.soft_mask.as_ref(), |canvas| canvas.draw(&path, props.transform, &props, mode));
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        let inside = if self.clips.len() <= DEEPEST_CLIP {
            let (bounds, rule) = (clip.path.bounding_box(), fill_rule(clip.fill));
            match path(&clip.path) {
                Some(path) => self.clip().inside(Some(path), bounds, rule),
                // A clip around nothing hides everything.
                None => self.clip().inside(None, Rect::ZERO, rule),
            }
        } else {
            Rc::clone(self.clip())
        };
        self.clips.push(inside);
    }

    fn pop_clip(&mut self) {
        if self.clips.len() > 1 {
            self.clips.pop();
        }
    }

    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'a>>, blend_mode: BlendMode) {
        let plain = opacity >= 1.0 && mask.is_none() && blend_mode == BlendMode::Normal;
        let layered = !plain && {
            let mask = mask.and_then(|mask| self.soft_mask(&mask));
            self.push_layer(opacity.clamp(0.0, 1.0), mask, blend_mode)
        };
        self.groups.push(layered);
    }

    fn pop_transparency_group(&mut self) {
        if self.groups.pop() == Some(true) && self.layers.len() > 1 {
            self.merge();
        }
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.masked(props.soft_mask.as_ref(), |canvas| {
            for glyph in run.glyphs() {
                canvas.glyph(glyph, glyph.transform(), &props, mode);
            }
        });
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        if !self.may_draw() {
            return;
        }
        self.masked(props.soft_mask.as_ref(), |canvas| images::draw(canvas, &image, &props));
    }
}

/// A path for the painter; none where there is nothing to paint, or where it is nowhere.
fn path(drawn: &BezPath) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for element in drawn.elements() {
        match *element {
            PathEl::MoveTo(p) => builder.move_to(p.x as f32, p.y as f32),
            PathEl::LineTo(p) => builder.line_to(p.x as f32, p.y as f32),
            PathEl::QuadTo(a, p) => builder.quad_to(a.x as f32, a.y as f32, p.x as f32, p.y as f32),
            PathEl::CurveTo(a, b, p) => {
                builder.cubic_to(a.x as f32, a.y as f32, b.x as f32, b.y as f32, p.x as f32, p.y as f32);
            }
            PathEl::ClosePath => builder.close(),
        }
    }
    builder.finish()
}

/// The matrix for the painter, if it places things anywhere.
#[expect(clippy::many_single_char_names, reason = "the names the standard gives them")]
pub(super) fn matrix(transform: Affine) -> Option<Transform> {
    let [a, b, c, d, e, f] = transform.as_coeffs().map(|number| number as f32);
    let matrix = Transform::from_row(a, b, c, d, e, f);
    matrix.is_finite().then_some(matrix)
}

/// The bounds of a path as it is drawn, this much wider on all sides.
fn device_bounds(path: &Path, transform: Affine, wider: f64) -> Rect {
    let bounds = path.bounds();
    let corners = [bounds.left(), bounds.top(), bounds.right(), bounds.bottom()].map(f64::from);
    transform.transform_rect_bbox(Rect::new(corners[0], corners[1], corners[2], corners[3])).inflate(wider, wider)
}

/// How many pixels a unit is long, at most.
fn scale_of(transform: Affine) -> f32 {
    let [a, b, c, d, ..] = transform.as_coeffs();
    a.hypot(b).max(c.hypot(d)) as f32
}

/// The dashes of a line, as an even number of lengths.
fn dash(stroke: &StrokeProps) -> Option<StrokeDash> {
    let lengths = &stroke.dash_array;
    let again = if lengths.len() % 2 == 1 { &lengths[..] } else { &[] };
    let lengths: Vec<f32> = lengths.iter().chain(again).copied().collect();
    (!lengths.is_empty()).then(|| StrokeDash::new(lengths, stroke.dash_offset)).flatten()
}

fn fill_rule(rule: FillRule) -> tiny_skia::FillRule {
    match rule {
        FillRule::NonZero => tiny_skia::FillRule::Winding,
        FillRule::EvenOdd => tiny_skia::FillRule::EvenOdd,
    }
}

fn blend(mode: BlendMode) -> tiny_skia::BlendMode {
    use tiny_skia::BlendMode as To;
    match mode {
        BlendMode::Normal => To::SourceOver,
        BlendMode::Multiply => To::Multiply,
        BlendMode::Screen => To::Screen,
        BlendMode::Overlay => To::Overlay,
        BlendMode::Darken => To::Darken,
        BlendMode::Lighten => To::Lighten,
        BlendMode::ColorDodge => To::ColorDodge,
        BlendMode::ColorBurn => To::ColorBurn,
        BlendMode::HardLight => To::HardLight,
        BlendMode::SoftLight => To::SoftLight,
        BlendMode::Difference => To::Difference,
        BlendMode::Exclusion => To::Exclusion,
        BlendMode::Hue => To::Hue,
        BlendMode::Saturation => To::Saturation,
        BlendMode::Color => To::Color,
        BlendMode::Luminosity => To::Luminosity,
    }
}
