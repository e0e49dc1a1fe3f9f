//! Words of a question that the index does not hold, and the words that were probably meant.
//!
//! Only Latin words that no document has are looked at. A word that the built-in model knows as one piece is spelled
//! rightly, however near another one is; of one with a prefix the rest is searched for. Words in quotation marks are
//! searched for as they are written.

use crate::Result;
use crate::document::Layer;
use crate::embed::StaticModel;
use crate::store::{Ask, Leg, Snapshot, TermState};
use crate::text::is_chinese;
use crate::text::spelling::{SHORTEST, edits, tolerated};
use crate::text::terms::{is_stop_word, of_query};
use crate::understand::Spelling;
use std::ops::Range;

/// A question with words spelled as the index spells them, and what was changed.
pub struct SpelledQuestion {
    pub text: String,
    pub corrected: Vec<Spelling>,
    /// Names that the index holds in no spelling: of an English question its capitalised words, of a Chinese one all of
    /// its Latin words.
    pub unknown: Vec<String>,
}

/// Looks up the Latin words of a question.
pub fn spelled(snapshot: &dyn Snapshot, question: &str) -> Result<SpelledQuestion> {
    let mut spelled = SpelledQuestion { text: question.to_owned(), corrected: Vec::new(), unknown: Vec::new() };
    let chinese = is_chinese(question);
    for place in plain_words(question).into_iter().rev() {
        let word = &question[place.clone()];
        let Some(term) = of_query(word).into_iter().next().filter(|_| !is_stop_word(&word.to_lowercase())) else {
            continue;
        };
        let is_name = chinese || place.start > 0 && word.starts_with(char::is_uppercase);
        let one_piece = is_one_piece(word);
        if one_piece && !is_name {
            continue;
        }
        let near = match snapshot.term_state(&term.text)? {
            TermState::Known => continue,
            TermState::Like(terms) if !one_piece => terms,
            TermState::Like(_) | TermState::Unknown => Vec::new(),
        };
        let read = match without_prefix(snapshot, word)? {
            None => likeliest(snapshot, word, &near)?,
            known => known,
        };
        if let Some(read) = read {
            spelled.text.replace_range(place, &read);
            spelled.corrected.insert(0, Spelling { written: word.to_owned(), read });
        } else if is_name {
            spelled.unknown.insert(0, word.to_owned());
        }
    }
    Ok(spelled)
}

/// The words of letters alone, outside of quotation marks.
fn plain_words(question: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut quoted = false;
    let mut at = 0;
    while let Some(c) = question[at..].chars().next() {
        let length = question[at..].find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(question.len() - at);
        if length == 0 {
            quoted = match c {
                '"' | '`' => !quoted,
                '“' | '「' => true,
                '”' | '」' => false,
                _ => quoted,
            };
            at += c.len_utf8();
            continue;
        }
        let joined = |c: char| matches!(c, '.' | '-' | '_' | '@' | '/' | '\'' | '’' | ':' | '#' | '+');
        let alone = !question[..at].ends_with(joined)
            && !question[at + length..]
                .strip_prefix(joined)
                .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        let word = &question[at..at + length];
        if alone && !quoted && length >= SHORTEST && word.bytes().all(|b| b.is_ascii_alphabetic()) {
            words.push(at..at + length);
        }
        at += length;
    }
    words
}

/// What is put in front of words to make others.
const PREFIXES: [&str; 12] = ["re", "un", "pre", "non", "mis", "dis", "over", "under", "anti", "multi", "inter", "sub"];

/// The word behind a prefix, if the built-in model and the index know it: heating for reheating, which is no slip for
/// repeating.
fn without_prefix(snapshot: &dyn Snapshot, word: &str) -> Result<Option<String>> {
    let word = word.to_lowercase();
    for rest in PREFIXES.iter().filter_map(|prefix| word.strip_prefix(prefix)) {
        let term = of_query(rest).into_iter().next().filter(|_| rest.len() >= SHORTEST && is_one_piece(rest));
        if let Some(term) = term
            && snapshot.term_state(&term.text)? == TermState::Known
        {
            return Ok(Some(rest.to_owned()));
        }
    }
    Ok(None)
}

/// Whether the built-in model knows a word by heart.
fn is_one_piece(word: &str) -> bool {
    let mut ids = Vec::new();
    StaticModel::builtin().encode(&word.to_lowercase(), &mut ids);
    ids.len() == 1
}

/// The word that was meant, as a text of the index writes it: terms are stems, so the words that have these stems are
/// compared as they are written.
fn likeliest(snapshot: &dyn Snapshot, word: &str, terms: &[String]) -> Result<Option<String>> {
    let word = word.to_lowercase();
    let mut best: Option<(usize, String)> = None;
    for term in terms {
        for written in written(snapshot, term)? {
            let apart = edits(word.as_bytes(), written.as_bytes(), tolerated(word.len()));
            let Some(cost) = apart.map(|edits| 2 * edits + usize::from(is_replaced(&word, &written))) else { continue };
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, written));
            }
        }
    }
    Ok(best.map(|(_, written)| written))
}

/// Whether one word has a letter where the other has another: that is mistyped less often than a letter left out, typed
/// twice or swapped with its neighbour.
fn is_replaced(a: &str, b: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters = word.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    a.len() == b.len() && sorted(a) != sorted(b)
}

/// Endings that words lose on the way to their stem.
const ENDINGS: [&str; 10] = ["", "e", "al", "ed", "ing", "ion", "er", "y", "l", "s"];

/// A word that has this stem: a stem that is searched for is cut once more, ephemer to ephem.
fn word_of(stem: &str) -> Option<String> {
    let has_stem = |word: &String| of_query(word).first().is_some_and(|term| term.text == stem);
    ENDINGS.iter().map(|ending| format!("{stem}{ending}")).find(has_stem)
}

/// Sentences that are looked at for the forms of a term.
const LOOKED_AT: usize = 20;

/// The words of a term as texts of the index write them, in lower case.
fn written(snapshot: &dyn Snapshot, term: &str) -> Result<Vec<String>> {
    let rankings = &[(Leg::Lexical, Layer::Sentence)];
    let Some(text) = word_of(term) else { return Ok(Vec::new()) };
    let ask = Ask { text: &text, vector: &[], rankings, allowed: None, sections: None, fields: None, depth: LOOKED_AT };
    let mut forms: Vec<String> = Vec::new();
    for found in snapshot.search(&ask)?.into_iter().flatten() {
        let (structure, text) = (snapshot.structure(found.run.document)?, snapshot.text(found.run.document)?);
        for word in structure.span(found.run.sentences()).of(&text).split(|c: char| !c.is_alphanumeric()) {
            let word = word.to_lowercase();
            if !forms.contains(&word) && of_query(&word).first().is_some_and(|own| own.text == term) {
                forms.push(word);
            }
        }
    }
    Ok(forms)
}

#[cfg(test)]
mod tests {
    use super::{plain_words, word_of};
    use crate::text::terms::of_query;

    #[test]
    fn a_word_is_found_for_most_stems() {
        for word in ["ephemeral", "provisioned", "footballer", "persistent", "deployment", "receive", "policies"] {
            let stem = &of_query(word)[0].text;
            assert!(word_of(stem).is_some_and(|other| of_query(&other)[0].text == *stem), "{word}: {stem}");
        }
    }

    #[test]
    fn only_plain_words_outside_of_quotation_marks_are_looked_up() {
        let question =
            "what is a `kublet` deamonset, \"handbok\" v1.26 foo_bar.md me@here.org 的 Finalizer's well-known end.";
        let words: Vec<&str> = plain_words(question).into_iter().map(|place| &question[place]).collect();
        assert_eq!(words, ["deamonset"]);
    }
}
