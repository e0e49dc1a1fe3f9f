//! Conditions as filter clauses of OpenSearch, in JSON.

use crate::schema::TOKENS;
use okno_remote::{RowCondition, RunLimits};
use serde_json::{Value, json};

/// What one clause may name: a query has at most 1,024 parts, a list of values at most 65,536 values.
pub const MOST: RunLimits = RunLimits { ranges: 400, singles: 30_000 };

/// A condition as OpenSearch reads it.
pub fn clause(condition: &RowCondition) -> Value {
    match condition {
        RowCondition::In(field, numbers) => json!({"terms": {*field: numbers}}),
        RowCondition::From(field, from) => json!({"range": {*field: {"gte": from}}}),
        RowCondition::Below(field, below) => json!({"range": {*field: {"lt": below}}}),
        RowCondition::Named(field, names) => json!({"terms": {*field: names}}),
        RowCondition::NamedFrom(field, from, below) => json!({"range": {*field: {"gte": from, "lt": below}}}),
        RowCondition::All(all) => match all.as_slice() {
            [RowCondition::From(field, from), RowCondition::Below(other, below)] if field == other => {
                json!({"range": {*field: {"gte": from, "lt": below}}})
            }
            all => json!({"bool": {"filter": clauses(all)}}),
        },
        // Without a clause it would match everything.
        RowCondition::Any(any) if any.is_empty() => json!({"match_none": {}}),
        RowCondition::Any(any) => json!({"bool": {"should": clauses(any)}}),
        RowCondition::Not(not) => json!({"bool": {"must_not": clause(not)}}),
        RowCondition::Has(tokens) => json!({"terms": {TOKENS: tokens}}),
        RowCondition::HasFrom(from, below) => json!({"range": {TOKENS: {"gte": from, "lt": below}}}),
        RowCondition::HasLike { begins, then, ends } => {
            let after = if *ends || then.is_empty() { "" } else { "*" };
            json!({"wildcard": {TOKENS: {"value": format!("{}*{}{after}", escaped(begins), escaped(then))}}})
        }
    }
}

/// A text in a pattern, as it is.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| matches!(c, '*' | '?' | '\\').then_some('\\').into_iter().chain([c])).collect()
}

fn clauses(conditions: &[RowCondition]) -> Vec<Value> {
    conditions.iter().map(clause).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno_remote::{Numbers, visible};

    #[test]
    fn clauses_read_as_expected() {
        let seen = |allowed: &[u32], dead: &[u32]| -> Vec<String> {
            let (allowed, dead): (Numbers, Numbers) =
                (allowed.iter().copied().collect(), dead.iter().copied().collect());
            visible(9, &dead, Some(&allowed), MOST).iter().map(|condition| clause(condition).to_string()).collect()
        };
        assert_eq!(
            seen(&[1, 2, 3, 7], &[]),
            [r#"{"bool":{"should":[{"range":{"document":{"gte":1,"lt":4}}},{"terms":{"document":[7]}}]}}"#]
        );
        assert_eq!(
            seen(&[0, 2, 4, 5, 6, 7, 8], &[]),
            [json!({"bool": {"filter": [
                {"range": {"document": {"lt": 9}}},
                {"bool": {"must_not": {"terms": {"document": [1, 3]}}}},
            ]}})
            .to_string()]
        );
        let like = |ends| RowCondition::HasLike { begins: "t1:a=".to_owned(), then: "1*\\".to_owned(), ends };
        assert_eq!(clause(&like(true)).to_string(), r#"{"wildcard":{"tokens":{"value":"t1:a=*1\\*\\\\"}}}"#);
        assert_eq!(clause(&like(false)).to_string(), r#"{"wildcard":{"tokens":{"value":"t1:a=*1\\*\\\\*"}}}"#);
        assert_eq!(clause(&RowCondition::Any(Vec::new())).to_string(), r#"{"match_none":{}}"#);
        let named = RowCondition::Named("base", vec!["a\"}".to_owned()]);
        assert_eq!(clause(&named).to_string(), r#"{"terms":{"base":["a\"}"]}}"#);
    }
}
