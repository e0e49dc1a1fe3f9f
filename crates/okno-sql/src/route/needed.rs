//! What a table must hold to explain a question, by its letters: a question of no table is told apart without reading
//! the cells of thousands of tables, which takes more than a second.

use super::form::{AND, COMPARISONS, COMPARISONS_BEHIND, FILLING_CHARACTERS, NUMBERS, OR, RANGES, TOP, WORDS};
use crate::words::FILLERS;
use okno::document::text::script::is_han;

/// Characters that a rank or a range is said with, beside the words of forms and comparisons.
const OF_RANKS: &str = "前哪介于之间";

/// Words and characters of a question that only a column, a cell or the name of a table can explain.
pub struct NeededWords {
    latin: Vec<String>,
    han: Vec<char>,
}

impl NeededWords {
    pub fn of(question: &str) -> Self {
        let question = question.to_lowercase();
        let is_said = |word: &str| said().any(|other| other.split(' ').any(|part| part == word));
        let words = question.split(|c: char| !c.is_ascii_alphanumeric());
        let is_needed = |word: &&str| word.bytes().any(|byte| byte.is_ascii_alphabetic()) && !is_said(word);
        let latin = words.filter(is_needed).map(|word| without_ending(word).to_owned()).collect();
        let is_free =
            |c: &char| FILLING_CHARACTERS.contains(*c) || OF_RANKS.contains(*c) || said().any(|w| w.contains(*c));
        let han = question.chars().filter(|c| is_han(*c) && !is_free(c)).collect();
        Self { latin, han }
    }

    /// Whether a table of this name and text may explain the question.
    pub fn are_in(&self, name: &str, text: &str) -> bool {
        let (name, text) = (name.to_lowercase(), text.to_lowercase());
        let holds = |word: &str| text.contains(word) || name.contains(word);
        let mut letters = [0; 4];
        self.latin.iter().all(|word| holds(word)) && self.han.iter().all(|c| holds(c.encode_utf8(&mut letters)))
    }
}

/// All words that are read without a table.
fn said() -> impl Iterator<Item = &'static str> {
    let forms = WORDS.iter().flat_map(|(_, words)| words.iter().copied());
    let compared = COMPARISONS.iter().chain(COMPARISONS_BEHIND).map(|(word, _)| *word);
    let counted = NUMBERS.iter().map(|(word, _)| *word).chain(TOP.iter().map(|(word, _)| *word));
    let joined = [AND, OR, RANGES, FILLERS].into_iter().flatten().copied();
    forms.chain(compared).chain(counted).chain(joined).chain(["by", "between"])
}

/// What the singular and the plural of a word have in common.
fn without_ending(word: &str) -> &str {
    let ends = ["ies", "es", "s", "y"];
    ends.iter().find_map(|end| word.strip_suffix(end)).filter(|rest| !rest.is_empty()).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_only_a_table_explains_is_needed() {
        let text = "| Tea | Country | Price |\n| --- | --- | --- |\n| 龙井 | China | 12 |\n| Assam | India | 9 |";
        for question in [
            "How many teas are from China?",
            "Which countries have a price over 10?",
            "What is the most expensive tea?",
            "价格超过 10 的所有龙井",
            "the three cheapest teas",
        ] {
            assert!(NeededWords::of(question).are_in("价格/tea.csv", text), "{question}");
        }
        for question in ["k8s 内置的 Secret 类型有哪几种", "How many teas are from Chile?", "乌龙有几种"]
        {
            assert!(!NeededWords::of(question).are_in("tea.csv", text), "{question}");
        }
    }
}
