//! Which sentences of a context support a statement: words in common, rare ones counting more. Pure, and without a model.

use crate::document::Span;
use crate::split::sentences;
use crate::store::terms;
use std::collections::{HashMap, HashSet};

/// A statement that shares less than this of its words with the best sentence cites the whole context.
const LEAST: f32 = 0.2;

/// A sentence joins its neighbour when it adds at least this much of the statement.
const ADDS: f32 = 0.2;

/// Citations are read at a glance: no more sentences than this.
const MOST: usize = 3;

/// The words of a text, each once: dense scripts by pairs of characters, others by stem.
pub fn words(text: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    terms::terms(text, &mut |term| {
        words.insert(term.to_owned());
    });
    words
}

/// How much a word tells: less, the more of these texts have it.
pub fn weights(texts: &[HashSet<String>]) -> HashMap<&str, f32> {
    let mut counts: HashMap<&str, f32> = HashMap::new();
    for word in texts.iter().flatten() {
        *counts.entry(word).or_default() += 1.0;
    }
    let all = texts.len() as f32;
    counts.into_iter().map(|(word, count)| (word, (1.0 + all / count).ln())).collect()
}

/// The sentences of a text, without headings' marks or anything else taken off.
pub fn sentences_of(text: &str) -> Vec<Span> {
    sentences(text, Span::new(0, text.len()))
}

/// The run of sentences of a context that supports a statement; all of it where none clearly does.
pub fn supporting(statement: &str, context: &str) -> Span {
    let whole = Span::new(0, context.len());
    let spans = sentences_of(context);
    let texts: Vec<HashSet<String>> = spans.iter().map(|span| words(span.of(context))).collect();
    let weights = weights(&texts);
    // What no sentence has cannot tell them apart, but it must not make a statement look supported either.
    let weight = |word: &String| weights.get(word.as_str()).copied().unwrap_or(1.0);
    let asked = words(statement);
    let total: f32 = asked.iter().map(weight).sum();
    let covered = |run: &[HashSet<String>]| {
        let said = asked.iter().filter(|word| run.iter().any(|sentence| sentence.contains(*word)));
        said.map(weight).sum::<f32>() / total.max(f32::MIN_POSITIVE)
    };
    let single = |at: usize| covered(&texts[at..=at]);
    let Some(best) = (0..spans.len()).reduce(|a, b| if single(b) > single(a) { b } else { a }) else { return whole };
    if single(best) < LEAST {
        return whole;
    }
    let (mut first, mut last) = (best, best);
    while last - first + 1 < MOST {
        let now = covered(&texts[first..=last]);
        let before = if first > 0 { covered(&texts[first - 1..=last]) - now } else { 0.0 };
        let after = if last + 1 < spans.len() { covered(&texts[first..=last + 1]) - now } else { 0.0 };
        match (before, after) {
            (before, after) if before.max(after) < ADDS => break,
            (before, after) if before >= after => first -= 1,
            _ => last += 1,
        }
    }
    spans[first].cover(spans[last])
}

/// The statement that ends where a citation stands: from the end of the sentence before it. Citations in between are no
/// part of it.
pub fn statement(text: &str, at: usize) -> String {
    let before = &text[..at];
    let spans = sentences_of(before);
    // `Tea is hot. [1]` cites the sentence before it: what is after the last sentence is only citations.
    let bare = |span: &Span| without_marks(span.of(before));
    let last = spans.iter().rev().map(bare).find(|sentence| sentence.chars().any(char::is_alphanumeric));
    last.unwrap_or_default()
}

fn without_marks(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('[') {
        out.push_str(&rest[..at]);
        let from = &rest[at..];
        let length = super::checked::marker(from).map_or(0, |(_, length)| length);
        if length == 0 {
            out.push('[');
        }
        rest = &from[length.max(1)..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEA: &str = "# Tea\n\nBlack tea needs boiling water and five minutes. Green tea is brewed at eighty degrees, or it turns bitter. The pot is warmed first. Milk goes in last.";

    fn support(statement: &str, context: &str) -> String {
        supporting(statement, context).of(context).to_owned()
    }

    #[test]
    fn the_sentence_that_says_it() {
        assert_eq!(
            support("Green tea is made at eighty degrees", TEA),
            "Green tea is brewed at eighty degrees, or it turns bitter."
        );
        assert_eq!(support("You warm the pot before anything else", TEA), "The pot is warmed first.");
        assert_eq!(
            support("先把土豆丝泡十分钟", "土豆去皮切丝。用清水泡十分钟去掉淀粉。大火翻炒。"),
            "用清水泡十分钟去掉淀粉。"
        );
    }

    #[test]
    fn two_sentences_where_both_are_needed() {
        let both = support("Warm the pot first and let milk go in last", TEA);
        assert_eq!(both, "The pot is warmed first. Milk goes in last.");
    }

    #[test]
    fn the_whole_where_nothing_fits() {
        assert_eq!(support("Coffee grows in Ethiopia", TEA), TEA);
        assert_eq!(support("", TEA), TEA);
        assert_eq!(support("tea", ""), "");
    }

    #[test]
    fn statements_end_at_their_citation() {
        let text = "Tea is hot [1]. Pots are warm. [2][3] 茶是热的[1]。牛奶最后放【2】";
        let at = |mark: &str, nth: usize| statement(text, text.match_indices(mark).nth(nth).unwrap().0);
        assert_eq!(at("[1]", 0).trim(), "Tea is hot");
        assert_eq!(at("[2]", 0), "Pots are warm.");
        assert_eq!(at("[3]", 0), "Pots are warm.");
        assert_eq!(at("[1]", 1), "茶是热的");
        assert_eq!(statement("[1]", 0), "");
    }

    proptest! {
        #[test]
        fn support_is_a_slice_of_the_context(statement in "[a-c茶水 .。]{0,20}", context in "(?s)[a-c茶水 .。\n]{0,60}") {
            let span = supporting(&statement, &context);
            prop_assert!(context.get(span.range()).is_some());
            prop_assert!(context.trim().is_empty() || !span.is_empty());
        }
    }
}
