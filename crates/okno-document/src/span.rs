//! Byte ranges inside; code points outside.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A byte range `[start, end)` of one document's text, on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of these bytes. Documents are smaller than 4 GiB: the loader refuses larger ones.
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "a span ends where it starts or later: {start}..{end}");
        Self { start: start as u32, end: end as u32 }
    }

    /// The same bytes as a range.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text it stands for.
    ///
    /// # Panics
    /// When the span is not one of `text`'s own.
    pub fn of(self, text: &str) -> &str {
        &text[self.range()]
    }

    /// Bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it holds nothing.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Turns byte offsets of one text into code points and line numbers, in one forward walk.
///
/// Every surface that leaves the process counts code points; inside, everything is bytes. Ask in
/// ascending order where you can: the walk goes on from the last answer and starts over otherwise.
#[derive(Debug, Clone)]
pub struct CodePoints<'a> {
    text: &'a str,
    byte: usize,
    points: usize,
    line: usize,
}

impl<'a> CodePoints<'a> {
    /// A walk over this text.
    pub fn new(text: &'a str) -> Self {
        Self { text, byte: 0, points: 0, line: 1 }
    }

    /// The code points before this byte, and the line (from 1) it is on.
    pub fn at(&mut self, byte: u32) -> (usize, usize) {
        let byte = byte as usize;
        if byte < self.byte {
            *self = Self::new(self.text);
        }
        let passed = &self.text.as_bytes()[self.byte..byte];
        self.points += count(passed, |byte| !is_continuation(byte));
        self.line += count(passed, |byte| byte == b'\n');
        self.byte = byte;
        (self.points, self.line)
    }
}

/// Counts bytes in blocks small enough for a sum of bytes, which the compiler turns into vector instructions.
fn count(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    let in_block = |block: &[u8]| usize::from(block.iter().map(|&byte| u8::from(wanted(byte))).sum::<u8>());
    bytes.chunks(usize::from(u8::MAX)).map(in_block).sum()
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn code_points_are_those_of_the_prefix(
            text in "(?s).{0,60}",
            picks in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
        ) {
            let bounds: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
            let mut walk = CodePoints::new(&text);
            for pick in picks {
                let byte = bounds[pick.index(bounds.len())];
                let (points, line) = walk.at(byte as u32);
                prop_assert_eq!(points, text[..byte].chars().count());
                prop_assert_eq!(line, text[..byte].matches('\n').count() + 1);
            }
        }
    }

    #[test]
    fn cover_holds_both() {
        assert_eq!(Span::new(3, 5).cover(Span::new(9, 12)), Span::new(3, 12));
    }
}
