//! reStructuredText (`.rst`): sections, lists, tables, code, directives; rendered as Markdown would write it.
//!
//! A title is a line with signs below it (and perhaps above); which signs are which level, their order in the text
//! says. Directives that hold text are read, those that are for the machine are not. Marks inside of lines are
//! dropped, so that a sentence is found as it reads. The crates that parse this format were looked at: they fail on
//! directives that they do not know, which most real documents have.

use std::path::Path;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::markup::{LineWriter, dedented, indent, marked};
use super::{Loader, Sink, SkipReason, Source, has_extension, textual};
use okno_document::{ImageSource, Metadata, Value};

/// Directives inside of directives.
const DEEPEST: usize = 16;

/// Reads reStructuredText.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReStructuredText;

impl Loader for ReStructuredText {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        has_extension(path, &["rst", "rest"]) && textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        let lines: Vec<&str> = text.lines().collect();
        let mut reading = RstReading::default();
        reading.read(&lines, 0);
        reading.writer.end_lists();
        out.document(reading.writer.rendering.finish(source, "rst", reading.metadata)?);
        Ok(())
    }
}

#[derive(Default)]
struct RstReading {
    writer: LineWriter,
    metadata: Metadata,
    /// Signs of titles and whether there is one above, in the order of their levels.
    levels: Vec<(char, bool)>,
}

const SIGNS: &str = "=-`:.'\"~^_*+#<>!$%&(),/;?@[\\]{|}";

/// The sign of a line that is nothing but one, several times.
fn ruled(line: &str) -> Option<char> {
    let line = line.trim_end();
    let first = line.chars().next().filter(|first| SIGNS.contains(*first) && line.len() >= 2)?;
    line.chars().all(|c| c == first).then_some(first)
}

/// The columns that letters take: a Chinese one takes two.
fn width(line: &str) -> usize {
    line.chars().map(|c| if c < '\u{1100}' { 1 } else { 2 }).sum()
}

/// Lines from `at` on that are indented or blank; where they end.
fn block(lines: &[&str], at: usize, least: usize) -> usize {
    let inside = |line: &&&str| line.trim().is_empty() || indent(line) >= least;
    let mut end = at + lines[at.min(lines.len())..].iter().take_while(inside).count();
    while end > at && lines[end - 1].trim().is_empty() {
        end -= 1;
    }
    end
}

impl RstReading {
    fn read(&mut self, lines: &[&str], depth: usize) {
        let mut at = 0;
        while at < lines.len() {
            at = self.element(lines, at, depth);
        }
        self.writer.flush();
    }

    /// Reads what begins at this line; where the next begins.
    fn element(&mut self, lines: &[&str], at: usize, depth: usize) -> usize {
        let line = lines[at];
        let words = line.trim();
        if words.is_empty() {
            self.writer.flush();
            return at + 1;
        }
        if let Some(next) = self.title(lines, at) {
            return next;
        }
        if words == ".." || words.starts_with(".. ") {
            return self.directive(lines, at, depth);
        }
        if let Some(next) = self.table(lines, at) {
            return next;
        }
        if words.starts_with(">>> ") && !self.writer.is_open() {
            let end = at + lines[at..].iter().take_while(|line| !line.trim().is_empty()).count();
            self.writer.code("python", &lines[at..end]);
            return end;
        }
        if let Some((marker, rest)) = marked(words, "-*+•").filter(|_| !self.in_paragraph(line)) {
            self.writer.item(indent(line), &marker, &inline(rest));
            return self.literal(lines, at, depth);
        }
        if let Some(next) = self.field(lines, at) {
            return next;
        }
        let words = words.strip_prefix("| ").unwrap_or(words);
        if words == "|" {
            return at + 1;
        }
        // A line that is not indented ends the lists above it.
        if !self.writer.is_open() && indent(line) == 0 {
            self.writer.end_lists();
        }
        self.writer.line(&inline(words));
        self.literal(lines, at, depth)
    }

    /// Whether a sign at the start of the line is only that of a wrapped one.
    fn in_paragraph(&self, line: &str) -> bool {
        self.writer.is_open() && !self.writer.in_item() && indent(line) == 0
    }

    /// What follows a line that ends with `::` is code.
    fn literal(&mut self, lines: &[&str], at: usize, _: usize) -> usize {
        let next = at + 1;
        if !lines[at].trim_end().ends_with("::") || lines.get(next).is_some_and(|line| !line.trim().is_empty()) {
            return next;
        }
        let first = next + lines[next.min(lines.len())..].iter().take_while(|line| line.trim().is_empty()).count();
        let least = indent(lines[at]) + 1;
        let end = if first < lines.len() { block(lines, first, least) } else { first };
        if end == first {
            return next;
        }
        self.writer.code("", &lines[first..end]);
        end
    }

    fn title(&mut self, lines: &[&str], at: usize) -> Option<usize> {
        let text = |at: usize| lines.get(at).map(|line| line.trim_end()).filter(|line| !line.trim().is_empty());
        let first = ruled(lines[at]);
        if let (Some(over), Some(words), Some(under)) = (first, text(at + 1), text(at + 2))
            && ruled(under) == Some(over)
            && ruled(words).is_none()
            && width(under) >= width(words.trim())
        {
            self.write_title(over, true, words);
            return Some(at + 3);
        }
        let words = text(at).filter(|words| indent(words) == 0 && first.is_none() && !self.writer.is_open());
        if let (Some(words), Some(under)) = (words, text(at + 1))
            && let Some(sign) = ruled(under)
            && (width(under) >= width(words).min(4))
        {
            self.write_title(sign, false, words);
            return Some(at + 2);
        }
        // A line of signs alone separates.
        (first.is_some() && lines[at].trim().len() >= 4 && !lines[at].contains(' ') && !self.writer.is_open())
            .then_some(at + 1)
    }

    fn write_title(&mut self, sign: char, over: bool, words: &str) {
        let known = self.levels.iter().position(|level| *level == (sign, over));
        let level = known.unwrap_or_else(|| {
            self.levels.push((sign, over));
            self.levels.len() - 1
        });
        self.writer.heading(level + 1, &inline(words.trim()));
    }

    /// `:author: Ann` at the beginning says something about the document, elsewhere it is text.
    fn field(&mut self, lines: &[&str], at: usize) -> Option<usize> {
        static FIELD: LazyLock<Regex> = LazyLock::new(|| regex(r"^:([A-Za-z][^:`]{0,60}):(?:\s+(.*))?$"));
        let found = FIELD.captures(lines[at].trim_end())?;
        let name = found[1].to_ascii_lowercase();
        let value = inline(found.get(2).map_or("", |value| value.as_str()).trim());
        match name.as_str() {
            "author" | "authors" => self.metadata.set("author", Value::Text(value)),
            "date" => self.metadata.set("created", Value::from_text(&value)),
            "orphan" | "tocdepth" | "nosearch" => {}
            _ => {
                self.writer.flush();
                self.writer.line(&format!("{}: {value}", &found[1]));
            }
        }
        Some(at + 1)
    }

    fn directive(&mut self, lines: &[&str], at: usize, depth: usize) -> usize {
        static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| regex(r"^\.\. (?:\|[^|]+\| )?([\w:.+-]+)::(?:\s+(.*))?$"));
        let end = if at + 1 < lines.len() { block(lines, at + 1, indent(lines[at]) + 1) } else { at + 1 };
        let body = dedented(&lines[at + 1..end]);
        let line = lines[at].trim();
        self.writer.flush();
        if let Some(note) = line.strip_prefix(".. [").and_then(|note| note.split_once(']')) {
            self.writer.line(&format!("[{}] {}", note.0, inline(note.1.trim())));
            for line in &body {
                self.writer.line(&inline(line));
            }
            self.writer.flush();
            return end;
        }
        let Some(found) = DIRECTIVE.captures(line) else { return end };
        let argument = found.get(2).map_or("", |argument| argument.as_str()).trim();
        self.named(&found[1], argument, &body, depth);
        end
    }

    fn named(&mut self, name: &str, argument: &str, body: &[&str], depth: usize) {
        let options = body.iter().take_while(|line| line.starts_with(':')).count();
        let option = |name: &str| body[..options].iter().find_map(|line| line.strip_prefix(name)).unwrap_or("").trim();
        let content = &body[options..];
        match name {
            "code" | "code-block" | "sourcecode" | "prompt" | "ipython" => self.writer.code(argument, content),
            "parsed-literal" | "math" | "productionlist" | "graphviz" | "doctest" | "testcode" => {
                let content: Vec<&str> = std::iter::once(argument).chain(content.iter().copied()).collect();
                self.writer.code("", &content);
            }
            "image" | "figure" => {
                let caption: Vec<&str> = content
                    .iter()
                    .copied()
                    .take_while(|line| !line.trim().is_empty() || content[0].trim().is_empty())
                    .collect();
                let caption = inline(caption.join(" ").trim());
                self.writer.rendering.image(option(":alt:"), &caption, ImageSource::Reference(argument.to_owned()));
            }
            "list-table" => {
                self.writer.line(&inline(argument));
                self.writer.table(&list_table(content));
            }
            "csv-table" => {
                let rows = std::iter::once(option(":header:")).chain(content.iter().copied());
                let rows: Vec<Vec<String>> = rows.filter(|row| !row.trim().is_empty()).map(csv_row).collect();
                self.writer.line(&inline(argument));
                self.writer.table(&rows);
            }
            "toctree" | "contents" | "include" | "literalinclude" | "raw" | "highlight" | "index" | "meta"
            | "default-role" | "role" | "unicode" | "replace" | "sectnum" | "only" | "currentmodule" | "module" => {}
            _ if depth >= DEEPEST => {}
            _ => {
                // Notes, warnings, functions, versions: their argument and their text.
                let label = match name {
                    "versionadded" => "Added in",
                    "versionchanged" => "Changed in",
                    "deprecated" => "Deprecated since",
                    _ => "",
                };
                self.writer.line(inline(&format!("{label} {argument}")).trim());
                self.writer.flush();
                self.read(content, depth + 1);
            }
        }
        self.writer.flush();
    }

    fn table(&mut self, lines: &[&str], at: usize) -> Option<usize> {
        let line = lines[at].trim();
        let grid = line.starts_with("+-") && line.ends_with('+') && line.bytes().all(|byte| b"+-=".contains(&byte));
        let simple = line.starts_with("==") && line.contains(" =") && line.bytes().all(|byte| b"= ".contains(&byte));
        if self.writer.is_open() || !(grid || simple) {
            return None;
        }
        let (end, rows) = if grid { grid_table(lines, at) } else { simple_table(lines, at)? };
        self.writer.table(&rows);
        Some(end)
    }
}

/// A table of which every cell has lines around it: `+---+`, `| a |`.
fn grid_table(lines: &[&str], at: usize) -> (usize, Vec<Vec<String>>) {
    let end = at + lines[at..].iter().take_while(|line| line.trim().starts_with(['+', '|'])).count();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut open = false;
    for line in lines[at..end].iter().map(|line| line.trim()) {
        if line.starts_with('+') {
            open = false;
            continue;
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        match rows.last_mut().filter(|row| open && row.len() == cells.len()) {
            Some(row) => row.iter_mut().zip(cells).for_each(|(cell, more)| add(cell, &inline(more))),
            None => rows.push(cells.into_iter().map(inline).collect()),
        }
        open = true;
    }
    (end, rows)
}

/// A table between lines of `=` that show its columns.
fn simple_table(lines: &[&str], at: usize) -> Option<(usize, Vec<Vec<String>>)> {
    let rule = lines[at];
    let is_rule = |line: &&str| line.trim().starts_with("==") && line.trim().bytes().all(|byte| b"= ".contains(&byte));
    let rules: Vec<usize> = (at..lines.len()).filter(|n| is_rule(&lines[*n])).take(3).collect();
    // The second rule is that of the header, or of the end.
    let last = match rules[..] {
        [_, second, third] if lines[second + 1..third].iter().all(|line| !line.trim().is_empty()) => third,
        [_, second, ..] => second,
        _ => return None,
    };
    let starts: Vec<usize> = rule
        .char_indices()
        .filter(|(n, c)| *c == '=' && (*n == 0 || rule.as_bytes()[n - 1] == b' '))
        .map(|(n, _)| n)
        .collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines[at + 1..last]
        .iter()
        .filter(|line| !is_rule(line) && !line.trim().is_empty() && !line.trim().bytes().all(|byte| byte == b'-'))
    {
        let column = |n: usize| starts.get(n).map_or(line.len(), |start| boundary(line, *start));
        let cells: Vec<&str> =
            (0..starts.len()).map(|n| line[column(n)..column(n + 1).max(column(n))].trim()).collect();
        match rows.last_mut().filter(|_| cells[0].is_empty()) {
            Some(row) => row.iter_mut().zip(cells).for_each(|(cell, more)| add(cell, &inline(more))),
            None => rows.push(cells.into_iter().map(inline).collect()),
        }
    }
    Some((last + 1, rows))
}

/// The byte of the letter in this column.
fn boundary(line: &str, column: usize) -> usize {
    let mut at = 0;
    for (byte, letter) in line.char_indices() {
        if at >= column {
            return byte;
        }
        at += if letter < '\u{1100}' { 1 } else { 2 };
    }
    line.len()
}

fn add(cell: &mut String, more: &str) {
    if !cell.is_empty() && !more.is_empty() {
        cell.push(' ');
    }
    cell.push_str(more);
}

/// A table that is a list of lists: `* - a`, `  - b`.
fn list_table(lines: &[&str]) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
        let (begins, line) = line.strip_prefix("* ").map_or((false, line), |rest| (true, rest.trim()));
        if begins {
            rows.push(Vec::new());
        }
        let Some(row) = rows.last_mut() else { continue };
        match line.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            Some(cell) => row.push(inline(cell.trim())),
            None => row.last_mut().into_iter().for_each(|cell| add(cell, &inline(line))),
        }
    }
    rows
}

fn csv_row(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for letter in line.trim().chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cells.iter_mut().last().into_iter().for_each(|cell| cell.push(letter)),
        }
    }
    cells.iter().map(|cell| inline(cell.trim())).collect()
}

fn regex(pattern: &str) -> Regex {
    // The pattern is ours, and tests read it.
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The words of a line without marks.
fn inline(text: &str) -> String {
    static MARKS: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"``(?P<code>[^`]+)``",
            r"|(?::[\w:+.-]+:)?`(?P<role>[^`<]+?)(?:\s*<(?P<to>[^`>]*)>)?`(?:_{1,2}|:[\w:+.-]+:)?",
            r"|\*\*(?P<strong>[^*\s](?:[^*]*[^*\s])?)\*\*",
            r"|\*(?P<emphasis>[^*\s](?:[^*]*[^*\s])?)\*",
            r"|\b(?P<link>[A-Za-z][\w-]*[A-Za-z0-9])__?(?P<after>[\s.,;:!?)]|$)",
        ))
    });
    if !text.contains(['`', '*', '_', '\\']) {
        return text.trim_end_matches("::").to_owned() + if text.ends_with("::") && text != "::" { ":" } else { "" };
    }
    let plain = MARKS.replace_all(text, |found: &Captures<'_>| {
        let named = ["code", "role", "strong", "emphasis"].iter().find_map(|name| found.name(name));
        match (named, found.name("link")) {
            (Some(words), _) => words.as_str().trim_start_matches(['~', '!']).to_owned(),
            (_, Some(link)) => format!("{}{}", link.as_str(), found.name("after").map_or("", |after| after.as_str())),
            _ => found[0].to_owned(),
        }
    });
    let plain = plain.replace("\\ ", "").replace('\\', "");
    if plain.ends_with("::") { plain[..plain.len() - 1].to_owned() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    fn rst(text: &str) -> String {
        check(&ReStructuredText, "a.rst", text.as_bytes()).documents.remove(0).text
    }

    #[test]
    fn titles_lists_and_code() {
        let text = "=====\nGuide\n=====\n\n:Author: Ann\n\nFirst *words* of ``code`` and `a link <http://x.y>`_.\n\
            Second line::\n\n    x = 1\n\n      y\n\n\
                    Part\n----\n\n- one\n  goes on\n- two\n\n  - inner\n\n1. first\n\n.. note:: Mind :ref:`this \
                    <that>`.\n\n   More.\n\n.. code-block:: rust\n   :linenos:\n\n   fn a() {}\n\n\
                    .. comment\n\n.. image:: a.png\n   :alt: A tree\n\n题目\n----\n\nEnd.";
        assert_eq!(
            rst(text),
            "# Guide\n\nFirst words of code and a link.\nSecond line:\n\n```\nx = 1\n\n  y\n```\n\n## Part\n\n- one \
             goes on\n- two\n  - inner\n1. first\n\n\
             Mind this.\n\nMore.\n\n```rust\nfn a() {}\n```\n\nA tree\n\n## 题目\n\nEnd.\n"
        );
    }

    #[test]
    fn tables_of_every_kind() {
        let grid = "+-----+-----+\n| a   | b   |\n+=====+=====+\n| 1   | two |\n|     | on  |\n+-----+-----+\n";
        assert_eq!(rst(grid), "| a | b |\n| --- | --- |\n| 1 | two on |\n");
        let simple = "===  ===\n a    b\n===  ===\n1    x\n2    y\n===  ===\n\nAfter.";
        assert_eq!(rst(simple), "| a | b |\n| --- | --- |\n| 1 | x |\n| 2 | y |\n\nAfter.\n");
        let list = ".. list-table:: Teas\n   :header-rows: 1\n\n   * - tea\n     - heat\n   * - green\n     - 75\n";
        assert_eq!(rst(list), "Teas\n\n| tea | heat |\n| --- | --- |\n| green | 75 |\n");
    }
}
