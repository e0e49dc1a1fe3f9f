//! Which sentences of a context support a statement: words in common, rare ones counting more. Pure, and without a
//! model.

use crate::document::Span;
use crate::split::sentences;
use crate::text::terms;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

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

/// How much of a statement the sentences of a context say.
struct Overlap {
    /// The words of each sentence.
    texts: Vec<HashSet<String>>,
    /// The words of the statement that the context has, each with its weight.
    asked: Vec<(String, f32)>,
    /// What all words of the statement weigh.
    total: f32,
}

impl Overlap {
    fn new(statement: &str, texts: Vec<HashSet<String>>) -> Self {
        let weights = weights(&texts);
        let query = terms::of_query(statement);
        let known = terms::resolve(&query, |word| weights.contains_key(word));
        let asked: Vec<(String, f32)> =
            known.iter().map(|(word, share)| ((*word).to_owned(), share * weights[word])).collect();
        // A word that no sentence has is as rare as a word can be: a statement full of them is not supported.
        let rarest = (1.0 + texts.len() as f32).ln();
        let unknown = query.iter().filter(|term| term.unless.is_empty() && !weights.contains_key(term.text.as_str()));
        let unknown: f32 = unknown.map(|term| term.weight * rarest).sum();
        let total = asked.iter().map(|(_, weight)| weight).sum::<f32>() + unknown;
        Self { asked, total: total.max(f32::MIN_POSITIVE), texts }
    }

    /// The share of the statement that these sentences say together.
    fn of(&self, run: RangeInclusive<usize>) -> f32 {
        let Some(run) = self.texts.get(run) else { return 0.0 };
        let said = self.asked.iter().filter(|(word, _)| run.iter().any(|sentence| sentence.contains(word)));
        said.map(|(_, weight)| weight).sum::<f32>() / self.total
    }

    /// The sentence that says most; the first of equals.
    fn best(&self) -> Option<usize> {
        (0..self.texts.len()).reduce(|a, b| if self.of(b..=b) > self.of(a..=a) { b } else { a })
    }

    /// A sentence with the neighbours that are needed too.
    fn grown(&self, best: usize) -> RangeInclusive<usize> {
        let (mut first, mut last) = (best, best);
        while last - first + 1 < MOST {
            let now = self.of(first..=last);
            let before = first.checked_sub(1).map_or(0.0, |before| self.of(before..=last) - now);
            let after = self.of(first..=last + 1) - now;
            match (before, after) {
                (before, after) if before.max(after) < ADDS => break,
                (before, after) if before >= after => first -= 1,
                _ => last += 1,
            }
        }
        first..=last
    }
}

/// The run of sentences of a context that supports a statement; all of it where none clearly does.
pub fn supporting(statement: &str, context: &str) -> Span {
    let spans = sentences_of(context);
    let overlap = Overlap::new(statement, spans.iter().map(|span| words(span.of(context))).collect());
    match overlap.best().filter(|&best| overlap.of(best..=best) >= LEAST) {
        Some(best) => {
            let run = overlap.grown(best);
            spans[*run.start()].cover(spans[*run.end()])
        }
        None => Span::new(0, context.len()),
    }
}

/// The statement that ends where a citation stands: from the end of the sentence before it. Citations in between are no
/// part of it.
pub fn statement(text: &str, at: usize) -> String {
    let before = &text[..at];
    let spans = sentences_of(before);
    // `Tea is hot. [1]` cites the sentence before it: what is after the last sentence is only citations.
    let bare = |span: &Span| without_marks(span.of(before));
    let last = spans.iter().rev().map(bare).find(|sentence| sentence.chars().any(char::is_alphanumeric));
    last.unwrap_or_default().trim().to_owned()
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

    const TEA: &str = "# Tea\n\nBlack tea needs boiling water and five minutes. Green tea is brewed at eighty degrees, \
        or it turns bitter. The pot is warmed first. Milk goes in last.";

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
        let potatoes = "土豆去皮切丝。用清水泡十分钟去掉淀粉。大火翻炒。";
        assert_eq!(support("泡十分钟可以去掉淀粉", potatoes), "用清水泡十分钟去掉淀粉。");
        assert_eq!(support("土豆要泡十分钟", potatoes), "用清水泡十分钟去掉淀粉。");
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
