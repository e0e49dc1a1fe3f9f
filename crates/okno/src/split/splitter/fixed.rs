//! So many characters, so many words: sizes that look at nothing else.

use super::cut;
use super::measure::{reach, retreat};
use crate::document::{Span, chunks};

/// `size` characters each, cut on grapheme boundaries, the last `overlap` of them again in the next piece.
pub(super) fn characters(text: &str, size: usize, overlap: usize) -> Vec<Span> {
    let end = |start, _| cut::grapheme(text, start, reach(text, start, size));
    let back = |start: usize, end| {
        let from = retreat(text, end, overlap);
        if from <= start { end } else { forward(text, from, end) }
    };
    cut::pieces(text, end, back)
}

/// The first grapheme boundary at or behind `from`, at most `end`.
fn forward(text: &str, from: usize, end: usize) -> usize {
    let back = cut::grapheme(text, 0, from);
    if back == from { from } else { cut::grapheme(text, back, back).min(end) }
}

/// `size` words each, the last `overlap` of them again in the next piece.
pub(super) fn words(text: &str, size: usize, overlap: usize) -> Vec<Span> {
    let words = each_word(text);
    let cover = |run: std::ops::Range<usize>| words[run.start].cover(words[run.end - 1]);
    chunks(&vec![1; words.len()], size, overlap).into_iter().map(cover).collect()
}

/// Words with the punctuation around them. White space ends a word; a letter of a script without spaces is one.
fn each_word(text: &str) -> Vec<Span> {
    let mut words: Vec<Span> = Vec::new();
    let mut open: Option<usize> = None;
    let mut done = false;
    for (at, c) in text.char_indices() {
        let wide = is_word_of_its_own(c);
        let ends = c.is_whitespace() || ((wide || c.is_alphanumeric()) && done) || (wide && has_letter(text, open, at));
        if let Some(start) = open.filter(|_| ends) {
            words.push(Span::new(start, at));
            (open, done) = (None, false);
        }
        if !c.is_whitespace() {
            open = open.or(Some(at));
            done |= wide;
        }
    }
    words.extend(open.map(|start| Span::new(start, text.len())));
    words
}

/// Whether the word open at `at` has come to its letters: `（` before `中` has not. An opening mark stays with what it
/// opens.
fn has_letter(text: &str, open: Option<usize>, at: usize) -> bool {
    let Some(start) = open else { return false };
    // Marks come in ones and twos; what is longer is a word.
    at - start > 12 || text[start..at].contains(char::is_alphanumeric)
}

/// Letters of scripts written without spaces; Hangul has them.
fn is_word_of_its_own(c: char) -> bool {
    c >= '\u{2E80}' && c.is_alphabetic() && !('\u{AC00}'..='\u{D7AF}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        each_word(text).into_iter().map(|span| span.of(text)).collect()
    }

    #[test]
    fn words_of_two_languages() {
        assert_eq!(split("Use (the) API，它很快。 OK"), ["Use", "(the)", "API，", "它", "很", "快。", "OK"]);
        assert_eq!(split("“你好”ok"), ["“你", "好”", "ok"]);
        assert_eq!(split(" \n"), Vec::<&str>::new());
    }

    #[test]
    fn characters_are_counted_and_graphemes_kept() {
        let text = "ab👨‍👩‍👧cd";
        let cut = |size, overlap| characters(text, size, overlap).into_iter().map(|s| s.of(text)).collect::<Vec<_>>();
        assert_eq!(cut(3, 0), ["ab", "👨‍👩‍👧", "cd"]);
        assert_eq!(cut(1, 0), ["a", "b", "👨‍👩‍👧", "c", "d"]);
        assert_eq!(cut(100, 50), [text]);
        let text = "abcdefghij";
        let cut = |size, overlap| characters(text, size, overlap).into_iter().map(|s| s.of(text)).collect::<Vec<_>>();
        assert_eq!(cut(4, 2), ["abcd", "cdef", "efgh", "ghij"]);
    }
}
