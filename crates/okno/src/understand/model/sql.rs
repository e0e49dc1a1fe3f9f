//! SQL that a model writes for a question about tables.
//!
//! Comes in: the question, the tables in words, and a check that prepares a statement without running it. Goes
//! out: a statement that stands the check; the database's own complaint is what the model is told
//! when its first one does not. Who runs it shows it first.

use super::StepError;
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
    let schema = super::object("sql", &json!({"type": "string"}));
    let request = Request { temperature: Some(0.0), schema: Some(schema), ..Request::new(messages) };
    let checked = |answer: &Value| {
        let sql = text(answer, "sql")?;
        let sql = sql.trim_end_matches([';', ' ', '\n']).to_owned();
        check(&sql).map_err(|reason| StepError::Statement { sql: sql.clone(), reason })?;
        Ok(sql)
    };
    structured::ask(asker, request, &checked, &|| false)
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
}
