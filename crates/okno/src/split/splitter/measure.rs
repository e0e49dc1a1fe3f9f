//! Sizes: how far a number of characters or tokens reaches, forwards and backwards.

use super::cut;
use crate::document::Size;
use crate::split::{count_tokens, cut_at_tokens};

/// No word costs more tokens than this: the built-in counter takes longer ones for unknown.
const DEAREST_WORD: usize = 100;

/// Bytes that are looked at first: longer than any word that has a price.
const FIRST_WINDOW: usize = 512;

/// A tokenizer, as far as sizes need one.
///
/// Sizes are sums over sentences: a tokenizer that joins the end of one sentence with the start of the next may count
/// a piece a few tokens lower or higher than its parts.
pub trait Count {
    /// The tokens of a text.
    fn count(&self, text: &str) -> usize;

    /// The length in bytes of a beginning of `text` that costs at most `budget` tokens and is as long as can be
    /// found; 0 when nothing fits, all of the text when it does. The default asks [`Count::count`] about ever longer
    /// beginnings, then halves.
    fn cut(&self, text: &str, budget: usize) -> usize {
        let fits = |end: usize| self.count(&text[..end]) <= budget;
        let (mut low, mut high) = (0, text.ceil_char_boundary(budget.max(1).min(text.len())));
        while high < text.len() && fits(high) {
            (low, high) = (high, text.ceil_char_boundary((high * 2).min(text.len())));
        }
        if fits(high) {
            return high;
        }
        loop {
            let middle = text.ceil_char_boundary((low + 1).midpoint(high));
            if middle >= high {
                return low;
            }
            if fits(middle) { low = middle } else { high = middle }
        }
    }
}

/// The project's own counter, [`count_tokens`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WordPiece;

impl Count for WordPiece {
    fn count(&self, text: &str) -> usize {
        count_tokens(text)
    }

    /// Special tokens are looked for in all of a text before its first word is counted: ever longer beginnings keep
    /// many cuts of one long text linear.
    fn cut(&self, text: &str, budget: usize) -> usize {
        let mut window = FIRST_WINDOW.saturating_add(budget.saturating_mul(8));
        loop {
            let head = &text[..text.floor_char_boundary(window.min(text.len()))];
            let cut = cut_at_tokens(head, budget);
            if cut < head.len() || head.len() == text.len() {
                return cut;
            }
            window = window.saturating_mul(2);
        }
    }
}

/// A size and what counts it.
#[derive(Clone, Copy)]
pub(super) struct CountedSize<'a> {
    pub size: Size,
    pub count: &'a dyn Count,
}

impl<'a> CountedSize<'a> {
    pub(super) fn new(size: Size, count: &'a dyn Count) -> Self {
        Self { size, count }
    }

    /// The same unit, another number.
    pub(super) fn with(self, number: usize) -> Self {
        let number = number as u32;
        let size = match self.size {
            Size::Characters(_) => Size::Characters(number),
            Size::Tokens(_) => Size::Tokens(number),
        };
        Self { size, ..self }
    }

    pub(super) fn number(self) -> usize {
        self.size.number() as usize
    }

    /// Whether all of `text` is within the size.
    pub(super) fn holds(self, text: &str) -> bool {
        match self.size {
            // A character is at least a byte: most texts need no counting.
            Size::Characters(most) => text.len() <= most as usize || reach(text, 0, most as usize) == text.len(),
            Size::Tokens(most) => self.count.cut(text, most as usize) == text.len(),
        }
    }

    /// Where a piece that starts at `start` ends at the latest. Behind `start`: a word that costs more than the size
    /// alone is taken whole.
    pub(super) fn reach(self, text: &str, start: usize) -> usize {
        match self.size {
            Size::Characters(most) => reach(text, start, most as usize),
            Size::Tokens(most) => {
                let cut = |budget| Some(self.count.cut(&text[start..], budget)).filter(|&length| length > 0);
                let most = most as usize;
                let length = (most..=most.saturating_add(DEAREST_WORD)).find_map(cut);
                length.map_or_else(|| cut::grapheme(text, start, start), |length| start + length)
            }
        }
    }

    /// Where a piece that ends at `end` and costs at most the size starts at the earliest, not before `start`.
    pub(super) fn retreat(self, text: &str, start: usize, end: usize) -> usize {
        match self.size {
            Size::Characters(most) => retreat(text, end, most as usize).max(start),
            Size::Tokens(most) => self.retreat_tokens(text, start, end, most as usize),
        }
    }

    /// Tokens are counted forwards: double a tail until it is too long, then halve.
    fn retreat_tokens(self, text: &str, start: usize, end: usize, most: usize) -> usize {
        let fits = |from: usize| self.count.count(&text[from..end]) <= most;
        let (mut tail, mut high) = (most.max(1), end);
        let mut low = loop {
            let from = text.floor_char_boundary(end.saturating_sub(tail).max(start));
            if !fits(from) {
                break from;
            }
            if from <= start {
                return start;
            }
            (high, tail) = (from, tail * 2);
        };
        loop {
            let middle = text.ceil_char_boundary((low + 1).midpoint(high));
            if middle >= high {
                return high;
            }
            if fits(middle) { high = middle } else { low = middle }
        }
    }
}

/// The byte `number` characters behind `start`, or the end of the text.
pub(super) fn reach(text: &str, start: usize, number: usize) -> usize {
    let rest = &text[start..];
    if number == 0 || rest.len() <= number {
        return if number == 0 { start } else { text.len() };
    }
    let mut characters = rest.chars();
    characters.nth(number - 1);
    text.len() - characters.as_str().len()
}

/// The byte `number` characters before `end`, or 0.
pub(super) fn retreat(text: &str, end: usize, number: usize) -> usize {
    let mut characters = text[..end].chars();
    match number {
        0 => end,
        _ => characters.nth_back(number - 1).map_or(0, |_| characters.as_str().len()),
    }
}
