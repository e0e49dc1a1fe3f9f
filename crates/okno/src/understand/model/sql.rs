//! SQL that a model writes for a question about tables: for a person who asks for it, or as a step of a search.
//!
//! Comes in: the question, the tables in words, and a check that prepares a statement without running it. Goes
//! out: a statement that stands the check; the database's own complaint is what the model is told
//! when its first one does not. Who runs it shows it first.

use super::{Step, StepError, StepRequest, Taken, object, take};
use crate::generate::structured::{self, CheckedAnswer, Unusable, text};
use crate::generate::{Asker, Language, Request, messages, quoted};
use crate::message::Reason;
use serde_json::{Value, json};

/// Characters of the description of tables that a model is shown.
const LONGEST: usize = 12_000;

/// Writes one `SELECT` that `check` accepts.
pub fn write_sql(
    question: &str,
    tables: &str,
    asker: Asker<'_>,
    check: &dyn Fn(&str) -> Result<(), Reason>,
) -> Result<CheckedAnswer<String>, Unusable> {
    let (data, tables) = (quoted(question), quoted(&tables.chars().take(LONGEST).collect::<String>()));
    let messages = messages(asker.prompts, Language::of(question), "sql", &[("question", &data), ("tables", &tables)]);
    let schema = object("sql", &json!({"type": "string"}));
    let request = Request { temperature: Some(0.0), schema: Some(schema), ..Request::new(messages) };
    structured::ask(asker, request, &|answer| statement(answer, check), &|| false)
}

/// Writes the `SELECT` of a search, which `check` accepts. The model may find that no table answers the question.
pub fn take_sql(
    question: &str,
    tables: &str,
    asker: Asker<'_>,
    check: &dyn Fn(&str) -> Result<(), Reason>,
) -> (Option<String>, Taken) {
    let tables = quoted(&tables.chars().take(LONGEST).collect::<String>());
    let schema = object("sql", &json!({"type": ["string", "null"]}));
    let checked = |answer: &Value| match answer.get("sql") {
        Some(Value::Null) => Ok(None),
        _ => statement(answer, check).map(Some),
    };
    let asking = StepRequest { step: Step::Sql, question, more: &[("tables", &tables)], schema };
    let (written, taken) = take(asking, Some(asker), &checked, |sql| sql.iter().cloned().collect());
    match written {
        Some(None) => (None, Taken::failed(Step::Sql, StepError::NotInTables, taken.usage)),
        written => (written.flatten(), taken),
    }
}

/// The statement of an answer, if it stands the check.
fn statement(answer: &Value, check: &dyn Fn(&str) -> Result<(), Reason>) -> Result<String, Reason> {
    let sql = text(answer, "sql")?;
    let sql = sql.trim_end_matches([';', ' ', '\n']).to_owned();
    check(&sql).map_err(|reason| StepError::Statement { sql: sql.clone(), reason })?;
    Ok(sql)
}

#[cfg(test)]
mod tests {
    use super::super::tests::asker;
    use super::*;
    use crate::generate::scripted::Scripted;

    #[test]
    fn the_database_s_complaint_goes_back_once() {
        let model = Scripted::saying(&[r#"{"sql": "SELECT price FROM t;"}"#, r#"{"sql": "SELECT \"Price\" FROM t;"}"#]);
        let check = |sql: &str| if sql.contains('"') { Ok(()) } else { Err("no such column: price".into()) };
        let written = write_sql("What does it cost?", "t (\"Price\") 3 rows", asker(&model).unwrap(), &check).unwrap();
        assert_eq!((written.value.as_str(), written.repaired), ("SELECT \"Price\" FROM t", true));
        let told = model.asked()[1].messages.last().unwrap().text.clone();
        assert!(told.contains("no such column: price"), "{told}");
    }

    #[test]
    fn a_step_may_find_that_no_table_answers() {
        for (says, expected) in [
            (r#"{"sql": "SELECT 1"}"#, Some("SELECT 1")),
            (r#"{"sql": null}"#, None),
            (r#"{"sql": "DROP TABLE t"}"#, None),
        ] {
            let model = Scripted::saying(&[says]);
            let check = |sql: &str| if sql.starts_with("SELECT") { Ok(()) } else { Err("not reading".into()) };
            let (sql, taken) = take_sql("How many?", "t (n)", asker(&model).unwrap(), &check);
            assert_eq!((sql.as_deref(), taken.failed.is_none()), (expected, expected.is_some()), "{taken:?}");
            assert_eq!(taken.gave, expected.into_iter().collect::<Vec<_>>());
            assert!(taken.usage.prompt > 0, "what it cost is told either way");
        }
    }
}
