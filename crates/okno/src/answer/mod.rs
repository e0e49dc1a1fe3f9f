//! Answering: contexts become an answer in words.
//!
//! A [`Generator`] is a language model, wherever it runs: messages go in, text comes out piece by
//! piece. The engine itself brings none; `okno-models` has one for services that speak as `OpenAI` does.
//!
//! [`reply()`] is the whole way: what was found becomes a prompt ([`Prompts`], contexts quoted as data), what the model says is
//! checked as it comes (citations that point to nothing, links, images and tags never leave), and each citation is narrowed
//! to the sentences that support it. Without a model, the best sentences are the answer.

mod checked;
mod extract;
mod generator;
mod json;
mod listwise;
mod many;
mod prompt;
mod prompts;
mod reply;
#[cfg(any(test, feature = "contracts"))]
pub mod scripted;
pub mod structured;
mod support;
#[cfg(test)]
mod tests;
mod wording;

pub(crate) use generator::asked;
pub use generator::{Completion, GenerateError, Generator, Message, Picture, Request, Role, Usage};
pub use listwise::Listwise;
pub(crate) use many::held;
pub use many::many;
pub use prompt::{NOT_FOUND, Pictures};
pub(crate) use prompt::{fenced, mark};
pub use prompts::{Language, Prompts};
pub use reply::{Citation, Event, Reply, ReplyOptions, reply, request};
pub(crate) use support::sentences_of;
pub use wording::Asker;
pub(crate) use wording::{messages, quoted};
