//! The protocol: a request as JSON, an answer or a piece of one from JSON.

use super::options::Options;
use super::quirks::{KnownQuirks, Quirk};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use okno::generate::{ChatMessage, ChatRole, Request, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

/// A request as a service reads it.
pub fn request(request: &Request, model: &str, options: &Options, quirks: KnownQuirks) -> Value {
    let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
    let mut body = json!({"model": model, "stream": true});
    if !quirks.has(Quirk::NoStreamOptions) {
        body["stream_options"] = json!({"include_usage": true});
    }
    if let Some(temperature) = request.temperature.or(options.temperature).filter(|_| !quirks.has(Quirk::NoTemperature))
    {
        // As it is written: 0.1 as a float of 32 bits would be sent as 0.10000000149011612.
        body["temperature"] = temperature.to_string().parse::<f64>().unwrap_or_default().into();
    }
    if let Some(most) = request.max_tokens.or(options.max_tokens) {
        let name = if quirks.has(Quirk::OtherMaxTokens) { "max_completion_tokens" } else { "max_tokens" };
        body[name] = most.into();
    }
    if let Some(schema) = &request.schema {
        if quirks.has(Quirk::NoSchema) {
            let content = format!("Answer with nothing but JSON that satisfies this schema: {schema}");
            messages.push(json!({"role": "system", "content": content}));
        }
        match (quirks.has(Quirk::NoSchema), quirks.has(Quirk::NoForm)) {
            (false, _) => {
                body["response_format"] =
                    json!({"type": "json_schema", "json_schema": {"name": "answer", "strict": true, "schema": schema}});
            }
            (true, false) => body["response_format"] = json!({"type": "json_object"}),
            (true, true) => {}
        }
    }
    body["messages"] = messages.into();
    body
}

fn message(message: &ChatMessage) -> Value {
    let role = match message.role {
        ChatRole::System => "system",
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
    };
    if message.pictures.is_empty() {
        return json!({"role": role, "content": message.text});
    }
    let picture = |picture: &okno::generate::ChatPicture| {
        let url = format!("data:{};base64,{}", picture.media_type, STANDARD.encode(&picture.bytes));
        json!({"type": "image_url", "image_url": {"url": url}})
    };
    let text = json!({"type": "text", "text": message.text});
    let parts: Vec<Value> = std::iter::once(text).chain(message.pictures.iter().map(picture)).collect();
    json!({"role": role, "content": parts})
}

/// An answer, or a piece of a streamed one.
#[derive(Debug, Deserialize)]
pub struct ChatChunk {
    #[serde(default)]
    pub choices: Vec<Choice>,
    pub usage: Option<Spent>,
    pub error: Option<Value>,
}

/// A choice; only one is requested.
#[derive(Debug, Deserialize)]
pub struct Choice {
    #[serde(alias = "message")]
    pub delta: Option<ChatDelta>,
    pub finish_reason: Option<String>,
}

/// The text of an answer. Reasoning in a field of its own is ignored.
#[derive(Debug, Deserialize)]
pub struct ChatDelta {
    pub content: Option<String>,
}

/// Tokens, as a service counts them.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Spent {
    #[serde(default)]
    pub prompt_tokens: usize,
    #[serde(default)]
    pub completion_tokens: usize,
}

impl From<Spent> for Usage {
    fn from(spent: Spent) -> Self {
        Self { prompt: spent.prompt_tokens, completion: spent.completion_tokens }
    }
}

#[cfg(test)]
mod tests {
    use super::super::preset::Schemas;
    use super::super::quirks::Quirks;
    use super::*;
    use okno::generate::ChatPicture;

    #[test]
    fn a_request_says_what_was_asked_and_nothing_a_service_refused() {
        let options = Options { temperature: Some(0.1), max_tokens: Some(9), ..Options::at("http://h", None) };
        let mut asked = Request::new(vec![ChatMessage::new(ChatRole::User, "hi")]);
        asked.schema = Some(json!({"type": "object"}));
        let body = request(&asked, "m", &options, Quirks::of(Schemas::Held).known());
        assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.1), &json!(9)));
        assert_eq!(body["response_format"]["json_schema"]["schema"], json!({"type": "object"}));
        assert_eq!(body["messages"], json!([{"role": "user", "content": "hi"}]));
        let body = request(&asked, "m", &options, Quirks::of(Schemas::Asked).known());
        assert!(body.get("response_format").is_none());
        assert!(body["messages"][1]["content"].as_str().unwrap().contains(r#"{"type":"object"}"#));
    }

    #[test]
    fn pictures_are_sent_as_data() {
        let mut with = ChatMessage::new(ChatRole::User, "what is this?");
        with.pictures.push(ChatPicture { media_type: "image/png".into(), bytes: b"foo".to_vec() });
        assert_eq!(message(&with)["content"][1]["image_url"]["url"], "data:image/png;base64,Zm9v");
    }
}
