//! Questions and lookups as `_msearch`: all of them in one round trip.

use crate::bulk::bytes;
use crate::failure::FailedAttempt;
use crate::schema::{WINDOW, dense_field, terms_field};
use okno_remote::{AskedTerm, Columns, Lookup, Near, Nearest, UnitQuestion, is_number};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What is read of an answer.
pub const UNIT_PATH: &str =
    "filter_path=responses.status,responses.error,responses.hits.hits._id,responses.hits.hits._score";
pub const ROW_PATH: &str =
    "filter_path=responses.status,responses.error,responses.hits.hits._id,responses.hits.hits._source";

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
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_source", default)]
    source: HashMap<String, Value>,
}

/// The lines of one search of units, without the index, which stands in the path.
pub fn unit_lines(search: &Nearest, preference: &str) -> String {
    let Nearest { code, question, expression, limit } = search;
    let (kind, query) = match question {
        UnitQuestion::Dense(vector) => {
            let vector: Vec<i8> = bytes(vector).into_iter().flatten().collect();
            let vector = serde_json::to_string(&vector).unwrap_or_default(); // numbers cannot fail to be written
            let field = dense_field(*code);
            (
                "query_then_fetch",
                format!(r#"{{"knn":{{"{field}":{{"vector":{vector},"k":{limit},"filter":{expression}}}}}}}"#),
            )
        }
        UnitQuestion::Lexical(terms) => {
            let field = terms_field(*code);
            let value = |asked: &AskedTerm| json!({"value": format!("{:x}", asked.term), "boost": asked.weight});
            let term = |asked: &AskedTerm| json!({"term": {&field: value(asked)}});
            let should = Value::Array(terms.iter().map(term).collect());
            // Counts and lengths of all shards, not of each by itself.
            (
                "dfs_query_then_fetch",
                format!(r#"{{"bool":{{"must":{{"bool":{{"should":{should}}}}},"filter":{expression}}}}}"#),
            )
        }
    };
    format!(
        "{{\"search_type\":\"{kind}\",\"preference\":\"{preference}\",\"allow_partial_search_results\":false}}\n\
         {{\"size\":{limit},\"_source\":false,\"track_total_hits\":false,\"query\":{query}}}\n"
    )
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
    let source = if fields.is_empty() { json!(false) } else { json!(fields) };
    format!(
        "{{\"index\":\"{index}\",\"allow_partial_search_results\":false}}\n\
         {{\"size\":{WINDOW},\"_source\":{source},\"track_total_hits\":false,\"sort\":[\"_doc\"],\
         \"query\":{{\"bool\":{{\"filter\":{}}}}}}}\n",
        lookup.expression
    )
}

/// Rows as the columns that were asked for.
pub fn columns(mut hits: Vec<RowHit>, fields: &'static [&'static str]) -> Columns {
    let mut columns = Columns::default();
    for &field in fields {
        if is_number(field) {
            let number = |hit: &RowHit| hit.source.get(field).and_then(Value::as_i64).unwrap_or_default();
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
