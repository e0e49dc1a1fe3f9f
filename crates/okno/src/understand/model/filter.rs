//! A filter that a model read from a question, believed only as far as the index bears it out.
//!
//! The model is shown the fields of the index, their kinds and values, and gives conditions. A condition on a
//! field that the index has not, or with an operator that the filter language has not, is refused and
//! shown, as is one that no document meets; the others are applied. A question of which nothing is
//! applied is searched exactly as it was asked.

use super::super::{Evidence, Reading, ReadingReason, Understood};
use super::{Step, StepRequest, Taken, take};
use crate::Result;
use crate::document::{Catalogue, Date, Field, FieldKind, Filter};
use crate::generate::Asker;
use crate::generate::structured::{FormError, list, object, text};
use crate::message::Reason;
use serde_json::{Value, json};
use std::ops::Range;

/// Fields, and values of each, that a model is shown.
const FIELDS: usize = 60;
const VALUES: usize = 30;

/// Fields that every document has, beside its metadata.
const EVERY_DOCUMENT: [&str; 2] = ["title", "language"];

/// What a model says a question asks of documents.
#[derive(Debug, Clone, PartialEq)]
struct Condition {
    words: String,
    field: String,
    operator: String,
    value: Value,
}

/// Reads a question against an index with a model's help; `None` where the model gave nothing usable.
pub fn read(
    question: &str,
    evidence: &dyn Evidence,
    today: Date,
    asker: Option<Asker<'_>>,
) -> Result<(Option<Understood>, Taken)> {
    let (fields, today) = (fields(evidence.catalogue()), today.to_string());
    let values = [("fields", fields.as_str()), ("today", today.as_str())];
    let shown = |(conditions, _): &(Vec<Condition>, String)| conditions.iter().map(Condition::shown).collect();
    let asking = StepRequest { step: Step::Filter, question, more: &values, schema: schema() };
    let (gave, taken) = take(asking, asker, &check, shown);
    let understood = gave.map(|(conditions, rest)| judged(question, conditions, &rest, evidence)).transpose()?;
    Ok((understood, taken))
}

/// `- category: one of 素菜, 汤`, a line for each field.
fn fields(catalogue: &Catalogue) -> String {
    let line = |(name, field): (&str, &Field)| format!("- {name}: {}", kind(field));
    let every = EVERY_DOCUMENT.iter().map(|name| format!("- {name}: text"));
    let known = catalogue.fields().filter(|(name, _)| !EVERY_DOCUMENT.contains(name)).take(FIELDS).map(line);
    known.chain(every).collect::<Vec<_>>().join("\n")
}

fn kind(field: &Field) -> String {
    let several = if field.list { ", several per document" } else { "" };
    match (field.kind, field.range) {
        (FieldKind::Category, _) => {
            let values: Vec<&str> = field.values.iter().take(VALUES).map(String::as_str).collect();
            let more = if field.values.len() > VALUES { ", …" } else { "" };
            format!("one of {}{more}{several}", values.join(", "))
        }
        (FieldKind::Number, Some((least, most))) => format!("a number from {least} to {most}{several}"),
        (FieldKind::Number, None) => format!("a number{several}"),
        (FieldKind::Date, _) => format!("a date, as 2023-07-28{several}"),
        (FieldKind::Truth, _) => format!("true or false{several}"),
        (FieldKind::Prose, _) => format!("text{several}"),
    }
}

fn schema() -> Value {
    let text = json!({"type": "string"});
    let value = json!({"type": ["string", "number", "boolean"]});
    let condition = object(&json!({"words": text, "field": text, "operator": text, "value": value}));
    object(&json!({"conditions": {"type": "array", "items": condition}, "query": text}))
}

/// The shape of an answer; what its conditions are worth, the index says.
fn check(answer: &Value) -> Result<(Vec<Condition>, String), Reason> {
    let no_value = || FormError::Missing { field: "value".to_owned() };
    let condition = |json: &Value| {
        Ok(Condition {
            words: text(json, "words").unwrap_or_default(),
            field: text(json, "field")?,
            operator: text(json, "operator")?,
            value: json.get("value").filter(|value| !value.is_null()).ok_or_else(no_value)?.clone(),
        })
    };
    let conditions = list(answer, "conditions")?.iter().map(condition).collect::<Result<_, FormError>>()?;
    Ok((conditions, text(answer, "query").unwrap_or_default()))
}

impl Condition {
    fn shown(&self) -> String {
        let value = self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned);
        format!("{} {} {value}", self.field, self.operator)
    }

    /// The filter, or the doubt for which it is none.
    fn filter(&self, catalogue: &Catalogue) -> Result<Filter, ReadingReason> {
        if catalogue.field(&self.field).is_none() && !EVERY_DOCUMENT.contains(&self.field.as_str()) {
            return Err(ReadingReason::NoField);
        }
        let json = json!({ &self.field: { &self.operator: &self.value } });
        Filter::from_json(&json).map_err(|_| ReadingReason::NoOperator)
    }
}

/// Sorts conditions into applied and refused ones.
fn judged(question: &str, conditions: Vec<Condition>, rest: &str, evidence: &dyn Evidence) -> Result<Understood> {
    let mut understood = Understood::plainly(question);
    for condition in conditions {
        let reading = |filter, why| Reading {
            words: if condition.words.is_empty() { condition.shown() } else { condition.words.clone() },
            place: place(question, &condition.words),
            filter,
            why,
        };
        match condition.filter(evidence.catalogue()) {
            Err(why) => understood.refused.push(Reading { words: condition.shown(), ..reading(None, why) }),
            // The caller's own filter says what is meant.
            Ok(_) if evidence.is_given(&condition.field) => {}
            Ok(filter) if evidence.matching(&filter)? == 0 => {
                understood.refused.push(reading(Some(filter), ReadingReason::NoDocument));
            }
            Ok(filter) => understood.applied.push(reading(Some(filter), ReadingReason::Model)),
        }
    }
    let filters = understood.applied.iter().filter_map(|reading| reading.filter.clone());
    understood.filter = filters.reduce(Filter::and);
    if let Some(filter) = &understood.filter {
        if evidence.matching(filter)? == 0 {
            return Ok(understood.withdraw(question));
        }
        if rest.chars().any(char::is_alphanumeric) {
            rest.clone_into(&mut understood.text);
        }
    }
    Ok(understood)
}

/// Where words stand in a question, in code points; at its beginning where they do not.
fn place(question: &str, words: &str) -> Range<usize> {
    let Some(at) = question.find(words).filter(|_| !words.is_empty()) else { return 0..0 };
    let start = question[..at].chars().count();
    start..start + words.chars().count()
}

#[cfg(test)]
mod tests {
    use super::super::tests::asker;
    use super::*;
    use crate::document::{DocumentId, Metadata, Record, Value as Known};
    use crate::generate::scripted::Scripted;

    struct Cookbook {
        records: Vec<Record>,
        catalogue: Catalogue,
    }

    impl Cookbook {
        fn new() -> Self {
            let dishes = [("素菜", 20.0), ("汤", 40.0), ("素菜", 5.0)];
            let record = |(category, minutes): (&str, f64)| {
                let mut metadata = Metadata::default();
                metadata.set("category", Known::Text(category.to_owned()));
                metadata.set("minutes", Known::Number(minutes));
                let id = DocumentId { root: String::new(), path: String::new(), member: None };
                Record { id, title: String::new(), language: None, metadata, hash: 0, bytes: 0, sentences: 0 }
            };
            let records: Vec<Record> = dishes.into_iter().map(record).collect();
            let catalogue = Catalogue::new(records.iter(), str::to_lowercase);
            Self { records, catalogue }
        }
    }

    impl Evidence for Cookbook {
        fn catalogue(&self) -> &Catalogue {
            &self.catalogue
        }

        fn matching(&self, filter: &Filter) -> Result<usize> {
            Ok(self.records.iter().filter(|record| filter.matches(&|name: &str| record.field(name))).count())
        }

        fn said_elsewhere(&self, _: &str, _: &Filter) -> Result<bool> {
            Ok(true)
        }

        fn is_given(&self, _: &str) -> bool {
            false
        }
    }

    const TODAY: Date = Date { year: 2024, month: 3, day: 1 };

    fn understood(question: &str, says: &str) -> (Option<Understood>, Taken) {
        let model = Scripted::saying(&[says, says]);
        let found = read(question, &Cookbook::new(), TODAY, asker(&model)).unwrap();
        let asked = model.asked()[0].messages[1].text.clone();
        assert!(
            asked.contains("- category: one of 汤, 素菜") && asked.contains("- minutes: a number from 5 to 40"),
            "{asked}"
        );
        assert!(asked.contains("2024-03-01"), "{asked}");
        found
    }

    #[test]
    fn what_the_index_bears_out_is_applied() {
        let says = r#"{"conditions": [
            {"words": "十分钟以内", "field": "minutes", "operator": "<=", "value": 10},
            {"words": "素菜", "field": "category", "operator": "=", "value": "素菜"}], "query": "怎么做"}"#;
        let found = understood("十分钟以内的素菜怎么做", says).0.unwrap();
        assert_eq!(found.filter.unwrap().to_string(), "minutes <= 10 and category = 素菜");
        assert_eq!((found.text.as_str(), found.applied[1].place.clone()), ("怎么做", 6..8));
    }

    #[test]
    fn unknown_fields_and_operators_are_refused_and_shown() {
        let says = r#"{"conditions": [
            {"words": "鲁迅", "field": "author", "operator": "=", "value": "鲁迅"},
            {"words": "像汤", "field": "category", "operator": "resembles", "value": "汤"},
            {"words": "甜品", "field": "category", "operator": "=", "value": "甜品"}], "query": "x"}"#;
        let found = understood("鲁迅的像汤的甜品", says).0.unwrap();
        let refused: Vec<(&str, ReadingReason)> = found.refused.iter().map(|r| (r.words.as_str(), r.why)).collect();
        let expected = [
            ("author = 鲁迅", ReadingReason::NoField),
            ("category resembles 汤", ReadingReason::NoOperator),
            ("甜品", ReadingReason::NoDocument),
        ];
        assert_eq!(refused, expected);
        assert_eq!((found.filter, found.text.as_str()), (None, "鲁迅的像汤的甜品"), "searched as it was asked");
    }

    #[test]
    fn conditions_that_together_leave_nothing_are_withdrawn() {
        let says = r#"{"conditions": [
            {"words": "汤", "field": "category", "operator": "=", "value": "汤"},
            {"words": "快", "field": "minutes", "operator": "<", "value": "10"}], "query": "做法"}"#;
        let found = understood("快手汤", says).0.unwrap();
        assert!(found.withdrawn && found.filter.is_none() && found.text == "快手汤");
    }

    #[test]
    fn an_answer_of_another_shape_is_a_failure_not_a_filter() {
        let (found, taken) = understood("汤", r#"{"filter": "category = 汤"}"#);
        assert!(found.is_none() && taken.failed.unwrap().to_string().contains("`conditions` is missing"));
    }
}
