//! How a question was understood.

use crate::understand;
use serde::Serialize;

/// What a question was understood to say.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Understood))]
pub struct UnderstoodQuestion<'a> {
    /// What is left to search for.
    pub text: &'a str,
    /// The filter that was read from the question.
    pub filter: Option<String>,
    /// What was applied.
    pub applied: Vec<QuestionReading<'a>>,
    /// What might have been meant.
    pub offered: Vec<QuestionReading<'a>>,
    /// What was not taken, and why.
    pub refused: Vec<QuestionReading<'a>>,
    /// Whether the filter found nothing and was withdrawn.
    pub withdrawn: bool,
    /// The words that were taken for others, because no document has them as they were written.
    pub spelled: Vec<SpelledWord<'a>>,
    /// Names that no document has in any spelling.
    pub unknown: &'a [String],
    /// What the question names and nothing that was found has, where that tells that nothing is relevant.
    pub absent: &'a [String],
    /// The parts of the question that were searched for by themselves as well.
    pub parts: &'a [String],
    /// What the answer should look like, where the question says so: `definition`, `steps`, `list`, or the figure asked
    /// for, such as `duration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<&'static str>,
}

/// A word of a question, and the word it was taken for.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SpelledWord<'a> {
    /// As it was written.
    pub written: &'a str,
    /// As it was read.
    pub read: &'a str,
}

impl<'a> From<&'a understand::Understood> for UnderstoodQuestion<'a> {
    fn from(understood: &'a understand::Understood) -> Self {
        let list = |readings: &'a [understand::Reading]| readings.iter().map(QuestionReading::from).collect();
        Self {
            text: &understood.text,
            filter: understood.filter.as_ref().map(ToString::to_string),
            applied: list(&understood.applied),
            offered: list(&understood.offered),
            refused: list(&understood.refused),
            withdrawn: understood.withdrawn,
            spelled: understood.spelled.iter().map(SpelledWord::from).collect(),
            unknown: &understood.unknown,
            absent: &understood.absent,
            parts: &understood.parts,
            form: understood.form.as_ref().map(understand::AnswerForm::name),
        }
    }
}

impl<'a> From<&'a understand::Spelling> for SpelledWord<'a> {
    fn from(spelling: &'a understand::Spelling) -> Self {
        Self { written: &spelling.written, read: &spelling.read }
    }
}

/// Words of a question read as a filter.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Reading))]
pub struct QuestionReading<'a> {
    /// The words.
    pub words: &'a str,
    /// Their first code point in the question.
    pub start: usize,
    /// One past their last.
    pub end: usize,
    /// The filter they say.
    pub filter: Option<String>,
    /// Why it was applied, offered or refused.
    pub why: &'a str,
}

impl<'a> From<&'a understand::Reading> for QuestionReading<'a> {
    fn from(reading: &'a understand::Reading) -> Self {
        Self {
            words: &reading.words,
            start: reading.place.start,
            end: reading.place.end,
            filter: reading.filter.as_ref().map(ToString::to_string),
            why: reading.why.name(),
        }
    }
}
