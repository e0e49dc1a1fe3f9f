//! What the loaders of marked-up texts (reStructuredText, Org, `AsciiDoc`) share: paragraphs while they are read,
//! nested lists by their indentation, tables of pipes.

use super::rendering::Rendering;
use regex::{Captures, Regex};

/// A text in the making, line by line.
#[derive(Debug, Default)]
pub(super) struct LineWriter {
    pub rendering: Rendering,
    /// The lines of the open paragraph or item, without their marks.
    text: String,
    item: Option<(usize, String)>,
    /// How far the markers of open lists are indented.
    indents: Vec<usize>,
}

impl LineWriter {
    /// Adds a line to the open paragraph or item.
    pub fn line(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line.trim());
    }

    /// Whether a paragraph or an item is open.
    pub fn is_open(&self) -> bool {
        !self.text.is_empty()
    }

    /// Whether an item is open.
    pub fn in_item(&self) -> bool {
        self.item.is_some()
    }

    /// Ends the open paragraph or item.
    pub fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        match self.item.take() {
            Some((depth, marker)) => self.rendering.item(depth, &marker, &text),
            None => _ = self.rendering.paragraph(&text),
        }
    }

    /// Begins an item whose marker is indented so far.
    pub fn item(&mut self, indent: usize, marker: &str, words: &str) {
        self.flush();
        while self.indents.last().is_some_and(|last| *last > indent) {
            self.indents.pop();
        }
        if self.indents.last().is_none_or(|last| *last < indent) {
            self.indents.push(indent);
        }
        self.item_at(self.indents.len() - 1, marker, words);
    }

    /// Begins an item of this depth.
    pub fn item_at(&mut self, depth: usize, marker: &str, words: &str) {
        self.flush();
        words.trim().clone_into(&mut self.text);
        self.item = Some((depth, marker.to_owned()));
    }

    /// Ends the open lists.
    pub fn end_lists(&mut self) {
        self.flush();
        self.indents.clear();
    }

    /// Writes a heading.
    pub fn heading(&mut self, level: usize, words: &str) {
        self.end_lists();
        self.rendering.heading(level.clamp(1, 6) as u8, words);
    }

    /// Writes code between fences, as Markdown would.
    pub fn code(&mut self, language: &str, lines: &[&str]) {
        self.flush();
        code(&mut self.rendering, language, &dedented(lines).join("\n"));
    }

    /// Writes a table.
    pub fn table(&mut self, rows: &[Vec<String>]) {
        self.end_lists();
        self.rendering.table(rows);
    }
}

/// Writes code between fences that are longer than any inside of it.
pub(super) fn code(rendering: &mut Rendering, language: &str, code: &str) {
    if code.trim().is_empty() {
        return;
    }
    let fence = fence(code);
    let language: String = language.chars().filter(|c| c.is_alphanumeric() || "+-#_.".contains(*c)).take(40).collect();
    let code = code.trim_end().trim_start_matches(['\n', '\r']);
    rendering.raw(okno_document::BlockKind::Code, &format!("{fence}{language}\n{code}\n{fence}"));
}

/// A fence that is longer than any in the code.
pub(super) fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Bytes of white space that a line begins with.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Lines without the white space that all of them begin with.
pub(super) fn dedented<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let common = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    lines.iter().map(|line| line.get(common..).unwrap_or_else(|| line.trim_start())).collect()
}

/// The marker of a list item at the start of a line: `-`, `*`, `+`, `•`, `1.`, `a)`, `(1)`, `#.`; what follows it.
pub(super) fn marked<'t>(line: &'t str, signs: &str) -> Option<(String, &'t str)> {
    let (mark, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let sign = mark.chars().next().filter(|c| signs.contains(*c) && mark.chars().count() == 1);
    if sign.is_some() {
        return (!rest.trim().is_empty()).then(|| ("-".to_owned(), rest.trim_start()));
    }
    let number = mark.strip_prefix('(').unwrap_or(mark).strip_suffix(['.', ')'])?;
    let counts = number == "#"
        || (!number.is_empty() && number.len() <= 4 && number.bytes().all(|byte| byte.is_ascii_digit()))
        || (number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_alphabetic()) && mark.ends_with(')'));
    (counts && !rest.trim().is_empty()).then(|| (format!("{}.", number.replace('#', "1")), rest.trim_start()))
}
/// A text without the marks around words. The first group of `marks` is what stands before them, the last what stands
/// behind, those between what is marked.
pub(super) fn unmarked(mut text: String, marks: &Regex) -> String {
    let words = |found: &Captures<'_>| {
        let last = found.len() - 1;
        let inner = (2..last).find_map(|at| found.get(at)).map_or("", |words| words.as_str());
        format!("{}{inner}{}", &found[1], &found[last])
    };
    // Marks that share the space between them are found in a second round.
    for _ in 0..2 {
        text = marks.replace_all(&text, words).into_owned();
    }
    text
}
