//! Services that hold a model to a schema take strict ones only: every schema that is sent, as it is sent.

use okno::document::DerivedKind;
use okno::enrich::ask::{self, Passage};
use okno::generate::scripted::Scripted;
use okno::generate::{Asker, Generator, Prompts};
use okno::understand::model::{Step, take_sql, write_sql};
use okno::{Engine, Query};
use okno_evaluate::judge::{Aspect, Case, judge};
use okno_evaluate::make::questions_by_model;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

const TEA: &str = "# Tea\n\n## Brewing\n\nBlack tea needs boiling water and five minutes. Green tea is brewed at \
    eighty degrees, or it turns bitter.\n\n## Serving\n\nMilk goes in last. See https://tea.example/guide for more.\n";

const MADE: &str = r#"{"question": "What is done with the milk?", "sentence": "Milk goes in last.", "kind": "fact"}"#;

/// Everybody who asks for JSON, asking.
fn sent() -> BTreeSet<String> {
    let model = Arc::new(Scripted::new(|_, request| {
        let makes = request.schema.as_ref().is_some_and(|schema| schema["properties"].get("sentence").is_some());
        Ok(if makes { MADE } else { "{}" }.to_owned())
    }));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tea.md"), TEA).unwrap();
    let generator = Some(Arc::clone(&model) as Arc<dyn Generator>);
    let engine = Engine::builder().generator(generator).create(folder.path().join(".okno")).unwrap();
    engine.index(&[folder.path().join("tea.md")]).unwrap();
    engine.search(&Query::new("How hot is green tea?").transform(Step::ALL.to_vec())).unwrap();
    let prompts = Prompts::default();
    let asker = Asker { generator: &*model, prompts: &prompts };
    questions_by_model(&*engine.snapshot().unwrap(), asker, 1, 1, &|| {}).unwrap();
    take_sql("How many?", "t (n)", asker, &|_| Ok(()));
    write_sql("How many?", "t (n)", asker, &|_| Ok(())).unwrap_err();
    judge(Aspect::AnswerRelevance, Case { question: "Hot?", answer: "Yes.", contexts: &[] }, &*model, &prompts);
    let derived = DerivedKind::ALL.map(|kind| ask::request(kind, &Passage::default(), &prompts));
    model.asked().into_iter().chain(derived).filter_map(|request| Some(request.schema?.to_string())).collect()
}

/// What is not strict in a schema, wherever it is.
fn faults(schema: &Value) -> Vec<String> {
    let mut faults: Vec<String> = match schema {
        Value::Object(parts) => parts.values().flat_map(self::faults).collect(),
        Value::Array(parts) => parts.iter().flat_map(self::faults).collect(),
        _ => Vec::new(),
    };
    let required = |name: &String| schema["required"].as_array().is_some_and(|names| names.iter().any(|it| it == name));
    if schema["type"] == "object" {
        let fields = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name);
        faults.extend(fields.filter(|name| !required(name)).map(|name| format!("`{name}` is not required")));
        faults.extend((schema["additionalProperties"] != false).then(|| format!("other fields are allowed: {schema}")));
    }
    faults
}

#[test]
fn every_schema_is_strict() {
    let schemas: Vec<Value> = sent().iter().map(|schema| serde_json::from_str(schema).unwrap()).collect();
    let fields =
        |schema: &Value| schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let asked: BTreeSet<String> = schemas.iter().map(fields).collect();
    let known = [
        "answers",
        "caption",
        "conditions query",
        "context",
        "description",
        "irrelevant",
        "kind question sentence",
        "passage",
        "question",
        "questions",
        "reason route",
        "sql",
        "summary",
        "verdicts",
    ];
    assert_eq!(asked, known.map(str::to_owned).into(), "who else asks is to be walked here");
    for schema in &schemas {
        assert_eq!(faults(schema), Vec::<String>::new(), "{schema}");
    }
}
