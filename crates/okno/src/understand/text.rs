//! A question as a reader scans it: folded characters that know where they come from.

use crate::text::terms;
use std::ops::Range;

/// A question, folded: lower case, narrow, Simplified, so that one spelling of a word is enough.
pub struct FoldedQuestion {
    chars: Vec<char>,
    /// For each folded character the original one it comes from; one more at the end.
    origin: Vec<usize>,
    original: Vec<char>,
}

/// A run of folded characters.
pub type FoldedRange = Range<usize>;

impl FoldedQuestion {
    /// Folds a question.
    pub fn new(question: &str) -> Self {
        let original: Vec<char> = question.chars().collect();
        let (mut chars, mut origin, mut folded) = (Vec::new(), Vec::new(), String::new());
        for (i, &c) in original.iter().enumerate() {
            folded.clear();
            terms::fold(c, &mut folded);
            chars.extend(folded.chars());
            origin.resize(chars.len(), i);
        }
        origin.push(original.len());
        Self { chars, origin, original }
    }

    /// How many folded characters.
    pub fn len(&self) -> usize {
        self.chars.len()
    }

    /// A character; nothing beyond the ends.
    pub fn at(&self, i: usize) -> Option<char> {
        self.chars.get(i).copied()
    }

    /// The folded characters of a place.
    pub fn folded(&self, place: FoldedRange) -> String {
        self.chars[place].iter().collect()
    }

    /// The same place in code points of the question as it was asked.
    pub fn original_place(&self, place: &FoldedRange) -> Range<usize> {
        self.origin[place.start]..self.origin[place.end]
    }

    /// The words of a place as they were asked.
    pub fn original(&self, place: &FoldedRange) -> String {
        self.original[self.original_place(place)].iter().collect()
    }

    /// The question without these places: what is left of words keeps its spaces, but none are doubled.
    pub fn without(&self, places: &[FoldedRange]) -> String {
        let gone = |i: usize| places.iter().any(|place| self.original_place(place).contains(&i));
        let kept: String =
            self.original.iter().enumerate().map(|(i, &c)| if gone(i) { '\0' } else { c }).collect::<String>();
        // Where words were, Latin letters on both sides must not grow together.
        let mut out = String::new();
        for part in kept.split('\0').filter(|part| !part.is_empty()) {
            let joins = out.ends_with(|c: char| c.is_ascii_alphanumeric())
                && part.starts_with(|c: char| c.is_ascii_alphanumeric());
            out.push_str(if joins { " " } else { "" });
            out.push_str(if out.ends_with(' ') || out.is_empty() { part.trim_start() } else { part });
        }
        out.trim().to_owned()
    }

    /// Where a word that begins here ends. Latin words and numbers must be whole; a space in a word is any run of
    /// spaces.
    pub fn word_end(&self, at: usize, word: &str) -> Option<usize> {
        let mut end = at;
        for expected in word.chars() {
            if expected == ' ' {
                let spaces = self.chars.get(end..)?.iter().take_while(|&&c| c == ' ').count();
                end += (spaces > 0).then_some(spaces)?;
            } else {
                end += (self.at(end)? == expected).then_some(1)?;
            }
        }
        (self.is_edge(at) && self.is_edge(end)).then_some(end)
    }

    /// The longest of these words that begins here.
    pub fn one_of(&self, at: usize, words: &[&str]) -> Option<usize> {
        words.iter().filter_map(|word| self.word_end(at, word)).max()
    }

    /// Where the longest of these words begins that ends here, spaces between left aside.
    pub fn one_before(&self, end: usize, words: &[&str]) -> Option<usize> {
        let end = self.before_spaces(end);
        let begins = |word: &&str| {
            let start = end.checked_sub(word.chars().count())?;
            (self.word_end(start, word)? == end).then_some(start)
        };
        words.iter().filter_map(begins).min()
    }

    /// The first character that is no space.
    pub fn after_spaces(&self, mut at: usize) -> usize {
        while self.at(at).is_some_and(char::is_whitespace) {
            at += 1;
        }
        at
    }

    /// The end of what is before spaces.
    pub fn before_spaces(&self, mut at: usize) -> usize {
        while at > 0 && self.chars[at - 1].is_whitespace() {
            at -= 1;
        }
        at
    }

    /// Whether a word may begin or end here: not between two Latin letters or digits.
    pub fn is_edge(&self, at: usize) -> bool {
        let joined = |i: usize| self.at(i).is_some_and(|c| c.is_alphanumeric() && !is_dense(c));
        at == 0 || !(joined(at - 1) && joined(at))
    }

    /// The run of ASCII digits that begins here.
    pub fn digits(&self, at: usize) -> &[char] {
        let rest = self.chars.get(at..).unwrap_or_default();
        &rest[..rest.iter().take_while(|c| c.is_ascii_digit()).count()]
    }
}

/// Whether a character belongs to a script without spaces between words.
pub fn is_dense(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_point_into_the_question_as_it_was_asked() {
        let text = FoldedQuestion::new("請總結２０２３年 Q2 財報");
        let place = (0..text.len()).find_map(|i| text.word_end(i, "2023年").map(|end| i..end)).unwrap();
        assert_eq!(text.original(&place), "２０２３年");
        assert_eq!(text.original_place(&place), 3..8);
        assert!((0..text.len()).any(|i| text.word_end(i, "财报").is_some()), "Traditional is read as Simplified");
    }

    #[test]
    fn words_are_whole() {
        let text = FoldedQuestion::new("under thunder, last  year");
        assert_eq!(text.word_end(0, "under"), Some(5));
        assert_eq!(text.word_end(8, "under"), None);
        assert_eq!(text.one_of(15, &["last", "last year"]), Some(25));
        assert_eq!(text.one_before(25, &["year", "last year"]), Some(21));
    }

    #[test]
    fn what_is_left_keeps_its_words_apart() {
        let without =
            |question: &str, gone: FoldedRange| FoldedQuestion::new(question).without(std::slice::from_ref(&gone));
        assert_eq!(without("notes from 2023 about tea", 5..16), "notes about tea");
        assert_eq!(without("notes from 2023 about tea", 0..6), "from 2023 about tea");
        assert_eq!(without("2023年的茶", 0..6), "茶");
        assert_eq!(FoldedQuestion::new("").without(&[]), "");
    }
}
