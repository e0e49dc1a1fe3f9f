//! An answer in words with what it rests on.

use crate::answer::Reply;
use serde_json::{Value, json};

/// A reply with its citations and everything that was found.
pub fn reply(reply: &Reply) -> Value {
    let mut json = reply.to_json();
    let found = json!(super::FullAnswer::new(&reply.contexts, false));
    for part in ["recipe", "understood", "route", "steps", "rows", "relevance", "contexts"] {
        // Steps and rows are told only where there were some.
        if let Some(value) = found.get(part) {
            json[part] = value.clone();
        }
    }
    json
}
