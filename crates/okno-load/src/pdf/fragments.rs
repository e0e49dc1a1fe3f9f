//! Letters with places come in; out go fragments – pieces of a line without a wide gap – grouped into bands of one
//! height.
//!
//! A PDF does not say where a word ends. The gaps do: letters that follow each other on one baseline are a fragment,
//! a gap of a fifth of the letter size is a space, and a gap as wide as a letter is high separates fragments – the
//! gutter between two columns, the cells of a table.

use super::glyphs::Glyph;

/// A gap of this share of the letter size is a space. Fonts have spaces of 0.2 to 0.3; tight setting leaves more than
/// half of one.
const SPACE: f64 = 0.17;
/// Chinese letters fill a square, and justified lines pull them apart.
const WIDE_SPACE: f64 = 0.5;
/// A wider gap separates fragments: justified lines stay below it.
const SEPARATE: f64 = 1.2;
/// How far the text of a list item may stand from its marker.
const MARKER: f64 = 4.0;

/// A piece of a line.
#[derive(Debug, Clone)]
pub(super) struct Fragment {
    pub text: String,
    pub left: f64,
    pub right: f64,
    pub y: f64,
    pub size: f64,
    pub bold: bool,
    letters: usize,
    bold_letters: usize,
}

/// Fragments at one height, from left to right.
pub(super) type Band = Vec<Fragment>;

/// The bands of a page, from top to bottom; text that is written in another direction comes after.
pub(super) fn bands(glyphs: &[Glyph]) -> Vec<Vec<Band>> {
    let mut counts = [0usize; 4];
    for glyph in glyphs {
        counts[usize::from(glyph.turn % 4)] += 1;
    }
    let mut turns: Vec<u8> = (0..4).filter(|turn| counts[usize::from(*turn)] > 0).collect();
    turns.sort_by_key(|turn| std::cmp::Reverse(counts[usize::from(*turn)]));
    turns
        .into_iter()
        .map(|turn| grouped(fragments(glyphs.iter().filter(|glyph| glyph.turn == turn).map(upright))))
        .collect()
}

/// The letter as it would stand if its line ran to the right.
fn upright(glyph: &Glyph) -> Glyph {
    let (x, y) = match glyph.turn {
        0 => (glyph.x, glyph.y),
        1 => (glyph.y, -glyph.x),
        2 => (-glyph.x, -glyph.y),
        _ => (-glyph.y, glyph.x),
    };
    Glyph { x, y, turn: 0, ..glyph.clone() }
}

/// Letters in the order they are drawn become fragments.
fn fragments(glyphs: impl Iterator<Item = Glyph>) -> Vec<Fragment> {
    let mut found: Vec<Fragment> = Vec::new();
    let mut space = false;
    for glyph in glyphs {
        if glyph.text.trim().is_empty() {
            space = true;
            continue;
        }
        match found.last_mut().filter(|open| open.goes_on(&glyph)) {
            Some(open) => open.push(&glyph, space),
            None => found.push(Fragment::new(&glyph)),
        }
        space = false;
    }
    found.iter_mut().for_each(Fragment::settle);
    found
}

impl Fragment {
    fn new(glyph: &Glyph) -> Self {
        let mut fragment = Self {
            text: String::new(),
            left: glyph.x,
            right: glyph.x,
            y: glyph.y,
            size: glyph.size,
            bold: false,
            letters: 0,
            bold_letters: 0,
        };
        fragment.push(glyph, false);
        fragment
    }

    /// Whether a letter is on this line, behind its end: small ones may stand higher or lower.
    fn goes_on(&self, glyph: &Glyph) -> bool {
        let (size, lift) = (self.size.max(glyph.size), (self.y - glyph.y).abs());
        let small = self.size.min(glyph.size) < 0.85 * size;
        let gap = glyph.x - self.right;
        lift <= if small { 0.6 } else { 0.2 } * size && gap > -0.5 * size && gap < SEPARATE * size
    }

    fn push(&mut self, glyph: &Glyph, space: bool) {
        if self.letters > 0 && (space || self.is_apart(glyph)) && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
        let count = glyph.text.chars().count();
        if glyph.size > self.size * 1.15 {
            self.y = glyph.y;
        }
        let weight = self.letters as f64;
        self.size = (self.size * weight + glyph.size * count as f64) / (weight + count as f64);
        self.letters += count;
        self.bold_letters += if glyph.bold { count } else { 0 };
        self.right = self.right.max(glyph.x + glyph.width);
        self.text.push_str(&glyph.text);
    }

    fn is_apart(&self, glyph: &Glyph) -> bool {
        let wide = |c: Option<char>| c.is_some_and(super::letters::is_wide);
        let both = wide(self.text.chars().next_back()) && wide(glyph.text.chars().next());
        glyph.x - self.right > if both { WIDE_SPACE } else { SPACE } * glyph.size.min(self.size)
    }

    /// Decides what is a question of numbers, once all letters are there.
    fn settle(&mut self) {
        self.text = super::letters::folded(self.text.trim());
        self.bold = self.bold_letters * 10 >= self.letters * 9;
    }

    /// Takes a fragment further right into this one.
    fn join(&mut self, other: &Self) {
        let glued = other.left - self.right <= SPACE * self.size;
        if !glued {
            self.text.push(' ');
        }
        self.text.push_str(&other.text);
        let (own, more) = (self.letters as f64, other.letters as f64);
        self.size = (self.size * own + other.size * more) / (own + more).max(1.0);
        self.letters += other.letters;
        self.bold &= other.bold;
        self.right = self.right.max(other.right);
    }

    /// Drawn twice at nearly the same place to look bold.
    fn doubles(&self, other: &Self) -> bool {
        self.text == other.text
            && (self.left - other.left).abs() < 0.3 * self.size
            && (self.y - other.y).abs() < 0.3 * self.size
    }
}

/// Puts fragments at one height side by side, and joins those with no wide gap between them.
fn grouped(mut fragments: Vec<Fragment>) -> Vec<Band> {
    fragments.retain(|fragment| !fragment.text.is_empty());
    fragments.sort_by(|a, b| b.y.total_cmp(&a.y));
    let mut bands: Vec<Band> = Vec::new();
    for fragment in fragments {
        match bands.last_mut().filter(|band| band[0].y - fragment.y <= 0.35 * band[0].size.min(fragment.size)) {
            Some(band) => band.push(fragment),
            None => bands.push(vec![fragment]),
        }
    }
    bands.into_iter().map(joined).collect()
}

fn joined(mut band: Band) -> Band {
    band.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut found: Band = Vec::with_capacity(band.len());
    for fragment in band {
        match found.last_mut() {
            Some(last) if last.doubles(&fragment) => {}
            Some(last) if near(last, &fragment) => last.join(&fragment),
            _ => found.push(fragment),
        }
    }
    found
}

fn near(left: &Fragment, right: &Fragment) -> bool {
    let gap = right.left - left.right;
    let size = left.size.max(right.size);
    let overlaps = gap < -0.5 * size;
    let reach = if super::letters::is_marker(&left.text) { MARKER } else { 1.0 };
    !overlaps && gap < reach * size
}
