//! What a judge said: JSON with one verdict for each subject, or what is wrong with it.

use super::JudgeVerdict;
use okno::generate::structured::object;
use serde::Deserialize;
use serde_json::{Value, json};

/// The best score.
const BEST: u8 = 3;

#[derive(Deserialize)]
struct Said {
    verdicts: Vec<One>,
}

#[derive(Deserialize)]
struct One {
    number: usize,
    score: Value,
    #[serde(default)]
    reason: String,
}

okno::document::messages! {
    /// What is wrong with what a judge said.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum VerdictError {
        /// Another form.
        Form { /** What the reader of JSON says. */ words: String } = "bad_form" =>
            ("it is not the JSON that was asked for ({words})", "不是所要求的 JSON（{words}）"),
        /// A verdict about nothing.
        NoNumber { /** The number. */ number: usize } = "no_number" => ("there is no number {number}", "没有编号 {number}"),
        /// Two verdicts about one thing.
        Twice { /** Its number. */ number: usize } = "judged_twice" =>
            ("number {number} is judged twice", "编号 {number} 被评判了两次"),
        /// A thing without a verdict.
        Missing { /** Its number. */ number: usize } = "not_judged" =>
            ("number {number} is not judged", "编号 {number} 没有评判"),
        /// A score that there is not.
        Score { /** What was given. */ given: String, /** The best. */ best: u8 } = "bad_score" =>
            ("`{given}` is not a score from 0 to {best}", "`{given}` 不是 0 到 {best} 的分数"),
        /// A verdict without a reason.
        NoReason { /** Its number. */ number: usize } = "no_reason" =>
            ("number {number} has no reason", "编号 {number} 没有理由"),
    }
}

/// What an answer must look like. The reason comes before the score, so that the judge thinks before it decides.
pub fn schema() -> Value {
    let verdict = object(&json!({
        "number": {"type": "integer"},
        "reason": {"type": "string"},
        "score": {"type": "integer", "enum": [0, 1, 2, 3]},
    }));
    object(&json!({"verdicts": {"type": "array", "items": verdict}}))
}

/// One verdict for each subject, in order; or what is wrong.
pub fn verdicts(said: &Value, subjects: &[String]) -> Result<Vec<JudgeVerdict>, VerdictError> {
    let said = Said::deserialize(said).map_err(|error| VerdictError::Form { words: error.to_string() })?;
    let mut found: Vec<Option<JudgeVerdict>> = vec![None; subjects.len()];
    for one in said.verdicts {
        let place = one.number.checked_sub(1).and_then(|at| found.get_mut(at));
        let place = place.ok_or(VerdictError::NoNumber { number: one.number })?;
        if place.is_some() {
            return Err(VerdictError::Twice { number: one.number });
        }
        let about = subjects[one.number - 1].clone();
        *place = Some(JudgeVerdict { about, score: score(&one.score)?, reason: reason(&one.reason, one.number)? });
    }
    let missing = found.iter().position(Option::is_none);
    missing
        .map_or_else(|| Ok(found.into_iter().flatten().collect()), |at| Err(VerdictError::Missing { number: at + 1 }))
}

fn score(value: &Value) -> Result<f64, VerdictError> {
    let number = value.as_u64().filter(|score| *score <= u64::from(BEST));
    let wrong = || VerdictError::Score { given: value.to_string(), best: BEST };
    number.map(|score| score as f64 / f64::from(BEST)).ok_or_else(wrong)
}

fn reason(text: &str, number: usize) -> Result<String, VerdictError> {
    let text = text.trim();
    if text.is_empty() { Err(VerdictError::NoReason { number }) } else { Ok(text.to_owned()) }
}
