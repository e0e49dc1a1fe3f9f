//! Numbered items that run on in one line: `1) Peel 2) Slice`, `a. Peel b. Slice`, `• Peel • Slice`.
//!
//! An item ends where its successor begins, stop or no stop. Only the exact successor in the same
//! style counts, so `1. Take version 3.` is left alone.

use super::marks::{self, Mark, char_at, char_before};

/// The marker a sentence starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListMarker {
    style: MarkerStyle,
    number: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkerStyle {
    Bullet(char),
    /// `open` is the `(` of `(1)`; `close` is one of `.`, `)`, `.)`.
    Counted {
        open: bool,
        close: &'static str,
        letter: bool,
    },
}

impl ListMarker {
    fn successor(self) -> Self {
        let step = u32::from(!matches!(self.style, MarkerStyle::Bullet(_)));
        Self { number: self.number + step, ..self }
    }

    /// The marker at `at`, if there is one.
    pub(super) fn at(text: &str, at: usize) -> Option<Self> {
        let first = char_at(text, at)?;
        if marks::mark(first) == Mark::Bullet {
            return Some(Self { style: MarkerStyle::Bullet(first), number: 0 });
        }
        let open = first == '(';
        let (number, letter, rest) = count(&text[at + usize::from(open)..])?;
        let close = [".)", ".", ")"].into_iter().find(|close| rest.starts_with(close))?;
        let spaced = rest[close.len()..].starts_with(char::is_whitespace);
        let style = MarkerStyle::Counted { open, close, letter };
        spaced.then_some(Self { style, number })
    }

    /// The marker that the `.` at `at` is part of, behind a colon of the sentence from `start`.
    pub(super) fn behind_colon(text: &str, start: usize, at: usize) -> Option<Self> {
        let marker = marker_start(text, at);
        let head = text.get(start..marker)?;
        let item =
            Self::at(text, marker).filter(|item| matches!(item.style, MarkerStyle::Counted { letter: false, .. }));
        item.filter(|_| head.trim_end().ends_with([':', '：']))
    }

    /// Where the marker that ends this item starts, if the `.`, `)` or bullet at `at` is part of one.
    pub(super) fn next(self, text: &str, at: usize) -> Option<usize> {
        let start = marker_start(text, at);
        let apart = char_before(text, start).is_some_and(char::is_whitespace);
        (apart && Self::at(text, start) == Some(self.successor())).then_some(start)
    }
}

/// A number of up to three digits (four are a year) or one small letter, and what follows it.
/// Capitals are left out: `A. Smith met B. Jones.`
fn count(text: &str) -> Option<(u32, bool, &str)> {
    let digits = text.bytes().take(4).take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits) {
        return Some((text[..digits].parse().ok()?, false, &text[digits..]));
    }
    let letter = text.bytes().next().filter(u8::is_ascii_lowercase)?;
    Some((u32::from(letter), true, &text[1..]))
}

fn marker_start(text: &str, at: usize) -> usize {
    let head = &text.as_bytes()[..at];
    let body = head.iter().rev().take(3).take_while(|b| b.is_ascii_alphanumeric()).count();
    let start = at - body;
    if head[..start].ends_with(b"(") { start - 1 } else { start }
}
