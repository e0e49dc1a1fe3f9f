//! What a judge said: JSON with one verdict for each subject, or a sentence why it is not.

use super::Verdict;
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
pub fn verdicts(said: &Value, subjects: &[String]) -> Result<Vec<Verdict>, String> {
    let said = Said::deserialize(said).map_err(|error| format!("it is not the JSON that was asked for ({error})"))?;
    let mut found: Vec<Option<Verdict>> = vec![None; subjects.len()];
    for one in said.verdicts {
        let place = one.number.checked_sub(1).and_then(|at| found.get_mut(at));
        let place = place.ok_or_else(|| format!("there is no number {}", one.number))?;
        if place.is_some() {
            return Err(format!("number {} is judged twice", one.number));
        }
        let about = subjects[one.number - 1].clone();
        *place = Some(Verdict { about, score: score(&one.score)?, reason: reason(&one.reason, one.number)? });
    }
    let missing = found.iter().position(Option::is_none);
    missing
        .map_or_else(|| Ok(found.into_iter().flatten().collect()), |at| Err(format!("number {} is not judged", at + 1)))
}

fn score(value: &Value) -> Result<f64, String> {
    let number = value.as_u64().filter(|score| *score <= u64::from(BEST));
    number.map(|score| score as f64 / f64::from(BEST)).ok_or_else(|| format!("`{value}` is no score from 0 to {BEST}"))
}

fn reason(text: &str, number: usize) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() { Err(format!("number {number} has no reason")) } else { Ok(text.to_owned()) }
}
