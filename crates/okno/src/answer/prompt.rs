//! The prompt of an answer: contexts as data, then the question.
//!
//! Documents are not trusted: whoever wrote one may want to speak to the model. So every context stands between two
//! lines that carry a mark which is a hash of all that is sent – a text cannot hold a mark that depends on the text
//! itself – and bracketed numbers inside are written with other brackets, so that no document can cite for the model.
//! The mark is the same for the same contexts and question, so that answers can be kept.

use crate::Context;
use crate::generate::{ChatMessage, ChatPicture, ChatRole, Request};
use crate::generate::{Language, Prompts, mark};
use std::collections::BTreeSet;

/// What the model writes when the contexts do not hold the answer.
pub const NOT_FOUND: &str = "NOT_IN_DOCUMENTS";

/// Metadata that says nothing about the content, or is shown as the source already.
const NEVER_SHOWN: [&str; 11] =
    ["title", "file", "language", "path", "doc_id", "size", "width", "height", "rows", "pages", "type"];

/// Finds the pictures of a context.
pub type Pictures<'a> = dyn Fn(&Context) -> Vec<ChatPicture> + Sync + 'a;

/// Who may be shown what.
#[derive(Clone, Copy)]
pub struct Showing<'a> {
    /// Fields that a model does not see.
    pub hidden: &'a BTreeSet<String>,
    /// The pictures of a context, for a model that looks at some.
    pub pictures: Option<&'a Pictures<'a>>,
}

/// The request that asks a question about contexts.
pub fn request(
    prompts: &Prompts,
    language: Language,
    question: &str,
    contexts: &[Context],
    showing: Showing<'_>,
) -> Request {
    let fence = fence(question, contexts);
    let quoted: Vec<String> =
        contexts.iter().enumerate().map(|(at, one)| quoted(at + 1, one, &fence, showing.hidden)).collect();
    let mut text = quoted.join("\n\n");
    let mut pictures = Vec::new();
    for (at, context) in contexts.iter().enumerate() {
        let own = showing.pictures.map(|pictures| pictures(context)).unwrap_or_default();
        for picture in own {
            pictures.push(picture);
            text.push_str(&format!("\n\n{fence} picture {} [{}]", pictures.len(), at + 1));
        }
    }
    let values = [("contexts", text.as_str()), ("question", question), ("fence", &fence), ("not_found", NOT_FOUND)];
    let system = ChatMessage::new(ChatRole::System, prompts.render(language, "answer.system", &values));
    let user =
        ChatMessage { pictures, ..ChatMessage::new(ChatRole::User, prompts.render(language, "answer.user", &values)) };
    Request::new(vec![system, user])
}

/// The mark of a question and its contexts.
pub fn fence(question: &str, contexts: &[Context]) -> String {
    let texts: Vec<String> = contexts.iter().map(shown).chain([question.to_owned()]).collect();
    mark(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Texts as data: each between two lines that carry the mark, numbered from 1.
pub fn fenced(texts: &[&str], mark: &str) -> String {
    let one = |(at, text): (usize, &&str)| {
        let number = at + 1;
        format!("{mark} [{number}] begins\n{}\n{mark} [{number}] ends", without_citations(text))
    };
    texts.iter().enumerate().map(one).collect::<Vec<_>>().join("\n\n")
}

/// All that is shown of a context.
fn shown(context: &Context) -> String {
    let fields: Vec<String> = context.metadata.0.values().map(ToString::to_string).collect();
    format!(
        "{}\n{}\n{}\n{}\n{}",
        context.document,
        context.title,
        context.headings.join("\n"),
        context.text,
        fields.join("\n")
    )
}

/// A context between its two lines.
fn quoted(number: usize, context: &Context, fence: &str, hidden: &BTreeSet<String>) -> String {
    let mut lines = vec![format!("{fence} excerpt [{number}] begins")];
    lines.extend(about(context, hidden).into_iter().map(|(name, value)| format!("{name}: {}", one_line(&value))));
    lines.push("---".to_owned());
    lines.push(without_citations(&context.text));
    lines.push(format!("{fence} excerpt [{number}] ends"));
    lines.join("\n")
}

/// Where a context is from, and the fields that may be seen.
fn about(context: &Context, hidden: &BTreeSet<String>) -> Vec<(String, String)> {
    let mut path = vec![context.title.as_str()];
    path.extend(context.headings.iter().map(String::as_str).filter(|heading| *heading != context.title));
    path.retain(|part| !part.is_empty());
    let pages =
        context.pages.map(|(first, last)| if first == last { first.to_string() } else { format!("{first}–{last}") });
    let own = [("source", Some(context.document.clone())), ("title", Some(path.join(" › "))), ("page", pages)];
    let own = own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let fields = context.metadata.0.iter().filter(|(name, _)| !NEVER_SHOWN.contains(&name.as_str()));
    let fields = fields.map(|(name, value)| (one_line(name), value.to_string()));
    own.chain(fields).filter(|(name, value)| !hidden.contains(name) && !value.is_empty()).collect()
}

fn one_line(text: &str) -> String {
    without_citations(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A text whose bracketed numbers stand in other brackets: `[3]` is `⟦3⟧`.
fn without_citations(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(['[', '【', '［']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let length = if let Some((_, length)) = super::checked::marker(from) {
            let inside = from[..length].trim_matches(['[', ']', '【', '】', '［', '］']);
            out.push_str(&format!("⟦{inside}⟧"));
            length
        } else {
            let length = from.chars().next().map_or(0, char::len_utf8);
            out.push_str(&from[..length]);
            length
        };
        rest = &from[length..];
    }
    out + rest
}
