//! Lines of Hebrew, Arabic and other letters that run to the left: letters as they stand on the page, from left to
//! right, come in; out goes the text as it is read and typed.
//!
//! This is the reverse of what a printer does with the bidirectional algorithm, simplified to what a line on paper
//! still shows: words of letters that run to the left are turned around, numbers and Latin words keep their order, and
//! what stands between two of a kind belongs to them. A line with more letters that run to the left is read from its
//! right end.

use std::borrow::Cow;

/// Brackets and their mirror images.
const MIRRORED: [(char, char); 10] = [
    ('(', ')'),
    (')', '('),
    ('[', ']'),
    (']', '['),
    ('{', '}'),
    ('}', '{'),
    ('«', '»'),
    ('»', '«'),
    ('<', '>'),
    ('>', '<'),
];

/// Whether a letter runs to the left.
pub(super) fn is_leftward(c: char) -> bool {
    let hebrew_to_arabic = matches!(c, '\u{590}'..='\u{8ff}');
    let forms = matches!(c, '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    let rare = matches!(c, '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}');
    (hebrew_to_arabic || forms || rare) && !is_number(c)
}

/// Digits keep their order whoever writes them.
fn is_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '\u{660}'..='\u{669}' | '\u{66b}' | '\u{66c}' | '\u{6f0}'..='\u{6f9}')
}

/// Whether any letter of a text runs to the left. Most texts have none, and their bytes say so.
pub(super) fn has_leftward(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, 0xd6..=0xdf | 0xe0 | 0xef | 0xf0)) && text.chars().any(is_leftward)
}

/// Whether most letters of a text run to the left.
pub(super) fn is_mostly_leftward(text: &str) -> bool {
    if !has_leftward(text) {
        return false;
    }
    let leftward = text.chars().filter(|c| is_leftward(*c)).count();
    leftward * 2 > text.chars().filter(|c| c.is_alphabetic()).count()
}

/// The letters of one glyph as they stand on the page: a glyph of several letters names them in reading order.
pub(super) fn as_drawn(letters: &str) -> Cow<'_, str> {
    if letters.len() > 2 && has_leftward(letters) {
        Cow::Owned(letters.chars().rev().collect())
    } else {
        Cow::Borrowed(letters)
    }
}

/// A line as it is read, from the letters as they stand on the page.
pub(super) fn reading_order(drawn: String) -> String {
    if !has_leftward(&drawn) {
        return drawn;
    }
    let leftward = is_mostly_leftward(&drawn);
    let letters: Vec<char> = drawn.chars().collect();
    let mut out = String::with_capacity(drawn.len());
    let runs = runs(&letters, leftward);
    let push = |out: &mut String, (from, to, left): (usize, usize, bool)| {
        if left {
            out.extend(letters[from..to].iter().rev().map(|c| mirrored(*c)));
        } else {
            out.extend(&letters[from..to]);
        }
    };
    if leftward {
        for run in runs.into_iter().rev() {
            push(&mut out, run);
        }
    } else {
        for run in runs {
            push(&mut out, run);
        }
    }
    out
}

/// The runs of one direction: where each begins and ends, and whether it runs to the left. Signs and spaces go with
/// the letters on both sides of them if these agree, else with the line.
fn runs(letters: &[char], line: bool) -> Vec<(usize, usize, bool)> {
    let kind = |c: char| match c {
        c if is_leftward(c) => Some(true),
        c if is_number(c) || c.is_alphabetic() => Some(false),
        _ => None,
    };
    let mut directions: Vec<Option<bool>> = letters.iter().map(|c| kind(*c)).collect();
    let mut at = 0;
    while at < letters.len() {
        if directions[at].is_some() {
            at += 1;
            continue;
        }
        let end = (at..letters.len()).find(|next| directions[*next].is_some()).unwrap_or(letters.len());
        let (before, after) = (at.checked_sub(1).and_then(|before| directions[before]), directions.get(end).copied());
        let between = if before.is_some() && before == after.flatten() { before } else { Some(line) };
        // Two numbers are parts of one only if nothing but a sign is between them.
        let numbers = |near: Option<usize>| near.and_then(|near| letters.get(near)).is_some_and(|c| is_number(*c));
        let apart = between == Some(false)
            && line
            && (numbers(at.checked_sub(1)) || numbers(Some(end)))
            && letters[at..end].contains(&' ');
        directions[at..end].fill(if apart { Some(line) } else { between });
        at = end;
    }
    let mut runs: Vec<(usize, usize, bool)> = Vec::new();
    for (at, direction) in directions.into_iter().enumerate() {
        let direction = direction.unwrap_or(line);
        match runs.last_mut() {
            Some((_, end, own)) if *own == direction => *end += 1,
            _ => runs.push((at, at + 1, direction)),
        }
    }
    runs
}

fn mirrored(c: char) -> char {
    MIRRORED.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(line: &str) -> String {
        reading_order(line.to_owned())
    }

    #[test]
    fn words_are_turned_around_and_numbers_are_not() {
        assert_eq!(drawn("01001 : הקלחמ"), "מחלקה : 01001");
        assert_eq!(drawn("(2024) הנש"), "שנה (2024)");
        assert_eq!(drawn("PDF תמכות"), "תוכמת PDF");
        assert_eq!(drawn("the word םולש means peace"), "the word שלום means peace");
        assert_eq!(drawn("plain (text) 12"), "plain (text) 12");
        assert_eq!(drawn(""), "");
    }

    #[test]
    fn several_letters_of_one_glyph_are_in_reading_order() {
        assert_eq!(as_drawn("لا"), "ال");
        assert_eq!(as_drawn("ffi"), "ffi");
        let line: String = ["م", "لا", "س"].iter().map(|glyph| as_drawn(glyph)).collect();
        assert_eq!(drawn(&line), "سلام");
    }
}
