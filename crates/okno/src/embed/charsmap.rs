//! The normaliser: text comes in, text comes out in which spellings that mean the same look the same. Which ones is
//! the model's choice, a table of rules (`charsmap`): compatibility forms, capitals, Latin accents, Traditional
//! characters.
//!
//! The rules are applied as the tokenizer library does that the model was trained with, oddities included: a grapheme
//! cluster of fewer than six bytes is looked up first as a whole, and if a rule fits its *beginning*, the rest of it
//! is gone (`E` + combining acute gives `e`); every other cluster is mapped character by character (`e` + combining
//! acute keeps the accent, having no rule for `e`). Clusters are searched only where one can have two characters:
//! between two characters that never join, which is nearly all text in Chinese and English, a glance at the next
//! character replaces the search. ASCII, and Chinese characters without a rule, are taken in strokes.

use unicode_segmentation::UnicodeSegmentation;

use crate::packed::{CharEntry, CharKind, CharTable};

/// Clusters of this many bytes and more are mapped by the character; the limit is the library's.
const LONG: usize = 6;

/// The bytes of a Chinese character.
const HAN: usize = 3;

#[derive(Clone, Copy)]
pub(super) struct Charsmap<'a> {
    table: CharTable<'a>,
    lowers_ascii: bool,
}

impl<'a> Charsmap<'a> {
    /// `lowers_ascii` is what [`lowers_ascii`] says about the table; it is asked once, when the model is opened.
    pub fn new(table: CharTable<'a>, lowers_ascii: bool) -> Self {
        Self { table, lowers_ascii }
    }

    /// Appends the normal form of `text` to `out`. Takes time linear in the text.
    pub fn normalize(self, text: &str, out: &mut String) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let stroke = if !c.is_ascii() {
                self.push_han(rest, out)
            } else if self.lowers_ascii {
                push_ascii(rest, out)
            } else {
                0
            };
            if stroke > 0 {
                rest = &rest[stroke..];
                continue;
            }
            let after = &rest[c.len_utf8()..];
            if stands_alone(c) && after.chars().next().is_none_or(stands_alone) {
                self.push_character(c, out);
                rest = after;
            } else {
                let cluster = rest.graphemes(true).next().unwrap_or(rest);
                self.push_cluster(cluster, out);
                rest = &rest[cluster.len()..];
            }
        }
    }

    /// Appends the normal form of every character of `text` by itself, as if none joined another.
    pub fn normalize_characters(self, text: &str, out: &mut String) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let ascii = if self.lowers_ascii { lowered_ascii(rest) } else { 0 };
            if ascii > 0 {
                push_lowered(&rest[..ascii], out);
                rest = &rest[ascii..];
                continue;
            }
            let (character, after) = rest.split_at(c.len_utf8());
            if stands_alone(c) {
                self.push_character(c, out);
            } else {
                self.push_cluster(character, out);
            }
            rest = after;
        }
    }

    /// Copies the Chinese characters that `rest` begins with and that stay as they are, and says how many bytes these
    /// were: not a character that the next one may join.
    fn push_han(self, rest: &str, out: &mut String) -> usize {
        let length = self.unchanged_han(rest.as_bytes());
        let joined = rest[length..].chars().next().is_some_and(|next| !stands_alone(next));
        let taken = length.saturating_sub(if joined { HAN } else { 0 });
        out.push_str(&rest[..taken]);
        taken
    }

    /// How many bytes a text begins with that are characters from U+4000 to U+9FFF, which stand alone, and which no
    /// rule changes.
    #[inline]
    fn unchanged_han(self, text: &[u8]) -> usize {
        let mut rest = text;
        while let [first @ 0xE4..=0xE9, second, third, after @ ..] = rest {
            let [first, second, third] = [first, second, third].map(|byte| u32::from(byte & 0x3F));
            let code = (first & 0xF) << 12 | second << 6 | third;
            if self.table.entry_of(code).kind() != CharKind::Keep {
                break;
            }
            rest = after;
        }
        text.len() - rest.len()
    }

    #[inline]
    fn push_character(self, c: char, out: &mut String) {
        let entry = self.table.entry(c);
        match entry.kind() {
            CharKind::Char => out.extend(entry.character()),
            CharKind::Sequence => self.push_sequence(entry, out),
            _ => out.push(c),
        }
    }

    fn push_sequence(self, entry: CharEntry, out: &mut String) {
        out.extend(self.table.sequence(entry).filter_map(char::from_u32));
    }

    fn push_cluster(self, cluster: &str, out: &mut String) {
        if cluster.len() < LONG && self.push_whole(cluster, out) {
            return;
        }
        cluster.chars().for_each(|c| self.push_character(c, out));
    }

    /// Replaces the whole cluster by the rule for its beginning, if there is one.
    fn push_whole(self, cluster: &str, out: &mut String) -> bool {
        let Some(first) = cluster.chars().next() else { return true };
        let entry = self.table.entry(first);
        match entry.kind() {
            CharKind::Char | CharKind::Sequence => self.push_character(first, out),
            CharKind::Starts => return self.push_longer_rule(entry, cluster, out),
            _ => return false,
        }
        true
    }

    /// Tries the rules of several characters that begin with this one; in the pool each is (length, key..., length,
    /// replacement...).
    fn push_longer_rule(self, entry: CharEntry, cluster: &str, out: &mut String) -> bool {
        let mut at = entry.payload() as usize;
        for _ in 0..entry.length() {
            let Some(key) = self.table.pool(at, 1).next().map(|n| n as usize) else { return false };
            let value = self.table.pool(at + 1 + key, 1).next().unwrap_or(0) as usize;
            if begins_with(cluster, self.table.pool(at + 1, key)) {
                out.extend(self.table.pool(at + 2 + key, value).filter_map(char::from_u32));
                return true;
            }
            at += 2 + key + value;
        }
        false
    }
}

/// Whether all that the rules do to ASCII is to lower the letters. It is so in practice, and then English text is
/// copied and lowered in one stroke, five times faster than by the character.
pub(super) fn lowers_ascii(table: CharTable) -> bool {
    ('\0'..'\u{80}').all(|c| {
        let entry = table.entry(c);
        match entry.kind() {
            CharKind::Keep => !c.is_ascii_uppercase(),
            CharKind::Char => entry.character() == Some(c.to_ascii_lowercase()),
            _ => false,
        }
    })
}

/// Lowers the ASCII that `rest` begins with and says how much it took: not a carriage return, nor a character that
/// the next one may join.
fn push_ascii(rest: &str, out: &mut String) -> usize {
    let length = lowered_ascii(rest);
    let joined = rest[length..].chars().next().is_some_and(|next| !stands_alone(next) && next != '\r');
    let taken = length.saturating_sub(usize::from(joined));
    push_lowered(&rest[..taken], out);
    taken
}

/// How many bytes of ASCII `rest` begins with, up to a carriage return.
fn lowered_ascii(rest: &str) -> usize {
    rest.bytes().position(|byte| !byte.is_ascii() || byte == b'\r').unwrap_or(rest.len())
}

fn push_lowered(ascii: &str, out: &mut String) {
    let start = out.len();
    out.push_str(ascii);
    out[start..].make_ascii_lowercase();
}

fn begins_with(cluster: &str, key: impl Iterator<Item = u32>) -> bool {
    let mut characters = cluster.chars();
    key.into_iter().all(|code| characters.next().is_some_and(|c| c as u32 == code))
}

/// Whether a character never forms a cluster with another one of this kind: ASCII (but for the carriage return, which
/// joins a line feed), Latin, common punctuation and symbols, kana without its combining marks, Han, full-width
/// forms. The list is safe, not complete: what it leaves out is segmented properly.
#[inline]
fn stands_alone(c: char) -> bool {
    if c.is_ascii() {
        return c != '\r';
    }
    matches!(c as u32,
        0x00A0..=0x02FF | 0x2010..=0x2027 | 0x2030..=0x205E | 0x2070..=0x20CF | 0x2100..=0x2BFF
        | 0x3000..=0x3029 | 0x3030..=0x3098 | 0x309B..=0x312F | 0x3190..=0xA48C | 0xF900..=0xFAFF
        | 0xFF01..=0xFF9D | 0x20000..=0x323AF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::StaticModel;
    use proptest::prelude::*;

    #[test]
    fn characters_that_stand_alone_do() {
        let alone: Vec<char> = ('\0'..=char::MAX).filter(|c| stands_alone(*c)).collect();
        for pair in alone.windows(2) {
            let text = String::from_iter(pair);
            assert_eq!(text.graphemes(true).count(), 2, "{text:?}");
        }
        for c in alone {
            assert_eq!(format!("a{c}").graphemes(true).count(), 2, "{c:?} joins what is before");
            assert_eq!(format!("{c}a").graphemes(true).count(), 2, "{c:?} joins what is after");
        }
    }

    /// As [`Charsmap::normalize`] says it, without strokes.
    fn by_clusters(map: Charsmap, text: &str) -> String {
        let mut out = String::new();
        text.graphemes(true).for_each(|cluster| match cluster.chars().next() {
            Some(c) if cluster.len() == c.len_utf8() && stands_alone(c) => map.push_character(c, &mut out),
            _ => map.push_cluster(cluster, &mut out),
        });
        out
    }

    proptest! {
        #[test]
        fn strokes_change_nothing(text in "(\\PC|[a-zA-Z中国國㐀あ。，é\u{301}\u{FE00}\u{20DD}\r\n ]){0,40}") {
            let mut found = String::new();
            StaticModel::builtin().normalize(&text, &mut found);
            prop_assert_eq!(found, by_clusters(StaticModel::builtin().charsmap(), &text));
        }
    }

    /// Rules of several characters are rare in practice, so a table is made by hand: `a` + acute gives `á`, `b` gives
    /// nothing, `c` two.
    #[test]
    fn rules_of_several_characters() {
        let entry = |kind: u32, length: u32, payload: u32| kind << 29 | length << 21 | payload;
        let mut entries = [[0; 4]; 64];
        entries[usize::from(b'a' - 64)] = entry(3, 1, 2).to_le_bytes();
        entries[usize::from(b'b' - 64)] = entry(2, 0, 0).to_le_bytes();
        entries[usize::from(b'c' - 64)] = entry(2, 2, 0).to_le_bytes();
        let blank_then_letters = [[0; 4]; 64].into_iter().chain(entries).collect::<Vec<_>>();
        let pool: Vec<_> =
            ['x' as u32, 'y' as u32, 2, 'a' as u32, 0x301, 1, 'á' as u32].iter().map(|n| n.to_le_bytes()).collect();
        let map = Charsmap::new(CharTable::new(&[0, 0, 1, 0], &blank_then_letters, &pool), false);
        let mut out = String::new();
        map.normalize("ab a\u{301}!c\u{301}a\u{302} a\u{301}\u{302}\u{302}", &mut out);
        assert_eq!(out, "a á!xya\u{302} a\u{301}\u{302}\u{302}");
    }
}
