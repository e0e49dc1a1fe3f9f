//! What a language model may do for a question before and while it is searched: nine steps, each a switch.
//!
//! Comes in: a question and a language model. Goes out: other forms of the question (`Probes`), a filter, a
//! route, a query over rows, or the numbers of hits that have nothing to do with it; and for each step a [`Taken`] that
//! says what it came to. A model is help, not a condition: when it is away, or twice gives nothing usable,
//! the search goes on without the step and says so. What a model says is checked like a person's input:
//! a filter against the fields of the index, a route against those there are.

mod filter;
mod post_filter;
mod sql;
mod transform;

pub(crate) use filter::read as read_filter;
pub(crate) use post_filter::{ShownHit, irrelevant};
pub use sql::{take_sql, write_sql};
pub(crate) use transform::{Probes, transformed};

use super::route::{Because, Route, Routing, route};
use crate::error::OptionsError;
use crate::generate::structured::{self, CheckedAnswer, text};
use crate::generate::{Asker, Language, Prompts, Request, Usage, messages, quoted};
use crate::message::Reason;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;

/// One thing that a model does for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Step {
    /// The question in words that find more, in place of it.
    Rewrite,
    /// The questions it is made of, beside it.
    Decompose,
    /// A more general question, beside it.
    StepBack,
    /// Other ways of asking the same, beside it.
    MultiQuery,
    /// A passage as it might answer: its vector in place of the question's.
    Hyde,
    /// The filter that it states, in place of the one read by rule.
    Filter,
    /// The route, in place of the one chosen by rule.
    Route,
    /// Hits that have nothing to do with it are dropped before they grow.
    PostFilter,
    /// The query over rows that answers it, where none was written by rule.
    Sql,
}

impl Step {
    /// All of them, in the order in which they are taken.
    pub const ALL: [Self; 9] = [
        Self::Filter,
        Self::Route,
        Self::Rewrite,
        Self::Decompose,
        Self::StepBack,
        Self::MultiQuery,
        Self::Hyde,
        Self::PostFilter,
        Self::Sql,
    ];

    /// Its name, in recipes and on the command line, and that of its prompt.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rewrite => "rewrite",
            Self::Decompose => "decompose",
            Self::StepBack => "step-back",
            Self::MultiQuery => "multi-query",
            Self::Hyde => "hyde",
            Self::Filter => "filter",
            Self::Route => "route",
            Self::PostFilter => "post-filter",
            Self::Sql => "sql",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Step {
    type Err = crate::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|step| step.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(|step| step.name().to_owned()).to_vec();
            OptionsError::Step { given: name.to_owned(), known }.into()
        })
    }
}

okno_document::messages! {
    /// Why a step was not taken, or what is wrong with what a model gave for it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum StepError {
        /// There is no model to ask.
        NoModel = "no_model" => ("no language model is set", "没有设置语言模型"),
        /// A route that there is not.
        Route { /** What was given. */ given: String } = "no_route" => (
            "no route `{given}`; there are hybrid, lexical, dense, broad",
            "没有路由 `{given}`；可用的有 hybrid、lexical、dense、broad",
        ),
        /// There are no tables to ask.
        NoTables = "no_tables" => ("there are no tables", "没有表格"),
        /// The question says itself where to look.
        Narrowed = "narrowed" => (
            "a question with a filter or a route is not asked of tables",
            "带有过滤条件或指定路线的问题不会查询表格",
        ),
        /// The model finds nothing in the tables that answers.
        NotInTables = "not_in_tables" =>
            ("the model finds that no table answers the question", "模型认为没有表格能回答这个问题"),
        /// A statement that could not be run to its end.
        NotRun { /** What the database says. */ reason: Reason } = "statement_not_run" =>
            ("the statement failed: {reason}", "语句执行失败：{reason}"),
        /// A statement that finds no rows, or only zeros.
        NoRows = "no_rows" => ("the statement found nothing", "语句没有查到任何内容"),
        /// A number that no hit has.
        Number { /** What was given. */ given: String, /** How many hits there are. */ count: usize } =
            "no_such_number" =>
            ("{given} is not a number from 1 to {count}", "{given} 不是 1 到 {count} 的数"),
        /// Too many questions, or none.
        Questions { /** How many. */ got: usize } = "wrong_number_of_questions" =>
            ("expected 1 to 4 questions, got {got}", "应有 1 到 4 个问题，得到 {got} 个"),
        /// A text that is too long.
        LongText { /** Its characters. */ length: usize, /** The limit. */ most: usize } = "long_text" =>
            ("a text has {length} characters, at most {most} are useful", "一段文字有 {length} 个字符，最多 {most} 个有用"),
        /// A text without words.
        NoWords { /** The text. */ text: String } = "no_words" => ("`{text}` holds no words", "`{text}` 里没有词"),
        /// A statement that the database does not take.
        Statement { /** The statement. */ sql: String, /** What the database says. */ reason: Reason } =
            "bad_statement" =>
            ("the statement `{sql}` cannot be used: {reason}", "语句 `{sql}` 无法使用：{reason}"),
    }
}

/// What a step came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// The step.
    pub step: Step,
    /// What the model gave: other questions, a passage, conditions, a route, what was dropped.
    pub gave: Vec<String>,
    /// Why the search went on without it, where it did.
    pub failed: Option<Reason>,
    /// What it cost.
    pub usage: Usage,
}

impl Taken {
    /// A step that could not be taken.
    pub fn failed(step: Step, reason: impl Into<Reason>, usage: Usage) -> Self {
        Self { step, gave: Vec::new(), failed: Some(reason.into()), usage }
    }

    /// A step that nobody could take.
    pub fn without_model(step: Step) -> Self {
        Self::failed(step, StepError::NoModel, Usage::default())
    }
}

/// A question longer than this is a text; what is beyond is not shown.
const LONGEST_QUESTION: usize = 2000;

/// What a step asks.
struct StepRequest<'a> {
    step: Step,
    question: &'a str,
    /// Values of the prompt, beside the question.
    more: &'a [(&'a str, &'a str)],
    schema: Value,
}

impl StepRequest<'_> {
    fn request(self, prompts: &Prompts) -> Request {
        let question: String = self.question.chars().take(LONGEST_QUESTION).collect();
        let data = quoted(&question);
        let mut values = vec![("question", data.as_str())];
        values.extend_from_slice(self.more);
        let messages = messages(prompts, Language::of(&question), &format!("search.{}", self.step), &values);
        Request { temperature: Some(0.0), schema: Some(self.schema), ..Request::new(messages) }
    }
}

/// Takes a step: asks, checks, and says what came of it; `gave` is what is shown of the value.
fn take<T>(
    asking: StepRequest<'_>,
    asker: Option<Asker<'_>>,
    check: &dyn Fn(&Value) -> Result<T, Reason>,
    gave: impl Fn(&T) -> Vec<String>,
) -> (Option<T>, Taken) {
    let step = asking.step;
    let Some(asker) = asker else { return (None, Taken::without_model(step)) };
    match structured::ask(asker, asking.request(asker.prompts), check, &|| false) {
        Ok(CheckedAnswer { value, usage, .. }) => {
            let gave = gave(&value);
            (Some(value), Taken { step, gave, failed: None, usage })
        }
        Err(unusable) => (None, Taken::failed(step, unusable.why, unusable.usage)),
    }
}

/// An object with one field.
fn object(field: &str, value: &Value) -> Value {
    structured::object(&json!({field: value}))
}

/// The route that a model chooses; `None` where it gave none. `sql` is offered only where there are tables.
pub(crate) fn read_route(question: &str, has_tables: bool, asker: Option<Asker<'_>>) -> (Option<Routing>, Taken) {
    let names = ["hybrid", "lexical", "dense", "broad", "sql"];
    let names = &names[..names.len() - usize::from(!has_tables)];
    let route_and_reason = json!({"route": {"type": "string", "enum": names}, "reason": {"type": ["string", "null"]}});
    let schema = structured::object(&route_and_reason);
    let check = |answer: &Value| {
        let name = text(answer, "route")?.to_lowercase();
        let known =
            names.contains(&name.as_str()).then(|| if name == "sql" { Ok(Route::Sql) } else { name.parse::<Route>() });
        let chosen = known.and_then(Result::ok);
        let chosen = chosen.ok_or_else(|| StepError::Route { given: name.clone() })?;
        Ok((name, chosen, text(answer, "reason").unwrap_or_default()))
    };
    let shown = |(name, _, reason): &(String, Route, String)| vec![name.clone(), reason.clone()];
    let tables = if has_tables { asker.map(|asker| of_tables(question, asker.prompts)) } else { None };
    let more = [("sql", tables.as_deref().unwrap_or_default())];
    let (chosen, taken) = take(StepRequest { step: Step::Route, question, more: &more, schema }, asker, &check, shown);
    // What is quoted in a question is meant word for word, whoever chooses the route.
    let phrases = route(question).phrases;
    (chosen.map(|(_, route, _)| Routing { route, because: Because::Model, phrases }), taken)
}

/// What a model is told of the route over tables.
fn of_tables(question: &str, prompts: &Prompts) -> String {
    let language = Language::of(question);
    let space = if language == Language::English { " " } else { "" };
    format!("{space}{}", prompts.render(language, "search.route-sql", &[]))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::generate::scripted::Scripted;
    use std::sync::LazyLock;

    static PROMPTS: LazyLock<Prompts> = LazyLock::new(Prompts::default);

    /// A scripted model with the project's words.
    #[allow(clippy::unnecessary_wraps)] // as those who are asked want it
    pub fn asker(model: &Scripted) -> Option<Asker<'_>> {
        Some(Asker { generator: model, prompts: &PROMPTS })
    }

    #[test]
    fn names_are_read_back() {
        for step in Step::ALL {
            assert_eq!(step.name().parse::<Step>().unwrap(), step);
            assert_eq!(json!(step), step.name(), "recipes and flags say the same");
        }
        assert!("rewire".parse::<Step>().unwrap_err().to_string().contains("`rewrite`"));
    }

    #[test]
    fn a_route_is_one_of_those_there_are() {
        let model = Scripted::saying(&[r#"{"route": "Broad", "reason": "a summary"}"#]);
        let (routing, taken) = read_route("总结“要点”", false, asker(&model));
        let routing = routing.unwrap();
        assert_eq!(
            (routing.route, routing.because, routing.phrases),
            (Route::Broad, Because::Model, vec!["要点".into()])
        );
        assert_eq!((taken.gave, taken.failed), (vec!["broad".to_owned(), "a summary".to_owned()], None));
        let model = Scripted::saying(&[r#"{"route": "sideways"}"#, r#"{"route": "off"}"#]);
        let (routing, taken) = read_route("why?", false, asker(&model));
        assert!(routing.is_none() && taken.failed.unwrap().to_string().contains("no route `off`"));
        assert_eq!(read_route("why?", false, None).1.failed, Some(StepError::NoModel.into()));
    }

    #[test]
    fn tables_are_a_route_only_where_there_are_some() {
        for (has_tables, chosen) in [(true, Some(Route::Sql)), (false, None)] {
            let model = Scripted::saying(&[r#"{"route": "sql", "reason": "it counts"}"#]);
            let (routing, _) = read_route("How many are there?", has_tables, asker(&model));
            assert_eq!(routing.map(|routing| routing.route), chosen);
            let asked = &model.asked()[0];
            assert_eq!(asked.messages[1].text.contains("“sql”"), has_tables, "{}", asked.messages[1].text);
            assert_eq!(asked.schema.as_ref().unwrap().to_string().contains("\"sql\""), has_tables);
        }
    }
}
