//! Structured output: a model is asked for JSON, and what comes is believed only after it was checked.
//!
//! Comes in: a [`Request`] with a schema, and a check that turns JSON into a value or says what is wrong.
//! Goes out: the value, or one [`Unusable`] with the reason. A model that holds itself to schemas gives
//! bare JSON; any other may talk around it, fence it, think aloud before it or stop in the middle, so
//! every JSON value in the text is a candidate and the first that stands the check is taken. Where none
//! does, the model is told once what was wrong; a second failure is reported, never papered over, and both
//! answers are forgotten: kept ones would make every later run fail like this one.

use super::generator::{ChatMessage, ChatRole, Completion, GenerateError, Generator, Request, Usage, asked};
use super::prompts::{Language, Prompts};
use super::wording::Asker;
use crate::message::Reason;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// A checked answer.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedAnswer<T> {
    /// What was asked for.
    pub value: T,
    /// What it cost, a repair included.
    pub usage: Usage,
    /// Whether the model had to be told what was wrong.
    pub repaired: bool,
}

/// Why there is no usable answer, and what it cost all the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unusable {
    /// Why.
    pub why: UnusableAnswer,
    /// What was spent.
    pub usage: Usage,
}

okno_document::messages! {
    /// Why there is no usable answer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum UnusableAnswer {
        /// The model did not answer.
        Silent(GenerateError),
        /// It answered twice, and neither answer stands the check.
        Wrong { /** The model. */ model: String, /** What is wrong with the second answer. */ reason: Reason } =
            "unusable_answer" => (
            "{model} gave no usable answer, asked twice: {reason}",
            "{model} 两次都没有给出可用的回答：{reason}",
        ),
    }
}

okno_document::messages! {
    /// What is wrong with the form of an answer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum FormError {
        /// It ended too early.
        Cut = "answer_cut" => (
            "the answer was cut at the limit of tokens before the JSON ended",
            "回答在 JSON 结束之前就因词元上限被截断",
        ),
        /// It is only words.
        NoJson = "no_json" => ("there is no JSON in the answer", "回答里没有 JSON"),
        /// A field is not there.
        Missing { /** Its name. */ field: String } = "field_missing" => ("`{field}` is missing", "缺少 `{field}`"),
        /// A field is empty.
        Empty { /** Its name. */ field: String } = "field_empty" => ("`{field}` is empty", "`{field}` 是空的"),
        /// A field holds something else than text.
        NotText { /** Its name. */ field: String, /** What it holds. */ got: String } = "field_not_text" =>
            ("`{field}` must be text, got {got}", "`{field}` 必须是文字，得到的是 {got}"),
        /// A field holds something else than a list.
        NotList { /** Its name. */ field: String, /** What it holds. */ got: String } = "field_not_list" =>
            ("`{field}` must be a list, got {got}", "`{field}` 必须是列表，得到的是 {got}"),
        /// A field holds something else than true or false.
        NotTruth { /** Its name. */ field: String } = "field_not_truth" =>
            ("`{field}` must be true or false", "`{field}` 必须是 true 或 false"),
        /// An item of a list is not a text, or an empty one.
        BadItem { /** The list's name. */ field: String, /** The item. */ got: String } = "bad_item" =>
            ("`{field}` must hold non-empty texts, got {got}", "`{field}` 里必须是非空的文字，得到的是 {got}"),
    }
}

/// Room for an answer where nobody says how much: some ten times what is expected, since models that think aloud
/// spend it on thoughts.
const ROOM: usize = 1500;

/// Of a wrong answer this many characters go back to the model: it must recognise its mistake, not pay for it twice.
const SHOWN_BACK: usize = 2000;

/// Asks for JSON and checks it; tells the model once what was wrong. `stop` is looked at while text comes.
pub fn ask<T>(
    asker: Asker<'_>,
    mut request: Request,
    check: &dyn Fn(&Value) -> Result<T, Reason>,
    stop: &dyn Fn() -> bool,
) -> Result<CheckedAnswer<T>, Unusable> {
    let mut usage = Usage::default();
    let Asker { generator, prompts } = asker;
    request.max_tokens = request.max_tokens.or_else(|| generator.room()).or(Some(ROOM));
    let first = once(generator, &request, stop, &mut usage)?;
    let reason = match read(&first, check) {
        Ok(value) => return Ok(CheckedAnswer { value, usage, repaired: false }),
        Err(reason) => reason,
    };
    let complaint = told(prompts, &request, &first.text, &reason.to_string());
    let begun = request.clone();
    request.messages.extend(complaint);
    let second = once(generator, &request, stop, &mut usage)?;
    match read(&second, check) {
        Ok(value) => Ok(CheckedAnswer { value, usage, repaired: true }),
        Err(reason) => {
            // A wrong answer that was repaired stays: together with its repair it is worth keeping.
            for asked in [&begun, &request] {
                generator.forget(asked);
            }
            Err(Unusable { why: UnusableAnswer::Wrong { model: generator.identity().to_owned(), reason }, usage })
        }
    }
}

fn once(
    generator: &dyn Generator,
    request: &Request,
    stop: &dyn Fn() -> bool,
    usage: &mut Usage,
) -> Result<Completion, Unusable> {
    let mut go_on = |_: &str| if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let completion =
        asked(generator, request, &mut go_on).map_err(|why| Unusable { why: why.into(), usage: *usage })?;
    usage.prompt += completion.usage.prompt;
    usage.completion += completion.usage.completion;
    Ok(completion)
}

/// The first JSON value of an answer that stands the check, or what is wrong with the last.
fn read<T>(completion: &Completion, check: &dyn Fn(&Value) -> Result<T, Reason>) -> Result<T, Reason> {
    let mut reason = Reason::from(if completion.cut { FormError::Cut } else { FormError::NoJson });
    for candidate in candidates(&completion.text) {
        match check(&candidate) {
            Ok(value) => return Ok(value),
            // What is whole in an answer that was cut is a piece of what was meant.
            Err(wrong) if !completion.cut => reason = wrong,
            Err(_) => {}
        }
    }
    Err(reason)
}

/// What the model said, and what was wrong with it.
fn told(prompts: &Prompts, request: &Request, text: &str, reason: &str) -> [ChatMessage; 2] {
    let said: String = text.chars().take(SHOWN_BACK).collect();
    let schema = request.schema.as_ref().map(Value::to_string).unwrap_or_default();
    // The first message is ours, in the language that was chosen for the rest.
    let language = request.messages.first().map_or(Language::English, |message| Language::of(&message.text));
    let complaint = prompts.render(language, "structured.repair", &[("reason", reason), ("schema", &schema)]);
    [ChatMessage::new(ChatRole::Assistant, said), ChatMessage::new(ChatRole::User, complaint)]
}

/// Every JSON object and array of a text that is not inside another, in order.
pub fn candidates(text: &str) -> impl Iterator<Item = Value> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        while let Some(at) = rest.find(['{', '[']) {
            let mut values = serde_json::Deserializer::from_str(&rest[at..]).into_iter::<Value>();
            if let Some(Ok(value)) = values.next() {
                rest = &rest[at + values.byte_offset()..];
                return Some(value);
            }
            rest = &rest[at + 1..];
        }
        None
    })
}

/// The schema of an object with these fields, and no others. All are required, as services that hold a model to a
/// schema demand of every object (`OpenAI` calls it strict): a field that may be missing says so with the type `null`.
pub fn object(fields: &Value) -> Value {
    let names: Vec<String> = fields.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    json!({"type": "object", "properties": fields, "required": names, "additionalProperties": false})
}

/// A text field of a JSON object, trimmed; what is wrong where there is none.
pub fn text(json: &Value, field: &str) -> Result<String, FormError> {
    let name = || field.to_owned();
    let found = json.get(field).ok_or_else(|| FormError::Missing { field: name() })?;
    let found = found.as_str().ok_or_else(|| FormError::NotText { field: name(), got: found.to_string() })?.trim();
    if found.is_empty() { Err(FormError::Empty { field: name() }) } else { Ok(found.to_owned()) }
}

/// A list of texts in a field of a JSON object, trimmed.
pub fn texts(json: &Value, field: &str) -> Result<Vec<String>, FormError> {
    let item = |item: &Value| match item.as_str().map(str::trim) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(FormError::BadItem { field: field.to_owned(), got: item.to_string() }),
    };
    list(json, field)?.iter().map(item).collect()
}

/// A list in a field of a JSON object.
pub fn list<'j>(json: &'j Value, field: &str) -> Result<&'j [Value], FormError> {
    let name = || field.to_owned();
    let found = json.get(field).ok_or_else(|| FormError::Missing { field: name() })?;
    let items = found.as_array().ok_or_else(|| FormError::NotList { field: name(), got: found.to_string() })?;
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::super::scripted::Scripted;
    use super::*;
    use proptest::prelude::*;

    fn number(json: &Value) -> Result<u64, Reason> {
        json["n"].as_u64().filter(|n| *n < 10).ok_or_else(|| format!("`n` must be a digit, got {json}").into())
    }

    fn asked(says: &[&str]) -> (Result<CheckedAnswer<u64>, Unusable>, Scripted) {
        let model = Scripted::saying(says);
        let request = Request { schema: Some(json!({"type": "object"})), ..Request::default() };
        let prompts = Prompts::default();
        let found = ask(Asker { generator: &model, prompts: &prompts }, request, &number, &|| false);
        (found, model)
    }

    #[test]
    fn json_is_found_in_chatter() {
        for text in [
            r#"{"n": 3}"#,
            "Sure! Here it is:\n```json\n{\"n\": 3}\n```\nAnything else?",
            "<think>maybe {n} or [1, 2]? {\"n\": 99} is too much</think> {\"n\": 3}",
            "{\"n\": \"three\"} – sorry, {\"n\": 3}",
        ] {
            let (found, _) = asked(&[text]);
            let found = found.unwrap();
            assert_eq!((found.value, found.repaired), (3, false), "{text}");
        }
    }

    #[test]
    fn a_wrong_answer_is_repaired_once_and_then_reported() {
        let (found, model) = asked(&["I would say three.", r#"{"n": 3}"#]);
        let found = found.unwrap();
        assert_eq!((found.value, found.repaired, found.usage), (3, true, Usage { prompt: 20, completion: 26 }));
        let asked_again = model.asked()[1].clone();
        let complaint = &asked_again.messages.last().unwrap().text;
        assert!(complaint.contains("no JSON") && complaint.contains("object"), "{complaint}");
        let (lost, model) = asked(&["{}", r#"{"n": 12}"#]);
        let lost = lost.unwrap_err();
        assert!(lost.to_string().contains("must be a digit, got {\"n\":12}"), "{lost}");
        assert_eq!((lost.usage.prompt, model.asked().len()), (20, 2), "no third try");
    }

    #[test]
    fn a_silent_model_is_not_asked_again() {
        let away = GenerateError::Away { model: "m".into(), reason: "no route".into() };
        let says = away.clone();
        let model = Scripted::new(move |_, _| Err(says.clone()));
        let prompts = Prompts::default();
        let asker = Asker { generator: &model, prompts: &prompts };
        let lost = ask(asker, Request::default(), &number, &|| false).unwrap_err();
        assert_eq!(lost.why, UnusableAnswer::Silent(away));
    }

    #[test]
    fn an_answer_that_was_cut_is_said_to_be_cut_whatever_is_whole_in_it() {
        let completion = Completion { text: r#"{"list": [{"n": 30}, {"n"#.into(), cut: true, ..Completion::default() };
        assert_eq!(read(&completion, &number), Err(FormError::Cut.into()));
        let whole = Completion { text: r#"{"n": 3} and so"#.into(), ..completion };
        assert_eq!(read(&whole, &number), Ok(3));
    }

    #[test]
    fn an_answer_has_the_room_that_somebody_gave_it() {
        let (_, model) = asked(&[r#"{"n": 3}"#]);
        assert_eq!(model.asked()[0].max_tokens, Some(ROOM));
        let model = Scripted::saying(&[r#"{"n": 3}"#]).with_room(9000);
        let prompts = Prompts::default();
        let asker = Asker { generator: &model, prompts: &prompts };
        ask(asker, Request::default(), &number, &|| false).unwrap();
        ask(asker, Request { max_tokens: Some(5), ..Request::default() }, &number, &|| false).unwrap();
        assert_eq!([model.asked()[0].max_tokens, model.asked()[1].max_tokens], [Some(9000), Some(5)]);
    }

    #[test]
    fn fields_say_what_is_wrong_with_them() {
        let value = json!({"a": " x ", "b": ["p", "q "], "c": "", "d": [1]});
        assert_eq!(
            (text(&value, "a").unwrap(), texts(&value, "b").unwrap()),
            ("x".into(), vec!["p".into(), "q".into()])
        );
        assert_eq!(text(&value, "c"), Err(FormError::Empty { field: "c".into() }));
        assert_eq!(text(&value, "e"), Err(FormError::Missing { field: "e".into() }));
        assert_eq!(texts(&value, "d"), Err(FormError::BadItem { field: "d".into(), got: "1".into() }));
        assert!(matches!(texts(&value, "a"), Err(FormError::NotList { .. })));
    }

    proptest! {
        #[test]
        fn an_object_is_found_whatever_is_said_around_it(before in "[^{\\[]{0,40}", after in ".{0,40}", n in 0..10u64) {
            let text = format!("{before}{}{after}", json!({"n": n, "s": "}{]["}));
            prop_assert_eq!(candidates(&text).next(), Some(json!({"n": n, "s": "}{]["})));
        }

        #[test]
        fn any_text_is_searched_to_its_end(text in "[\\[\\]{}\",:a0 ]{0,200}") {
            let _ = candidates(&text).count();
        }
    }
}
