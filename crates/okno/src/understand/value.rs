//! Values of the index that a question mentions: the longest words first, whole words only.

use super::text::{FoldedQuestion, FoldedRange, is_dense};
use super::words::{DIFFICULTY_NAMES, EASY, HARD, SYNONYMS};
use crate::document::{Catalogue, Comparison, FieldKind, Filter};

/// Words of a question that name a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// Where.
    pub place: FoldedRange,
    /// What they may mean, each of another field.
    pub meanings: Vec<(String, Filter)>,
    /// Whether they are the value's own words, not words that mean the same.
    pub own_words: bool,
}

/// Values that say nothing by themselves.
const SAYS_NOTHING: &[&str] =
    &["other", "others", "none", "unknown", "all", "general", "misc", "其他", "其它", "无", "未知", "yes", "no"];

/// The mentions of a question, in order, none overlapping.
pub fn find(text: &FoldedQuestion, catalogue: &Catalogue) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match longest(text, at, catalogue) {
            Some(mention) => {
                at = mention.place.end;
                mentions.push(mention);
            }
            None => at += 1,
        }
    }
    mentions
}

fn longest(text: &FoldedQuestion, at: usize, catalogue: &Catalogue) -> Option<Mention> {
    if !text.is_edge(at) || text.at(at).is_none_or(char::is_whitespace) {
        return None;
    }
    let most = catalogue.longest().max(LONGEST_SYNONYM).min(text.len() - at);
    (1..=most)
        .rev()
        .map(|length| at..at + length)
        .filter(|place| text.is_edge(place.end))
        .find_map(|place| mention(text, place, catalogue))
}

/// The most characters of a word in [`SYNONYMS`].
const LONGEST_SYNONYM: usize = 18;

fn mention(text: &FoldedQuestion, place: FoldedRange, catalogue: &Catalogue) -> Option<Mention> {
    let words = text.folded(place.clone());
    if !can_name(&words) {
        return None;
    }
    let own = by_field(catalogue, &[singular(&words, catalogue)]);
    let own_words = !own.is_empty();
    let meanings = if own_words { own } else { meant(&words, catalogue) };
    (!meanings.is_empty()).then_some(Mention { place, meanings, own_words })
}

/// Digits are numbers and times; a single letter and a filler name nothing.
fn can_name(words: &str) -> bool {
    let one_letter = words.chars().count() == 1 && !words.chars().all(is_dense);
    !one_letter && !words.chars().all(|c| c.is_ascii_digit()) && !SAYS_NOTHING.contains(&words)
}

/// `handbooks` names `handbook`, unless the index has the plural.
fn singular<'w>(words: &'w str, catalogue: &Catalogue) -> &'w str {
    match words.strip_suffix('s') {
        Some(one) if catalogue.meanings(words).is_empty() && one.len() > 2 => one,
        _ => words,
    }
}

/// What a number says about how hard something is, else what words of the same group name: in fields with one value
/// for each document, where there are such.
fn meant(words: &str, catalogue: &Catalogue) -> Vec<(String, Filter)> {
    let degree = degree(words, catalogue);
    if !degree.is_empty() {
        return degree;
    }
    let group = SYNONYMS.iter().find(|group| group.contains(&words));
    let mut named = group.map_or_else(Vec::new, |group| by_field(catalogue, group));
    let is_list = |field: &str| catalogue.field(field).is_some_and(|field| field.list);
    if named.iter().any(|(field, _)| !is_list(field)) {
        named.retain(|(field, _)| !is_list(field));
    }
    named
}

/// One filter for each field that these words name a value of.
fn by_field(catalogue: &Catalogue, words: &[&str]) -> Vec<(String, Filter)> {
    let mut fields: Vec<(String, Vec<String>)> = Vec::new();
    for meaning in words.iter().flat_map(|words| catalogue.meanings(words)) {
        match fields.iter_mut().find(|(field, _)| *field == meaning.field) {
            Some((_, values)) => values.push(meaning.value.clone()),
            None => fields.push((meaning.field.clone(), vec![meaning.value.clone()])),
        }
    }
    fields.into_iter().map(|(field, values)| (field.clone(), one_of(field, values))).collect()
}

/// `field = value`, or `field in [value, …]`.
pub fn one_of(field: String, mut values: Vec<String>) -> Filter {
    values.dedup();
    if values.len() == 1 { Filter::equal(field, values.remove(0)) } else { Filter::In(field, values) }
}

/// Easy is the lower third of a number that says how hard something is, hard the upper third.
fn degree(words: &str, catalogue: &Catalogue) -> Vec<(String, Filter)> {
    let (easy, hard) = (EASY.contains(&words), HARD.contains(&words));
    let difficulty = |name: &str| DIFFICULTY_NAMES.contains(&name.to_lowercase().as_str());
    let fields = catalogue.fields().filter(|(name, field)| field.kind == FieldKind::Number && difficulty(name));
    fields
        .filter_map(|(name, field)| {
            let (least, most) = field.range?;
            let third = (most - least) / 3.0;
            let compare = |comparison, bound: f64| Filter::Compare(name.to_owned(), comparison, bound.to_string());
            let filter = match (easy, hard) {
                (true, _) => compare(Comparison::LessOrEqual, (least + third).floor()),
                (_, true) => compare(Comparison::GreaterOrEqual, (most - third).ceil()),
                _ => return None,
            };
            Some((name.to_owned(), filter))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::tests::catalogue;

    fn mentions(question: &str) -> Vec<String> {
        let text = FoldedQuestion::new(question);
        let shown = |m: &Mention| {
            let meanings: Vec<String> = m.meanings.iter().map(|(_, filter)| filter.to_string()).collect();
            format!("{}: {}", text.original(&m.place), meanings.join(" | "))
        };
        find(&text, &catalogue()).iter().map(shown).collect()
    }

    #[test]
    fn words_name_values() {
        for (question, expected) in [
            ("推荐几道素菜", "素菜: category = 素菜"),
            ("今天喝什么汤", "汤: category = 汤羹"),
            ("有什么简单的菜谱", "简单: difficulty <= 2"),
            ("適合新手", "新手: difficulty <= 2"),
            ("something difficult", "difficult: difficulty >= 4"),
            ("by Jane Austen", "Jane Austen: author = \"Jane Austen\""),
            ("the Handbooks", "Handbooks: document_type = handbook"),
            ("handbookish", ""),
            ("红烧肉怎么做", ""),
        ] {
            assert_eq!(mentions(question).join("; "), expected, "{question}");
        }
    }
}
