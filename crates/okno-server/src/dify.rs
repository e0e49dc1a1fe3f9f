//! The external knowledge API of Dify: `POST /retrieval` searches the index that `knowledge_id` names.
//!
//! A record's score is the relevance of its context, which is what a threshold from 0 to 1 means. Conditions on
//! metadata become our filter. Errors have Dify's form, `{"error_code", "error_msg"}`; see [`crate::language`].

use crate::answering::searching;
use crate::api;
use crate::audit::AuditNote;
use crate::code::Code;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::requester::SeenApp;
use axum::Json;
use okno::Answer;
use okno::document::{Comparison, Filter};
use okno::retrieve::QueryRequest;
use okno_document::message::Lang;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// The route.
pub const PATH: &str = "/retrieval";

/// What Dify sends.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DifyQuestion {
    /// The name of an index, as `GET /api/v1/status` lists them.
    #[schema(example = "notes")]
    knowledge_id: String,
    /// The question.
    #[schema(example = "How hot should water for black tea be?")]
    query: String,
    /// How much is returned.
    #[serde(default)]
    retrieval_setting: RetrievalSetting,
    /// Which documents may be searched.
    metadata_condition: Option<MetadataCondition>,
}

/// How much is returned.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct RetrievalSetting {
    /// Records, at most.
    top_k: Option<usize>,
    /// The least relevance, from 0 to 1.
    score_threshold: Option<f32>,
}

/// Conditions on metadata.
#[derive(Debug, Deserialize, ToSchema)]
pub struct MetadataCondition {
    /// `and` or `or`; `and` when there is none.
    logical_operator: Option<String>,
    /// The conditions.
    #[serde(default)]
    conditions: Vec<FieldCondition>,
}

/// A condition on a field.
#[derive(Debug, Deserialize, ToSchema)]
pub struct FieldCondition {
    /// The field; a list of fields in older versions, of which one must match.
    #[schema(value_type = String)]
    name: OneOrMany,
    /// `contains`, `is`, `≥`, `before` and so on.
    comparison_operator: String,
    /// The value; none for `empty` and `not empty`.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    value: Value,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// What is sent back.
#[derive(Debug, Serialize, ToSchema)]
pub struct RetrievedRecords {
    /// The contexts, best first.
    records: Vec<RetrievedRecord>,
}

/// A context.
#[derive(Debug, Serialize, ToSchema)]
pub struct RetrievedRecord {
    /// Its text.
    content: String,
    /// Its relevance, from 0 to 1.
    score: f32,
    /// The document's title, or its name where it has none.
    title: String,
    /// The document's metadata, and the place of the text: `doc_id`, `start`, `end`, `lines`, `page`, `headings`.
    #[schema(value_type = Object)]
    metadata: Value,
}

/// An error as Dify reads it.
#[derive(Debug, Serialize, ToSchema)]
pub struct DifyError {
    /// 1002: the key is missing or wrong. 2001: no such index. Anything else: the HTTP status.
    error_code: u16,
    /// What happened.
    error_msg: String,
}

/// The bytes of an error, in this language.
pub fn error_body(error: &ApiError, lang: Lang) -> Vec<u8> {
    let error_code = match error.code() {
        Code::NoKey | Code::KeyExpired => 1002,
        Code::NoIndex => 2001,
        code => code.status().as_u16(),
    };
    // A number and a text can always be written.
    serde_json::to_vec(&DifyError { error_code, error_msg: error.info(lang).message }).unwrap_or_default()
}

/// Search as an external knowledge base of Dify
#[utoipa::path(post, path = "/retrieval", tag = "search", request_body = DifyQuestion,
    responses((status = 200, body = RetrievedRecords), (status = "4XX", body = DifyError)))]
pub async fn retrieval(
    app: SeenApp,
    note: AuditNote,
    JsonBody(asked, _): JsonBody<DifyQuestion>,
) -> Result<Json<RetrievedRecords>, ApiError> {
    let indexes = vec![app.served(Some(&asked.knowledge_id))?];
    let filter = asked.metadata_condition.as_ref().map(filter).transpose()?.flatten();
    let setting = &asked.retrieval_setting;
    let request = QueryRequest {
        filter: filter.as_ref().map(Filter::to_json),
        k: setting.top_k,
        min_relevance: setting.score_threshold,
        ..QueryRequest::new(asked.query)
    };
    let mut query = api::query_of(&app.limits, &request)?;
    note.question(&query.text);
    // `k` counts hits that grow, which is not what is counted here: records are, once they are made.
    query.k = None;
    let wanted = query.clone();
    let used = indexes.clone();
    let answer = searching(&app, &indexes, &[wanted], move || api::answer(&used, &query)).await?;
    note.documents(answer.contexts.iter().map(|context| context.document.as_str()));
    Ok(Json(RetrievedRecords { records: records(answer, setting.top_k.unwrap_or(usize::MAX)) }))
}

fn records(answer: Answer, most: usize) -> Vec<RetrievedRecord> {
    let record = |context: okno::Context| {
        let mut metadata = context.metadata.to_json();
        let place = json!({
            "doc_id": context.document, "start": context.start, "end": context.end,
            "lines": [context.lines.0, context.lines.1], "page": context.pages.map(|(first, _)| first),
            "headings": context.headings,
        });
        if let (Some(metadata), Value::Object(place)) = (metadata.as_object_mut(), place) {
            metadata.extend(place.into_iter().filter(|(_, value)| !value.is_null()));
        }
        let title = if context.title.is_empty() { context.document } else { context.title };
        RetrievedRecord { content: context.text, score: context.relevance, title, metadata }
    };
    answer.contexts.into_iter().take(most).map(record).collect()
}

/// The filter of conditions; `None` where there are none.
fn filter(condition: &MetadataCondition) -> Result<Option<Filter>, ApiError> {
    let filters = condition.conditions.iter().map(of_condition).collect::<Result<Vec<_>, _>>()?;
    if filters.is_empty() {
        return Ok(None);
    }
    match condition.logical_operator.as_deref().unwrap_or("and") {
        "and" => Ok(Some(Filter::All(filters))),
        "or" => Ok(Some(Filter::Any(filters))),
        other => Err(unreadable("logical_operator", other)),
    }
}

fn of_condition(condition: &FieldCondition) -> Result<Filter, ApiError> {
    match &condition.name {
        OneOrMany::One(field) => of_field(field, condition),
        OneOrMany::Many(fields) => {
            Ok(Filter::Any(fields.iter().map(|field| of_field(field, condition)).collect::<Result<_, _>>()?))
        }
    }
}

fn of_field(field: &str, condition: &FieldCondition) -> Result<Filter, ApiError> {
    use Comparison::{Contains, EndsWith, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual, StartsWith};
    let own = || field.to_owned();
    let values = || literals(&condition.value);
    let first = || values().into_iter().next().unwrap_or_default();
    let compare = |comparison| Filter::Compare(own(), comparison, first());
    let not = |filter| Filter::Not(Box::new(filter));
    Ok(match condition.comparison_operator.as_str() {
        "contains" => compare(Contains),
        "not contains" => not(compare(Contains)),
        "start with" => compare(StartsWith),
        "end with" => compare(EndsWith),
        "is" | "=" => compare(Equal),
        "is not" | "≠" => compare(NotEqual),
        "in" => Filter::In(own(), values()),
        "not in" => not(Filter::In(own(), values())),
        "empty" => not(Filter::Exists(own())),
        "not empty" => Filter::Exists(own()),
        ">" | "after" => compare(Greater),
        "<" | "before" => compare(Less),
        "≥" => compare(GreaterOrEqual),
        "≤" => compare(LessOrEqual),
        other => return Err(unreadable("comparison_operator", other)),
    })
}

fn literals(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(literals).collect(),
        plain => vec![plain.to_string()],
    }
}

fn unreadable(field: &'static str, given: &str) -> ApiError {
    crate::problem::Problem::UnknownOperator { field, given: given.to_owned() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(condition: Value) -> Result<Option<String>, Code> {
        let condition: MetadataCondition = serde_json::from_value(condition).expect("a condition");
        filter(&condition).map(|filter| filter.map(|filter| filter.to_string())).map_err(|error| error.code())
    }

    #[test]
    fn conditions_become_filters() {
        let one = |operator: &str, value: Value| {
            read(json!({"conditions": [{"name": "year", "comparison_operator": operator, "value": value}]}))
        };
        for (operator, value, expected) in [
            ("≥", json!(2023), "year >= 2023"),
            ("is not", json!("x"), "year != x"),
            ("in", json!(["a", "b"]), "year in [a, b]"),
            ("not empty", Value::Null, "year exists"),
            ("start with", json!("20"), "year starts with 20"),
            ("before", json!("2024-01-01"), "year < 2024-01-01"),
        ] {
            let read = one(operator, value).expect(operator).expect("a filter");
            assert_eq!(Filter::parse(&read).expect(&read), Filter::parse(expected).expect(expected));
        }
        assert_eq!(one("resembles", json!("x")), Err(Code::BadFilter));
        assert_eq!(read(json!({"logical_operator": "or", "conditions": []})), Ok(None));
        let nested = json!({"logical_operator": "xor", "conditions": [
            {"name": ["a", "b"], "comparison_operator": "is", "value": "x"}]});
        assert_eq!(read(nested), Err(Code::BadFilter));
    }
}
