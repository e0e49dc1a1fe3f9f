//! The content of a page comes in; out go its letters with their places.
//!
//! Only what moves or shows text is interpreted: matrices, text state, strings, and forms drawn inside the page.
//! Nothing is painted.

use std::collections::BTreeSet;
use std::rc::Rc;

use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction as Op;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use hayro_syntax::page::{Page, Resources, Rotation};

use super::annotations;
use super::fonts::{Face, Fonts};
use super::limits::PdfLimits;
use super::pictures::{self, Placed};

/// Forms inside forms deeper than this are left out.
const DEEPEST_FORM: usize = 8;
/// The size of a field's value that is not drawn: that of most forms (points).
const VALUE_SIZE: f64 = 10.0;
/// Lines that lean by fewer degrees are upright.
const LEANING: f64 = 10.0;
/// Saved states beyond this many are not kept.
const DEEPEST_STATE: usize = 256;

/// One letter (or several that are drawn as one) at its place; `y` grows upwards.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    pub text: Rc<str>,
    pub x: f64,
    pub y: f64,
    /// How far it reaches in the direction of writing.
    pub width: f64,
    pub size: f64,
    pub bold: bool,
    /// The direction of writing in degrees against the clock, from 0 to 359: 0 is to the right, 270 is downwards.
    pub turn: u16,
    /// Whether the pen was put here, and did not come here by writing.
    pub moved: bool,
    /// Its place among the letters of the page.
    pub number: u32,
}

/// What is on a page.
#[derive(Debug, Default)]
pub(super) struct PageContent {
    pub glyphs: Vec<Glyph>,
    /// Letters whose font does not say what they are.
    pub unknown: usize,
    pub images: usize,
    /// Those whose bytes are taken out.
    pub pictures: Vec<Placed>,
    /// Kinds of images that are not decoded.
    pub undecoded: BTreeSet<&'static str>,
    /// The page or an image on it is shown in another direction than it is stored.
    pub turned: bool,
    /// What readers wrote about it.
    pub comments: Vec<String>,
}

/// An affine transformation, as PDF writes it.
#[derive(Debug, Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn new(numbers: [&Number; 6]) -> Self {
        Self(numbers.map(Number::as_f64))
    }

    fn translation(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This one first, then the other.
    #[expect(clippy::many_single_char_names, reason = "the names the standard gives them")]
    fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [p, q, r, s, t, u]) = (self.0, other.0);
        Self([a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u])
    }
}

#[derive(Clone)]
struct GraphicsState<'a> {
    ctm: Matrix,
    font: Option<Rc<Face<'a>>>,
    size: f64,
    character_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

/// Everything that is drawn on a page.
pub(super) fn drawn<'a>(page: &Page<'a>, fonts: &Fonts<'a>, limits: &mut PdfLimits) -> PageContent {
    let state = GraphicsState {
        ctm: Matrix::IDENTITY,
        font: None,
        size: 0.0,
        character_space: 0.0,
        word_space: 0.0,
        scale: 1.0,
        leading: 0.0,
        rise: 0.0,
    };
    let first = state.clone();
    let mut reader = GlyphReader {
        fonts,
        limits,
        state,
        saved: Vec::new(),
        text: Matrix::IDENTITY,
        line: Matrix::IDENTITY,
        drawn: PageContent::default(),
        depth: 0,
        moved: true,
    };
    reader.limits.page();
    reader.drawn.turned = !matches!(page.rotation(), Rotation::None);
    let content = content(page, reader.limits);
    reader.run(TypedIter::new(&content), page.resources());
    reader.annotations(page, &first);
    reader.drawn
}

/// The content of a page, its parts one after the other. The library keeps what it joins for as long as the file is
/// open, however often a page names the same part.
fn content(page: &Page<'_>, limits: &mut PdfLimits) -> Vec<u8> {
    let dict = page.raw();
    if let Some(stream) = dict.get::<Stream<'_>>("Contents") {
        return stream.decoded_data().map(std::borrow::Cow::into_owned).unwrap_or_default();
    }
    let mut content = Vec::new();
    let parts = dict.get::<Array<'_>>("Contents");
    for part in parts.iter().flat_map(hayro_syntax::object::Array::iter::<Object<'_>>) {
        let Object::Stream(part) = part else { continue };
        if let Ok(part) = part.decoded_data() {
            content.extend_from_slice(&part);
            content.push(b' ');
        }
        if !limits.content(content.len()) {
            break;
        }
    }
    content
}

/// The direction of a line in degrees. A line that leans a little is a scan that does, or letters in italics.
fn turn(dx: f64, dy: f64) -> u16 {
    if dy == 0.0 && dx > 0.0 {
        return 0;
    }
    let degrees = dy.atan2(dx).to_degrees().round().rem_euclid(360.0);
    let quarter = (degrees / 90.0).round() * 90.0;
    let turn = if (degrees - quarter).abs() <= LEANING { quarter } else { degrees };
    turn as u16 % 360
}

struct GlyphReader<'r, 'a> {
    fonts: &'r Fonts<'a>,
    limits: &'r mut PdfLimits,
    state: GraphicsState<'a>,
    saved: Vec<GraphicsState<'a>>,
    text: Matrix,
    line: Matrix,
    drawn: PageContent,
    depth: usize,
    /// The pen was moved since the last letter.
    moved: bool,
}

impl<'a> GlyphReader<'_, 'a> {
    fn run(&mut self, mut operations: TypedIter<'_>, resources: &Resources<'a>) {
        while let Some(operation) = operations.next() {
            if !self.limits.operation() {
                return;
            }
            self.operation(&operation, resources);
        }
    }

    fn operation(&mut self, operation: &Op<'_, '_>, resources: &Resources<'a>) {
        match operation {
            Op::SaveState(_) if self.saved.len() < DEEPEST_STATE => self.saved.push(self.state.clone()),
            Op::RestoreState(_) => self.state = self.saved.pop().unwrap_or_else(|| self.state.clone()),
            Op::Transform(m) => {
                self.state.ctm = Matrix::new([&m.0, &m.1, &m.2, &m.3, &m.4, &m.5]).then(self.state.ctm);
            }
            Op::XObject(name) => self.object(name.0, resources),
            Op::InlineImage(_) => self.drawn.images += 1,
            _ => self.text_operation(operation, resources),
        }
    }

    fn text_operation(&mut self, operation: &Op<'_, '_>, resources: &Resources<'a>) {
        match operation {
            Op::BeginText(_) => {
                (self.text, self.line, self.moved) = (Matrix::IDENTITY, Matrix::IDENTITY, true);
            }
            Op::CharacterSpacing(n) => self.state.character_space = n.0.as_f64(),
            Op::WordSpacing(n) => self.state.word_space = n.0.as_f64(),
            Op::HorizontalScaling(n) => self.state.scale = n.0.as_f64() / 100.0,
            Op::TextLeading(n) => self.state.leading = n.0.as_f64(),
            Op::TextRise(n) => self.state.rise = n.0.as_f64(),
            Op::TextFont(font) => {
                self.state.font = resources.get_font(font.0).and_then(|dict: Dict<'a>| self.fonts.face(&dict));
                self.state.size = font.1.as_f64();
            }
            Op::NextLine(to) => self.next_line(to.0.as_f64(), to.1.as_f64()),
            Op::NextLineAndSetLeading(to) => {
                self.state.leading = -to.1.as_f64();
                self.next_line(to.0.as_f64(), to.1.as_f64());
            }
            Op::SetTextMatrix(m) => {
                self.line = Matrix::new([&m.0, &m.1, &m.2, &m.3, &m.4, &m.5]);
                (self.text, self.moved) = (self.line, true);
            }
            Op::NextLineUsingLeading(_) => self.next_line(0.0, -self.state.leading),
            Op::ShowText(text) => self.show(text.0.as_bytes()),
            Op::NextLineAndShowText(text) => {
                self.next_line(0.0, -self.state.leading);
                self.show(text.0.as_bytes());
            }
            Op::ShowTextWithParameters(with) => {
                (self.state.word_space, self.state.character_space) = (with.0.as_f64(), with.1.as_f64());
                self.next_line(0.0, -self.state.leading);
                self.show(with.2.as_bytes());
            }
            Op::ShowTexts(texts) => self.show_all(texts.0),
            _ => {}
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::translation(x, y).then(self.line);
        (self.text, self.moved) = (self.line, true);
    }

    fn show_all(&mut self, texts: &Array<'_>) {
        for part in texts.iter::<Object<'_>>() {
            match part {
                Object::String(text) => self.show(text.as_bytes()),
                Object::Number(back) => self.advance(-back.as_f64() / 1000.0 * self.state.size),
                _ => {}
            }
        }
    }

    fn vertical(&self) -> bool {
        self.state.font.as_ref().is_some_and(|font| font.vertical)
    }

    /// Moves the pen along the line.
    fn advance(&mut self, by: f64) {
        let step = if self.vertical() {
            Matrix::translation(0.0, by)
        } else {
            Matrix::translation(by * self.state.scale, 0.0)
        };
        self.text = step.then(self.text);
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        let mut at = 0;
        while at < bytes.len() && self.limits.glyph() {
            let (code, length) = font.read(bytes, at);
            at += length;
            let drawn = font.drawn(code, length);
            self.place(&font, &drawn.text, drawn.advance);
            let space = if length == 1 && code == 32 { self.state.word_space } else { 0.0 };
            self.advance(drawn.advance * self.state.size + self.state.character_space + space);
        }
    }

    #[expect(clippy::many_single_char_names, reason = "the names the standard gives them")]
    fn place(&mut self, font: &Face<'a>, text: &Rc<str>, advance: f64) {
        if text.is_empty() {
            self.drawn.unknown += 1;
            return;
        }
        let GraphicsState { size, scale, rise, ctm, .. } = self.state;
        let Matrix([a, b, c, d, x, y]) = Matrix([size * scale, 0.0, 0.0, size, 0.0, rise]).then(self.text).then(ctm);
        let (along, up) = (a.hypot(b), c.hypot(d));
        if !(x.is_finite() && y.is_finite() && up > 0.1 && up < 2000.0 && along > 0.0) {
            return;
        }
        let (dx, dy, width) = if font.vertical { (-c, -d, -advance * up) } else { (a, b, advance * along) };
        let turn = turn(dx, dy);
        let (text, moved) = (Rc::clone(text), std::mem::take(&mut self.moved));
        let (width, size, number) = (width.max(0.0), up * font.scale, self.drawn.glyphs.len() as u32);
        self.drawn.glyphs.push(Glyph { text, x, y, width, size, bold: font.bold, turn, moved, number });
    }

    fn object(&mut self, name: &Name<'_>, resources: &Resources<'a>) {
        let Some(stream) = resources.get_x_object(name) else { return };
        let kind = stream.dict().get::<Name<'_>>("Subtype");
        match kind.as_ref().map(AsRef::as_ref) {
            Some(b"Image") => self.picture(&stream),
            Some(b"Form") if self.depth < DEEPEST_FORM => self.form(&stream, resources),
            _ => {}
        }
    }

    /// Takes out an image: it fills the square from 0 to 1 of its own space.
    #[expect(clippy::many_single_char_names, reason = "the names the standard gives them")]
    fn picture(&mut self, stream: &Stream<'a>) {
        self.drawn.images += 1;
        let Matrix([a, b, c, d, e, f]) = self.state.ctm;
        if !self.limits.picture() || ![a, b, c, d, e, f].iter().all(|number| number.is_finite()) {
            return;
        }
        self.drawn.undecoded.extend(pictures::undecoded(stream));
        self.drawn.turned |= a <= b.abs() || d <= c.abs();
        let Some(bytes) = pictures::file(stream).filter(|bytes| self.limits.picture_of(bytes.len())) else { return };
        let (xs, ys) = ([e, e + a, e + c, e + a + c], [f, f + b, f + d, f + b + d]);
        let low = |of: [f64; 4]| of.into_iter().fold(f64::INFINITY, f64::min);
        let high = |of: [f64; 4]| of.into_iter().fold(f64::NEG_INFINITY, f64::max);
        self.drawn.pictures.push(Placed { left: low(xs), right: high(xs), top: high(ys), bottom: low(ys), bytes });
    }

    /// Reads what lies over the page.
    fn annotations(&mut self, page: &Page<'a>, first: &GraphicsState<'a>) {
        for annotation in annotations::of_page(page) {
            if !self.limits.operation() {
                return;
            }
            let before = self.drawn.glyphs.len();
            (self.state, self.depth, self.moved) = (first.clone(), 0, true);
            self.saved.clear();
            if let Some(drawing) = &annotation.drawing
                && let Some(matrix) = annotations::placement(drawing, annotation.rectangle)
            {
                self.state.ctm = Matrix(matrix);
                self.form(drawing, page.resources());
            }
            if let Some(value) = annotation.value.filter(|_| self.drawn.glyphs.len() == before) {
                self.value(&value, annotation.rectangle);
            }
            self.drawn.comments.extend(annotation.comment.filter(|comment| self.limits.words(comment.len())));
        }
    }

    /// Writes the value of a field into its rectangle, as viewers do.
    fn value(&mut self, value: &str, [left, bottom, right, top]: [f64; 4]) {
        let count = value.lines().count().max(1);
        let size = ((top - bottom) / count as f64 * 0.7).clamp(1.0, VALUE_SIZE);
        for (at, line) in value.lines().enumerate() {
            if !self.limits.words(line.len()) || !self.limits.glyph() {
                return;
            }
            let y = top - size * (at as f64 + 1.1);
            let width = (line.chars().count() as f64 * size * 0.5).min((right - left).max(size));
            let (text, number) = (Rc::from(line), self.drawn.glyphs.len() as u32);
            self.drawn.glyphs.push(Glyph { text, x: left, y, width, size, bold: false, turn: 0, moved: true, number });
        }
    }

    fn form(&mut self, stream: &Stream<'a>, outer: &Resources<'a>) {
        let Ok(content) = stream.decoded_data() else { return };
        let own = stream.dict().get::<Dict<'a>>("Resources").map(Resources::new);
        let (saved, text, line) = (self.state.clone(), self.text, self.line);
        if let Some(m) = stream.dict().get::<[f64; 6]>("Matrix") {
            self.state.ctm = Matrix(m).then(self.state.ctm);
        }
        self.depth += 1;
        let below = std::mem::take(&mut self.saved);
        self.run(TypedIter::new(&content), own.as_ref().unwrap_or(outer));
        self.depth -= 1;
        (self.state, self.text, self.line, self.saved) = (saved, text, line, below);
    }
}
