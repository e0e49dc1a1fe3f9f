//! What a question is judged by: its answer, the sentence around it, the sentence with its neighbours, all its
//! excerpts.
//!
//! Everything counts code points. The rules are deliberately simple and fixed, and independent of the engine's own
//! sentence splitter: what judges must not change with what is judged.

use std::ops::Range;

/// A range of code points of one text.
pub type Points = Range<usize>;

/// Text without any full stop exists: no sentence begins further back than this.
const LONGEST_SENTENCE: usize = 2000;

/// The spans one question is judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The answer.
    pub answer: Points,
    /// The sentence, or run of sentences, that holds it.
    pub sentence: Points,
    /// That sentence with the one before and the one after it in its paragraph.
    pub around: Points,
    /// Every reference excerpt; the answer alone when no others are known.
    pub excerpts: Vec<Points>,
}

impl Target {
    /// The target of an answer in a text, white space at the edges left out.
    pub fn new(text: &[char], answer: &Points, excerpts: &[Points]) -> Self {
        let answer = trimmed(text, answer.clone());
        let sentence = sentence_around(text, &answer);
        let around = with_neighbours(text, &sentence);
        let excerpts = if excerpts.is_empty() {
            vec![answer.clone()]
        } else {
            excerpts.iter().map(|excerpt| trimmed(text, excerpt.clone())).collect()
        };
        Self { answer, sentence, around, excerpts }
    }
}

/// White space as Python's `str.isspace` has it: four separators more than Unicode's property.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

fn trimmed(text: &[char], mut span: Points) -> Points {
    while span.start < span.end && is_space(text[span.start]) {
        span.start += 1;
    }
    while span.end > span.start && is_space(text[span.end - 1]) {
        span.end -= 1;
    }
    span
}

/// Whether a sentence ends with the character at `at`, when nothing behind `limit` is seen. A full stop ends one only
/// before white space (3.14 does not); Chinese marks and line ends always do.
fn ends_sentence(text: &[char], at: usize, limit: usize) -> bool {
    match text[at] {
        '。' | '！' | '？' | '\n' => true,
        '.' | '!' | '?' => at + 1 == limit || is_space(text[at + 1]),
        _ => false,
    }
}

/// The sentence, or run of sentences, that holds a span.
fn sentence_around(text: &[char], span: &Points) -> Points {
    let floor = span.start.saturating_sub(LONGEST_SENTENCE);
    let begin = (floor..span.start).rev().find(|&at| ends_sentence(text, at, span.start)).map_or(0, |at| at + 1);
    let from = span.start.max(span.end.saturating_sub(1));
    let end = (from..text.len()).find(|&at| ends_sentence(text, at, text.len())).map_or(text.len(), |at| at + 1);
    trimmed(text, begin.max(floor)..end)
}

/// A sentence grown by one sentence on each side, inside its paragraph.
fn with_neighbours(text: &[char], sentence: &Points) -> Points {
    let newline = |c: &char| *c == '\n';
    let floor = text[..sentence.start].iter().rposition(newline).map_or(0, |at| at + 1);
    let ceiling = text[sentence.end..].iter().position(newline).map_or(text.len(), |at| sentence.end + at);
    let (before, after) = (trimmed(text, floor..sentence.start), trimmed(text, sentence.end..ceiling));
    let mut around = sentence.clone();
    if !before.is_empty() {
        around.start = sentence_around(text, &(before.end - 1..before.end)).start;
    }
    if !after.is_empty() {
        around.end = sentence_around(text, &(after.start..after.start + 1)).end;
    }
    around.start.max(floor)..around.end.min(ceiling)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str, answer: &str) -> (String, String) {
        let chars: Vec<char> = text.chars().collect();
        let start = text[..text.find(answer).unwrap()].chars().count();
        let target = Target::new(&chars, &(start..start + answer.chars().count()), &[]);
        let of = |points: &Points| chars[points.clone()].iter().collect::<String>();
        (of(&target.sentence), of(&target.around))
    }

    #[test]
    fn a_sentence_and_its_neighbours_stay_in_their_paragraph() {
        let text = "Title\nOne is 3.14 long. Two follows! Three ends.\nNext paragraph.";
        assert_eq!(
            target(text, "follows"),
            ("Two follows!".into(), "One is 3.14 long. Two follows! Three ends.".into())
        );
        assert_eq!(target(text, "3.14"), ("One is 3.14 long.".into(), "One is 3.14 long. Two follows!".into()));
        assert_eq!(target("甲。乙丙丁！戊？", "丙"), ("乙丙丁！".into(), "甲。乙丙丁！戊？".into()));
    }

    #[test]
    fn an_answer_over_two_sentences_is_judged_with_both() {
        assert_eq!(target("A b. C d. E f.", "b. C"), ("A b. C d.".into(), "A b. C d. E f.".into()));
    }

    #[test]
    fn white_space_at_the_edges_does_not_count() {
        let chars: Vec<char> = "a  b \u{1f}c".chars().collect();
        assert_eq!(Target::new(&chars, &(1..6), &[]).answer, 3..4);
        assert_eq!(Target::new(&chars, &(1..3), &[]).answer, 3..3);
    }
}
