//! Numbered items that run on in one line: `1) Peel 2) Slice`, `a. Peel b. Slice`, `• Peel • Slice`, `①削皮 ②切片`.
//!
//! An item ends where its successor begins, stop or no stop. Only the exact successor in the same style counts, with
//! white space before it, so `1. Take version 3.` and `（1）和（2）` are left alone.

use super::marks::{self, char_at, char_before};

/// How far the marker after the next is looked for, in bytes: the options of a question are short.
const MAX_OPTION: usize = 120;

/// The longest body of a marker, in bytes: `xviii`, `二十一`.
const MAX_BODY: usize = 9;

/// What may stand behind the number. Longer ones first.
const CLOSERS: [&str; 6] = [".)", ".", ")", "．", "、", "）"];

/// The marker a sentence starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListMarker {
    style: MarkerStyle,
    number: u32,
    /// It follows another item.
    runs: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkerStyle {
    Bullet(char),
    /// `①`
    Circled,
    /// `open` is the bracket of `(1)`; `close` is one of [`CLOSERS`].
    Counted {
        open: Option<char>,
        close: &'static str,
        by: ItemCount,
    },
}

/// What counts the items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemCount {
    Digits,
    /// `a`, `b`
    Small,
    /// `A`, `B`
    Capital,
    /// `ii`, `II`: of two letters and more. `i` is a letter until `ii` follows.
    Roman {
        capital: bool,
    },
    /// `Ⅰ`, `Ⅱ`: one character each.
    RomanSigns,
    /// `一`, `二`
    Han,
}

impl ListMarker {
    /// The marker at `at`, if there is one.
    pub(super) fn at(text: &str, at: usize) -> Option<Self> {
        let first = char_at(text, at)?;
        let open = match first {
            '0'..='9' | 'a'..='z' | 'A'..='Z' | '十' | 'Ⅰ'..='Ⅻ' => None,
            '(' | '（' => Some(first),
            '①'..='⑳' => {
                let number = u32::from(first) - u32::from('①') + 1;
                return Some(Self { style: MarkerStyle::Circled, number, runs: false });
            }
            _ if marks::is_bullet(first) => {
                return Some(Self { style: MarkerStyle::Bullet(first), number: 0, runs: false });
            }
            _ => {
                han_digit(first)?;
                None
            }
        };
        let (number, by, rest) = count(&text[at + open.map_or(0, char::len_utf8)..])?;
        let close = CLOSERS.into_iter().find(|close| rest.starts_with(close))?;
        let behind = rest[close.len()..].chars().next()?;
        let wide = !close.is_ascii() || (!matches!(by, ItemCount::Small) && marks::is_wide_letter(behind));
        let style = MarkerStyle::Counted { open, close, by };
        (wide || behind.is_whitespace()).then_some(Self { style, number, runs: false })
    }

    /// The same marker, which ended another item.
    pub(super) fn running(self) -> Self {
        Self { runs: true, ..self }
    }

    /// The marker that the `.` at `at` is part of, behind a colon of the sentence from `start`.
    pub(super) fn behind_colon(text: &str, start: usize, at: usize) -> Option<Self> {
        let marker = marker_start(text, at);
        let head = text.get(start..marker)?;
        let digits = |item: &Self| matches!(item.style, MarkerStyle::Counted { by: ItemCount::Digits, .. });
        Self::at(text, marker).filter(digits).filter(|_| head.trim_end().ends_with([':', '：']))
    }

    /// Where the marker that ends this item starts, if the mark at `at` – one of [`CLOSERS`], a bullet – is part of
    /// one.
    pub(super) fn next(self, text: &str, at: usize) -> Option<usize> {
        let start = marker_start(text, at);
        let apart = char_before(text, start).is_some_and(char::is_whitespace);
        let found = if apart { Self::at(text, start) } else { None }?;
        let follows = self.is_followed_by(found) || self.holds(found);
        (follows && self.is_certain(text, start, found)).then_some(start)
    }

    fn is_followed_by(self, found: Self) -> bool {
        if self.style == found.style {
            let step = u32::from(!matches!(self.style, MarkerStyle::Bullet(_)));
            return found.number == self.number + step;
        }
        self.as_roman().is_some_and(|roman| roman.style == found.style && found.number == roman.number + 1)
            || found.as_roman().is_some_and(|next| self.style == next.style && next.number == self.number + 1)
    }

    /// `i`, `v` and `x` are letters and numbers.
    fn as_roman(self) -> Option<Self> {
        let MarkerStyle::Counted { open, close, by: by @ (ItemCount::Small | ItemCount::Capital) } = self.style else {
            return None;
        };
        let number = match u8::try_from(self.number).ok()?.to_ascii_lowercase() {
            b'i' => 1,
            b'v' => 5,
            b'x' => 10,
            _ => return None,
        };
        let by = ItemCount::Roman { capital: by == ItemCount::Capital };
        Some(Self { style: MarkerStyle::Counted { open, close, by }, number, ..self })
    }

    /// `一、总则 （一）目的`: the first item of the next level.
    fn holds(self, found: Self) -> bool {
        let level = |marker: Self| match marker.style {
            MarkerStyle::Counted { open, by: ItemCount::Han, .. } => Some(open.is_some()),
            _ => None,
        };
        level(self) == Some(false) && level(found) == Some(true) && found.number == 1
    }

    /// `A. Smith met B. Jones` is no list, nor is `J. K. Berg`. `A. red B. green` is, and where names may be meant a
    /// third one must follow that nothing joins to the second: `A. Paris B. Rome C. Oslo`.
    fn is_certain(self, text: &str, start: usize, found: Self) -> bool {
        let MarkerStyle::Counted { open: None, close: ".", by: ItemCount::Capital } = self.style else { return true };
        let behind = &text[start + 2..];
        if text[..start].trim_end().ends_with('.') {
            return false;
        }
        if self.runs || behind.trim_start().starts_with(|c: char| !c.is_uppercase()) {
            return true;
        }
        if self.number != u32::from(b'A') {
            return false;
        }
        let ahead = &behind[..text.floor_char_boundary(start + 2 + MAX_OPTION).min(text.len()) - start - 2];
        let Some(third) = char::from_u32(found.number + 1) else { return false };
        let third = ahead.match_indices(third).find(|(at, _)| ahead[at + 1..].starts_with(". "));
        third.is_some_and(|(at, _)| !joined(&ahead[..at])) && !joined(&text[..start])
    }
}

/// `B. Jones and`, `B. Jones,`
fn joined(head: &str) -> bool {
    let head = head.trim_end();
    !head.ends_with(char::is_alphanumeric) || [" and", " or", " &", " by"].iter().any(|word| head.ends_with(word))
}

/// The number that `text` starts with, how it is written, and what follows it.
fn count(text: &str) -> Option<(u32, ItemCount, &str)> {
    let first = text.chars().next()?;
    if first.is_ascii_digit() {
        // Four digits are a year.
        let digits = text.bytes().take(4).take_while(u8::is_ascii_digit).count();
        return (digits < 4).then_some((text[..digits].parse().ok()?, ItemCount::Digits, &text[digits..]));
    }
    if first.is_ascii_alphabetic() {
        return letters(text);
    }
    if ('Ⅰ'..='Ⅻ').contains(&first) {
        let number = u32::from(first) - u32::from('Ⅰ') + 1;
        return Some((number, ItemCount::RomanSigns, &text[first.len_utf8()..]));
    }
    han(text)
}

fn letters(text: &str) -> Option<(u32, ItemCount, &str)> {
    let first = text.bytes().next()?;
    let capital = first.is_ascii_uppercase();
    if !text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) {
        let by = if capital { ItemCount::Capital } else { ItemCount::Small };
        return Some((u32::from(first), by, &text[1..]));
    }
    let digits: &[u8] = if capital { b"IVX" } else { b"ivx" };
    let length = text.bytes().take(MAX_BODY).take_while(|b| digits.contains(b)).count();
    let (body, rest) = text.split_at(length);
    (length > 1).then(|| (roman(body), ItemCount::Roman { capital }, rest))
}

/// The value of a Roman number of the letters `i`, `v` and `x`.
fn roman(body: &str) -> u32 {
    let mut total = 0_u32;
    let mut after = 0;
    for b in body.bytes().rev() {
        let value = match b.to_ascii_lowercase() {
            b'i' => 1,
            b'v' => 5,
            _ => 10,
        };
        total = if value < after { total.saturating_sub(value) } else { total + value };
        after = value;
    }
    total
}

/// A Chinese number up to 99.
fn han(text: &str) -> Option<(u32, ItemCount, &str)> {
    let (tens, rest) = leading_han(text);
    let Some(behind) = rest.strip_prefix('十') else { return Some((tens?, ItemCount::Han, rest)) };
    let (ones, rest) = leading_han(behind);
    Some((tens.unwrap_or(1) * 10 + ones.unwrap_or(0), ItemCount::Han, rest))
}

fn leading_han(text: &str) -> (Option<u32>, &str) {
    let digit = text.chars().next().and_then(|c| Some((han_digit(c)?, &text[c.len_utf8()..])));
    digit.map_or((None, text), |(value, rest)| (Some(value), rest))
}

fn han_digit(c: char) -> Option<u32> {
    Some(match c {
        '一' => 1,
        '二' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    })
}

/// Where the marker that the mark at `at` ends would start.
fn marker_start(text: &str, at: usize) -> usize {
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_BODY));
    let is_body = |c: char| c.is_ascii_alphanumeric() || matches!(c, '十' | 'Ⅰ'..='Ⅻ') || han_digit(c).is_some();
    let head = text[from..at].trim_end_matches(is_body);
    let start = from + head.len();
    match head.chars().next_back() {
        Some(open @ ('(' | '（')) => start - open.len_utf8(),
        _ => start,
    }
}
