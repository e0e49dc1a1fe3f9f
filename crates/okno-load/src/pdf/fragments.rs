//! Letters with places come in; out go fragments – pieces of a line without a wide gap – grouped into bands of one
//! height.
//!
//! A PDF does not say where a word ends. The gaps do: letters that follow each other on one baseline are a fragment,
//! a gap of a fifth of the letter size is a space, and a gap as wide as a letter is high separates fragments – the
//! gutter between two columns, the cells of a table.

use std::collections::BTreeMap;

use super::direction;
use super::glyphs::Glyph;

/// A gap of this share of the letter size is a space. Fonts have spaces of 0.2 to 0.3; tight setting leaves more than
/// half of one.
const SPACE: f64 = 0.17;
/// The same where the pen was put down anew: nothing but a word is placed by itself, apart from kerning.
const MOVED_SPACE: f64 = 0.1;
/// Chinese letters fill a square, and justified lines pull them apart.
const WIDE_SPACE: f64 = 0.5;
/// A wider gap separates fragments: justified lines stay below it.
const SEPARATE: f64 = 1.2;
/// How far the text of a list item may stand from its marker.
const MARKER: f64 = 4.0;

/// The mark of a note has so many letters at most.
const LONGEST_MARK: usize = 3;

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
    /// Where each letter came from, if that is asked for.
    pub places: Option<Vec<LetterPlace>>,
}

/// A letter of a fragment, as it is written in the text, and the glyph that draws it. Spaces have none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LetterPlace {
    pub letter: char,
    /// The glyph, and which of how many letters of it this is.
    pub glyph: u32,
    pub part: (u16, u16),
    /// Whether a space stands before it.
    pub begins_word: bool,
}

/// Fragments at one height, from left to right.
pub(super) type Band = Vec<Fragment>;

/// The bands of a page, from top to bottom; text that is written in another direction comes after.
pub(super) fn bands(glyphs: &[Glyph]) -> Vec<Vec<Band>> {
    layers(glyphs, false)
}

/// The same bands; each fragment knows the glyphs of its letters.
pub(super) fn traced_bands(glyphs: &[Glyph]) -> Vec<Vec<Band>> {
    layers(glyphs, true)
}

fn layers(glyphs: &[Glyph], traced: bool) -> Vec<Vec<Band>> {
    let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
    for glyph in glyphs {
        *counts.entry(glyph.turn).or_default() += 1;
    }
    if counts.len() < 2 {
        return counts.into_keys().map(|_| grouped(fragments(glyphs.iter().map(upright), traced))).collect();
    }
    let mut turns: Vec<(u16, usize)> = counts.into_iter().collect();
    turns.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut by_turn: BTreeMap<u16, Vec<Glyph>> = BTreeMap::new();
    for glyph in glyphs {
        by_turn.entry(glyph.turn).or_default().push(upright(glyph));
    }
    let layer = |turn| Some(grouped(fragments(by_turn.remove(&turn)?.into_iter(), traced)));
    turns.into_iter().map(|(turn, _)| turn).filter_map(layer).collect()
}

/// The letter as it would stand if its line ran to the right.
fn upright(glyph: &Glyph) -> Glyph {
    let (x, y) = match glyph.turn {
        0 => (glyph.x, glyph.y),
        90 => (glyph.y, -glyph.x),
        180 => (-glyph.x, -glyph.y),
        270 => (-glyph.y, glyph.x),
        degrees => {
            let (sine, cosine) = f64::from(degrees).to_radians().sin_cos();
            (glyph.x * cosine + glyph.y * sine, glyph.y * cosine - glyph.x * sine)
        }
    };
    Glyph { x, y, turn: 0, ..glyph.clone() }
}

/// Letters in the order they are drawn become fragments.
fn fragments(glyphs: impl Iterator<Item = Glyph>, traced: bool) -> Vec<Fragment> {
    let mut found: Vec<Fragment> = Vec::new();
    let mut space = false;
    let mut last: Option<Glyph> = None;
    for glyph in glyphs {
        if last.as_ref().is_some_and(|last| doubles(last, &glyph)) {
            continue;
        }
        last = Some(glyph.clone());
        if glyph.text.trim().is_empty() {
            space = true;
            continue;
        }
        match found.last_mut().filter(|open| open.goes_on(&glyph)) {
            Some(open) => open.push(&glyph, space),
            None => found.push(Fragment::new(&glyph, traced)),
        }
        space = false;
    }
    found.iter_mut().for_each(Fragment::settle);
    found
}

/// Whether a letter is the last one drawn again beside itself, to look bold.
fn doubles(last: &Glyph, glyph: &Glyph) -> bool {
    glyph.moved
        && (last.x - glyph.x).abs() < 0.3 * glyph.width.min(0.5 * glyph.size)
        && (last.y - glyph.y).abs() < 0.15 * glyph.size
        && last.text == glyph.text
}

impl Fragment {
    fn new(glyph: &Glyph, traced: bool) -> Self {
        let mut fragment = Self {
            text: String::new(),
            left: glyph.x,
            right: glyph.x,
            y: glyph.y,
            size: glyph.size,
            bold: false,
            letters: 0,
            bold_letters: 0,
            places: traced.then(Vec::new),
        };
        fragment.push(glyph, false);
        fragment
    }

    /// Cuts the fragment at a byte of its text and returns the rest of it. Where the rest begins is estimated: letters
    /// are taken as equally wide.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let mut rest = self.clone();
        let (all, kept) = (self.text.chars().count().max(1), self.text[..at].chars().count());
        self.text[at..].trim_start().clone_into(&mut rest.text);
        self.text.truncate(at);
        let width = (self.right - self.left) / all as f64;
        rest.left = self.right - width * rest.text.chars().count() as f64;
        self.right = self.left + width * kept as f64;
        (self.letters, rest.letters) = (kept, all - kept);
        rest
    }

    /// A fragment for tests of what is done with them.
    #[cfg(test)]
    pub(super) fn of(text: &str, left: f64, right: f64, y: f64) -> Self {
        let letters = text.chars().count();
        Self { text: text.into(), left, right, y, size: 10.0, bold: false, letters, bold_letters: 0, places: None }
    }

    /// Whether a letter is on this line, behind its end: small ones may stand higher or lower.
    fn goes_on(&self, glyph: &Glyph) -> bool {
        let (size, lift) = (self.size.max(glyph.size), (self.y - glyph.y).abs());
        let small = self.size.min(glyph.size) < 0.85 * size;
        let gap = glyph.x - self.right;
        // Letters that run to the left may be drawn one by one, each before the last.
        let before = gap < -0.1 * size && glyph.text.chars().next().is_some_and(direction::is_leftward);
        !before && lift <= if small { 0.6 } else { 0.2 } * size && gap > -0.5 * size && gap < SEPARATE * size
    }

    fn push(&mut self, glyph: &Glyph, space: bool) {
        let mut spaced = false;
        if self.letters > 0
            && (space || self.is_apart(glyph) || self.is_mark_before(glyph))
            && !self.text.ends_with(' ')
        {
            self.text.push(' ');
            spaced = true;
        }
        if let Some(places) = &mut self.places {
            LetterPlace::note(places, glyph, spaced);
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
        self.text.push_str(&direction::as_drawn(&glyph.text));
    }

    fn is_apart(&self, glyph: &Glyph) -> bool {
        let wide = |c: Option<char>| c.is_some_and(super::letters::is_wide);
        let both = wide(self.text.chars().next_back()) && wide(glyph.text.chars().next());
        let space = match (both, glyph.moved) {
            (true, _) => WIDE_SPACE,
            (false, true) => MOVED_SPACE,
            (false, false) => SPACE,
        };
        glyph.x - self.right > space * glyph.size.min(self.size)
    }

    /// Whether this is only the raised number of a note, and the letter begins its text.
    fn is_mark_before(&self, glyph: &Glyph) -> bool {
        self.letters <= LONGEST_MARK
            && self.size < 0.85 * glyph.size
            && self.y - glyph.y > 0.15 * glyph.size
            && self.text.chars().all(|c| c.is_ascii_digit() || matches!(c, '*' | '†' | '‡' | '§'))
            && glyph.text.starts_with(char::is_alphabetic)
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
        if let (Some(places), Some(others)) = (&mut self.places, &other.places) {
            let first = places.len();
            places.extend(others);
            places[first..].iter_mut().take(1).for_each(|place| place.begins_word |= !glued);
        }
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

impl LetterPlace {
    /// Notes the letters of a glyph, as [`Fragment::settle`] writes them.
    fn note(places: &mut Vec<Self>, glyph: &Glyph, spaced: bool) {
        let letters = super::letters::folded(&direction::as_drawn(&glyph.text));
        let count = letters.chars().count() as u16;
        let mut begins_word = spaced || places.is_empty();
        for (at, letter) in letters.chars().enumerate().take(usize::from(u16::MAX)) {
            if letter.is_whitespace() {
                begins_word = true;
                continue;
            }
            places.push(Self { letter, glyph: glyph.number, part: (at as u16, count), begins_word });
            begins_word = false;
        }
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
