//! Questions and lookups as `_msearch`: all of them in one round trip.

use crate::bulk::bytes;
use crate::failure::FailedAttempt;
use crate::schema::{WINDOW, dense_field, terms_field};
use okno_remote::{AskedTerm, Columns, Lookup, Near, Nearest, UnitQuestion, is_number};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What is read of an answer.
pub const UNIT_PATH: &str =
    "filter_path=responses.status,responses.error,responses.hits.hits._id,responses.hits.hits._score";
pub const ROW_PATH: &str = "filter_path=responses.status,responses.error,responses.hits.hits._id,\
    responses.hits.hits._source,responses.hits.hits.fields";

/// The answers to several questions, in their order.
#[derive(Deserialize)]
#[serde(bound(deserialize = "H: Deserialize<'de>"))]
pub struct MultiAnswer<H> {
    responses: Vec<OneAnswer<H>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "H: Deserialize<'de>"))]
struct OneAnswer<H> {
    status: u16,
    #[serde(default)]
    error: Value,
    #[serde(default = "no_hits")]
    hits: HitList<H>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "H: Deserialize<'de>"))]
struct HitList<H> {
    #[serde(default = "Vec::new")]
    hits: Vec<H>,
}

fn no_hits<H>() -> HitList<H> {
    HitList { hits: Vec::new() }
}

impl<H> MultiAnswer<H> {
    /// The hits of each; an error if one failed.
    pub fn hits(self) -> Result<Vec<Vec<H>>, FailedAttempt> {
        let hits = |answer: OneAnswer<H>| match answer.status {
            200..300 => Ok(answer.hits.hits),
            status => Err(FailedAttempt::of_answer(status, &answer.error)),
        };
        self.responses.into_iter().map(hits).collect()
    }
}

/// A unit found.
#[derive(Deserialize)]
pub struct UnitHit<'a> {
    #[serde(rename = "_id", borrow)]
    id: Cow<'a, str>,
    #[serde(rename = "_score")]
    score: f32,
}

/// A row found.
#[derive(Deserialize)]
pub struct RowHit {
    #[serde(rename = "_id", default)]
    id: String,
    #[serde(rename = "_source", default)]
    source: HashMap<String, Value>,
    /// Numbers that were read without the row.
    #[serde(default)]
    fields: HashMap<String, Vec<i64>>,
}

/// Numbers that can be read by themselves, without the row and the texts in it.
const NUMBERS: [&str; 4] = ["document", "born", "content", "kind"];

/// The lines of all searches of units, without the index, which stands in the path.
pub fn unit_lines(searches: &[Nearest], preference: &str) -> String {
    let mut lines = String::new();
    // All rankings by vectors ask for the same vector.
    let mut written: Option<(&[f32], String)> = None;
    for Nearest { code, question, expression, limit } in searches {
        let (kind, query) = match question {
            UnitQuestion::Dense(vector) => {
                if written.as_ref().is_none_or(|(last, _)| *last != vector.as_slice()) {
                    let bytes: Vec<i8> = bytes(vector).into_iter().flatten().collect();
                    // Numbers cannot fail to be written.
                    written = Some((vector, serde_json::to_string(&bytes).unwrap_or_default()));
                }
                let vector = written.as_ref().map_or("[]", |(_, text)| text);
                let field = dense_field(*code);
                (
                    "query_then_fetch",
                    format!(r#"{{"knn":{{"{field}":{{"vector":{vector},"k":{limit},"filter":{expression}}}}}}}"#),
                )
            }
            UnitQuestion::Lexical(terms) => {
                let should = term_clauses(&terms_field(*code), terms);
                // Counts and lengths of all shards, not of each by itself.
                (
                    "dfs_query_then_fetch",
                    format!(r#"{{"bool":{{"must":{{"bool":{{"should":[{should}]}}}},"filter":{expression}}}}}"#),
                )
            }
        };
        // Writing to a string cannot fail.
        let _ = write!(
            lines,
            "{{\"search_type\":\"{kind}\",\"preference\":\"{preference}\",\"allow_partial_search_results\":false}}\n\
             {{\"size\":{limit},\"_source\":false,\"track_total_hits\":false,\"query\":{query}}}\n"
        );
    }
    lines
}

fn term_clauses(field: &str, terms: &[AskedTerm]) -> String {
    let mut clauses = String::new();
    let mut separator = "";
    for AskedTerm { term, weight, .. } in terms {
        let _ = write!(clauses, r#"{separator}{{"term":{{"{field}":{{"value":"{term:x}","boost":{weight}}}}}}}"#);
        separator = ",";
    }
    clauses
}

/// The same question is answered by the same copies of the shards: copies may differ in what they have not merged yet,
/// and with it in how rare a term is to them. Different questions go to different copies.
pub fn preference(searches: &[Nearest]) -> String {
    let mut hasher = DefaultHasher::new();
    for search in searches {
        match &search.question {
            UnitQuestion::Dense(vector) => vector.iter().for_each(|x| x.to_bits().hash(&mut hasher)),
            UnitQuestion::Lexical(terms) => terms.iter().for_each(|asked| asked.term.hash(&mut hasher)),
        }
    }
    format!("okno{:x}", hasher.finish())
}

/// What a hit of a question means; `bm25` is what the engine's scores lack.
pub fn near(hit: &UnitHit<'_>, question: &UnitQuestion, bm25: f32) -> Option<Near> {
    let (key, place) = hit.id.split_once('.')?;
    let score = match question {
        // The engine has no scores below 0: it gives half of 1 + cosine.
        UnitQuestion::Dense(_) => 2.0 * hit.score - 1.0,
        UnitQuestion::Lexical(_) => hit.score * bm25,
    };
    Some(Near { key: i64::from_str_radix(key, 16).ok()?, place: i64::from_str_radix(place, 16).ok()?, score })
}

/// The lines of one lookup.
pub fn row_lines(lookup: &Lookup, index: &str) -> String {
    let fields: Vec<&str> = lookup.fields.iter().copied().filter(|field| *field != "key").collect();
    let wanted = if fields.is_empty() {
        "\"_source\":false".to_owned()
    } else if lookup.fields.iter().all(|field| NUMBERS.contains(field)) {
        format!("\"stored_fields\":\"_none_\",\"docvalue_fields\":{}", json!(fields))
    } else {
        format!("\"_source\":{}", json!(fields))
    };
    let (size, expression) = (lookup.most.unwrap_or(WINDOW), &lookup.expression);
    format!(
        "{{\"index\":\"{index}\",\"allow_partial_search_results\":false}}\n\
         {{\"size\":{size},{wanted},\"track_total_hits\":false,\"sort\":[\"_doc\"],\
         \"query\":{{\"bool\":{{\"filter\":{expression}}}}}}}\n"
    )
}

/// Rows as the columns that were asked for.
pub fn columns(mut hits: Vec<RowHit>, fields: &'static [&'static str]) -> Columns {
    let mut columns = Columns::default();
    for &field in fields {
        if is_number(field) {
            let number = |hit: &RowHit| {
                let by_itself = || hit.fields.get(field).and_then(|values| values.first().copied());
                hit.source.get(field).and_then(Value::as_i64).or_else(by_itself).unwrap_or_default()
            };
            columns.numbers.push((field, hits.iter().map(number).collect()));
        } else if field == "key" {
            columns.texts.push((field, hits.iter_mut().map(|hit| std::mem::take(&mut hit.id)).collect()));
        } else {
            let text = |hit: &mut RowHit| match hit.source.get_mut(field).map(Value::take) {
                Some(Value::String(text)) => text,
                _ => String::new(),
            };
            columns.texts.push((field, hits.iter_mut().map(text).collect()));
        }
    }
    columns
}
