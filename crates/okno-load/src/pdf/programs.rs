//! What the program of an embedded font knows of its letters: the table from letters to glyphs, read backwards, and
//! the names of glyphs. It is asked where nothing else says what a glyph is.

use std::collections::HashMap;

use skrifa::{FontRef, GlyphId, MetadataProvider};

/// Entries of a table that are looked at: more than Unicode has letters is damage.
const MOST: usize = 400_000;

/// The letter of each glyph that a letter is drawn with; of several, the plainest.
pub(super) fn letters(program: &[u8]) -> HashMap<u32, char> {
    let mut letters: HashMap<u32, char> = HashMap::new();
    let Ok(font) = FontRef::new(program) else { return letters };
    for (letter, glyph) in font.charmap().mappings().take(MOST) {
        let Some(letter) = char::from_u32(letter).filter(|letter| is_letter(*letter)) else { continue };
        if glyph == GlyphId::new(0) {
            continue;
        }
        letters.entry(glyph.to_u32()).and_modify(|known| *known = plainer(*known, letter)).or_insert(letter);
    }
    letters
}

/// Private use and control characters are nobody's letters.
fn is_letter(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
}

/// A glyph may stand for a space and a space that does not break: the first of the two is meant.
fn plainer(one: char, other: char) -> char {
    one.min(other)
}
