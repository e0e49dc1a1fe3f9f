//! An answer in words with what it rests on.

use crate::answer::Reply;
use serde_json::{Value, json};

/// A reply with its citations and everything that was found.
pub fn reply(reply: &Reply) -> Value {
    let mut json = reply.to_json();
    let found = json!(super::Answer::new(&reply.contexts, false));
    for part in ["recipe", "understood", "route", "relevance", "contexts"] {
        json[part] = found[part].clone();
    }
    json
}
