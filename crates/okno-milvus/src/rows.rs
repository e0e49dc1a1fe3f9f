//! Reading rows by what they hold, however long the answer is.
//!
//! The client takes no message of more than 4 MB, which some hundred long documents are. Where an answer is longer,
//! the keys of its rows are asked for, which are short, and then the rows by their keys, half as many where that is too
//! long.

use milvus::v2::error::Error as SdkError;
use milvus::v2::prelude::{ClientV2, ConsistencyLevel, FieldData, QueryRequest};
use okno_remote::{Columns, Lookup};
use tonic::Code;

/// Keys in one expression, at most: about 60 kB of text.
const KEYS: usize = 2000;

/// The rows that a lookup is for.
pub async fn look_up(sdk: ClientV2, collection: String, lookup: Lookup) -> Result<Columns, SdkError> {
    match query(&sdk, &collection, &lookup.expression, lookup.fields, lookup.most).await {
        Err(error) if is_too_long(&error) => by_key(&sdk, &collection, &lookup).await,
        answer => answer,
    }
}

async fn by_key(sdk: &ClientV2, collection: &str, lookup: &Lookup) -> Result<Columns, SdkError> {
    let keys = query(sdk, collection, &lookup.expression, &["key"], lookup.most).await?;
    let mut left: Vec<&[String]> = keys.texts("key").chunks(KEYS).rev().collect();
    let mut rows = Columns::default();
    while let Some(some) = left.pop() {
        match query(sdk, collection, &among(some), lookup.fields, None).await {
            Err(error) if is_too_long(&error) && some.len() > 1 => {
                let (first, second) = some.split_at(some.len() / 2);
                left.extend([second, first]);
            }
            answer => append(&mut rows, answer?),
        }
    }
    Ok(rows)
}

async fn query(
    sdk: &ClientV2,
    collection: &str,
    expression: &str,
    fields: &'static [&'static str],
    most: Option<usize>,
) -> Result<Columns, SdkError> {
    let request = QueryRequest::builder()
        .collection_name(collection)
        .filter(expression)
        .output_fields(fields.iter().copied())
        .consistency_level(ConsistencyLevel::Strong);
    let request = match most {
        Some(most) => request.limit(most as i64).build(),
        None => request.build(),
    };
    let answer = sdk.query(request?).await?;
    Ok(columns(fields, answer.results().get_output_fields()))
}

fn columns(fields: &'static [&'static str], data: &[FieldData]) -> Columns {
    let mut columns = Columns::default();
    for column in data {
        let named = |own: &str| fields.iter().copied().find(|field| *field == own);
        match column {
            FieldData::Int64 { name, values } => columns.numbers.extend(named(name).map(|name| (name, values.clone()))),
            FieldData::VarChar { name, values } => columns.texts.extend(named(name).map(|name| (name, values.clone()))),
            _ => {}
        }
    }
    columns
}

fn append(rows: &mut Columns, more: Columns) {
    fn add<T>(all: &mut Vec<(&'static str, Vec<T>)>, more: Vec<(&'static str, Vec<T>)>) {
        for (name, values) in more {
            match all.iter_mut().find(|(own, _)| *own == name) {
                Some((_, known)) => known.extend(values),
                None => all.push((name, values)),
            }
        }
    }
    add(&mut rows.numbers, more.numbers);
    add(&mut rows.texts, more.texts);
}

/// Keys are made of digits and letters.
fn among(keys: &[String]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("\"{key}\"")).collect();
    format!("key in [{}]", quoted.join(","))
}

/// Whether the client did not read an answer because of its length.
fn is_too_long(error: &SdkError) -> bool {
    match error {
        SdkError::Grpc(status) => status.code() == Code::OutOfRange && status.message().contains("length too large"),
        SdkError::RetryExhausted { source, .. } => is_too_long(source),
        _ => false,
    }
}
