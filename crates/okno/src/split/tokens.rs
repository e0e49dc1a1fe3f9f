//! How much text costs a language model: budgets and chunk sizes are counted in tokens of one named tokenizer, BERT's
//! uncased `WordPiece`, the same for every embedder. Text comes in, a number goes out, exactly the number of ids that
//! the Python library `tokenizers` gives without special tokens.
//!
//! The steps (clean, set Han apart, decompose, drop accents, lower, split at spaces and punctuation) look at one
//! character at a time, so one table says what each becomes; it was made by asking that library
//! (`models/pack_wordpiece.py`). Words are then cut greedily into the longest known pieces. A word of its own, a Han
//! character or a punctuation mark, is one token whether it is known or not.

mod seen;

pub use seen::first_tokens;

use std::ops::ControlFlow;
use std::sync::LazyLock;

use crate::packed::{CharKind, CharTable, PackedError, PackedFile, Specials, TextOrSpecial, Trie, u32_at};

const KIND: &str = "oknowdpc";
const VERSION: u32 = 1;
const SECTIONS: usize = 6;
/// Longer words are one unknown token; BERT's own limit, which the packed file repeats.
const LONGEST_WORD: usize = 100;
/// In `Counter::ascii`: a character that is dropped, one that ends a word, one that is a word; any other is what is
/// appended.
const DROP: u8 = 0;
const BREAK: u8 = 1;
const ALONE: u8 = 2;

static COUNTER: LazyLock<Counter> = LazyLock::new(|| {
    let bytes: &'static [u8] = include_bytes!("../../assets/wordpiece.bin");
    // The file is part of the program and a test opens it: it can fail here only where that test fails.
    Counter::from_bytes(bytes).expect("the built-in token counter is well formed")
});

/// The number of tokens of `text`.
#[must_use]
pub fn count_tokens(text: &str) -> usize {
    let mut count = 0;
    let _: ControlFlow<()> = COUNTER.for_each_word(text, &mut |_, tokens| {
        count += tokens;
        ControlFlow::Continue(())
    });
    count
}

/// The length in bytes of the longest beginning of `text` that consists of whole words and costs at most `budget`
/// tokens: all of it where it fits, otherwise the end of a word. Nothing if even the first word is too long.
#[must_use]
pub fn cut_at_tokens(text: &str, budget: usize) -> usize {
    let (mut left, mut cut) = (budget, 0);
    let fits = COUNTER.for_each_word(text, &mut |end, tokens| {
        if tokens > left {
            return ControlFlow::Break(());
        }
        (left, cut) = (left - tokens, end);
        ControlFlow::Continue(())
    });
    if fits.is_continue() { text.len() } else { COUNTER.after_silent(text, cut) }
}

/// Called with the end of each word and its number of tokens.
type EachWord<'f> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'f;

struct Counter {
    file: PackedFile<SECTIONS>,
    specials: Specials,
    /// Where the trie goes on inside a word, after `##`.
    inside: u32,
    /// What each ASCII character becomes, taken from the table.
    ascii: [u8; 128],
}

impl Counter {
    fn from_bytes(bytes: &'static [u8]) -> Result<Self, PackedError> {
        let file = PackedFile::open(bytes, KIND, VERSION)?;
        file.expect_size(0, "section `facts`", 8)?;
        let (inside, specials) = (u32_at(file.section(0), 0), Specials::read(file.section(5)));
        let mut counter = Self { file, specials, inside, ascii: [DROP; 128] };
        for code in 0..128 {
            counter.ascii[usize::from(code)] = counter.ascii_action(code);
        }
        Ok(counter)
    }

    fn ascii_action(&self, code: u8) -> u8 {
        let entry = self.table().entry(char::from(code));
        match entry.kind() {
            CharKind::Keep => code,
            CharKind::Char => entry.payload() as u8,
            CharKind::Break => BREAK,
            CharKind::Alone => ALONE,
            CharKind::Sequence | CharKind::Starts => DROP,
        }
    }

    fn table(&self) -> CharTable<'_> {
        CharTable::new(self.file.section(2), self.file.words(3), self.file.words(4))
    }

    fn for_each_word(&self, text: &str, each: &mut EachWord) -> ControlFlow<()> {
        let mut offset = 0;
        for part in self.specials.split(text) {
            match part {
                TextOrSpecial::Special(_, token) => {
                    offset += token.len();
                    each(offset, 1)?;
                }
                TextOrSpecial::Text(plain) => {
                    self.walk(plain, &mut |end, tokens| each(offset + end, tokens))?;
                    offset += plain.len();
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn walk(&self, text: &str, each: &mut EachWord) -> ControlFlow<()> {
        let mut walker =
            Walker { pieces: Trie::new(self.file.words(1)), inside: self.inside, word: NormalWord::new(), each };
        let (table, bytes, mut at) = (self.table(), text.as_bytes(), 0);
        while at < bytes.len() {
            if bytes[at].is_ascii() {
                match self.ascii[usize::from(bytes[at])] {
                    DROP => (),
                    BREAK => walker.end_word(at)?,
                    ALONE => walker.alone(at, at + 1)?,
                    letter => walker.word.push_ascii(letter),
                }
                at += 1;
            } else {
                // `at` is a boundary: steps of one byte are taken over ASCII only.
                let c = text[at..].chars().next().unwrap_or_default();
                walker.character(table, c, at)?;
                at += c.len_utf8();
            }
        }
        walker.end_word(at)
    }

    /// Moves `at` past characters that add nothing to a word, such as accents and variation selectors: they belong to
    /// what is before.
    fn after_silent(&self, text: &str, at: usize) -> usize {
        let silent = |c: &char| {
            let entry = self.table().entry(*c);
            entry.kind() == CharKind::Sequence && entry.length() == 0
        };
        at + text[at..].chars().take_while(silent).map(char::len_utf8).sum::<usize>()
    }
}

/// One pass over a text without special tokens.
struct Walker<'a, 'f> {
    pieces: Trie<'a>,
    inside: u32,
    word: NormalWord,
    each: &'a mut EachWord<'f>,
}

impl Walker<'_, '_> {
    #[inline]
    fn end_word(&mut self, end: usize) -> ControlFlow<()> {
        if self.word.characters == 0 {
            return ControlFlow::Continue(());
        }
        let tokens = if self.word.characters > LONGEST_WORD { 1 } else { self.count_pieces() };
        self.word.clear();
        (self.each)(end, tokens)
    }

    fn alone(&mut self, start: usize, end: usize) -> ControlFlow<()> {
        self.end_word(start)?;
        (self.each)(end, 1)
    }

    /// One character outside ASCII, at byte `at`.
    fn character(&mut self, table: CharTable, c: char, at: usize) -> ControlFlow<()> {
        let entry = table.entry(c);
        match entry.kind() {
            CharKind::Keep | CharKind::Starts => self.keep(c),
            CharKind::Char => entry.character().into_iter().for_each(|c| self.word.push(c)),
            CharKind::Break => self.end_word(at)?,
            CharKind::Alone => self.alone(at, at + c.len_utf8())?,
            CharKind::Sequence => table.sequence(entry).filter_map(char::from_u32).for_each(|c| self.word.push(c)),
        }
        ControlFlow::Continue(())
    }

    /// A character that stays: all but Hangul syllables, which fall apart into two or three letters by the arithmetic
    /// of the Unicode Standard, section 3.12.
    fn keep(&mut self, c: char) {
        let Some(index) = (c as u32).checked_sub(0xAC00).filter(|index| *index < 11_172) else {
            return self.word.push(c);
        };
        let letters = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28];
        let count = if index.is_multiple_of(28) { 2 } else { 3 };
        letters[..count].iter().filter_map(|code| char::from_u32(*code)).for_each(|c| self.word.push(c));
    }

    /// The longest known piece, again and again; a word that cannot be finished so is one unknown token.
    fn count_pieces(&self) -> usize {
        self.cut_pieces(|_| ())
    }

    /// The same, telling the length of every piece as it is cut.
    #[inline]
    fn cut_pieces(&self, mut each: impl FnMut(usize)) -> usize {
        let (mut rest, mut count, mut root) = (self.word.as_bytes(), 0, self.pieces.root());
        while !rest.is_empty() {
            let (mut node, mut longest) = (root, 0);
            for (length, byte) in (1..).zip(rest) {
                let Some(next) = self.pieces.child(node, *byte) else { break };
                node = next;
                if node.ends_key() {
                    longest = length;
                }
            }
            if longest == 0 {
                return 1;
            }
            each(longest);
            (rest, count, root) = (&rest[longest..], count + 1, self.pieces.at(self.inside));
        }
        count
    }
}

/// The normalised word being read. Past the longest word only its length is kept.
struct NormalWord {
    bytes: [u8; 4 * LONGEST_WORD],
    length: usize,
    characters: usize,
}

impl NormalWord {
    fn new() -> Self {
        Self { bytes: [0; 4 * LONGEST_WORD], length: 0, characters: 0 }
    }

    fn clear(&mut self) {
        (self.length, self.characters) = (0, 0);
    }

    #[inline]
    fn push_ascii(&mut self, letter: u8) {
        if self.characters < LONGEST_WORD {
            self.bytes[self.length] = letter;
            self.length += 1;
        }
        self.characters += 1;
    }

    fn push(&mut self, c: char) {
        if self.characters < LONGEST_WORD {
            self.length += c.encode_utf8(&mut self.bytes[self.length..]).len();
        }
        self.characters += 1;
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_are_those_of_tokenizers() {
        for line in include_str!("../../tests/embedding_cases.jsonl").lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = case["text"].as_str().unwrap();
            assert_eq!(count_tokens(text), case["tokens"].as_u64().unwrap() as usize, "{text:?}");
        }
    }

    #[test]
    fn the_file_repeats_the_longest_word() {
        assert_eq!(u32_at(COUNTER.file.section(0), 4) as usize, LONGEST_WORD);
    }

    #[test]
    fn cuts_end_with_a_word() {
        let text = "Restarting pods, 重启‼\u{fe0f} now";
        let cut = |budget| &text[..cut_at_tokens(text, budget)];
        assert_eq!(cut(0), "");
        assert_eq!(cut(count_tokens("Restarting")), "Restarting");
        assert_eq!(cut(count_tokens("Restarting pods,")), "Restarting pods,");
        assert_eq!(cut(count_tokens(text) - 1), "Restarting pods, 重启‼\u{fe0f}");
        assert_eq!(cut(count_tokens(text)), text);
    }

    proptest! {
        #[test]
        fn counts_add_up_at_white_space(left in "\\PC*", right in "\\PC*", space in "[ \\t\\n\u{3000}]") {
            prop_assert_eq!(count_tokens(&format!("{left}{space}{right}")), count_tokens(&left) + count_tokens(&right));
        }

        #[test]
        fn cuts_keep_to_the_budget(text in "(\\PC|[a-z中,\u{301} ]){0,60}", budget in 0usize..30) {
            let cut = cut_at_tokens(&text, budget);
            prop_assert!(text.is_char_boundary(cut));
            prop_assert!(count_tokens(&text[..cut]) <= budget);
            prop_assert!(cut < text.len() || count_tokens(&text) <= budget);
        }
    }
}
