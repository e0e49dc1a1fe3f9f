//! Rows as the lines of `_bulk`.

use crate::client::{ClusterClient, ClusterRequest, json};
use crate::failure::FailedAttempt;
use crate::schema::{TOKENS, dense_field, terms_field};
use okno::Result;
use okno_remote::{Columns, Dimension, UnitBatch, UnitRow};
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;
use std::sync::Arc;

/// Rows, each as its two lines.
pub type RowLines = Vec<String>;

/// Rows of documents or of the ledger; the column `key` is the id.
pub fn rows(columns: &Columns) -> RowLines {
    let text = |text: &str| serde_json::to_string(text).unwrap_or_default(); // a string cannot fail to be written
    let row = |(at, key): (usize, &String)| {
        let mut line = format!("{{\"index\":{{\"_id\":{}}}}}\n", text(key));
        let numbers = columns.numbers.iter().map(|(name, values)| format!("\"{name}\":{}", values[at]));
        let texts = columns.texts.iter().filter(|(name, _)| *name != "key");
        let texts = texts.map(|(name, values)| format!("\"{name}\":{}", text(&values[at])));
        let tokens = columns.tokens.get(at).filter(|tokens| !tokens.is_empty());
        let tokens = tokens.map(|tokens| format!("\"{TOKENS}\":{}", list(tokens)));
        line.push_str(&format!("{{{}}}\n", numbers.chain(texts).chain(tokens).collect::<Vec<_>>().join(",")));
        line
    };
    columns.texts("key").iter().enumerate().map(row).collect()
}

/// Texts as a list in JSON.
fn list(texts: &[String]) -> String {
    serde_json::to_string(texts).unwrap_or_default() // strings cannot fail to be written
}

/// Units of one layer. The id is the key and the place of the run, so that an answer needs nothing else.
pub fn unit_rows(batch: &UnitBatch) -> RowLines {
    let (terms, dense) = (terms_field(batch.code), dense_field(batch.code));
    let mut lines = Vec::with_capacity(batch.rows.len());
    // Rows of a document follow one another, and share its tokens.
    for of_one in batch.rows.chunk_by(|one, next| Arc::ptr_eq(&one.tokens, &next.tokens)) {
        let tokens = of_one.first().map(|row| list(&row.tokens)).unwrap_or_default();
        lines.extend(of_one.iter().map(|row| unit_row(row, &terms, &dense, &tokens)));
    }
    lines
}

fn unit_row(row: &UnitRow, terms: &str, dense: &str, tokens: &str) -> String {
    let mut line = String::with_capacity(256 + row.terms.len() * 9 + row.dense.len() * 4 + tokens.len());
    let UnitRow { key, place, document, section, .. } = row;
    // Writing to a string cannot fail.
    let _ = write!(
        line,
        "{{\"index\":{{\"_id\":\"{key:x}.{place:x}\"}}}}\n{{\"document\":{document},\"section\":{section}"
    );
    if !row.tokens.is_empty() {
        let _ = write!(line, ",\"{TOKENS}\":{tokens}");
    }
    let _ = write!(line, ",\"{terms}\":\"");
    for &(term, count) in &row.terms {
        (0..count.round() as usize).for_each(|_| token(&mut line, term));
    }
    line.push('"');
    if let Some(bytes) = bytes(&row.dense) {
        let _ = write!(line, ",\"{dense}\":[");
        let mut separator = "";
        for byte in bytes {
            let _ = write!(line, "{separator}{byte}");
            separator = ",";
        }
        line.push(']');
    }
    line.push_str("}\n");
    line
}

fn token(line: &mut String, term: Dimension) {
    let _ = write!(line, "{term:x} ");
}

/// A vector as bytes, the largest component 127: the engine compares by cosine, so every vector has a scale of its own,
/// as in a folder. `None` for a vector of zeros, which has no direction.
pub fn bytes(vector: &[f32]) -> Option<impl Iterator<Item = i8>> {
    let largest = vector.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
    (largest > 0.0).then(|| vector.iter().map(move |x| (x / largest * 127.0).round() as i8))
}

/// The answer to rows: one item each, in their order.
#[derive(Deserialize)]
struct BulkAnswer {
    errors: bool,
    #[serde(default)]
    items: Vec<Value>,
}

/// Writes rows; those that were rejected are sent again. `parameters` follow the question mark.
pub fn write(client: &ClusterClient, index: &str, parameters: &str, mut rows: RowLines) -> Result<()> {
    let path = format!("/{index}/_bulk?timeout=10s&filter_path=errors,items.*.error,items.*.status&{parameters}");
    client.retrying(|| {
        let body = rows.concat();
        let answer: BulkAnswer = json(&client.answer(&ClusterRequest::post(path.as_str(), body.as_bytes()))?)?;
        if !answer.errors {
            return Ok(());
        }
        let (rejected, failure) = rejected(&answer.items);
        let Some(failure) = failure else { return Ok(()) };
        if failure.again {
            let mut rejected = rejected.into_iter();
            rows.retain(|_| rejected.next().unwrap_or(true));
        }
        Err(failure)
    })
}

/// For each row whether it was rejected, and what the worst of the rejections means.
fn rejected(items: &[Value]) -> (Vec<bool>, Option<FailedAttempt>) {
    let failure = |item: &Value| {
        let done = item.as_object().and_then(|item| item.values().next())?;
        let status = done["status"].as_u64().unwrap_or(500) as u16;
        (!(200..300).contains(&status)).then(|| FailedAttempt::of_answer(status, &done["error"]))
    };
    let failures: Vec<Option<FailedAttempt>> = items.iter().map(failure).collect();
    let rejected = failures.iter().map(Option::is_some).collect();
    (rejected, failures.into_iter().flatten().min_by_key(|failure| failure.again))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_written_as_lines() {
        let columns = Columns {
            numbers: vec![("born", vec![7])],
            texts: vec![("key", vec!["a/\"0".to_owned()]), ("value", vec!["line\nline".to_owned()])],
            tokens: Vec::new(),
        };
        assert_eq!(rows(&columns), ["{\"index\":{\"_id\":\"a/\\\"0\"}}\n{\"born\":7,\"value\":\"line\\nline\"}\n"]);
        let row = UnitRow {
            key: 26,
            document: 2,
            section: 3,
            place: 31,
            dense: vec![0.5, -0.25, 0.0],
            terms: vec![(255, 2.0), (16, 1.0)],
            length: 3.0,
            tokens: ["t1:a=\"".to_owned()].into(),
        };
        let zero = UnitRow { dense: vec![0.0; 3], terms: Vec::new(), tokens: Arc::default(), ..row.clone() };
        assert_eq!(
            unit_rows(&UnitBatch { code: 0, mean: 1.0, rows: vec![row, zero] }),
            [
                "{\"index\":{\"_id\":\"1a.1f\"}}\n{\"document\":2,\"section\":3,\"tokens\":[\"t1:a=\\\"\"],\
                 \"sentence_terms\":\"ff ff 10 \",\
                 \"sentence_vector\":[127,-64,0]}\n",
                "{\"index\":{\"_id\":\"1a.1f\"}}\n{\"document\":2,\"section\":3,\"sentence_terms\":\"\"}\n"
            ]
        );
    }

    #[test]
    fn only_rejected_rows_are_sent_again() {
        let busy = json!({"index": {"status": 429, "error": {"type": "rejected_execution_exception", "reason": "x"}}});
        let bad = json!({"index": {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "y"}}});
        let done = json!({"index": {"status": 201}});
        let (which, failure) = rejected(&[done.clone(), busy.clone(), done.clone()]);
        assert_eq!((which, failure.map(|failure| failure.again)), (vec![false, true, false], Some(true)));
        assert_eq!(
            rejected(&[busy, bad]).1.map(|failure| failure.again),
            Some(false),
            "one that cannot be stored ends it"
        );
        assert_eq!(rejected(&[done]).1, None);
    }
}
