//! Understanding a question without a model: which filter it states, what is left to search for, and
//! by which route.
//!
//! Comes in: the question, what the index holds ([`Evidence`]), and today's date. Goes out: an
//! [`Understood`]. Values that occur in the index, times and comparisons with numbers are recognised,
//! in Chinese and English; a reading is then *applied*, *offered* or *refused*:
//!
//! * applied – the filter is executed and its words are taken out of the query – only where the
//!   question is clearly about which documents, not about what they say ([`ReadingReason`] names the grounds);
//! * offered – "did you mean `category = 素菜`?" – where the words may as well be content;
//! * refused where the index has no such field or no document that matches.
//!
//! A question in which nothing is applied is searched exactly as it was asked. That is the promise
//! that makes it safe to have this on by default.

mod amount;
mod answer_form;
mod figure;
mod judge;
pub mod model;
mod named_things;
mod parts;
mod rest;
pub(crate) mod route;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod value;
mod when;
mod words;

pub use answer_form::AnswerForm;
pub(crate) use answer_form::without_article;
pub use figure::AskedFigure;
pub(crate) use named_things::{NamedThing, ThingKind, named_things};
use parts::compared_thing;
pub(crate) use parts::{parts, searched};
pub use route::{Because, Route, Routing};

use crate::Result;
use crate::document::{Catalogue, Date, Filter};
use std::ops::Range;

/// What an index can say about a reading.
pub trait Evidence {
    /// The fields and values there are.
    fn catalogue(&self) -> &Catalogue;
    /// How many documents match.
    fn matching(&self, filter: &Filter) -> Result<usize>;
    /// Whether a document that does *not* match says these words.
    fn said_elsewhere(&self, words: &str, filter: &Filter) -> Result<bool>;
    /// Whether a filter given by the caller already speaks about a field.
    fn is_given(&self, field: &str) -> bool;
}

/// A question, understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Understood {
    /// What is left to search for; the whole question where nothing would be left.
    pub text: String,
    /// What the applied readings say together.
    pub filter: Option<Filter>,
    /// The readings that are executed.
    pub applied: Vec<Reading>,
    /// The readings that a person may want.
    pub offered: Vec<Reading>,
    /// What was recognised and cannot be executed.
    pub refused: Vec<Reading>,
    /// Whether the filter found nothing and the question was asked again without it.
    pub withdrawn: bool,
    /// The words that are spelled in another way in the index.
    pub spelled: Vec<Spelling>,
    /// Names that the index holds in no spelling.
    pub unknown: Vec<String>,
    /// What the question names and nothing that was found has, where that tells that nothing is relevant.
    pub absent: Vec<String>,
    /// What was searched for by itself as well, where the question has parts.
    pub parts: Vec<String>,
    /// What an answer must look like, where the question says so.
    pub form: Option<AnswerForm>,
}

/// A word that the index holds in another spelling only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// As the question has it.
    pub written: String,
    /// What it was taken for.
    pub read: String,
}

/// Some words of a question, read as a filter.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The words, as they were asked.
    pub words: String,
    /// Where they are: code points of the question.
    pub place: Range<usize>,
    /// What they ask of documents; nothing where the index has no field for it.
    pub filter: Option<Filter>,
    /// Why it is applied, offered or refused.
    pub why: ReadingReason,
}

/// The ground on which a reading is applied, or the doubt for which it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingReason {
    /// The field is named: `作者是鲁迅`, `difficulty at most 2`.
    Named,
    /// The words stand at a word for documents: `简单的菜谱`, `财报中`, `2023 reports`, `2020年发表的`.
    Attached,
    /// Things of this kind are asked for: `推荐几道素菜`, `今天喝什么汤`.
    AskedFor,
    /// A number with the unit of one field: `30分钟以内`.
    Measured,
    /// The time counts from today.
    CountsFromToday,
    /// The index has a field for just this part of a time.
    OwnField,
    /// No document that would be left out says these words.
    Telling,
    /// A language model read it.
    Model,
    /// Doubt: the value occurs in several fields.
    SeveralFields,
    /// Doubt: the words may be content.
    Ordinary,
    /// Doubt: the words are negated.
    Negated,
    /// Doubt: together with other readings nothing matches, or nothing was found.
    Contradiction,
    /// Refused: no document matches.
    NoDocument,
    /// Refused: no field holds it.
    NoField,
    /// Refused: the filter language has no such comparison.
    NoOperator,
}

impl ReadingReason {
    /// Whether it is a ground to apply a reading.
    pub fn is_ground(self) -> bool {
        use ReadingReason::{AskedFor, Attached, CountsFromToday, Measured, Model, Named, OwnField, Telling};
        matches!(self, Named | Attached | AskedFor | Measured | CountsFromToday | OwnField | Telling | Model)
    }

    /// A word for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Attached => "attached",
            Self::AskedFor => "asked for",
            Self::Measured => "measured",
            Self::CountsFromToday => "counts from today",
            Self::OwnField => "own field",
            Self::Telling => "telling",
            Self::Model => "model",
            Self::SeveralFields => "several fields",
            Self::Ordinary => "ordinary words",
            Self::Negated => "negated",
            Self::Contradiction => "contradiction",
            Self::NoDocument => "no document",
            Self::NoField => "no field",
            Self::NoOperator => "no operator",
        }
    }
}

/// A longer question tells a story; it is searched as it is.
const LONGEST_QUESTION: usize = 400;

impl Understood {
    /// What the question asks about, where it asks what that is or compares it with another.
    pub fn subjects(&self) -> Vec<&str> {
        let defined = match &self.form {
            Some(AnswerForm::Definition(subject)) => Some(subject.as_str()),
            _ => None,
        };
        defined.into_iter().chain(self.parts.iter().filter_map(|part| compared_thing(part))).collect()
    }

    /// A question taken at its word.
    pub fn plainly(question: &str) -> Self {
        Self { text: question.to_owned(), ..Self::default() }
    }

    /// A text with the words of the question spelled as the index spells them.
    pub fn respelled(&self, text: &str) -> String {
        self.spelled.iter().fold(text.to_owned(), |text, Spelling { written, read }| replaced(&text, written, read))
    }

    /// The same question without its filter, which found nothing; what was applied is offered instead.
    #[must_use]
    pub fn withdraw(mut self, question: &str) -> Self {
        let doubted = self.applied.drain(..).map(|reading| Reading { why: ReadingReason::Contradiction, ..reading });
        self.offered.splice(0..0, doubted);
        Self { text: self.respelled(question), filter: None, withdrawn: true, ..self }
    }
}

/// A text with another word in place of one, but not inside of longer words.
fn replaced(text: &str, word: &str, other: &str) -> String {
    let (mut new, mut end) = (String::new(), 0);
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    for (at, _) in text.match_indices(word) {
        let after = at + word.len();
        if !is_letter(text[..at].chars().next_back()) && !is_letter(text[after..].chars().next()) {
            new.extend([&text[end..at], other]);
            end = after;
        }
    }
    new + &text[end..]
}

/// Reads a question against an index on a day.
pub fn understand(question: &str, evidence: &dyn Evidence, today: Date) -> Result<Understood> {
    if question.chars().nth(LONGEST_QUESTION).is_some() {
        return Ok(Understood::plainly(question));
    }
    let text = text::FoldedQuestion::new(question);
    let judged = judge::judge(&text, evidence, today)?;
    let filter = judge::together(&judged);
    let understood = rest::sorted(&text, question, judged, filter);
    match &understood.filter {
        Some(filter) if evidence.matching(filter)? == 0 => Ok(understood.withdraw(question)),
        _ => Ok(understood),
    }
}
