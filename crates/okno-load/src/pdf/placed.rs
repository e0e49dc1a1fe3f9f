//! One page comes in; out go its lines, each letter with its place on the page as it is shown.
//!
//! The lines are those of the loader (`glyphs`, `fragments`), so that their letters are the document's. Places are
//! shares of the page's width and height, from its upper left corner, after the page's own crop box and rotation.

use std::sync::Arc;

use hayro_syntax::page::Page;

use super::fonts::Fonts;
use super::fragments::{self, Fragment, LetterPlace};
use super::glyphs::{self, Glyph};
use super::limits::PdfLimits;
use super::{SkipReason, opened};

/// How far letters reach below and above their line, in letter sizes: those of most fonts.
const BELOW: f64 = 0.22;
const ABOVE: f64 = 0.8;

/// A rectangle on a page, in shares of its width and height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PageBox {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl PageBox {
    /// The smallest box around both.
    pub fn with(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// A letter of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedLetter {
    pub letter: char,
    pub begins_word: bool,
    pub place: PageBox,
}

/// The letters of a line, from left to right; spaces are left out.
pub(super) type PlacedLine = Vec<PlacedLetter>;

/// Reads the lines of a page; pages are counted from 1.
pub(super) fn lines(bytes: Vec<u8>, number: usize) -> Result<Vec<PlacedLine>, SkipReason> {
    let file = opened(&Arc::new(bytes))?;
    let page = number.checked_sub(1).and_then(|at| file.pages().get(at)).ok_or(SkipReason::DamagedPdf)?;
    let mut limits = PdfLimits::new();
    let drawn = glyphs::drawn(page, &Fonts::new(), &mut limits);
    if limits.exceeded {
        return Err(SkipReason::TooSlow);
    }
    let shown = ShownPage::of(page);
    let fragments = fragments::traced_bands(&drawn.glyphs).into_iter().flatten().flatten();
    Ok(fragments.map(|fragment| placed(&fragment, &drawn.glyphs, &shown)).collect())
}

fn placed(fragment: &Fragment, glyphs: &[Glyph], shown: &ShownPage) -> PlacedLine {
    let letter = |place: &LetterPlace| {
        let glyph = glyphs.get(place.glyph as usize)?;
        let place_box = shown.place(&corners(glyph, place.part));
        Some(PlacedLetter { letter: place.letter, begins_word: place.begins_word, place: place_box })
    };
    fragment.places.iter().flatten().filter_map(letter).collect()
}

/// The corners of one of the letters of a glyph, which share its width.
fn corners(glyph: &Glyph, (part, of): (u16, u16)) -> [(f64, f64); 4] {
    let (sine, cosine) = f64::from(glyph.turn).to_radians().sin_cos();
    let share = glyph.width / f64::from(of.max(1));
    let (from, to) = (share * f64::from(part), share * f64::from(part + 1));
    let corner = |along: f64, up: f64| (glyph.x + along * cosine - up * sine, glyph.y + along * sine + up * cosine);
    let (low, high) = (-BELOW * glyph.size, ABOVE * glyph.size);
    [corner(from, low), corner(to, low), corner(from, high), corner(to, high)]
}

/// How a page is shown: what turns its own coordinates into shares of the page.
struct ShownPage {
    matrix: [f64; 6],
    width: f64,
    height: f64,
}

impl ShownPage {
    fn of(page: &Page<'_>) -> Self {
        let (width, height) = page.render_dimensions();
        let matrix = page.initial_transform(true).as_coeffs();
        Self { matrix, width: f64::from(width), height: f64::from(height) }
    }

    /// The box around these points.
    #[expect(clippy::many_single_char_names, reason = "the names the standard gives them")]
    fn place(&self, points: &[(f64, f64)]) -> PageBox {
        let [a, b, c, d, e, f] = self.matrix;
        let shown = |(x, y): (f64, f64)| ((a * x + c * y + e) / self.width, (b * x + d * y + f) / self.height);
        let around = |(x, y): (f64, f64)| PageBox { left: x, top: y, right: x, bottom: y };
        let boxes = points.iter().map(|point| around(shown(*point)));
        boxes.reduce(PageBox::with).unwrap_or(PageBox { left: 0.0, top: 0.0, right: 0.0, bottom: 0.0 })
    }
}
