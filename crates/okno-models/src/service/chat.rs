//! Chat: a request is sent, the text is passed on as it arrives.

use super::connection::{Connection, LONGEST_ANSWER};
use super::events::Events;
use super::fault::{FaultKind, ServiceFault};
use super::options::Options;
use super::quirks::Quirks;
use super::reason::ServiceReason;
use super::thinking::Thinking;
use super::wire::{self, ChatChunk, Spent};
use okno::generate::{Completion, GenerateError, Generator, Request, Usage};
use okno::split::count_tokens;
use serde_json::Value;
use std::io::Read;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use ureq::Body;
use ureq::http::{Response, header};

/// A chat model behind a service.
#[derive(Debug)]
pub struct Chat {
    connection: Connection,
    model: String,
    identity: String,
    quirks: Quirks,
    spent: [AtomicUsize; 2],
}

impl Chat {
    /// A model of a service. Where no model is named, the service is asked which it serves.
    pub fn connect(options: Options) -> Result<Self, GenerateError> {
        let connection = Connection::new(options);
        let model = match &connection.options.model {
            Some(model) => model.clone(),
            None => connection.served().map_err(|fault| fault.for_generator(connection.options.host()))?,
        };
        let identity = connection.options.identity(&model);
        let quirks = Quirks::of(connection.options.schemas);
        Ok(Self { connection, model, identity, quirks, spent: Default::default() })
    }

    /// All tokens that this model has cost so far.
    pub fn spent(&self) -> Usage {
        let [prompt, completion] = [0, 1].map(|which| self.spent[which].load(Ordering::Relaxed));
        Usage { prompt, completion }
    }

    /// Asks, and retries without the parameters that the service turns out not to support.
    fn ask(&self, request: &Request, on_text: &mut OnText<'_>) -> Result<Completion, ServiceFault> {
        loop {
            let known = self.quirks.known();
            let body = wire::request(request, &self.model, &self.connection.options, known);
            match self.connection.ask("chat/completions", &body, |response| self.read(response, request, on_text)) {
                Err(fault) if self.quirks.learn(&fault, known) => {}
                done => return done,
            }
        }
    }

    fn read(
        &self,
        response: Response<Body>,
        request: &Request,
        on_text: &mut OnText<'_>,
    ) -> Result<Completion, ServiceFault> {
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let streams = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
        let mut heard = PartialAnswer::default();
        let read = if streams {
            let stream = response.into_body().into_reader().take(LONGEST_ANSWER);
            self.listen(Events::new(stream, &self.connection.options), &mut heard, on_text)
        } else {
            // The service does not stream.
            self.connection.text(response).and_then(|text| self.take(&text, &mut heard, on_text))
        };
        // Text that was passed on cannot be taken back: no retry may repeat it.
        read.map_err(|fault| if heard.text.is_empty() { fault } else { fault.in_the_middle() })?;
        heard.complete(request, on_text)
    }

    fn listen<R: Read>(
        &self,
        mut events: Events<'_, R>,
        heard: &mut PartialAnswer,
        on_text: &mut OnText<'_>,
    ) -> Result<(), ServiceFault> {
        while let Some(data) = events.next()? {
            if data.trim() == "[DONE]" {
                heard.done = true;
                break;
            }
            self.take(&data, heard, on_text)?;
        }
        Ok(())
    }

    /// Processes one piece.
    fn take(&self, data: &str, heard: &mut PartialAnswer, on_text: &mut OnText<'_>) -> Result<(), ServiceFault> {
        let odd = |error: serde_json::Error| ServiceFault::of_garble(&error, data, &self.connection.options);
        let piece: ChatChunk = serde_json::from_str(data).map_err(odd)?;
        if let Some(error) = piece.error.filter(|error| !error.is_null()) {
            let status = error.get("code").and_then(Value::as_u64).map_or(500, |code| code as u16);
            let body = serde_json::json!({ "error": error }).to_string();
            return Err(ServiceFault::of_answer(status, &body, &self.connection.options));
        }
        heard.usage = piece.usage.or(heard.usage);
        let Some(choice) = piece.choices.into_iter().next() else { return Ok(()) };
        heard.finish = choice.finish_reason.or(heard.finish.take());
        let said = choice.delta.and_then(|said| said.content).unwrap_or_default();
        let said = heard.thinking.said(&said);
        heard.say(&said, on_text)
    }
}

type OnText<'a> = dyn FnMut(&str) -> ControlFlow<()> + 'a;

/// What has arrived of an answer so far.
#[derive(Debug, Default)]
struct PartialAnswer {
    text: String,
    thinking: Thinking,
    usage: Option<Spent>,
    finish: Option<String>,
    done: bool,
}

impl PartialAnswer {
    fn say(&mut self, said: &str, on_text: &mut OnText<'_>) -> Result<(), ServiceFault> {
        self.text.push_str(said);
        if !said.is_empty() && on_text(said).is_break() {
            return Err(ServiceFault::new(FaultKind::Stopped, ServiceReason::Stopped));
        }
        Ok(())
    }

    /// The completion, if the answer has an end.
    fn complete(mut self, request: &Request, on_text: &mut OnText<'_>) -> Result<Completion, ServiceFault> {
        let given = !self.text.is_empty();
        let rest = std::mem::take(&mut self.thinking).rest();
        self.say(&rest, on_text)?;
        if !self.done && self.finish.is_none() {
            let fault = ServiceFault::new(FaultKind::Garbled, ServiceReason::CutOff);
            return Err(if given { fault.finally() } else { fault });
        }
        if self.text.is_empty() && self.finish.as_deref() == Some("content_filter") {
            return Err(ServiceFault::new(FaultKind::Refused, ServiceReason::Filtered));
        }
        let usage = self.usage.map_or_else(|| guessed(request, &self.text), Usage::from);
        Ok(Completion { usage, cut: self.finish.as_deref() == Some("length"), cached: false, text: self.text })
    }
}

/// Tokens by our own count, for services that give none.
fn guessed(request: &Request, text: &str) -> Usage {
    let prompt = request.messages.iter().map(|message| count_tokens(&message.text)).sum();
    Usage { prompt, completion: count_tokens(text) }
}

impl Generator for Chat {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn generate(
        &self,
        request: &Request,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        let completion = self.ask(request, on_text).map_err(|fault| fault.for_generator(&self.identity))?;
        for (which, tokens) in [completion.usage.prompt, completion.usage.completion].into_iter().enumerate() {
            self.spent[which].fetch_add(tokens, Ordering::Relaxed);
        }
        Ok(completion)
    }

    fn concurrency(&self) -> usize {
        self.connection.options.concurrency.max(1)
    }

    fn room(&self) -> Option<usize> {
        self.connection.options.max_tokens
    }
}
