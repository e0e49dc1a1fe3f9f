//! What a model sees of a text when the budget ends inside it: exactly the first tokens, cut inside a word where need
//! be.
//!
//! The engine itself never cuts there (a budget ends with a sentence); evaluation must, because it judges contexts of
//! any system at any budget. The end is the one that the Python library `tokenizers` gives as the offset of the last
//! token.

use super::{ALONE, BREAK, COUNTER, Counter, DROP, LONGEST_WORD, NormalWord, Walker};
use crate::packed::{CharKind, Trie};
use std::ops::{ControlFlow, Range};

/// The length in bytes of the first `budget` tokens of `text`, and how many tokens these are: all of the text where
/// it fits.
#[must_use]
pub fn first_tokens(text: &str, budget: usize) -> (usize, usize) {
    let (mut used, mut before) = (0, 0);
    let mut last: Option<Range<usize>> = None;
    let fits = COUNTER.for_each_word(text, &mut |end, tokens| {
        if used + tokens > budget {
            last = Some(before..end);
            return ControlFlow::Break(());
        }
        // Silent characters behind the last token belong to it only when another token follows.
        last = Some(before..end);
        (used, before) = (used + tokens, end);
        ControlFlow::Continue(())
    });
    match last {
        Some(word) if fits.is_break() && used < budget => (COUNTER.end_of_piece(text, word, budget - used), budget),
        Some(word) if fits.is_break() => (COUNTER.last_piece_before(text, word.start), used),
        _ => (text.len(), used),
    }
}

impl Counter {
    /// Where the `wanted`-th piece of a word ends, in bytes of the text; the word's own end when it has fewer.
    fn end_of_piece(&self, text: &str, word: Range<usize>, wanted: usize) -> usize {
        let Some((walker_word, ends)) = self.normalised(text, &word) else { return word.end };
        let (mut at, mut pieces, mut end) = (0, 0, None);
        let walker = Walker {
            pieces: Trie::new(self.file.words(1)),
            inside: self.inside,
            word: walker_word,
            each: &mut |_, _| ControlFlow::Continue(()),
        };
        walker.cut_pieces(|length| {
            (at, pieces) = (at + length, pieces + 1);
            if pieces == wanted {
                end = Some(ends[at - 1]);
            }
        });
        end.or(ends.last().copied()).unwrap_or(word.end)
    }

    /// The end of the last token that is wholly before `end`, the end of a word: without the silent characters behind
    /// it.
    fn last_piece_before(&self, text: &str, end: usize) -> usize {
        let silent = |c: char| {
            let entry = self.table().entry(c);
            entry.kind() == CharKind::Sequence && entry.length() == 0
        };
        text[..end].trim_end_matches(silent).len()
    }

    /// A word as it is looked up, with the end of the source character that gave each of its bytes. `None` for what
    /// is one token whatever it holds: a character that is a word, a special token, a word too long.
    fn normalised(&self, text: &str, word: &Range<usize>) -> Option<(NormalWord, Vec<usize>)> {
        let mut ends = Vec::new();
        let mut none = |_: usize, _: usize| ControlFlow::Continue(());
        let mut walker = Walker {
            pieces: Trie::new(self.file.words(1)),
            inside: self.inside,
            word: NormalWord::new(),
            each: &mut none,
        };
        for (at, c) in text[word.clone()].char_indices() {
            let (at, end) = (word.start + at, word.start + at + c.len_utf8());
            if c.is_ascii() {
                match self.ascii[c as usize] {
                    DROP | BREAK => (),
                    ALONE => return None,
                    letter => walker.word.push_ascii(letter),
                }
            } else {
                let _: ControlFlow<()> = walker.character(self.table(), c, at);
            }
            ends.resize(walker.word.length, end);
        }
        (walker.word.characters <= LONGEST_WORD).then_some((walker.word, ends))
    }
}

#[cfg(test)]
mod tests {
    use super::super::count_tokens;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_word_is_cut_inside() {
        let text = "unaffable 重启 tokenisation";
        let seen = |budget| &text[..first_tokens(text, budget).0];
        assert_eq!(seen(0), "");
        assert_eq!(seen(1), "una");
        assert_eq!(seen(count_tokens("unaffable")), "unaffable");
        assert_eq!(seen(count_tokens("unaffable") + 1), "unaffable 重");
        assert_eq!(first_tokens(text, 99), (text.len(), count_tokens(text)));
    }

    /// The ends that `tokenizers` 0.22 gives for these texts, in bytes.
    #[test]
    fn ends_are_those_of_tokenizers() {
        for line in include_str!("../../../tests/token_ends.jsonl").lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = case["text"].as_str().unwrap();
            let ends = case["ends"].as_array().unwrap();
            for (i, end) in ends.iter().enumerate().take(ends.len().saturating_sub(1)) {
                assert_eq!(first_tokens(text, i + 1), (end.as_u64().unwrap() as usize, i + 1), "{text:?}");
            }
            assert_eq!(first_tokens(text, ends.len()), (text.len(), ends.len()), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn more_tokens_show_more(text in "(\\PC|[a-z中,\u{301} ]){0,60}", budget in 0usize..30) {
            let ((less, few), (more, many)) = (first_tokens(&text, budget), first_tokens(&text, budget + 1));
            prop_assert!(text.is_char_boundary(less) && less <= more && few <= many && few <= budget);
            prop_assert!(few == budget || less == text.len());
        }
    }
}
