//! Conversations: the turns before a question, as clients send them, and the question that a follow-up is asked as.

use crate::app::App;
use crate::error::ApiError;
use crate::models::PickedModel;
use okno::answer::{Turn, WholeQuestion, whole_question};
use okno::generate::Asker;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A message of a conversation.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct SentMessage {
    /// `user`, `assistant` or `system`.
    pub role: String,
    /// Text, or a list of parts with `text`.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    content: Value,
}

impl SentMessage {
    /// The text of a message, or the text parts of a list.
    pub fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
            _ => String::new(),
        }
    }
}

/// The questions of the messages, each with what was said to it.
pub fn turns(messages: &[SentMessage]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in messages {
        match (message.role.as_str(), turns.last_mut()) {
            ("user", _) => turns.push(Turn { question: message.text(), answer: String::new() }),
            ("assistant", Some(turn)) => turn.answer.push_str(&message.text()),
            _ => {}
        }
    }
    turns
}

/// What a question is asked as after these turns: by the language model where there is one.
pub async fn made_whole(
    app: &App,
    typed: &str,
    turns: Vec<Turn>,
    model: &PickedModel,
) -> Result<WholeQuestion, ApiError> {
    let Some(generator) = model.generator.clone().filter(|_| !turns.is_empty()) else {
        return Ok(whole_question(typed, &turns, None));
    };
    let permit = app.answer_permit().await?;
    let (typed, prompts) = (typed.to_owned(), model.options.prompts.clone());
    let work = move || {
        let _permit = permit;
        let asker = Asker { generator: &*generator, prompts: &prompts };
        Ok(whole_question(&typed, &turns, Some(asker)))
    };
    crate::pool::stoppable(work).await
}
