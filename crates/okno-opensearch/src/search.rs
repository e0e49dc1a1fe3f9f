//! Questions and lookups as `_msearch`: all of them in one round trip.

use crate::bulk::bytes;
use crate::client::json as read_json;
use crate::failure::FailedAttempt;
use crate::schema::{WINDOW, dense_field, terms_field};
use okno_remote::{AskedTerm, Columns, Lookup, Near, Nearest, UnitQuestion, is_number};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
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
#[derive(Debug, PartialEq, Deserialize)]
pub struct UnitHit {
    #[serde(rename = "_id", deserialize_with = "unit_id")]
    id: Option<(i64, i64)>,
    #[serde(rename = "_score")]
    score: f32,
}

/// The key and the place of a unit, read from its id without keeping the text: a question has thousands of hits.
fn unit_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<(i64, i64)>, D::Error> {
    struct IdVisitor;

    impl Visitor<'_> for IdVisitor {
        type Value = Option<(i64, i64)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the id of a unit")
        }

        fn visit_str<E>(self, id: &str) -> Result<Self::Value, E> {
            let point = id.bytes().position(|byte| byte == b'.');
            Ok(point.and_then(|at| Some((hexadecimal(&id.as_bytes()[..at])?, hexadecimal(&id.as_bytes()[at + 1..])?))))
        }
    }

    deserializer.deserialize_str(IdVisitor)
}

/// A number of at most 64 bits, as it was written.
fn hexadecimal(digits: &[u8]) -> Option<i64> {
    let digit = |number: i64, &digit: &u8| match digit {
        b'0'..=b'9' => Some(number << 4 | i64::from(digit - b'0')),
        b'a'..=b'f' => Some(number << 4 | i64::from(digit - b'a' + 10)),
        _ => None,
    };
    (1..=16).contains(&digits.len()).then(|| digits.iter().try_fold(0, digit)).flatten()
}

/// The units of each answer: read as the engine writes them, and as any JSON where it writes something else.
pub fn unit_hits(body: &[u8]) -> Result<Vec<Vec<UnitHit>>, FailedAttempt> {
    match UnitScanner(body).answers() {
        Some(answers) => Ok(answers),
        None => read_json::<MultiAnswer<UnitHit>>(body)?.hits(),
    }
}

/// Reads answers of one exact form, several times as fast as a reader of any JSON: thousands of hits are most of what a
/// question with parts costs the client.
struct UnitScanner<'b>(&'b [u8]);

impl<'b> UnitScanner<'b> {
    /// `None` where the form is another, as it is where a search failed.
    fn answers(mut self) -> Option<Vec<Vec<UnitHit>>> {
        self.skip(b"{\"responses\":[")?;
        let mut answers = Vec::new();
        loop {
            answers.push(self.answer()?);
            if self.skip(b",").is_none() {
                self.skip(b"]}")?;
                return self.0.is_empty().then_some(answers);
            }
        }
    }

    fn answer(&mut self) -> Option<Vec<UnitHit>> {
        let mut hits = Vec::new();
        self.skip(b"{")?;
        if self.skip(b"\"hits\":{\"hits\":[").is_some() {
            loop {
                hits.push(self.hit()?);
                if self.skip(b",").is_none() {
                    break self.skip(b"]},")?;
                }
            }
        }
        self.skip(b"\"status\":200}")?;
        Some(hits)
    }

    fn hit(&mut self) -> Option<UnitHit> {
        self.skip(b"{\"_id\":\"")?;
        let key = hexadecimal(self.until(b'.')?)?;
        let place = hexadecimal(self.until(b'"')?)?;
        self.skip(b",\"_score\":")?;
        let score = std::str::from_utf8(self.until(b'}')?).ok()?.parse().ok()?;
        Some(UnitHit { id: Some((key, place)), score })
    }

    fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    /// What comes before a byte, which is passed over.
    fn until(&mut self, end: u8) -> Option<&'b [u8]> {
        let at = self.0.iter().position(|byte| *byte == end)?;
        let (before, after) = self.0.split_at(at);
        self.0 = &after[1..];
        Some(before)
    }
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
pub fn near(hit: &UnitHit, question: &UnitQuestion, bm25: f32) -> Option<Near> {
    let (key, place) = hit.id?;
    let score = match question {
        // The engine has no scores below 0: it gives half of 1 + cosine.
        UnitQuestion::Dense(_) => 2.0 * hit.score - 1.0,
        UnitQuestion::Lexical(_) => hit.score * bm25,
    };
    Some(Near { key, place, score })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_from_their_ids() {
        let answer = r#"{"responses":[{"hits":{"hits":[{"_id":"1a.fff0000000a","_score":0.75},{"_id":"1a","_score":1}]},
            "status":200},{"status":200}]}"#;
        let hits = serde_json::from_str::<MultiAnswer<UnitHit>>(answer).unwrap().hits().unwrap();
        let near = |hit| near(hit, &UnitQuestion::Dense(Vec::new()), 1.0);
        assert_eq!(
            hits[0].iter().map(near).collect::<Vec<_>>(),
            [Some(Near { key: 26, place: 0xfff_0000_000a, score: 0.5 }), None]
        );
        assert!(hits[1].is_empty());
        assert!(UnitScanner(answer.as_bytes()).answers().is_none(), "an id without a place is no unit");
        let whole: String = answer.replace("\"1a\"", "\"1b.2\"").split_whitespace().collect();
        let read = serde_json::from_str::<MultiAnswer<UnitHit>>(&whole).unwrap().hits().unwrap();
        assert_eq!(UnitScanner(whole.as_bytes()).answers(), Some(read));
        assert!(UnitScanner(&whole.as_bytes()[..whole.len() - 1]).answers().is_none());
        let failed = whole.replace("{\"status\":200}", "{\"error\":{\"type\":\"x\"},\"status\":400}");
        assert!(UnitScanner(failed.as_bytes()).answers().is_none() && unit_hits(failed.as_bytes()).is_err());
        assert_eq!(hexadecimal(b"7fffffffffffffff"), Some(i64::MAX));
        for wrong in [&b""[..], b"g", b"-1", b"A", b"12345678123456781"] {
            assert_eq!(hexadecimal(wrong), None);
        }
    }
}
