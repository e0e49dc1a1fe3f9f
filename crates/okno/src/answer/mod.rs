//! Answering: contexts become an answer in words.
//!
//! A [`Generator`] is a language model, wherever it runs: messages go in, text comes out piece by
//! piece. The engine itself brings none; `okno-models` has one for services that speak as `OpenAI` does.

mod generator;
mod listwise;

pub use generator::{Completion, GenerateError, Generator, Message, Picture, Request, Role, Usage};
pub use listwise::Listwise;
