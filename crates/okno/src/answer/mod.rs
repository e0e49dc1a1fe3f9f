//! Answering: contexts become an answer in words.
//!
//! [`reply()`] is the whole way: what was found becomes a prompt ([`Prompts`](crate::generate::Prompts), contexts
//! quoted as data), what the model says is checked as it comes (citations that point to nothing, links, images and tags
//! never leave), and each citation is narrowed to the sentences that support it. Without a model, the best passages
//! are the answer.

mod checked;
mod extract;
mod follow_up;
mod json;
mod listwise;
mod prompt;
mod reply;
mod support;
#[cfg(test)]
mod tests;

pub use follow_up::{MadeWholeBy, Turn, WholeQuestion, whole_question};
pub use listwise::Listwise;
pub use prompt::fenced;
pub use prompt::{NOT_FOUND, Pictures};
pub use reply::{Citation, Event, Reply, ReplyOptions, reply, request};
pub use support::sentences_of;
