//! A model that says what it was told to say, for tests: no weights, no network, no chance.

use super::{Completion, GenerateError, Generator, Request, Usage};
use std::ops::ControlFlow;
use std::sync::Mutex;

/// What a test lets a model do with a request.
type Script = dyn Fn(usize, &Request) -> Result<String, GenerateError> + Send + Sync;

/// Says what a script makes of each request, letter by letter, and remembers what it was asked.
pub struct Scripted {
    script: Box<Script>,
    asked: Mutex<Vec<Request>>,
    room: Option<usize>,
}

impl Scripted {
    /// A model that says what `script` makes of a request's number (from 0) and the request.
    pub fn new(script: impl Fn(usize, &Request) -> Result<String, GenerateError> + Send + Sync + 'static) -> Self {
        Self { script: Box::new(script), asked: Mutex::default(), room: None }
    }

    /// A model that says these texts in turn, the last one for ever.
    pub fn saying(texts: &[&str]) -> Self {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        Self::new(move |count, _| Ok(texts[count.min(texts.len() - 1)].clone()))
    }

    /// The same, with room for this many tokens.
    #[must_use]
    pub fn with_room(self, tokens: usize) -> Self {
        Self { room: Some(tokens), ..self }
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Request> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Request>> {
        self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Generator for Scripted {
    fn identity(&self) -> &'static str {
        "scripted/model"
    }

    fn generate(
        &self,
        request: &Request,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        let count = {
            let mut asked = self.lock();
            asked.push(request.clone());
            asked.len() - 1
        };
        let text = (self.script)(count, request)?;
        for letter in text.chars() {
            if on_text(letter.encode_utf8(&mut [0; 4])).is_break() {
                return Err(GenerateError::Stopped);
            }
        }
        let usage = Usage { prompt: 10, completion: text.chars().count() };
        Ok(Completion { text, usage, cut: false, cached: false })
    }

    fn concurrency(&self) -> usize {
        4
    }

    fn room(&self) -> Option<usize> {
        self.room
    }
}
