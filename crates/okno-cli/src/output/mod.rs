//! Printing: contexts for people, JSON for programs.
//!
//! Text of documents is untrusted: control characters never reach a terminal.

pub mod answer;
mod columns;
pub mod sides;
pub mod understood;

use crate::locale::say;
use anyhow::Result;
use okno::Context;
use okno::retrieve::Unit;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{IsTerminal, Write};

/// Prints a message for the user on standard error; a closed standard error is ignored.
pub fn note(message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable_text(message));
}

/// `1 context`, `2 contexts`.
pub fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// That a filter leaves nothing, and what to look at.
pub fn no_match() -> String {
    say!(
        "no document matches the filter – `okno status` lists fields and values",
        "没有文档符合过滤条件 —— `okno status` 列出字段和取值"
    )
}

/// Prints a JSON value.
pub fn json(json: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, json)?;
    Ok(writeln!(out)?)
}

/// Prints a JSON value on a line of its own.
pub fn json_line(json: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{json}")?;
    Ok(out.flush()?)
}

/// What a budget counts, in words.
pub fn unit(unit: Unit) -> String {
    match unit {
        Unit::Tokens => say!("tokens", "词元"),
        Unit::Characters => say!("characters", "字符"),
    }
}

/// The documents that are cited together, so that two of the same name are told apart.
pub struct CitedTogether<'c> {
    /// The root of each name, or none where documents of several roots have it.
    roots: HashMap<&'c str, Option<&'c str>>,
}

impl<'c> CitedTogether<'c> {
    /// From the names of documents and their roots.
    pub fn new(cited: impl Iterator<Item = (&'c str, &'c str)>) -> Self {
        let mut roots: HashMap<&str, Option<&str>> = HashMap::new();
        for (name, root) in cited {
            let known = roots.entry(name).or_insert(Some(root));
            *known = known.filter(|known| *known == root);
        }
        Self { roots }
    }

    /// The documents of contexts.
    pub fn of(contexts: &'c [Context]) -> Self {
        Self::new(contexts.iter().map(|context| (context.document.as_str(), context.root.as_str())))
    }

    /// Where a context is.
    pub fn context(&self, context: &Context) -> String {
        self.place(&context.document, &context.root, context.lines)
    }

    /// `guide/tea.md:12-14`, clickable in most terminals and editors.
    pub fn place(&self, name: &str, root: &str, lines: (usize, usize)) -> String {
        let is_shared = self.roots.get(name).is_some_and(Option::is_none);
        // The root of a single file is the file.
        let whole = if root.ends_with(name) { root.to_owned() } else { format!("{root}/{name}") };
        let name = printable(if is_shared { &whole } else { name });
        match lines {
            (first, last) if first == last => format!("{name}:{first}"),
            (first, last) => format!("{name}:{first}-{last}"),
        }
    }
}

/// One line without control characters: they are written as programs write them, `\n`, `\u{1b}`.
pub fn printable(text: &str) -> String {
    escaped(text, is_control)
}

/// Lines without control characters.
pub fn printable_text(text: &str) -> String {
    escaped(&text.replace("\r\n", "\n"), |c| is_control(c) && !matches!(c, '\n' | '\t'))
}

/// Control characters, and those that change the direction of writing, so that a name reads as another.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, is: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// The beginning of a text.
pub fn shortened(text: &str, length: usize) -> String {
    let flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.chars().count() <= length { flat } else { flat.chars().take(length).chain(['…']).collect() }
}

/// Styles, if the output is a terminal and `NO_COLOR` is not set.
pub struct Paint {
    on: bool,
}

impl Paint {
    /// The styles for an output.
    pub fn of(output: &impl IsTerminal) -> Self {
        Self { on: output.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) }
    }

    fn styled(&self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }

    pub fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }

    /// Underlined too, so that colour alone carries nothing.
    pub fn marked(&self, text: &str) -> String {
        text.split('\n').map(|line| self.styled("4;33", line)).collect::<Vec<_>>().join("\n")
    }
}
