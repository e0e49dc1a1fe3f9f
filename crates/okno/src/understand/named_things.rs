//! What a question names literally: years, titles, quotations, and names written in Latin letters.
//!
//! A text that answers a question may use other words for what it asks, but it hardly ever leaves out all that the
//! question calls by name. What counts is data: how much each kind says where it is missing stands at [`ThingKind`].

use crate::text::is_chinese;
use crate::text::terms::is_stop_word;

/// Something that a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedThing {
    /// As the question has it.
    pub text: String,
    pub kind: ThingKind,
}

/// How something is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThingKind {
    /// `2022`.
    Year,
    /// 《时间简史》.
    Title,
    /// “焗”, "Error 42".
    Quotation,
    /// A word with a capital letter inside an English question.
    Name,
    /// A Latin word of a Chinese question.
    Latin,
}

impl ThingKind {
    /// What it says that this is missing, in names.
    pub fn weight(self) -> usize {
        match self {
            Self::Year | Self::Title | Self::Latin => 2,
            Self::Quotation | Self::Name => 1,
        }
    }
}

/// A quotation of more characters is likely to be quoted with a word changed.
const LONGEST_QUOTATION: usize = 24;

/// Words with a capital letter that a text may well write in another way.
const ORDINARY: &str = "january|february|march|april|may|june|july|august|september|october|november|december|\
    monday|tuesday|wednesday|thursday|friday|saturday|sunday|mr|mrs|ms|dr";

/// Questions in other languages have none of these, and capital letters of their own: in German, of every noun.
const ENGLISH: &str = "who|what|when|where|which|why|how|whose|the|of|does|did|is|are";

/// What a question names, in its order, each once.
pub(crate) fn named_things(question: &str) -> Vec<NamedThing> {
    let mut things = marked(question);
    for thing in years(question).chain(names(question)) {
        if !things.iter().any(|other| other.text.contains(&thing.text)) {
            things.push(thing);
        }
    }
    things
}

/// What stands in quotation marks or between 《 and 》.
fn marked(question: &str) -> Vec<NamedThing> {
    let mut things = Vec::new();
    for (open, close) in [('《', '》'), ('“', '”'), ('「', '」'), ('"', '"'), ('`', '`')] {
        let mut rest = question;
        while let Some((text, after)) = rest.split_once(open).and_then(|(_, rest)| rest.split_once(close)) {
            let kind = if open == '《' { ThingKind::Title } else { ThingKind::Quotation };
            if (1..=LONGEST_QUOTATION).contains(&text.trim().chars().count()) {
                things.push(NamedThing { text: text.trim().to_owned(), kind });
            }
            rest = after;
        }
    }
    things
}

/// Years, but no decades: a text about the 1960s says 1964.
fn years(question: &str) -> impl Iterator<Item = NamedThing> {
    let mut years = Vec::new();
    let mut at = 0;
    for run in question.split(|c: char| !c.is_ascii_digit()) {
        let (before, after) = (&question[..at], &question[at + run.len()..]);
        at += run.len() + after.chars().next().map_or(0, char::len_utf8);
        let is_year = run.len() == 4 && ("1500".."2100").contains(&run);
        let is_part = before.ends_with(['.', ',', '-', '_', '/', '$', '¥'])
            || before.ends_with(|c: char| c.is_ascii_alphabetic())
            || after.starts_with(|c: char| c.is_ascii_alphabetic() || "%_/".contains(c))
            || after.starts_with("年代")
            || after.strip_prefix(['.', ',', '-']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if is_year && !is_part {
            years.push(NamedThing { text: run.to_owned(), kind: ThingKind::Year });
        }
    }
    years.into_iter()
}

/// Latin words of a Chinese question; of an English one those with a capital letter that do not begin it, unless most
/// of its words have one.
fn names(question: &str) -> impl Iterator<Item = NamedThing> {
    let chinese = is_chinese(question);
    let words = || question.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_one_of = |words: &str, word: &str| words.split('|').any(|other| other.eq_ignore_ascii_case(word));
    let capital = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let capitals = words().skip(1).filter(|word| capital(word)).count();
    let english = words().any(|word| is_one_of(ENGLISH, word)) && 2 * capitals <= words().count();
    let is_name = |(at, word): &(usize, &str)| {
        let written = chinese || english && *at > 0 && capital(word);
        let ordinary = is_one_of(ORDINARY, word) || is_one_of(ENGLISH, word) || is_stop_word(&word.to_lowercase());
        written && word.len() > 1 && word.contains(|c: char| c.is_ascii_alphabetic()) && !ordinary
    };
    let names: Vec<&str> = words().enumerate().filter(is_name).map(|(_, word)| word).collect();
    let kind = if chinese { ThingKind::Latin } else { ThingKind::Name };
    names.into_iter().map(move |word| NamedThing { text: word.to_owned(), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(question: &str) -> Vec<String> {
        named_things(question).into_iter().map(|thing| thing.text).collect()
    }

    #[test]
    fn years_titles_quotations_and_names_are_named() {
        for (question, things) in [
            ("Who won the 2022 World Cup?", vec!["2022", "World", "Cup"]),
            (
                "How many Stanley Cups have the Montreal Canadiens won?",
                vec!["Stanley", "Cups", "Montreal", "Canadiens"],
            ),
            ("长江生命科技 2024 年全年净利润是多少", vec!["2024"]),
            ("《时间简史》是 1988 年出版的吗", vec!["时间简史", "1988"]),
            ("OpenShift 里“焗”是什么意思", vec!["焗", "OpenShift"]),
            ("What happened in May?", vec![]),
            ("Consider the agreement with Artop; Does it end?", vec!["Artop"]),
            ("What did people eat in the 1960s?", vec![]),
            ("20世纪1960年代发生了什么", vec![]),
            ("Which part is AB-1234 or 1999.5?", vec!["AB"]),
        ] {
            assert_eq!(named(question), things, "{question}");
        }
    }

    #[test]
    fn capital_letters_say_nothing_where_most_words_have_them() {
        assert_eq!(named("What Is The Capital Of France"), [] as [&str; 0]);
        assert_eq!(named("Wie heißt die Hauptstadt von Frankreich und welcher Fluss"), [] as [&str; 0]);
    }
}
