//! Language models: how they are asked, and how their answers are read.
//!
//! A [`Generator`] is a language model, wherever it runs: messages go in, text comes out piece by piece. The engine
//! itself brings none; `okno-models` has one for services that speak as `OpenAI` does. An [`Asker`] is a generator
//! with the [`Prompts`] in which it is asked; [`structured`] reads answers that must have a shape; [`many()`] asks
//! several questions at once.

mod generator;
mod many;
mod prompts;
#[cfg(any(test, feature = "contracts"))]
pub mod scripted;
pub mod structured;
mod wording;

pub(crate) use generator::asked;
pub use generator::{ChatMessage, ChatPicture, ChatRole, Completion, GenerateError, Generator, Request, Usage};
pub(crate) use many::held;
pub use many::many;
pub use prompts::{Language, PromptError, Prompts};
pub use wording::Asker;
pub use wording::{mark, messages, quoted};
