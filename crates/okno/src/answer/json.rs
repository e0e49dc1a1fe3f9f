//! A reply as JSON: one shape for the command line and every other surface. Offsets are code points.

use super::reply::{Citation, Reply};
use serde_json::{Value, json};

impl Reply {
    /// Everything but the contexts, whose shape is that of a search.
    pub fn to_json(&self) -> Value {
        json!({
            "question": self.contexts.question,
            "answer": self.text,
            "found": self.found,
            "model": self.by,
            "citations": self.citations.iter().map(Citation::to_json).collect::<Vec<_>>(),
            "citations_removed": self.removed,
            "contained": self.contained,
            "usage": {"prompt_tokens": self.usage.prompt, "completion_tokens": self.usage.completion},
            "cut": self.cut,
            "cached": self.cached,
            "contexts_shown": self.shown,
        })
    }
}

impl Citation {
    /// The place, and where in the answer it is cited.
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "number": self.number, "at": self.at, "doc_id": self.document, "path": self.path, "root": self.root,
            "title": self.title, "headings": self.headings, "lines": [self.lines.0, self.lines.1],
            "start": self.start, "end": self.end, "text": self.text,
        });
        if let Some((first, last)) = self.pages {
            (json["page"], json["page_end"]) = (first.into(), last.into());
        }
        if let Some((first, last)) = &self.page_labels {
            json["page_labels"] = json!([first, last]);
        }
        json
    }
}
