//! By which route a question is answered, by rule: a code or a quotation by its words alone, a question
//! about a whole by large units, everything else by both legs and sentences.
//!
//! Quoted phrases are meant word for word: what says them comes before what does not. The rules look
//! at the question only; what each does to the recipe is [`crate::retrieve`]'s to say.

use super::text::FoldedQuestion;
use crate::error::OptionsError;
use serde::Serialize;
use std::str::FromStr;

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// By words and by meaning, over sentences and what is around them.
    Hybrid,
    /// By words alone.
    Lexical,
    /// By meaning alone.
    Dense,
    /// By words and by meaning, over paragraphs and sections.
    Broad,
    /// By a query over rows.
    Sql,
}

/// Why a route was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Because {
    /// The caller said so.
    Chosen,
    /// The question is one code or number: `FK-07`, `v1.26`.
    Code,
    /// The question is a quotation.
    Quotation,
    /// The question is about a whole: `总结`, `overview`.
    Whole,
    /// The question counts, adds or compares rows.
    Rows,
    /// A language model said so.
    Model,
    /// None of these.
    Usual,
}

/// The route of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Routing {
    /// How it is answered.
    pub route: Route,
    /// Why.
    pub because: Because,
    /// What must be said word for word to come first.
    pub phrases: Vec<String>,
}

/// What opens a quotation, and what closes it. Not `'`, which is an apostrophe, nor `《》`, which name a work and quote
/// nothing.
const QUOTES: [(char, char); 4] = [('"', '"'), ('“', '”'), ('「', '」'), ('『', '』')];

/// A longer quotation is a text, not a phrase.
const LONGEST_PHRASE: usize = 80;

/// Words of a question about a whole.
const WHOLE: &[&str] = &[
    "总结",
    "概括",
    "概述",
    "综述",
    "概览",
    "总览",
    "主要内容",
    "主要讲",
    "讲了什么",
    "说了什么",
    "大意",
    "要点",
    "overview",
    "summary",
    "summarize",
    "summarise",
    "main points",
    "key points",
    "main idea",
    "what is this about",
    "what's this about",
];

/// The route of a question by rule.
pub fn route(question: &str) -> Routing {
    let (phrases, outside) = quotations(question);
    let (route, because) = if is_code(question.trim()) {
        (Route::Lexical, Because::Code)
    } else if !phrases.is_empty() && !outside.chars().any(char::is_alphanumeric) {
        (Route::Lexical, Because::Quotation)
    } else if is_about_a_whole(question) {
        (Route::Broad, Because::Whole)
    } else {
        (Route::Hybrid, Because::Usual)
    };
    Routing { route, because, phrases }
}

impl Routing {
    /// A route that the caller chose.
    pub fn chosen(route: Route) -> Self {
        Self { route, because: Because::Chosen, phrases: Vec::new() }
    }

    /// Takes the usual route, where the one that was chosen found nothing.
    pub(crate) fn give_up(&mut self) {
        (self.route, self.because) = (Route::Hybrid, Because::Usual);
    }
}

impl FromStr for Route {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "hybrid" | "off" => Ok(Self::Hybrid),
            "lexical" => Ok(Self::Lexical),
            "dense" => Ok(Self::Dense),
            "broad" => Ok(Self::Broad),
            _ => Err(OptionsError::Route { given: text.to_owned() }.into()),
        }
    }
}

/// The quoted phrases of a question, and what is outside of them.
fn quotations(question: &str) -> (Vec<String>, String) {
    let (mut phrases, mut outside) = (Vec::new(), String::new());
    let mut rest = question;
    while let Some(open) = rest.chars().next() {
        let after = &rest[open.len_utf8()..];
        let close = QUOTES
            .iter()
            .find(|(quote, _)| *quote == open)
            .and_then(|(_, close)| after.find(*close).map(|at| (at, close)));
        let phrase = close.map(|(at, close)| (after[..at].trim(), at + close.len_utf8()));
        if let Some((phrase, end)) = phrase.filter(|(phrase, _)| is_phrase(phrase)) {
            phrases.push(phrase.to_owned());
            rest = &after[end..];
        } else {
            outside.push(open);
            rest = after;
        }
    }
    (phrases, outside)
}

fn is_phrase(text: &str) -> bool {
    (2..=LONGEST_PHRASE).contains(&text.chars().count()) && text.chars().any(char::is_alphanumeric)
}

/// One word with digits and letters or signs in it: `FK-07`, `v1.26`, `E0559`, `10.1000/182`.
fn is_code(question: &str) -> bool {
    let has = |is: fn(&char) -> bool| question.chars().any(|c| is(&c));
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:#+".contains(c);
    (2..=40).contains(&question.len())
        && question.chars().all(plain)
        && has(char::is_ascii_digit)
        && has(|c| !c.is_ascii_digit())
}

/// A long question is never about a whole: it says what it wants.
const LONGEST_WHOLE: usize = 60;

fn is_about_a_whole(question: &str) -> bool {
    if question.chars().nth(LONGEST_WHOLE).is_some() {
        return false;
    }
    let text = FoldedQuestion::new(question);
    (0..text.len()).any(|at| text.one_of(at, WHOLE).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_by_rule() {
        for (question, expected, because) in [
            ("FK-07", Route::Lexical, Because::Code),
            (" v1.26 ", Route::Lexical, Because::Code),
            ("“流泪的先知”", Route::Lexical, Because::Quotation),
            ("请总结一下财报", Route::Broad, Because::Whole),
            ("Give me an overview.", Route::Broad, Because::Whole),
            ("土豆丝怎么切", Route::Hybrid, Because::Usual),
            ("2023", Route::Hybrid, Because::Usual),
            ("宫保鸡丁", Route::Hybrid, Because::Usual),
            ("How is FK-07 mounted?", Route::Hybrid, Because::Usual),
            ("", Route::Hybrid, Because::Usual),
        ] {
            let routing = route(question);
            assert_eq!((routing.route, routing.because), (expected, because), "{question}");
        }
    }

    #[test]
    fn phrases_are_what_is_quoted() {
        for (question, phrases) in [
            ("耶利米为什么被称作「流泪的先知」？", vec!["流泪的先知"]),
            ("who said \"I am here\" and “now or never”", vec!["I am here", "now or never"]),
            ("\"unclosed", vec![]),
            ("a \"\" b \"x\"", vec![]),
            ("what's in Tom's box", vec![]),
        ] {
            assert_eq!(route(question).phrases, phrases, "{question}");
        }
    }
}
