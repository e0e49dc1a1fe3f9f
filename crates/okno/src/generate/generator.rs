//! What is asked of a language model, and what it may answer.

use crate::message::Reason;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// The rules of the conversation.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// An image that a model may look at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChatPicture {
    /// `image/png` and the like.
    pub media_type: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who says it.
    pub role: ChatRole,
    /// What is said.
    pub text: String,
    /// What is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<ChatPicture>,
}

impl ChatMessage {
    /// A turn in words alone.
    pub fn new(role: ChatRole, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), pictures: Vec::new() }
    }
}

/// What is asked of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The conversation so far.
    pub messages: Vec<ChatMessage>,
    /// 0 for the likeliest words, more for variety; the model's own setting when `None`.
    pub temperature: Option<f32>,
    /// Tokens of answer, at most; the model's own limit when `None`.
    pub max_tokens: Option<usize>,
    /// The JSON schema that the answer must satisfy. A model that knows schemas is held to it, any other is only
    /// asked for JSON: whoever asks still checks what comes.
    pub schema: Option<serde_json::Value>,
}

impl Request {
    /// A request of these messages.
    pub fn new(messages: Vec<ChatMessage>) -> Self {
        Self { messages, ..Self::default() }
    }
}

/// Tokens spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the request.
    pub prompt: usize,
    /// Of the answer.
    pub completion: usize,
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The whole text.
    pub text: String,
    /// What it cost; nothing when it came from a cache.
    pub usage: Usage,
    /// Whether it was cut at the limit of tokens.
    pub cut: bool,
    /// Whether it was answered before and kept.
    pub cached: bool,
}

okno_document::messages! {
    /// Why a model did not answer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum GenerateError {
        /// The service cannot be reached, or did not answer in time.
        Away { /** The model. */ model: String, /** What happened. */ reason: Reason } = "model_away" =>
            ("{model} cannot be reached: {reason}", "无法连接 {model}：{reason}"),
        /// The service asks to wait, and went on asking.
        Busy {
            /** The model. */ model: String,
            /** What it said. */ reason: Reason,
            /** How long it asked to wait, if it did. */ retry_after: Option<Duration>,
        } = "model_busy" => (
            "{model} is busy ({reason}); try again later, or lower the number of requests at once",
            "{model} 繁忙（{reason}）；请稍后再试，或减少同时的请求数",
        ),
        /// The service refused: a wrong key, an unknown model, a request it does not understand.
        Refused { /** The model. */ model: String, /** What it said. */ reason: Reason } = "model_refused" =>
            ("{model} refused: {reason}", "{model} 拒绝了请求：{reason}"),
        /// The request is longer than the model reads.
        TooLong { /** The model. */ model: String, /** What it said. */ reason: Reason } = "prompt_too_long" => (
            "the prompt is longer than {model} reads ({reason}); lower the budget",
            "提示超过了 {model} 能读取的长度（{reason}）；请减小预算",
        ),
        /// What came is no answer: a stream cut in the middle, invalid JSON.
        Garbled { /** The model. */ model: String, /** What came. */ reason: Reason } = "answer_garbled" =>
            ("{model} answered with something unreadable: {reason}", "{model} 的回答无法读取：{reason}"),
        /// The caller stopped it.
        Stopped = "stopped" => ("stopped", "已停止"),
    }
}

/// A language model.
pub trait Generator: Send + Sync {
    /// Provider and model, as in `dashscope/qwen-plus`: what a cache and a report call it.
    fn identity(&self) -> &str;

    /// Answers, giving each piece of text as it comes; `on_text` may stop it. The completion holds
    /// the whole text, whatever was given piecewise. Blocks until the answer is complete.
    fn generate(
        &self,
        request: &Request,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError>;

    /// How many requests may run at once.
    fn concurrency(&self) -> usize {
        1
    }

    /// Tokens of an answer, at most, where a person said so for this model; a request's own number comes first.
    fn room(&self) -> Option<usize> {
        None
    }

    /// The answer to this request turned out to be of no use: whoever keeps answers lets go of it, so that the next
    /// to ask is answered anew.
    fn forget(&self, _: &Request) {}
}

impl fmt::Debug for dyn Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.identity())
    }
}

/// Asks a model, told to whoever traces: which one, and what it cost.
pub(crate) fn asked(
    generator: &dyn Generator,
    request: &Request,
    on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> Result<Completion, GenerateError> {
    use tracing::field::Empty;
    let span =
        tracing::debug_span!("model", model = generator.identity(), prompt = Empty, completion = Empty, error = Empty);
    let _inside = span.enter();
    let answer = generator.generate(request, on_text);
    match &answer {
        Ok(Completion { usage, .. }) => {
            span.record("prompt", usage.prompt).record("completion", usage.completion);
        }
        Err(error) => {
            span.record("error", error.to_string());
        }
    }
    answer
}
